/*
 * FrozenLake rollouts of one policy, as JSON lines on standard output; or the
 * exact success probabilities that the rollouts estimate.
 *
 * The same options give the same bytes.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rollout.h"

#define GAMMA	   0.95
#define HOLE_SHARE 0.15

typedef struct Options {
	const Policy *policy;
	int maps;
	int attempts;
	int budget;
	int size;
	int seed;
	bool truth;
} Options;

static void
Usage(const char *complaint, const char *subject)
{
	fprintf(stderr, "frozenlake: %s%s\n", complaint, subject);
	fputs("usage: frozenlake --policy base|trained [--maps N] [--attempts N] [--budget TURNS]\n"
		  "                  [--size CELLS] [--seed N] [--truth]\n"
		  "--truth prints policy, map, turns and the exact probability of success within them\n",
		  stderr);
	exit(2);
}

static int
ReadNumber(const char *name, const char *text, int low, int high)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || *end || end == text || n < low || n > high)
		Usage("out of range: ", name);
	return (int) n;
}

static const Policy *
FindPolicy(const char *name)
{
	for (int i = 0; i < policy_count; i++)
		if (strcmp(policies[i].name, name) == 0)
			return &policies[i];
	Usage("unknown policy: ", name);
	return NULL;
}

static Options
ReadOptions(int argc, char **argv)
{
	Options o = {.maps = 100, .attempts = 16, .budget = 60, .size = 5, .seed = 1};

	for (int i = 1; i < argc; i++) {
		const char *name = argv[i];

		if (strcmp(name, "--truth") == 0) {
			o.truth = true;
			continue;
		}
		if (++i == argc)
			Usage("a value is missing after ", name);
		if (strcmp(name, "--policy") == 0)
			o.policy = FindPolicy(argv[i]);
		else if (strcmp(name, "--maps") == 0)
			o.maps = ReadNumber(name, argv[i], 1, 100000);
		else if (strcmp(name, "--attempts") == 0)
			o.attempts = ReadNumber(name, argv[i], 1, 100000);
		else if (strcmp(name, "--budget") == 0)
			o.budget = ReadNumber(name, argv[i], 1, MAX_HORIZON);
		else if (strcmp(name, "--size") == 0)
			o.size = ReadNumber(name, argv[i], 2, MAX_SIZE);
		else if (strcmp(name, "--seed") == 0)
			o.seed = ReadNumber(name, argv[i], 0, INT_MAX);
		else
			Usage("unknown option: ", name);
	}
	if (!o.policy)
		Usage("name a policy", "");
	return o;
}

static void
PrintTruth(const Options *o, const Planner *planner)
{
	double success[MAX_HORIZON];

	policy_truth(o->policy, planner, o->budget, o->budget, success);
	for (int t = 0; t < o->budget; t++)
		printf("%s\tlake-%03d\t%d\t%.12f\n", o->policy->name, planner->world->id, t + 1,
			   success[t]);
}

static void
PlayAttempts(const Options *o, const Planner *planner, Rollout *rollout)
{
	Quality quality;

	quality_compute(&quality, planner->world, o->budget, GAMMA);
	for (int a = 1; a <= o->attempts; a++) {
		Random random = random_stream((uint64_t) o->seed, (uint64_t) (o->policy - policies) + 1,
									  (uint64_t) planner->world->id, (uint64_t) a);

		rollout_play(rollout, o->policy, &policies[0], planner, &quality, o->budget, a, &random);
		rollout_write(rollout, stdout);
	}
	quality_free(&quality);
}

int
main(int argc, char **argv)
{
	static Rollout rollout;
	static Planner planner;
	static World world;
	Options o = ReadOptions(argc, argv);

	for (int id = 1; id <= o.maps; id++) {
		world_generate(&world, (uint64_t) o.seed, id, o.size, HOLE_SHARE);
		planner_prepare(&planner, &world);
		if (o.truth)
			PrintTruth(&o, &planner);
		else
			PlayAttempts(&o, &planner, &rollout);
	}
	if (fflush(stdout) != 0) {
		perror("frozenlake");
		return 1;
	}
	return 0;
}
