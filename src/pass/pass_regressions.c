/*
 * pass_regressions: the tasks of two arms, the worst change first.
 */
#include "core/rows.h"
#include "pass/arguments.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/tuplestore.h"

#define REGRESSION_COLUMNS 4

/* Differences closer than this are the same: it is the accuracy of the values. */
#define SAME_DIFF 1e-12

typedef struct Change {
	const PairValue *value; /* in an array in key order */
	double rank;			/* the difference as a multiple of SAME_DIFF */
} Change;

static int
CompareChanges(const void *a, const void *b)
{
	const Change *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

static Change *
WorstFirst(const PairValues *tasks)
{
	Change *changes =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(tasks->n, sizeof(Change)) + 1);

	for (int64 i = 0; i < tasks->n; i++) {
		const PairValue *value = &tasks->values[i];

		changes[i] = (Change){value, rint((value->first - value->second) / SAME_DIFF)};
	}
	qsort(changes, tasks->n, sizeof(Change), CompareChanges);
	return changes;
}

static void
PutChange(ReturnSetInfo *rsinfo, KeyKind kind, const PairValue *value)
{
	Datum values[REGRESSION_COLUMNS];
	bool nulls[REGRESSION_COLUMNS] = {false};

	values[0] = key_text(kind, &value->key);
	put_float(values, nulls, 1, value->first, true);
	put_float(values, nulls, 2, value->second, true);
	put_float(values, nulls, 3, value->first - value->second, true);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	pfree(DatumGetPointer(values[0]));
}

/*
 * pass_regressions(treatment, reference, k, t): a row per task that has k or
 * more eligible rollouts in both arms, the smallest treatment - reference
 * first, equal ones in key order. t NULL: each rollout at its own budget.
 */
PG_FUNCTION_INFO_V1(pass_regressions);
Datum
pass_regressions(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	CellArguments cell;
	PairRequest pair;
	PairValues tasks;
	Change *changes;

	InitMaterializedSRF(fcinfo, 0);
	read_cell(fcinfo, 2, &cell);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	pair = read_arms(fcinfo, &cell.request);
	tasks = pass_pair_values(&pair);
	changes = WorstFirst(&tasks);
	for (int64 i = 0; i < tasks.n; i++) {
		if (i % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		PutChange(rsinfo, tasks.kind, changes[i].value);
	}
	return (Datum) 0;
}
