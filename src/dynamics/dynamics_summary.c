/*
 * dynamics_summary: transitions, I/O, and reading.
 */
#include "dynamics/dynamics.h"

#include <math.h>

#include "core/array.h"
#include "stats/inference.h"

static bool
ValidRecord(const uint64 *record)
{
	return true;
}

const RecordMethods dynamics_methods = {
	.summary = RECORD_SUMMARY("dynamics_summary", 'Y', 2),
	.columns = DYNAMICS_COLUMNS,
	.kinds = {RECORD_INT, RECORD_FLOAT, RECORD_FLOAT},
	.valid = ValidRecord,
};

SUMMARY_TYPE_FUNCTIONS(dynamics_summary, &dynamics_methods.summary);

/* state, checkpoint, task, r_multi, r_single */
static Datum
Add(FunctionCallInfo fcinfo, KeyKind kind)
{
	SummaryState *state = summary_transition_state(fcinfo, &dynamics_methods.summary, kind);
	Key task = record_key_argument(fcinfo, 2, kind, "task");
	uint64 record[DYNAMICS_COLUMNS];

	require_argument(fcinfo, 1, "checkpoint");
	record[DYNAMICS_CHECKPOINT] = record_int(PG_GETARG_INT64(1));
	record[DYNAMICS_MULTI] = record_float_argument(fcinfo, 3, "r_multi");
	record[DYNAMICS_SINGLE] = record_float_argument(fcinfo, 4, "r_single");
	records_add((RecordState *) state, &task, record, 1);
	return summary_state_datum(state);
}

PG_FUNCTION_INFO_V1(dynamics_add_bigint);
Datum
dynamics_add_bigint(PG_FUNCTION_ARGS)
{
	return Add(fcinfo, KEYS_BIGINT);
}

PG_FUNCTION_INFO_V1(dynamics_add_text);
Datum
dynamics_add_text(PG_FUNCTION_ARGS)
{
	return Add(fcinfo, KEYS_TEXT);
}

/* ---- reading ---- */

void
dynamics_open(DynamicsReader *reader, Datum summary)
{
	memset(reader, 0, sizeof(*reader));
	records_open(&reader->records, &dynamics_methods, summary);
}

static DynamicsPoint *
NextPoint(DynamicsReader *reader)
{
	if (reader->npoints == reader->capacity) {
		reader->capacity = Max(16, reader->capacity * 2);
		reader->points = array_with_room(CurrentMemoryContext, reader->points, reader->capacity,
										 sizeof(DynamicsPoint));
	}
	return &reader->points[reader->npoints++];
}

/*
 * The mean of one column over records first..end-1, whose order is canonical;
 * NaN when all are missing. Adds the missing ones to their number.
 */
static double
ColumnMean(const RecordReader *records, int column, uint64 first, uint64 end, int64 *missing)
{
	double sum = 0.0, n = 0.0, only = NAN;
	int distinct = 0;

	for (uint64 i = first; i < end; i++) {
		uint64 word = record_at(records, i)[column];
		double count = (double) records->counts[i];

		if (word == RECORD_NO_FLOAT) {
			*missing += (int64) records->counts[i];
			continue;
		}
		distinct += record_float_value(word) != only;
		only = record_float_value(word);
		sum += count * only;
		n += count;
	}
	return distinct > 1 ? sum / n : only;
}

/* Reads the next task's points; false after the last. */
bool
dynamics_next_task(DynamicsReader *reader)
{
	RecordReader *records = &reader->records;

	if (!records_next(records))
		return false;
	reader->npoints = 0;
	for (uint64 first = 0, end; first < records->n; first = end) {
		uint64 word = record_at(records, first)[DYNAMICS_CHECKPOINT];
		DynamicsPoint *point = NextPoint(reader);

		for (end = first + 1; end < records->n; end++) {
			if (record_at(records, end)[DYNAMICS_CHECKPOINT] != word)
				break;
		}
		point->checkpoint = record_int_value(word);
		point->missing = 0;
		point->multi = ColumnMean(records, DYNAMICS_MULTI, first, end, &point->missing);
		point->single = ColumnMean(records, DYNAMICS_SINGLE, first, end, &point->missing);
		point->complete = !isnan(point->multi) && !isnan(point->single);
	}
	return true;
}
