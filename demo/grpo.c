#include <stdlib.h>

#include "learn.h"
#include "numbers.h"
#include "rollout.h"

#define DEVIATION_FLOOR 1e-6

/* The rollouts of one group, and an advantage for every turn of each. */
typedef struct Group {
	const Lesson *lesson;
	Rollout rollout[GROUP];
	double advantage[GROUP][MAX_HORIZON];
} Group;

static void
PlayGroup(Group *group, const Policy *policy, const int *budgets, uint64_t stream)
{
	for (int a = 0; a < GROUP; a++) {
		Random random = random_stream(stream, a, 0, 0);

		rollout_play(&group->rollout[a], policy, &group->lesson->view,
					 group->lesson->view.world->start, budgets[a], true, &random);
	}
}

/* ---- advantages ---- */

/* A rollout that used its budget up, or fell in, earns 0; else 1. */
static void
RateOutcomes(Group *group)
{
	double mean = 0, variance = 0;

	for (int a = 0; a < GROUP; a++)
		mean += (double) group->rollout[a].solved / GROUP;
	for (int a = 0; a < GROUP; a++) {
		double d = group->rollout[a].solved - mean;

		variance += d * d / (GROUP - 1);
	}
	for (int a = 0; a < GROUP; a++) {
		const Rollout *r = &group->rollout[a];
		double advantage = (r->solved - mean) / (sqrt(variance) + DEVIATION_FLOOR);

		for (int t = 0; t < r->turns; t++)
			group->advantage[a][t] = advantage;
	}
}

/* What a move is worth above what the policy's moves are worth on average there. */
static double
MoveGain(const Lesson *lesson, const Policy *policy, const Turn *turn)
{
	const double *q = quality_at(&lesson->quality, turn->remaining, turn->cell);
	double chance[MOVES];
	double gain = q[turn->move];

	policy_chances(policy, &lesson->view, turn->cell, turn->remaining, chance);
	for (int m = 0; m < MOVES; m++)
		gain -= chance[m] * q[m];
	return gain;
}

/* Adds the moves' gains, in standard deviations over the group, to what the outcomes say. */
static void
RateMoves(Group *group, const Policy *policy)
{
	double gains[GROUP][MAX_HORIZON];
	double squares = 0;
	int turns = 0;

	for (int a = 0; a < GROUP; a++) {
		const Rollout *r = &group->rollout[a];

		for (int t = 0; t < r->turns; t++) {
			gains[a][t] = MoveGain(group->lesson, policy, &r->turn[t]);
			squares += gains[a][t] * gains[a][t];
		}
		turns += r->turns;
	}
	for (int a = 0; a < GROUP; a++)
		for (int t = 0; t < group->rollout[a].turns; t++)
			group->advantage[a][t] += gains[a][t] / (sqrt(squares / turns) + DEVIATION_FLOOR);
}

/* ---- the update ---- */

/*
 * A turn's part in the objective: its advantage, less the divergence from the
 * base policy by the estimator x - log x - 1 with x = base / policy, whose
 * slope along log p is 1 - x.
 */
static void
AddTurn(Gradient gradient, const Grpo *run, const Policy *policy, const Lesson *lesson,
		const Turn *turn, double advantage)
{
	double ref_logprob[MOVES];
	double ratio;

	policy_logprobs(run->base, &lesson->view, turn->cell, turn->remaining, ref_logprob);
	ratio = lab_exp(ref_logprob[turn->move] - turn->logprob);
	gradient_add(gradient, policy, &lesson->view, turn->cell, turn->remaining, turn->move,
				 advantage - run->kl * (1 - ratio));
}

static int
AddGroup(Gradient gradient, const Grpo *run, const Policy *policy, const Group *group)
{
	int turns = 0;

	for (int a = 0; a < GROUP; a++) {
		const Rollout *r = &group->rollout[a];

		for (int t = 0; t < r->turns; t++)
			AddTurn(gradient, run, policy, group->lesson, &r->turn[t], group->advantage[a][t]);
		turns += r->turns;
	}
	return turns;
}

static void
Scale(Gradient gradient, double by)
{
	for (int p = 0; p < PARTS; p++)
		for (int f = 0; f < FEATURES; f++)
			gradient[p][f] *= by;
}

static void
TrainEpoch(Policy *policy, const Grpo *run, Optimizer *optimizer, Group *group, int epoch)
{
	for (int first = 0; first < run->count; first += run->batch) {
		Gradient gradient = {{0}};
		int turns = 0;

		for (int i = first; i < run->count && i < first + run->batch; i++) {
			Random stream = random_stream(run->seed, random_name("grpo", 4), epoch, i);

			group->lesson = &run->lessons[i];
			PlayGroup(group, policy, plan_budgets(run->plan, epoch, i), random_next(&stream));
			RateOutcomes(group);
			if (run->process)
				RateMoves(group, policy);
			turns += AddGroup(gradient, run, policy, group);
		}
		/* the mean over all turns of the batch */
		Scale(gradient, 1.0 / turns);
		optimizer_step(optimizer, policy, gradient);
	}
}

void
grpo_train(Policy *policy, const Grpo *run)
{
	Optimizer optimizer = {.rate = run->rate};
	Group *group = need_memory(1, sizeof(Group));

	run->checkpoint(0, policy, run->context);
	for (int epoch = 0; epoch < run->plan->epochs; epoch++) {
		TrainEpoch(policy, run, &optimizer, group, epoch);
		run->checkpoint(epoch + 1, policy, run->context);
	}
	free(group);
}
