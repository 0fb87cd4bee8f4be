/*
 * Accessors of a trajectory. Those of scalars read the first slice of a
 * stored value only.
 */
#include "postgres.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "core/interrupts.h"
#include "trajectory/fields.h"
#include "trajectory/layout.h"

/* enough for the header and a stop_reason of usual length */
#define FACTS_SLICE 240

static const TrajectoryHeader *
Header(FunctionCallInfo fcinfo)
{
	return trajectory_header(PG_GETARG_DATUM(0), sizeof(TrajectoryHeader));
}

#define ACCESSOR(name)                                                                             \
	PG_FUNCTION_INFO_V1(trajectory_##name);                                                        \
	Datum trajectory_##name(PG_FUNCTION_ARGS)

ACCESSOR(success)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (header->success == TRUTH_UNKNOWN)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(header->success == TRUTH_TRUE);
}

ACCESSOR(reward)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (!(header->has & ROLLOUT_REWARD))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(header->reward);
}

ACCESSOR(status)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (header->status == STATUS_UNKNOWN)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(status_names[header->status]));
}

static text *
MakeText(const char *data, size_t len)
{
	text *result = palloc(len + VARHDRSZ);

	SET_VARSIZE(result, len + VARHDRSZ);
	copy_bytes(VARDATA(result), data, len);
	return result;
}

/* NULL when absent; the header may be read again when the first slice was too short. */
static text *
StopReason(Datum value, const TrajectoryHeader *header)
{
	size_t end = sizeof(*header) + header->stop_len;

	if (header->stop_len == TEXT_ABSENT)
		return NULL;
	if (VARSIZE(header) < end)
		header = trajectory_header(value, end);
	return MakeText((const char *) (header + 1), header->stop_len);
}

ACCESSOR(stop_reason)
{
	Datum value = PG_GETARG_DATUM(0);
	text *stop_reason = StopReason(value, trajectory_header(value, FACTS_SLICE));

	if (!stop_reason)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(stop_reason);
}

ACCESSOR(budget)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (!(header->has & ROLLOUT_BUDGET))
		PG_RETURN_NULL();
	PG_RETURN_INT64(header->budget);
}

ACCESSOR(turns)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (!(header->has & ROLLOUT_STEPS))
		PG_RETURN_NULL();
	PG_RETURN_INT64(header->nsteps);
}

ACCESSOR(solved_at)
{
	int64 turn = trajectory_solved_turn(Header(fcinfo));

	if (turn == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(turn);
}

ACCESSOR(error_turns)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (!(header->has & ROLLOUT_STEPS))
		PG_RETURN_NULL();
	PG_RETURN_INT64(header->error_turns);
}

ACCESSOR(tokens)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (!(header->has & HEADER_TOKENS))
		PG_RETURN_NULL();
	PG_RETURN_INT64(header->tokens);
}

ACCESSOR(loglik)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (!(header->has & HEADER_LOGLIK))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(header->loglik);
}

ACCESSOR(ref_loglik)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (!(header->has & HEADER_REF_LOGLIK))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(header->ref_loglik);
}

static bool
HasAll(const TrajectoryHeader *header, uint8 bits)
{
	return (header->has & bits) == bits;
}

ACCESSOR(log_ratio)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (!HasAll(header, HEADER_LOGLIK | HEADER_REF_LOGLIK))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(header->loglik - header->ref_loglik);
}

static bool
HasNll(const TrajectoryHeader *header)
{
	return HasAll(header, HEADER_TOKENS | HEADER_REF_LOGLIK) && header->tokens > 0;
}

static double
NllPerToken(const TrajectoryHeader *header)
{
	return 0.0 - header->ref_loglik / (double) header->tokens;
}

ACCESSOR(nll_per_token)
{
	const TrajectoryHeader *header = Header(fcinfo);

	if (!HasNll(header))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(NllPerToken(header));
}

ACCESSOR(prompt)
{
	TrajectoryDraft draft;

	trajectory_unpack_numbers(PG_GETARG_DATUM(0), &draft);
	if (!draft.prompt.data)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(MakeText(draft.prompt.data, draft.prompt.len));
}

/* The row type of a function with OUT columns, looked up once per query. */
static TupleDesc
ResultDesc(FunctionCallInfo fcinfo)
{
	TupleDesc desc = fcinfo->flinfo->fn_extra;
	MemoryContext caller;

	if (desc)
		return desc;
	caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "the result must be a row");
	desc = BlessTupleDesc(desc);
	fcinfo->flinfo->fn_extra = desc;
	MemoryContextSwitchTo(caller);
	return desc;
}

typedef struct Row {
	Datum values[16];
	bool nulls[16];
	int count;
} Row;

static void
Put(Row *row, bool present, Datum value)
{
	row->values[row->count] = value;
	row->nulls[row->count++] = !present;
}

static void
PutText(Row *row, const TextView *text)
{
	if (text->data)
		Put(row, true, PointerGetDatum(MakeText(text->data, text->len)));
	else
		Put(row, false, 0);
}

ACCESSOR(facts)
{
	Datum value = PG_GETARG_DATUM(0);
	const TrajectoryHeader *header = trajectory_header(value, FACTS_SLICE);
	text *stop_reason = StopReason(value, header);
	const char *status = status_names[header->status];
	bool known = (header->has & ROLLOUT_STEPS) != 0;
	int64 solved = trajectory_solved_turn(header);
	Row row = {.count = 0};

	Put(&row, header->success != TRUTH_UNKNOWN, BoolGetDatum(header->success == TRUTH_TRUE));
	Put(&row, header->has & ROLLOUT_REWARD, Float8GetDatum(header->reward));
	Put(&row, status, status ? CStringGetTextDatum(status) : 0);
	Put(&row, stop_reason, PointerGetDatum(stop_reason));
	Put(&row, header->has & ROLLOUT_BUDGET, Int64GetDatum(header->budget));
	Put(&row, known, Int64GetDatum(header->nsteps));
	Put(&row, solved != 0, Int64GetDatum(solved));
	Put(&row, known, Int64GetDatum(header->error_turns));
	Put(&row, known, Int64GetDatum(header->error_unknown));
	Put(&row, header->first_error != 0, Int64GetDatum(header->first_error));
	Put(&row, header->has & HEADER_TOKENS, Int64GetDatum(header->tokens));
	Put(&row, header->has & HEADER_LOGLIK, Float8GetDatum(header->loglik));
	Put(&row, header->has & HEADER_REF_LOGLIK, Float8GetDatum(header->ref_loglik));
	Put(&row, HasAll(header, HEADER_LOGLIK | HEADER_REF_LOGLIK),
		Float8GetDatum(header->loglik - header->ref_loglik));
	Put(&row, HasNll(header), HasNll(header) ? Float8GetDatum(NllPerToken(header)) : 0);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(ResultDesc(fcinfo), row.values, row.nulls)));
}

static void
PutStep(Row *row, const StepDraft *step, int64 turn)
{
	Put(row, true, Int64GetDatum(turn));
	PutText(row, &step->action);
	PutText(row, &step->observation);
	Put(row, step->error != TRUTH_UNKNOWN, BoolGetDatum(step->error == TRUTH_TRUE));
	PutText(row, &step->error_kind);
	PutText(row, &step->state);
	Put(row, step->has & STEP_REWARD, Float8GetDatum(step->reward));
	Put(row, step->has & STEP_VALUE, Float8GetDatum(step->value));
	Put(row, step->has & STEP_TOKENS, Int64GetDatum(step->tokens));
	Put(row, step->has & STEP_LOGPROB, Float8GetDatum(step->logprob));
	Put(row, step->has & STEP_REF_LOGPROB, Float8GetDatum(step->ref_logprob));
	Put(row, step->has & STEP_REMAINING, Int64GetDatum(step->remaining));
}

ACCESSOR(steps)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext scratch;
	MemoryContext caller;
	TrajectoryDraft draft;

	InitMaterializedSRF(fcinfo, 0);
	trajectory_unpack(PG_GETARG_DATUM(0), &draft);
	scratch =
		AllocSetContextCreate(CurrentMemoryContext, "trajectory step", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(scratch);
	for (size_t i = 0; i < draft.nsteps; i++) {
		Row row = {.count = 0};

		CHECK_FOR_INTERRUPTS();
		PutStep(&row, &draft.steps[i], i + 1);
		tuplestore_putvalues(result->setResult, result->setDesc, row.values, row.nulls);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return (Datum) 0;
}

/* The rollout was still going when the budget ended it. */
static void
CutShort(TrajectoryDraft *draft)
{
	if (draft->success != TRUTH_UNKNOWN)
		draft->success = TRUTH_FALSE;
	draft->status = STATUS_TRUNCATED;
	draft->stop_reason = (TextView){NULL, 0};
	draft->has &= ~(ROLLOUT_REWARD | ROLLOUT_SOLVED_AT);
}

void
trajectory_cut(TrajectoryDraft *draft, int64 turns)
{
	int64 solved_at = draft->has & ROLLOUT_SOLVED_AT ? draft->solved_at : (int64) draft->nsteps;
	bool solved = draft->success == TRUTH_TRUE && solved_at <= turns;

	draft->budget = draft->has & ROLLOUT_BUDGET ? Min(draft->budget, turns) : turns;
	draft->has |= ROLLOUT_BUDGET;
	if (turns >= draft->nsteps)
		return;
	draft->nsteps = turns;
	if (!solved)
		CutShort(draft);
}

ACCESSOR(truncate)
{
	Datum value = PG_GETARG_DATUM(0);
	int64 turns = PG_GETARG_INT64(1);
	const TrajectoryHeader *header = Header(fcinfo);
	TrajectoryDraft draft;

	if (turns < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a budget must be at least 1 turn, not %lld", (long long) turns)));
	if (!(header->has & ROLLOUT_STEPS))
		PG_RETURN_NULL();
	/* it was cut by a budget that nobody wrote down: a larger one says nothing new */
	if (header->status == STATUS_TRUNCATED && !(header->has & ROLLOUT_BUDGET) &&
		turns >= header->nsteps)
		return value;
	trajectory_unpack(value, &draft);
	trajectory_cut(&draft, turns);
	return trajectory_from_draft(&draft, NULL);
}

static void
SetText(FunctionCallInfo fcinfo, int arg, TextView *view)
{
	text *value;

	if (PG_ARGISNULL(arg))
		return;
	value = PG_GETARG_TEXT_PP(arg);
	*view = (TextView){VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
}

static uint8
StatusFromText(text *name)
{
	for (int i = 1; i < STATUS_COUNT; i++)
		if (VARSIZE_ANY_EXHDR(name) == strlen(status_names[i]) &&
			memcmp(VARDATA_ANY(name), status_names[i], VARSIZE_ANY_EXHDR(name)) == 0)
			return i;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unknown status \"%s\"", text_to_cstring(name)),
					errhint("Use completed, truncated, agent_error, infra_error or unscored.")));
}

/* with_outcome(traj, success, reward, status, stop_reason, budget, solved_at, prompt) */
ACCESSOR(with_outcome)
{
	TrajectoryDraft draft;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	trajectory_unpack(PG_GETARG_DATUM(0), &draft);
	if (!PG_ARGISNULL(1))
		draft.success = PG_GETARG_BOOL(1) ? TRUTH_TRUE : TRUTH_FALSE;
	if (!PG_ARGISNULL(2)) {
		draft.reward = PG_GETARG_FLOAT8(2);
		draft.has |= ROLLOUT_REWARD;
	}
	if (!PG_ARGISNULL(3))
		draft.status = StatusFromText(PG_GETARG_TEXT_PP(3));
	SetText(fcinfo, 4, &draft.stop_reason);
	if (!PG_ARGISNULL(5)) {
		draft.budget = PG_GETARG_INT64(5);
		draft.has |= ROLLOUT_BUDGET;
	}
	if (!PG_ARGISNULL(6)) {
		draft.solved_at = PG_GETARG_INT64(6);
		draft.has |= ROLLOUT_SOLVED_AT;
	}
	SetText(fcinfo, 7, &draft.prompt);
	return trajectory_from_draft(&draft, NULL);
}
