/*
 * The fields of a rollout and of a step, in canonical order.
 */
#include "postgres.h"

#include "trajectory/fields.h"

#define FIELD(record, name, type, bit, min)                                                        \
	{                                                                                              \
#name, sizeof(#name) - 1, type, bit, offsetof(record, name), min                           \
	}

static const Field rollout[] = {
	FIELD(TrajectoryDraft, success, FIELD_BOOL, 0, 0),
	FIELD(TrajectoryDraft, reward, FIELD_NUMBER, ROLLOUT_REWARD, 0),
	FIELD(TrajectoryDraft, status, FIELD_STATUS, 0, 0),
	FIELD(TrajectoryDraft, stop_reason, FIELD_TEXT, 0, 0),
	FIELD(TrajectoryDraft, budget, FIELD_INT, ROLLOUT_BUDGET, 1),
	FIELD(TrajectoryDraft, solved_at, FIELD_INT, ROLLOUT_SOLVED_AT, 1),
	FIELD(TrajectoryDraft, prompt, FIELD_TEXT, 0, 0),
	FIELD(TrajectoryDraft, steps, FIELD_STEPS, ROLLOUT_STEPS, 0),
};

static const Field step[] = {
	FIELD(StepDraft, action, FIELD_TEXT, 0, 0),
	FIELD(StepDraft, observation, FIELD_TEXT, 0, 0),
	FIELD(StepDraft, error, FIELD_BOOL, 0, 0),
	FIELD(StepDraft, error_kind, FIELD_TEXT, 0, 0),
	FIELD(StepDraft, state, FIELD_TEXT, 0, 0),
	FIELD(StepDraft, reward, FIELD_NUMBER, STEP_REWARD, 0),
	FIELD(StepDraft, value, FIELD_NUMBER, STEP_VALUE, 0),
	FIELD(StepDraft, tokens, FIELD_INT, STEP_TOKENS, 0),
	FIELD(StepDraft, logprob, FIELD_NUMBER, STEP_LOGPROB, 0),
	FIELD(StepDraft, ref_logprob, FIELD_NUMBER, STEP_REF_LOGPROB, 0),
	FIELD(StepDraft, remaining, FIELD_INT, STEP_REMAINING, PG_INT64_MIN),
};

const FieldSet rollout_fields = {rollout, lengthof(rollout), offsetof(TrajectoryDraft, has)};
const FieldSet step_fields = {step, lengthof(step), offsetof(StepDraft, has)};

const char *const status_names[STATUS_COUNT] = {NULL,		   "completed",	  "truncated",
												"agent_error", "infra_error", "unscored"};
