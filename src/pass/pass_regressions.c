/*
 * pass_regressions: the tasks of two arms, the worst change first.
 */
#include "core/rows.h"
#include "summary/keytext.h"
#include "pass/arguments.h"

#include <math.h>

#include "core/interrupts.h"

#define REGRESSION_COLUMNS 4

typedef struct Change {
	const PairValue *value; /* in an array in key order */
	double rank;			/* the difference as a multiple of SAME_VALUE */
} Change;

static inline int
CompareChanges(const Change *a, const Change *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

#define ST_SORT			 sort_changes
#define ST_ELEMENT_TYPE	 Change
#define ST_COMPARE(a, b) CompareChanges(a, b)
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

static Change *
WorstFirst(const PairValues *tasks)
{
	Change *changes =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(tasks->n, sizeof(Change)) + 1);

	for (int64 i = 0; i < tasks->n; i++) {
		const PairValue *value = &tasks->values[i];

		check_interrupts_at(i);
		changes[i] = (Change){value, rint((value->first - value->second) / SAME_VALUE)};
	}
	sort_changes(changes, tasks->n);
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
	put_row(rsinfo, values, nulls);
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
	pair = read_arms(fcinfo, &cell.request);
	tasks = pass_pair_values(&pair);
	changes = WorstFirst(&tasks);
	for (int64 i = 0; i < tasks.n; i++) {
		CHECK_FOR_INTERRUPTS();
		PutChange(rsinfo, tasks.kind, changes[i].value);
	}
	return (Datum) 0;
}
