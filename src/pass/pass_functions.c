/*
 * The SQL functions that read a pass_summary.
 */
#include "core/rows.h"
#include "summary/keytext.h"
#include "pass/arguments.h"

/* One figure: k in argument 1, t in argument 2 or NULL. */
static Datum
SingleFigure(FunctionCallInfo fcinfo, PassMeasure measure, bool k_given)
{
	int64 k = k_given ? PG_GETARG_INT64(1) : 1;
	int targ = k_given ? 2 : 1;
	int64 t = PG_ARGISNULL(targ) ? 0 : PG_GETARG_INT64(targ);
	PassRequest request = {.measure = measure, .nk = 1, .nt = 1, .k = &k};
	PassFigure *figure;

	require_positive("k", k);
	if (!PG_ARGISNULL(targ)) {
		require_positive("t", t);
		request.t = &t;
	}
	figure = pass_figures(PG_GETARG_DATUM(0), &request);
	if (figure->tasks == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(figure->pass);
}

/*
 * pass_at(summary, k, t): the chance that at least one of k rollouts succeeds
 * within t turns, a mean over the tasks with k or more eligible rollouts. NULL
 * when there is no such task. t NULL: each rollout at its own budget.
 */
PG_FUNCTION_INFO_V1(pass_at);
Datum
pass_at(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	return SingleFigure(fcinfo, PASS_ANY_OF_K, true);
}

/* pass_hat(summary, k, t): pass^k, the chance that all of k rollouts succeed within t turns. */
PG_FUNCTION_INFO_V1(pass_hat);
Datum
pass_hat(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	return SingleFigure(fcinfo, PASS_ALL_OF_K, true);
}

/*
 * pass_bound(summary, t): the share of tasks that any rollout solved within t
 * turns, over the tasks with an eligible rollout.
 */
PG_FUNCTION_INFO_V1(pass_bound);
Datum
pass_bound(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return SingleFigure(fcinfo, PASS_ANY, false);
}

/* ---- pass_tasks ---- */

static void
PutTask(ReturnSetInfo *rsinfo, const PassReader *reader)
{
	int64 attempts = 0, solved = 0, unscored = 0, first = 0;
	Datum values[5];
	bool nulls[5] = {false};

	for (uint32 i = 0; i < reader->nentries; i++) {
		const PassCell *cell = &reader->cells[reader->ids[i]];

		attempts += reader->counts[i];
		if (cell->outcome == OUTCOME_UNSCORED)
			unscored += reader->counts[i];
		if (cell->outcome != OUTCOME_SOLVED)
			continue;
		solved += reader->counts[i];
		if (cell->turn != TURN_UNKNOWN && (first == 0 || cell->turn < first))
			first = cell->turn;
	}
	values[0] = key_text(reader->summary.kind, &reader->summary.key);
	values[1] = Int64GetDatum(attempts);
	values[2] = Int64GetDatum(solved);
	values[3] = Int64GetDatum(unscored);
	values[4] = Int64GetDatum(first);
	nulls[4] = first == 0;
	put_row(rsinfo, values, nulls);
}

/*
 * pass_tasks(summary): a row per task, in key order. attempts counts all
 * rollouts, unscored ones among them.
 */
PG_FUNCTION_INFO_V1(pass_tasks);
Datum
pass_tasks(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	PassReader reader;

	InitMaterializedSRF(fcinfo, 0);
	pass_open(&reader, PG_GETARG_DATUM(0));
	while (pass_next_task(&reader))
		PutTask(rsinfo, &reader);
	pass_close(&reader);
	return (Datum) 0;
}
