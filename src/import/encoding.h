/*
 * Between the database's encoding and UTF-8, for documents of any size.
 */
#ifndef AGENTRL_IMPORT_ENCODING_H
#define AGENTRL_IMPORT_ENCODING_H

#include "trajectory/draft.h"

/* The text in UTF-8. A character without an equivalent becomes a byte that is no UTF-8. */
extern TextView encoding_to_utf8(TextView text);

/* The text in the database's encoding. A character that it lacks becomes "?" and is counted. */
extern TextView encoding_from_utf8(TextView text, int64_t *lacking);

#endif
