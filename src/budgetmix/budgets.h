/*
 * The candidate budgets of a task, and the published draws from them.
 *
 * With N steps the candidates are the distinct values of i t_max / N, rounded
 * to whole turns, for i = 1..N. Above N turns no two of them are equal; up to N
 * turns they are all of 1..t_max. So there are min(N, t_max), and each is known
 * by its index, from 0, without a list.
 */
#ifndef AGENTRL_BUDGETS_H
#define AGENTRL_BUDGETS_H

#include "postgres.h"
#include "fmgr.h"

#include "core/draw.h"

typedef enum BudgetRounding { ROUND_CEIL, ROUND_FLOOR, ROUND_NEAREST } BudgetRounding;

typedef struct BudgetGrid {
	int64 steps; /* N, at most 10^9 */
	BudgetRounding rounding;
} BudgetGrid;

/* Reads step and rounding from two arguments in a row. */
extern BudgetGrid read_budget_grid(FunctionCallInfo fcinfo, int first);

static inline int64
budget_count(const BudgetGrid *grid, int64 t_max)
{
	return Min(grid->steps, t_max);
}

/* The candidate with that index; 1 <= t_max <= 2^31 - 1. */
extern int32 budget_at(const BudgetGrid *grid, int64 t_max, int64 index);

/* The index of a budget, -1 when it is no candidate. */
extern int64 budget_index(const BudgetGrid *grid, int64 t_max, int64 budget);

typedef enum DrawMode { DRAW_INDEPENDENT, DRAW_STRATIFIED } DrawMode;

extern DrawMode read_draw_mode(FunctionCallInfo fcinfo, int i);

/* What a sequence of draws with one seed needs. */
typedef struct BudgetDraw {
	BudgetGrid grid;
	DrawMode mode;
	int64 seed;
	Draw draw; /* started and finished by the caller */
} BudgetDraw;

/* The budget of a group. The task is in the database's encoding; stratified epochs start at 1. */
extern int32 draw_budget(BudgetDraw *draw, int32 epoch, const char *task, int len, int32 t_max);

#endif
