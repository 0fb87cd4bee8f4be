/*
 * Foreign JSON: splitting a text into values, mending what jansson rejects, and
 * parsing. Plain C: no server header may meet jansson.h, whose json_object()
 * the server exports too.
 *
 * All memory here belongs to the arena of a Parsed.
 */
#ifndef AGENTRL_IMPORT_DOCUMENT_H
#define AGENTRL_IMPORT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "import/arena.h"

#define DOCUMENT_MAX_DEPTH 2048 /* jansson's own limit */

typedef enum MendKind {
	MEND_NONFINITE, /* NaN and infinities: null */
	MEND_OVERFLOW,	/* numbers beyond a double: null */
	MEND_INTEGER,	/* integers beyond 64 bits: doubles */
	MEND_SURROGATE, /* half a surrogate pair: U+FFFD */
	MEND_NUL,		/* \u0000: U+FFFD */
	MEND_CONTROL,	/* raw control bytes in strings: escaped */
	MEND_UTF8,		/* bytes that are no UTF-8: U+FFFD */
	MEND_KINDS
} MendKind;

/* What was mended within one element of a document, see Place. */
typedef struct MendGroup {
	int64_t member;
	int64_t element;
	size_t line; /* of the first */
	size_t counts[MEND_KINDS];
} MendGroup;

typedef struct Span {
	const char *data;
	size_t len;
	size_t line; /* of its first byte, from 1 */
} Span;

typedef enum Shape {
	SHAPE_EMPTY,
	SHAPE_VALUE, /* one value, or something that is no JSON at all */
	SHAPE_ARRAY, /* one array: its elements are the values */
	SHAPE_LINES, /* a value per line */
	SHAPE_VALUES /* values one after the other */
} Shape;

typedef struct Splitter {
	const char *next;
	const char *end;
	size_t line; /* of next */
	Shape shape;
	bool entered;  /* the array */
	bool unclosed; /* the array, when its elements are over */
	const ImportHost *host;
} Splitter;

typedef struct Parsed {
	Arena arena;
	json_t *root;
	MendGroup *groups;
	size_t ngroups;
	size_t groups_size;
	size_t line;	   /* of a problem */
	char problem[200]; /* ASCII */
} Parsed;

extern void document_split(Splitter *splitter, const ImportHost *host, const char *data,
						   size_t len);
extern bool document_next(Splitter *splitter, Span *span);
/* False: parsed says what is wrong. What was parsed before stays until it is freed. */
extern bool document_parse(Parsed *parsed, const ImportHost *host, Span span);
extern void copy_polled(const ImportHost *host, void *to, const void *from, size_t len);
extern void document_free(Parsed *parsed);
extern int utf8_length(const unsigned char *p, const unsigned char *end);
extern const char *mend_description(MendKind kind);

#endif
