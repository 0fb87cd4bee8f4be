/*
 * pass_summary: the growing state of pass_agg, its transitions and its I/O.
 */
#include "pass/pass.h"

#include "core/array.h"
#include "core/compat.h"
#include "common/int.h"
#include "miscadmin.h"
#include "pass/cells.h"
#include "pass/multiset.h"
#include "port/pg_bitutils.h"
#include "trajectory/trajectory.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Below so many rollouts a state saves memory rather than time: there may be many such groups. */
#define SMALL_STATE_ROLLOUTS 512

/* Rows of one task in succession are counted by their cells, of those with an id below this. */
#define RUN_CELLS 256

/*
 * Beyond so many tasks the map outgrows the cache. Rows of one task then come
 * in runs, or the tasks come in the order in which they came first, or, after
 * MAX_STRAYS rows that are out of order, rows wait in a ring while memory is
 * fetched in three stages of STAGE_ROWS rows each: the key's slot, then the
 * task, then its block. Every TRIAL_ROWS rows the order is tried again.
 */
#define MANY_TASKS 4096
#define LONG_RUN   4
#define MAX_STRAYS 8
#define STAGE_ROWS 16
#define RING_ROWS  64
#define TRIAL_ROWS 2048

/* What the last rows have in common is their task; they wait here for the next. */
typedef struct Run {
	int64 number; /* of the task, where tasks are numbers */
	uint32 ordinal;
	uint32 used;				 /* cells that were met; 0: no run */
	uint32 cells[RUN_CELLS + 1]; /* these; one place is written ahead */
	uint64 counts[RUN_CELLS];	 /* by cell, 0 between runs */
} Run;

typedef struct WaitingRow {
	int64 task;
	uint32 cell;
	uint32 hash;
	uint32 ordinal; /* once found */
} WaitingRow;

typedef struct Ring {
	uint64 came; /* rows since it was empty */
	WaitingRow rows[RING_ROWS];
} Ring;

typedef struct PassState {
	SummaryState base;
	/* what each row needs comes first */
	CellSet cells;
	uint64 rollouts;
	Run *run;		 /* NULL in a small state */
	uint32 together; /* rows of one task, up to the last */
	bool long_runs;	 /* the last task's rows came together */
	uint32 strays;	 /* rows in succession that were out of order */
	int64 previous;	 /* task of the last row that was in no run */
	Ring *ring;		 /* NULL until rows wait */
	Multiset *tasks; /* by ordinal */
	uint32 tasks_capacity;
	BlockPool pool; /* of the tasks */
} PassState;

/* ---- tasks ---- */

static void
GrowTasks(PassState *state)
{
	if (state->tasks == NULL)
		blockpool_init(&state->pool, state->base.context);
	state->tasks_capacity = Max(4, state->tasks_capacity * 2);
	state->tasks =
		array_with_room(state->base.context, state->tasks, state->tasks_capacity, sizeof(Multiset));
}

static inline Multiset *
TaskAt(PassState *state, uint32 ordinal, bool is_new)
{
	if (is_new) {
		if (ordinal >= state->tasks_capacity)
			GrowTasks(state);
		state->tasks[ordinal] = EMPTY_MULTISET;
	}
	return &state->tasks[ordinal];
}

static inline void
FindTask(PassState *state, WaitingRow *row)
{
	bool is_new;

	row->ordinal = keymap_enter_fetched(&state->base.keys, row->task, row->hash, &is_new);
	__builtin_prefetch(TaskAt(state, row->ordinal, is_new));
}

static inline void
FetchBlock(const PassState *state, const WaitingRow *row)
{
	const Multiset *task = &state->tasks[row->ordinal];

	__builtin_prefetch(multiset_ids(task));
	__builtin_prefetch(multiset_counts(task), 1);
}

static inline void
AddWaiting(PassState *state, const WaitingRow *row)
{
	multiset_add(&state->tasks[row->ordinal], &state->pool, row->cell);
}

/* The row waits, and those before it go on by one. */
static void
AddLater(PassState *state, int64 task, uint32 cell)
{
	Ring *ring = state->ring;
	uint64 i;

	if (ring == NULL)
		ring = state->ring = MemoryContextAllocZero(state->base.context, sizeof(Ring));
	i = ring->came++;
	ring->rows[i % RING_ROWS] = (WaitingRow){
		.task = task, .cell = cell, .hash = keymap_fetch_number(&state->base.keys, task)};
	if (i >= STAGE_ROWS)
		FindTask(state, &ring->rows[(i - STAGE_ROWS) % RING_ROWS]);
	if (i >= 2 * STAGE_ROWS)
		FetchBlock(state, &ring->rows[(i - 2 * STAGE_ROWS) % RING_ROWS]);
	if (i >= 3 * STAGE_ROWS)
		AddWaiting(state, &ring->rows[(i - 3 * STAGE_ROWS) % RING_ROWS]);
}

static void
EmptyRing(PassState *state)
{
	Ring *ring = state->ring;

	if (ring == NULL)
		return;
	for (uint64 i = ring->came - Min(ring->came, STAGE_ROWS); i < ring->came; i++)
		FindTask(state, &ring->rows[i % RING_ROWS]);
	for (uint64 i = ring->came - Min(ring->came, 3 * STAGE_ROWS); i < ring->came; i++)
		AddWaiting(state, &ring->rows[i % RING_ROWS]);
	ring->came = 0;
}

static void
AddInOrder(PassState *state, int64 task, uint32 cell)
{
	Key key = {.number = task};
	uint32 last = state->base.keys.last;
	bool is_new;
	uint32 ordinal = keymap_add(&state->base.keys, &key, &is_new);
	uint32 ahead = ordinal + STAGE_ROWS;

	state->strays = !is_new && ordinal - last <= 1 ? 0 : state->strays + 1;
	if (ahead < state->base.keys.count)
		__builtin_prefetch(multiset_ids(&state->tasks[ahead]), 1);
	multiset_add(TaskAt(state, ordinal, is_new), &state->pool, cell);
}

/* A row of a task with few rows in succession, where there are many tasks. */
static void
AddAlone(PassState *state, int64 task, uint32 cell)
{
	if (state->strays <= MAX_STRAYS) {
		AddInOrder(state, task, cell);
		return;
	}
	AddLater(state, task, cell);
	if (state->ring->came == TRIAL_ROWS) {
		EmptyRing(state);
		state->strays = 0;
	}
}

static inline void
NoteRun(PassState *state, int64 task)
{
	if (task == state->previous) {
		state->long_runs |= ++state->together >= LONG_RUN;
		return;
	}
	state->long_runs = state->together >= LONG_RUN;
	state->previous = task;
	state->together = 1;
}

static inline void
CountRollouts(PassState *state, uint64 count)
{
	if (count > MAX_ROLLOUTS - state->rollouts)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a pass_summary cannot hold more than 2^53 rollouts")));
	state->rollouts += count;
}

/* Moves what the run counted to its task. */
static void
FlushRun(PassState *state)
{
	Run *run = state->run;
	uint64 counts[RUN_CELLS];

	if (run == NULL)
		return;
	for (uint32 i = 0; i < run->used; i++) {
		counts[i] = run->counts[run->cells[i]];
		run->counts[run->cells[i]] = 0;
	}
	multiset_merge(&state->tasks[run->ordinal], &state->pool, run->cells, counts, run->used);
	run->used = 0;
}

static inline void
CountInRun(Run *run, uint32 cell)
{
	/* without a branch, which would be hard to foretell */
	run->cells[run->used] = cell;
	run->used += run->counts[cell]++ == 0;
}

/* Whether the row belongs to the run at hand, and is thereby added. */
static inline bool
RunGoesOn(PassState *state, bool same_task, uint32 cell)
{
	if (!same_task || cell >= RUN_CELLS || state->run->used == 0)
		return false;
	CountInRun(state->run, cell);
	state->together++;
	return true;
}

/* Begins the run of a task, unless the state is small or the cell too far out. */
static void
StartRun(PassState *state, const Key *key, uint32 ordinal, bool is_new, uint32 cell)
{
	Multiset *task = TaskAt(state, ordinal, is_new);

	if (state->run == NULL && state->rollouts >= SMALL_STATE_ROLLOUTS)
		state->run = MemoryContextAllocZero(state->base.context, sizeof(Run));
	if (state->run == NULL || cell >= RUN_CELLS) {
		multiset_add(task, &state->pool, cell);
		return;
	}
	FlushRun(state);
	state->run->number = key->number;
	state->run->ordinal = ordinal;
	CountInRun(state->run, cell);
}

static pg_noinline void
AddToOtherNumber(PassState *state, int64 task, uint32 cell)
{
	Key key = {.number = task};
	uint32 ordinal;
	bool is_new;

	if (state->base.keys.count > MANY_TASKS) {
		NoteRun(state, task);
		if (!state->long_runs) {
			AddAlone(state, task, cell);
			return;
		}
	}
	ordinal = keymap_add(&state->base.keys, &key, &is_new);
	StartRun(state, &key, ordinal, is_new, cell);
}

static inline uint32
FindCell(PassState *state, const PassCell *cell)
{
	return cells_find(&state->cells, cell, state->rollouts < SMALL_STATE_ROLLOUTS,
					  state->base.context);
}

static inline void
AddToNumber(PassState *state, int64 task, const PassCell *cell)
{
	uint32 id = FindCell(state, cell);

	CountRollouts(state, 1);
	if (unlikely(state->run == NULL || !RunGoesOn(state, state->run->number == task, id)))
		AddToOtherNumber(state, task, id);
}

static void
AddToText(PassState *state, const Key *task, const PassCell *cell)
{
	uint32 id = FindCell(state, cell);
	bool is_new;
	uint32 ordinal = keymap_add(&state->base.keys, task, &is_new);

	CountRollouts(state, 1);
	if (state->run == NULL || !RunGoesOn(state, state->run->ordinal == ordinal, id))
		StartRun(state, task, ordinal, is_new, id);
}

/* ---- flattening and merging ---- */

static void
Settle(SummaryState *base)
{
	EmptyRing((PassState *) base);
	FlushRun((PassState *) base);
}

/*
 * What encoding a task needs: each cell's place in canonical order, and
 * scratch that brings the task's entries into that order.
 */
typedef struct EncodeShared {
	uint32 ncells;
	uint32 *rank;
	uint64 *counts;	 /* by rank */
	uint64 *present; /* a bit per rank, all 0 between tasks */
	uint32 *ranks;	 /* of the task's entries */
} EncodeShared;

#define ST_SORT			 sort_ranks
#define ST_ELEMENT_TYPE	 uint32
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE		 static
#define ST_DEFINE
#include "lib/sort_template.h"

static int
CompareCellPointers(const void *a, const void *b)
{
	return pass_cell_compare(*(PassCell *const *) a, *(PassCell *const *) b);
}

static EncodeShared *
CreateEncodeShared(uint32 ncells)
{
	EncodeShared *shared = palloc(sizeof(EncodeShared));
	MemoryContext cx = CurrentMemoryContext;

	shared->ncells = ncells;
	shared->rank = MemoryContextAllocHuge(cx, ncells * sizeof(uint32) + 1);
	shared->counts = MemoryContextAllocHuge(cx, ncells * sizeof(uint64) + 1);
	shared->ranks = MemoryContextAllocHuge(cx, ncells * sizeof(uint32) + 1);
	shared->present = palloc0((ncells / 64 + 1) * sizeof(uint64));
	return shared;
}

static void *
EncodeCells(SummaryState *base, StringInfo out)
{
	PassState *state = (PassState *) base;
	EncodeShared *shared = CreateEncodeShared(state->cells.count);
	PassCell **sorted;

	sorted =
		MemoryContextAllocHuge(CurrentMemoryContext, state->cells.count * sizeof(PassCell *) + 1);
	for (uint32 i = 0; i < state->cells.count; i++)
		sorted[i] = &state->cells.cells[i];
	qsort(sorted, state->cells.count, sizeof(PassCell *), CompareCellPointers);

	append_varint(out, state->cells.count);
	for (uint32 i = 0; i < state->cells.count; i++) {
		shared->rank[sorted[i] - state->cells.cells] = i;
		appendStringInfoChar(out, sorted[i]->outcome << 4 | sorted[i]->limit_kind);
		append_varint(out, sorted[i]->limit);
		append_varint(out, (uint64) sorted[i]->turn + 1);
	}
	pfree(sorted);
	return shared;
}

static inline void
GatherEntries(EncodeShared *shared, const Multiset *task, uint8 id_width, uint8 count_width)
{
	const uint8 *ids = multiset_ids(task);
	const uint8 *entry_counts = multiset_counts(task);
	const uint32 *rank = shared->rank;
	uint64 *counts = shared->counts;
	uint32 *ranks = shared->ranks;
	uint32 used = task->used;

	for (uint32 i = 0; i < used; i++) {
		ranks[i] = rank[multiset_number(ids + (Size) i * id_width, id_width)];
		counts[ranks[i]] = multiset_number(entry_counts + (Size) i * count_width, count_width);
	}
}

/* An entry: distance from the previous cell less one, then the count. */
static inline uint8 *
PutEntry(uint8 *to, uint32 *next, uint32 rank, uint64 count)
{
	to = put_varint(to, rank - *next);
	*next = rank + 1;
	return put_varint(to, count);
}

/* Sets a bit per rank. Where one word has room for all, a register saves a tenth of a rollup. */
static inline void
MarkRanks(uint64 *present, uint32 words, const uint32 *ranks, uint32 used)
{
	uint64 only = 0;

	if (words > 1) {
		for (uint32 i = 0; i < used; i++)
			present[ranks[i] / 64] |= UINT64CONST(1) << (ranks[i] % 64);
		return;
	}
	for (uint32 i = 0; i < used; i++)
		only |= UINT64CONST(1) << ranks[i];
	present[0] = only;
}

/* Writes the gathered entries in canonical order: by a bitmap, unless that is sparse. */
static uint8 *
PutEntries(uint8 *to, EncodeShared *shared, uint32 used)
{
	const uint64 *counts = shared->counts;
	const uint32 *ranks = shared->ranks;
	uint64 *present = shared->present;
	uint32 words = shared->ncells / 64 + 1;
	uint32 next = 0;

	if (words > used) {
		sort_ranks(shared->ranks, used);
		for (uint32 i = 0; i < used; i++)
			to = PutEntry(to, &next, ranks[i], counts[ranks[i]]);
		return to;
	}
	MarkRanks(present, words, ranks, used);
	for (uint32 word = 0; word < words; word++) {
		for (uint64 bits = present[word]; bits != 0; bits &= bits - 1) {
			uint32 rank = word * 64 + pg_rightmost_one_pos64(bits);

			to = PutEntry(to, &next, rank, counts[rank]);
		}
		present[word] = 0;
	}
	return to;
}

static void
EncodeTask(SummaryState *base, uint32 ordinal, void *scratch, StringInfo out)
{
	const Multiset *task = &((PassState *) base)->tasks[ordinal];
	EncodeShared *shared = scratch;
	uint8 *to;

	if (task->id_width == 1 && task->count_width == 1)
		GatherEntries(shared, task, 1, 1);
	else
		GatherEntries(shared, task, task->id_width, task->count_width);

	append_varint(out, task->used);
	enlargeStringInfo(out, task->used * 2 * MAX_VARINT_BYTES);
	to = (uint8 *) out->data + out->len;
	out->len = PutEntries(to, shared, task->used) - (uint8 *) out->data;
}

/* What merging needs: this state's id of each of the other's cells, and scratch. */
typedef struct MergeShared {
	PassCell *cells;
	uint32 ncells;
	uint32 *local; /* NO_CELL until a task has it */
	uint32 *ids;
	uint64 *counts;
} MergeShared;

#define NO_CELL PG_UINT32_MAX

static void *
MergeCells(SummaryState *base, ByteReader *reader)
{
	MergeShared *shared = palloc0(sizeof(MergeShared));
	MemoryContext cx = CurrentMemoryContext;

	Settle(base);
	shared->cells = pass_read_cells(reader, &shared->ncells);
	shared->local = MemoryContextAllocHuge(cx, shared->ncells * sizeof(uint32) + 1);
	shared->ids = MemoryContextAllocHuge(cx, shared->ncells * sizeof(uint32) + 1);
	shared->counts = MemoryContextAllocHuge(cx, shared->ncells * sizeof(uint64) + 1);
	for (uint32 i = 0; i < shared->ncells; i++)
		shared->local[i] = NO_CELL;
	return shared;
}

static inline uint32
LocalCell(PassState *state, MergeShared *shared, uint32 id)
{
	if (shared->local[id] == NO_CELL)
		shared->local[id] = FindCell(state, &shared->cells[id]);
	return shared->local[id];
}

static void
MergeTask(SummaryState *base, uint32 ordinal, bool is_new, void *scratch, ByteReader *reader)
{
	PassState *state = (PassState *) base;
	MergeShared *shared = scratch;
	Multiset *task = TaskAt(state, ordinal, is_new);
	uint32 n = pass_read_entries(reader, shared->ncells, shared->ids, shared->counts);

	for (uint32 i = 0; i < n; i++) {
		CountRollouts(state, shared->counts[i]);
		shared->ids[i] = LocalCell(state, shared, shared->ids[i]);
	}
	multiset_merge(task, &state->pool, shared->ids, shared->counts, n);
}

const SummaryMethods pass_methods = {
	.type_name = "pass_summary",
	.tag = 'P',
	.version = 1,
	.state_size = sizeof(PassState),
	.settle = Settle,
	.encode_shared = EncodeCells,
	.encode_key = EncodeTask,
	.merge_shared = MergeCells,
	.merge_key = MergeTask,
};

SUMMARY_TYPE_FUNCTIONS(pass_summary, &pass_methods);

/* ---- transitions ---- */

static pg_noinline void
CheckTurns(Truth success, int64 turns, bool turns_known, int64 budget, bool has_budget)
{
	if (turns_known && (turns < 0 || (turns == 0 && success != TRUTH_UNKNOWN)))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("turns must be at least 1, not %lld", (long long) turns),
			 errdetail("Turns are numbered from 1: a success takes at least one."),
			 errhint("A failure without a turn fails at every budget: give it 1 turn. Where the "
					 "number of turns is not known, give NULL.")));
	if (has_budget && budget < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("budget must be at least 1, not %lld", (long long) budget),
						errhint("Give NULL when there was no limit, or it is not known.")));
}

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

/* task (1), success (2), turns (3) and, where there is one, budget (4) */
static inline PassCell
CellFromArguments(FunctionCallInfo fcinfo)
{
	Truth success = PG_ARGISNULL(2) ? TRUTH_UNKNOWN : PG_GETARG_BOOL(2) ? TRUTH_TRUE : TRUTH_FALSE;
	bool has_turns = !PG_ARGISNULL(3);
	bool has_budget = PG_NARGS() > 4 && !PG_ARGISNULL(4);
	int64 turns = has_turns ? PG_GETARG_INT64(3) : TURN_UNKNOWN;
	int64 budget = has_budget ? PG_GETARG_INT64(4) : 0;
	PassCell cell = {.turn = turns, .limit = budget, .outcome = OutcomeOf(success)};

	cell.limit_kind = has_budget ? LIMIT_BUDGET : LIMIT_NONE;
	if (unlikely((has_turns && turns < 1) || (has_budget && budget < 1)))
		CheckTurns(success, turns, has_turns, budget, has_budget);
	return cell;
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

static inline Datum
AddRolloutByNumber(FunctionCallInfo fcinfo, const PassCell *cell)
{
	SummaryState *state = summary_transition_state(fcinfo, &pass_methods, KEYS_BIGINT);

	AddToNumber((PassState *) state, PG_GETARG_INT64(1), cell);
	PG_RETURN_DATUM(summary_state_datum(state));
}

static Datum
AddRolloutByText(FunctionCallInfo fcinfo, const PassCell *cell)
{
	SummaryState *state = summary_transition_state(fcinfo, &pass_methods, KEYS_TEXT);
	text *task = PG_GETARG_TEXT_PP(1);
	Key key = {.data = VARDATA_ANY(task), .len = VARSIZE_ANY_EXHDR(task)};

	AddToText((PassState *) state, &key, cell);
	PG_FREE_IF_COPY(task, 1);
	PG_RETURN_DATUM(summary_state_datum(state));
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
	PassCell cell;

	RequireTask(fcinfo);
	cell = CellFromArguments(fcinfo);
	return AddRolloutByNumber(fcinfo, &cell);
}

PG_FUNCTION_INFO_V1(pass_add_text);
Datum
pass_add_text(PG_FUNCTION_ARGS)
{
	PassCell cell;

	RequireTask(fcinfo);
	cell = CellFromArguments(fcinfo);
	return AddRolloutByText(fcinfo, &cell);
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
	return AddRolloutByNumber(fcinfo, &cell);
}

PG_FUNCTION_INFO_V1(pass_add_text_trajectory);
Datum
pass_add_text_trajectory(PG_FUNCTION_ARGS)
{
	PassCell cell;

	RequireTask(fcinfo);
	RequireTrajectory(fcinfo);
	cell = CellFromTrajectory(PG_GETARG_DATUM(2));
	return AddRolloutByText(fcinfo, &cell);
}
