/*
 * One pass over the bytes of a JSON text that replaces what jansson rejects.
 * Strings are told from structure, and nothing else is checked: what remains
 * wrong, jansson reports.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/mend.h"

#define POLL_BYTES	 65536
#define REPLACEMENT	 "\\ufffd"
#define INT64_DIGITS 19
#define LONG_NUMBER	 300 /* a double has at most 309 digits before its point */
#define MAX_NUMBER	 65536

typedef struct Mender {
	Parsed *parsed;
	const ImportHost *host;
	const char *end;
	const char *copied; /* up to here the input is in out, when there is an out */
	char *out;
	size_t out_len;
	size_t out_size;
	int64_t depth;
	int64_t member;		 /* commas met at depth 1 */
	int64_t element;	 /* commas met at depth 2, in this member */
	const char *counted; /* newlines before it are in line */
	size_t line;
	const char *poll; /* ask at this byte */
} Mender;

const char *
mend_description(MendKind kind)
{
	static const char *const descriptions[MEND_KINDS] = {
		"NaN or infinite number read as null",
		"number out of range read as null",
		"integer beyond 64 bits read as a double",
		"lone surrogate read as U+FFFD",
		"NUL character read as U+FFFD",
		"raw control byte in a string kept",
		"invalid UTF-8 read as U+FFFD",
	};

	return descriptions[kind];
}

/* Asks every POLL_BYTES whether to go on. */
static void
Poll(Mender *m, const char *p)
{
	if (p < m->poll)
		return;
	m->poll = m->end - p > POLL_BYTES ? p + POLL_BYTES : m->end;
	m->host->poll();
}

static void
CountLines(Mender *m, const char *to)
{
	while (m->counted < to) {
		const char *newline = memchr(m->counted, '\n', to - m->counted);

		if (!newline) {
			m->counted = to;
			return;
		}
		if (++m->line % 4096 == 0)
			m->host->poll();
		m->counted = newline + 1;
	}
}

static MendGroup *
CurrentGroup(Mender *m)
{
	Parsed *parsed = m->parsed;
	MendGroup *group = parsed->ngroups ? &parsed->groups[parsed->ngroups - 1] : NULL;

	if (group && group->member == m->member && group->element == m->element)
		return group;
	if (parsed->ngroups == parsed->groups_size) {
		size_t size = parsed->groups_size ? parsed->groups_size * 2 : 16;
		MendGroup *groups = arena_alloc(&parsed->arena, size * sizeof(MendGroup));

		if (parsed->ngroups)
			copy_polled(m->host, groups, parsed->groups, parsed->ngroups * sizeof(MendGroup));
		parsed->groups = groups;
		parsed->groups_size = size;
	}
	group = &parsed->groups[parsed->ngroups++];
	memset(group, 0, sizeof(*group));
	group->member = m->member;
	group->element = m->element;
	group->line = m->line;
	return group;
}

static void
Append(Mender *m, const char *data, size_t len)
{
	if (m->out_size - m->out_len < len) {
		size_t left = m->end - m->copied;
		size_t size = m->out_len + m->out_size / 2 + left + left / 8 + 64;
		char *out = arena_alloc(&m->parsed->arena, size);

		if (m->out_len)
			copy_polled(m->host, out, m->out, m->out_len);
		m->out = out;
		m->out_size = size;
	}
	copy_polled(m->host, m->out + m->out_len, data, len);
	m->out_len += len;
}

/* Puts `with` in the place of the input from `from` to `to`. */
static void
Replace(Mender *m, MendKind kind, const char *from, const char *to, const char *with)
{
	CountLines(m, from);
	CurrentGroup(m)->counts[kind]++;
	Append(m, m->copied, from - m->copied);
	Append(m, with, strlen(with));
	m->copied = to;
}

/* The value of four hexadecimal digits, -1 when they are none. */
int
hex_value(const char *p, const char *end)
{
	int value = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];

		value <<= 4;
		if (c >= '0' && c <= '9')
			value |= c - '0';
		else if (c >= 'a' && c <= 'f')
			value |= c - 'a' + 10;
		else if (c >= 'A' && c <= 'F')
			value |= c - 'A' + 10;
		else
			return -1;
	}
	return value;
}

/* p is at a backslash; returns the byte after the escape. */
static const char *
MendEscape(Mender *m, const char *p)
{
	int unit, low;

	if (m->end - p < 6 || p[1] != 'u')
		return m->end - p < 2 ? m->end : p + 2;
	unit = hex_value(p + 2, m->end);
	if (unit == 0)
		Replace(m, MEND_NUL, p, p + 6, REPLACEMENT);
	if (unit < 0xD800 || unit > 0xDFFF)
		return p + 6;
	low = m->end - p >= 12 && p[6] == '\\' && p[7] == 'u' ? hex_value(p + 8, m->end) : -1;
	if (unit <= 0xDBFF && low >= 0xDC00 && low <= 0xDFFF)
		return p + 12;
	Replace(m, MEND_SURROGATE, p, p + 6, REPLACEMENT);
	return p + 6;
}

/* Bytes of the valid UTF-8 sequence at p, 0 when it is none. */
int
utf8_length(const unsigned char *p, const unsigned char *end)
{
	int len = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;

	if (p[0] < 0xC2 || p[0] > 0xF4 || end - p < len)
		return 0;
	for (int i = 1; i < len; i++)
		if ((p[i] & 0xC0) != 0x80)
			return 0;
	if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) ||
		(p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F))
		return 0;
	return len;
}

/* p is after the opening quote; returns the byte after the closing one. */
static const char *
MendString(Mender *m, const char *p)
{
	char escape[8];

	while (p < m->end) {
		unsigned char c;

		Poll(m, p);
		if (m->host->valid_utf8)
			p = skip_plain(p, m->poll);
		if (p == m->end || *p == '"')
			break;
		c = *p;
		if (c >= ' ' && c < 0x80 && c != '\\')
			p++;
		else if (c == '\\')
			p = MendEscape(m, p);
		else if (c >= 0x80) {
			int len = m->host->valid_utf8
						  ? 1
						  : utf8_length((const unsigned char *) p, (const unsigned char *) m->end);

			if (len == 0)
				Replace(m, MEND_UTF8, p, p + 1, REPLACEMENT);
			p += len ? len : 1;
		} else {
			if (c == 0)
				Replace(m, MEND_NUL, p, p + 1, REPLACEMENT);
			else {
				snprintf(escape, sizeof(escape), "\\u%04x", c);
				Replace(m, MEND_CONTROL, p, p + 1, escape);
			}
			p++;
		}
	}
	return p < m->end ? p + 1 : m->end;
}

static bool
IsNumberByte(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

static bool
Overflows(const char *number)
{
	return isinf(strtod(number, NULL));
}

/* p is at a digit or a minus; returns the byte after the number. */
static const char *
MendNumber(Mender *m, const char *p)
{
	const char *from = p;
	bool integer = true, exponent = false;

	for (p++; p < m->end && IsNumberByte(*p); p++) {
		integer &= *p >= '0' && *p <= '9';
		exponent |= *p == 'e' || *p == 'E';
		Poll(m, p);
	}
	/* strtod needs a byte after the number to stop at */
	if (p == m->end)
		return p;
	if (p - from > MAX_NUMBER || ((exponent || p - from > LONG_NUMBER) && Overflows(from)))
		Replace(m, MEND_OVERFLOW, from, p, "null");
	else if (integer && p - from >= INT64_DIGITS) {
		errno = 0;
		(void) strtoll(from, NULL, 10);
		if (errno == ERANGE)
			Replace(m, MEND_INTEGER, p, p, ".0");
	}
	return p;
}

static bool
StartsWith(const Mender *m, const char *p, const char *word)
{
	size_t len = strlen(word);

	return (size_t) (m->end - p) >= len && memcmp(p, word, len) == 0;
}

/* p is outside strings; returns the next byte to look at. */
static const char *
MendToken(Mender *m, const char *p)
{
	switch (*p) {
		case '"':
			return MendString(m, p + 1);
		case '{':
		case '[':
			if (++m->depth == 2)
				m->element = 0;
			return p + 1;
		case '}':
		case ']':
			if (--m->depth == 1)
				m->element = -1;
			return p + 1;
		case ',':
			if (m->depth == 1)
				m->member++;
			else if (m->depth == 2)
				m->element++;
			return p + 1;
		case 'N':
			if (!StartsWith(m, p, "NaN"))
				return p + 1;
			Replace(m, MEND_NONFINITE, p, p + 3, "null");
			return p + 3;
		case 'I':
			if (!StartsWith(m, p, "Infinity"))
				return p + 1;
			Replace(m, MEND_NONFINITE, p, p + 8, "null");
			return p + 8;
		case '-':
			if (StartsWith(m, p + 1, "Infinity")) {
				Replace(m, MEND_NONFINITE, p, p + 9, "null");
				return p + 9;
			}
			return MendNumber(m, p);
		default:
			return *p >= '0' && *p <= '9' ? MendNumber(m, p) : p + 1;
	}
}

bool
mend(Parsed *parsed, const ImportHost *host, Span span, Span *text)
{
	Mender m = {.parsed = parsed,
				.host = host,
				.end = span.data + span.len,
				.copied = span.data,
				.element = -1,
				.counted = span.data,
				.line = span.line,
				.poll = span.data};

	for (const char *p = span.data; p < m.end;) {
		p = MendToken(&m, p);
		Poll(&m, p);
		if (m.depth > DOCUMENT_MAX_DEPTH) {
			CountLines(&m, p);
			snprintf(parsed->problem, sizeof(parsed->problem), "nested deeper than %d levels",
					 DOCUMENT_MAX_DEPTH);
			parsed->line = m.line;
			return false;
		}
	}
	*text = span;
	if (!m.out)
		return true;
	Append(&m, m.copied, m.end - m.copied);
	text->data = m.out;
	text->len = m.out_len;
	return true;
}
