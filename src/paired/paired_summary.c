/*
 * The type paired_summary and its aggregate.
 */
#include "paired/paired.h"

static const char *const unit_kinds[] = {"units without a cluster", "bigint units of clusters",
										 "text units of clusters"};

static bool
IsValid(const uint64 *record)
{
	return valid_arm(record[PAIRED_ARM]);
}

const RecordMethods paired_methods = {
	.summary = RECORD_SUMMARY("paired_summary", 'D', 2),
	.columns = PAIRED_COLUMNS,
	.kinds = {RECORD_ID, RECORD_INT, RECORD_FLOAT},
	.valid = IsValid,
	.id_kinds = unit_kinds,
};

SUMMARY_TYPE_FUNCTIONS(paired_summary, &paired_methods.summary);

uint64
paired_arm_argument(FunctionCallInfo fcinfo, int i)
{
	if (PG_ARGISNULL(i))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("arm must not be null"),
				 errhint("Give true for the treatment and false for the reference, or filter these "
						 "rows out.")));
	return record_int(PG_GETARG_BOOL(i) ? TREATMENT_ARM : REFERENCE_ARM);
}

/* Arguments: state, cluster if units have ids, unit, arm, value. */
static inline Datum
AddSample(FunctionCallInfo fcinfo, KeyKind keys, IdKind ids)
{
	int unit = ids == IDS_NONE ? 1 : 2;
	Key key = record_key_argument(fcinfo, 1, keys, ids == IDS_NONE ? "unit" : "cluster");
	RecordState *state =
		(RecordState *) summary_transition_state(fcinfo, &paired_methods.summary, keys);
	uint64 record[PAIRED_COLUMNS] = {RECORD_NO_ID};

	if (ids == IDS_NONE)
		records_require_ids(state, ids);
	else
		record[PAIRED_UNIT] = record_id_argument(fcinfo, unit, state, ids, "unit");
	record[PAIRED_ARM] = paired_arm_argument(fcinfo, unit + 1);
	record[PAIRED_VALUE] = record_float_argument(fcinfo, unit + 2, "value");
	records_add(state, &key, record, 1);
	PG_RETURN_DATUM(summary_state_datum(&state->base));
}

PG_FUNCTION_INFO_V1(paired_add_bigint);
Datum
paired_add_bigint(PG_FUNCTION_ARGS)
{
	return AddSample(fcinfo, KEYS_BIGINT, IDS_NONE);
}

PG_FUNCTION_INFO_V1(paired_add_text);
Datum
paired_add_text(PG_FUNCTION_ARGS)
{
	return AddSample(fcinfo, KEYS_TEXT, IDS_NONE);
}

PG_FUNCTION_INFO_V1(paired_add_bigint_bigint);
Datum
paired_add_bigint_bigint(PG_FUNCTION_ARGS)
{
	return AddSample(fcinfo, KEYS_BIGINT, IDS_BIGINT);
}

PG_FUNCTION_INFO_V1(paired_add_bigint_text);
Datum
paired_add_bigint_text(PG_FUNCTION_ARGS)
{
	return AddSample(fcinfo, KEYS_BIGINT, IDS_TEXT);
}

PG_FUNCTION_INFO_V1(paired_add_text_bigint);
Datum
paired_add_text_bigint(PG_FUNCTION_ARGS)
{
	return AddSample(fcinfo, KEYS_TEXT, IDS_BIGINT);
}

PG_FUNCTION_INFO_V1(paired_add_text_text);
Datum
paired_add_text_text(PG_FUNCTION_ARGS)
{
	return AddSample(fcinfo, KEYS_TEXT, IDS_TEXT);
}
