/*
 * Reading foreign JSON with tolerance: numbers and truths in strings are taken,
 * and each such mend warns on its rollout.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/importer.h"

#define MAX_NUMBER 64 /* bytes of a number in a string */

json_t *
at(const json_t *object, const char *path)
{
	json_t *value = (json_t *) object;

	while (value && *path) {
		size_t len = strcspn(path, ".");
		char key[64];

		if (len >= sizeof(key))
			return NULL;
		memcpy(key, path, len);
		key[len] = '\0';
		value = json_object_get(value, key);
		path += len + (path[len] == '.');
	}
	return value;
}

TextView
text_of(const json_t *value)
{
	TextView result = {json_string_value(value), json_string_length(value)};

	return result;
}

TextView
as_text(Rollout *r, const json_t *value)
{
	Text text = {.host = r->importer->host};
	TextView result = {NULL, 0};

	if (!value || json_is_null(value))
		return result;
	if (json_is_string(value))
		return text_of(value);
	text_json(&text, value);
	result.data = text.data;
	result.len = text.len;
	return result;
}

bool
has_string(const json_t *object, const char *key, const char *prefix)
{
	return view_starts(text_of(json_object_get(object, key)), prefix);
}

/* A part of a message's content: its text, or a mark of what is no text. */
static TextView
PartText(Rollout *r, const json_t *part)
{
	static const char *const keys[] = {"text", "content", "reasoning", "refusal"};
	TextView type = text_of(json_object_get(part, "type"));
	Text mark = {.host = r->importer->host};
	TextView result;

	if (!json_is_object(part))
		return as_text(r, part);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		result = text_of(json_object_get(part, keys[i]));
		if (result.data)
			return result;
	}
	if (!type.data)
		return as_text(r, part);
	text_append(&mark, "[", 1);
	text_append(&mark, type.data, type.len);
	text_append(&mark, "]", 1);
	result.data = mark.data;
	result.len = mark.len;
	return result;
}

/* The content of a message: a string, or parts joined by newlines. */
TextView
content_of(Rollout *r, const json_t *content)
{
	Join parts = {.text = {.host = r->importer->host}};
	size_t count = json_array_size(content);

	if (!json_is_array(content))
		return as_text(r, content);
	for (size_t i = 0; i < count; i++)
		join(&parts, PartText(r, element(r->importer, content, i)));
	return joined(&parts);
}

static bool
ParseNumber(TextView text, double *number)
{
	char digits[MAX_NUMBER];
	char *end;

	if (text.len == 0 || text.len >= MAX_NUMBER)
		return false;
	memcpy(digits, text.data, text.len);
	digits[text.len] = '\0';
	*number = strtod(digits, &end);
	return *end == '\0';
}

bool
as_number(Rollout *r, const json_t *value, const char *what, double *number)
{
	if (!value || json_is_null(value))
		return false;
	if (json_is_number(value)) {
		*number = json_number_value(value);
		return true;
	}
	if (json_is_boolean(value)) {
		*number = json_is_true(value);
		return true;
	}
	if (!json_is_string(value) || !ParseNumber(text_of(value), number)) {
		rollout_warn(r, "%s is no number", what);
		return false;
	}
	if (!isfinite(*number)) {
		rollout_warn(r, "%s in a string is not finite, read as null", what);
		return false;
	}
	rollout_warn(r, "%s read from a string", what);
	return true;
}

bool
as_int(Rollout *r, const json_t *value, const char *what, int64_t *number)
{
	double real;

	if (json_is_integer(value)) {
		*number = json_integer_value(value);
		return true;
	}
	if (!as_number(r, value, what, &real))
		return false;
	if (real != floor(real) || fabs(real) > 9007199254740992.0) {
		rollout_warn(r, "%s is no integer", what);
		return false;
	}
	*number = (int64_t) real;
	return true;
}

Truth
as_truth(Rollout *r, const json_t *value, const char *what)
{
	TextView text = text_of(value);

	if (!value || json_is_null(value))
		return TRUTH_UNKNOWN;
	if (json_is_boolean(value))
		return json_is_true(value) ? TRUTH_TRUE : TRUTH_FALSE;
	if (json_is_number(value))
		return json_number_value(value) != 0 ? TRUTH_TRUE : TRUTH_FALSE;
	if (text.len == 4 && strncasecmp(text.data, "true", 4) == 0) {
		rollout_warn(r, "%s read from a string", what);
		return TRUTH_TRUE;
	}
	if (text.len == 5 && strncasecmp(text.data, "false", 5) == 0) {
		rollout_warn(r, "%s read from a string", what);
		return TRUTH_FALSE;
	}
	rollout_warn(r, "%s is neither true nor false", what);
	return TRUTH_UNKNOWN;
}

void
step_reward(Rollout *r, StepDraft *step, const json_t *value)
{
	if (as_number(r, value, "a step's reward", &step->reward))
		step->has |= STEP_REWARD;
}

void
step_tokens(Rollout *r, StepDraft *step, const json_t *value)
{
	if (!as_int(r, value, "a count of tokens", &step->tokens))
		return;
	if (step->tokens < 0) {
		rollout_warn(r, "a count of tokens is negative");
		return;
	}
	step->has |= STEP_TOKENS;
}

/*
 * Adds up log-probabilities: numbers, or objects with a "logprob". One that is
 * missing makes the sum unknown.
 */
static void
AddLogprobs(Rollout *r, const json_t *list, const char *what, double *sum, bool *known)
{
	size_t count = json_array_size(list);
	double value;

	for (size_t i = 0; i < count; i++) {
		const json_t *item = element(r->importer, list, i);

		if (json_is_object(item))
			item = json_object_get(item, "logprob");
		if (json_is_number(item)) {
			*sum += json_number_value(item);
			continue;
		}
		if (item && !json_is_null(item) && as_number(r, item, what, &value)) {
			*sum += value;
			continue;
		}
		*known = false;
		rollout_warn(r, "turn %zu: %s missing for a token, so their sum is unknown",
					 r->draft.nsteps, what);
		return;
	}
}

void
step_logprobs(Rollout *r, StepDraft *step, const json_t *list)
{
	double sum = 0;
	bool known = true;

	if (json_is_object(list))
		list = json_object_get(list, "content");
	if (json_array_size(list) == 0)
		return;
	AddLogprobs(r, list, "a log-probability", &sum, &known);
	if (!known || !isfinite(sum))
		return;
	step->logprob = sum;
	step->has |= STEP_LOGPROB;
}

static void
MetaKey(Rollout *r, const char *key)
{
	if (r->meta.len)
		text_append(&r->meta, ",", 1);
	text_json_string(&r->meta, key, strlen(key));
	text_append(&r->meta, ":", 1);
}

void
meta_text(Rollout *r, const char *key, TextView value)
{
	if (!value.data)
		return;
	MetaKey(r, key);
	text_json_string(&r->meta, value.data, value.len);
}

/* Values of any size that the server's jsonb reads in a moment: it cannot be cancelled. */
void
meta_whole(Rollout *r, const char *key, const json_t *value)
{
	Text text = {.host = r->importer->host, .limit = MAX_META_SUM};

	if (r->meta.len < MAX_META_SUM)
		text_json(&text, value);
	if (r->meta.len + text.len >= MAX_META_SUM) {
		rollout_warn(r, "meta over 256 kB: \"%.60s\" is left out", key);
		return;
	}
	MetaKey(r, key);
	text_append(&r->meta, text.data, text.len);
}

/* Keeps what is small: meta is for joins and filters, not for transcripts. */
void
meta_json(Rollout *r, const char *key, const json_t *value)
{
	Text text = {.host = r->importer->host, .limit = MAX_META};

	if (!value || json_is_null(value) || json_array_size(value) > MAX_META ||
		json_object_size(value) > MAX_META || json_string_length(value) > MAX_META)
		return;
	text_json(&text, value);
	if (text.len > MAX_META)
		return;
	MetaKey(r, key);
	text_append(&r->meta, text.data, text.len);
}

/* paths ends with NULL; the last part of a path is the key in meta */
void
meta_copy(Rollout *r, const json_t *object, const char *const *paths)
{
	for (; *paths; paths++) {
		const char *dot = strrchr(*paths, '.');

		meta_json(r, dot ? dot + 1 : *paths, at(object, *paths));
	}
}
