/*
 * pass_diff: the difference of two arms, paired by task, over the grid.
 */
#include "core/rows.h"
#include "pass/arguments.h"
#include "pass/compare.h"

#include "miscadmin.h"

#define DIFF_COLUMNS 17

/* Why there is no figure. */
static const char *
NoteOf(const PairFigure *figure)
{
	if (figure->tasks > 0)
		return NULL;
	return figure->common == 0 ? "no common task" : "no task has k eligible attempts in both arms";
}

/* note: what all rows say; NULL: each its own */
static void
PutCell(ReturnSetInfo *rsinfo, const Comparison *comparison, int64 k, const int64 *t, int i,
		const char *note)
{
	const PairFigure *figure = &comparison->figures[i];
	const Estimate *result = &comparison->results[i];
	bool any = figure->tasks > 0, banded = has_band(comparison, i);
	Bounds band = banded ? comparison->made.band[i] : (Bounds){0.0, 0.0};
	Datum values[DIFF_COLUMNS];
	bool nulls[DIFF_COLUMNS];

	put_bigint(values, nulls, 0, &k);
	put_bigint(values, nulls, 1, t);
	put_float(values, nulls, 2, figure->first, any);
	put_float(values, nulls, 3, figure->second, any);
	put_float(values, nulls, 4, figure->diff, any);
	put_float(values, nulls, 5, figure->std_error, figure->tasks > 1);
	put_float(values, nulls, 6, result->interval.low, any);
	put_float(values, nulls, 7, result->interval.high, any);
	put_float(values, nulls, 8, band.low, banded);
	put_float(values, nulls, 9, band.high, banded);
	put_float(values, nulls, 10, result->p_value, any);
	put_float(values, nulls, 11, banded ? comparison->made.p_adjusted[i] : 0.0, banded);
	put_bigint(values, nulls, 12, &figure->tasks);
	put_bigint(values, nulls, 13, &figure->tasks_short);
	put_float(values, nulls, 14,
			  unseen_share((double) figure->tasks, 1.0 - comparison->options.confidence), any);
	put_text(values, nulls, 15, note != NULL ? note : NoteOf(figure));
	put_text(values, nulls, 16, result->method);
	put_row(rsinfo, values, nulls);
}

/*
 * pass_diff(treatment, reference, k[], t[], confidence, resamples, seed,
 * method, match, task_set): treatment - reference, paired by task, a row per k
 * and t. p_value inverts the interval that is returned; p_adjusted holds over
 * all cells at once.
 */
PG_FUNCTION_INFO_V1(pass_diff);
Datum
pass_diff(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	GridArguments grid;
	Comparison comparison = {.bands = true};
	const char *note = NULL;

	InitMaterializedSRF(fcinfo, 0);
	grid = read_grid(fcinfo, 2);
	comparison.options = read_inference_options(fcinfo, 4);
	read_selection(fcinfo, 8, &grid.request);
	comparison.pair = read_arms(fcinfo, &grid.request);
	pass_compare(&comparison);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		note = PG_ARGISNULL(0) ? "the treatment is null" : "the reference is null";
	for (int i = 0; i < grid.k.n; i++) {
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < grid.t.n; j++)
			PutCell(rsinfo, &comparison, grid.k.given[i],
					grid.t.given == NULL ? NULL : &grid.t.given[j], grid_cell(&grid, i, j), note);
	}
	return (Datum) 0;
}
