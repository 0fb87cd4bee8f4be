/*
 * pass_truncation_gap: rollouts run with budget T against longer ones read up
 * to turn T. A gap says that an agent behaves otherwise when it knows that it
 * has fewer turns, so that a prefix is no stand-in for a rerun.
 */
#include "core/rows.h"
#include "core/sort.h"
#include "pass/arguments.h"
#include "pass/compare.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#define GAP_COLUMNS 11

typedef struct Gap {
	GridArguments grid;
	InferenceOptions options;
	Datum summary;
	int nbudgets;
	int64 *budgets;		   /* ascending */
	Comparison *by_budget; /* over all k, and all T of the grid */
} Gap;

/* The budgets above the smallest T under which rollouts of the summary ran. */
static void
FindBudgets(Gap *gap)
{
	int64 cells = (int64) gap->grid.k.n * gap->grid.t.n;
	PassReader reader;
	uint32 n = 0;

	pass_open(&reader, gap->summary);
	gap->budgets = MemoryContextAllocHuge(CurrentMemoryContext, reader.ncells * sizeof(int64) + 1);
	for (uint32 i = 0; i < reader.ncells; i++) {
		const PassCell *cell = &reader.cells[i];

		if (cell->limit_kind == LIMIT_BUDGET && cell->limit > gap->grid.t.distinct[0])
			gap->budgets[n++] = cell->limit;
	}
	pass_close(&reader);
	sort_bigints(gap->budgets, n);
	gap->nbudgets = drop_equal_bigints(gap->budgets, n);
	if (gap->nbudgets * cells > MAX_GRID_CELLS)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("a truncation gap must not have more than %d cells", MAX_GRID_CELLS),
			 errdetail("%lld cells of k and t are to be compared with each of %d source budgets.",
					   (long long) cells, gap->nbudgets)));
}

/* Reruns against prefixes of the rollouts with one budget. Scratch memory goes; results stay. */
static void
CompareBudget(const Gap *gap, int64 budget, Comparison *result, MemoryContext scratch)
{
	PassRequest rerun = gap->grid.request, prefix = gap->grid.request;
	Comparison comparison = {.options = gap->options};
	MemoryContext old = MemoryContextSwitchTo(scratch);
	Size size;

	rerun.match = MATCH_EXACT;
	prefix.source_budget = budget;
	comparison.pair = (PairRequest){gap->summary, gap->summary, &rerun, &prefix};
	pass_compare(&comparison);
	MemoryContextSwitchTo(old);
	size = comparison.cells * sizeof(PairFigure);
	result->figures = memcpy(palloc(size), comparison.figures, size);
	size = comparison.cells * sizeof(Estimate);
	result->results = memcpy(palloc(size), comparison.results, size);
	MemoryContextReset(scratch);
}

static void
CompareBudgetsOf(Gap *gap)
{
	MemoryContext scratch =
		AllocSetContextCreate(CurrentMemoryContext, "truncation gap", ALLOCSET_DEFAULT_SIZES);

	gap->by_budget = palloc0(mul_size(gap->nbudgets, sizeof(Comparison)));
	for (int i = 0; i < gap->nbudgets; i++) {
		CHECK_FOR_INTERRUPTS();
		CompareBudget(gap, gap->budgets[i], &gap->by_budget[i], scratch);
	}
	MemoryContextDelete(scratch);
}

static void
PutGap(ReturnSetInfo *rsinfo, const Gap *gap, int i, int j, int budget)
{
	int cell = grid_cell(&gap->grid, i, j);
	const PairFigure *figure = &gap->by_budget[budget].figures[cell];
	const Estimate *result = &gap->by_budget[budget].results[cell];
	bool any = figure->tasks > 0;
	Datum values[GAP_COLUMNS];
	bool nulls[GAP_COLUMNS];

	put_bigint(values, nulls, 0, &gap->grid.k.given[i]);
	put_bigint(values, nulls, 1, &gap->grid.t.given[j]);
	put_bigint(values, nulls, 2, &gap->budgets[budget]);
	put_float(values, nulls, 3, figure->second, any);
	put_float(values, nulls, 4, figure->first, any);
	put_float(values, nulls, 5, figure->diff, any);
	put_float(values, nulls, 6, figure->std_error, figure->tasks > 1);
	put_float(values, nulls, 7, result->interval.low, any);
	put_float(values, nulls, 8, result->interval.high, any);
	put_bigint(values, nulls, 9, &figure->tasks);
	put_text(values, nulls, 10, result->method);
	put_row(rsinfo, values, nulls);
}

/*
 * pass_truncation_gap(summary, k[], t[], confidence, resamples, seed, method):
 * a row per k, t and source budget above t. rerun: the rollouts whose budget is
 * t; prefix: those with the source budget, read up to turn t; gap = rerun -
 * prefix, paired by task. Rollouts without a known budget take no part.
 */
PG_FUNCTION_INFO_V1(pass_truncation_gap);
Datum
pass_truncation_gap(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Gap gap = {.nbudgets = 0};

	InitMaterializedSRF(fcinfo, 0);
	require_argument(fcinfo, 2, "t");
	gap.grid = read_grid(fcinfo, 1);
	gap.options = read_inference_options(fcinfo, 3);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	gap.summary = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
	FindBudgets(&gap);
	CompareBudgetsOf(&gap);
	for (int i = 0; i < gap.grid.k.n; i++) {
		for (int j = 0; j < gap.grid.t.n; j++) {
			CHECK_FOR_INTERRUPTS();
			for (int budget = 0; budget < gap.nbudgets; budget++) {
				if (gap.budgets[budget] > gap.grid.t.given[j])
					PutGap(rsinfo, &gap, i, j, budget);
			}
		}
	}
	return (Datum) 0;
}
