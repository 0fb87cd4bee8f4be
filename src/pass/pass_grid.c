/*
 * pass_grid: Pass@(K,T) for each K and T, with intervals, simultaneous bands,
 * and the headroom to a bound.
 */
#include "core/rows.h"
#include "pass/arguments.h"
#include "pass/compare.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#define GRID_COLUMNS 20

typedef struct Grid {
	GridArguments arguments;
	Datum summary;
	bool missing; /* the summary is null */
	int cells;
	PassFigure *figures;
	Estimate *results;
	Bands made;			 /* band NULL: there are none */
	Comparison headroom; /* bound - pass; without figures when there is no bound */
} Grid;

static Evidence *
EvidenceOf(const Grid *grid)
{
	Evidence *evidence = palloc(mul_size(grid->cells, sizeof(Evidence)));

	for (int i = 0; i < grid->cells; i++) {
		evidence[i].rule = grid->figures[i].tasks > 0 ? RULE_SHARE : RULE_NONE;
		evidence[i].of.share = grid->figures[i].evidence;
	}
	return evidence;
}

static void
SetEstimates(Grid *grid, const Evidence *evidence)
{
	const InferenceOptions *options = &grid->arguments.options;
	BootstrapMethod *methods;

	for (int i = 0; i < grid->cells; i++) {
		const PassFigure *figure = &grid->figures[i];

		grid->results[i].clusters = figure->tasks;
		grid->results[i].value = figure->pass;
		grid->results[i].std_error = figure->std_error;
	}
	methods = estimate_by_rules(grid->results, evidence, grid->cells, options);
	if (methods != NULL)
		estimate_by_resampling(grid->results, methods,
							   pass_sample(grid->summary, &grid->arguments.request), NULL, options);
}

/* Intervals, and bands unless there are no resamples to make them of. */
static void
SetResults(Grid *grid)
{
	const InferenceOptions *options = &grid->arguments.options;
	Evidence *evidence = EvidenceOf(grid);

	grid->results = palloc0(mul_size(grid->cells, sizeof(Estimate)));
	SetEstimates(grid, evidence);
	if (options->resamples > 0)
		grid->made =
			make_bands(pass_influences(grid->summary, &grid->arguments.request, grid->figures),
					   evidence, grid->results, options);
}

/* bound - pass by task, over the tasks that both summaries have. */
static void
SetHeadroom(Grid *grid, Datum bound)
{
	PassRequest *any = palloc(sizeof(PassRequest));

	*any = grid->arguments.request;
	any->measure = PASS_ANY;
	any->match = MATCH_PREFIX;
	any->k = palloc(any->nk * sizeof(int64));
	for (int i = 0; i < any->nk; i++)
		any->k[i] = 1;
	grid->headroom.pair = (PairRequest){bound, grid->summary, any, &grid->arguments.request};
	grid->headroom.options = grid->arguments.options;
	pass_compare(&grid->headroom);
}

static void
PutHeadroom(const Grid *grid, Datum *values, bool *nulls, int column, int i)
{
	const PairFigure *figure = grid->headroom.figures ? &grid->headroom.figures[i] : NULL;
	bool known = figure != NULL && figure->tasks > 0;
	Bounds interval = known ? grid->headroom.results[i].interval : (Bounds){0.0, 0.0};

	put_float(values, nulls, column, known ? figure->first : 0.0, known);
	put_float(values, nulls, column + 1, known ? figure->diff : 0.0, known);
	put_float(values, nulls, column + 2, interval.low, known);
	put_float(values, nulls, column + 3, interval.high, known);
}

/* Why there is no figure. */
static const char *
NoteOf(const Grid *grid, const PassFigure *figure)
{
	if (grid->missing)
		return "the summary is null";
	return figure->tasks == 0 ? "no task has k eligible attempts" : NULL;
}

static void
PutCell(ReturnSetInfo *rsinfo, const Grid *grid, int64 k, const int64 *t, int i)
{
	const PassFigure *figure = &grid->figures[i];
	const Estimate *result = &grid->results[i];
	bool any = figure->tasks > 0, banded = any && grid->made.band != NULL;
	Bounds band = banded ? grid->made.band[i] : (Bounds){0.0, 0.0};
	Datum values[GRID_COLUMNS];
	bool nulls[GRID_COLUMNS];

	put_bigint(values, nulls, 0, &k);
	put_bigint(values, nulls, 1, t);
	put_float(values, nulls, 2, figure->pass, any);
	put_float(values, nulls, 3, figure->std_error, figure->tasks > 1);
	put_float(values, nulls, 4, figure->std_error_fixed, figure->has_fixed);
	put_float(values, nulls, 5, result->interval.low, any);
	put_float(values, nulls, 6, result->interval.high, any);
	put_float(values, nulls, 7, band.low, banded);
	put_float(values, nulls, 8, band.high, banded);
	put_bigint(values, nulls, 9, &figure->tasks);
	put_bigint(values, nulls, 10, &figure->tasks_short);
	put_bigint(values, nulls, 11, &figure->rollouts);
	put_bigint(values, nulls, 12, &figure->unscored);
	PutHeadroom(grid, values, nulls, 13, i);
	put_float(values, nulls, 17, result->tasks_effective, any);
	put_text(values, nulls, 18, NoteOf(grid, figure));
	put_text(values, nulls, 19, result->method);
	put_row(rsinfo, values, nulls);
}

/*
 * pass_grid(summary, k[], t[], confidence, resamples, seed, method, match,
 * task_set, bound): a row per k and t, in the order of the lists, k first.
 * t NULL: one column, each rollout at its own budget. Intervals and bands are
 * of the population that the tasks are a sample of; resamples 0 gives no bands.
 */
PG_FUNCTION_INFO_V1(pass_grid);
Datum
pass_grid(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Grid grid = {.cells = 0};

	InitMaterializedSRF(fcinfo, 0);
	grid.arguments = read_grid(fcinfo, 1);
	grid.arguments.options = read_inference_options(fcinfo, 3);
	read_selection(fcinfo, 7, &grid.arguments.request);
	grid.missing = PG_ARGISNULL(0);
	grid.summary = pass_summary_argument(fcinfo, 0);
	grid.cells = grid.arguments.request.nk * grid.arguments.request.nt;
	grid.figures = pass_figures(grid.summary, &grid.arguments.request);
	SetResults(&grid);
	if (!PG_ARGISNULL(9))
		SetHeadroom(&grid, PG_GETARG_DATUM(9));

	for (int i = 0; i < grid.arguments.k.n; i++) {
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < grid.arguments.t.n; j++)
			PutCell(rsinfo, &grid, grid.arguments.k.given[i],
					grid.arguments.t.given == NULL ? NULL : &grid.arguments.t.given[j],
					grid_cell(&grid.arguments, i, j));
	}
	return (Datum) 0;
}
