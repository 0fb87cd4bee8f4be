/*
 * A policy is a softmax over the moves, with logits linear in what the agent
 * sees: the cells around, the way to the goal and, when it is told, how tight
 * the turns that remain are. So a policy is a handful of weights.
 */
#ifndef LAB_POLICY_H
#define LAB_POLICY_H

#include <stdio.h>

#include "world.h"

typedef enum Feature {
	PROGRESS,  /* how much nearer to the goal the move aims: -1, 0, 1; 0 into a hole or where no way
				  leads */
	DRIFT,	   /* the mean of that over where the move may end */
	AIM_HOLE,  /* it aims at a hole: 0, 1 */
	SIDE_HOLE, /* holes to either side of the aim: 0, 1/2, 1 */
	NEAR_HOLE, /* share of holes around the cell that it aims at */
	EDGE,	   /* it aims off the map: 0, 1 */
	FEATURES
} Feature;

/* Each feature has a weight, and one that counts in proportion to tightness. */
typedef enum Part { ALWAYS, WHEN_TIGHT, PARTS } Part;

typedef struct Policy {
	char name[32];
	double weight[PARTS][FEATURES];
} Policy;

/* The features of a map. */
typedef struct View {
	const World *world;
	double (*feature)[MOVES][FEATURES]; /* [cell] */
} View;

extern void view_prepare(View *view, const World *w);
extern void view_free(View *view);

/*
 * How tight the turns that the agent was told remain are: moves to the goal per
 * turn, at most 1; 0 when it was told nothing (remaining 0).
 */
extern double view_tightness(const View *view, int cell, int remaining);

/* log-probabilities in nats; remaining as announced, 0 when it was not */
extern void policy_logprobs(const Policy *policy, const View *view, int cell, int remaining,
							double logprob[MOVES]);
extern void policy_chances(const Policy *policy, const View *view, int cell, int remaining,
						   double chance[MOVES]);

extern void policy_write(const Policy *policy, FILE *out);
/* Ends the program when the file holds no policy. */
extern void policy_read(Policy *policy, const char *path);

#endif
