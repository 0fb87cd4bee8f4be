/*
 * Plays a policy on a map and writes the rollout as one line of canonical JSON.
 */
#ifndef LAB_ROLLOUT_H
#define LAB_ROLLOUT_H

#include <stdio.h>

#include "policy.h"
#include "random.h"

typedef struct Turn {
	int cell; /* where the move was chosen */
	Move move;
	int landed;
	int remaining; /* turns left before the move */
	bool error;
	const char *error_kind; /* NULL unless error */
	double value;			/* exact, under best play with the turns left */
	double logprob;
	double ref_logprob; /* of the base policy */
} Turn;

typedef struct Rollout {
	const World *world;
	const Policy *policy;
	int attempt;
	int budget;
	bool solved;
	bool fell;
	int turns;
	Turn turn[MAX_HORIZON];
} Rollout;

extern void rollout_play(Rollout *r, const Policy *policy, const Policy *base,
						 const Planner *planner, const Quality *quality, int budget, int attempt,
						 Random *random);
extern void rollout_write(const Rollout *r, FILE *out);

#endif
