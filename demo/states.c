#include <string.h>

#include "learn.h"
#include "rollout.h"
#include "states.h"
#include "truth.h"

#define MAX_TRIES 200

typedef struct State {
	const char *kind;
	const Policy *source;
	int number;
	int turn; /* from 1 */
	int cell;
	int left; /* turns that remain */
} State;

typedef struct Scene {
	const StateRun *run;
	const View *view;
	const Quality *quality;
	FILE *out;
} Scene;

static uint64_t
StreamName(const char *kind, const Policy *policy)
{
	return random_name(kind, strlen(kind)) ^ random_name(policy->name, strlen(policy->name));
}

/* ---- drawing states ---- */

static const Turn *
DrawTurn(Rollout *r, const Scene *scene, const Policy *source, Random *random)
{
	rollout_play(r, source, scene->view, scene->view->world->start, scene->run->budget,
				 scene->run->announced, random);
	return &r->turn[(int) (random_unit(random) * r->turns)];
}

static State
DrawMatched(const Scene *scene, const Policy *source, int number, Random *random)
{
	static Rollout r;
	const Turn *turn = DrawTurn(&r, scene, source, random);

	return (State){"matched",  source,		   number, scene->run->budget - turn->remaining + 1,
				   turn->cell, turn->remaining};
}

/* One of the moves that are errors, by equal chance; -1 when none is. */
static int
DrawError(const double q[MOVES], Random *random)
{
	int errors[MOVES];
	int n = 0;

	for (int m = 0; m < MOVES; m++)
		if (move_is_error(q, m))
			errors[n++] = m;
	return n ? errors[(int) (random_unit(random) * n)] : -1;
}

/* Where a wrong move led that did not end the rollout; false when none was found. */
static bool
DrawInjected(State *state, const Scene *scene, const Policy *source, int number, Random *random)
{
	static Rollout r;

	for (int i = 0; i < MAX_TRIES; i++) {
		const Turn *turn = DrawTurn(&r, scene, source, random);
		int move = DrawError(quality_at(scene->quality, turn->remaining, turn->cell), random);
		int cell;

		if (move < 0 || turn->remaining < 2)
			continue;
		cell = draw_landing(scene->view->world, turn->cell, move, random);
		if (world_ends(scene->view->world, cell))
			continue;
		*state = (State){"injected", source,
						 number,	 scene->run->budget - turn->remaining + 2,
						 cell,		 turn->remaining - 1};
		return true;
	}
	return false;
}

/* ---- what each policy does there ---- */

/* All samples of a policy at a state make one row. */
static void
WriteCompactly(const Scene *scene, const State *s, const Policy *policy, int sample, double value)
{
	const char *task = scene->view->world->name;

	if (sample == 1)
		fprintf(scene->out, "%s\t%s\t%s/%s/%d\t%s\t{", s->kind, task, task, s->source->name,
				s->number, policy->name);
	fprintf(scene->out, "%.12g%s", value, sample < GROUP ? "," : "}\n");
}

static void
WriteSample(const Scene *scene, const State *s, const Policy *policy, int sample, Move move,
			double value, double exact)
{
	const World *w = scene->view->world;
	const double *q = quality_at(scene->quality, s->left, s->cell);

	if (scene->run->compact) {
		WriteCompactly(scene, s, policy, sample, value);
		return;
	}
	fprintf(scene->out, "%s\t%s\t%s/%s/%d\t%s\t%d\t%d\t%d,%d\t%s\t%d\t%s\t%s\t%.12f\t%.12f\n",
			s->kind, w->name, w->name, s->source->name, s->number, s->source->name, s->turn,
			scene->run->budget, s->cell / w->size, s->cell % w->size, policy->name, sample,
			move_names[move], move_is_error(q, move) ? "t" : "f", value, exact);
}

static Random
SampleStream(const Scene *scene, const State *s, const Policy *policy, int sample)
{
	return random_stream(scene->run->seed, StreamName(s->kind, policy),
						 StreamName(scene->view->world->name, s->source),
						 (uint64_t) s->number * GROUP + sample);
}

static void
WriteMoves(const Scene *scene, const State *s, const Policy *policy)
{
	const double *q = quality_at(scene->quality, s->left, s->cell);
	double chance[MOVES];
	double exact = 0;

	policy_chances(policy, scene->view, s->cell, scene->run->announced ? s->left : 0, chance);
	for (int m = 0; m < MOVES; m++)
		exact += chance[m] * q[m];
	for (int sample = 1; sample <= GROUP; sample++) {
		Random random = SampleStream(scene, s, policy, sample);
		Move move = draw_move(chance, &random);

		WriteSample(scene, s, policy, sample, move, q[move], exact);
	}
}

static void
WriteContinuations(const Scene *scene, const State *s, const Policy *policy)
{
	static Rollout r;
	double success[MAX_HORIZON] = {0};

	/* rows that are compact do without the expectation, which takes longer than all samples */
	if (!scene->run->compact)
		truth_success(policy, scene->view, s->cell, s->left, scene->run->announced, success);
	for (int sample = 1; sample <= GROUP; sample++) {
		Random random = SampleStream(scene, s, policy, sample);

		rollout_play(&r, policy, scene->view, s->cell, s->left, scene->run->announced, &random);
		WriteSample(scene, s, policy, sample, r.turn[0].move, r.solved, success[s->left - 1]);
	}
}

static void
WriteState(const Scene *scene, State *state)
{
	for (int p = 0; p < scene->run->count; p++)
		WriteMoves(scene, state, &scene->run->policies[p]);
	if (strcmp(state->kind, "injected") != 0)
		return;
	state->kind = "continued";
	for (int p = 0; p < scene->run->count; p++)
		WriteContinuations(scene, state, &scene->run->policies[p]);
}

void
states_write(const StateRun *run, const View *view, const Quality *quality, FILE *out)
{
	Scene scene = {run, view, quality, out};

	for (int p = 0; p < run->count; p++) {
		const Policy *source = &run->policies[p];

		for (int i = 1; i <= run->states; i++) {
			Random random = random_stream(run->seed, StreamName("states", source),
										  StreamName(view->world->name, source), i);
			State state = DrawMatched(&scene, source, i, &random);

			WriteState(&scene, &state);
			if (DrawInjected(&state, &scene, source, i, &random))
				WriteState(&scene, &state);
		}
	}
}
