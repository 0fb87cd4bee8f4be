/*
 * NeMo-Gym: a request and a response of the Responses API, whose output holds the
 * whole rollout as items.
 */
#include "import/formats.h"

#define NAME "nemo-gym"

static const char *const prefixes[] = {"Error", "{\"output\":\"Error", "{\"output\": \"Error",
									   "{\"error\"", NULL};

bool
nemo_detect(const json_t *value)
{
	return json_object_get(value, "responses_create_params") && json_object_get(value, "response");
}

typedef enum ItemKind { ITEM_OTHER, ITEM_REASONING, ITEM_MESSAGE, ITEM_CALL, ITEM_RESULT } ItemKind;

static ItemKind
KindOf(const json_t *item)
{
	TextView type = text_of(json_object_get(item, "type"));

	if (view_is(type, "reasoning"))
		return ITEM_REASONING;
	if (view_is(type, "function_call"))
		return ITEM_CALL;
	if (view_is(type, "function_call_output"))
		return ITEM_RESULT;
	return has_string(item, "role", "assistant") ? ITEM_MESSAGE : ITEM_OTHER;
}

/*
 * A generation is reasoning, then a message, then calls, each of them optional. An
 * item that cannot follow the last one in that order begins another, and so does
 * whatever follows a result, or an item with the generation's tokens (its last).
 */
typedef struct Generation {
	ItemKind last;
	bool open;
	Join action;
	TextView reasoning;
	bool calls;
} Generation;

static void
Close(Rollout *r, Generation *g)
{
	StepDraft *step = g->open ? &r->draft.steps[r->draft.nsteps - 1] : NULL;

	if (!step)
		return;
	step->action = joined(&g->action);
	if (!step->action.len && g->reasoning.data)
		step->action = g->reasoning;
	if (!step->action.data)
		step->action = view("");
	step->error = g->calls ? TRUTH_UNKNOWN : TRUTH_FALSE;
	g->open = false;
}

static void
Open(Rollout *r, Generation *g)
{
	rollout_turn(r);
	g->open = true;
	g->calls = false;
	g->reasoning = view(NULL);
	g->action = (Join){.text = {.host = r->importer->host}};
}

static void
ReadTokens(Rollout *r, const json_t *item, Generation *g)
{
	const json_t *ids = json_object_get(item, "generation_token_ids");
	StepDraft *step = &r->draft.steps[r->draft.nsteps - 1];

	if (!json_is_array(ids))
		return;
	step->tokens = json_array_size(ids);
	step->has |= STEP_TOKENS;
	step_logprobs(r, step, json_object_get(item, "generation_log_probs"));
	Close(r, g);
}

static void
ImportGenerated(Rollout *r, const json_t *item, ItemKind kind, Generation *g)
{
	bool follows = g->open && (kind > g->last || (kind == ITEM_CALL && g->last == ITEM_CALL) ||
							   (kind == ITEM_REASONING && g->last == ITEM_REASONING));
	Text call = {.host = r->importer->host};
	TextView text;

	if (!follows) {
		Close(r, g);
		Open(r, g);
	}
	g->last = kind;
	if (kind == ITEM_REASONING) {
		text = content_of(r, json_object_get(item, "summary"));
		g->reasoning = text.data ? text : content_of(r, json_object_get(item, "content"));
	} else if (kind == ITEM_MESSAGE)
		join(&g->action, content_of(r, json_object_get(item, "content")));
	else {
		append_call(&call, text_of(json_object_get(item, "name")),
					json_object_get(item, "arguments"));
		text.data = call.data;
		text.len = call.len;
		join(&g->action, text);
		g->calls = true;
	}
	ReadTokens(r, item, g);
}

static void
ImportResult(Rollout *r, const json_t *item)
{
	TextView text = content_of(r, json_object_get(item, "output"));
	long code;

	rollout_observe(r, text);
	if (return_code(text, &code))
		judge_code(r, code);
	else
		judge_text(r, text, prefixes);
}

static void
ImportItems(Rollout *r, const json_t *items)
{
	size_t count = json_array_size(items);
	Generation g = {ITEM_OTHER, false};

	for (size_t i = 0; i < count; i++) {
		const json_t *item = element(r->importer, items, i);
		ItemKind kind = KindOf(item);

		if (kind == ITEM_REASONING || kind == ITEM_MESSAGE || kind == ITEM_CALL) {
			ImportGenerated(r, item, kind, &g);
			continue;
		}
		Close(r, &g);
		if (kind == ITEM_RESULT)
			ImportResult(r, item);
		else
			rollout_observe(r, content_of(r, json_object_get(item, "content")));
	}
	Close(r, &g);
}

static void
ImportPrompt(Rollout *r, const json_t *input)
{
	size_t count = json_array_size(input);

	if (json_is_string(input))
		rollout_prompt(r, text_of(input));
	for (size_t i = 0; i < count; i++)
		rollout_prompt(r,
					   content_of(r, json_object_get(element(r->importer, input, i), "content")));
}

static void
SetStatus(Rollout *r, const json_t *value)
{
	const json_t *response = json_object_get(value, "response");
	TextView incomplete = text_of(at(response, "incomplete_details.reason"));

	if (json_is_object(json_object_get(response, "error")))
		rollout_status(r, STATUS_INFRA_ERROR, text_of(at(response, "error.code")));
	else if (json_is_true(json_object_get(value, "truncated")))
		rollout_status(r, STATUS_TRUNCATED, view("truncated"));
	else if (incomplete.data)
		rollout_status(r, STATUS_TRUNCATED, incomplete);
	else if (json_is_true(json_object_get(value, "terminated")))
		rollout_status(r, STATUS_COMPLETED, view("terminated"));
}

void
nemo_import(Importer *importer, const json_t *value)
{
	static const char *const keys[] = {"response.model",
									   "response.id",

									   "instance_id",
									   "competition_id",
									   "problem_id",
									   "subtask",
									   "response.usage.input_tokens",
									   "response.usage.output_tokens",
									   "responses_create_params.temperature",
									   "responses_create_params.max_output_tokens",
									   NULL};
	const json_t *output = at(value, "response.output");
	const json_t *simulation = json_object_get(value, "result");
	Rollout *r;

	/* the tau2 agent keeps the whole conversation; its output is only the end of it */
	if (json_is_array(json_object_get(simulation, "messages"))) {
		tau2_simulation(importer, simulation, NULL, NAME, value);
		return;
	}
	r = rollout_begin(importer, NAME);
	rollout_task(r, json_object_get(value, "_ng_task_index"));
	rollout_task(r, json_object_get(value, "instance_id"));
	rollout_attempt(r, json_object_get(value, "_ng_rollout_index"));
	rollout_reward(r, json_object_get(value, "reward"));
	r->verdict = as_truth(r, at(value, "info.success"), "success");
	meta_json(r, "agent", at(value, "agent_ref.name"));
	meta_copy(r, value, keys);
	r->no_steps = !json_is_array(output);
	ImportPrompt(r, at(value, "responses_create_params.input"));
	ImportItems(r, output);
	SetStatus(r, value);
	rollout_finish(r);
}
