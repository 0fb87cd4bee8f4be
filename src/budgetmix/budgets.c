#include "budgetmix/budgets.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "core/interrupts.h"
#include "core/arguments.h"
#include "summary/summary.h"
#include "core/rows.h"
#include "utils/array.h"
#include "utils/memutils.h"

#define MAX_STEPS	   INT64CONST(1000000000)
#define STEP_TOLERANCE 1e-9
/* of a list of candidates, or of a permutation of them */
#define MAX_CANDIDATES 1000000

static const char *const roundings[] = {"ceil", "floor", "nearest"};
static const char *const modes[] = {"independent", "stratified"};

BudgetGrid
read_budget_grid(FunctionCallInfo fcinfo, int first)
{
	BudgetGrid grid;
	double step, steps;

	require_argument(fcinfo, first, "step");
	step = PG_GETARG_FLOAT8(first);
	steps = step > 0.0 && step <= 1.0 ? rint(1.0 / step) : 0.0;
	if (steps < 1.0 || fabs(steps * step - 1.0) > STEP_TOLERANCE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("step must divide 1, and %g does not", step),
						errhint("A step of 0.1 gives budgets at each tenth of t_max.")));
	if (steps > MAX_STEPS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("step must be at least 1e-9, not %g", step)));
	grid.steps = (int64) steps;
	grid.rounding =
		(BudgetRounding) read_choice(fcinfo, first + 1, "rounding", roundings, lengthof(roundings));
	return grid;
}

DrawMode
read_draw_mode(FunctionCallInfo fcinfo, int i)
{
	return (DrawMode) read_choice(fcinfo, i, "mode", modes, lengthof(modes));
}

int32
budget_at(const BudgetGrid *grid, int64 t_max, int64 index)
{
	int64 n = grid->steps;
	int64 product = (index + 1) * t_max;

	if (n >= t_max)
		return index + 1;
	if (grid->rounding == ROUND_CEIL)
		return (product + n - 1) / n;
	if (grid->rounding == ROUND_FLOOR)
		return product / n;
	return (2 * product + n) / (2 * n);
}

int64
budget_index(const BudgetGrid *grid, int64 t_max, int64 budget)
{
	int64 n = budget_count(grid, t_max);
	int64 near;

	if (budget < 1 || budget > t_max)
		return -1;
	/* rounding moves a candidate by less than one step */
	near = budget * n / t_max - 1;
	for (int64 i = Max(near - 1, 0); i <= near + 1 && i < n; i++) {
		if (budget_at(grid, t_max, i) == budget)
			return i;
	}
	return -1;
}

static void
RequireListable(int64 n)
{
	if (n > MAX_CANDIDATES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there are more than %d candidate budgets", MAX_CANDIDATES),
						errhint("Give a larger step.")));
}

/* budgetmix_budgets(t_max, step, rounding): the candidates, ascending. */
PG_FUNCTION_INFO_V1(budgetmix_budgets);
Datum
budgetmix_budgets(PG_FUNCTION_ARGS)
{
	int32 t_max = PG_GETARG_INT32(0);
	BudgetGrid grid = read_budget_grid(fcinfo, 1);
	Datum *budgets;
	int64 n;

	require_positive("t_max", t_max);
	n = budget_count(&grid, t_max);
	RequireListable(n);
	budgets = palloc(n * sizeof(Datum));
	for (int64 i = 0; i < n; i++) {
		check_interrupts_at(i);
		budgets[i] = Int32GetDatum(budget_at(&grid, t_max, i));
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(budgets, n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

/* ---- the published draws ---- */

static int32
DrawIndependent(BudgetDraw *draw, int32 epoch, const char *task, int len, int32 t_max)
{
	resetStringInfo(&draw->draw.message);
	appendStringInfo(&draw->draw.message, "budgetmix:1:%lld:%d:", (long long) draw->seed, epoch);
	draw_append_text(&draw->draw, task, len);
	return budget_at(&draw->grid, t_max,
					 draw_number(&draw->draw) % budget_count(&draw->grid, t_max));
}

typedef struct Place {
	uint64 hash;
	int64 index;
} Place;

static inline int
ComparePlaces(const Place *a, const Place *b)
{
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

#define ST_SORT			 sort_places
#define ST_ELEMENT_TYPE	 Place
#define ST_COMPARE(a, b) ComparePlaces(a, b)
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * Epochs come in blocks of as many as there are candidates; within a block
 * each candidate comes once, in the order of a hash of its index.
 */
static int32
DrawStratified(BudgetDraw *draw, int32 epoch, const char *task, int len, int32 t_max)
{
	int64 n = budget_count(&draw->grid, t_max);
	int64 block = (epoch - 1) / n;
	Place *places;
	int64 index;

	RequireListable(n);
	places = palloc(n * sizeof(Place));
	for (int64 i = 0; i < n; i++) {
		check_interrupts_at(i);
		resetStringInfo(&draw->draw.message);
		appendStringInfo(&draw->draw.message,
						 "budgetmix:1:stratified:%lld:%lld:%lld:", (long long) draw->seed,
						 (long long) block, (long long) i);
		draw_append_text(&draw->draw, task, len);
		places[i] = (Place){draw_number(&draw->draw), i};
	}
	sort_places(places, n);
	index = places[(epoch - 1) % n].index;
	pfree(places);
	return budget_at(&draw->grid, t_max, index);
}

int32
draw_budget(BudgetDraw *draw, int32 epoch, const char *task, int len, int32 t_max)
{
	if (draw->mode == DRAW_INDEPENDENT)
		return DrawIndependent(draw, epoch, task, len, t_max);
	return DrawStratified(draw, epoch, task, len, t_max);
}

/* budgetmix_budget(seed, epoch, task, t_max, step, rounding, mode), whatever the kind of the task.
 */
static Datum
SingleDraw(FunctionCallInfo fcinfo, const char *task, int len)
{
	int32 epoch = PG_GETARG_INT32(1);
	int32 t_max = PG_GETARG_INT32(3);
	BudgetDraw draw = {.seed = PG_GETARG_INT64(0)};
	int32 budget;

	draw.grid = read_budget_grid(fcinfo, 4);
	draw.mode = read_draw_mode(fcinfo, 6);
	require_positive("t_max", t_max);
	if (draw.mode == DRAW_STRATIFIED)
		require_positive("epoch", epoch);
	draw_start(&draw.draw);
	budget = draw_budget(&draw, epoch, task, len, t_max);
	draw_finish(&draw.draw);
	PG_RETURN_INT32(budget);
}

PG_FUNCTION_INFO_V1(budgetmix_budget_text);
Datum
budgetmix_budget_text(PG_FUNCTION_ARGS)
{
	text *task = PG_GETARG_TEXT_PP(2);

	return SingleDraw(fcinfo, VARDATA_ANY(task), VARSIZE_ANY_EXHDR(task));
}

PG_FUNCTION_INFO_V1(budgetmix_budget_bigint);
Datum
budgetmix_budget_bigint(PG_FUNCTION_ARGS)
{
	char task[MAXINT8LEN + 1];

	return SingleDraw(fcinfo, task, pg_lltoa(PG_GETARG_INT64(2), task));
}
