/*
 * recovery_summary: its records, and the transitions of recovery_agg.
 */
#include "recovery/recovery.h"

#include "core/interrupts.h"
#include "summary/keytext.h"
#include "trajectory/trajectory.h"

static RecoveryRecord
Decode(int64 code)
{
	return (RecoveryRecord){
		.type = code % RECORD_TYPES,
		.outcome = code / RECORD_TYPES % RECORD_OUTCOMES,
		.what = code / RECORD_TYPES / RECORD_OUTCOMES,
	};
}

/* A record that no rollout gives is refused, so readers need no second check. */
static bool
ValidRecord(const uint64 *record)
{
	int64 code = record_int_value(record[COLUMN_CODE]);
	RecoveryRecord decoded = Decode(code);
	int64 what = decoded.what, outcome = decoded.outcome;
	int64 first = record_int_value(record[COLUMN_FIRST]);
	int64 budget = record_int_value(record[COLUMN_BUDGET]);
	bool has_kind = record[COLUMN_KIND] != RECORD_NO_TEXT;
	bool has_first = first >= 1 && first <= TRAJECTORY_MAX_STEPS && budget >= 0;
	bool no_first = first == 0 && budget == 0;

	if (code < 0)
		return false;
	switch (decoded.type) {
		case RECORD_ROLLOUT:
			if (outcome < TRUTH_UNKNOWN || outcome > TRUTH_TRUE)
				return false;
			if (what == ERRORS_SOME)
				return has_first;
			return (what == ERRORS_NONE || what == ERRORS_UNKNOWN) && no_first && !has_kind;
		case RECORD_EPISODE:
		case RECORD_MIXED_EPISODE:
			return what >= 1 + (decoded.type == RECORD_MIXED_EPISODE) &&
				   what <= TRAJECTORY_MAX_STEPS && outcome >= EPISODE_RECOVERED &&
				   outcome <= EPISODE_SOLVED && has_first;
		case RECORD_TURN:
			return what >= NEXT_NONE && what <= NEXT_FINE && outcome == 0 && no_first;
		default:
			return false;
	}
}

const RecordMethods recovery_methods = {
	.summary = RECORD_SUMMARY("recovery_summary", 'R', 2),
	.columns = RECOVERY_COLUMNS,
	.kinds = {RECORD_INT, RECORD_INT, RECORD_INT, RECORD_TEXT},
	.valid = ValidRecord,
};

SUMMARY_TYPE_FUNCTIONS(recovery_summary, &recovery_methods.summary);

RecoveryRecord
recovery_record_at(const RecordReader *reader, uint64 i)
{
	const uint64 *words = record_at(reader, i);

	RecoveryRecord record = Decode(record_int_value(words[COLUMN_CODE]));

	record.first = record_int_value(words[COLUMN_FIRST]);
	record.budget = record_int_value(words[COLUMN_BUDGET]);
	record.kind = words[COLUMN_KIND];
	record.count = (double) reader->counts[i];
	return record;
}

/* ---- one rollout ---- */

/* The state and key that records go to, and what the records of a rollout share. */
typedef struct RolloutWriter {
	RecordState *state;
	const Key *key;
	const TrajectoryErrors *errors;
	int64 episode; /* length of the episode at hand; 0: none */
	uint64 episode_kind;
	uint64 turn_kind; /* of the last error turn */
	bool mixed;		  /* the episode has turns of several kinds */
} RolloutWriter;

static void
AddRecords(RolloutWriter *writer, RecordType type, int64 what, int64 outcome, uint64 kind,
		   uint64 count)
{
	const TrajectoryErrors *errors = writer->errors;
	bool has_first = type != RECORD_TURN && errors->error_turns > 0;
	bool has_budget = has_first && (errors->head.has & ROLLOUT_BUDGET) != 0;
	uint64 record[RECOVERY_COLUMNS];

	record[COLUMN_CODE] = record_int(recovery_code(type, what, outcome));
	record[COLUMN_FIRST] = record_int(has_first ? errors->first_error : 0);
	record[COLUMN_BUDGET] = record_int(has_budget ? errors->head.budget : 0);
	record[COLUMN_KIND] = kind;
	records_add(writer->state, writer->key, record, count);
}

static void
AddRecord(RolloutWriter *writer, RecordType type, int64 what, int64 outcome, uint64 kind)
{
	AddRecords(writer, type, what, outcome, kind, 1);
}

static uint64
KindWord(RolloutWriter *writer, const TextView *kind)
{
	Key key;

	if (kind->data == NULL)
		return RECORD_NO_TEXT;
	key = key_from_text(kind->data, (uint32) kind->len);
	return record_text(writer->state, &key);
}

/* The episode at hand, if any, ends: a turn follows, or the rollout is over. */
static void
EndEpisode(RolloutWriter *writer, NextTurn next, EpisodeEnd end)
{
	if (writer->episode == 0)
		return;
	if (writer->mixed)
		AddRecord(writer, RECORD_TURN, next, 0, writer->turn_kind);
	AddRecord(writer, writer->mixed ? RECORD_MIXED_EPISODE : RECORD_EPISODE, writer->episode, end,
			  writer->episode_kind);
	writer->episode = 0;
	writer->mixed = false;
}

static void
AddErrorTurn(RolloutWriter *writer, const TextView *kind)
{
	uint64 word = KindWord(writer, kind);

	if (writer->episode == 0)
		writer->episode_kind = word;
	else if (!writer->mixed && word != writer->episode_kind) {
		/* the first turn of another kind: those before it were alike */
		writer->mixed = true;
		AddRecords(writer, RECORD_TURN, NEXT_ERROR, 0, writer->episode_kind, writer->episode);
	} else if (writer->mixed)
		AddRecord(writer, RECORD_TURN, NEXT_ERROR, 0, writer->turn_kind);
	writer->episode++;
	writer->turn_kind = word;
}

/* How an episode ends that lasts to the end of the rollout. */
static EpisodeEnd
LastEnd(const TrajectoryHead *head)
{
	if (head->success == TRUTH_TRUE)
		return EPISODE_SOLVED;
	if (head->status == STATUS_TRUNCATED || head->status == STATUS_INFRA_ERROR ||
		head->status == STATUS_UNKNOWN)
		return EPISODE_CENSORED;
	return EPISODE_FAILED;
}

static void
AddTurns(RolloutWriter *writer, TrajectoryErrors *errors)
{
	uint64 first_kind = RECORD_NO_TEXT;

	while (trajectory_next_turn(errors)) {
		check_interrupts_at(errors->turn);
		if (errors->error == TRUTH_TRUE) {
			AddErrorTurn(writer, &errors->kind);
			if (errors->turn == errors->first_error)
				first_kind = writer->turn_kind;
		} else if (errors->error == TRUTH_FALSE)
			EndEpisode(writer, NEXT_FINE, EPISODE_RECOVERED);
		else
			EndEpisode(writer, NEXT_UNKNOWN, EPISODE_UNKNOWN);
	}
	EndEpisode(writer, NEXT_NONE, LastEnd(&errors->head));
	AddRecord(writer, RECORD_ROLLOUT, ERRORS_SOME, errors->head.success, first_kind);
}

static void
AddRollout(RecordState *state, const Key *key, Datum value)
{
	TrajectoryErrors errors;
	RolloutWriter writer = {.state = state, .key = key, .errors = &errors};

	trajectory_read_errors(value, &errors);
	if (errors.error_turns > 0)
		AddTurns(&writer, &errors);
	else {
		bool known = (errors.head.has & ROLLOUT_STEPS) != 0 && errors.error_unknown == 0;

		AddRecord(&writer, RECORD_ROLLOUT, known ? ERRORS_NONE : ERRORS_UNKNOWN,
				  errors.head.success, RECORD_NO_TEXT);
	}
	trajectory_free_errors(&errors);
}

static Datum
Transition(FunctionCallInfo fcinfo, KeyKind kind)
{
	SummaryState *state;
	Key key = record_key_argument(fcinfo, 1, kind, "task");

	if (PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("trajectory must not be null"),
				 errdetail("Leaving such a row out would change a denominator unseen."),
				 errhint("Filter these rows out, or keep them as '{}': a rollout of which nothing "
						 "is known.")));
	state = summary_transition_state(fcinfo, &recovery_methods.summary, kind);
	AddRollout((RecordState *) state, &key, PG_GETARG_DATUM(2));
	PG_RETURN_DATUM(summary_state_datum(state));
}

/* Transitions of recovery_agg: task, traj; one rollout per row. */
PG_FUNCTION_INFO_V1(recovery_add_bigint);
Datum
recovery_add_bigint(PG_FUNCTION_ARGS)
{
	return Transition(fcinfo, KEYS_BIGINT);
}

PG_FUNCTION_INFO_V1(recovery_add_text);
Datum
recovery_add_text(PG_FUNCTION_ARGS)
{
	return Transition(fcinfo, KEYS_TEXT);
}
