#include <stdlib.h>
#include <string.h>

#include "rollout.h"
#include "truth.h"

void
truth_success(const Policy *policy, const View *view, int cell, int turns, bool announced,
			  double *success)
{
	const World *w = view->world;
	double here[MAX_CELLS] = {0};
	double arrived = 0;

	here[cell] = 1;
	for (int t = 0; t < turns; t++) {
		double next[MAX_CELLS] = {0};

		for (int c = 0; c < w->cells; c++) {
			double chance[MOVES];

			if (here[c] == 0 || world_ends(w, c))
				continue;
			policy_chances(policy, view, c, announced ? turns - t : 0, chance);
			for (int m = 0; m < MOVES; m++)
				for (int i = 0; i < LANDINGS; i++)
					next[w->landing[c][m][i]] += here[c] * chance[m] / LANDINGS;
		}
		arrived += next[w->goal];
		success[t] = arrived;
		memcpy(here, next, sizeof(here));
	}
}

/* ---- a plan in one turn ---- */

/* One move of the plan, from every believed and every true cell at once; what arrives. */
static double
StepPlan(const World *w, double (*chance)[MOVES], const double *here, double *next)
{
	double arrived = 0;

	memset(next, 0, sizeof(double) * w->cells * w->cells);
	for (int believed = 0; believed < w->cells; believed++) {
		const double *from = here + believed * w->cells;

		if (world_ends(w, believed))
			continue;
		for (int c = 0; c < w->cells; c++) {
			if (from[c] == 0 || world_ends(w, c))
				continue;
			for (int m = 0; m < MOVES; m++) {
				double *to = next + w->landing[believed][m][0] * w->cells;

				for (int i = 0; i < LANDINGS; i++)
					to[w->landing[c][m][i]] += from[c] * chance[believed][m] / LANDINGS;
			}
		}
	}
	for (int believed = 0; believed < w->cells; believed++)
		arrived += next[believed * w->cells + w->goal];
	return arrived;
}

double
truth_single(const Policy *policy, const View *view, int turns, bool announced)
{
	const World *w = view->world;
	double *here = need_memory((size_t) w->cells * w->cells, sizeof(double));
	double *next = need_memory((size_t) w->cells * w->cells, sizeof(double));
	double arrived = 0;

	here[w->start * w->cells + w->start] = 1;
	for (int t = 0; t < turns; t++) {
		double chance[MAX_CELLS][MOVES];
		double *swap = here;

		for (int c = 0; c < w->cells; c++)
			if (!world_ends(w, c))
				policy_chances(policy, view, c, announced ? turns - t : 0, chance[c]);
		arrived += StepPlan(w, chance, here, next);
		here = next;
		next = swap;
	}
	free(here);
	free(next);
	return arrived;
}
