/*
 * The SQL functions that read a pass_summary.
 */
#include "pass/pass.h"

#include "catalog/pg_type.h"
#include "core/compat.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#define MAX_GRID_SIDE 10000

static void
RequirePositive(const char *name, int64 value)
{
	if (value < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be at least 1, not %lld", name, (long long) value)));
}

/* One figure: k in argument 1, t in argument 2 or NULL. */
static Datum
SingleFigure(FunctionCallInfo fcinfo, PassMeasure measure, bool k_given)
{
	int64 k = k_given ? PG_GETARG_INT64(1) : 1;
	int targ = k_given ? 2 : 1;
	int64 t = PG_ARGISNULL(targ) ? 0 : PG_GETARG_INT64(targ);
	PassRequest request = {.measure = measure, .nk = 1, .nt = 1, .k = &k};
	PassFigure *figure;

	RequirePositive("k", k);
	if (!PG_ARGISNULL(targ)) {
		RequirePositive("t", t);
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

/* ---- pass_grid ---- */

static int
CompareInt64(const void *a, const void *b)
{
	int64 x = *(const int64 *) a, y = *(const int64 *) b;

	return (x > y) - (x < y);
}

/* A list of k or t as the caller wrote it, and sorted without repetition. */
typedef struct Axis {
	int n;
	int64 *given;
	int ndistinct;
	int64 *distinct;
} Axis;

static Axis
ReadAxis(ArrayType *array, const char *name)
{
	Axis axis = {0};
	Datum *values;
	bool *nulls;

	deconstruct_array(array, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
					  &nulls, &axis.n);
	if (axis.n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must not be empty", name)));
	if (axis.n > MAX_GRID_SIDE)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("%s must not have more than %d elements", name, MAX_GRID_SIDE)));
	axis.given = palloc(axis.n * sizeof(int64));
	axis.distinct = palloc(axis.n * sizeof(int64));
	for (int i = 0; i < axis.n; i++) {
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not contain nulls", name)));
		axis.given[i] = DatumGetInt64(values[i]);
		RequirePositive(name, axis.given[i]);
	}
	memcpy(axis.distinct, axis.given, axis.n * sizeof(int64));
	qsort(axis.distinct, axis.n, sizeof(int64), CompareInt64);
	for (int i = 0; i < axis.n; i++) {
		if (i == 0 || axis.distinct[i] != axis.distinct[axis.ndistinct - 1])
			axis.distinct[axis.ndistinct++] = axis.distinct[i];
	}
	return axis;
}

static int
PlaceOf(const Axis *axis, int64 value)
{
	int64 *at = bsearch(&value, axis->distinct, axis->ndistinct, sizeof(int64), CompareInt64);

	return at - axis->distinct;
}

/* Which of the named choices a text argument is. */
static int
ReadChoice(text *argument, const char *name, const char *const *choices, int n)
{
	char *given = text_to_cstring(argument);
	StringInfoData hint;

	for (int i = 0; i < n; i++) {
		if (strcmp(given, choices[i]) == 0)
			return i;
	}
	initStringInfo(&hint);
	for (int i = 0; i < n; i++)
		appendStringInfo(&hint, "%s\"%s\"", i == 0 ? "" : ", ", choices[i]);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized value for %s: \"%s\"", name, given),
					errhint("The choices are %s.", hint.data)));
	return 0;
}

static void
PutFigure(ReturnSetInfo *rsinfo, int64 k, const int64 *t, const PassFigure *figure)
{
	Datum values[8];
	bool nulls[8] = {false};

	values[0] = Int64GetDatum(k);
	nulls[1] = t == NULL;
	values[1] = t == NULL ? (Datum) 0 : Int64GetDatum(*t);
	nulls[2] = figure->tasks < 1;
	values[2] = Float8GetDatum(figure->pass);
	nulls[3] = figure->tasks < 2;
	values[3] = Float8GetDatum(figure->std_error);
	values[4] = Int64GetDatum(figure->tasks);
	values[5] = Int64GetDatum(figure->tasks_short);
	values[6] = Int64GetDatum(figure->rollouts);
	values[7] = Int64GetDatum(figure->unscored);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

static void
RequireArgument(FunctionCallInfo fcinfo, int i, const char *name)
{
	if (PG_ARGISNULL(i))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
}

/*
 * pass_grid(summary, k[], t[], match, task_set): a row per k and t, in the
 * order of the lists, k first. t NULL: one column, each rollout at its own
 * budget. pass is NULL when no task has k eligible rollouts, std_error when
 * there are fewer than two such tasks.
 */
PG_FUNCTION_INFO_V1(pass_grid);
Datum
pass_grid(PG_FUNCTION_ARGS)
{
	static const char *const matches[] = {"prefix", "exact"};
	static const char *const task_sets[] = {"each", "common"};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	PassRequest request = {.measure = PASS_ANY_OF_K};
	Axis ks, ts = {.n = 1};
	PassFigure *figures;

	InitMaterializedSRF(fcinfo, 0);
	RequireArgument(fcinfo, 1, "k");
	RequireArgument(fcinfo, 3, "match");
	RequireArgument(fcinfo, 4, "task_set");
	ks = ReadAxis(PG_GETARG_ARRAYTYPE_P(1), "k");
	if (!PG_ARGISNULL(2))
		ts = ReadAxis(PG_GETARG_ARRAYTYPE_P(2), "t");
	request.match = ReadChoice(PG_GETARG_TEXT_PP(3), "match", matches, lengthof(matches));
	request.task_set = ReadChoice(PG_GETARG_TEXT_PP(4), "task_set", task_sets, lengthof(task_sets));
	if (PG_ARGISNULL(0))
		return (Datum) 0;

	request.nk = ks.ndistinct;
	request.k = ks.distinct;
	request.nt = ts.given == NULL ? 1 : ts.ndistinct;
	request.t = ts.distinct;
	figures = pass_figures(PG_GETARG_DATUM(0), &request);
	for (int i = 0; i < ks.n; i++) {
		int k = PlaceOf(&ks, ks.given[i]);

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < ts.n; j++) {
			int t = ts.given == NULL ? 0 : PlaceOf(&ts, ts.given[j]);

			PutFigure(rsinfo, ks.given[i], ts.given == NULL ? NULL : &ts.given[j],
					  &figures[t * request.nk + k]);
		}
	}
	return (Datum) 0;
}

/* ---- pass_tasks ---- */

static Datum
KeyText(const SummaryReader *reader)
{
	if (reader->kind == KEYS_TEXT)
		return PointerGetDatum(cstring_to_text_with_len(reader->key.data, reader->key.len));
	return CStringGetTextDatum(psprintf("%lld", (long long) reader->key.number));
}

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
	values[0] = KeyText(&reader->summary);
	values[1] = Int64GetDatum(attempts);
	values[2] = Int64GetDatum(solved);
	values[3] = Int64GetDatum(unscored);
	values[4] = Int64GetDatum(first);
	nulls[4] = first == 0;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
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
