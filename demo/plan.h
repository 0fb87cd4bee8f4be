/*
 * The budgets of a training run: a file with a line per attempt, of epoch,
 * task, attempt and budget with tabs between, as
 *     COPY (SELECT * FROM budgetmix_plan(...)) TO STDOUT
 * writes it.
 */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include "world.h"

typedef struct Plan {
	int epochs;
	int tasks;
	int attempts;
	int *budget; /* [epoch][task][attempt], each from 0 */
} Plan;

/* Every attempt has the same budget. */
extern void plan_constant(Plan *plan, int epochs, int tasks, int attempts, int budget);
/* Ends the program unless the file names every attempt of every world and epoch, with a budget up
 * to most. */
extern void plan_read(Plan *plan, const char *path, const World *worlds, int epochs, int tasks,
					  int attempts, int most);
extern void plan_free(Plan *plan);

static inline int *
plan_budgets(const Plan *plan, int epoch, int task)
{
	return plan->budget + ((size_t) epoch * plan->tasks + task) * plan->attempts;
}

#endif
