/*
 * Plays a policy on a map, judges its moves and writes the rollout as one line
 * of canonical JSON.
 */
#ifndef LAB_ROLLOUT_H
#define LAB_ROLLOUT_H

#include <stdio.h>

#include "policy.h"
#include "random.h"

/* of the value Q* of a move; the oracle's default */
#define GAMMA 0.95

/*
 * A move is an error when it lowers Q*: when the best move is worth more with
 * the same turns left, by more than this share, which rounding explains.
 */
#define EQUAL_SHARE 1e-9

typedef struct Turn {
	int cell; /* where the move was chosen */
	Move move;
	int landed;
	int remaining; /* turns left before the move, whether or not they were announced */
	double logprob;
	/* set by rollout_judge */
	double ref_logprob; /* of the base policy */
	double value;		/* exact, under best play with the turns left */
	bool error;
	const char *error_kind; /* NULL unless error */
} Turn;

typedef struct Rollout {
	const World *world;
	int budget;
	bool announced;
	bool solved;
	bool fell;
	int turns;
	Turn turn[MAX_HORIZON];
} Rollout;

/* Draws from chances that sum to one. */
extern Move draw_move(const double chance[MOVES], Random *random);
extern int draw_landing(const World *w, int cell, Move move, Random *random);
extern bool move_is_error(const double q[MOVES], Move move);

/* Plays from a cell with so many turns. */
extern void rollout_play(Rollout *r, const Policy *policy, const View *view, int cell, int budget,
						 bool announced, Random *random);
extern void rollout_judge(Rollout *r, const Policy *base, const View *view, const Quality *quality);
extern void rollout_write(const Rollout *r, const Policy *policy, int attempt, FILE *out);

/*
 * Writes a row with tabs: policy, task, attempt, success, turns, log-likelihood of the moves, the
 * same under the base policy, and a trajectory of the outcome and the error flags alone.
 */
extern void rollout_write_row(const Rollout *r, const Policy *policy, int attempt, FILE *out);

#endif
