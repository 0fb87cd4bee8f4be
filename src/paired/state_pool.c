/*
 * The type state_pool and its aggregate.
 */
#include "paired/paired.h"

#include "core/depth.h"

/* a rollout always has an id */
static const char *const rollout_kinds[] = {NULL, "bigint rollouts", "text rollouts"};

static bool
IsValid(const uint64 *record)
{
	int64 turn = record_int_value(record[POOL_TURN]);
	int64 budget = record_int_value(record[POOL_BUDGET]);

	return valid_arm(record[POOL_ARM]) && turn >= 1 && (budget == NO_BUDGET || turn <= budget);
}

const RecordMethods pool_methods = {
	.summary = RECORD_SUMMARY("state_pool", 'S', 2),
	.columns = POOL_COLUMNS,
	.kinds = {RECORD_INT, RECORD_ID, RECORD_INT, RECORD_INT},
	.valid = IsValid,
	.id_kinds = rollout_kinds,
};

SUMMARY_TYPE_FUNCTIONS(state_pool, &pool_methods.summary);

/* Arguments: state, task, arm, rollout, turn, budget. */
static inline Datum
AddState(FunctionCallInfo fcinfo, KeyKind keys, IdKind ids)
{
	Key key = record_key_argument(fcinfo, 1, keys, "task");
	RecordState *state =
		(RecordState *) summary_transition_state(fcinfo, &pool_methods.summary, keys);
	int64 turn = read_positive(fcinfo, 4, "turn");
	int64 budget = PG_ARGISNULL(5) ? NO_BUDGET : read_positive(fcinfo, 5, "budget");
	uint64 record[POOL_COLUMNS];

	if (budget != NO_BUDGET)
		require_within_budget(turn, budget);
	record[POOL_ARM] = paired_arm_argument(fcinfo, 2);
	record[POOL_ROLLOUT] = record_id_argument(fcinfo, 3, state, ids, "rollout");
	record[POOL_TURN] = record_int(turn);
	record[POOL_BUDGET] = record_int(budget);
	records_add(state, &key, record, 1);
	PG_RETURN_DATUM(summary_state_datum(&state->base));
}

PG_FUNCTION_INFO_V1(state_pool_add_bigint_bigint);
Datum
state_pool_add_bigint_bigint(PG_FUNCTION_ARGS)
{
	return AddState(fcinfo, KEYS_BIGINT, IDS_BIGINT);
}

PG_FUNCTION_INFO_V1(state_pool_add_bigint_text);
Datum
state_pool_add_bigint_text(PG_FUNCTION_ARGS)
{
	return AddState(fcinfo, KEYS_BIGINT, IDS_TEXT);
}

PG_FUNCTION_INFO_V1(state_pool_add_text_bigint);
Datum
state_pool_add_text_bigint(PG_FUNCTION_ARGS)
{
	return AddState(fcinfo, KEYS_TEXT, IDS_BIGINT);
}

PG_FUNCTION_INFO_V1(state_pool_add_text_text);
Datum
state_pool_add_text_text(PG_FUNCTION_ARGS)
{
	return AddState(fcinfo, KEYS_TEXT, IDS_TEXT);
}
