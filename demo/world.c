#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "world.h"

const char *const move_names[MOVES] = {"left", "down", "right", "up"};

static int
StepTo(const World *w, int cell, Move move)
{
	int row = cell / w->size;
	int column = cell % w->size;

	switch (move) {
		case LEFT:
			return column > 0 ? cell - 1 : cell;
		case DOWN:
			return row < w->size - 1 ? cell + w->size : cell;
		case RIGHT:
			return column < w->size - 1 ? cell + 1 : cell;
		default:
			return row > 0 ? cell - w->size : cell;
	}
}

/* Breadth first from the goal, over ice. */
static void
MeasureDistances(World *w)
{
	int queue[MAX_CELLS];
	int head = 0;
	int tail = 0;

	for (int c = 0; c < w->cells; c++)
		w->distance[c] = -1;
	w->distance[w->goal] = 0;
	queue[tail++] = w->goal;
	while (head < tail) {
		int cell = queue[head++];

		for (Move m = LEFT; m < MOVES; m++) {
			int next = StepTo(w, cell, m);

			if (w->tile[next] == 'H' || w->distance[next] >= 0)
				continue;
			w->distance[next] = w->distance[cell] + 1;
			queue[tail++] = next;
		}
	}
}

static void
DrawTiles(World *w, Random *random, double hole_share)
{
	for (int c = 0; c < w->cells; c++)
		w->tile[c] = random_unit(random) < hole_share ? 'H' : 'F';
	w->tile[w->start] = 'S';
	w->tile[w->goal] = 'G';
}

void
world_generate(World *w, uint64_t seed, int id, int size, double hole_share)
{
	Random random = random_stream(seed, 0x6D6170, (uint64_t) id, (uint64_t) size);

	memset(w, 0, sizeof(*w));
	w->id = id;
	w->size = size;
	w->cells = size * size;
	w->start = 0;
	w->goal = w->cells - 1;
	do {
		DrawTiles(w, &random, hole_share);
		MeasureDistances(w);
	} while (w->distance[w->start] < 0);

	for (int c = 0; c < w->cells; c++) {
		for (int m = 0; m < MOVES; m++) {
			w->landing[c][m][0] = StepTo(w, c, m);
			w->landing[c][m][1] = StepTo(w, c, (m + 1) % MOVES);
			w->landing[c][m][2] = StepTo(w, c, (m + 3) % MOVES);
		}
	}
}

static double
MoveValue(const World *w, const double *after, int cell, int move, double gamma)
{
	double sum = 0;

	for (int i = 0; i < LANDINGS; i++) {
		int next = w->landing[cell][move][i];

		if (w->tile[next] == 'G')
			sum += 1;
		else if (w->tile[next] != 'H' && after)
			sum += gamma * best_of(after + next * MOVES);
	}
	return sum / LANDINGS;
}

void
quality_compute(Quality *quality, const World *w, int horizon, double gamma)
{
	quality->cells = w->cells;
	quality->horizon = horizon;
	quality->q = calloc((size_t) horizon * w->cells * MOVES, sizeof(double));
	if (!quality->q) {
		fputs("frozenlake: out of memory\n", stderr);
		exit(1);
	}
	for (int left = 1; left <= horizon; left++) {
		const double *after = left > 1 ? quality_at(quality, left - 1, 0) : NULL;
		double *now = quality->q + (size_t) (left - 1) * w->cells * MOVES;

		for (int c = 0; c < w->cells; c++)
			for (int m = 0; m < MOVES; m++)
				if (!world_ends(w, c))
					now[c * MOVES + m] = MoveValue(w, after, c, m, gamma);
	}
}

void
quality_free(Quality *quality)
{
	free(quality->q);
	quality->q = NULL;
}
