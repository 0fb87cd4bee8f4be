/*
 * One pass that makes jansson's values without jansson's parser, which takes each
 * byte through several calls. It stops at the first thing that is not plain: what
 * is to be mended or told of such a text, the byte pass and jansson know.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/mend.h"
#include "import/plain.h"

#define POLL_BYTES	   65536
#define INTEGER_DIGITS 18 /* these fit 64 bits */
#define NUMBER_BYTES   300

typedef struct Parser {
	Parsed *parsed;
	const ImportHost *host;
	const char *p;
	const char *end;
	const char *poll; /* ask at this byte */
	int depth;
	char *scratch; /* the text of a string with escapes, or of a key */
	size_t len;
	size_t size;
} Parser;

static json_t *Value(Parser *parser);

static void
Poll(Parser *parser)
{
	if (parser->p < parser->poll)
		return;
	parser->host->poll();
	parser->poll = parser->end - parser->p > POLL_BYTES ? parser->p + POLL_BYTES : parser->end;
}

/* The next byte that is no space, NUL at the end. */
static char
Peek(Parser *parser)
{
	for (; parser->p < parser->end; parser->p++) {
		char c = *parser->p;

		Poll(parser);
		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return c;
	}
	return '\0';
}

static bool
Take(Parser *parser, char c)
{
	if (Peek(parser) != c)
		return false;
	parser->p++;
	return true;
}

static void
Append(Parser *parser, const char *data, size_t len)
{
	if (len == 0)
		return;
	if (parser->size - parser->len < len) {
		size_t size = parser->size * 2 + len + 256;
		char *grown = arena_alloc(&parser->parsed->arena, size);

		copy_polled(parser->host, grown, parser->scratch, parser->len);
		parser->scratch = grown;
		parser->size = size;
	}
	copy_polled(parser->host, parser->scratch + parser->len, data, len);
	parser->len += len;
}

static void
AppendCharacter(Parser *parser, unsigned int c)
{
	char bytes[4] = {c, 0x80 | (c & 0x3F), 0x80 | (c & 0x3F), 0x80 | (c & 0x3F)};
	int len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (len > 1)
		bytes[0] = (0xF00 >> len) | (c >> 6 * (len - 1));
	if (len > 2)
		bytes[len - 2] = 0x80 | ((c >> 6) & 0x3F);
	if (len > 3)
		bytes[1] = 0x80 | ((c >> 12) & 0x3F);
	Append(parser, bytes, len);
}

/* After "\u": a character, or a pair of halves of one. */
static bool
UnicodeEscape(Parser *parser)
{
	int unit = hex_value(parser->p, parser->end), low;

	if (unit <= 0 || (unit >= 0xDC00 && unit <= 0xDFFF))
		return false;
	parser->p += 4;
	if (unit < 0xD800 || unit > 0xDFFF) {
		AppendCharacter(parser, unit);
		return true;
	}
	if (parser->end - parser->p < 6 || parser->p[0] != '\\' || parser->p[1] != 'u')
		return false;
	low = hex_value(parser->p + 2, parser->end);
	if (low < 0xDC00 || low > 0xDFFF)
		return false;
	parser->p += 6;
	AppendCharacter(parser, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
	return true;
}

/* p is at a backslash */
static bool
Escape(Parser *parser)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (parser->end - parser->p < 2)
		return false;
	parser->p += 2;
	if (parser->p[-1] == 'u')
		return UnicodeEscape(parser);
	found = memchr(from, parser->p[-1], sizeof(from) - 1);
	if (found)
		Append(parser, to + (found - from), 1);
	return found != NULL;
}

/* p is after the opening quote. The text lies in the document when it is without escapes. */
static bool
String(Parser *parser, TextView *text)
{
	const char *from = parser->p;

	parser->len = 0;
	while (parser->p < parser->end) {
		unsigned char c;

		Poll(parser);
		parser->p = skip_plain(parser->p, parser->poll);
		if (parser->p == parser->end)
			return false;
		c = *parser->p;
		if (c == '"')
			break;
		if (c < ' ')
			return false;
		if (c != '\\') {
			parser->p++;
			continue;
		}
		Append(parser, from, parser->p - from);
		if (!Escape(parser))
			return false;
		from = parser->p;
	}
	if (parser->p == parser->end)
		return false;
	*text = (TextView){from, parser->p - from};
	if (parser->len) {
		Append(parser, from, parser->p - from);
		*text = (TextView){parser->scratch, parser->len};
	}
	parser->p++;
	return true;
}

static json_t *
StringValue(Parser *parser)
{
	TextView text;

	parser->p++;
	return String(parser, &text) ? json_stringn_nocheck(text.data, text.len) : NULL;
}

static size_t
Digits(Parser *parser)
{
	const char *from = parser->p;

	while (parser->p < parser->end && *parser->p >= '0' && *parser->p <= '9')
		parser->p++;
	return parser->p - from;
}

/* The part after the integer; false when it is none of JSON. */
static bool
Fraction(Parser *parser)
{
	if (parser->p < parser->end && *parser->p == '.') {
		parser->p++;
		if (Digits(parser) == 0)
			return false;
	}
	if (parser->p == parser->end || (*parser->p != 'e' && *parser->p != 'E'))
		return true;
	parser->p++;
	if (parser->p < parser->end && (*parser->p == '+' || *parser->p == '-'))
		parser->p++;
	return Digits(parser) > 0;
}

static json_t *
Number(Parser *parser)
{
	const char *from = parser->p, *first = from + (*from == '-');
	json_int_t integer = 0;
	size_t digits;
	double real;

	parser->p = first;
	digits = Digits(parser);
	if (digits == 0 || digits > INTEGER_DIGITS || (*first == '0' && digits > 1))
		return NULL;
	if (!memchr(".eE", parser->p < parser->end ? *parser->p : ' ', 3)) {
		for (const char *p = first; p < parser->p; p++)
			integer = integer * 10 + (*p - '0');
		return json_integer(*from == '-' ? -integer : integer);
	}
	/* strtod needs a byte after the number to stop at */
	if (!Fraction(parser) || parser->p == parser->end || parser->p - from > NUMBER_BYTES)
		return NULL;
	real = strtod(from, NULL);
	return isfinite(real) ? json_real(real) : NULL;
}

static json_t *
Array(Parser *parser)
{
	json_t *array = json_array();

	parser->p++;
	if (Take(parser, ']'))
		return array;
	do {
		json_t *value = Value(parser);

		if (!value)
			return NULL;
		json_array_append_new(array, value);
	} while (Take(parser, ','));
	return Take(parser, ']') ? array : NULL;
}

static json_t *
Object(Parser *parser)
{
	json_t *object = json_object();
	TextView text;

	parser->p++;
	if (Take(parser, '}'))
		return object;
	do {
		char *key;
		json_t *value;

		if (!Take(parser, '"') || !String(parser, &text) || !Take(parser, ':'))
			return NULL;
		key = arena_alloc(&parser->parsed->arena, text.len + 1);
		memcpy(key, text.data, text.len);
		key[text.len] = '\0';
		value = Value(parser);
		if (!value)
			return NULL;
		json_object_set_new_nocheck(object, key, value);
	} while (Take(parser, ','));
	return Take(parser, '}') ? object : NULL;
}

static json_t *
Word(Parser *parser, const char *word, json_t *value)
{
	size_t len = strlen(word);

	if ((size_t) (parser->end - parser->p) < len || memcmp(parser->p, word, len) != 0)
		return NULL;
	parser->p += len;
	return value;
}

static json_t *
Nested(Parser *parser, json_t *(*parse)(Parser *) )
{
	json_t *value;

	if (parser->depth == DOCUMENT_MAX_DEPTH)
		return NULL;
	parser->depth++;
	value = parse(parser);
	parser->depth--;
	return value;
}

static json_t *
Value(Parser *parser)
{
	switch (Peek(parser)) {
		case '"':
			return StringValue(parser);
		case '{':
			return Nested(parser, Object);
		case '[':
			return Nested(parser, Array);
		case 't':
			return Word(parser, "true", json_true());
		case 'f':
			return Word(parser, "false", json_false());
		case 'n':
			return Word(parser, "null", json_null());
		case '\0':
			return NULL;
		default:
			return Number(parser);
	}
}

json_t *
plain_parse(Parsed *parsed, const ImportHost *host, Span span)
{
	Parser parser = {.parsed = parsed,
					 .host = host,
					 .p = span.data,
					 .end = span.data + span.len,
					 .poll = span.data};
	json_t *value = host->valid_utf8 ? Value(&parser) : NULL;

	(void) Peek(&parser);
	return parser.p == parser.end ? value : NULL;
}
