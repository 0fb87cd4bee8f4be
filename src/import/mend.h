/*
 * The byte pass before jansson.
 */
#ifndef AGENTRL_IMPORT_MEND_H
#define AGENTRL_IMPORT_MEND_H

#include <string.h>

#include "import/document.h"

#define SWAR(byte) ((uint64_t) 0x0101010101010101 * (byte))

/*
 * Skips bytes of a string that need no look: neither quote nor backslash nor
 * control byte, eight at a time. May stop early, never late.
 */
static inline const char *
skip_plain(const char *p, const char *end)
{
	while (end - p >= 8) {
		uint64_t word, quote, backslash, control;

		memcpy(&word, p, 8);
		quote = word ^ SWAR('"');
		backslash = word ^ SWAR('\\');
		/* the high bit of a byte is set where it is below the subtrahend */
		control = (word - SWAR(0x20)) & ~word;
		quote = (quote - SWAR(1)) & ~quote;
		backslash = (backslash - SWAR(1)) & ~backslash;
		if ((quote | backslash | control) & SWAR(0x80))
			break;
		p += 8;
	}
	return p;
}

extern int hex_value(const char *p, const char *end);

/*
 * Gives in *text what jansson reads: the span itself when nothing had to be
 * mended, else a copy in the arena of parsed. False: parsed says what is wrong.
 */
extern bool mend(Parsed *parsed, const ImportHost *host, Span span, Span *text);

#endif
