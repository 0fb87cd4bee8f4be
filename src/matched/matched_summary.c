/*
 * matched_summary: transitions, I/O, and reading.
 */
#include "matched/matched.h"

#include "core/array.h"
#include "stats/inference.h"

static bool
ValidRecord(const uint64 *record)
{
	int64 arm = record_int_value(record[MATCHED_ARM]);
	int64 length = record_int_value(record[MATCHED_LENGTH]);
	bool missing = record[MATCHED_VALUE] == RECORD_NO_FLOAT;

	if (arm != 0 && arm != 1)
		return false;
	return missing ? length == LENGTH_MISSING : length >= 0;
}

const RecordMethods matched_methods = {
	.summary = RECORD_SUMMARY("matched_summary", 'L', 2),
	.columns = MATCHED_COLUMNS,
	.kinds = {RECORD_INT, RECORD_INT, RECORD_FLOAT},
	.valid = ValidRecord,
};

SUMMARY_TYPE_FUNCTIONS(matched_summary, &matched_methods.summary);

/* ---- transitions ---- */

static int64
LengthArgument(FunctionCallInfo fcinfo, int i)
{
	int64 length;

	if (PG_ARGISNULL(i))
		return LENGTH_MISSING;
	length = PG_GETARG_INT64(i);
	if (length < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("length must not be negative, but is %lld", (long long) length)));
	return length;
}

/* state, task, arm, length, value */
static Datum
Add(FunctionCallInfo fcinfo, KeyKind kind)
{
	SummaryState *state = summary_transition_state(fcinfo, &matched_methods.summary, kind);
	Key task = record_key_argument(fcinfo, 1, kind, "task");
	int64 length = LengthArgument(fcinfo, 3);
	uint64 value = record_float_argument(fcinfo, 4, "value");
	uint64 record[MATCHED_COLUMNS];

	require_argument(fcinfo, 2, "arm");
	if (length == LENGTH_MISSING || value == RECORD_NO_FLOAT) {
		length = LENGTH_MISSING;
		value = RECORD_NO_FLOAT;
	}
	record[MATCHED_ARM] = record_int(PG_GETARG_BOOL(2) ? 1 : 0);
	record[MATCHED_LENGTH] = record_int(length);
	record[MATCHED_VALUE] = value;
	records_add((RecordState *) state, &task, record, 1);
	return summary_state_datum(state);
}

PG_FUNCTION_INFO_V1(length_matched_add_bigint);
Datum
length_matched_add_bigint(PG_FUNCTION_ARGS)
{
	return Add(fcinfo, KEYS_BIGINT);
}

PG_FUNCTION_INFO_V1(length_matched_add_text);
Datum
length_matched_add_text(PG_FUNCTION_ARGS)
{
	return Add(fcinfo, KEYS_TEXT);
}

/* ---- reading ---- */

void
matched_open(MatchedReader *reader, Datum summary, double tolerance)
{
	memset(reader, 0, sizeof(*reader));
	records_open(&reader->records, &matched_methods, summary);
	matcher_init(&reader->matcher, tolerance);
}

static void
ReserveArm(MatchedArm *arm, uint64 more)
{
	if (more > (uint64) (MAX_LENGTHS - arm->n))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a task with more than %d rollouts of one arm cannot be matched by "
							   "length",
							   MAX_LENGTHS)));
	if (arm->n + more <= arm->capacity)
		return;
	arm->capacity = Max(arm->n + more, 2 * arm->capacity);
	arm->lengths =
		array_with_room(CurrentMemoryContext, arm->lengths, arm->capacity, sizeof(int64));
	arm->values = array_with_room(CurrentMemoryContext, arm->values, arm->capacity, sizeof(double));
	arm->alike = array_with_room(CurrentMemoryContext, arm->alike, arm->capacity, sizeof(int32));
}

/*
 * Records first..end-1 differ in value alone: each rollout gets their mean. The
 * values ascend, so the mean does not depend on the order of rows.
 */
static void
AddAlike(MatchedArm *arm, const RecordReader *records, uint64 first, uint64 end)
{
	uint64 n = 0;
	double sum = 0.0;
	double value = record_float_value(record_at(records, first)[MATCHED_VALUE]);

	if (end - first == 1)
		n = records->counts[first];
	for (uint64 i = first; end - first > 1 && i < end; i++) {
		n += records->counts[i];
		sum +=
			(double) records->counts[i] * record_float_value(record_at(records, i)[MATCHED_VALUE]);
	}
	if (end - first > 1)
		value = sum / (double) n;
	ReserveArm(arm, n);
	for (uint64 i = 0; i < n; i++) {
		arm->lengths[arm->n] = record_int_value(record_at(records, first)[MATCHED_LENGTH]);
		arm->values[arm->n] = value;
		arm->alike[arm->n++] = (int32) n;
	}
}

static bool
SameLength(const uint64 *a, const uint64 *b)
{
	return a[MATCHED_ARM] == b[MATCHED_ARM] && a[MATCHED_LENGTH] == b[MATCHED_LENGTH];
}

/* Reads the next task and matches its arms; false after the last. */
bool
matched_next_task(MatchedReader *reader)
{
	RecordReader *records = &reader->records;
	MatchedArm *arms[2] = {&reader->reference, &reader->treatment};

	if (!records_next(records))
		return false;
	for (int i = 0; i < 2; i++) {
		arms[i]->n = 0;
		arms[i]->missing = 0;
	}
	for (uint64 first = 0, end; first < records->n; first = end) {
		const uint64 *record = record_at(records, first);
		MatchedArm *arm = arms[record_int_value(record[MATCHED_ARM])];

		for (end = first + 1; end < records->n; end++) {
			if (!SameLength(record, record_at(records, end)))
				break;
		}
		if (record[MATCHED_VALUE] == RECORD_NO_FLOAT)
			arm->missing = (int64) records->counts[first];
		else
			AddAlike(arm, records, first, end);
	}
	matcher_run(&reader->matcher, reader->treatment.lengths, reader->treatment.n,
				reader->reference.lengths, reader->reference.n);
	return true;
}
