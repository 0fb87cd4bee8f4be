/*
 * What training frameworks dump: verifiers and verl.
 */
#include <string.h>

#include "import/formats.h"

static const ChatRules rules = {.error_prefixes = error_word};

bool
verifiers_detect(const json_t *value)
{
	const json_t *first = json_array_get(json_object_get(value, "samples"), 0);

	return json_object_get(value, "completion") || json_object_get(value, "example_id") ||
		   json_object_get(first, "completion");
}

/* A list of messages, JSON of one in a string, or plain text. */
static const json_t *
Messages(Rollout *r, const json_t *value)
{
	TextView text = text_of(value);

	if (!view_starts(text, "[{"))
		return value;
	value = importer_parse_inner(r, value);
	if (!value)
		rollout_warn(r, "messages in a string are no valid JSON");
	return value;
}

static void
ImportPrompt(Rollout *r, const json_t *prompt)
{
	const json_t *messages = Messages(r, prompt);
	size_t count = json_array_size(messages);

	if (json_is_string(messages))
		rollout_prompt(r, text_of(messages));
	for (size_t i = 0; i < count; i++)
		rollout_prompt(
			r, content_of(r, json_object_get(element(r->importer, messages, i), "content")));
}

static void
ImportCompletion(Rollout *r, const json_t *completion)
{
	const json_t *messages = Messages(r, completion);
	StepDraft *step;

	if (json_is_array(messages)) {
		chat_import(r, messages, &rules);
		return;
	}
	if (!json_is_string(messages)) {
		r->no_steps = true;
		return;
	}
	step = rollout_turn(r);
	step->action = text_of(messages);
	step->error = TRUTH_FALSE;
}

static void
ImportSample(Importer *importer, const json_t *sample)
{
	static const char *const keys[] = {"env_name",
									   "env_id",
									   "run_id",
									   "step",
									   "task",
									   "tag",
									   "advantage",
									   "created_at",
									   "id",
									   "num_input_tokens",
									   "num_output_tokens",
									   "trajectory_id",
									   "token_usage",
									   NULL};
	Rollout *r = rollout_begin(importer, "verifiers");
	const json_t *metrics = json_object_get(sample, "metrics");

	rollout_task(r, json_object_get(sample, "example_id"));
	rollout_task(r, json_object_get(sample, "problem_id"));
	rollout_task(r, json_object_get(sample, "task_id"));
	rollout_attempt(r, json_object_get(sample, "sample_id"));
	rollout_attempt(r, json_object_get(sample, "rollout_id"));
	rollout_reward(r, json_object_get(sample, "reward"));
	meta_copy(r, sample, keys);
	if (json_is_string(metrics))
		metrics = importer_parse_inner(r, metrics);
	meta_json(r, "metrics", metrics);
	ImportPrompt(r, json_object_get(sample, "prompt"));
	ImportCompletion(r, json_object_get(sample, "completion"));
	if (json_is_object(json_object_get(sample, "error")) ||
		(json_is_string(json_object_get(sample, "error")) &&
		 json_string_length(json_object_get(sample, "error"))))
		rollout_status(r, STATUS_INFRA_ERROR, view("error"));
	else if (json_is_true(json_object_get(sample, "is_truncated")))
		rollout_status(r, STATUS_TRUNCATED, text_of(json_object_get(sample, "stop_condition")));
	else if (json_is_true(json_object_get(sample, "is_completed")))
		rollout_status(r, STATUS_COMPLETED, text_of(json_object_get(sample, "stop_condition")));
	rollout_finish(r);
}

void
verifiers_import(Importer *importer, const json_t *value)
{
	const json_t *samples = json_object_get(value, "samples");
	size_t count = json_array_size(samples);

	if (!json_is_array(samples)) {
		ImportSample(importer, value);
		return;
	}
	importer_container(importer, value, "samples");
	for (size_t i = 0; i < count; i++) {
		importer->element = i;
		ImportSample(importer, element(importer, samples, i));
	}
	if (count == 0)
		rollout_fail(importer, "verifiers", "the file holds no samples");
}

bool
verl_detect(const json_t *value)
{
	return json_object_get(value, "input") && json_object_get(value, "output") &&
		   json_object_get(value, "score");
}

/* Where the next occurrence of mark begins, or the end. */
static const char *
Find(const char *p, const char *end, const char *mark)
{
	TextView rest = {p, end - p};
	const char *found = view_find(rest, mark);

	return found ? found : end;
}

static void
AddTurn(Rollout *r, const char *from, const char *to)
{
	StepDraft *step = rollout_turn(r);

	step->action.data = from;
	step->action.len = to - from;
}

/*
 * The output is one text. A chat template's own marks part it into turns; without
 * them (they are commonly decoded away) it is one turn.
 */
static void
ImportOutput(Rollout *r, TextView output)
{
	static const char start[] = "<|im_start|>assistant\n", stop[] = "<|im_end|>";
	const char *p = output.data, *end = output.data + output.len;

	for (;; p += sizeof(start) - 1) {
		const char *next = Find(p, end, start);
		const char *turn_end = Find(p, next, stop);
		TextView between;

		AddTurn(r, p, turn_end);
		between.data = turn_end;
		between.len = next - turn_end;
		if (next < end)
			rollout_observe(r, between);
		p = next;
		if (next == end)
			return;
	}
}

void
verl_import(Importer *importer, const json_t *value)
{
	static const char *const keys[] = {"step",			"gts",		  "data_source",
									   "uid",			"request_id", "num_turns",
									   "__num_turns__", "index",	  NULL};
	TextView output = text_of(json_object_get(value, "output"));
	Rollout *r = rollout_begin(importer, "verl");
	const json_t *turns = json_object_get(value, "num_turns");

	if (!turns)
		turns = json_object_get(value, "__num_turns__");
	rollout_task(r, json_object_get(value, "uid"));
	rollout_task(r, json_object_get(value, "index"));
	rollout_reward(r, json_object_get(value, "score"));
	r->verdict = as_truth(r, json_object_get(value, "acc"), "acc");
	meta_copy(r, value, keys);
	rollout_prompt(r, text_of(json_object_get(value, "input")));
	r->no_steps = !output.data;
	if (output.data)
		ImportOutput(r, output);
	if (json_is_integer(turns) && json_integer_value(turns) > 2 && r->draft.nsteps == 1)
		rollout_warn(r, "the dump counts several turns but its text does not part them");
	rollout_finish(r);
}
