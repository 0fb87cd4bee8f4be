/*
 * Splitting, and parsing by jansson. mend.c does the bytes.
 */
#include <stdio.h>
#include <string.h>

#include "import/document.h"
#include "import/mend.h"
#include "import/plain.h"

#define POLL_BYTES	 65536
#define COPIED_BYTES (1024 * 1024)

/* memcpy, in pieces: into fresh memory it takes its time. */
void
copy_polled(const ImportHost *host, void *to, const void *from, size_t len)
{
	for (size_t done = 0; done < len; done += COPIED_BYTES) {
		size_t piece = len - done < COPIED_BYTES ? len - done : COPIED_BYTES;

		if (done)
			host->poll();
		memcpy((char *) to + done, (const char *) from + done, piece);
	}
}

/* The byte at which to ask again. */
static const char *
Poll(const ImportHost *host, const char *p, const char *end)
{
	host->poll();
	return end - p > POLL_BYTES ? p + POLL_BYTES : end;
}

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
ValueEnd(const char *p, const char *end, const ImportHost *host)
{
	const char *poll = p;
	int64_t depth = 0;
	bool in_string = false;

	for (; p < end; p++) {
		if (p >= poll)
			poll = Poll(host, p, end);
		if (in_string)
			p = skip_plain(p, poll);
		if (p == end)
			return NULL;
		if (*p == '"')
			in_string = !in_string;
		else if (in_string)
			p += *p == '\\' && end - p > 1;
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
SkipSpace(const char *p, const char *end, size_t *line, const ImportHost *host)
{
	const char *poll = p;

	for (; p < end && IsSpace(*p); p++) {
		if (*p == '\n')
			(*line)++;
		if (p >= poll)
			poll = Poll(host, p, end);
	}
	return p;
}

/* Is the line at p one whole object or array? */
static bool
LineIsValue(const char *p, const char *end, const ImportHost *host)
{
	const char *line_end = LineEnd(p, end);
	const char *value_end;
	size_t line = 0;

	if (!Opens(*p))
		return false;
	value_end = ValueEnd(p, line_end, host);
	return value_end && value_end > p + 2 &&
		   SkipSpace(value_end, line_end, &line, host) == line_end;
}

/* p is at a newline or the end */
static bool
AnyLineIsValue(const char *p, const char *end, const ImportHost *host)
{
	while (end - p > 1) {
		host->poll();
		if (Opens(*++p) && LineIsValue(p, end, host))
			return true;
		p = LineEnd(p, end);
	}
	return false;
}

static Shape
FindShape(const char *p, const char *end, const ImportHost *host)
{
	const char *value_end;
	size_t line = 0;

	if (p == end)
		return SHAPE_EMPTY;
	value_end = Opens(*p) ? ValueEnd(p, end, host) : NULL;
	if (value_end && SkipSpace(value_end, end, &line, host) == end)
		return *p == '[' ? SHAPE_ARRAY : SHAPE_VALUE;
	if (LineIsValue(p, end, host))
		return SHAPE_LINES;
	if (value_end)
		return SHAPE_VALUES;
	/* broken lines must not hide whole ones, nor a torn end the elements before it */
	if (AnyLineIsValue(LineEnd(p, end), end, host))
		return SHAPE_LINES;
	return *p == '[' ? SHAPE_ARRAY : SHAPE_VALUE;
}

void
document_split(Splitter *splitter, const ImportHost *host, const char *data, size_t len)
{
	memset(splitter, 0, sizeof(*splitter));
	splitter->next = data;
	splitter->end = data + len;
	splitter->line = 1;
	splitter->host = host;
	if (len >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0)
		splitter->next += 3;
	splitter->next = SkipSpace(splitter->next, splitter->end, &splitter->line, host);
	splitter->shape = FindShape(splitter->next, splitter->end, host);
}

/* The end of a number, a word or a string among the elements of an array. */
static const char *
ScalarEnd(const char *p, const char *end, const ImportHost *host)
{
	const char *poll = p;
	bool in_string = *p == '"';

	for (p += in_string; p < end; p++) {
		if (p >= poll)
			poll = Poll(host, p, end);
		if (in_string && *p == '"')
			return p + 1;
		if (in_string)
			p += *p == '\\' && end - p > 1;
		else if (*p == ',' || *p == ']')
			return p;
	}
	return end;
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
		return splitter->shape == SHAPE_ARRAY ? ScalarEnd(p, splitter->end, splitter->host)
											  : splitter->end;
	stop = ValueEnd(p, splitter->end, splitter->host);
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
	splitter->next = SkipSpace(splitter->next, splitter->end, &splitter->line, splitter->host);
	if (splitter->next < splitter->end && *splitter->next == ',')
		splitter->next =
			SkipSpace(splitter->next + 1, splitter->end, &splitter->line, splitter->host);
	splitter->unclosed = splitter->next == splitter->end;
	return !splitter->unclosed && *splitter->next != ']';
}

bool
document_next(Splitter *splitter, Span *span)
{
	const char *stop;

	splitter->next = SkipSpace(splitter->next, splitter->end, &splitter->line, splitter->host);
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
		if (++splitter->line % 4096 == 0)
			splitter->host->poll();
	splitter->next = stop;
	return true;
}

typedef struct Feed {
	const char *next;
	size_t left;
	size_t since_poll;
	const ImportHost *host;
} Feed;

static size_t
FeedParser(void *buffer, size_t size, void *state)
{
	Feed *feed = state;
	size_t n = feed->left < size ? feed->left : size;

	feed->since_poll += n;
	if (feed->since_poll >= POLL_BYTES) {
		feed->since_poll = 0;
		feed->host->poll();
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

bool
document_parse(Parsed *parsed, const ImportHost *host, Span span)
{
	Feed feed = {.host = host};
	Arena before;
	Span text;
	json_error_t error;

	parsed->arena.host = host;
	arena_use(&parsed->arena);
	before = parsed->arena;
	parsed->root = plain_parse(parsed, host, span);
	if (parsed->root)
		return true;
	arena_rewind(&parsed->arena, before);
	if (!mend(parsed, host, span, &text))
		return false;
	feed.next = text.data;
	feed.left = text.len;
	parsed->root = json_load_callback(FeedParser, &feed, JSON_DECODE_ANY, &error);
	if (!parsed->root)
		SetProblem(parsed, error.text, span.line + (error.line > 0 ? error.line - 1 : 0));
	return parsed->root != NULL;
}

void
document_free(Parsed *parsed)
{
	Arena arena = parsed->arena;

	arena_reset(&arena);
	memset(parsed, 0, sizeof(*parsed));
	parsed->arena = arena;
}
