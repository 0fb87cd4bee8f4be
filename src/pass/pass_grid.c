/*
 * pass_grid: Pass@(K,T) for each K and T, with intervals, simultaneous bands,
 * and the headroom to a bound.
 */
#include "core/rows.h"
#include "pass/arguments.h"
#include "pass/compare.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#define GRID_COLUMNS 18

/* A proportion with fewer successes or failures than this, over tasks, is sparse. */
#define SPARSE_TASKS 5.0

typedef struct GridCell {
	IntervalMethod method;
	Bounds interval;
	Bounds band;
	bool has_band;
} GridCell;

typedef struct Grid {
	GridArguments arguments;
	Datum summary;
	int cells;
	bool many;	  /* too many tasks and cells to resample for a default answer */
	int64 blocks; /* that max-t resamples then */
	PassFigure *figures;
	GridCell *results;
	Comparison headroom; /* bound - pass; without figures when there is no bound */
} Grid;

static bool
IsSparse(const PassFigure *figure)
{
	double m = (double) figure->tasks;

	return Min(figure->sum, m - figure->sum) < SPARSE_TASKS;
}

static IntervalMethod
ChooseMethod(const Grid *grid, const PassFigure *figure)
{
	IntervalMethod asked = grid->arguments.options.method;

	if (figure->tasks == 0)
		return METHOD_NONE;
	if (figure->tasks == 1 || figure->std_error == 0.0)
		return METHOD_WILSON;
	if (asked != METHOD_AUTO)
		return asked;
	if (IsSparse(figure))
		return METHOD_WILSON;
	return grid->many || grid->arguments.options.resamples == 0 ? METHOD_T : METHOD_BCA;
}

/* What the bands of a set of figures rest on: sparse cells, and how each is resampled. */
static bool *
SparseCells(const Grid *grid, const PassFigure *figures)
{
	bool *sparse = palloc(grid->cells * sizeof(bool));

	for (int i = 0; i < grid->cells; i++)
		sparse[i] = figures[i].tasks < 2 || figures[i].std_error == 0.0 || IsSparse(&figures[i]);
	return sparse;
}

/*
 * Wilson's interval at the critical value, over the number of coin flips whose
 * mean has the figure's standard error. Like the error of a small proportion it
 * reaches further toward 1/2, which bands of pass -+ critical std_error miss.
 */
static Bounds
BandOf(const Bands *bands, const PassFigure *figure, bool sparse)
{
	double p = figure->pass;

	if (sparse)
		return wilson_interval(p, (double) figure->tasks, bands->critical);
	return wilson_interval(p, p * (1.0 - p) / (figure->std_error * figure->std_error),
						   bands->critical * bands->factor);
}

static void
SetBands(Grid *grid, const Bands *bands, const PassFigure *figures, const bool *sparse)
{
	for (int i = 0; i < grid->cells; i++) {
		grid->results[i].has_band = figures[i].tasks > 0;
		if (figures[i].tasks > 0)
			grid->results[i].band = BandOf(bands, &figures[i], sparse[i]);
	}
}

static void
SetResampled(Grid *grid, const BootstrapResult *result)
{
	for (int i = 0; i < grid->cells; i++) {
		if (interval_resampling(grid->results[i].method) != BOOTSTRAP_NONE)
			grid->results[i].interval = result->intervals[i];
	}
}

/* Bands, and with them the resampled intervals where both rest on the same tasks. */
static void
Resample(Grid *grid)
{
	const InferenceOptions *options = &grid->arguments.options;
	PassRequest common = grid->arguments.request;
	BootstrapMethod *methods = palloc(grid->cells * sizeof(BootstrapMethod));
	BootstrapMethod *none = palloc0(grid->cells * sizeof(BootstrapMethod));
	PassFigure *figures;
	bool *sparse;
	bool any = false, same = true;
	Bands bands;

	common.task_set = TASKS_COMMON;
	figures = pass_figures(grid->summary, &common);
	sparse = SparseCells(grid, figures);
	for (int i = 0; i < grid->cells; i++) {
		methods[i] = interval_resampling(grid->results[i].method);
		any |= methods[i] != BOOTSTRAP_NONE;
		same &= figures[i].tasks == grid->figures[i].tasks;
	}
	if (any && !same) {
		BootstrapRequest request = {options->resamples, options->seed, options->confidence, methods,
									NULL};
		BootstrapResult result =
			bootstrap(pass_sample(grid->summary, &grid->arguments.request, 0), &request);

		SetResampled(grid, &result);
	}
	if (figures[0].tasks < 2)
		return;
	bands = make_bands(pass_sample(grid->summary, &common, any ? 0 : grid->blocks), options,
					   same ? methods : none, sparse, figures[0].tasks);
	if (any && same)
		SetResampled(grid, &bands.result);
	SetBands(grid, &bands, figures, sparse);
}

static void
SetIntervals(Grid *grid)
{
	const InferenceOptions *options = &grid->arguments.options;

	for (int i = 0; i < grid->cells; i++) {
		const PassFigure *figure = &grid->figures[i];
		GridCell *cell = &grid->results[i];
		double m = (double) figure->tasks;

		cell->method = ChooseMethod(grid, figure);
		if (cell->method == METHOD_WILSON)
			cell->interval = wilson_interval(figure->pass, m, confidence_z(options->confidence));
		else if (cell->method == METHOD_T)
			cell->interval = clamp_bounds(
				t_interval(figure->pass, figure->std_error, m - 1.0, options->confidence), 0.0,
				1.0);
	}
	if (options->resamples > 0)
		Resample(grid);
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

static void
PutCell(ReturnSetInfo *rsinfo, const Grid *grid, int64 k, const int64 *t, int i)
{
	const PassFigure *figure = &grid->figures[i];
	const GridCell *cell = &grid->results[i];
	const char *method = interval_method_name(cell->method);
	Datum values[GRID_COLUMNS];
	bool nulls[GRID_COLUMNS];

	put_bigint(values, nulls, 0, &k);
	put_bigint(values, nulls, 1, t);
	put_float(values, nulls, 2, figure->pass, figure->tasks > 0);
	put_float(values, nulls, 3, figure->std_error, figure->tasks > 1);
	put_float(values, nulls, 4, figure->std_error_fixed, figure->has_fixed);
	put_float(values, nulls, 5, cell->interval.low, method != NULL);
	put_float(values, nulls, 6, cell->interval.high, method != NULL);
	put_float(values, nulls, 7, cell->band.low, cell->has_band);
	put_float(values, nulls, 8, cell->band.high, cell->has_band);
	put_bigint(values, nulls, 9, &figure->tasks);
	put_bigint(values, nulls, 10, &figure->tasks_short);
	put_bigint(values, nulls, 11, &figure->rollouts);
	put_bigint(values, nulls, 12, &figure->unscored);
	PutHeadroom(grid, values, nulls, 13, i);
	put_text(values, nulls, 17, method);
	put_row(rsinfo, values, nulls);
}

static void
SetSize(Grid *grid, int64 tasks)
{
	int resamples = grid->arguments.options.resamples;

	grid->many = !resampling_is_quick(tasks, grid->cells, resamples);
	grid->blocks = max_t_blocks(tasks, grid->cells, resamples);
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
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	grid.summary = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
	grid.cells = grid.arguments.request.nk * grid.arguments.request.nt;
	SetSize(&grid, pass_task_count(grid.summary));
	grid.figures = pass_figures(grid.summary, &grid.arguments.request);
	grid.results = palloc0(mul_size(grid.cells, sizeof(GridCell)));
	SetIntervals(&grid);
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
