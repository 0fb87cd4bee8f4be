/*
 * tau-bench and tau2-bench.
 */
#include "import/formats.h"

static const ChatRules rules = {.error_prefixes = error_word};

bool
tau_detect(const json_t *value)
{
	return json_is_array(json_object_get(value, "traj")) && json_object_get(value, "task_id");
}

/*
 * tau-bench does not say how a conversation ended; the user's ###STOP### and the
 * hand-over to a human are its two regular ends.
 */
static bool
EndedRegularly(const json_t *messages)
{
	size_t count = json_array_size(messages);
	const json_t *last = count ? json_array_get(messages, count - 1) : NULL;

	return view_has(text_of(json_object_get(last, "content")), "###STOP###") ||
		   has_string(last, "name", "transfer_to_human_agents");
}

void
tau_import(Importer *importer, const json_t *value)
{
	static const char *const keys[] = {"info.source", "info.user_cost", "info.task.user_id",
									   "info.error", NULL};
	const json_t *messages = json_object_get(value, "traj");
	Rollout *r = rollout_begin(importer, "tau-bench");

	rollout_task(r, json_object_get(value, "task_id"));
	rollout_attempt(r, json_object_get(value, "trial"));
	rollout_reward(r, json_object_get(value, "reward"));
	meta_copy(r, value, keys);
	r->no_steps = !json_is_array(messages);
	chat_import(r, messages, &rules);
	if (json_is_string(at(value, "info.error")))
		rollout_status(r, STATUS_INFRA_ERROR, view("error"));
	else if (EndedRegularly(messages))
		rollout_status(r, STATUS_COMPLETED, view(NULL));
	rollout_finish(r);
}

static RolloutStatus
Tau2Status(TextView reason)
{
	if (view_is(reason, "user_stop") || view_is(reason, "agent_stop"))
		return STATUS_COMPLETED;
	if (view_is(reason, "max_steps") || view_is(reason, "timeout"))
		return STATUS_TRUNCATED;
	if (view_is(reason, "infrastructure_error") || view_is(reason, "user_error") ||
		view_is(reason, "unexpected_error"))
		return STATUS_INFRA_ERROR;
	return reason.data ? STATUS_AGENT_ERROR : STATUS_UNKNOWN;
}

/* Also the record within NeMo-Gym's tau2 rollouts, which says task and attempt in a wrapper. */
void
tau2_simulation(Importer *importer, const json_t *simulation, const json_t *info,
				const char *format, const json_t *wrapper)
{
	static const char *const keys[] = {"id",	   "agent_cost", "user_cost",
									   "duration", "start_time", "end_time",
									   "seed",	   "mode",		 NULL};
	/* max_steps counts every message of agent, user and environment: no budget of turns */
	static const char *const info_keys[] = {"max_steps", "max_errors",
											"environment_info.domain_name", "git_commit", NULL};
	const json_t *messages = json_object_get(simulation, "messages");
	TextView reason = text_of(json_object_get(simulation, "termination_reason"));
	Rollout *r = rollout_begin(importer, format);

	if (wrapper) {
		rollout_task(r, json_object_get(wrapper, "_ng_task_index"));
		rollout_attempt(r, json_object_get(wrapper, "_ng_rollout_index"));
		meta_json(r, "tau2_task_id", json_object_get(simulation, "task_id"));
		meta_json(r, "agent", at(wrapper, "agent_ref.name"));
		rollout_reward(r, json_object_get(wrapper, "reward"));
	}
	rollout_task(r, json_object_get(simulation, "task_id"));
	rollout_attempt(r, json_object_get(simulation, "trial"));
	if (!(r->draft.has & ROLLOUT_REWARD))
		rollout_reward(r, at(simulation, "reward_info.reward"));
	rollout_status(r, Tau2Status(reason), reason);
	meta_json(r, "model", at(info, "agent_info.llm"));
	meta_json(r, "agent", at(info, "agent_info.implementation"));
	meta_json(r, "user_model", at(info, "user_info.llm"));
	meta_copy(r, info, info_keys);
	meta_copy(r, simulation, keys);
	r->no_steps = !json_is_array(messages);
	chat_import(r, messages, &rules);
	rollout_finish(r);
}

bool
tau2_detect(const json_t *value)
{
	return json_is_array(json_object_get(value, "simulations")) ||
		   (json_object_get(value, "termination_reason") && json_object_get(value, "messages"));
}

void
tau2_import(Importer *importer, const json_t *value)
{
	const json_t *simulations = json_object_get(value, "simulations");
	const json_t *info = json_object_get(value, "info");
	size_t count = json_array_size(simulations);

	if (!json_is_array(simulations)) {
		tau2_simulation(importer, value, NULL, "tau2-bench", NULL);
		return;
	}
	importer_container(importer, value, "simulations");
	for (size_t i = 0; i < count; i++) {
		const json_t *simulation = element(importer, simulations, i);

		importer->element = i;
		if (json_is_object(simulation))
			tau2_simulation(importer, simulation, info, "tau2-bench", NULL);
		else
			rollout_fail(importer, "tau2-bench", "a simulation is no object");
	}
	if (count == 0)
		rollout_fail(importer, "tau2-bench", "the file holds no simulations");
}
