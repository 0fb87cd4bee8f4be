/*
 * matched_states: as many states of the treatment's rollouts as of the
 * reference's, by task and by depth.
 *
 * The rule is public, so that anyone can draw again: within a stratum and arm
 * the states are ranked by the first 8 bytes, read big-endian, of SHA-256 of
 * "matched_states:1:" seed ":" task ":" arm ":" rollout ":" turn (arm 0 the
 * reference, 1 the treatment), then by rollout and turn; the lowest are picked.
 */
#include "paired/paired.h"

#include "core/depth.h"
#include "core/draw.h"
#include "core/rows.h"
#include "summary/keytext.h"
#include "funcapi.h"
#include "core/interrupts.h"
#include "utils/tuplestore.h"

#define STATE_COLUMNS  5
#define REPORT_COLUMNS 6

/* sorts after every bin: states that cannot be placed, for want of a budget */
#define NO_DEPTH PG_INT64_MAX

typedef struct PoolState {
	uint64 rank;
	uint64 record; /* of the task at hand; they ascend by arm, rollout, turn */
	int64 bin;
	int arm;
} PoolState;

static inline bool
LowerStratum(const PoolState *a, const PoolState *b)
{
	return a->bin != b->bin ? a->bin < b->bin : a->record < b->record;
}

static inline bool
LowerRank(const PoolState *a, const PoolState *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->record < b->record;
}

#define ST_SORT			 sort_by_stratum
#define ST_ELEMENT_TYPE	 PoolState
#define ST_COMPARE(a, b) (LowerStratum(a, b) ? -1 : LowerStratum(b, a))
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

#define ST_SORT			 sort_by_rank
#define ST_ELEMENT_TYPE	 PoolState
#define ST_COMPARE(a, b) (LowerRank(a, b) ? -1 : LowerRank(b, a))
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

typedef struct Sampler Sampler;

struct Sampler {
	ReturnSetInfo *rsinfo;
	RecordReader reader;
	int64 per_arm;
	int64 seed;
	int bins; /* 0: strata are tasks */
	void (*put)(Sampler *sampler, PoolState *states, int64 n, int arm, int64 picked);
	int64 bin; /* of the stratum at hand */
	PoolState *states;
	uint64 capacity;
	Draw draw;
};

/* ---- the states of a task ---- */

static int64
BinOf(const Sampler *sampler, const uint64 *record)
{
	int64 budget = record_int_value(record[POOL_BUDGET]);

	if (sampler->bins == 0)
		return 0;
	if (budget == NO_BUDGET)
		return NO_DEPTH;
	return depth_bin_of(record_int_value(record[POOL_TURN]), budget, sampler->bins);
}

static char *
RolloutName(const Sampler *sampler, const uint64 *record)
{
	Key id = record_id(&sampler->reader, record[POOL_ROLLOUT]);

	return TextDatumGetCString(
		key_text(sampler->reader.ids == IDS_TEXT ? KEYS_TEXT : KEYS_BIGINT, &id));
}

static bool
SameRollout(const uint64 *a, const uint64 *b)
{
	return a[POOL_ARM] == b[POOL_ARM] && a[POOL_ROLLOUT] == b[POOL_ROLLOUT];
}

static void
RequireOneBudget(const Sampler *sampler, const uint64 *previous, const uint64 *record)
{
	const SummaryReader *summary = &sampler->reader.summary;

	if (!SameRollout(previous, record) || previous[POOL_BUDGET] == record[POOL_BUDGET])
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("rollout \"%s\" of task \"%s\" has states under two budgets",
						   RolloutName(sampler, record),
						   TextDatumGetCString(key_text(summary->kind, &summary->key))),
					errhint("Give each rollout of a task and arm an id of its own.")));
}

/* By depth bin, arm, rollout and turn; a state that came more than once is one. */
static int64
ReadStates(Sampler *sampler)
{
	const RecordReader *reader = &sampler->reader;

	if (reader->n > sampler->capacity) {
		sampler->capacity = Max(reader->n, sampler->capacity * 2);
		if (sampler->states != NULL)
			pfree(sampler->states);
		sampler->states = MemoryContextAllocHuge(CurrentMemoryContext,
												 mul_size(sampler->capacity, sizeof(PoolState)));
	}
	for (uint64 i = 0; i < reader->n; i++) {
		const uint64 *record = record_at(reader, i);

		check_interrupts_at(i);
		if (i > 0)
			RequireOneBudget(sampler, record_at(reader, i - 1), record);
		sampler->states[i] = (PoolState){.record = i,
										 .bin = BinOf(sampler, record),
										 .arm = record[POOL_ARM] == record_int(TREATMENT_ARM)};
	}
	sort_by_stratum(sampler->states, reader->n);
	return (int64) reader->n;
}

/* ---- ranks ---- */

static uint64
RankOf(Sampler *sampler, const PoolState *state)
{
	const uint64 *record = record_at(&sampler->reader, state->record);
	const Key *task = &sampler->reader.summary.key;
	Key rollout = record_id(&sampler->reader, record[POOL_ROLLOUT]);
	StringInfo identity = &sampler->draw.message;

	resetStringInfo(identity);
	appendStringInfo(identity, "matched_states:1:%lld:", (long long) sampler->seed);
	if (sampler->reader.summary.kind == KEYS_TEXT)
		appendBinaryStringInfo(identity, task->data, task->len);
	else
		appendStringInfo(identity, "%lld", (long long) task->number);
	appendStringInfo(identity, ":%d:", state->arm);
	if (sampler->reader.ids == IDS_TEXT)
		appendBinaryStringInfo(identity, rollout.data, rollout.len);
	else
		appendStringInfo(identity, "%lld", (long long) rollout.number);
	appendStringInfo(identity, ":%lld", (long long) record_int_value(record[POOL_TURN]));
	return draw_number(&sampler->draw);
}

/* Brings the picked ones to the front, in their order. */
static void
Pick(Sampler *sampler, PoolState *states, int64 n, int64 picked)
{
	if (picked == n)
		return;
	for (int64 i = 0; i < n; i++) {
		check_interrupts_at(i);
		states[i].rank = RankOf(sampler, &states[i]);
	}
	sort_by_rank(states, n);
	sort_by_stratum(states, picked);
}

/* ---- strata ---- */

static void
PutStratum(Datum *values, bool *nulls, const Sampler *sampler, int arm)
{
	const SummaryReader *summary = &sampler->reader.summary;

	values[0] = key_text(summary->kind, &summary->key);
	values[1] = Int32GetDatum((int32) sampler->bin);
	nulls[1] = sampler->bins == 0 || sampler->bin == NO_DEPTH;
	values[2] = BoolGetDatum(arm == TREATMENT_ARM);
}

static void
PutStates(Sampler *sampler, PoolState *states, int64 n, int arm, int64 picked)
{
	Datum values[STATE_COLUMNS];
	bool nulls[STATE_COLUMNS] = {false};
	KeyKind ids = sampler->reader.ids == IDS_TEXT ? KEYS_TEXT : KEYS_BIGINT;

	if (picked == 0)
		return;
	Pick(sampler, states, n, picked);
	PutStratum(values, nulls, sampler, arm);
	for (int64 i = 0; i < picked; i++) {
		const uint64 *record = record_at(&sampler->reader, states[i].record);
		Key rollout = record_id(&sampler->reader, record[POOL_ROLLOUT]);

		check_interrupts_at(i);
		values[3] = key_text(ids, &rollout);
		values[4] = Int64GetDatum(record_int_value(record[POOL_TURN]));
		tuplestore_putvalues(sampler->rsinfo->setResult, sampler->rsinfo->setDesc, values, nulls);
		pfree(DatumGetPointer(values[3]));
	}
	pfree(DatumGetPointer(values[0]));
}

static void
PutAvailable(Sampler *sampler, PoolState *states, int64 n, int arm, int64 picked)
{
	Datum values[REPORT_COLUMNS];
	bool nulls[REPORT_COLUMNS] = {false};

	PutStratum(values, nulls, sampler, arm);
	values[3] = Int64GetDatum(n);
	values[4] = Int64GetDatum(picked);
	values[5] = Int64GetDatum(sampler->per_arm - picked);
	nulls[5] = sampler->bin == NO_DEPTH;
	tuplestore_putvalues(sampler->rsinfo->setResult, sampler->rsinfo->setDesc, values, nulls);
	pfree(DatumGetPointer(values[0]));
}

static void
SampleTask(Sampler *sampler)
{
	int64 n = ReadStates(sampler);
	PoolState *states = sampler->states;

	for (int64 from = 0, middle, to; from < n; from = to) {
		int64 picked;

		CHECK_FOR_INTERRUPTS();
		sampler->bin = states[from].bin;
		middle = from;
		while (middle < n && states[middle].bin == sampler->bin &&
			   states[middle].arm == REFERENCE_ARM)
			middle++;
		to = middle;
		while (to < n && states[to].bin == sampler->bin)
			to++;
		picked = Min(sampler->per_arm, Min(middle - from, to - middle));
		if (sampler->bin == NO_DEPTH)
			picked = 0;
		sampler->put(sampler, states + from, middle - from, REFERENCE_ARM, picked);
		sampler->put(sampler, states + middle, to - middle, TREATMENT_ARM, picked);
	}
}

static void
SamplePool(Sampler *sampler, Datum pool)
{
	draw_start(&sampler->draw);
	records_open(&sampler->reader, &pool_methods, pool);
	while (records_next(&sampler->reader))
		SampleTask(sampler);
	records_close(&sampler->reader);
	draw_finish(&sampler->draw);
}

static int
ReadBins(FunctionCallInfo fcinfo, int i)
{
	if (PG_ARGISNULL(i))
		return 0;
	require_positive("bins", PG_GETARG_INT32(i));
	return PG_GETARG_INT32(i);
}

/*
 * matched_states(pool, per_arm, seed, bins): for each task, or task and depth
 * bin, the same number of states of each arm: per_arm, or as many as the arm
 * with fewer has.
 */
PG_FUNCTION_INFO_V1(matched_states);
Datum
matched_states(PG_FUNCTION_ARGS)
{
	Sampler sampler = {.rsinfo = (ReturnSetInfo *) fcinfo->resultinfo, .put = PutStates};

	InitMaterializedSRF(fcinfo, 0);
	sampler.per_arm = read_positive(fcinfo, 1, "per_arm");
	require_argument(fcinfo, 2, "seed");
	sampler.seed = PG_GETARG_INT64(2);
	sampler.bins = ReadBins(fcinfo, 3);
	if (!PG_ARGISNULL(0))
		SamplePool(&sampler, PG_GETARG_DATUM(0));
	return (Datum) 0;
}

/* matched_states_report(pool, per_arm, bins): what matched_states picks from, and what it lacks. */
PG_FUNCTION_INFO_V1(matched_states_report);
Datum
matched_states_report(PG_FUNCTION_ARGS)
{
	Sampler sampler = {.rsinfo = (ReturnSetInfo *) fcinfo->resultinfo, .put = PutAvailable};

	InitMaterializedSRF(fcinfo, 0);
	sampler.per_arm = read_positive(fcinfo, 1, "per_arm");
	sampler.bins = ReadBins(fcinfo, 2);
	if (!PG_ARGISNULL(0))
		SamplePool(&sampler, PG_GETARG_DATUM(0));
	return (Datum) 0;
}
