/*
 * BFCL, multi-turn: a result file, and as the outcome its score file, which lists
 * the failures alone.
 */
#include <stdio.h>
#include <string.h>

#include "import/formats.h"

#define NAME "bfcl"

static const char *const prefixes[] = {"Error", "{\"error\"", NULL};

bool
bfcl_detect(const json_t *value)
{
	return json_object_get(value, "id") && json_object_get(value, "result") &&
		   (json_object_get(value, "inference_log") || json_object_get(value, "latency") ||
			json_object_get(value, "input_token_count"));
}

/* The outcome's rows by id, made once. */
static json_t *
ScoreIndex(Importer *importer)
{
	const json_t *rows = importer->outcome.root;
	size_t count;

	if (importer->outcome_index || !rows)
		return importer->outcome_index;
	if (json_array_size(rows) == 1 && json_is_array(json_array_get(rows, 0)))
		rows = json_array_get(rows, 0);
	arena_use(&importer->outcome.arena);
	importer->outcome_index = json_object();
	count = json_array_size(rows);
	for (size_t i = 0; i < count; i++) {
		json_t *row = element(importer, rows, i);
		const json_t *id = json_object_get(row, "id");

		if (json_is_string(id))
			json_object_set(importer->outcome_index, json_string_value(id), row);
	}
	return importer->outcome_index;
}

/* A step of the model: its text, or a list of {function: arguments}. */
static TextView
StepAction(Rollout *r, const json_t *response)
{
	Text text = {.host = r->importer->host};
	size_t count = json_array_size(response);
	const char *name;
	json_t *arguments;
	TextView result;

	if (!json_is_array(response))
		return as_text(r, response);
	for (size_t i = 0; i < count; i++) {
		const json_t *call = element(r->importer, response, i);

		if (json_is_string(call))
			append_call(&text, text_of(call), NULL);
		json_object_foreach((json_t *) call, name, arguments)
			append_call(&text, view(name), arguments);
	}
	result.data = text.data ? text.data : "";
	result.len = text.len;
	return result;
}

/* The execution results of one step, out of the log of its turn. */
static void
ImportLog(Rollout *r, const json_t *log)
{
	size_t count = json_array_size(log);

	for (size_t i = 0; i < count; i++) {
		const json_t *entry = element(r->importer, log, i);
		const json_t *content = json_object_get(entry, "content");
		size_t results = json_is_array(content) ? json_array_size(content) : 1;

		if (!has_string(entry, "role", "tool"))
			continue;
		for (size_t j = 0; j < results; j++) {
			TextView text =
				as_text(r, json_is_array(content) ? element(r->importer, content, j) : content);

			rollout_observe(r, text);
			judge_text(r, text, prefixes);
		}
	}
}

/* The log of the next question, from *place on; entries about the state lie between them. */
static const json_t *
NextLog(Rollout *r, const json_t *log, size_t *place)
{
	size_t count = json_array_size(log);

	while (*place < count) {
		const json_t *entry = element(r->importer, log, (*place)++);

		if (json_object_get(entry, "begin_of_turn_query"))
			return entry;
	}
	return NULL;
}

static void
ImportQuery(Rollout *r, const json_t *query)
{
	size_t count = json_array_size(query);

	for (size_t i = 0; i < count; i++)
		rollout_observe(r,
						content_of(r, json_object_get(element(r->importer, query, i), "content")));
}

static void
ImportQuestion(Rollout *r, const json_t *steps, const json_t *tokens, const json_t *log)
{
	size_t count = json_array_size(steps);
	char key[32];

	ImportQuery(r, json_object_get(log, "begin_of_turn_query"));
	for (size_t i = 0; i < count; i++) {
		const json_t *response = element(r->importer, steps, i);
		StepDraft *step = rollout_turn(r);

		step->action = StepAction(r, response);
		step->error = json_array_size(response) ? TRUTH_UNKNOWN : TRUTH_FALSE;
		step_tokens(r, step, element(r->importer, tokens, i));
		snprintf(key, sizeof(key), "step_%zu", i);
		ImportLog(r, json_object_get(log, key));
	}
}

static void
ImportQuestions(Rollout *r, const json_t *value)
{
	const json_t *result = json_object_get(value, "result");
	const json_t *tokens = json_object_get(value, "output_token_count");
	const json_t *log = json_object_get(value, "inference_log");
	size_t count = json_array_size(result), place = 0;

	for (size_t i = 0; i < count; i++)
		ImportQuestion(r, element(r->importer, result, i), json_array_get(tokens, i),
					   NextLog(r, log, &place));
}

static void
SetOutcome(Rollout *r, const json_t *value)
{
	json_t *index = ScoreIndex(r->importer);
	const char *id;
	const json_t *row;
	TextView kind;

	if (!index)
		return;
	id = json_string_value(json_object_get(value, "id"));
	row = id ? json_object_get(index, id) : NULL;
	r->verdict = row && !json_is_true(json_object_get(row, "valid")) ? TRUTH_FALSE : TRUTH_TRUE;
	r->draft.reward = r->verdict == TRUTH_TRUE;
	r->draft.has |= ROLLOUT_REWARD;
	kind = text_of(at(row, "error.error_type"));
	meta_text(r, "error_type", kind);
	if (view_has(kind, "force_terminated"))
		rollout_status(r, STATUS_TRUNCATED, kind);
	else
		rollout_status(r, STATUS_COMPLETED, kind);
}

void
bfcl_import(Importer *importer, const json_t *value)
{
	static const char *const keys[] = {"model_name", "test_category", NULL};
	const json_t *result = json_object_get(value, "result");
	Rollout *r = rollout_begin(importer, NAME);

	rollout_task(r, json_object_get(value, "id"));
	meta_copy(r, value, keys);
	r->no_steps = !json_is_array(result) || !json_is_array(json_array_get(result, 0));
	if (!r->no_steps)
		ImportQuestions(r, value);
	if (has_string(value, "result", "Error during inference"))
		rollout_status(r, STATUS_INFRA_ERROR, view("inference_error"));
	else
		SetOutcome(r, value);
	if (!importer->outcome.root)
		rollout_warn(r, "success is in the score file: give it as the outcome");
	rollout_finish(r);
}
