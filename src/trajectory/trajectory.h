/*
 * The trajectory type as the rest of the extension sees it.
 */
#ifndef AGENTRL_TRAJECTORY_H
#define AGENTRL_TRAJECTORY_H

#include "postgres.h"
#include "fmgr.h"
#include "nodes/nodes.h"

#include "trajectory/draft.h"

/* All scalars of a rollout, read from the first slice of a stored value. */
typedef struct TrajectoryHead {
	int64 turns;	 /* valid when has & ROLLOUT_STEPS */
	int64 budget;	 /* valid when has & ROLLOUT_BUDGET */
	int64 solved_at; /* 0: did not succeed, or the turn is unknown */
	double reward;	 /* valid when has & ROLLOUT_REWARD */
	uint8 has;		 /* ROLLOUT_* bits */
	uint8 success;	 /* Truth */
	uint8 status;	 /* RolloutStatus */
} TrajectoryHead;

/* Reads the scalars without detoasting the texts. */
extern void trajectory_read_head(Datum value, TrajectoryHead *head);

/*
 * Validates a draft and packs it. A draft that breaks a rule is reported
 * through escontext where the server has soft errors (NULL is returned then),
 * else raised.
 */
extern Datum trajectory_from_draft(const TrajectoryDraft *draft, Node *escontext);

#endif
