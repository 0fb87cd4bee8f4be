#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "rollout.h"
#include "truth.h"

/* runs of 0 .. MAX_RUN errors, and longer ones */
#define RUNS (MAX_RUN + 2)

/*
 * Rollouts before a turn: by cell, by the length of the run of errors that they
 * are in and by whether they met an error. ratio is log(policy / base) so far,
 * times the chance.
 */
typedef struct Crowd {
	double chance[MAX_CELLS][RUNS][2];
	double ratio[MAX_CELLS][RUNS][2];
} Crowd;

typedef struct Group {
	int run;
	bool met;
	double chance;
	double ratio;
} Group;

/* A group takes one more turn, an error or not, while in a run of errors. */
static void
FollowRun(ErrorTruth *truth, const Group *g, bool error)
{
	if (g->run == 0)
		return;
	truth->followed += g->chance;
	truth->corrected += error ? 0 : g->chance;
	if (g->run > MAX_RUN)
		return;
	truth->at_risk[g->run - 1] += g->chance;
	truth->recovered[g->run - 1] += error ? 0 : g->chance;
}

static void
FallIn(ErrorTruth *truth, const Group *g)
{
	if (g->run == 0)
		return;
	/* never recovers: at risk after any number of turns */
	for (int j = g->run; j <= MAX_RUN; j++)
		truth->at_risk[j - 1] += g->chance;
}

/* Reaches the goal in mid-episode: was at risk never, which is known only now. */
static void
ArriveIn(ErrorTruth *truth, const Group *g)
{
	for (int j = 1; j < g->run; j++)
		truth->at_risk[j - 1] -= g->chance;
}

static void
EndRollout(ErrorTruth *truth, const Group *g, char tile)
{
	truth->log_ratio += g->ratio;
	truth->with_error += g->met ? g->chance : 0;
	if (tile == 'G') {
		truth->log_ratio_solved += g->ratio;
		*(g->met ? &truth->solved_with_error : &truth->solved_without_error) += g->chance;
		ArriveIn(truth, g);
	} else if (tile == 'H')
		FallIn(truth, g);
	else if (g->run > 0)
		truth->censored += g->chance;
}

/* A group that landed on a cell, with so many turns left: it ends or joins the next crowd. */
static void
Land(ErrorTruth *truth, Crowd *next, const World *w, int cell, int left, const Group *g)
{
	if (world_ends(w, cell) || left == 0) {
		EndRollout(truth, g, w->tile[cell]);
		return;
	}
	next->chance[cell][g->run][g->met] += g->chance;
	next->ratio[cell][g->run][g->met] += g->ratio;
}

typedef struct Choice {
	double chance;
	double ratio; /* log(policy / base) */
	bool error;
} Choice;

static void
Choices(const Policy *policy, const Policy *base, const View *view, const double *q, int cell,
		int told, Choice choice[MOVES])
{
	double logprob[MOVES], ref_logprob[MOVES];

	policy_logprobs(policy, view, cell, told, logprob);
	policy_logprobs(base, view, cell, told, ref_logprob);
	for (int m = 0; m < MOVES; m++) {
		choice[m].chance = lab_exp(logprob[m]);
		choice[m].ratio = logprob[m] - ref_logprob[m];
		choice[m].error = move_is_error(q, m);
	}
}

static void
MoveGroup(ErrorTruth *truth, Crowd *next, const World *w, int cell, int left,
		  const Choice choice[MOVES], const Group *g)
{
	truth->turns += g->chance;
	for (int m = 0; m < MOVES; m++) {
		bool error = choice[m].error;
		Group moved = {
			.run = error ? (g->run < RUNS - 1 ? g->run + 1 : g->run) : 0,
			.met = g->met || error,
			.chance = g->chance * choice[m].chance,
			.ratio = (g->ratio + g->chance * choice[m].ratio) * choice[m].chance,
		};
		Group before = *g;

		before.chance = moved.chance;
		truth->error_turns += error ? moved.chance : 0;
		FollowRun(truth, &before, error);
		moved.chance /= LANDINGS;
		moved.ratio /= LANDINGS;
		for (int i = 0; i < LANDINGS; i++)
			Land(truth, next, w, w->landing[cell][m][i], left, &moved);
	}
}

static void
MoveFrom(ErrorTruth *truth, const Crowd *here, Crowd *next, const World *w, int cell, int left,
		 const Choice choice[MOVES])
{
	for (int run = 0; run < RUNS; run++) {
		for (int met = 0; met < 2; met++) {
			Group g = {run, met, here->chance[cell][run][met], here->ratio[cell][run][met]};

			if (g.chance > 0)
				MoveGroup(truth, next, w, cell, left, choice, &g);
		}
	}
}

void
truth_errors(const Policy *policy, const Policy *base, const View *view, const Quality *quality,
			 int turns, bool announced, ErrorTruth *truth)
{
	const World *w = view->world;
	Crowd *here = need_memory(1, sizeof(Crowd));
	Crowd *next = need_memory(1, sizeof(Crowd));

	memset(truth, 0, sizeof(*truth));
	here->chance[w->start][0][0] = 1;
	for (int left = turns; left > 0; left--) {
		Crowd *swap = here;

		memset(next->chance, 0, w->cells * sizeof(next->chance[0]));
		memset(next->ratio, 0, w->cells * sizeof(next->ratio[0]));
		for (int c = 0; c < w->cells; c++) {
			Choice choice[MOVES];

			if (world_ends(w, c))
				continue;
			Choices(policy, base, view, quality_at(quality, left, c), c, announced ? left : 0,
					choice);
			MoveFrom(truth, here, next, w, c, left - 1, choice);
		}
		here = next;
		next = swap;
	}
	free(here);
	free(next);
}
