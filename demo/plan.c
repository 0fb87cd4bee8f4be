#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static void
Allocate(Plan *plan, int epochs, int tasks, int attempts)
{
	plan->epochs = epochs;
	plan->tasks = tasks;
	plan->attempts = attempts;
	plan->budget = need_memory((size_t) epochs * tasks * attempts, sizeof(int));
}

void
plan_constant(Plan *plan, int epochs, int tasks, int attempts, int budget)
{
	Allocate(plan, epochs, tasks, attempts);
	for (size_t i = 0; i < (size_t) epochs * tasks * attempts; i++)
		plan->budget[i] = budget;
}

static int
FindTask(const World *worlds, int tasks, const char *name)
{
	for (int i = 0; i < tasks; i++)
		if (strcmp(worlds[i].name, name) == 0)
			return i;
	return -1;
}

static void
Reject(const char *path, int line, const char *why)
{
	fprintf(stderr, "lab: %s, line %d: %s\n", path, line, why);
	exit(1);
}

/* Lines of epochs and tasks that this run does not have are none of its business. */
static void
ReadLine(Plan *plan, const char *path, int line, const char *text, const World *worlds, int most)
{
	char task[64];
	int epoch, attempt, budget, world;
	int *place;

	if (sscanf(text, "%d %63s %d %d", &epoch, task, &attempt, &budget) != 4)
		Reject(path, line, "expected epoch, task, attempt and budget");
	if (budget < 1 || budget > most)
		Reject(path, line, "this budget is not within --budget");
	world = FindTask(worlds, plan->tasks, task);
	if (world < 0 || epoch < 1 || epoch > plan->epochs || attempt < 1 || attempt > plan->attempts)
		return;
	place = plan_budgets(plan, epoch - 1, world) + attempt - 1;
	if (*place != 0)
		Reject(path, line, "this attempt has a budget already");
	*place = budget;
}

void
plan_read(Plan *plan, const char *path, const World *worlds, int epochs, int tasks, int attempts,
		  int most)
{
	FILE *in = fopen(path, "r");
	char text[256];

	if (!in) {
		perror(path);
		exit(1);
	}
	Allocate(plan, epochs, tasks, attempts);
	for (int line = 1; fgets(text, sizeof(text), in); line++)
		ReadLine(plan, path, line, text, worlds, most);
	fclose(in);
	for (size_t i = 0; i < (size_t) epochs * tasks * attempts; i++) {
		if (plan->budget[i] != 0)
			continue;
		fprintf(stderr, "lab: %s has no budget for epoch %d, task %s, attempt %d\n", path,
				(int) (i / attempts / tasks) + 1, worlds[i / attempts % tasks].name,
				(int) (i % attempts) + 1);
		exit(1);
	}
}

void
plan_free(Plan *plan)
{
	free(plan->budget);
	plan->budget = NULL;
}
