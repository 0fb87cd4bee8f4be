/*
 * The estimator of the Pass@(K,T) family.
 *
 * Per task and T: n rollouts eligible, c of them solved by T. The value is a
 * function of (n, c, k); the figure is its mean over the tasks with n >= k.
 * Pass@k by the unbiased estimator of Chen et al. (2021), 1 - C(n-c,k)/C(n,k);
 * pass^k of tau-bench (2024), C(c,k)/C(n,k).
 */
#include "pass/evaluate.h"

#include <math.h>

#include "miscadmin.h"
#include "pass/variance.h"
#include "utils/memutils.h"

/* Tasks with up to so many rollouts are counted in tables, within the memory below. */
#define TABULATED_ROLLOUTS 1024
#define TABLE_BYTES		   ((Size) 64 * 1024 * 1024)

/* sums per figure, shifted by the first value so that equal values have no spread */
typedef struct Sums {
	double sum;
	double shift;
	double shifted;
	double squares;
	double variances; /* of the tasks' own values */
	int64 tasks;
	int64 tasks_with_variance;
	int64 rollouts;
} Sums;

typedef struct Totals {
	PassEvaluation eval;
	Sums *sums;				 /* [t][k] */
	AttemptCounts *attempts; /* by t, of the tasks with any k */
	int64 **tables;			 /* by n: how many tasks have c solved, [t][c]; NULL where none */
	Size table_bytes;
} Totals;

/* The table of tasks with n rollouts, or NULL where there is none. */
static int64 *
TableFor(Totals *totals, int64 n)
{
	Size size;

	if (n > TABULATED_ROLLOUTS)
		return NULL;
	if (totals->tables[n] != NULL)
		return totals->tables[n];
	size = mul_size((n + 1) * sizeof(int64), totals->eval.request->nt);
	if (size > TABLE_BYTES - totals->table_bytes)
		return NULL;
	totals->table_bytes += size;
	totals->tables[n] = palloc0(size);
	return totals->tables[n];
}

/* pass^k is 1 less pass@k of failures, so their variances are alike. */
static void
AddVariances(const PassRequest *request, Sums *sums, int64 n, int64 c, int64 k, int64 tasks)
{
	if (request->measure == PASS_ALL_OF_K)
		c = n - c;
	if (n < 2 * k)
		return;
	sums->variances += (double) tasks * pass_value_variance(n, c, k);
	sums->tasks_with_variance += tasks;
}

/* Adds the values of tasks that all have n rollouts and c solved. */
static void
AddTasks(Totals *totals, int t, int64 n, int64 c, int64 tasks)
{
	const PassRequest *request = totals->eval.request;
	const double *values = pass_values(&totals->eval, n, c);
	double weight = (double) tasks;

	for (int i = 0; i < request->nk && request->k[i] <= n; i++) {
		Sums *sums = &totals->sums[t * request->nk + i];
		double d;

		if (sums->tasks == 0)
			sums->shift = values[i];
		d = fabs(values[i] - sums->shift) < SAME_VALUE ? 0.0 : values[i] - sums->shift;
		sums->sum += weight * values[i];
		sums->shifted += weight * d;
		sums->squares += weight * d * d;
		sums->tasks += tasks;
		sums->rollouts += tasks * n;
		if (request->measure != PASS_ANY)
			AddVariances(request, sums, n, c, request->k[i], tasks);
	}
	attempts_add(&totals->attempts[t], n, tasks);
}

static void
AddTask(Totals *totals)
{
	PassEvaluation *eval = &totals->eval;
	const PassRequest *request = eval->request;

	if (request->task_set == TASKS_COMMON && !pass_evaluate_common(eval))
		return;
	for (int t = 0; t < request->nt; t++) {
		int64 n = eval->eligible[t];
		int64 *table;

		if (n < request->k[0])
			continue;
		table = TableFor(totals, n);
		if (table != NULL)
			table[t * (n + 1) + eval->solved[t]]++;
		else
			AddTasks(totals, t, n, eval->solved[t], 1);
	}
}

/* Adds what the tables have counted, in the order of n and c. */
static void
AddTables(Totals *totals)
{
	for (int64 n = 0; n <= TABULATED_ROLLOUTS; n++) {
		const int64 *table = totals->tables[n];

		if (table == NULL)
			continue;
		for (int t = 0; t < totals->eval.request->nt; t++) {
			CHECK_FOR_INTERRUPTS();
			for (int64 c = 0; c <= n; c++) {
				int64 tasks = table[t * (n + 1) + c];

				if (tasks > 0)
					AddTasks(totals, t, n, c, tasks);
			}
		}
	}
}

static ShareEvidence
EvidenceOf(const Totals *totals, int cell)
{
	const PassRequest *request = totals->eval.request;
	const Sums *sums = &totals->sums[cell];
	double m = (double) sums->tasks;
	double share = sums->sum / m;
	double miss = request->measure == PASS_ALL_OF_K ? share : 1.0 - share;
	double alike = 0.0;

	if (request->measure != PASS_ANY)
		alike = attempts_alike_variance(&totals->attempts[cell / request->nk],
										request->k[cell % request->nk], miss);
	return (ShareEvidence){
		.tasks = m,
		.sum = sums->sum,
		.deviations = Max(0.0, sums->squares - sums->shifted * sums->shifted / m),
		.within = Max(0.0, sums->variances) / m,
		.alike = alike / m,
	};
}

static PassFigure
FigureOf(const Totals *totals, int cell)
{
	const Sums *sums = &totals->sums[cell];
	PassFigure figure = {.tasks = sums->tasks, .rollouts = sums->rollouts};
	double m = (double) sums->tasks;

	figure.unscored = totals->eval.unscored[cell / totals->eval.request->nk];
	figure.tasks_short = totals->eval.tasks - sums->tasks;
	if (sums->tasks > 0) {
		figure.pass = sums->sum / m;
		figure.evidence = EvidenceOf(totals, cell);
	}
	if (sums->tasks > 1)
		figure.std_error = sqrt(figure.evidence.deviations / (m - 1.0) / m);
	figure.has_fixed = sums->tasks > 0 && sums->tasks_with_variance == sums->tasks;
	if (figure.has_fixed)
		figure.std_error_fixed = sqrt(Max(sums->variances, 0.0)) / m;
	return figure;
}

/* One figure per T and k. The sums depend on the tasks' counts, not on how they came. */
PassFigure *
pass_figures(Datum summary, const PassRequest *request)
{
	Totals totals = {.sums = NULL};
	PassFigure *figures;
	int n = request->nt * request->nk;

	pass_evaluate(&totals.eval, summary, request);
	totals.sums = palloc0(mul_size(n, sizeof(Sums)));
	totals.tables = palloc0((TABULATED_ROLLOUTS + 1) * sizeof(int64 *));
	totals.attempts = palloc0(request->nt * sizeof(AttemptCounts));
	while (pass_evaluate_next(&totals.eval))
		AddTask(&totals);
	AddTables(&totals);
	figures = palloc(mul_size(n, sizeof(PassFigure)));
	for (int i = 0; i < n; i++)
		figures[i] = FigureOf(&totals, i);
	pass_close(&totals.eval.reader);
	return figures;
}
