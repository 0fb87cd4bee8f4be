/*
 * InterCode: one object whose members are the tasks' logs.
 */
#include "import/formats.h"

static const char *const prefixes[] = {"Error", "Traceback (most recent call last)", NULL};

static bool
IsLog(const json_t *value)
{
	return json_is_array(at(value, "turn_history.actions"));
}

bool
intercode_detect(const json_t *value)
{
	const json_t *first;

	if (!json_is_object(value))
		return false;
	first = json_object_iter_value(json_object_iter((json_t *) value));
	return IsLog(value) || IsLog(first);
}

/* An action that the environment could not execute is an error; its own flag decides. */
static void
Judge(Rollout *r, const json_t *valid, TextView observation)
{
	if (json_is_boolean(valid))
		rollout_judge(r, json_is_false(valid), view("invalid_action"));
	else if (observation.data)
		judge_text(r, observation, prefixes);
}

static void
ImportTurns(Rollout *r, const json_t *history, double threshold)
{
	const json_t *actions = json_object_get(history, "actions");
	const json_t *thoughts = json_object_get(history, "thoughts");
	const json_t *observations = json_object_get(history, "observations");
	const json_t *rewards = json_object_get(history, "rewards");
	const json_t *valid = json_object_get(history, "valid_action");
	size_t count = json_array_size(actions);

	for (size_t i = 0; i < count; i++) {
		StepDraft *step = rollout_turn(r);
		TextView observation = as_text(r, element(r->importer, observations, i));
		Join action = {.text = {.host = r->importer->host}};

		join(&action, as_text(r, element(r->importer, thoughts, i)));
		join(&action, as_text(r, element(r->importer, actions, i)));
		step->action = joined(&action);
		step_reward(r, step, element(r->importer, rewards, i));
		rollout_observe(r, observation);
		Judge(r, element(r->importer, valid, i), observation);
		if (!(r->draft.has & ROLLOUT_SOLVED_AT) && (step->has & STEP_REWARD) &&
			step->reward >= threshold) {
			r->draft.solved_at = i + 1;
			r->draft.has |= ROLLOUT_SOLVED_AT;
		}
	}
}

static void
ImportLog(Importer *importer, const json_t *log, const char *key)
{
	static const char *const keys[] = {
		"environment", "dataset", "hardness", "summary.turns_taken", "summary.num_submissions",
		NULL};
	const json_t *history = json_object_get(log, "turn_history");
	Rollout *r = rollout_begin(importer, "intercode");

	rollout_task(r, json_object_get(log, "task_id"));
	if (!r->task_id.data)
		r->task_id = view(key);
	rollout_prompt(r, text_of(json_object_get(log, "query")));
	rollout_reward(r, at(log, "summary.max_reward"));
	rollout_budget(r, at(log, "summary.turns_max"));
	meta_copy(r, log, keys);
	r->no_steps = !json_is_array(json_object_get(history, "actions"));
	ImportTurns(r, history, importer->options.threshold);
	if ((r->draft.has & ROLLOUT_BUDGET) && (int64_t) r->draft.nsteps < r->draft.budget)
		rollout_status(r, STATUS_COMPLETED, view(NULL));
	rollout_finish(r);
}

void
intercode_import(Importer *importer, const json_t *value)
{
	const char *key;
	json_t *log;
	int64_t i = 0;
	bool members = importer->whole;

	if (IsLog(value)) {
		ImportLog(importer, value, NULL);
		return;
	}
	importer->whole = false;
	json_object_foreach((json_t *) value, key, log)
	{
		if (members)
			importer->member = i++;
		if (IsLog(log))
			ImportLog(importer, log, key);
		else
			rollout_fail(importer, "intercode", "a log without turn_history.actions");
	}
}
