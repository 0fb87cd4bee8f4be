/*
 * What a policy is worth on a map, exactly, by dynamic programming: what the
 * figures over its rollouts estimate.
 */
#ifndef LAB_TRUTH_H
#define LAB_TRUTH_H

#include "policy.h"

/*
 * Probability of having reached the goal within t = 1 .. turns turns from a
 * cell, with so many turns: success[t - 1].
 */
extern void truth_success(const Policy *policy, const View *view, int cell, int turns,
						  bool announced, double *success);

/*
 * R_single: success of a plan that is written in one turn, as many moves as
 * there are turns. Without anything coming back the policy takes itself to
 * stand where its moves aimed; the ice does not mind.
 */
extern double truth_single(const Policy *policy, const View *view, int turns, bool announced);

/* Episodes of error turns are told apart up to this length. */
#define MAX_RUN 8

/*
 * Expectations over one rollout. A rate over rollouts of equal number per map
 * is the sum of what recovered over the sum of what was eligible.
 */
typedef struct ErrorTruth {
	double turns;
	double error_turns;
	double followed;		 /* error turns that have a next turn */
	double corrected;		 /* whose next turn is no error */
	double at_risk[MAX_RUN]; /* episodes at risk after 1, 2, ... error turns; of those that the goal
								ends, none */
	double recovered[MAX_RUN]; /* that end there by a turn that is no error */
	double censored;		   /* episodes that the budget ended */
	double with_error;		   /* probability of an error */
	double solved_with_error;  /* and of success */
	double solved_without_error;
	double log_ratio_solved; /* log(policy / base), of rollouts that succeed, else 0 */
	double log_ratio;		 /* of all rollouts */
} ErrorTruth;

extern void truth_errors(const Policy *policy, const Policy *base, const View *view,
						 const Quality *quality, int turns, bool announced, ErrorTruth *truth);

#endif
