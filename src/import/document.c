/*
 * Splitting, and parsing by jansson. mend.c does the bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/document.h"
#include "import/mend.h"

#define POLL_BYTES 65536
/* jansson reads this much in 10 to 20 ms: no need to ask, and 15 % faster */
#define UNPOLLED_BYTES (1024 * 1024)

static bool
IsSpace(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
Opens(char c)
{
	return c == '{' || c == '[';
}

/*
 * The byte after the value that opens at p, or NULL when it does not close
 * before end.
 */
static const char *
ValueEnd(const char *p, const char *end, CancelledFn cancelled)
{
	int64_t depth = 0;
	const char *poll = p + POLL_BYTES;

	bool in_string = false;

	for (; p < end; p++) {
		if (p >= poll) {
			if (cancelled())
				return NULL;
			poll = p + POLL_BYTES;
		}
		if (in_string)
			p = skip_plain(p, poll < end ? poll : end);
		if (p == end)
			return NULL;
		if (*p == '"')
			in_string = !in_string;
		else if (in_string)
			p += *p == '\\';
		else if (Opens(*p))
			depth++;
		else if ((*p == '}' || *p == ']') && --depth <= 0)
			return p + 1;
	}
	return NULL;
}

static const char *
LineEnd(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', end - p);

	return newline ? newline : end;
}

static const char *
SkipSpace(const char *p, const char *end, size_t *line)
{
	for (; p < end && IsSpace(*p); p++)
		if (*p == '\n')
			(*line)++;
	return p;
}

/* Is the line at p one whole object or array? */
static bool
LineIsValue(const char *p, const char *end, CancelledFn cancelled)
{
	const char *line_end = LineEnd(p, end);
	const char *value_end;
	size_t line = 0;

	if (!Opens(*p))
		return false;
	value_end = ValueEnd(p, line_end, cancelled);
	return value_end && value_end > p + 2 && SkipSpace(value_end, line_end, &line) == line_end;
}

static Shape
FindShape(const char *p, const char *end, CancelledFn cancelled)
{
	const char *value_end, *rest;
	size_t line = 0;

	if (p == end)
		return SHAPE_EMPTY;
	value_end = Opens(*p) ? ValueEnd(p, end, cancelled) : NULL;
	if (value_end && SkipSpace(value_end, end, &line) == end)
		return *p == '[' ? SHAPE_ARRAY : SHAPE_VALUE;
	if (LineIsValue(p, end, cancelled))
		return SHAPE_LINES;
	if (value_end)
		return SHAPE_VALUES;
	/* a broken first line must not hide the lines after it, nor a torn end the elements */
	rest = SkipSpace(LineEnd(p, end), end, &line);
	if (rest < end && (rest == p || rest[-1] == '\n') && LineIsValue(rest, end, cancelled))
		return SHAPE_LINES;
	return *p == '[' ? SHAPE_ARRAY : SHAPE_VALUE;
}

/* False when it was told to stop. */
bool
document_split(Splitter *splitter, const char *data, size_t len, CancelledFn cancelled)
{
	memset(splitter, 0, sizeof(*splitter));
	splitter->next = data;
	splitter->end = data + len;
	splitter->line = 1;
	splitter->cancelled = cancelled;
	if (len >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0)
		splitter->next += 3;
	splitter->next = SkipSpace(splitter->next, splitter->end, &splitter->line);
	splitter->shape = FindShape(splitter->next, splitter->end, cancelled);
	return !cancelled();
}

/* The end of a number, a word or a string among the elements of an array. */
static const char *
ScalarEnd(const char *p, const char *end)
{
	if (*p == '"') {
		for (p++; p < end && *p != '"'; p++)
			p += *p == '\\';
		return p < end ? p + 1 : end;
	}
	while (p < end && *p != ',' && *p != ']')
		p++;
	return p;
}

static const char *
SpanEnd(const Splitter *splitter, const char *p)
{
	const char *stop;

	if (splitter->shape == SHAPE_VALUE)
		return splitter->end;
	if (splitter->shape == SHAPE_LINES)
		return LineEnd(p, splitter->end);
	if (!Opens(*p))
		return splitter->shape == SHAPE_ARRAY ? ScalarEnd(p, splitter->end) : splitter->end;
	stop = ValueEnd(p, splitter->end, splitter->cancelled);
	return stop ? stop : splitter->end;
}

/* Steps over what parts the elements of an array; false at its end. */
static bool
NextElement(Splitter *splitter)
{
	if (!splitter->entered) {
		splitter->entered = true;
		splitter->next++;
	}
	splitter->next = SkipSpace(splitter->next, splitter->end, &splitter->line);
	if (splitter->next < splitter->end && *splitter->next == ',')
		splitter->next = SkipSpace(splitter->next + 1, splitter->end, &splitter->line);
	splitter->unclosed = splitter->next == splitter->end;
	return !splitter->unclosed && *splitter->next != ']';
}

bool
document_next(Splitter *splitter, Span *span)
{
	const char *stop;

	splitter->next = SkipSpace(splitter->next, splitter->end, &splitter->line);
	if (splitter->shape == SHAPE_ARRAY && !NextElement(splitter))
		return false;
	if (splitter->next == splitter->end)
		return false;
	stop = SpanEnd(splitter, splitter->next);
	/* a comma where a value should be must not stop the walk */
	if (stop == splitter->next)
		stop++;
	span->data = splitter->next;
	span->len = stop - splitter->next;
	span->line = splitter->line;
	for (const char *p = span->data; (p = memchr(p, '\n', stop - p)) != NULL; p++)
		splitter->line++;
	splitter->next = stop;
	return true;
}

typedef struct Feed {
	const char *next;
	size_t left;
	CancelledFn cancelled;
	size_t since_poll;
	bool stopped;
} Feed;

static size_t
FeedParser(void *buffer, size_t size, void *state)
{
	Feed *feed = state;
	size_t n = feed->left < size ? feed->left : size;

	feed->since_poll += n;
	if (feed->since_poll >= POLL_BYTES) {
		feed->since_poll = 0;
		if (feed->cancelled()) {
			feed->stopped = true;
			return (size_t) -1;
		}
	}
	memcpy(buffer, feed->next, n);
	feed->next += n;
	feed->left -= n;
	return n;
}

/* jansson cuts its message by bytes, so what is no ASCII may be half a character. */
static void
SetProblem(Parsed *parsed, const char *text, size_t line)
{
	char *p;

	snprintf(parsed->problem, sizeof(parsed->problem), "%s", text);
	for (p = parsed->problem; *p; p++)
		if ((unsigned char) *p >= 0x80 || (unsigned char) *p < ' ')
			*p = '?';
	parsed->line = line;
}

ParseResult
document_parse(Parsed *parsed, Span span, bool valid_utf8, CancelledFn cancelled)
{
	Feed feed = {span.data, span.len, cancelled, 0, false};
	json_error_t error;
	const char *mended;
	ParseResult result;

	memset(parsed, 0, sizeof(*parsed));
	result = mend(parsed, span, valid_utf8, cancelled, &mended, &feed.left);
	if (result != PARSE_OK)
		return result;
	feed.next = mended;
	if (feed.left <= UNPOLLED_BYTES)
		parsed->root = json_loadb(mended, feed.left, JSON_DECODE_ANY, &error);
	else
		parsed->root = json_load_callback(FeedParser, &feed, JSON_DECODE_ANY, &error);
	free(parsed->mended);
	parsed->mended = NULL;
	if (parsed->root)
		return PARSE_OK;
	if (feed.stopped)
		return PARSE_CANCELLED;
	if (json_error_code(&error) == json_error_out_of_memory)
		return PARSE_NO_MEMORY;
	SetProblem(parsed, error.text, span.line + (error.line > 0 ? error.line - 1 : 0));
	return PARSE_BAD;
}

void
document_free(Parsed *parsed)
{
	json_decref(parsed->root);
	free(parsed->mended);
	free(parsed->groups);
	memset(parsed, 0, sizeof(*parsed));
}
