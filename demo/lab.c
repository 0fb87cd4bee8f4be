/*
 * The FrozenLake lab: trains policies, plays them, and tells what they are
 * worth exactly. The same options give the same bytes, on any machine.
 */
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "plan.h"
#include "random.h"
#include "rollout.h"
#include "states.h"
#include "train.h"
#include "truth.h"

/* What a command does with one map. */
typedef void MapCommand(const Options *o, const View *view);

/* the budgets of rollouts; empty unless there is a file of them */
static Plan plan;

static int
BudgetOf(const Options *o, const World *w, int attempt)
{
	return o->plan ? plan_budgets(&plan, o->epochs - 1, w->id - 1)[attempt - 1] : o->budget;
}

static void
PlayRollouts(const Options *o, const View *view)
{
	static Rollout r;
	const World *w = view->world;
	Quality quality;

	quality_compute(&quality, w, o->budget, GAMMA);
	for (int p = 0; p < o->policies; p++) {
		const Policy *policy = &o->policy[p];
		uint64_t played = random_name(policy->name, strlen(policy->name));
		uint64_t where = random_name(w->name, strlen(w->name));

		for (int a = 1; a <= o->attempts; a++) {
			int budget = BudgetOf(o, w, a);
			Random random = random_stream(o->seed, played, where + 2 * budget + o->announced, a);

			rollout_play(&r, policy, view, w->start, budget, o->announced, &random);
			rollout_judge(&r, &o->base, view, &quality);
			(o->compact ? rollout_write_row : rollout_write)(&r, policy, a, stdout);
		}
	}
	quality_free(&quality);
}

static void
DrawStates(const Options *o, const View *view)
{
	StateRun run = {o->policy,	  o->policies, o->states, o->budget,
					o->announced, o->compact,  o->seed};
	Quality quality;

	quality_compute(&quality, view->world, o->budget, GAMMA);
	states_write(&run, view, &quality, stdout);
	quality_free(&quality);
}

static void
PrintTruth(const Options *o, const View *view)
{
	double success[MAX_HORIZON];

	for (int p = 0; p < o->policies; p++) {
		truth_success(&o->policy[p], view, view->world->start, o->budget, o->announced, success);
		for (int t = 0; t < o->budget; t++)
			printf("%s\t%s\t%s\t%d\t%d\t%.15g\n", o->policy[p].name, view->world->name,
				   o->announced ? "t" : "f", o->budget, t + 1, success[t]);
	}
}

static void
PrintRate(const Options *o, const View *view, const Policy *policy, const char *measure,
		  double eligible, double recovered)
{
	printf("%s\t%s\t%s\t%d\t%s\t%.15g\t%.15g\n", policy->name, view->world->name,
		   o->announced ? "t" : "f", o->budget, measure, eligible, recovered);
}

static void
PrintErrors(const Options *o, const View *view)
{
	Quality quality;

	quality_compute(&quality, view->world, o->budget, GAMMA);
	for (int p = 0; p < o->policies; p++) {
		const Policy *policy = &o->policy[p];
		ErrorTruth truth;

		truth_errors(policy, &o->base, view, &quality, o->budget, o->announced, &truth);
		PrintRate(o, view, policy, "error turns", truth.turns, truth.error_turns);
		PrintRate(o, view, policy, "corrected next", truth.followed, truth.corrected);
		for (int j = 1; j <= MAX_RUN; j++) {
			char measure[32];

			snprintf(measure, sizeof(measure), "recovered after %d", j);
			PrintRate(o, view, policy, measure, truth.at_risk[j - 1], truth.recovered[j - 1]);
		}
		PrintRate(o, view, policy, "success after error", truth.with_error,
				  truth.solved_with_error);
		PrintRate(o, view, policy, "success without error", 1 - truth.with_error,
				  truth.solved_without_error);
		PrintRate(o, view, policy, "log ratio", 1, truth.log_ratio);
		PrintRate(o, view, policy, "log ratio of successes",
				  truth.solved_with_error + truth.solved_without_error, truth.log_ratio_solved);
	}
	quality_free(&quality);
}

static void
PrintRewards(const Options *o, const View *view)
{
	for (int p = 0; p < o->policies; p++) {
		double success[MAX_HORIZON];

		truth_success(&o->policy[p], view, view->world->start, o->budget, o->announced, success);
		printf("%s\t%s\t%s\t%d\t%.15g\t%.15g\n", o->policy[p].name, view->world->name,
			   o->announced ? "t" : "f", o->budget, success[o->budget - 1],
			   truth_single(&o->policy[p], view, o->budget, o->announced));
	}
}

static void
PrintMap(const Options *o, const View *view)
{
	const World *w = view->world;

	(void) o;
	printf("%s\t%d\t", w->name, w->distance[w->start]);
	for (int row = 0; row < w->size; row++)
		printf("%s%.*s", row ? "\\n" : "", w->size, w->tile + row * w->size);
	putchar('\n');
}

static void
PrintQuality(const Options *o, const View *view)
{
	const World *w = view->world;
	Quality quality;

	quality_compute(&quality, w, o->budget, GAMMA);
	for (int left = 1; left <= o->budget; left++)
		for (int c = 0; c < w->cells; c++)
			for (int m = 0; m < MOVES && !world_ends(w, c); m++)
				printf("%s\t%d\t%d\t%d\t%s\t%.17g\n", w->name, c / w->size, c % w->size, left,
					   move_names[m], quality_at(&quality, left, c)[m]);
	quality_free(&quality);
}

typedef struct Command {
	const char *name;
	MapCommand *run;
	bool needs_policy;
	bool needs_base;
} Command;

static const Command commands[] = {
	{"rollouts", PlayRollouts, true, true},	 {"states", DrawStates, true, false},
	{"truth", PrintTruth, true, false},		 {"errors", PrintErrors, true, true},
	{"rewards", PrintRewards, true, false},	 {"maps", PrintMap, false, false},
	{"quality", PrintQuality, false, false},
};

static void
RunOnMaps(const Command *command, const Options *o)
{
	World *worlds;

	if (o->plan && command->run != PlayRollouts)
		options_reject("no use for a plan: ", command->name);
	if (o->compact && command->run != PlayRollouts && command->run != DrawStates)
		options_reject("not a command with compact rows: ", command->name);
	if (command->needs_policy && o->policies == 0)
		options_reject("name a policy", "");
	if (command->needs_base && !o->has_base)
		options_reject("name the base policy", "");
	worlds = worlds_generate(o->world, o->split, o->maps, o->size, o->holes / 100.0);
	if (o->plan)
		plan_read(&plan, o->plan, worlds, o->epochs, o->maps, o->attempts, o->budget);
	for (int i = 0; i < o->maps; i++) {
		View view;

		view_prepare(&view, &worlds[i]);
		command->run(o, &view);
		view_free(&view);
	}
	plan_free(&plan);
	free(worlds);
}

static void
RunCommand(const Options *o)
{
	if (strcmp(o->command, "train") == 0) {
		train(o);
		return;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(o->command, commands[i].name) != 0)
			continue;
		RunOnMaps(&commands[i], o);
		return;
	}
	options_reject("unknown command: ", o->command);
}

int
main(int argc, char **argv)
{
	static Options options;

	options_read(&options, argc, argv);
	RunCommand(&options);
	if (fflush(stdout) != 0) {
		perror("lab");
		return 1;
	}
	return 0;
}
