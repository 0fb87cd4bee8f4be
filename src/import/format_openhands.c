/*
 * OpenHands: output.jsonl, one rollout per line, with an event history. Events lie
 * flat, or (older) in pairs of action and observation.
 */
#include <string.h>

#include "import/formats.h"

#define NAME "openhands"

/* the notebook tool tells no exit code */
static const char *const prefixes[] = {"Error",
									   "ERROR",
									   "Traceback (most recent call last)",
									   "[Your proposed edit has introduced new syntax error",
									   "[No exact match found",
									   NULL};

static const json_t *
FirstEvent(const json_t *value)
{
	const json_t *first = json_array_get(json_object_get(value, "history"), 0);

	return json_is_array(first) ? json_array_get(first, 0) : first;
}

bool
openhands_detect(const json_t *value)
{
	const json_t *first = FirstEvent(value);

	return json_object_get(first, "action") || json_object_get(first, "observation") ||
		   (json_is_array(json_object_get(value, "history")) &&
			(json_object_get(value, "test_result") || json_object_get(value, "git_patch")));
}

/* Actions by which the policy does nothing: bookkeeping of the runtime. */
static bool
IsBookkeeping(TextView action)
{
	static const char *const names[] = {"system",
										"recall",
										"change_agent_state",
										"initialize",
										"null",
										"condensation",
										"condensation_request",
										"start",
										"pause",
										"resume",
										"stop"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (view_is(action, names[i]))
			return true;
	return false;
}

/* Without a source, a message before the first action is the user's. */
static bool
IsPolicy(const Rollout *r, const json_t *event, TextView action)
{
	TextView source = text_of(json_object_get(event, "source"));

	if (IsBookkeeping(action) || json_is_true(at(event, "args.hidden")))
		return false;
	if (source.data)
		return view_is(source, "agent");
	return r->draft.nsteps > 0 || !view_is(action, "message");
}

static TextView
EventText(Rollout *r, const json_t *event)
{
	TextView text = content_of(r, json_object_get(event, "content"));

	if (!text.data)
		text = content_of(r, at(event, "args.content"));
	return text.data ? text : as_text(r, json_object_get(event, "message"));
}

/* The thought, then name(arguments) with what the action carries. */
static TextView
ActionText(Rollout *r, const json_t *event, TextView name)
{
	static const char *const bodies[] = {"command",			"code",	  "content", "path", "url",
										 "browser_actions", "outputs"};
	const json_t *args = json_object_get(event, "args");
	const json_t *holder = json_is_object(args) ? args : event;
	TextView thought = text_of(json_object_get(holder, "thought"));
	Text text = {.host = r->importer->host};
	TextView result;

	text_append(&text, thought.data, thought.len);
	if (json_is_object(args))
		append_call(&text, name, args);
	else
		for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
			const json_t *body = json_object_get(event, bodies[i]);

			if (!body)
				continue;
			append_call(&text, name, body);
			break;
		}
	result.data = text.data ? text.data : "";
	result.len = text.len;
	return result;
}

static void
JudgeEvent(Rollout *r, const json_t *event, TextView kind, TextView text)
{
	static const char *const codes[] = {"exit_code", "extras.exit_code",
										"extras.metadata.exit_code"};

	if (view_is(kind, "error")) {
		rollout_judge(r, true, view("error"));
		return;
	}
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (json_is_integer(at(event, codes[i]))) {
			judge_code(r, json_integer_value(at(event, codes[i])));
			return;
		}
	judge_text(r, text, prefixes);
}

/* Calls of one generation carry the id of its response and share a turn. */
typedef struct Generation {
	TextView id;
	Join actions;
} Generation;

static bool
SameGeneration(Generation *last, const json_t *event)
{
	TextView id = text_of(at(event, "tool_call_metadata.model_response.id"));
	bool same = id.len && last->id.len == id.len && memcmp(last->id.data, id.data, id.len) == 0;

	last->id = id;
	return same;
}

static void
AddAction(Rollout *r, const json_t *event, TextView action, Generation *generation)
{
	if (!SameGeneration(generation, event) || !r->draft.nsteps) {
		bool calls_nothing =
			view_is(action, "message") || view_is(action, "finish") || view_is(action, "think");

		rollout_turn(r)->error = calls_nothing ? TRUTH_FALSE : TRUTH_UNKNOWN;
		generation->actions = (Join){.text = {.host = r->importer->host}};
	}
	join(&generation->actions, ActionText(r, event, action));
	r->draft.steps[r->draft.nsteps - 1].action = joined(&generation->actions);
}

static void
ImportEvent(Rollout *r, const json_t *event, Generation *generation)
{
	TextView action = text_of(json_object_get(event, "action"));
	TextView kind = text_of(json_object_get(event, "observation"));

	if (kind.data) {
		TextView text = EventText(r, event);

		if (view_is(kind, "agent_state_changed") || view_is(kind, "null"))
			return;
		rollout_observe(r, text);
		if (!has_string(event, "source", "user"))
			JudgeEvent(r, event, kind, text);
		return;
	}
	if (action.data && IsPolicy(r, event, action))
		AddAction(r, event, action, generation);
	else if (action.data && !IsBookkeeping(action))
		rollout_observe(r, EventText(r, event));
}

static void
SetStatus(Rollout *r, const json_t *value)
{
	TextView error = text_of(json_object_get(value, "error"));

	if (!error.len)
		rollout_status(r, r->draft.nsteps ? STATUS_COMPLETED : STATUS_UNKNOWN, view(NULL));
	else if (view_has(error, "maximum iteration") || view_has(error, "budget"))
		rollout_status(r, STATUS_TRUNCATED, error);
	else if (view_has(error, "AgentStuckInLoop") || view_has(error, "Agent"))
		rollout_status(r, STATUS_AGENT_ERROR, error);
	else
		rollout_status(r, STATUS_INFRA_ERROR, error);
}

static void
ReadSuccess(Rollout *r, const json_t *value)
{
	static const char *const verdicts[] = {
		"test_result.report.resolved", "report.resolved",	 "resolved",
		"test_result.resolved",		   "test_result.result", "success"};

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		if (json_is_boolean(at(value, verdicts[i]))) {
			r->verdict = json_is_true(at(value, verdicts[i])) ? TRUTH_TRUE : TRUTH_FALSE;
			return;
		}
}

/* owner/repo#number */
static TextView
IssueName(Rollout *r, const json_t *issue)
{
	static const char *const keys[] = {"owner", "repo", "number"};
	static const char *const separators[] = {"", "/", "#"};
	Text text = {.host = r->importer->host};
	TextView name = {NULL, 0};

	for (int i = 0; i < 3; i++) {
		TextView part = as_text(r, json_object_get(issue, keys[i]));

		if (!part.data)
			return name;
		text_append(&text, separators[i], strlen(separators[i]));
		text_append(&text, part.data, part.len);
	}
	name.data = text.data;
	name.len = text.len;
	return name;
}

void
openhands_import(Importer *importer, const json_t *value)
{
	static const char *const keys[] = {"issue.owner",		   "issue.repo",
									   "issue_type",		   "metrics.accumulated_cost",
									   "metadata.agent_class", "metadata.llm_config.model",
									   "base_commit",		   NULL};
	const json_t *history = json_object_get(value, "history");
	size_t count = json_array_size(history);
	Generation generation = {.id = {NULL, 0}};
	Rollout *r = rollout_begin(importer, NAME);

	rollout_task(r, json_object_get(value, "instance_id"));
	if (!r->task_id.data)
		r->task_id = IssueName(r, json_object_get(value, "issue"));
	rollout_attempt(r, json_object_get(value, "attempt"));
	rollout_budget(r, at(value, "metadata.max_iterations"));
	meta_copy(r, value, keys);
	r->no_steps = !json_is_array(history);
	for (size_t i = 0; i < count; i++) {
		const json_t *item = element(r->importer, history, i);
		size_t pair = json_array_size(item);

		for (size_t j = 0; j < pair; j++)
			ImportEvent(r, element(r->importer, item, j), &generation);
		if (json_is_object(item))
			ImportEvent(r, item, &generation);
	}
	rollout_reward(r, json_object_get(value, "reward"));
	ReadSuccess(r, value);
	SetStatus(r, value);
	rollout_finish(r);
}
