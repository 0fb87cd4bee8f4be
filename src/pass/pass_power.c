/*
 * pass_power: what difference in Pass@(K,T) a planned evaluation would detect,
 * from the two arms of one that was run.
 *
 * Per task the variance of a difference has two parts: between tasks, which
 * more tasks alone make small, and within a task, from the chance of its
 * attempts. The latter is estimated without bias for any number of attempts,
 * from tasks with 2k of them or more.
 */
#include "core/rows.h"
#include "pass/arguments.h"
#include "pass/evaluate.h"
#include "pass/variance.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "core/array.h"
#include "stats/distribution.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#define POWER_COLUMNS 6
/* of std_error_high: the variance between tasks is no larger with a chance of 95 % */
#define HIGH_Z	  1.645
#define MAX_PLANS 100000

/* The tasks of one arm, as means over the tasks that both arms have. */
typedef struct ArmMoments {
	PassEvaluation eval;
	double *miss; /* [m - k], m = k..2k: chance that m distinct attempts all fail; a sum at first */
} ArmMoments;

/* What a task tells of the variance of the differences. */
typedef struct TaskTerm {
	double diff;
	double within; /* unbiased, of diff at the attempts that there were */
} TaskTerm;

typedef struct PowerBasis {
	int64 k;
	ArmMoments treatment, reference;
	int64 tasks;
	int64 left_out; /* tasks of either arm that are not among them */
	int64 capacity;
	TaskTerm *terms; /* by task */
	double between;	 /* variance between tasks, below 0 by chance */
	double doubt;	 /* the variance of that estimate */
} PowerBasis;

typedef struct Counts {
	int n;
	int64 *values;
} Counts;

static Counts
ReadCounts(FunctionCallInfo fcinfo, int i, const char *name, int64 least, const char *reason)
{
	Counts counts;
	Datum *values;
	bool *nulls;

	require_argument(fcinfo, i, name);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(i), INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &values, &nulls, &counts.n);
	if (counts.n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must not be empty", name)));
	counts.values = palloc(counts.n * sizeof(int64));
	for (int j = 0; j < counts.n; j++) {
		if (nulls[j])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not contain nulls", name)));
		counts.values[j] = DatumGetInt64(values[j]);
		if (counts.values[j] < least)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("%s must be at least %lld, not %lld", name, (long long) least,
								   (long long) counts.values[j]),
							errdetail("%s", reason)));
	}
	return counts;
}

static double
ReadChance(FunctionCallInfo fcinfo, int i, const char *name)
{
	double value;

	require_argument(fcinfo, i, name);
	value = PG_GETARG_FLOAT8(i);
	if (!(value > 0.0 && value < 1.0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be between 0 and 1, not %g", name, value)));
	return value;
}

/* A test of level alpha finds what is not there in alpha of all cases, so a difference in more. */
static void
RequirePowerAbove(double power, double alpha)
{
	if (power <= alpha)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("power must be greater than alpha"),
						errdetail("power is %g, alpha %g.", power, alpha)));
}

/* ---- the two arms that were run ---- */

/* Adds the arm's task to its sums, and to the term: after both arms its diff is the second's less
 * the first's. */
static void
AddTask(ArmMoments *arm, int64 k, TaskTerm *term)
{
	int64 n = arm->eval.eligible[0], c = arm->eval.solved[0];
	double pass = pass_values(&arm->eval, n, c)[0];
	double miss = 1.0 - pass;

	for (int64 m = k; m <= 2 * k && miss > 0.0; m++) {
		arm->miss[m - k] += miss;
		miss *= m < n - c ? (double) (n - c - m) / (double) (n - m) : 0.0;
	}
	term->diff = pass - term->diff;
	term->within += pass_value_variance(n, c, k);
}

static void
AddPair(PowerBasis *basis)
{
	TaskTerm term = {0};

	CHECK_FOR_INTERRUPTS();
	AddTask(&basis->reference, basis->k, &term);
	AddTask(&basis->treatment, basis->k, &term);
	if (basis->tasks == basis->capacity) {
		basis->capacity = Max(64, basis->capacity * 2);
		basis->terms =
			array_with_room(CurrentMemoryContext, basis->terms, basis->capacity, sizeof(TaskTerm));
	}
	basis->terms[basis->tasks++] = term;
}

static bool
HasEnough(const ArmMoments *arm, int64 k)
{
	return arm->eval.eligible[0] >= 2 * k;
}

/* Reads both arms in key order, so that equal tasks meet. */
static void
AddPairs(PowerBasis *basis)
{
	KeyJoin join;

	pass_join(&join, &basis->treatment.eval, &basis->reference.eval);
	while (join_next(&join)) {
		if (join.order == 0 && HasEnough(&basis->treatment, basis->k) &&
			HasEnough(&basis->reference, basis->k))
			AddPair(basis);
		else
			basis->left_out++;
	}
}

static void
FinishArm(ArmMoments *arm, int64 k, int64 tasks)
{
	for (int64 i = 0; i <= k; i++)
		arm->miss[i] /= (double) tasks;
	pass_close(&arm->eval.reader);
}

/* The mean over tasks of (d - mean)^2 m / (m - 1) - within, and that mean's own variance. */
static void
SetBetween(PowerBasis *basis)
{
	double m = (double) basis->tasks;
	double mean = 0.0, squares = 0.0;

	for (int64 i = 0; i < basis->tasks; i++)
		mean += basis->terms[i].diff / m;
	for (int64 i = 0; i < basis->tasks; i++) {
		double d = basis->terms[i].diff - mean;

		basis->between += (d * d * m / (m - 1.0) - basis->terms[i].within) / m;
	}
	for (int64 i = 0; i < basis->tasks; i++) {
		double d = basis->terms[i].diff - mean;
		double from_mean = d * d * m / (m - 1.0) - basis->terms[i].within - basis->between;

		squares += from_mean * from_mean;
	}
	basis->doubt = squares / (m - 1.0) / m;
}

static void
ReadArms(PowerBasis *basis, Datum treatment, Datum reference, const PassRequest *request)
{
	pass_evaluate(&basis->treatment.eval, treatment, request);
	pass_evaluate(&basis->reference.eval, reference, request);
	basis->treatment.miss = palloc0((basis->k + 1) * sizeof(double));
	basis->reference.miss = palloc0((basis->k + 1) * sizeof(double));
	AddPairs(basis);
	if (basis->tasks < 2)
		return;
	FinishArm(&basis->treatment, basis->k, basis->tasks);
	FinishArm(&basis->reference, basis->k, basis->tasks);
	SetBetween(basis);
}

/* ---- the plans ---- */

/* The chance that as many distinct attempts all fail as two draws that share some have. */
typedef struct SharedMiss {
	const ArmMoments *arm;
	int64 k;
} SharedMiss;

static double
MissOfShared(const void *context, uint64 shared)
{
	const SharedMiss *miss = context;

	return miss->arm->miss[miss->k - (int64) shared];
}

/* Mean over tasks of the variance of pass@k at n attempts. */
static double
VarianceAt(const ArmMoments *arm, int64 k, int64 n)
{
	SharedMiss miss = {arm, k};

	return pass_overlap_mean(n, k, MissOfShared, &miss) - arm->miss[k];
}

static char *
NoteOf(const PowerBasis *basis, bool no_variance, double detectable)
{
	StringInfoData note;

	initStringInfo(&note);
	if (basis->left_out > 0)
		appendStringInfo(&note, "; tasks without 2k attempts in both arms left out: %lld",
						 (long long) basis->left_out);
	if (basis->tasks < 2)
		appendStringInfoString(&note, "; two tasks with 2k attempts in both arms are needed");
	else if (no_variance)
		appendStringInfoString(&note, "; no difference varies in these summaries");
	else if (basis->between < 0.0)
		appendStringInfo(&note, "; variance between tasks estimated as %.3g, taken as 0",
						 basis->between);
	if (detectable > 1.0)
		appendStringInfoString(&note, "; no difference exceeds 1: the plan is too small");
	return note.len > 0 ? note.data + 2 : NULL;
}

/* The variance between tasks, shrunk by how reliable its estimate is. */
static double
Reliable(const PowerBasis *basis)
{
	double b = basis->between;

	return b > 0.0 ? b * (b * b / (b * b + basis->doubt)) : 0.0;
}

static void
PutPlan(ReturnSetInfo *rsinfo, const PowerBasis *basis, int64 tasks, int64 attempts, double power,
		double alpha)
{
	Datum values[POWER_COLUMNS] = {0};
	bool nulls[POWER_COLUMNS] = {false};
	double df = (double) tasks - 1.0;
	double within = 0.0, variance, high, std_error, detectable = 0.0;
	char *note;

	if (basis->tasks >= 2)
		within = VarianceAt(&basis->treatment, basis->k, attempts) +
				 VarianceAt(&basis->reference, basis->k, attempts);
	variance = Reliable(basis) + within;
	high = Max(0.0, basis->between + HIGH_Z * sqrt(basis->doubt)) + within;
	std_error = sqrt(Max(variance, 0.0) / (double) tasks);
	nulls[2] = nulls[3] = nulls[4] = !(variance > 0.0);
	if (variance > 0.0)
		detectable = (t_quantile(power, df) - t_quantile(alpha / 2.0, df)) * std_error;
	note = NoteOf(basis, nulls[2], detectable);
	values[0] = Int64GetDatum(tasks);
	values[1] = Int64GetDatum(attempts);
	values[2] = Float8GetDatum(std_error);
	values[3] = Float8GetDatum(sqrt(Max(high, 0.0) / (double) tasks));
	values[4] = Float8GetDatum(detectable);
	nulls[5] = note == NULL;
	values[5] = note == NULL ? (Datum) 0 : CStringGetTextDatum(note);
	put_row(rsinfo, values, nulls);
}

static PassRequest
ReadCell(FunctionCallInfo fcinfo, int64 *k, int64 *t)
{
	PassRequest request = {.measure = PASS_ANY_OF_K, .nk = 1, .nt = 1, .k = k};

	require_argument(fcinfo, 2, "k");
	*k = PG_GETARG_INT64(2);
	require_positive("k", *k);
	if (*k > MAX_VARIANCE_K)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("k must not be greater than %d", MAX_VARIANCE_K)));
	if (PG_ARGISNULL(3))
		return request;
	*t = PG_GETARG_INT64(3);
	require_positive("t", *t);
	request.t = t;
	return request;
}

/*
 * pass_power(treatment, reference, k, t, tasks[], attempts[], power, alpha): a
 * row per planned number of tasks and of attempts per task and arm: the
 * standard error of the paired difference, and the true difference that a t
 * test of level alpha finds with that power. t NULL: each rollout at its own
 * budget.
 */
PG_FUNCTION_INFO_V1(pass_power);
Datum
pass_power(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	PowerBasis basis = {.tasks = 0};
	PassRequest request;
	Counts tasks, attempts;
	double power, alpha;
	int64 t;

	InitMaterializedSRF(fcinfo, 0);
	request = ReadCell(fcinfo, &basis.k, &t);
	tasks = ReadCounts(fcinfo, 4, "tasks", 2, "A variance between tasks takes two of them.");
	attempts = ReadCounts(fcinfo, 5, "attempts", basis.k, "Pass@(K,T) takes k attempts per task.");
	if ((int64) tasks.n * attempts.n > MAX_PLANS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there must not be more than %d plans", MAX_PLANS)));
	power = ReadChance(fcinfo, 6, "power");
	alpha = ReadChance(fcinfo, 7, "alpha");
	RequirePowerAbove(power, alpha);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	ReadArms(&basis, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), &request);
	for (int i = 0; i < tasks.n; i++) {
		for (int j = 0; j < attempts.n; j++) {
			CHECK_FOR_INTERRUPTS();
			PutPlan(rsinfo, &basis, tasks.values[i], attempts.values[j], power, alpha);
		}
	}
	return (Datum) 0;
}
