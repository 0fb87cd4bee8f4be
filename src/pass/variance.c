#include "pass/variance.h"

#include <math.h>

#include "core/array.h"
#include "miscadmin.h"
#include "pass/evaluate.h"
#include "stats/elementary.h"

#define FIRST_COUNTS 4

typedef struct AttemptCount {
	int64 n;
	int64 tasks;
} AttemptCount;

#define ST_SORT			 sort_counts
#define ST_ELEMENT_TYPE	 AttemptCount
#define ST_COMPARE(a, b) (((a)->n > (b)->n) - ((a)->n < (b)->n))
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

double
pass_overlap_mean(uint64 n, uint64 k, double (*term)(const void *context, uint64 shared),
				  const void *context)
{
	uint64 least = 2 * k > n ? 2 * k - n : 0;
	uint64 mode = (uint64) ((k + 1.0) * (k + 1.0) / (n + 2.0));
	double rest = (double) n - 2.0 * (double) k;
	double weight = 1.0, weights = 1.0, sum;

	mode = Min(k, Max(least, mode));
	sum = term(context, mode);
	for (uint64 j = mode; j < k && weight > 0.0; j++) {
		double left = (double) (k - j);

		weight *= left * left / ((j + 1.0) * (rest + j + 1.0));
		weights += weight;
		sum += weight * term(context, j + 1);
	}
	weight = 1.0;
	for (uint64 j = mode; j > least && weight > 0.0; j--) {
		double left = (double) (k - j + 1);

		weight *= j * (rest + j) / (left * left);
		weights += weight;
		sum += weight * term(context, j - 1);
	}
	return sum / weights;
}

/* ---- from a task's own attempts ---- */

/* By number of attempts less k: the chance that so many distinct ones all fail. */
typedef struct MissChances {
	uint64 k;
	double *miss;
} MissChances;

static double
MissOfShared(const void *context, uint64 shared)
{
	const MissChances *chances = context;

	return chances->miss[chances->k - shared];
}

double
pass_variance_at(uint64 n, uint64 c, uint64 k, uint64 attempts)
{
	MissChances chances = {.k = k};
	double miss, variance;

	if (n < 2 * k || attempts < k || k > MAX_VARIANCE_K)
		return 0.0;
	chances.miss = palloc((k + 1) * sizeof(double));
	miss = pass_miss(n, c, k);
	for (uint64 m = k; m <= 2 * k; m++) {
		chances.miss[m - k] = miss;
		miss *= m < n - c ? (double) (n - c - m) / (double) (n - m) : 0.0;
	}
	variance = pass_overlap_mean(attempts, k, MissOfShared, &chances) - chances.miss[k];
	pfree(chances.miss);
	return variance;
}

/* ---- tables of them ---- */

/* Tables take at most so much together. */
#define VARIANCE_TABLE_BYTES ((Size) 64 * 1024 * 1024)
#define MAX_TABLE_ATTEMPTS	 4096

static void
FillVariances(const PassRequest *request, int64 n, int64 c, int64 attempts, double *row)
{
	for (int i = 0; i < request->nk; i++) {
		CHECK_FOR_INTERRUPTS();
		row[i] = pass_variance_at(n, c, request->k[i], attempts);
	}
}

static double *
NewTable(VarianceTables *tables, int64 n)
{
	Size cells = mul_size(n + 1, tables->request->nk);
	double *table;

	if (cells * sizeof(double) > VARIANCE_TABLE_BYTES - tables->bytes)
		return NULL;
	tables->bytes += cells * sizeof(double);
	table = palloc(cells * sizeof(double));
	for (Size i = 0; i < cells; i++)
		table[i] = NAN;
	return table;
}

static double *
TableOf(VarianceTables *tables, int64 n, int64 attempts)
{
	Key key = {.number = n * MAX_TABLE_ATTEMPTS + attempts};
	bool is_new;
	uint32 ordinal;

	if (n >= MAX_TABLE_ATTEMPTS || attempts >= MAX_TABLE_ATTEMPTS)
		return NULL;
	if (tables->keys == NULL) {
		tables->keys = palloc(sizeof(KeyMap));
		keymap_init(tables->keys, KEYS_BIGINT, CurrentMemoryContext);
	}
	ordinal = keymap_add(tables->keys, &key, &is_new);
	if (!is_new)
		return tables->tables[ordinal];
	if (ordinal >= tables->capacity) {
		tables->capacity = Max(16, tables->capacity * 2);
		tables->tables = array_with_room(CurrentMemoryContext, tables->tables, tables->capacity,
										 sizeof(double *));
	}
	return tables->tables[ordinal] = NewTable(tables, n);
}

const double *
variances_of(VarianceTables *tables, int64 n, int64 c, int64 attempts)
{
	double *row = TableOf(tables, n, attempts);

	if (row != NULL)
		row += c * tables->request->nk;
	else {
		if (tables->row == NULL)
			tables->row = palloc(tables->request->nk * sizeof(double));
		row = tables->row;
		row[0] = NAN;
	}
	if (isnan(row[0]))
		FillVariances(tables->request, n, c, attempts, row);
	return row;
}

/* ---- of tasks that are all alike ---- */

typedef struct AlikeChances {
	uint64 k;
	double log_root; /* of the chance that one attempt fails */
} AlikeChances;

static double
AlikeOfShared(const void *context, uint64 shared)
{
	const AlikeChances *chances = context;

	return dist_exp((double) (2 * chances->k - shared) * chances->log_root);
}

double
pass_alike_variance(uint64 n, uint64 k, double u)
{
	AlikeChances chances = {.k = k};

	if (!(u > 0.0 && u < 1.0))
		return 0.0;
	if (k == 1)
		return u * (1.0 - u) / (double) n;
	chances.log_root = dist_log(u) / (double) k;
	return Max(0.0, pass_overlap_mean(n, k, AlikeOfShared, &chances) - u * u);
}

/* ---- numbers of attempts ---- */

static void
FoldCounts(AttemptCounts *counts)
{
	AttemptCount *list = counts->list;
	uint32 kept = 0;

	sort_counts(list, counts->used);
	for (uint32 i = 0; i < counts->used; i++) {
		if (kept > 0 && list[kept - 1].n == list[i].n)
			list[kept - 1].tasks += list[i].tasks;
		else
			list[kept++] = list[i];
	}
	counts->used = kept;
}

static void
MakeRoom(AttemptCounts *counts)
{
	if (counts->used < counts->capacity)
		return;
	if (counts->used > 0)
		FoldCounts(counts);
	if (counts->used <= counts->capacity / 2 && counts->capacity > 0)
		return;
	counts->capacity = Max(FIRST_COUNTS, counts->capacity * 2);
	counts->list =
		array_with_room(CurrentMemoryContext, counts->list, counts->capacity, sizeof(AttemptCount));
}

void
attempts_add(AttemptCounts *counts, int64 n, int64 tasks)
{
	if (counts->used > 0 && counts->list[counts->used - 1].n == n) {
		counts->list[counts->used - 1].tasks += tasks;
		return;
	}
	MakeRoom(counts);
	counts->list[counts->used++] = (AttemptCount){n, tasks};
}

double
attempts_alike_variance(const AttemptCounts *counts, uint64 k, double u)
{
	double sum = 0.0;

	for (uint32 i = 0; i < counts->used; i++) {
		const AttemptCount *count = &counts->list[i];

		CHECK_FOR_INTERRUPTS();
		if ((uint64) count->n >= k)
			sum += (double) count->tasks * pass_alike_variance(count->n, k, u);
	}
	return sum;
}
