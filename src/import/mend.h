/*
 * The byte pass before jansson.
 */
#ifndef AGENTRL_IMPORT_MEND_H
#define AGENTRL_IMPORT_MEND_H

#include "import/document.h"

/*
 * Gives in *data, *len a text that jansson reads: the span itself when nothing
 * had to be mended, else a copy that parsed owns.
 */
extern ParseResult mend(Parsed *parsed, Span span, bool valid_utf8, CancelledFn cancelled,
						const char **data, size_t *len);

#endif
