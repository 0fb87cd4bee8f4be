/*
 * pass_summary: its I/O, and the transitions of pass_agg.
 */
#include "core/compat.h"
#include "summary/keytext.h"
#include "pass/growing.h"
#include "trajectory/trajectory.h"
#include "utils/builtins.h"

SUMMARY_TYPE_FUNCTIONS(pass_summary, &pass_methods);

static Outcome
OutcomeOf(Truth success)
{
	if (success == TRUTH_UNKNOWN)
		return OUTCOME_UNSCORED;
	return success == TRUTH_TRUE ? OUTCOME_SOLVED : OUTCOME_FAILED;
}

static void
RequireTask(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(1))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("task must not be null"),
						errdetail("Leaving such a rollout out would change a denominator unseen."),
						errhint("Give the task a key, or filter these rows out.")));
}

/* turns and budget are at least 1, or not known */
static void
CheckRange(FunctionCallInfo fcinfo, const PassCell *cell)
{
	if (!PG_ARGISNULL(3) && cell->turn < (cell->outcome == OUTCOME_UNSCORED ? 0 : 1))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("turns must be at least 1, not %lld", (long long) cell->turn),
			 errdetail("Turns are numbered from 1: a success takes at least one."),
			 errhint("A failure without a turn fails at every budget: give it 1 turn. Where the "
					 "number of turns is not known, give NULL.")));
	if (cell->limit_kind == LIMIT_BUDGET && cell->limit < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("budget must be at least 1, not %lld", (long long) cell->limit),
						errhint("Give NULL when there was no limit, or it is not known.")));
}

/* task (1), success (2), turns (3) and, where there is one, budget (4) */
static PassCell
CellFromArguments(FunctionCallInfo fcinfo)
{
	Truth success = PG_ARGISNULL(2) ? TRUTH_UNKNOWN : PG_GETARG_BOOL(2) ? TRUTH_TRUE : TRUTH_FALSE;
	bool has_budget = PG_NARGS() > 4 && !PG_ARGISNULL(4);
	PassCell cell = {.turn = PG_ARGISNULL(3) ? TURN_UNKNOWN : PG_GETARG_INT64(3),
					 .limit = has_budget ? PG_GETARG_INT64(4) : 0,
					 .outcome = OutcomeOf(success),
					 .limit_kind = has_budget ? LIMIT_BUDGET : LIMIT_NONE};

	RequireTask(fcinfo);
	CheckRange(fcinfo, &cell);
	return cell;
}

/* The code of the row's cell where nothing is NULL and all is in range; else 0. */
static inline uint64
CodeFromArguments(FunctionCallInfo fcinfo)
{
	bool has_budget = PG_NARGS() > 4;
	PassCell cell;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3) || (has_budget && PG_ARGISNULL(4)))
		return 0;
	cell = (PassCell){.turn = PG_GETARG_INT64(3),
					  .limit = has_budget ? PG_GETARG_INT64(4) : 0,
					  .outcome = PG_GETARG_BOOL(2) ? OUTCOME_SOLVED : OUTCOME_FAILED,
					  .limit_kind = has_budget ? LIMIT_BUDGET : LIMIT_NONE};
	return cell.turn >= 1 && cell.limit >= has_budget ? cell_code(&cell) : 0;
}

static PassCell
CellFromTrajectory(Datum value)
{
	TrajectoryHead head;
	PassCell cell = {.turn = TURN_UNKNOWN};
	int64 turns;

	trajectory_read_head(value, &head);
	turns = head.has & ROLLOUT_STEPS ? head.turns : TURN_UNKNOWN;
	cell.outcome = OutcomeOf(head.success);
	cell.turn = turns;
	if (cell.outcome == OUTCOME_SOLVED)
		cell.turn = head.solved_at > 0 ? head.solved_at : TURN_UNKNOWN;
	if (head.has & ROLLOUT_BUDGET) {
		cell.limit_kind = LIMIT_BUDGET;
		cell.limit = head.budget;
	} else if (head.status == STATUS_TRUNCATED) {
		cell.limit_kind = LIMIT_CUT;
		cell.limit = Max(turns, 0);
	}
	return cell;
}

/* state: that of argument 0, when it is ready. */
static Datum
AddCellByNumber(FunctionCallInfo fcinfo, SummaryState *state, int64 task, const PassCell *cell)
{
	if (state == NULL)
		state = summary_start_transition(fcinfo, &pass_methods, KEYS_BIGINT);
	pass_add_to_number((PassState *) state, task, cell);
	PG_RETURN_DATUM(summary_state_datum(state));
}

static pg_noinline Datum
AddAnyRowByNumber(FunctionCallInfo fcinfo, SummaryState *state, int64 task)
{
	PassCell cell = CellFromArguments(fcinfo);

	return AddCellByNumber(fcinfo, state, task, &cell);
}

/* Most rows have the task of the row before, and nothing odd: they only wait in its run. */
static inline Datum
AddRowByNumber(FunctionCallInfo fcinfo, int64 task)
{
	SummaryState *state = summary_ready_state(fcinfo, KEYS_BIGINT);

	if (likely(state != NULL && pass_run_is_of_number((PassState *) state, task) &&
			   pass_wait_in_run(((PassState *) state)->run, CodeFromArguments(fcinfo))))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	return AddAnyRowByNumber(fcinfo, state, task);
}

static Datum
AddCellByText(FunctionCallInfo fcinfo, SummaryState *state, const PassCell *cell)
{
	text *task = PG_GETARG_TEXT_PP(1);
	Key key = key_from_text(VARDATA_ANY(task), VARSIZE_ANY_EXHDR(task));

	if (state == NULL)
		state = summary_start_transition(fcinfo, &pass_methods, KEYS_TEXT);
	pass_add_to_text((PassState *) state, &key, cell);
	PG_FREE_IF_COPY(task, 1);
	PG_RETURN_DATUM(summary_state_datum(state));
}

static pg_noinline Datum
AddAnyRowByText(FunctionCallInfo fcinfo, SummaryState *state)
{
	PassCell cell = CellFromArguments(fcinfo);

	return AddCellByText(fcinfo, state, &cell);
}

/* Whether the text in argument 1 is the task of the run at hand; false where it is not plain. */
static inline bool
RunIsOfArgument(const PassState *state, FunctionCallInfo fcinfo)
{
	const char *task = DatumGetPointer(PG_GETARG_DATUM(1));
	Key key;

	if (PG_ARGISNULL(1) || VARATT_IS_EXTERNAL(task) || VARATT_IS_COMPRESSED(task))
		return false;
	key.data = VARDATA_ANY(task);
	key.len = VARSIZE_ANY_EXHDR(task);
	return pass_run_is_of_text(state, &key) && state->run->task_as_is;
}

/*
 * Transitions of pass_agg: one rollout per row. turns is the turn at which the
 * rollout had succeeded, or the number of turns that it took; NULL when not
 * known. success NULL: unscored. budget NULL: no limit, or not known.
 */
PG_FUNCTION_INFO_V1(pass_add_bigint);
Datum
pass_add_bigint(PG_FUNCTION_ARGS)
{
	return AddRowByNumber(fcinfo, PG_GETARG_INT64(1));
}

PG_FUNCTION_INFO_V1(pass_add_integer);
Datum
pass_add_integer(PG_FUNCTION_ARGS)
{
	return AddRowByNumber(fcinfo, PG_GETARG_INT32(1));
}

PG_FUNCTION_INFO_V1(pass_add_smallint);
Datum
pass_add_smallint(PG_FUNCTION_ARGS)
{
	return AddRowByNumber(fcinfo, PG_GETARG_INT16(1));
}

PG_FUNCTION_INFO_V1(pass_add_text);
Datum
pass_add_text(PG_FUNCTION_ARGS)
{
	SummaryState *state = summary_ready_state(fcinfo, KEYS_TEXT);

	if (likely(state != NULL && RunIsOfArgument((PassState *) state, fcinfo) &&
			   pass_wait_in_run(((PassState *) state)->run, CodeFromArguments(fcinfo))))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	return AddAnyRowByText(fcinfo, state);
}

static void
RequireTrajectory(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("trajectory must not be null"),
				 errdetail("Leaving such a rollout out would change a denominator unseen."),
				 errhint("Filter these rows out, or count them by pass_agg(task, NULL, NULL).")));
}

PG_FUNCTION_INFO_V1(pass_add_bigint_trajectory);
Datum
pass_add_bigint_trajectory(PG_FUNCTION_ARGS)
{
	PassCell cell;

	RequireTask(fcinfo);
	RequireTrajectory(fcinfo);
	cell = CellFromTrajectory(PG_GETARG_DATUM(2));
	return AddCellByNumber(fcinfo, summary_ready_state(fcinfo, KEYS_BIGINT), PG_GETARG_INT64(1),
						   &cell);
}

PG_FUNCTION_INFO_V1(pass_add_text_trajectory);
Datum
pass_add_text_trajectory(PG_FUNCTION_ARGS)
{
	PassCell cell;

	RequireTask(fcinfo);
	RequireTrajectory(fcinfo);
	cell = CellFromTrajectory(PG_GETARG_DATUM(2));
	return AddCellByText(fcinfo, summary_ready_state(fcinfo, KEYS_TEXT), &cell);
}
