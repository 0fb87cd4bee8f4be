/*
 * budget_audit_agg: rollouts into a budget_audit.
 */
#include "budgetmix/audit.h"

#include "budgetmix/announced.h"
#include "summary/keytext.h"
#include "trajectory/trajectory.h"
#include "utils/builtins.h"

static bool
NumberIsValid(const uint64 *record, int column, int64 flags, int bit, int64 min, int64 max)
{
	int64 value = record_int_value(record[column]);

	if (!(flags & bit))
		return value == 0;
	return value >= min && value <= max;
}

static bool
RecordIsValid(const uint64 *record)
{
	int64 flags = record_int_value(record[AUDIT_FLAGS]);

	if (flags & ~(int64) AUDIT_ALL_FLAGS)
		return false;
	for (int rule = 0; rule < ROW_RULES; rule++) {
		if ((flags & AUDIT_BROKEN(rule)) && (flags & AUDIT_UNCHECKED(rule)))
			return false;
	}
	return NumberIsValid(record, AUDIT_BUDGET, flags, AUDIT_HAS_BUDGET, PG_INT64_MIN,
						 PG_INT64_MAX) &&
		   NumberIsValid(record, AUDIT_T_MAX, flags, AUDIT_HAS_T_MAX, 1, PG_INT32_MAX) &&
		   NumberIsValid(record, AUDIT_PLANNED, flags, AUDIT_HAS_PLANNED, PG_INT64_MIN,
						 PG_INT64_MAX);
}

const RecordMethods budget_audit_methods = {
	.summary = RECORD_SUMMARY("budget_audit", 'B', 2),
	.columns = AUDIT_COLUMNS,
	.kinds = {RECORD_INT, RECORD_INT, RECORD_INT, RECORD_INT, RECORD_TEXT},
	.valid = RecordIsValid,
};

SUMMARY_TYPE_FUNCTIONS(budget_audit, &budget_audit_methods.summary);

/* What the rules need of a rollout. */
typedef struct Rollout {
	bool has_budget;
	bool has_turns;
	Truth finished;
	Truth rewarded; /* whether the reward is other than 0 */
	int64 budget;
	int64 turns;
	int64 flags; /* so far: of rules that need more than this */
} Rollout;

static int64
RuleFlag(RowRule rule, Truth broken)
{
	if (broken == TRUTH_UNKNOWN)
		return AUDIT_UNCHECKED(rule);
	return broken == TRUTH_TRUE ? AUDIT_BROKEN(rule) : 0;
}

/* a and not b, where either may be unknown */
static Truth
AndNot(Truth a, Truth b)
{
	if (a == TRUTH_FALSE || b == TRUTH_TRUE)
		return TRUTH_FALSE;
	return a == TRUTH_TRUE && b == TRUTH_FALSE ? TRUTH_TRUE : TRUTH_UNKNOWN;
}

static Truth
TruthOf(bool known, bool value)
{
	if (!known)
		return TRUTH_UNKNOWN;
	return value ? TRUTH_TRUE : TRUTH_FALSE;
}

/*
 * A missing budget is a finding of its own: what cannot be checked for want of
 * it is not told again.
 */
static int64
JudgeRollout(const Rollout *rollout)
{
	Truth over = TruthOf(rollout->has_turns, rollout->turns > rollout->budget);
	Truth rewarded = AndNot(rollout->rewarded, rollout->finished);

	if (!rollout->has_budget)
		return rewarded == TRUTH_TRUE ? AUDIT_BROKEN(ROW_EXHAUSTED_REWARDED) : 0;
	return rollout->flags | RuleFlag(ROW_TURNS_OVER_BUDGET, over) |
		   RuleFlag(ROW_EXHAUSTED_REWARDED, rewarded);
}

/* ---- adding ---- */

static int64
ReadTMax(FunctionCallInfo fcinfo, int i)
{
	int64 t_max = PG_GETARG_INT64(i);

	if (t_max < 1 || t_max > PG_INT32_MAX)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("t_max must be between 1 and %d, not %lld", PG_INT32_MAX, (long long) t_max),
			 errhint(
				 "Give NULL where it is not known: what needs it is reported as not checked.")));
	return t_max;
}

static uint64
TaskWord(FunctionCallInfo fcinfo, RecordState *state, KeyKind kind)
{
	char number[MAXINT8LEN + 1];
	Key key = {.data = number};

	if (PG_ARGISNULL(2))
		return RECORD_NO_TEXT;
	if (kind == KEYS_BIGINT)
		key.len = pg_lltoa(PG_GETARG_INT64(2), number);
	else {
		text *task = PG_GETARG_TEXT_PP(2);

		key = key_from_text(VARDATA_ANY(task), VARSIZE_ANY_EXHDR(task));
	}
	return record_text(state, &key);
}

/* Arguments: state, group_key, task, those of the rollout, t_max in t_max_arg, planned or no more.
 */
static Datum
AddRollout(FunctionCallInfo fcinfo, KeyKind group_kind, KeyKind task_kind, const Rollout *rollout,
		   int t_max_arg)
{
	RecordState *state =
		(RecordState *) summary_transition_state(fcinfo, &budget_audit_methods.summary, group_kind);
	Key key = record_key_argument(fcinfo, 1, group_kind, "group_key");
	int64 flags = JudgeRollout(rollout);
	int64 t_max = 0, planned = 0;
	uint64 record[AUDIT_COLUMNS];

	if (rollout->has_budget)
		flags |= AUDIT_HAS_BUDGET;
	if (!PG_ARGISNULL(t_max_arg)) {
		t_max = ReadTMax(fcinfo, t_max_arg);
		flags |= AUDIT_HAS_T_MAX;
	}
	if (PG_NARGS() > t_max_arg + 1 && !PG_ARGISNULL(t_max_arg + 1)) {
		planned = PG_GETARG_INT64(t_max_arg + 1);
		flags |= AUDIT_HAS_PLANNED;
	}
	record[AUDIT_BUDGET] = record_int(rollout->has_budget ? rollout->budget : 0);
	record[AUDIT_T_MAX] = record_int(t_max);
	record[AUDIT_PLANNED] = record_int(planned);
	record[AUDIT_FLAGS] = record_int(flags);
	record[AUDIT_TASK] = TaskWord(fcinfo, state, task_kind);
	records_add(state, &key, record, 1);
	PG_RETURN_DATUM(summary_state_datum(&state->base));
}

/* budget_audit_agg(group_key, task, budget, turns, finished, reward, t_max [, planned]) */
static Datum
AddColumns(FunctionCallInfo fcinfo, KeyKind group_kind, KeyKind task_kind)
{
	Rollout rollout = {.has_budget = !PG_ARGISNULL(3),
					   .has_turns = !PG_ARGISNULL(4),
					   .flags = AUDIT_UNCHECKED(ROW_STATUS_MISMATCH) |
								AUDIT_UNCHECKED(ROW_REMAINING_MISMATCH) |
								AUDIT_UNCHECKED(ROW_PROMPT_MISSING_BUDGET)};

	if (rollout.has_budget)
		rollout.budget = PG_GETARG_INT64(3);
	if (rollout.has_turns)
		rollout.turns = PG_GETARG_INT64(4);
	if (rollout.has_turns && rollout.turns < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("turns must not be negative, and %lld is", (long long) rollout.turns)));
	rollout.finished = TruthOf(!PG_ARGISNULL(5), !PG_ARGISNULL(5) && PG_GETARG_BOOL(5));
	/* NaN is no 0 */
	rollout.rewarded = TruthOf(!PG_ARGISNULL(6), !PG_ARGISNULL(6) && PG_GETARG_FLOAT8(6) != 0.0);
	return AddRollout(fcinfo, group_kind, task_kind, &rollout, 7);
}

/* ---- trajectories ---- */

/*
 * Whether a rollout finished: it succeeded, or ended by itself before its
 * budget did, or by an error that its status names.
 */
static Truth
Finished(const TrajectoryHead *head)
{
	if (head->success == TRUTH_TRUE)
		return TRUTH_TRUE;
	if (head->status == STATUS_TRUNCATED)
		return TRUTH_FALSE;
	if (head->success == TRUTH_UNKNOWN || !(head->has & ROLLOUT_STEPS) ||
		!(head->has & ROLLOUT_BUDGET))
		return TRUTH_UNKNOWN;
	if (head->status == STATUS_AGENT_ERROR || head->status == STATUS_INFRA_ERROR)
		return TRUTH_TRUE;
	return head->turns >= head->budget ? TRUTH_FALSE : TRUTH_TRUE;
}

/* Whether the rollout used its budget up, unfinished, under another status than truncated. */
static Truth
StatusMismatch(const TrajectoryHead *head, Truth finished)
{
	Truth unnamed = TruthOf(head->status != STATUS_UNKNOWN, head->status != STATUS_TRUNCATED);
	Truth used_up = TruthOf((head->has & ROLLOUT_STEPS) != 0, head->turns >= head->budget);

	if (used_up == TRUTH_FALSE)
		return TRUTH_FALSE;
	unnamed = AndNot(unnamed, finished);
	return used_up == TRUTH_TRUE || unnamed == TRUTH_FALSE ? unnamed : TRUTH_UNKNOWN;
}

/* budget_audit_agg(group_key, task, traj, t_max [, planned]) */
static Datum
AddTrajectory(FunctionCallInfo fcinfo, KeyKind group_kind, KeyKind task_kind)
{
	TrajectoryHead head;
	Rollout rollout = {.flags = 0};
	Announced announced;

	if (PG_ARGISNULL(3))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("traj must not be null"),
						errdetail("A rollout that is not there cannot be audited."),
						errhint("Filter these rows out.")));
	trajectory_read_head(PG_GETARG_DATUM(3), &head);
	rollout.has_budget = (head.has & ROLLOUT_BUDGET) != 0;
	rollout.has_turns = (head.has & ROLLOUT_STEPS) != 0;
	rollout.budget = head.budget;
	rollout.turns = head.turns;
	rollout.finished = Finished(&head);
	rollout.rewarded = TruthOf((head.has & ROLLOUT_REWARD) != 0, head.reward != 0.0);
	if (rollout.has_budget) {
		announced = read_announced(PG_GETARG_DATUM(3), head.budget);
		rollout.flags = RuleFlag(ROW_STATUS_MISMATCH, StatusMismatch(&head, rollout.finished)) |
						RuleFlag(ROW_REMAINING_MISMATCH, announced.remaining_mismatch) |
						RuleFlag(ROW_PROMPT_MISSING_BUDGET, announced.prompt_missing);
	}
	return AddRollout(fcinfo, group_kind, task_kind, &rollout, 4);
}

/* ---- transitions, by the kinds of group_key and task ---- */

#define TRANSITION(name, add, group_kind, task_kind)                                               \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		return add(fcinfo, group_kind, task_kind);                                                 \
	}                                                                                              \
	extern int name##_unused

TRANSITION(budget_audit_add_bigint_bigint, AddColumns, KEYS_BIGINT, KEYS_BIGINT);
TRANSITION(budget_audit_add_bigint_text, AddColumns, KEYS_BIGINT, KEYS_TEXT);
TRANSITION(budget_audit_add_text_bigint, AddColumns, KEYS_TEXT, KEYS_BIGINT);
TRANSITION(budget_audit_add_text_text, AddColumns, KEYS_TEXT, KEYS_TEXT);
TRANSITION(budget_audit_add_bigint_bigint_trajectory, AddTrajectory, KEYS_BIGINT, KEYS_BIGINT);
TRANSITION(budget_audit_add_bigint_text_trajectory, AddTrajectory, KEYS_BIGINT, KEYS_TEXT);
TRANSITION(budget_audit_add_text_bigint_trajectory, AddTrajectory, KEYS_TEXT, KEYS_BIGINT);
TRANSITION(budget_audit_add_text_text_trajectory, AddTrajectory, KEYS_TEXT, KEYS_TEXT);
