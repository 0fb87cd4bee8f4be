/*
 * The trajectory type as the rest of the extension sees it.
 */
#ifndef AGENTRL_TRAJECTORY_H
#define AGENTRL_TRAJECTORY_H

#include "postgres.h"
#include "fmgr.h"
#include "nodes/nodes.h"

#include "trajectory/draft.h"

#define TRAJECTORY_MAX_STEPS 1000000

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
 * The error flags and kinds of a rollout, turn by turn, read without its texts.
 * trajectory_next_turn steps through a rollout that has error turns; without
 * any, what the head counts is all there is, and nothing more is fetched.
 */
typedef struct TrajectoryErrors {
	TrajectoryHead head;
	int64 error_turns;	 /* turns known to be errors */
	int64 error_unknown; /* turns without the flag */
	int64 first_error;	 /* turn; 0: none */

	/* of the turn that trajectory_next_turn went to */
	int64 turn;	   /* from 1; 0: before the first */
	uint8 error;   /* Truth */
	TextView kind; /* in the value; data NULL: none */

	/* the reader's own */
	const uint8 *flags;
	int64 met;					/* error turns so far */
	const uint32 *kind_lengths; /* by turn; NULL: no turn has a kind */
	const char *kinds;			/* of the turns to come */
	const char *kinds_end;
	void *copy; /* what was fetched, or NULL */
} TrajectoryErrors;

extern void trajectory_read_errors(Datum value, TrajectoryErrors *errors);
/* False after the last turn, and at once for a rollout without error turns. */
extern bool trajectory_next_turn(TrajectoryErrors *errors);
/* The kinds that were read are gone then. */
extern void trajectory_free_errors(TrajectoryErrors *errors);

/*
 * Validates a draft and packs it. A draft that breaks a rule is reported
 * through escontext where the server has soft errors (NULL is returned then),
 * else raised.
 */
extern Datum trajectory_from_draft(const TrajectoryDraft *draft, Node *escontext);

/* Everything, texts included. The draft may point into the value. */
extern void trajectory_unpack(Datum value, TrajectoryDraft *draft);

/* The same without the texts of turns: scalars, the numbers of each turn, and the prompt. */
extern void trajectory_unpack_numbers(Datum value, TrajectoryDraft *draft);

/* What a budget of so many turns, 1 or more, would have left of a rollout whose turns are known. */
extern void trajectory_cut(TrajectoryDraft *draft, int64 turns);

#endif
