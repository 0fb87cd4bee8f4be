/*
 * How the policies of the lab come about: a base policy imitates a noisy
 * planner; GRPO then trains it.
 */
#ifndef LAB_LEARN_H
#define LAB_LEARN_H

#include "plan.h"
#include "policy.h"
#include "random.h"

/* rollouts of one map under one budget, whose advantages are taken against each other */
#define GROUP 16

/* A map as training needs it. */
typedef struct Lesson {
	View view;
	Quality quality; /* for process rewards */
} Lesson;

/* Adam, without bias correction at the end of training: all weights step alike. */
typedef struct Optimizer {
	double rate;
	int steps;
	double mean[PARTS][FEATURES];
	double square[PARTS][FEATURES];
} Optimizer;

typedef double Gradient[PARTS][FEATURES];

/* Adds scale times the gradient of log p(move). */
extern void gradient_add(Gradient gradient, const Policy *policy, const View *view, int cell,
						 int told, int move, double scale);
/* Steps uphill. */
extern void optimizer_step(Optimizer *optimizer, Policy *policy, Gradient gradient);

/*
 * Fits a policy to demonstrations of a planner that takes the shortest way
 * as if the ice did not slip, and one move in five at random.
 */
extern void imitate(Policy *policy, const Lesson *lessons, int count, int budget, uint64_t seed);

typedef struct Grpo {
	const Lesson *lessons;
	int count;
	const Policy *base;
	const Plan *plan;
	bool process; /* step advantages from Q* beside the outcome's */
	uint64_t seed;
	int batch;	 /* groups per update */
	double rate; /* step size */
	double kl;	 /* weight of the divergence from base */
	/* called before the first epoch (0) and after each */
	void (*checkpoint)(int epoch, const Policy *policy, void *context);
	void *context;
} Grpo;

extern void grpo_train(Policy *policy, const Grpo *run);

#endif
