/*
 * The usual case: JSON in which there is nothing to mend.
 */
#ifndef AGENTRL_IMPORT_PLAIN_H
#define AGENTRL_IMPORT_PLAIN_H

#include "import/document.h"

/* The value in the arena in use; NULL when something is to be mended, or is wrong. */
extern json_t *plain_parse(Parsed *parsed, const ImportHost *host, Span span);

#endif
