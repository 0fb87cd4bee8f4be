/*
 * Reading a pass_summary task by task, as the counts that a request asks for.
 */
#include "pass/evaluate.h"

#include "core/interrupts.h"
#include "utils/memutils.h"

/* Values of tasks with up to so many rollouts are tabulated, within the memory below. */
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

/* The first column with T >= turn. */
static int
FirstColumn(const PassRequest *request, int64 turn)
{
	int low = 0, high = request->nt;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (request->t[middle] < turn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Rollouts of the cell are eligible for the columns T <= last. */
static int
EndColumn(const PassRequest *request, int64 last)
{
	return last == PG_INT64_MAX ? request->nt : FirstColumn(request, last + 1);
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

static bool
Selected(const PassRequest *request, const PassCell *cell)
{
	if (request->source_budget == 0)
		return true;
	return cell->limit_kind == LIMIT_BUDGET && cell->limit == request->source_budget;
}

static CellRanges
RangesOf(const PassRequest *request, const PassCell *cell)
{
	bool unscored = cell->outcome == OUTCOME_UNSCORED;
	CellRanges ranges = {0, request->nt, request->nt,
						 !unscored || request->unscored != UNSCORED_LEFT_OUT};

	if (request->t != NULL)
		EligibleColumns(request, cell, &ranges);
	if (!Selected(request, cell) ||
		(request->t != NULL && !unscored && cell->turn == TURN_UNKNOWN)) {
		ranges.eligible_from = ranges.eligible_to = 0;
		return ranges;
	}
	if (unscored && request->unscored == UNSCORED_SUCCEEDS)
		ranges.solved_from = ranges.eligible_from;
	if (cell->outcome == OUTCOME_SOLVED)
		ranges.solved_from =
			request->t == NULL ? 0 : Max(FirstColumn(request, cell->turn), ranges.eligible_from);
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
CountTask(PassEvaluation *eval)
{
	const uint32 *ids = eval->reader.ids;
	const uint64 *counts = eval->reader.counts;
	uint32 n = eval->reader.nentries;
	const CellRanges *all_ranges = eval->ranges;
	int64 *eligible = eval->eligible;
	int64 *solved = eval->solved;
	int nt = eval->request->nt;
	int64 everywhere = 0;

	memset(eligible, 0, nt * sizeof(int64));
	memset(solved, 0, nt * sizeof(int64));
	for (uint32 i = 0; i < n; i++) {
		CellRanges ranges = all_ranges[ids[i]];
		int64 count = (int64) counts[i];

		check_interrupts_at(i);
		if (ranges.eligible_to == ranges.eligible_from)
			continue;
		if (!ranges.scored) {
			AddColumns(eval->unscored, ranges.eligible_from, ranges.eligible_to, nt, count);
			continue;
		}
		if (ranges.eligible_to - ranges.eligible_from == nt)
			everywhere += count;
		else
			AddColumns(eligible, ranges.eligible_from, ranges.eligible_to, nt, count);
		if (ranges.solved_from < ranges.eligible_to)
			AddColumns(solved, ranges.solved_from, ranges.eligible_to, nt, count);
	}
	eligible[0] += everywhere;
	Accumulate(eligible, nt);
	Accumulate(solved, nt);
}

static void
FillRow(const PassRequest *request, uint64 n, uint64 c, double *row)
{
	for (int i = 0; i < request->nk; i++) {
		uint64 k = request->k[i];

		CHECK_FOR_INTERRUPTS();
		row[i] = k <= n ? PassValue(request->measure, n, c, k) : 0.0;
	}
}

static double *
Tabulate(PassEvaluation *eval, int64 n)
{
	const PassRequest *request = eval->request;
	Size size = mul_size((n + 1) * sizeof(double), request->nk);
	double *table;

	if (size > TABLE_BYTES - eval->table_bytes)
		return NULL;
	eval->table_bytes += size;
	table = palloc(size);
	for (int64 c = 0; c <= n; c++)
		FillRow(request, n, c, table + c * request->nk);
	return eval->tables[n] = table;
}

/* The values of (n, c) for each k of the request; those of k > n are 0. */
const double *
pass_values(PassEvaluation *eval, int64 n, int64 c)
{
	if (n <= TABULATED_ROLLOUTS) {
		double *table = eval->tables[n];

		if (table == NULL)
			table = Tabulate(eval, n);
		if (table != NULL)
			return table + c * eval->request->nk;
	}
	FillRow(eval->request, n, c, eval->row);
	return eval->row;
}

double
pass_miss(uint64 n, uint64 c, uint64 k)
{
	return MissProbability(n, c, k, false);
}

/*
 * The unbiased variance of one task's pass@k between draws of its n rollouts:
 * [C(n-c,k)/C(n,k)]^2 - C(n-c,2k)/C(n,2k). Needs n >= 2k.
 */
double
pass_value_variance(uint64 n, uint64 c, uint64 k)
{
	double miss = MissProbability(n, c, k, false);

	return miss * miss - MissProbability(n, c, 2 * k, false);
}

void
pass_evaluate(PassEvaluation *eval, Datum summary, const PassRequest *request)
{
	memset(eval, 0, sizeof(*eval));
	eval->request = request;
	pass_open(&eval->reader, summary);
	eval->ranges =
		MemoryContextAllocHuge(CurrentMemoryContext, eval->reader.ncells * sizeof(CellRanges) + 1);
	for (uint32 i = 0; i < eval->reader.ncells; i++) {
		check_interrupts_at(i);
		eval->ranges[i] = RangesOf(request, &eval->reader.cells[i]);
	}
	eval->eligible = palloc(request->nt * sizeof(int64));
	eval->solved = palloc(request->nt * sizeof(int64));
	eval->unscored = palloc0(request->nt * sizeof(int64));
	eval->tables = palloc0((TABULATED_ROLLOUTS + 1) * sizeof(double *));
	eval->row = palloc(request->nk * sizeof(double));
}

/* Reads the next task: its counts by T. False after the last, when unscored is complete. */
bool
pass_evaluate_next(PassEvaluation *eval)
{
	if (!pass_next_task(&eval->reader)) {
		Accumulate(eval->unscored, eval->request->nt);
		return false;
	}
	CHECK_FOR_INTERRUPTS();
	eval->tasks++;
	CountTask(eval);
	return true;
}

/* Whether the task has rollouts enough for every requested cell. */
bool
pass_evaluate_common(const PassEvaluation *eval)
{
	const PassRequest *request = eval->request;

	for (int t = 0; t < request->nt; t++) {
		if (eval->eligible[t] < request->k[request->nk - 1])
			return false;
	}
	return true;
}

static bool
NextTask(void *eval)
{
	return pass_evaluate_next(eval);
}

void
pass_join(KeyJoin *join, PassEvaluation *first, PassEvaluation *second)
{
	join_start(join, (JoinSide){first, NextTask, &first->reader.summary},
			   (JoinSide){second, NextTask, &second->reader.summary});
}
