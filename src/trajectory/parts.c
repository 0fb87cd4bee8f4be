/*
 * trajectory_parts: steps of a rollout that trajectory_agg has seen so far, in
 * any order. A worker that saw turns 2 and 5 holds no trajectory.
 *
 * Flat, the steps are records one after the other. While it grows, the state
 * is an expanded object whose buffer holds the same records, so a transition
 * appends one and a combination appends all of the other side. As a value that
 * may be stored it is bounded when it is flattened.
 */
#include "postgres.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include <math.h>

#include "core/aggcontext.h"
#include "core/array.h"
#include "core/interrupts.h"
#include "trajectory/fields.h"
#include "trajectory/layout.h"

#define PARTS_VERSION	1
#define PARTS_MAX_BYTES (500 * 1000 * 1000)

typedef struct FlatParts {
	int32 vl_len_;
	uint32 version;
	uint64 count;
	char records[FLEXIBLE_ARRAY_MEMBER];
} FlatParts;

/* followed by the numbers that it has, 8 bytes each, and the texts, padded to 8 */
typedef struct PartRecord {
	uint32 bytes; /* of the record */
	uint8 has;
	uint8 error;
	uint16 unused;
	int64 turn;
	uint32 lengths[TEXT_COLUMNS]; /* TEXT_ABSENT: no text */
} PartRecord;

/* a new state has room for a few short steps */
#define FIRST_CAPACITY 256

typedef struct PartsObject {
	ExpandedObjectHeader header;
	uint64 count;
	size_t bytes;
	size_t capacity;
	char *records;
} PartsObject;

/* Steps to read, whatever form they came in. */
typedef struct PartsView {
	uint64 count;
	size_t bytes;
	const char *records;
} PartsView;

static void RequireDumpable(PartsObject *object);

static Size
PartsFlatSize(ExpandedObjectHeader *header)
{
	PartsObject *object = (PartsObject *) header;

	RequireDumpable(object);
	return offsetof(FlatParts, records) + object->bytes;
}

static void
PartsFlatten(ExpandedObjectHeader *header, void *result, Size size)
{
	PartsObject *object = (PartsObject *) header;
	FlatParts *flat = result;

	SET_VARSIZE(flat, size);
	flat->version = PARTS_VERSION;
	flat->count = object->count;
	copy_bytes(flat->records, object->records, object->bytes);
}

static const ExpandedObjectMethods parts_methods = {PartsFlatSize, PartsFlatten};

static PartsObject *
MakeParts(MemoryContext context)
{
	PartsObject *object = MemoryContextAllocZero(context, sizeof(PartsObject));

	EOH_init_header(&object->header, &parts_methods, context);
	return object;
}

/* Room for more bytes at the end. */
static char *
Reserve(PartsObject *object, size_t bytes)
{
	size_t needed = object->bytes + bytes;
	size_t capacity = Max(Max(object->capacity * 2, needed), FIRST_CAPACITY);

	if (needed > PARTS_MAX_BYTES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the steps of one rollout exceed 500 MB")));
	if (needed > object->capacity) {
		object->records = array_with_room(object->header.eoh_context, object->records, capacity, 1);
		object->capacity = capacity;
	}
	return object->records + object->bytes;
}

static char *
AppendNumbers(char *out, const StepDraft *step)
{
	for (int c = 0; c < NUMBER_COLUMNS; c++) {
		if (!(step->has & (1 << c)))
			continue;
		if ((1 << c) & INT_COLUMNS)
			memcpy(out, StepNumber(step, c), 8);
		else {
			double number = *(double *) StepNumber(step, c) + 0.0; /* -0 is 0 */

			memcpy(out, &number, 8);
		}
		out += 8;
	}
	return out;
}

static void
AppendPart(PartsObject *object, int64 turn, const StepDraft *step)
{
	PartRecord record = {.has = step->has, .error = step->error, .turn = turn};
	size_t bytes = sizeof(record) + 8 * __builtin_popcount(step->has);
	char *start;
	char *out;

	for (int c = 0; c < TEXT_COLUMNS; c++)
		bytes += StepText(step, c)->len;
	start = Reserve(object, Pad8(bytes));
	record.bytes = Pad8(bytes);
	for (int c = 0; c < TEXT_COLUMNS; c++)
		record.lengths[c] = StepText(step, c)->data ? StepText(step, c)->len : TEXT_ABSENT;
	memcpy(start, &record, sizeof(record));
	out = AppendNumbers(start + sizeof(record), step);
	for (int c = 0; c < TEXT_COLUMNS; c++) {
		const TextView *text = StepText(step, c);

		out = copy_bytes(out, text->data, text->len);
	}
	memset(out, 0, start + record.bytes - out);
	object->bytes += record.bytes;
	object->count++;
}

static void
Corrupt(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED), errmsg("stored trajectory_parts are corrupt")));
}

/* The record at *at, checked; *at moves on. The texts point into the view. */
static int64
ReadPart(const PartsView *view, size_t *at, StepDraft *step)
{
	PartRecord record;
	size_t used = sizeof(record);

	if (view->bytes - *at < sizeof(record))
		Corrupt();
	memcpy(&record, view->records + *at, sizeof(record));
	if (record.bytes > view->bytes - *at || record.bytes < sizeof(record) || record.bytes % 8 ||
		record.error > TRUTH_TRUE || record.has >= 1 << NUMBER_COLUMNS || record.turn < 1)
		Corrupt();
	if (8 * __builtin_popcount(record.has) > record.bytes - used)
		Corrupt();
	memset(step, 0, sizeof(*step));
	step->has = record.has;
	step->error = record.error;
	for (int c = 0; c < NUMBER_COLUMNS; c++) {
		if (!(record.has & (1 << c)))
			continue;
		memcpy(StepNumber(step, c), view->records + *at + used, 8);
		if (!((1 << c) & INT_COLUMNS) && !isfinite(*(double *) StepNumber(step, c)))
			Corrupt();
		used += 8;
	}
	for (int c = 0; c < TEXT_COLUMNS; c++) {
		if (record.lengths[c] == TEXT_ABSENT)
			continue;
		if (record.lengths[c] > record.bytes - used)
			Corrupt();
		*StepText(step, c) = (TextView){view->records + *at + used, record.lengths[c]};
		used += record.lengths[c];
	}
	*at += record.bytes;
	return record.turn;
}

/* The records are the object's own, so what is found is counted and no fault of theirs. */
static void
RequireDumpable(PartsObject *object)
{
	PartsView view = {object->count, object->bytes, object->records};
	StepDraft step;
	size_t bytes = 0;
	size_t at = 0;

	if (surely_fits_copy(object->bytes, object->count))
		return;
	for (uint64 i = 0; i < object->count && bytes <= COPY_BYTES_MAX; i++) {
		check_interrupts_at(i);
		ReadPart(&view, &at, &step);
		bytes += step_copy_bytes(&step);
	}
	if (bytes > COPY_BYTES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the steps of one rollout would exceed 1 GB as text in a dump")));
}

static PartsObject *
ExpandedParts(Datum value)
{
	ExpandedObjectHeader *header;

	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		return NULL;
	header = DatumGetEOHP(value);
	return header->eoh_methods == &parts_methods ? (PartsObject *) header : NULL;
}

static PartsView
ViewParts(Datum value)
{
	PartsObject *object = ExpandedParts(value);
	FlatParts *flat;

	if (object)
		return (PartsView){object->count, object->bytes, object->records};
	flat = (FlatParts *) PG_DETOAST_DATUM(value);
	if (VARSIZE(flat) < offsetof(FlatParts, records) || flat->version != PARTS_VERSION ||
		flat->count > VARSIZE(flat) / sizeof(PartRecord))
		Corrupt();
	return (PartsView){flat->count, VARSIZE(flat) - offsetof(FlatParts, records), flat->records};
}

/* Walks every record, so that what was stored or sent can be trusted from here on. */
static void
CheckParts(const PartsView *view)
{
	StepDraft step;
	size_t at = 0;

	for (uint64 i = 0; i < view->count; i++) {
		CHECK_FOR_INTERRUPTS();
		ReadPart(view, &at, &step);
	}
	if (at != view->bytes)
		Corrupt();
}

static void
AppendView(PartsObject *object, const PartsView *view)
{
	char *out = Reserve(object, view->bytes);

	copy_bytes(out, view->records, view->bytes);
	object->bytes += view->bytes;
	object->count += view->count;
}

/* The growing state of an aggregate; a flat one is taken over into a new one. */
static PartsObject *
GrowingParts(FunctionCallInfo fcinfo)
{
	PartsObject *object;
	PartsView view;

	if (!PG_ARGISNULL(0) && VARATT_IS_EXTERNAL_EXPANDED_RW(PG_GETARG_POINTER(0))) {
		object = ExpandedParts(PG_GETARG_DATUM(0));
		if (object && AggCheckCallContext(fcinfo, NULL))
			return object;
	}
	object = MakeParts(agentrl_calling_states_context(fcinfo));
	if (!PG_ARGISNULL(0)) {
		view = ViewParts(PG_GETARG_DATUM(0));
		CheckParts(&view);
		AppendView(object, &view);
	}
	return object;
}

static void
ArgText(FunctionCallInfo fcinfo, int arg, TextView *view)
{
	text *value;

	if (arg >= PG_NARGS() || PG_ARGISNULL(arg))
		return;
	value = PG_GETARG_TEXT_PP(arg);
	*view = (TextView){VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

static void
ArgNumber(FunctionCallInfo fcinfo, int arg, uint8 bit, StepDraft *step, double *number)
{
	if (arg >= PG_NARGS() || PG_ARGISNULL(arg))
		return;
	*number = PG_GETARG_FLOAT8(arg);
	step->has |= bit;
}

static void
ArgInt(FunctionCallInfo fcinfo, int arg, uint8 bit, StepDraft *step, int64 *number)
{
	if (arg >= PG_NARGS() || PG_ARGISNULL(arg))
		return;
	*number = PG_GETARG_INT64(arg);
	step->has |= bit;
}

static int64
ArgTurn(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(1))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("trajectory_agg: the turn must not be null"),
						errhint("Leave such rows out with FILTER (WHERE turn IS NOT NULL).")));
	if (PG_GETARG_INT64(1) < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("trajectory_agg: turns are numbered from 1, not %lld",
							   (long long) PG_GETARG_INT64(1))));
	return PG_GETARG_INT64(1);
}

/*
 * trajectory_agg_transfn(state, turn, action, observation, error [, error_kind,
 * state_key, reward, value, tokens, logprob, ref_logprob, remaining])
 */
PG_FUNCTION_INFO_V1(trajectory_agg_transfn);
Datum
trajectory_agg_transfn(PG_FUNCTION_ARGS)
{
	PartsObject *object = GrowingParts(fcinfo);
	int64 turn = ArgTurn(fcinfo);
	StepDraft step;

	memset(&step, 0, sizeof(step));
	ArgText(fcinfo, 2, &step.action);
	ArgText(fcinfo, 3, &step.observation);
	if (!PG_ARGISNULL(4))
		step.error = PG_GETARG_BOOL(4) ? TRUTH_TRUE : TRUTH_FALSE;
	ArgText(fcinfo, 5, &step.error_kind);
	ArgText(fcinfo, 6, &step.state);
	ArgNumber(fcinfo, 7, STEP_REWARD, &step, &step.reward);
	ArgNumber(fcinfo, 8, STEP_VALUE, &step, &step.value);
	ArgInt(fcinfo, 9, STEP_TOKENS, &step, &step.tokens);
	ArgNumber(fcinfo, 10, STEP_LOGPROB, &step, &step.logprob);
	ArgNumber(fcinfo, 11, STEP_REF_LOGPROB, &step, &step.ref_logprob);
	ArgInt(fcinfo, 12, STEP_REMAINING, &step, &step.remaining);
	step_check_numbers(&step, turn - 1, NULL);
	AppendPart(object, turn, &step);
	return EOHPGetRWDatum(&object->header);
}

PG_FUNCTION_INFO_V1(trajectory_agg_combinefn);
Datum
trajectory_agg_combinefn(PG_FUNCTION_ARGS)
{
	PartsObject *object;
	PartsView other;

	if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
		PG_RETURN_NULL();
	object = GrowingParts(fcinfo);
	if (!PG_ARGISNULL(1)) {
		other = ViewParts(PG_GETARG_DATUM(1));
		CheckParts(&other);
		AppendView(object, &other);
	}
	return EOHPGetRWDatum(&object->header);
}

typedef struct TurnPlace {
	int64 turn;
	size_t at; /* of the record */
} TurnPlace;

#define ST_SORT			 sort_places
#define ST_ELEMENT_TYPE	 TurnPlace
#define ST_COMPARE(a, b) (((a)->turn > (b)->turn) - ((a)->turn < (b)->turn))
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

/* Each turn from 1 on once. */
static void
CheckTurns(const TurnPlace *places, uint64 count)
{
	for (uint64 i = 0; i < count; i++) {
		check_interrupts_at(i);
		if (i > 0 && places[i].turn == places[i - 1].turn)
			ereport(ERROR,
					(errcode(ERRCODE_CARDINALITY_VIOLATION),
					 errmsg("trajectory_agg: turn %lld is given twice", (long long) places[i].turn),
					 errhint("Group by what identifies a rollout.")));
		if (places[i].turn != i + 1)
			ereport(ERROR,
					(errcode(ERRCODE_CARDINALITY_VIOLATION),
					 errmsg("trajectory_agg: turn %llu is missing", (unsigned long long) i + 1),
					 errdetail("The next turn given is %lld.", (long long) places[i].turn)));
	}
}

PG_FUNCTION_INFO_V1(trajectory_agg_finalfn);
Datum
trajectory_agg_finalfn(PG_FUNCTION_ARGS)
{
	PartsView view;
	TrajectoryDraft draft = {.has = ROLLOUT_STEPS};
	TurnPlace *places;
	size_t at = 0;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	view = ViewParts(PG_GETARG_DATUM(0));
	if (view.count > TRAJECTORY_MAX_STEPS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("trajectory_agg: more than %d turns", TRAJECTORY_MAX_STEPS)));
	places = palloc((view.count + 1) * sizeof(TurnPlace));
	draft.nsteps = view.count;
	draft.steps = palloc((view.count + 1) * sizeof(StepDraft));
	for (uint64 i = 0; i < view.count; i++) {
		CHECK_FOR_INTERRUPTS();
		places[i].at = at;
		places[i].turn = ReadPart(&view, &at, &draft.steps[0]);
	}
	if (at != view.bytes)
		Corrupt();
	sort_places(places, view.count);
	CheckTurns(places, view.count);
	for (uint64 i = 0; i < view.count; i++) {
		check_interrupts_at(i);
		at = places[i].at;
		ReadPart(&view, &at, &draft.steps[i]);
	}
	return trajectory_from_draft(&draft, NULL);
}

static Datum
FlatDatum(PartsObject *object)
{
	Size size = EOH_get_flat_size(&object->header);
	void *flat = palloc(size);

	EOH_flatten_into(&object->header, flat, size);
	return PointerGetDatum(flat);
}

static void
ReceivePart(void *object, int64 turn, const StepDraft *step)
{
	AppendPart(object, turn, step);
}

PG_FUNCTION_INFO_V1(trajectory_parts_in);
Datum
trajectory_parts_in(PG_FUNCTION_ARGS)
{
	PartsObject *object = MakeParts(CurrentMemoryContext);

	if (!parts_json_in(PG_GETARG_CSTRING(0), ReceivePart, object, fcinfo->context))
		PG_RETURN_NULL();
	return FlatDatum(object);
}

PG_FUNCTION_INFO_V1(trajectory_parts_out);
Datum
trajectory_parts_out(PG_FUNCTION_ARGS)
{
	PartsView view = ViewParts(PG_GETARG_DATUM(0));
	StringInfoData out;
	StepDraft step;
	size_t at = 0;

	initStringInfo(&out);
	appendStringInfoChar(&out, '[');
	for (uint64 i = 0; i < view.count; i++) {
		int64 turn = ReadPart(&view, &at, &step);

		CHECK_FOR_INTERRUPTS();
		if (i > 0)
			appendStringInfoChar(&out, ',');
		step_json_out(&out, &step, &turn);
	}
	appendStringInfoChar(&out, ']');
	PG_RETURN_CSTRING(out.data);
}

PG_FUNCTION_INFO_V1(trajectory_parts_recv);
Datum
trajectory_parts_recv(PG_FUNCTION_ARGS)
{
	StringInfo in = (StringInfo) PG_GETARG_POINTER(0);
	PartsObject *object = MakeParts(CurrentMemoryContext);
	uint32 count;

	wire_version_recv(in);
	count = pq_getmsgint(in, 4);
	/* each part takes bytes of the message, so the count needs no bound of its own */
	for (uint32 i = 0; i < count; i++) {
		int64 turn = pq_getmsgint64(in);
		StepDraft step;

		CHECK_FOR_INTERRUPTS();
		if (turn < 1)
			ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
							errmsg("invalid binary form of trajectory_parts"),
							errdetail("A turn is below 1.")));
		step_recv(in, &step);
		step_check_numbers(&step, i, NULL);
		AppendPart(object, turn, &step);
	}
	pq_getmsgend(in);
	return FlatDatum(object);
}

PG_FUNCTION_INFO_V1(trajectory_parts_send);
Datum
trajectory_parts_send(PG_FUNCTION_ARGS)
{
	PartsView view = ViewParts(PG_GETARG_DATUM(0));
	StringInfoData out;
	StepDraft step;
	size_t at = 0;

	pq_begintypsend(&out);
	pq_sendint8(&out, WIRE_VERSION);
	pq_sendint32(&out, view.count);
	for (uint64 i = 0; i < view.count; i++) {
		CHECK_FOR_INTERRUPTS();
		pq_sendint64(&out, ReadPart(&view, &at, &step));
		step_send(&out, &step);
	}
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}
