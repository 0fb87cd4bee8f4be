/*
 * ATIF trajectories, whose outcome is in Harbor's result.json; and that file, and
 * Terminal-Bench's results.json, alone.
 */
#include <string.h>

#include "import/formats.h"

static const char *const prefixes[] = {"Error", "ERROR", "Traceback (most recent call last)", NULL};

bool
atif_detect(const json_t *value)
{
	return has_string(value, "schema_version", "ATIF");
}

/* The reward of a trial: rewards.reward, or the only one there is. */
static const json_t *
TrialReward(const json_t *result)
{
	json_t *rewards = at(result, "verifier_result.rewards");
	json_t *reward = json_object_get(rewards, "reward");

	if (!reward && json_object_size(rewards) == 1)
		reward = json_object_iter_value(json_object_iter(rewards));
	return reward;
}

/* Adds what Harbor's result.json says of the trial. */
void
harbor_outcome(Rollout *r, const json_t *result)
{
	static const char *const keys[] = {"trial_name",
									   "source",
									   "agent_info.name",
									   "agent_result.cost_usd",
									   "agent_result.n_input_tokens",
									   "agent_result.n_output_tokens",
									   "started_at",
									   "finished_at",
									   "exception_info.exception_message",
									   NULL};
	TextView exception = text_of(at(result, "exception_info.exception_type"));

	rollout_task(r, json_object_get(result, "task_name"));
	rollout_attempt(r, json_object_get(result, "trial_name"));
	rollout_reward(r, TrialReward(result));
	meta_copy(r, result, keys);
	if (view_is(exception, "AgentTimeoutError"))
		rollout_status(r, STATUS_TRUNCATED, exception);
	else if (exception.data)
		rollout_status(r, STATUS_INFRA_ERROR, exception);
	else if (r->draft.has & ROLLOUT_REWARD)
		rollout_status(r, STATUS_COMPLETED, view(NULL));
}

/* "[The command completed with exit code 1.]", as OpenHands tells it */
static bool
ExitCode(TextView text, long *code)
{
	static const char mark[] = "[The command completed with exit code ";
	const char *p = view_find(text, mark);

	if (!p)
		return false;
	p += sizeof(mark) - 1;
	for (*code = 0; p < text.data + text.len && *p >= '0' && *p <= '9' && *code < 1000000; p++)
		*code = *code * 10 + (*p - '0');
	return true;
}

static void
ImportObservation(Rollout *r, const json_t *step, bool judge)
{
	const json_t *results = at(step, "observation.results");
	size_t count = json_array_size(results);

	for (size_t i = 0; i < count; i++) {
		const json_t *result = element(r->importer, results, i);
		TextView text = content_of(r, json_object_get(result, "content"));
		long code;

		rollout_observe(r, text);
		if (!judge)
			continue;
		if (json_is_boolean(at(result, "extra.is_error")))
			rollout_judge(r, json_is_true(at(result, "extra.is_error")), view(NULL));
		else if (ExitCode(text, &code))
			judge_code(r, code);
		else
			judge_text(r, text, prefixes);
	}
}

static void
ImportTurn(Rollout *r, const json_t *item)
{
	const json_t *calls = json_object_get(item, "tool_calls");
	size_t count = json_array_size(calls);
	TextView message = content_of(r, json_object_get(item, "message"));
	StepDraft *step = rollout_turn(r);
	Text action = {.host = r->importer->host};

	step->action = message.data ? message : view("");
	if (count) {
		text_append(&action, message.data, message.len);
		for (size_t i = 0; i < count; i++) {
			const json_t *call = element(r->importer, calls, i);

			append_call(&action, text_of(json_object_get(call, "function_name")),
						json_object_get(call, "arguments"));
		}
		step->action.data = action.data;
		step->action.len = action.len;
	}
	/* agents without function calling act through their text: no result, no verdict */
	if (count == 0 && !json_object_get(item, "observation"))
		step->error = TRUTH_FALSE;
	step_tokens(r, step, at(item, "metrics.completion_tokens"));
	step_logprobs(r, step, at(item, "metrics.logprobs"));
	ImportObservation(r, item, true);
}

static void
ImportStep(Rollout *r, const json_t *item)
{
	const json_t *llm_calls = json_object_get(item, "llm_call_count");
	bool copied = json_is_true(json_object_get(item, "is_copied_context"));
	bool generated = !json_is_integer(llm_calls) || json_integer_value(llm_calls) > 0;

	if (has_string(item, "source", "agent") && !copied && generated) {
		ImportTurn(r, item);
		return;
	}
	rollout_observe(r, content_of(r, json_object_get(item, "message")));
	ImportObservation(r, item, false);
}

void
atif_import(Importer *importer, const json_t *value)
{
	static const char *const keys[] = {"schema_version",
									   "session_id",
									   "trajectory_id",
									   "agent.version",
									   "final_metrics.total_cost_usd",
									   "final_metrics.total_prompt_tokens",
									   "final_metrics.total_completion_tokens",
									   "continued_trajectory_ref",
									   NULL};
	const json_t *steps = json_object_get(value, "steps");
	const json_t *result = json_array_get(importer->outcome.root, 0);
	size_t count = json_array_size(steps);
	Rollout *r = rollout_begin(importer, "atif");

	meta_json(r, "agent", at(value, "agent.name"));
	meta_json(r, "model", at(value, "agent.model_name"));
	meta_copy(r, value, keys);
	r->no_steps = !json_is_array(steps);
	for (size_t i = 0; i < count; i++)
		ImportStep(r, element(r->importer, steps, i));
	if (result)
		harbor_outcome(r, result);
	if (json_is_string(json_object_get(value, "continued_trajectory_ref")))
		rollout_warn(r, "the run goes on in %.200s",
					 json_string_value(json_object_get(value, "continued_trajectory_ref")));
	rollout_attempt(r, json_object_get(value, "session_id"));
	rollout_finish(r);
}

bool
terminal_bench_detect(const json_t *value)
{
	const json_t *first = json_array_get(json_object_get(value, "results"), 0);

	return json_object_get(first, "is_resolved") || json_object_get(value, "is_resolved") ||
		   (json_object_get(value, "trial_name") && json_object_get(value, "task_name"));
}

static RolloutStatus
TrialStatus(TextView failure, const json_t *resolved)
{
	if (view_has(failure, "timeout"))
		return view_is(failure, "test_timeout") ? STATUS_INFRA_ERROR : STATUS_TRUNCATED;
	if (view_is(failure, "context_length_exceeded") || view_is(failure, "output_length_exceeded"))
		return STATUS_TRUNCATED;
	if (view_is(failure, "unknown_agent_error") || view_is(failure, "fatal_llm_parse_error"))
		return STATUS_AGENT_ERROR;
	if (failure.data && !view_is(failure, "unset") && !view_is(failure, "none"))
		return STATUS_INFRA_ERROR;
	return json_is_boolean(resolved) ? STATUS_COMPLETED : STATUS_UNKNOWN;
}

static void
ImportTrial(Importer *importer, const json_t *trial)
{
	static const char *const keys[] = {"id",
									   "parser_results",
									   "total_input_tokens",
									   "total_output_tokens",
									   "trial_started_at",
									   "trial_ended_at",
									   "agent_started_at",
									   "agent_ended_at",
									   "recording_path",
									   NULL};
	TextView failure = text_of(json_object_get(trial, "failure_mode"));
	const json_t *resolved = json_object_get(trial, "is_resolved");
	Rollout *r = rollout_begin(importer, "terminal-bench");

	r->no_steps = true;
	if (json_object_get(trial, "task_name"))
		harbor_outcome(r, trial);
	else {
		rollout_task(r, json_object_get(trial, "task_id"));
		rollout_attempt(r, json_object_get(trial, "trial_name"));
		r->verdict = as_truth(r, resolved, "is_resolved");
		if (r->verdict != TRUTH_UNKNOWN) {
			r->draft.reward = r->verdict == TRUTH_TRUE;
			r->draft.has |= ROLLOUT_REWARD;
		}
		rollout_status(r, TrialStatus(failure, resolved), failure);
		meta_copy(r, trial, keys);
	}
	rollout_finish(r);
}

void
terminal_bench_import(Importer *importer, const json_t *value)
{
	const json_t *results = json_object_get(value, "results");
	size_t count = json_array_size(results);

	if (!json_is_array(results)) {
		ImportTrial(importer, value);
		return;
	}
	importer_container(importer, value, "results");
	for (size_t i = 0; i < count; i++) {
		importer->element = i;
		ImportTrial(importer, element(importer, results, i));
	}
	if (count == 0)
		rollout_fail(importer, "terminal-bench", "the file holds no results");
}
