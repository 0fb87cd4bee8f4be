/*
 * What a plan costs in turns: at most, and as earlier rollouts of its tasks lead to expect.
 */
#include "core/interrupts.h"
#include "core/arguments.h"
#include "summary/join.h"
#include "summary/records.h"
#include "core/rows.h"
#include "pass/pass.h"

#include "common/int.h"
#include "funcapi.h"
#include "utils/tuplestore.h"

/* ---- budget_plan: per task, how many rollouts are planned with which budget ---- */

enum { PLAN_BUDGET, PLAN_T_MAX, PLAN_COLUMNS };

static bool
RecordIsValid(const uint64 *record)
{
	for (int i = 0; i < PLAN_COLUMNS; i++) {
		int64 value = record_int_value(record[i]);

		if (value < 1 || value > PG_INT32_MAX)
			return false;
	}
	return true;
}

static const RecordMethods budget_plan_methods = {
	.summary = RECORD_SUMMARY("budget_plan", 'b', 2),
	.columns = PLAN_COLUMNS,
	.kinds = {RECORD_INT, RECORD_INT},
	.valid = RecordIsValid,
};

SUMMARY_TYPE_FUNCTIONS(budget_plan, &budget_plan_methods.summary);

static uint64
ReadTurns(FunctionCallInfo fcinfo, int i, const char *name)
{
	int64 turns = read_positive(fcinfo, i, name);

	if (turns > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at most %d, not %lld", name, PG_INT32_MAX, (long long) turns)));
	return record_int(turns);
}

/* budget_plan_agg(task, budget, t_max) */
static Datum
AddRow(FunctionCallInfo fcinfo, KeyKind kind)
{
	RecordState *state =
		(RecordState *) summary_transition_state(fcinfo, &budget_plan_methods.summary, kind);
	Key key = record_key_argument(fcinfo, 1, kind, "task");
	uint64 record[PLAN_COLUMNS];

	record[PLAN_BUDGET] = ReadTurns(fcinfo, 2, "budget");
	record[PLAN_T_MAX] = ReadTurns(fcinfo, 3, "t_max");
	records_add(state, &key, record, 1);
	PG_RETURN_DATUM(summary_state_datum(&state->base));
}

PG_FUNCTION_INFO_V1(budget_plan_add_bigint);
Datum
budget_plan_add_bigint(PG_FUNCTION_ARGS)
{
	return AddRow(fcinfo, KEYS_BIGINT);
}

PG_FUNCTION_INFO_V1(budget_plan_add_text);
Datum
budget_plan_add_text(PG_FUNCTION_ARGS)
{
	return AddRow(fcinfo, KEYS_TEXT);
}

/* ---- budgetmix_cost ---- */

#define COST_COLUMNS 8

typedef struct TurnCost {
	int64 rollouts;
	int64 max_turns;
	int64 full_max_turns; /* with t_max for all */
	double expected_turns;
	double full_expected_turns;
	int64 unknown; /* rollouts of tasks of which too little is known; taken at their maximum */
} TurnCost;

static void
AddTurns(int64 *sum, int64 turns, int64 rollouts)
{
	int64 product;

	if (pg_mul_s64_overflow(turns, rollouts, &product) || pg_add_s64_overflow(*sum, product, sum))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("the turns of the plan are out of range")));
}

/*
 * The mean of min(turns, budget) over the task's scored rollouts that were
 * allowed so many turns: a rollout that was cut before says nothing of it.
 * False when there is none.
 */
static bool
ExpectTurns(const PassReader *earlier, int64 budget, double *turns)
{
	double sum = 0.0, n = 0.0;

	for (uint32 i = 0; i < earlier->nentries; i++) {
		const PassCell *cell = &earlier->cells[earlier->ids[i]];

		check_interrupts_at(i);
		if (cell->outcome == OUTCOME_UNSCORED || cell->turn == TURN_UNKNOWN ||
			(cell->limit_kind != LIMIT_NONE && cell->limit < budget))
			continue;
		sum += (double) Min(cell->turn, budget) * (double) earlier->counts[i];
		n += (double) earlier->counts[i];
	}
	if (n > 0.0)
		*turns = sum / n;
	return n > 0.0;
}

/* earlier NULL: nothing is known of the task. */
static void
AddTask(TurnCost *cost, const RecordReader *plan, const PassReader *earlier)
{
	for (uint64 i = 0; i < plan->n; i++) {
		const uint64 *record = record_at(plan, i);
		int64 budget = record_int_value(record[PLAN_BUDGET]);
		int64 t_max = record_int_value(record[PLAN_T_MAX]);
		double count = (double) plan->counts[i];
		double turns = (double) budget, full = (double) t_max;

		check_interrupts_at(i);
		cost->rollouts += plan->counts[i];
		AddTurns(&cost->max_turns, budget, plan->counts[i]);
		AddTurns(&cost->full_max_turns, t_max, plan->counts[i]);
		if (earlier == NULL || !ExpectTurns(earlier, budget, &turns) ||
			!ExpectTurns(earlier, t_max, &full)) {
			cost->unknown += plan->counts[i];
			turns = (double) budget;
			full = (double) t_max;
		}
		cost->expected_turns += turns * count;
		cost->full_expected_turns += full * count;
	}
}

static bool
NextPlanned(void *reader)
{
	return records_next(reader);
}

static bool
NextEarlier(void *reader)
{
	return pass_next_task(reader);
}

static void
AddPlan(TurnCost *cost, RecordReader *plan, PassReader *earlier)
{
	KeyJoin join;

	if (earlier == NULL) {
		while (records_next(plan))
			AddTask(cost, plan, NULL);
		return;
	}
	join_start(&join, (JoinSide){plan, NextPlanned, &plan->summary},
			   (JoinSide){earlier, NextEarlier, &earlier->summary});
	while (join_next(&join)) {
		if (join.order <= 0)
			AddTask(cost, plan, join.order == 0 ? earlier : NULL);
	}
}

static void
PutCost(ReturnSetInfo *rsinfo, const TurnCost *cost)
{
	bool known = cost->unknown < cost->rollouts;
	Datum values[COST_COLUMNS];
	bool nulls[COST_COLUMNS];

	put_bigint(values, nulls, 0, &cost->rollouts);
	put_bigint(values, nulls, 1, &cost->max_turns);
	put_bigint(values, nulls, 2, &cost->full_max_turns);
	put_float(values, nulls, 3, (double) cost->max_turns / (double) cost->full_max_turns, true);
	put_float(values, nulls, 4, cost->expected_turns, known);
	put_float(values, nulls, 5, cost->full_expected_turns, known);
	put_float(values, nulls, 6, cost->expected_turns / cost->full_expected_turns,
			  known && cost->full_expected_turns > 0.0);
	put_bigint(values, nulls, 7, &cost->unknown);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * budgetmix_cost(plan, earlier): one row. With earlier NULL, or of other tasks
 * only, nothing is expected.
 */
PG_FUNCTION_INFO_V1(budgetmix_cost);
Datum
budgetmix_cost(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	TurnCost cost = {0};
	RecordReader plan;
	PassReader earlier;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	records_open(&plan, &budget_plan_methods, PG_GETARG_DATUM(0));
	if (!PG_ARGISNULL(1))
		pass_open(&earlier, PG_GETARG_DATUM(1));
	AddPlan(&cost, &plan, PG_ARGISNULL(1) ? NULL : &earlier);
	PutCost(rsinfo, &cost);
	return (Datum) 0;
}
