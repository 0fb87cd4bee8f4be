#include <math.h>
#include <string.h>

#include "policy.h"

#define PATIENT_HORIZON 200
#define PATIENT_GAMMA	0.99

/*
 * base heads for the goal and minds little where the ice may carry it.
 * trained has the same habits weakened and looks far ahead: it walks around
 * thin places, which costs it turns and saves it rollouts.
 */
const Policy policies[] = {
	{"base", {1.5, -3.0, 2.0, 0.0}},
	{"trained", {0.1, -1.0, 40.0, 0.0}},
};
const int policy_count = sizeof(policies) / sizeof(policies[0]);

void
planner_prepare(Planner *planner, const World *w)
{
	Quality patient;

	planner->world = w;
	quality_compute(&patient, w, PATIENT_HORIZON, PATIENT_GAMMA);
	memcpy(planner->value, quality_at(&patient, PATIENT_HORIZON, 0),
		   sizeof(double) * w->cells * MOVES);
	quality_free(&patient);
}

void
policy_features(const Planner *planner, int cell, int remaining, double feature[MOVES][FEATURES])
{
	const World *w = planner->world;
	double best = best_of(planner->value[cell]);

	for (int m = 0; m < MOVES; m++) {
		const int *landing = w->landing[cell][m];
		int holes = 0;

		for (int i = 0; i < LANDINGS; i++)
			holes += w->tile[landing[i]] == 'H';
		feature[m][HAZARD] = (double) holes / LANDINGS;
		/* A hole has no distance to the goal: the move brings nothing. */
		feature[m][PROGRESS] =
			w->tile[landing[0]] == 'H' ? 0 : w->distance[cell] - w->distance[landing[0]];
		feature[m][CARE] = planner->value[cell][m] - best;
		feature[m][HURRY] = remaining < 3 * w->distance[cell] ? feature[m][PROGRESS] : 0;
	}
}

void
policy_logprobs(const Policy *policy, const Planner *planner, int cell, int remaining,
				double logprob[MOVES])
{
	double feature[MOVES][FEATURES];
	double sum = 0;
	double top = -INFINITY;

	policy_features(planner, cell, remaining, feature);
	for (int m = 0; m < MOVES; m++) {
		logprob[m] = 0;
		for (int f = 0; f < FEATURES; f++)
			logprob[m] += policy->weight[f] * feature[m][f];
		top = fmax(top, logprob[m]);
	}
	for (int m = 0; m < MOVES; m++)
		sum += exp(logprob[m] - top);
	for (int m = 0; m < MOVES; m++)
		logprob[m] -= top + log(sum);
}

void
policy_truth(const Policy *policy, const Planner *planner, int budget, int turns, double *success)
{
	const World *w = planner->world;
	double here[MAX_CELLS] = {0};
	double arrived = 0;

	here[w->start] = 1;
	for (int t = 0; t < turns; t++) {
		double next[MAX_CELLS] = {0};

		for (int c = 0; c < w->cells; c++) {
			double logprob[MOVES];

			if (here[c] == 0 || world_ends(w, c))
				continue;
			policy_logprobs(policy, planner, c, budget - t, logprob);
			for (int m = 0; m < MOVES; m++)
				for (int i = 0; i < LANDINGS; i++)
					next[w->landing[c][m][i]] += here[c] * exp(logprob[m]) / LANDINGS;
		}
		arrived += next[w->goal];
		success[t] = arrived;
		memcpy(here, next, sizeof(here));
	}
}
