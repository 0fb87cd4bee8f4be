/*
 * A rollout on its way into a trajectory. Text input, binary input, the
 * importers and trajectory_agg all fill this struct, and one function
 * (trajectory_from_draft) validates and packs it.
 *
 * No server header is included, so that the importers can share it.
 */
#ifndef AGENTRL_DRAFT_H
#define AGENTRL_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* UTF-8 without NUL, not terminated; data is NULL when absent */
typedef struct TextView {
	const char *data;
	size_t len;
} TextView;

typedef enum Truth { TRUTH_UNKNOWN, TRUTH_FALSE, TRUTH_TRUE } Truth;

typedef enum RolloutStatus {
	STATUS_UNKNOWN,
	STATUS_COMPLETED,
	STATUS_TRUNCATED,
	STATUS_AGENT_ERROR,
	STATUS_INFRA_ERROR,
	STATUS_UNSCORED
} RolloutStatus;

/* bits of StepDraft.has */
enum {
	STEP_REWARD = 1 << 0,
	STEP_VALUE = 1 << 1,
	STEP_TOKENS = 1 << 2,
	STEP_LOGPROB = 1 << 3,
	STEP_REF_LOGPROB = 1 << 4,
	STEP_REMAINING = 1 << 5
};

typedef struct StepDraft {
	TextView action;
	TextView observation;
	TextView error_kind;
	TextView state;
	double reward;
	double value;
	double logprob;		/* nats, under the policy that acted */
	double ref_logprob; /* nats, the same tokens under the base policy */
	int64_t tokens;
	int64_t remaining;
	uint8_t has;
	uint8_t error; /* Truth */
} StepDraft;

/* bits of TrajectoryDraft.has; without ROLLOUT_STEPS the number of turns is unknown, not 0 */
enum {
	ROLLOUT_REWARD = 1 << 0,
	ROLLOUT_BUDGET = 1 << 1,
	ROLLOUT_SOLVED_AT = 1 << 2,
	ROLLOUT_STEPS = 1 << 3
};

typedef struct TrajectoryDraft {
	TextView stop_reason;
	TextView prompt;
	double reward;
	int64_t budget;	   /* turns */
	int64_t solved_at; /* turn, from 1 */
	uint8_t has;
	uint8_t success; /* Truth */
	uint8_t status;	 /* RolloutStatus */
	size_t nsteps;
	StepDraft *steps;
} TrajectoryDraft;

#endif
