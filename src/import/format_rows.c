/*
 * agentrl's own form, messages alone, rows of outcomes, and BFCL.
 */
#include <string.h>

#include "import/formats.h"

static const ChatRules rules = {.error_prefixes = error_word};

bool
openai_detect(const json_t *value)
{
	return is_messages(value) || is_messages(json_object_get(value, "messages"));
}

static void
ReadOutcome(Rollout *r, const json_t *value)
{
	static const char *const tasks[] = {"task_id", "example_id", "instance_id", "id"};
	static const char *const attempts[] = {"attempt_id", "attempt",	  "trial",
										   "rollout_id", "sample_id", "epoch"};
	TextView reason = text_of(json_object_get(value, "termination_reason"));

	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		rollout_task(r, json_object_get(value, tasks[i]));
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		rollout_attempt(r, json_object_get(value, attempts[i]));
	rollout_reward(r, json_object_get(value, "reward"));
	rollout_budget(r, json_object_get(value, "budget"));
	r->verdict = as_truth(r, json_object_get(value, "success"), "success");
	if (!reason.data)
		reason = text_of(json_object_get(value, "stop_reason"));
	if (view_has(reason, "infra"))
		rollout_status(r, STATUS_INFRA_ERROR, reason);
	else if (view_has(reason, "timeout") || view_has(reason, "max_") || view_has(reason, "limit") ||
			 view_is(reason, "length"))
		rollout_status(r, STATUS_TRUNCATED, reason);
	else if (view_has(reason, "error"))
		rollout_status(r, STATUS_AGENT_ERROR, reason);
	else if (reason.data)
		rollout_status(r, STATUS_COMPLETED, reason);
}

void
openai_import(Importer *importer, const json_t *value)
{
	static const char *const keys[] = {"model", "usage", "metadata", NULL};
	const json_t *messages = json_is_array(value) ? value : json_object_get(value, "messages");
	Rollout *r = rollout_begin(importer, "openai");

	if (json_is_object(value)) {
		ReadOutcome(r, value);
		meta_copy(r, value, keys);
	}
	r->no_steps = !json_is_array(messages);
	chat_import(r, messages, &rules);
	rollout_finish(r);
}

bool
rows_detect(const json_t *value)
{
	return json_object_get(value, "reward") || json_object_get(value, "success") ||
		   (json_object_get(value, "task_id") && json_object_get(value, "termination_reason"));
}

static void
ImportStep(Rollout *r, const json_t *item)
{
	StepDraft *step = rollout_turn(r);
	const json_t *error = json_object_get(item, "error");

	if (!json_is_object(item)) {
		rollout_warn(r, "turn %zu is no object", r->draft.nsteps);
		return;
	}
	step->action = as_text(r, json_object_get(item, "action"));
	if (!step->action.data && json_object_get(item, "content"))
		step->action = chat_action(r, item);
	rollout_observe(r, content_of(r, json_object_get(item, "observation")));
	step->error_kind = text_of(json_object_get(item, "error_kind"));
	step->state = as_text(r, json_object_get(item, "state"));
	step->error = as_truth(r, error, "a step's error");
	step_reward(r, step, json_object_get(item, "reward"));
	if (as_number(r, json_object_get(item, "value"), "a step's value", &step->value))
		step->has |= STEP_VALUE;
	step_tokens(r, step, json_object_get(item, "tokens"));
	if (!(step->has & STEP_TOKENS))
		step_tokens(r, step, json_object_get(item, "completion_tokens"));
	if (as_number(r, json_object_get(item, "logprob"), "a step's logprob", &step->logprob))
		step->has |= STEP_LOGPROB;
	else
		step_logprobs(r, step, json_object_get(item, "logprobs"));
	if (as_number(r, json_object_get(item, "ref_logprob"), "a step's ref_logprob",
				  &step->ref_logprob))
		step->has |= STEP_REF_LOGPROB;
	if (as_int(r, json_object_get(item, "remaining"), "a step's remaining", &step->remaining))
		step->has |= STEP_REMAINING;
}

static void
ImportSteps(Rollout *r, const json_t *steps)
{
	size_t count = json_array_size(steps);

	for (size_t i = 0; i < count; i++)
		ImportStep(r, element(r->importer, steps, i));
	r->no_steps = !json_is_array(steps);
}

void
rows_import(Importer *importer, const json_t *value)
{
	static const char *const keys[] = {"model", "metadata", "checkpoint", "benchmark", NULL};
	const json_t *steps = json_object_get(value, "steps");
	const json_t *messages = json_object_get(value, "messages");
	Rollout *r = rollout_begin(importer, "rows");

	ReadOutcome(r, value);
	meta_copy(r, value, keys);
	if (json_is_array(messages))
		chat_import(r, messages, &rules);
	else
		ImportSteps(r, steps);
	rollout_finish(r);
}

static bool
KnownKey(const char *key)
{
	static const char *const keys[] = {"success", "reward",	   "status", "stop_reason",
									   "budget",  "solved_at", "prompt", "steps"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* Bare: an object with no other members than a trajectory's. */
static bool
IsBare(const json_t *value)
{
	const char *key;
	json_t *member;

	if (!json_is_object(value) || json_object_size(value) == 0)
		return false;
	json_object_foreach((json_t *) value, key, member)
	{
		if (!KnownKey(key))
			return false;
	}
	return true;
}

bool
canonical_detect(const json_t *value)
{
	return IsBare(json_object_get(value, "trajectory")) || IsBare(value);
}

static RolloutStatus
StatusNamed(Rollout *r, TextView name)
{
	static const char *const names[] = {NULL,		   "completed",	  "truncated",
										"agent_error", "infra_error", "unscored"};

	for (int i = 1; i < 6; i++)
		if (view_is(name, names[i]))
			return (RolloutStatus) i;
	if (name.data)
		rollout_warn(r, "unknown status \"%.*s\" is left out",
					 (int) (name.len > 40 ? 40 : name.len), name.data);
	return STATUS_UNKNOWN;
}

void
canonical_import(Importer *importer, const json_t *value)
{
	const json_t *traj = json_object_get(value, "trajectory");
	const json_t *body = json_is_object(traj) ? traj : value;
	const json_t *steps = json_object_get(body, "steps");
	const json_t *meta = json_object_get(value, "meta");
	Rollout *r = rollout_begin(importer, "canonical");
	const char *key;
	json_t *member;

	if (body == traj) {
		rollout_task(r, json_object_get(value, "task_id"));
		rollout_attempt(r, json_object_get(value, "attempt_id"));
	}
	json_object_foreach((json_t *) meta, key, member) meta_whole(r, key, member);
	json_object_foreach((json_t *) body, key, member)
	{
		importer->host->poll();
		if (!KnownKey(key))
			rollout_warn(r, "unknown key \"%.60s\"", key);
	}
	rollout_reward(r, json_object_get(body, "reward"));
	rollout_budget(r, json_object_get(body, "budget"));
	r->verdict = as_truth(r, json_object_get(body, "success"), "success");
	rollout_status(r, StatusNamed(r, text_of(json_object_get(body, "status"))),
				   text_of(json_object_get(body, "stop_reason")));
	rollout_prompt(r, as_text(r, json_object_get(body, "prompt")));
	if (as_int(r, json_object_get(body, "solved_at"), "solved_at", &r->draft.solved_at))
		r->draft.has |= ROLLOUT_SOLVED_AT;
	ImportSteps(r, steps);
	rollout_finish(r);
}
