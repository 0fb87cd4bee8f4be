/*
 * Growing text, and JSON written compactly.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/importer.h"

#define POLL_BYTES 65536

TextView
view(const char *string)
{
	TextView result = {string, string ? strlen(string) : 0};

	return result;
}

bool
view_is(TextView text, const char *string)
{
	return text.data && text.len == strlen(string) && memcmp(text.data, string, text.len) == 0;
}

bool
view_starts(TextView text, const char *prefix)
{
	size_t len = strlen(prefix);

	return text.data && text.len >= len && memcmp(text.data, prefix, len) == 0;
}

/* The first occurrence, NULL when there is none. */
const char *
view_find(TextView text, const char *needle)
{
	return text.data ? memmem(text.data, text.len, needle, strlen(needle)) : NULL;
}

bool
view_has(TextView text, const char *needle)
{
	return view_find(text, needle) != NULL;
}

void
text_append(Text *text, const char *data, size_t len)
{
	text->host->poll();
	if (len == 0)
		return;
	if (text->size - text->len < len) {
		size_t size = text->size * 2 + len + 64;
		char *grown = text->host->alloc(size);

		copy_polled(text->host, grown, text->data, text->len);
		text->data = grown;
		text->size = size;
	}
	copy_polled(text->host, text->data + text->len, data, len);
	text->len += len;
}

static void
AppendString(Text *text, const char *string)
{
	text_append(text, string, strlen(string));
}

static void
AppendEscape(Text *text, unsigned char c)
{
	static const char short_forms[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
									   ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};
	char escape[8] = {'\\', short_forms[c]};

	if (!short_forms[c])
		snprintf(escape, sizeof(escape), "\\u%04x", c);
	AppendString(text, escape);
}

void
text_json_string(Text *text, const char *data, size_t len)
{
	size_t from = 0;

	if (text->limit && len > text->limit)
		len = text->limit + 1;
	text_append(text, "\"", 1);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = data[i];

		if (i % POLL_BYTES == 0)
			text->host->poll();
		if (c >= ' ' && c != '"' && c != '\\')
			continue;
		text_append(text, data + from, i - from);
		AppendEscape(text, c);
		from = i + 1;
	}
	text_append(text, data + from, len - from);
	text_append(text, "\"", 1);
}

/* The shortest digits that read back as the same double. */
static void
AppendReal(Text *text, double value)
{
	char digits[40];

	for (int precision = 15; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	AppendString(text, digits);
}

static bool
IsFull(const Text *text)
{
	return text->limit && text->len > text->limit;
}

static void
AppendObject(Text *text, const json_t *object)
{
	const char *key;
	json_t *value;
	char separator = '{';

	json_object_foreach((json_t *) object, key, value)
	{
		if (IsFull(text))
			return;
		text_append(text, &separator, 1);
		text_json_string(text, key, strlen(key));
		text_append(text, ":", 1);
		text_json(text, value);
		separator = ',';
	}
	AppendString(text, separator == '{' ? "{}" : "}");
}

static void
AppendArray(Text *text, const json_t *array)
{
	size_t count = json_array_size(array);

	text_append(text, "[", 1);
	for (size_t i = 0; i < count && !IsFull(text); i++) {
		if (i)
			text_append(text, ",", 1);
		text_json(text, json_array_get(array, i));
	}
	text_append(text, "]", 1);
}

/* Recurses at most DOCUMENT_MAX_DEPTH deep: jansson read it. */
void
text_json(Text *text, const json_t *value)
{
	char digits[32];

	switch (json_typeof(value)) {
		case JSON_OBJECT:
			AppendObject(text, value);
			return;
		case JSON_ARRAY:
			AppendArray(text, value);
			return;
		case JSON_STRING:
			text_json_string(text, json_string_value(value), json_string_length(value));
			return;
		case JSON_INTEGER:
			snprintf(digits, sizeof(digits), "%lld", (long long) json_integer_value(value));
			AppendString(text, digits);
			return;
		case JSON_REAL:
			AppendReal(text, json_real_value(value));
			return;
		case JSON_TRUE:
			AppendString(text, "true");
			return;
		case JSON_FALSE:
			AppendString(text, "false");
			return;
		default:
			AppendString(text, "null");
	}
}

void
join(Join *join, TextView text)
{
	if (!text.data)
		return;
	if (join->count++ == 0) {
		join->only = text;
		return;
	}
	if (join->count == 2)
		text_append(&join->text, join->only.data, join->only.len);
	text_append(&join->text, "\n", 1);
	text_append(&join->text, text.data, text.len);
}

TextView
joined(const Join *join)
{
	TextView result = {join->text.data, join->text.len};

	return join->count > 1 ? result : join->only;
}
