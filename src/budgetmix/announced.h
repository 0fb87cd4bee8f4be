/*
 * What a trajectory says of the budget that its policy was told.
 */
#ifndef AGENTRL_ANNOUNCED_H
#define AGENTRL_ANNOUNCED_H

#include "postgres.h"

#include "trajectory/draft.h"

typedef struct Announced {
	Truth remaining_mismatch; /* unknown: no turn holds what it was told */
	Truth prompt_missing;	  /* whether the prompt states no budget; unknown without a prompt */
} Announced;

extern Announced read_announced(Datum traj, int64 budget);

#endif
