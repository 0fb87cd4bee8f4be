#include <math.h>

#include "rollout.h"

/*
 * A move is an error when it keeps less than this share of the value that the
 * best move has with the same turns left.
 */
#define KEPT_SHARE 0.8

static Move
DrawMove(const double logprob[MOVES], Random *random)
{
	double u = random_unit(random);

	for (int m = 0; m < MOVES - 1; m++) {
		u -= exp(logprob[m]);
		if (u < 0)
			return m;
	}
	return MOVES - 1;
}

static int
Holes(const World *w, int cell, int move)
{
	int holes = 0;

	for (int i = 0; i < LANDINGS; i++)
		holes += w->tile[w->landing[cell][move][i]] == 'H';
	return holes;
}

/* Sets the exact value of the turn's move and whether the move is an error. */
static void
JudgeMove(Turn *turn, const World *w, const double *q)
{
	int best = 0;

	for (int m = 1; m < MOVES; m++)
		if (q[m] > q[best])
			best = m;
	turn->value = q[turn->move];
	turn->error = turn->value < KEPT_SHARE * q[best];
	if (!turn->error)
		turn->error_kind = NULL;
	else if (Holes(w, turn->cell, turn->move) > Holes(w, turn->cell, best))
		turn->error_kind = "thin_ice";
	else
		turn->error_kind = "detour";
}

void
rollout_play(Rollout *r, const Policy *policy, const Policy *base, const Planner *planner,
			 const Quality *quality, int budget, int attempt, Random *random)
{
	const World *w = planner->world;
	int cell = w->start;

	r->world = w;
	r->policy = policy;
	r->attempt = attempt;
	r->budget = budget;
	r->turns = 0;
	while (r->turns < budget && !world_ends(w, cell)) {
		Turn *turn = &r->turn[r->turns];
		double logprob[MOVES];
		double ref_logprob[MOVES];

		turn->cell = cell;
		turn->remaining = budget - r->turns;
		policy_logprobs(policy, planner, cell, turn->remaining, logprob);
		policy_logprobs(base, planner, cell, turn->remaining, ref_logprob);
		turn->move = DrawMove(logprob, random);
		turn->logprob = logprob[turn->move];
		turn->ref_logprob = ref_logprob[turn->move];
		JudgeMove(turn, w, quality_at(quality, turn->remaining, cell));
		cell = w->landing[cell][turn->move][(int) (random_unit(random) * LANDINGS)];
		turn->landed = cell;
		r->turns++;
	}
	r->solved = w->tile[cell] == 'G';
	r->fell = w->tile[cell] == 'H';
}

static void
WriteMap(const World *w, const char *between, FILE *out)
{
	for (int row = 0; row < w->size; row++)
		fprintf(out, "%s%.*s", row ? between : "", w->size, w->tile + row * w->size);
}

static void
WritePrompt(const Rollout *r, FILE *out)
{
	fputs("Cross the frozen lake from S to G without falling into a hole (H). The ice is slippery: "
		  "a move may end to either side of where it aims.\\n",
		  out);
	WriteMap(r->world, "\\n", out);
	fprintf(out, "\\nYou have %d turns in all, and %d remain. Answer left, down, right or up.",
			r->budget, r->budget);
}

static void
WriteObservation(const Turn *turn, const World *w, FILE *out)
{
	int row = turn->landed / w->size + 1;
	int column = turn->landed % w->size + 1;
	bool as_meant = turn->landed == w->landing[turn->cell][turn->move][0];

	if (w->tile[turn->landed] == 'H')
		fprintf(out, "The ice breaks at row %d, column %d.", row, column);
	else if (w->tile[turn->landed] == 'G')
		fputs("You have reached the goal.", out);
	else
		fprintf(out, "%s row %d, column %d. %d turns remain.",
				as_meant ? "You stand at" : "You slip to", row, column, turn->remaining - 1);
}

static void
WriteTurn(const Turn *turn, const World *w, FILE *out)
{
	fprintf(out, "{\"action\":\"%s\",\"observation\":\"", move_names[turn->move]);
	WriteObservation(turn, w, out);
	fprintf(out, "\",\"error\":%s", turn->error ? "true" : "false");
	if (turn->error)
		fprintf(out, ",\"error_kind\":\"%s\"", turn->error_kind);
	fprintf(out, ",\"state\":\"%d:%d,%d\"", w->id, turn->cell / w->size + 1,
			turn->cell % w->size + 1);
	fprintf(out, ",\"value\":%.6f,\"tokens\":1,\"logprob\":%.6f,\"ref_logprob\":%.6f", turn->value,
			turn->logprob, turn->ref_logprob);
	fprintf(out, ",\"remaining\":%d}", turn->remaining);
}

void
rollout_write(const Rollout *r, FILE *out)
{
	const World *w = r->world;

	fprintf(out, "{\"task_id\":\"lake-%03d\",\"attempt_id\":\"%d\",\"trajectory\":{", w->id,
			r->attempt);
	fprintf(out, "\"success\":%s,\"reward\":%d,\"status\":\"%s\",\"stop_reason\":\"%s\"",
			r->solved ? "true" : "false", r->solved,
			r->solved || r->fell ? "completed" : "truncated",
			r->solved ? "goal"
			: r->fell ? "hole"
					  : "budget");
	fprintf(out, ",\"budget\":%d", r->budget);
	if (r->solved)
		fprintf(out, ",\"solved_at\":%d", r->turns);
	fputs(",\"prompt\":\"", out);
	WritePrompt(r, out);
	fputs("\",\"steps\":[", out);
	for (int t = 0; t < r->turns; t++) {
		if (t)
			putc(',', out);
		WriteTurn(&r->turn[t], w, out);
	}
	fprintf(out, "]},\"meta\":{\"policy\":\"%s\",\"map\":\"", r->policy->name);
	WriteMap(w, "/", out);
	fputs("\"}}\n", out);
}
