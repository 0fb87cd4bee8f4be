/*
 * pass_bracket: what Pass@(K,T) could be, had every rollout been scored.
 */
#include "core/rows.h"
#include "pass/arguments.h"

#include "miscadmin.h"

#define BRACKET_COLUMNS 6

static PassFigure *
FiguresBy(Datum summary, const GridArguments *grid, UnscoredRule rule)
{
	PassRequest request = grid->request;

	request.unscored = rule;
	return pass_figures(summary, &request);
}

/*
 * pass_bracket(summary, k[], t[]): a row per k and t, with the unscored
 * rollouts that are eligible by their limit counted as failures, left out, or
 * counted as successes in the first turn, whatever turns they took. Each
 * figure is over the tasks that then have k rollouts; NULL without such a task.
 */
PG_FUNCTION_INFO_V1(pass_bracket);
Datum
pass_bracket(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	GridArguments grid;
	Datum summary;
	PassFigure *figures[3];

	InitMaterializedSRF(fcinfo, 0);
	grid = read_grid(fcinfo, 1);
	summary = pass_summary_argument(fcinfo, 0);
	figures[0] = FiguresBy(summary, &grid, UNSCORED_FAILS);
	figures[1] = FiguresBy(summary, &grid, UNSCORED_LEFT_OUT);
	figures[2] = FiguresBy(summary, &grid, UNSCORED_SUCCEEDS);
	for (int i = 0; i < grid.k.n; i++) {
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < grid.t.n; j++) {
			int cell = grid_cell(&grid, i, j);
			Datum values[BRACKET_COLUMNS];
			bool nulls[BRACKET_COLUMNS];

			put_bigint(values, nulls, 0, &grid.k.given[i]);
			put_bigint(values, nulls, 1, grid.t.given == NULL ? NULL : &grid.t.given[j]);
			for (int rule = 0; rule < 3; rule++)
				put_float(values, nulls, 2 + rule, figures[rule][cell].pass,
						  figures[rule][cell].tasks > 0);
			put_bigint(values, nulls, 5, &figures[1][cell].unscored);
			put_row(rsinfo, values, nulls);
		}
	}
	return (Datum) 0;
}
