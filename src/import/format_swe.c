/*
 * SWE-agent and mini-swe-agent.
 */
#include "import/formats.h"

/* SWE-agent tells neither a flag nor a return code */
static const char *const prefixes[] = {"Error",
									   "ERROR",
									   "Traceback (most recent call last)",
									   "Your proposed edit has introduced new syntax error",
									   "Your edit was not applied",
									   "Your bash command contained syntax errors",
									   "EXECUTION TIMED OUT",
									   "\nEXECUTION TIMED OUT",
									   "Interactive operation",
									   "Your output could not be parsed",
									   NULL};

bool
swe_agent_detect(const json_t *value)
{
	const json_t *first = json_array_get(json_object_get(value, "trajectory"), 0);

	return (json_object_get(first, "action") && json_object_get(first, "observation")) ||
		   is_messages(json_object_get(value, "history"));
}

static RolloutStatus
ExitStatus(TextView exit)
{
	if (!exit.data)
		return STATUS_UNKNOWN;
	if (view_is(exit, "submitted") || view_is(exit, "Submitted"))
		return STATUS_COMPLETED;
	if (view_has(exit, "environment") || view_has(exit, "api") || view_has(exit, "RateLimit"))
		return STATUS_INFRA_ERROR;
	if (view_has(exit, "cost") || view_has(exit, "context") || view_has(exit, "time") ||
		view_has(exit, "Limit") || view_has(exit, "Context") || view_has(exit, "Time"))
		return STATUS_TRUNCATED;
	return STATUS_AGENT_ERROR;
}

static void
ImportTrajectory(Rollout *r, const json_t *trajectory)
{
	size_t count = json_array_size(trajectory);

	for (size_t i = 0; i < count; i++) {
		const json_t *item = element(r->importer, trajectory, i);
		StepDraft *step = rollout_turn(r);
		TextView observation = as_text(r, json_object_get(item, "observation"));
		TextView thought = as_text(r, json_object_get(item, "thought"));
		TextView command = as_text(r, json_object_get(item, "action"));
		Join action = {.text = {.host = r->importer->host}};

		if (thought.len)
			join(&action, thought);
		join(&action, command);
		step->action = joined(&action);
		rollout_observe(r, observation);
		if (observation.data)
			judge_text(r, observation, prefixes);
	}
}

/* What history says before the first action of this run, demonstrations included. */
static void
ImportPrompt(Rollout *r, const json_t *history)
{
	size_t count = json_array_size(history);

	for (size_t i = 0; i < count; i++) {
		const json_t *message = element(r->importer, history, i);

		if (has_string(message, "role", "assistant") &&
			!json_is_true(json_object_get(message, "is_demo")))
			return;
		rollout_prompt(r, content_of(r, json_object_get(message, "content")));
	}
}

void
swe_agent_import(Importer *importer, const json_t *value)
{
	static const ChatRules rules = {.error_prefixes = prefixes, .skip_demos = true};
	static const char *const keys[] = {"environment", "info.model_stats", "info.swe_agent_version",
									   NULL};
	const json_t *trajectory = json_object_get(value, "trajectory");
	const json_t *history = json_object_get(value, "history");
	TextView exit = text_of(at(value, "info.exit_status"));
	size_t turns = json_array_size(trajectory);
	Rollout *r = rollout_begin(importer, "swe-agent");

	rollout_task(r, json_object_get(value, "instance_id"));
	meta_json(r, "model", at(value, "replay_config.agent.model.name"));
	meta_copy(r, value, keys);
	if (turns) {
		ImportPrompt(r, history);
		ImportTrajectory(r, trajectory);
	} else
		chat_import(r, history, &rules);
	r->no_steps = !json_is_array(trajectory) && !json_is_array(history);
	rollout_status(r, ExitStatus(exit), exit);
	r->verdict = as_truth(r, at(value, "info.resolved"), "resolved");
	rollout_finish(r);
}

static bool
HasReturnCodes(const json_t *messages)
{
	size_t count = json_array_size(messages);

	for (size_t i = 0; i < count && i < 6; i++) {
		const json_t *content = json_object_get(json_array_get(messages, i), "content");

		if (view_starts(text_of(content), "<returncode>"))
			return true;
	}
	return false;
}

bool
mini_swe_agent_detect(const json_t *value)
{
	if (has_string(value, "trajectory_format", "mini-swe-agent"))
		return true;
	if (json_is_array(value))
		return HasReturnCodes(value);
	return json_object_get(value, "info") && HasReturnCodes(json_object_get(value, "messages"));
}

void
mini_swe_agent_import(Importer *importer, const json_t *value)
{
	static const char *const mini_prefixes[] = {"Please always provide EXACTLY ONE action",
												"The last command <command>", "Error", NULL};
	static const ChatRules rules = {.error_prefixes = mini_prefixes, .user_results = true};
	static const char *const keys[] = {"trajectory_format", "info.model_stats", "info.mini_version",
									   NULL};
	const json_t *messages = json_is_array(value) ? value : json_object_get(value, "messages");
	const json_t *info = json_object_get(value, "info");
	TextView exit = text_of(json_object_get(info, "exit_status"));
	Rollout *r = rollout_begin(importer, "mini-swe-agent");

	rollout_task(r, json_object_get(value, "instance_id"));
	meta_json(r, "model", at(info, "config.model.model_name"));
	meta_copy(r, value, keys);
	r->no_steps = !json_is_array(messages);
	chat_import(r, messages, &rules);
	if (json_is_integer(at(info, "config.agent.step_limit")) &&
		json_integer_value(at(info, "config.agent.step_limit")) > 0)
		rollout_budget(r, at(info, "config.agent.step_limit"));
	rollout_status(r, ExitStatus(exit), exit);
	rollout_finish(r);
}
