/*
 * Samples of two arms from the same places (matched states, error prefixes),
 * and the pools that such states are drawn from.
 *
 * A paired_summary keeps per cluster, or per unit where there are no clusters,
 * each sample's unit, arm and value. A state_pool keeps per task each state's
 * arm, rollout and turn, and the budget of its rollout.
 */
#ifndef AGENTRL_PAIRED_H
#define AGENTRL_PAIRED_H

#include "summary/records.h"

typedef enum PairedColumn { PAIRED_UNIT, PAIRED_ARM, PAIRED_VALUE, PAIRED_COLUMNS } PairedColumn;

typedef enum PoolColumn { POOL_ARM, POOL_ROLLOUT, POOL_TURN, POOL_BUDGET, POOL_COLUMNS } PoolColumn;

/* an arm's word: the reference sorts first */
#define REFERENCE_ARM 0
#define TREATMENT_ARM 1

/* the budget of a rollout without one */
#define NO_BUDGET 0

extern const RecordMethods paired_methods;
extern const RecordMethods pool_methods;

static inline bool
valid_arm(uint64 word)
{
	return word == record_int(REFERENCE_ARM) || word == record_int(TREATMENT_ARM);
}

extern uint64 paired_arm_argument(FunctionCallInfo fcinfo, int i);

#endif
