#include <stdlib.h>

#include "learn.h"
#include "numbers.h"
#include "rollout.h"

#define ADAM_MEAN	0.9
#define ADAM_SQUARE 0.99
#define ADAM_FLOOR	1e-8

#define DEMONSTRATIONS	 4 /* per map */
#define IMITATION_STEPS	 150
#define IMITATION_RATE	 0.1
#define PLANNER_NOISE	 0.2
#define MAX_DEMONSTRATED 200000

/* ---- steps ---- */

void
gradient_add(Gradient gradient, const Policy *policy, const View *view, int cell, int told,
			 int move, double scale)
{
	const double(*feature)[FEATURES] = (const double(*)[FEATURES]) view->feature[cell];
	double tightness = view_tightness(view, cell, told);
	double chance[MOVES];

	policy_chances(policy, view, cell, told, chance);
	for (int f = 0; f < FEATURES; f++) {
		double expected = 0;
		double slope;

		for (int m = 0; m < MOVES; m++)
			expected += chance[m] * feature[m][f];
		slope = scale * (feature[move][f] - expected);
		gradient[ALWAYS][f] += slope;
		gradient[WHEN_TIGHT][f] += tightness * slope;
	}
}

static double
Power(double x, int n)
{
	double power = 1;

	while (n-- > 0)
		power *= x;
	return power;
}

void
optimizer_step(Optimizer *o, Policy *policy, Gradient gradient)
{
	double mean_share, square_share;

	o->steps++;
	mean_share = 1 - Power(ADAM_MEAN, o->steps);
	square_share = 1 - Power(ADAM_SQUARE, o->steps);
	for (int p = 0; p < PARTS; p++) {
		for (int f = 0; f < FEATURES; f++) {
			double g = gradient[p][f];

			o->mean[p][f] = ADAM_MEAN * o->mean[p][f] + (1 - ADAM_MEAN) * g;
			o->square[p][f] = ADAM_SQUARE * o->square[p][f] + (1 - ADAM_SQUARE) * g * g;
			policy->weight[p][f] += o->rate * (o->mean[p][f] / mean_share) /
									(sqrt(o->square[p][f] / square_share) + ADAM_FLOOR);
		}
	}
}

/* ---- imitation ---- */

typedef struct Demonstrated {
	const View *view;
	int cell;
	int told;
	Move move;
} Demonstrated;

typedef struct Demonstrations {
	Demonstrated *move;
	int count;
} Demonstrations;

static Move
PlannedMove(const World *w, int cell, Random *random)
{
	double chance[MOVES];
	int good = 0;

	for (int m = 0; m < MOVES; m++) {
		int aim = w->landing[cell][m][0];

		chance[m] = w->distance[aim] >= 0 && w->distance[aim] < w->distance[cell];
		good += chance[m] > 0;
	}
	for (int m = 0; m < MOVES; m++)
		chance[m] = PLANNER_NOISE / MOVES +
					(good ? (1 - PLANNER_NOISE) * chance[m] / good : (1 - PLANNER_NOISE) / MOVES);
	return draw_move(chance, random);
}

static void
Demonstrate(Demonstrations *d, const View *view, int budget, Random *random)
{
	const World *w = view->world;
	int cell = w->start;

	for (int left = budget; left > 0 && !world_ends(w, cell); left--) {
		Move move = PlannedMove(w, cell, random);

		if (d->count == MAX_DEMONSTRATED)
			return;
		d->move[d->count++] = (Demonstrated){view, cell, left, move};
		cell = draw_landing(w, cell, move, random);
	}
}

void
imitate(Policy *policy, const Lesson *lessons, int count, int budget, uint64_t seed)
{
	Demonstrations d = {need_memory(MAX_DEMONSTRATED, sizeof(Demonstrated)), 0};
	Optimizer optimizer = {.rate = IMITATION_RATE};

	for (int i = 0; i < count; i++) {
		for (int j = 0; j < DEMONSTRATIONS; j++) {
			Random random = random_stream(seed, random_name("imitate", 7), i, j);
			/* budgets of every size, so that a tight one does not surprise it */
			int turns = 1 + (int) (random_unit(&random) * budget);

			Demonstrate(&d, &lessons[i].view, turns, &random);
		}
	}
	for (int step = 0; step < IMITATION_STEPS; step++) {
		Gradient gradient = {{0}};

		for (int i = 0; i < d.count; i++)
			gradient_add(gradient, policy, d.move[i].view, d.move[i].cell, d.move[i].told,
						 d.move[i].move, 1.0 / d.count);
		optimizer_step(&optimizer, policy, gradient);
	}
	free(d.move);
}
