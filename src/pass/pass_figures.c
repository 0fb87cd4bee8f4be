/*
 * The estimator of the Pass@(K,T) family.
 *
 * Per task and T: n rollouts eligible, c of them solved by T. The value is a
 * function of (n, c, k); the figure is its mean over the tasks with n >= k.
 * Pass@k by the unbiased estimator of Chen et al. (2021), 1 - C(n-c,k)/C(n,k);
 * pass^k of tau-bench (2024), C(c,k)/C(n,k).
 */
#include "pass/pass.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

/* Tasks with up to so many rollouts are counted in tables, within the memory below. */
#define TABULATED_ROLLOUTS 1024
#define TABLE_BYTES		   ((Size) 64 * 1024 * 1024)

/* C(n, k), when it fits into 63 bits. */
static bool
Choose(uint64 n, uint64 k, uint64 *result)
{
	uint128 value = 1;

	k = Min(k, n - k);
	for (uint64 i = 1; i <= k; i++) {
		value = value * (n - k + i) / i;
		if (value > PG_INT64_MAX)
			return false;
	}
	*result = (uint64) value;
	return true;
}

/*
 * C(n - m, k) / C(n, k) as a product of min(k, m) factors; it ends early when
 * it has become 0. The relative error is at most about min(k, m) * 2.3e-16.
 */
static double
MissProduct(uint64 n, uint64 m, uint64 k)
{
	uint64 steps = Min(k, m);
	uint64 other = Max(k, m);
	double product = 1.0;

	for (uint64 j = 0; j < steps && product > 0.0; j++) {
		if (j % 65536 == 65535)
			CHECK_FOR_INTERRUPTS();
		product *= (double) (n - other - j) / (double) (n - j);
	}
	return product;
}

/*
 * The chance that k of n rollouts, drawn without replacement, miss m marked
 * ones; or, when complement is set, that they do not. One division of whole
 * numbers where C(n, k) is small enough.
 */
static double
MissProbability(uint64 n, uint64 m, uint64 k, bool complement)
{
	uint64 all, missing = 0;
	double miss;

	if (Choose(n, k, &all)) {
		if (k <= n - m)
			Choose(n - m, k, &missing);
		return (double) (complement ? all - missing : missing) / (double) all;
	}
	miss = k <= n - m ? MissProduct(n, m, k) : 0.0;
	return complement ? 1.0 - miss : miss;
}

static double
PassValue(PassMeasure measure, uint64 n, uint64 c, uint64 k)
{
	switch (measure) {
		case PASS_ANY_OF_K:
			return MissProbability(n, c, k, true);
		case PASS_ALL_OF_K:
			return MissProbability(n, n - c, k, false);
		default:
			return c > 0 ? 1.0 : 0.0;
	}
}

/* Which columns of T a cell counts in, as half-open ranges. */
typedef struct CellRanges {
	int eligible_from, eligible_to;
	int solved_from;
	bool scored;
} CellRanges;

/* sums per figure, shifted by the first value so that equal values have no spread */
typedef struct Sums {
	double sum;
	double shift;
	double shifted;
	double squares;
	int64 tasks;
	int64 rollouts;
} Sums;

typedef struct Evaluation {
	const PassRequest *request;
	PassReader reader;
	CellRanges *ranges; /* by cell */
	int64 *eligible;	/* by T, of the task at hand */
	int64 *solved;
	int64 *unscored; /* by T, of all tasks */
	Sums *sums;		 /* [t][k] */
	int64 **tables;	 /* by n: how many tasks have c solved, [t][c]; NULL where none */
	Size table_bytes;
	double *row; /* values of one (n, c) by k */
	int64 tasks;
} Evaluation;

/* The first column with T >= turn. */
static int
FirstColumn(const PassRequest *request, int64 turn)
{
	int i = 0;

	while (i < request->nt && request->t[i] < turn)
		i++;
	return i;
}

/* Rollouts of the cell are eligible for the columns T <= last. */
static int
EndColumn(const PassRequest *request, int64 last)
{
	int i = 0;

	while (i < request->nt && request->t[i] <= last)
		i++;
	return i;
}

static void
EligibleColumns(const PassRequest *request, const PassCell *cell, CellRanges *ranges)
{
	ranges->eligible_from = 0;
	ranges->eligible_to = request->nt;
	if (request->match == MATCH_EXACT) {
		ranges->eligible_from = FirstColumn(request, cell->limit);
		ranges->eligible_to =
			cell->limit_kind == LIMIT_BUDGET ? EndColumn(request, cell->limit) : 0;
	} else if (cell->limit_kind != LIMIT_NONE)
		ranges->eligible_to = EndColumn(request, cell->limit);
	if (ranges->eligible_to <= ranges->eligible_from)
		ranges->eligible_from = ranges->eligible_to = 0;
}

static CellRanges
RangesOf(const PassRequest *request, const PassCell *cell)
{
	CellRanges ranges = {0, request->nt, request->nt, cell->outcome != OUTCOME_UNSCORED};

	if (request->t == NULL) {
		if (cell->outcome == OUTCOME_SOLVED)
			ranges.solved_from = 0;
		return ranges;
	}
	EligibleColumns(request, cell, &ranges);
	if (ranges.scored && cell->turn == TURN_UNKNOWN) {
		ranges.eligible_from = ranges.eligible_to = 0;
		return ranges;
	}
	if (cell->outcome == OUTCOME_SOLVED)
		ranges.solved_from = Max(FirstColumn(request, cell->turn), ranges.eligible_from);
	return ranges;
}

/* Adds count to the columns from..to-1, in terms of their differences. */
static inline void
AddColumns(int64 *differences, int from, int to, int nt, int64 count)
{
	differences[from] += count;
	if (to < nt)
		differences[to] -= count;
}

static void
Accumulate(int64 *values, int n)
{
	for (int i = 1; i < n; i++)
		values[i] += values[i - 1];
}

/* Counts the task at hand into eligible and solved, by T. */
static void
CountTask(Evaluation *eval)
{
	const PassReader *reader = &eval->reader;
	int nt = eval->request->nt;
	int64 everywhere = 0;

	memset(eval->eligible, 0, nt * sizeof(int64));
	memset(eval->solved, 0, nt * sizeof(int64));
	for (uint32 i = 0; i < reader->nentries; i++) {
		const CellRanges *ranges = &eval->ranges[reader->ids[i]];
		int64 count = (int64) reader->counts[i];

		if (ranges->eligible_to == ranges->eligible_from)
			continue;
		if (!ranges->scored) {
			AddColumns(eval->unscored, ranges->eligible_from, ranges->eligible_to, nt, count);
			continue;
		}
		if (ranges->eligible_to - ranges->eligible_from == nt)
			everywhere += count;
		else
			AddColumns(eval->eligible, ranges->eligible_from, ranges->eligible_to, nt, count);
		if (ranges->solved_from < ranges->eligible_to)
			AddColumns(eval->solved, ranges->solved_from, ranges->eligible_to, nt, count);
	}
	eval->eligible[0] += everywhere;
	Accumulate(eval->eligible, nt);
	Accumulate(eval->solved, nt);
}

static void
FillRow(const PassRequest *request, uint64 n, uint64 c, double *row)
{
	for (int i = 0; i < request->nk; i++) {
		uint64 k = request->k[i];

		row[i] = k <= n ? PassValue(request->measure, n, c, k) : 0.0;
	}
}

/* The table of tasks with n rollouts, or NULL where there is none. */
static int64 *
TableFor(Evaluation *eval, int64 n)
{
	Size size;

	if (n > TABULATED_ROLLOUTS)
		return NULL;
	if (eval->tables[n] != NULL)
		return eval->tables[n];
	size = mul_size((n + 1) * sizeof(int64), eval->request->nt);
	if (size > TABLE_BYTES - eval->table_bytes)
		return NULL;
	eval->table_bytes += size;
	eval->tables[n] = palloc0(size);
	return eval->tables[n];
}

/* Adds the values of tasks that all have n rollouts and c solved. */
static void
AddTasks(Evaluation *eval, int t, int64 n, int64 c, int64 tasks)
{
	const PassRequest *request = eval->request;
	double weight = (double) tasks;

	FillRow(request, n, c, eval->row);
	for (int i = 0; i < request->nk && request->k[i] <= n; i++) {
		Sums *sums = &eval->sums[t * request->nk + i];
		double value = eval->row[i];
		double d;

		if (sums->tasks == 0)
			sums->shift = value;
		d = value - sums->shift;
		sums->sum += weight * value;
		sums->shifted += weight * d;
		sums->squares += weight * d * d;
		sums->tasks += tasks;
		sums->rollouts += tasks * n;
	}
}

static bool
IsCommon(const Evaluation *eval)
{
	const PassRequest *request = eval->request;

	for (int t = 0; t < request->nt; t++) {
		if (eval->eligible[t] < request->k[request->nk - 1])
			return false;
	}
	return true;
}

static void
AddTask(Evaluation *eval)
{
	const PassRequest *request = eval->request;

	if (request->task_set == TASKS_COMMON && !IsCommon(eval))
		return;
	for (int t = 0; t < request->nt; t++) {
		int64 n = eval->eligible[t];
		int64 *table;

		if (n < request->k[0])
			continue;
		table = TableFor(eval, n);
		if (table != NULL)
			table[t * (n + 1) + eval->solved[t]]++;
		else
			AddTasks(eval, t, n, eval->solved[t], 1);
	}
}

/* Adds what the tables have counted, in the order of n and c. */
static void
AddTables(Evaluation *eval)
{
	for (int64 n = 0; n <= TABULATED_ROLLOUTS; n++) {
		const int64 *table = eval->tables[n];

		if (table == NULL)
			continue;
		CHECK_FOR_INTERRUPTS();
		for (int t = 0; t < eval->request->nt; t++) {
			for (int64 c = 0; c <= n; c++) {
				int64 tasks = table[t * (n + 1) + c];

				if (tasks > 0)
					AddTasks(eval, t, n, c, tasks);
			}
		}
	}
}

static void
StartEvaluation(Evaluation *eval, Datum summary, const PassRequest *request)
{
	memset(eval, 0, sizeof(*eval));
	eval->request = request;
	pass_open(&eval->reader, summary);
	eval->ranges =
		MemoryContextAllocHuge(CurrentMemoryContext, eval->reader.ncells * sizeof(CellRanges) + 1);
	for (uint32 i = 0; i < eval->reader.ncells; i++)
		eval->ranges[i] = RangesOf(request, &eval->reader.cells[i]);
	eval->eligible = palloc(request->nt * sizeof(int64));
	eval->solved = palloc(request->nt * sizeof(int64));
	eval->unscored = palloc0(request->nt * sizeof(int64));
	eval->sums = palloc0(mul_size((Size) request->nt * request->nk, sizeof(Sums)));
	eval->tables = palloc0((TABULATED_ROLLOUTS + 1) * sizeof(int64 *));
	eval->row = palloc(request->nk * sizeof(double));
}

static PassFigure
FigureOf(const Evaluation *eval, const Sums *sums, int64 unscored)
{
	PassFigure figure = {.tasks = sums->tasks, .rollouts = sums->rollouts, .unscored = unscored};
	double m = (double) sums->tasks;

	figure.tasks_short = eval->tasks - sums->tasks;
	if (sums->tasks > 0)
		figure.pass = sums->sum / m;
	if (sums->tasks > 1) {
		double squares = sums->squares - sums->shifted * sums->shifted / m;

		figure.std_error = sqrt(Max(squares, 0.0) / (m - 1.0) / m);
	}
	return figure;
}

/* One figure per T and k. The sums depend on the tasks' counts, not on how they came. */
PassFigure *
pass_figures(Datum summary, const PassRequest *request)
{
	Evaluation eval;
	PassFigure *figures;
	int n = request->nt * request->nk;

	StartEvaluation(&eval, summary, request);
	while (pass_next_task(&eval.reader)) {
		eval.tasks++;
		CountTask(&eval);
		AddTask(&eval);
	}
	AddTables(&eval);
	Accumulate(eval.unscored, request->nt);
	figures = palloc(mul_size(n, sizeof(PassFigure)));
	for (int i = 0; i < n; i++)
		figures[i] = FigureOf(&eval, &eval.sums[i], eval.unscored[i / request->nk]);
	pass_close(&eval.reader);
	return figures;
}
