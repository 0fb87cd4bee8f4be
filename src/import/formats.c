/*
 * The table of formats, the most telling first: detection takes the first that
 * fits.
 */
#include "import/formats.h"

const char *const error_word[] = {"Error", NULL};

const Format formats[] = {
	{"canonical", "agentrl's own JSON, bare or with task_id, attempt_id and meta", canonical_detect,
	 canonical_import},
	{"atif", "Agent Trajectory Interchange Format (Harbor, Terminal-Bench 2); outcome: result.json",
	 atif_detect, atif_import},
	{"tau2-bench", "tau2-bench results with simulations", tau2_detect, tau2_import},
	{"inspect", "Inspect logs: .json, or a sample or header out of an .eval", inspect_detect,
	 inspect_import, inspect_is_list},
	{"tau-bench", "tau-bench historical trajectories", tau_detect, tau_import},
	{"intercode", "InterCode logs with turn_history", intercode_detect, intercode_import},
	{"mini-swe-agent", "mini-swe-agent .traj.json", mini_swe_agent_detect, mini_swe_agent_import},
	{"swe-agent", "SWE-agent .traj", swe_agent_detect, swe_agent_import},
	{"nemo-gym", "NeMo-Gym rollouts (Responses API items)", nemo_detect, nemo_import},
	{"openhands", "OpenHands output.jsonl with an event history", openhands_detect,
	 openhands_import},
	{"verifiers", "verifiers results.jsonl and rollouts_raw.json", verifiers_detect,
	 verifiers_import},
	{"bfcl", "BFCL multi-turn results; outcome: the score file", bfcl_detect, bfcl_import},
	{"terminal-bench", "Terminal-Bench results.json, and Harbor's result.json without steps",
	 terminal_bench_detect, terminal_bench_import},
	{"verl", "verl rollout and validation dumps", verl_detect, verl_import},
	{"openai", "OpenAI chat messages, bare or under \"messages\"", openai_detect, openai_import},
	{"rows", "rows of task, attempt and reward, with or without steps or messages", rows_detect,
	 rows_import},
};

const size_t format_count = sizeof(formats) / sizeof(formats[0]);

const Format *
format_detect(const json_t *value)
{
	for (size_t i = 0; i < format_count; i++)
		if (formats[i].detect(value))
			return &formats[i];
	return NULL;
}

const Format *
format_named(TextView name)
{
	for (size_t i = 0; i < format_count; i++)
		if (view_is(name, formats[i].name))
			return &formats[i];
	return NULL;
}

size_t
importer_format_count(void)
{
	return format_count;
}

const char *
importer_format_name(size_t i)
{
	return formats[i].name;
}

const char *
importer_format_description(size_t i)
{
	return formats[i].description;
}
