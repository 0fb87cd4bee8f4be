/*
 * A policy is a softmax over the moves, with logits linear in features of the
 * state, the move and the turns that remain. So policies differ by a handful
 * of weights, which can be written by hand or learned.
 */
#ifndef LAB_POLICY_H
#define LAB_POLICY_H

#include "world.h"

typedef enum Feature {
	PROGRESS, /* how much nearer to the goal the move is meant to bring: -1, 0, 1 */
	HAZARD,	  /* probability of a hole at this very move */
	CARE,	  /* what the move forgoes of the value that a patient planner sees, at most 0 */
	HURRY,	  /* PROGRESS when fewer than three turns remain per move to the goal, else 0 */
	FEATURES
} Feature;

typedef struct Policy {
	const char *name;
	double weight[FEATURES];
} Policy;

extern const Policy policies[];
extern const int policy_count;

/* What the features need to know of a map: long-run value of each move. */
typedef struct Planner {
	const World *world;
	double value[MAX_CELLS][MOVES];
} Planner;

extern void planner_prepare(Planner *planner, const World *w);
extern void policy_features(const Planner *planner, int cell, int remaining,
							double feature[MOVES][FEATURES]);
/* log-probabilities in nats */
extern void policy_logprobs(const Policy *policy, const Planner *planner, int cell, int remaining,
							double logprob[MOVES]);

/*
 * Exact probability of having reached the goal within t = 1 .. turns turns,
 * by a policy that is told a budget of so many turns: success[t - 1].
 */
extern void policy_truth(const Policy *policy, const Planner *planner, int budget, int turns,
						 double *success);

#endif
