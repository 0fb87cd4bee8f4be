#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "policy.h"

static const char *const feature_names[FEATURES] = {"progress",	 "drift",	  "aim_hole",
													"side_hole", "near_hole", "edge"};
static const char *const part_names[PARTS] = {"always", "when_tight"};

/* ---- what the agent sees ---- */

static double
Gain(const World *w, int from, int to)
{
	if (w->distance[from] < 0 || w->distance[to] < 0)
		return 0;
	return w->distance[from] - w->distance[to];
}

static double
HolesAround(const World *w, int cell)
{
	int holes = 0;

	for (int m = 0; m < MOVES; m++)
		holes += w->tile[w->landing[cell][m][0]] == 'H';
	return (double) holes / MOVES;
}

static void
LookAt(const World *w, int cell, int move, double feature[FEATURES])
{
	const uint8_t *landing = w->landing[cell][move];
	int aim = landing[0];

	feature[PROGRESS] = Gain(w, cell, aim);
	for (int i = 0; i < LANDINGS; i++)
		feature[DRIFT] += Gain(w, cell, landing[i]) / LANDINGS;
	feature[AIM_HOLE] = w->tile[aim] == 'H';
	feature[SIDE_HOLE] = ((w->tile[landing[1]] == 'H') + (w->tile[landing[2]] == 'H')) / 2.0;
	feature[NEAR_HOLE] = world_ends(w, aim) ? 0 : HolesAround(w, aim);
	feature[EDGE] = aim == cell;
}

void
view_prepare(View *view, const World *w)
{
	view->world = w;
	view->feature = need_memory(w->cells, sizeof(*view->feature));
	for (int c = 0; c < w->cells; c++)
		for (int m = 0; m < MOVES; m++)
			LookAt(w, c, m, view->feature[c][m]);
}

void
view_free(View *view)
{
	free(view->feature);
	view->feature = NULL;
}

double
view_tightness(const View *view, int cell, int remaining)
{
	int distance = view->world->distance[cell];

	if (remaining == 0)
		return 0;
	return distance < 0 || distance > remaining ? 1 : (double) distance / remaining;
}

/* ---- what it does ---- */

void
policy_logprobs(const Policy *policy, const View *view, int cell, int remaining,
				double logprob[MOVES])
{
	double tightness = view_tightness(view, cell, remaining);
	double weight[FEATURES];
	double sum = 0;
	double top = -INFINITY;

	for (int f = 0; f < FEATURES; f++)
		weight[f] = policy->weight[ALWAYS][f] + tightness * policy->weight[WHEN_TIGHT][f];
	for (int m = 0; m < MOVES; m++) {
		logprob[m] = 0;
		for (int f = 0; f < FEATURES; f++)
			logprob[m] += weight[f] * view->feature[cell][m][f];
		if (logprob[m] > top)
			top = logprob[m];
	}
	for (int m = 0; m < MOVES; m++)
		sum += lab_exp(logprob[m] - top);
	for (int m = 0; m < MOVES; m++)
		logprob[m] -= top + lab_log(sum);
}

void
policy_chances(const Policy *policy, const View *view, int cell, int remaining,
			   double chance[MOVES])
{
	policy_logprobs(policy, view, cell, remaining, chance);
	for (int m = 0; m < MOVES; m++)
		chance[m] = lab_exp(chance[m]);
}

/* ---- files: a line with the name, then one per weight ---- */

void
policy_write(const Policy *policy, FILE *out)
{
	fprintf(out, "policy\t%s\n", policy->name);
	for (int p = 0; p < PARTS; p++)
		for (int f = 0; f < FEATURES; f++)
			fprintf(out, "%s\t%s\t%.17g\n", part_names[p], feature_names[f], policy->weight[p][f]);
}

static bool
ReadPolicy(Policy *policy, FILE *in)
{
	char part[16], feature[16];

	if (fscanf(in, "policy %31s", policy->name) != 1)
		return false;
	for (int p = 0; p < PARTS; p++)
		for (int f = 0; f < FEATURES; f++)
			if (fscanf(in, "%15s %15s %lf", part, feature, &policy->weight[p][f]) != 3 ||
				strcmp(part, part_names[p]) != 0 || strcmp(feature, feature_names[f]) != 0)
				return false;
	return true;
}

void
policy_read(Policy *policy, const char *path)
{
	FILE *in = fopen(path, "r");

	if (!in) {
		perror(path);
		exit(1);
	}
	if (!ReadPolicy(policy, in)) {
		fprintf(stderr, "lab: %s holds no policy\n", path);
		exit(1);
	}
	fclose(in);
}
