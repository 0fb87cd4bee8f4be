#include "numbers.h"
#include "rollout.h"

/* ---- playing ---- */

Move
draw_move(const double chance[MOVES], Random *random)
{
	double u = random_unit(random);

	for (int m = 0; m < MOVES - 1; m++) {
		u -= chance[m];
		if (u < 0)
			return m;
	}
	return MOVES - 1;
}

int
draw_landing(const World *w, int cell, Move move, Random *random)
{
	return w->landing[cell][move][(int) (random_unit(random) * LANDINGS)];
}

void
rollout_play(Rollout *r, const Policy *policy, const View *view, int cell, int budget,
			 bool announced, Random *random)
{
	const World *w = view->world;

	r->world = w;
	r->budget = budget;
	r->announced = announced;
	r->turns = 0;
	while (r->turns < budget && !world_ends(w, cell)) {
		Turn *turn = &r->turn[r->turns];
		double logprob[MOVES], chance[MOVES];

		turn->cell = cell;
		turn->remaining = budget - r->turns;
		policy_logprobs(policy, view, cell, announced ? turn->remaining : 0, logprob);
		for (int m = 0; m < MOVES; m++)
			chance[m] = lab_exp(logprob[m]);
		turn->move = draw_move(chance, random);
		turn->logprob = logprob[turn->move];
		cell = turn->landed = draw_landing(w, cell, turn->move, random);
		r->turns++;
	}
	r->solved = w->tile[cell] == 'G';
	r->fell = w->tile[cell] == 'H';
}

/* ---- judging ---- */

static int
Holes(const World *w, int cell, int move)
{
	int holes = 0;

	for (int i = 0; i < LANDINGS; i++)
		holes += w->tile[w->landing[cell][move][i]] == 'H';
	return holes;
}

bool
move_is_error(const double q[MOVES], Move move)
{
	return q[move] < (1 - EQUAL_SHARE) * best_of(q);
}

static const char *
ErrorKind(const World *w, const Turn *turn, const double q[MOVES])
{
	int best = 0;

	for (int m = 1; m < MOVES; m++)
		if (q[m] > q[best])
			best = m;
	if (Holes(w, turn->cell, turn->move) > Holes(w, turn->cell, best))
		return "thin_ice";
	return "detour";
}

void
rollout_judge(Rollout *r, const Policy *base, const View *view, const Quality *quality)
{
	for (int t = 0; t < r->turns; t++) {
		Turn *turn = &r->turn[t];
		const double *q = quality_at(quality, turn->remaining, turn->cell);
		double ref_logprob[MOVES];

		policy_logprobs(base, view, turn->cell, r->announced ? turn->remaining : 0, ref_logprob);
		turn->ref_logprob = ref_logprob[turn->move];
		turn->value = q[turn->move];
		turn->error = move_is_error(q, turn->move);
		turn->error_kind = turn->error ? ErrorKind(r->world, turn, q) : NULL;
	}
}

/* ---- writing ---- */

static void
WriteMap(const World *w, const char *between, FILE *out)
{
	for (int row = 0; row < w->size; row++)
		fprintf(out, "%s%.*s", row ? between : "", w->size, w->tile + row * w->size);
}

static const char *
Plural(int n)
{
	return n == 1 ? "" : "s";
}

static void
WritePrompt(const Rollout *r, FILE *out)
{
	fputs("Cross the frozen lake from S to G without falling into a hole (H). The ice is slippery: "
		  "a move may end to either side of where it aims.\\n",
		  out);
	WriteMap(r->world, "\\n", out);
	fputs("\\n", out);
	if (r->announced)
		/* as budgetmix_prompt has it */
		fprintf(out, "You have %d turn%s in total. %d turn%s remain%s, this one included. ",
				r->budget, Plural(r->budget), r->budget, Plural(r->budget),
				r->budget == 1 ? "s" : "");
	fputs("Answer left, down, right or up.", out);
}

static void
WriteObservation(const Rollout *r, const Turn *turn, FILE *out)
{
	const World *w = r->world;
	bool as_meant = turn->landed == w->landing[turn->cell][turn->move][0];

	if (w->tile[turn->landed] == 'H')
		fputs("The ice breaks at", out);
	else if (w->tile[turn->landed] == 'G')
		fputs("You have reached the goal at", out);
	else
		fputs(as_meant ? "You stand at" : "You slip to", out);
	fprintf(out, " row %d, column %d.", turn->landed / w->size, turn->landed % w->size);
	if (r->announced && !world_ends(w, turn->landed))
		fprintf(out, " Turns left: %d.", turn->remaining - 1);
}

static void
WriteTurn(const Rollout *r, const Turn *turn, FILE *out)
{
	const World *w = r->world;

	fprintf(out, "{\"action\":\"%s\",\"observation\":\"", move_names[turn->move]);
	WriteObservation(r, turn, out);
	fprintf(out, "\",\"error\":%s", turn->error ? "true" : "false");
	if (turn->error)
		fprintf(out, ",\"error_kind\":\"%s\"", turn->error_kind);
	fprintf(out, ",\"state\":\"%s:%d,%d\"", w->name, turn->cell / w->size, turn->cell % w->size);
	fprintf(out, ",\"value\":%.9f,\"tokens\":1,\"logprob\":%.9f,\"ref_logprob\":%.9f", turn->value,
			turn->logprob, turn->ref_logprob);
	if (r->announced)
		fprintf(out, ",\"remaining\":%d", turn->remaining);
	putc('}', out);
}

static void
WriteOutcome(const Rollout *r, FILE *out)
{
	const char *reason = r->solved ? "goal" : r->fell ? "hole" : "budget";

	fprintf(out, "\"success\":%s,\"reward\":%d,\"status\":\"%s\",\"stop_reason\":\"%s\"",
			r->solved ? "true" : "false", r->solved,
			r->solved || r->fell ? "completed" : "truncated", reason);
	fprintf(out, ",\"budget\":%d", r->budget);
	if (r->solved)
		fprintf(out, ",\"solved_at\":%d", r->turns);
}

void
rollout_write(const Rollout *r, const Policy *policy, int attempt, FILE *out)
{
	fprintf(out, "{\"task_id\":\"%s\",\"attempt_id\":\"%d\",\"trajectory\":{", r->world->name,
			attempt);
	WriteOutcome(r, out);
	fputs(",\"prompt\":\"", out);
	WritePrompt(r, out);
	fputs("\",\"steps\":[", out);
	for (int t = 0; t < r->turns; t++) {
		if (t)
			putc(',', out);
		WriteTurn(r, &r->turn[t], out);
	}
	fprintf(out, "]},\"meta\":{\"policy\":\"%s\",\"announced\":%s,\"map\":\"", policy->name,
			r->announced ? "true" : "false");
	WriteMap(r->world, "/", out);
	fputs("\"}}\n", out);
}

void
rollout_write_row(const Rollout *r, const Policy *policy, int attempt, FILE *out)
{
	double loglik = 0;
	double ref_loglik = 0;

	for (int t = 0; t < r->turns; t++) {
		loglik += r->turn[t].logprob;
		ref_loglik += r->turn[t].ref_logprob;
	}
	fprintf(out, "%s\t%s\t%d\t%s\t%d\t%.9f\t%.9f\t{", policy->name, r->world->name, attempt,
			r->solved ? "t" : "f", r->turns, loglik, ref_loglik);
	WriteOutcome(r, out);
	fputs(",\"steps\":[", out);
	for (int t = 0; t < r->turns; t++) {
		if (t)
			putc(',', out);
		fputs(r->turn[t].error ? "{\"error\":true}" : "{\"error\":false}", out);
	}
	fputs("]}\n", out);
}
