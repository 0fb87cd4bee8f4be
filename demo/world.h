/*
 * FrozenLake: an n × n map of ice (F), holes (H), a start (S) and a goal (G).
 * A move goes where it is meant to, or to either side of that, with
 * probability 1/3 each; the edge holds one in place. A hole ends the rollout
 * without reward, the goal ends it with reward 1.
 */
#ifndef LAB_WORLD_H
#define LAB_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_SIZE	16
#define MAX_CELLS	(MAX_SIZE * MAX_SIZE)
#define MAX_HORIZON 1000
#define MAX_MAPS	10000
#define LANDINGS	3

typedef enum Move { LEFT, DOWN, RIGHT, UP, MOVES } Move;

extern const char *const move_names[MOVES];

typedef enum Split { TRAIN, TEST, SPLITS } Split;

extern const char *const split_names[SPLITS];

typedef struct World {
	int id; /* from 1 within its split */
	char name[16];
	int size;
	int cells;
	int start;
	int goal;
	char tile[MAX_CELLS];
	int16_t distance[MAX_CELLS]; /* moves to the goal without slipping; -1: unreachable */
	/* where a move may end, each with probability 1/3; [0] is as meant */
	uint8_t landing[MAX_CELLS][MOVES][LANDINGS];
} World;

/*
 * count maps of a split, drawn independently of each other, each with a way
 * from the start to the goal; free() them. The hash of its tiles says to which
 * split a map belongs, so no map is in both, whatever the seeds. Ends the
 * program when the size has hardly any.
 */
extern World *worlds_generate(uint64_t seed, Split split, int count, int size, double hole_share);

static inline bool
world_ends(const World *w, int cell)
{
	return w->tile[cell] == 'H' || w->tile[cell] == 'G';
}

/*
 * Exact discounted value of each move under best play with 1 .. horizon turns
 * left, by dynamic programming: a table freed with quality_free.
 */
typedef struct Quality {
	int cells;
	int horizon;
	double *q; /* [turns left - 1][cell][move] */
} Quality;

extern void quality_compute(Quality *quality, const World *w, int horizon, double gamma);
extern void quality_free(Quality *quality);

static inline const double *
quality_at(const Quality *quality, int turns_left, int cell)
{
	return quality->q + ((turns_left - 1) * quality->cells + cell) * MOVES;
}

static inline double
best_of(const double *q)
{
	double best = q[0];

	for (int m = 1; m < MOVES; m++)
		if (q[m] > best)
			best = q[m];
	return best;
}

/* malloc that does not return without memory; all bytes are 0 */
extern void *need_memory(size_t count, size_t size);

#endif
