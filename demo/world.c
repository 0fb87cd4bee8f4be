#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "world.h"

/* A size whose few maps all belong to the other split would be searched for ever. */
#define MAX_DRAWS 10000

const char *const move_names[MOVES] = {"left", "down", "right", "up"};
const char *const split_names[SPLITS] = {"train", "test"};

void *
need_memory(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		fputs("lab: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

/* ---- maps ---- */

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

static Split
SplitOf(const World *w)
{
	return random_name(w->tile, w->cells) % SPLITS;
}

static void
FindLandings(World *w)
{
	for (int c = 0; c < w->cells; c++) {
		for (int m = 0; m < MOVES; m++) {
			w->landing[c][m][0] = StepTo(w, c, m);
			w->landing[c][m][1] = StepTo(w, c, (m + 1) % MOVES);
			w->landing[c][m][2] = StepTo(w, c, (m + 3) % MOVES);
		}
	}
}

static bool
DrawMap(World *w, Split split, Random *random, double hole_share)
{
	for (int i = 0; i < MAX_DRAWS; i++) {
		DrawTiles(w, random, hole_share);
		if (SplitOf(w) != split)
			continue;
		MeasureDistances(w);
		if (w->distance[w->start] >= 0)
			return true;
	}
	return false;
}

World *
worlds_generate(uint64_t seed, Split split, int count, int size, double hole_share)
{
	World *worlds = need_memory(count, sizeof(World));

	for (int i = 0; i < count; i++) {
		World *w = &worlds[i];
		Random random = random_stream(seed, split, i, size);

		w->id = i + 1;
		snprintf(w->name, sizeof(w->name), "%s-%03d", split_names[split], w->id);
		w->size = size;
		w->cells = size * size;
		w->goal = w->cells - 1;
		if (!DrawMap(w, split, &random, hole_share)) {
			fprintf(stderr, "lab: there are hardly any %s maps of this size\n", split_names[split]);
			exit(1);
		}
		FindLandings(w);
	}
	return worlds;
}

/* ---- values ---- */

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
	quality->q = need_memory((size_t) horizon * w->cells * MOVES, sizeof(double));
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
