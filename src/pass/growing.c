#include "pass/growing.h"

#include "core/array.h"
#include "summary/keytext.h"

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

void
pass_grow_tasks(PassState *state)
{
	if (state->tasks == NULL)
		blockpool_init(&state->pool, state->base.context);
	state->tasks_capacity = Max(4, state->tasks_capacity * 2);
	state->tasks =
		array_with_room(state->base.context, state->tasks, state->tasks_capacity, sizeof(Multiset));
}

/* A text's task was found when its row came. */
static inline void
FindTask(PassState *state, WaitingRow *row)
{
	bool is_new;

	if (state->base.keys.kind == KEYS_TEXT)
		return;
	row->ordinal = keymap_enter_fetched(&state->base.keys, row->task, row->hash, &is_new);
	__builtin_prefetch(pass_task_at(state, row->ordinal, is_new));
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
AddLater(PassState *state, WaitingRow row)
{
	Ring *ring = state->ring;
	uint64 i;

	if (ring == NULL)
		ring = state->ring = MemoryContextAllocZero(state->base.context, sizeof(Ring));
	i = ring->came++;
	ring->rows[i % RING_ROWS] = row;
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

/* A row found its task: is it that of the row before (last), or the one after it in the map? */
static inline void
NoteOrder(PassState *state, uint32 ordinal, uint32 last, bool is_new)
{
	state->strays = !is_new && ordinal - last <= 1 ? 0 : state->strays + 1;
}

static void
AddInOrder(PassState *state, uint32 ordinal, uint32 cell)
{
	uint32 ahead = ordinal + STAGE_ROWS;

	if (ahead < state->base.keys.count)
		__builtin_prefetch(multiset_ids(&state->tasks[ahead]), 1);
	multiset_add(&state->tasks[ordinal], &state->pool, cell);
}

/* A row of a task with few rows in succession, where there are many tasks. */
static void
AddAloneToNumber(PassState *state, int64 task, const PassCell *cell)
{
	KeyMap *keys = &state->base.keys;
	uint32 id = pass_find_cell(state, cell);
	uint32 last = keys->last;
	Key key = {.number = task};
	uint32 ordinal;
	bool is_new;

	pass_count_rollouts(state, 1);
	if (state->strays > MAX_STRAYS) {
		AddLater(state,
				 (WaitingRow){.task = task, .cell = id, .hash = keymap_fetch_number(keys, task)});
		if (state->ring->came == TRIAL_ROWS) {
			EmptyRing(state);
			state->strays = 0;
		}
		return;
	}
	ordinal = keymap_add(keys, &key, &is_new);
	NoteOrder(state, ordinal, last, is_new);
	pass_task_at(state, ordinal, is_new);
	AddInOrder(state, ordinal, id);
}

/* The same of a text, whose task is found. */
static void
AddAloneToText(PassState *state, uint32 ordinal, const PassCell *cell)
{
	uint32 id = pass_find_cell(state, cell);

	pass_count_rollouts(state, 1);
	if (state->strays <= MAX_STRAYS) {
		AddInOrder(state, ordinal, id);
		return;
	}
	__builtin_prefetch(&state->tasks[ordinal]);
	AddLater(state, (WaitingRow){.ordinal = ordinal, .cell = id});
}

/* task: that of a row, by number or ordinal; finished: rows of the run that it ended, if any. */
static inline void
NoteRun(PassState *state, int64 task, uint64 finished)
{
	if (task == state->previous) {
		state->long_runs |= ++state->together >= LONG_RUN;
		return;
	}
	state->long_runs = Max(state->together, finished) >= LONG_RUN;
	state->previous = task;
	state->together = 1;
}

static void
AddToTask(PassState *state, uint32 ordinal, const PassCell *cell)
{
	uint32 id = pass_find_cell(state, cell);

	pass_count_rollouts(state, 1);
	multiset_add(&state->tasks[ordinal], &state->pool, id);
}

static uint32
FindCode(PassState *state, uint64 code)
{
	PassCell cell = cell_of_code(code);

	return pass_find_cell(state, &cell);
}

/* Counts the rows of the run that wait. */
static void
CountWaiting(PassState *state, Run *run)
{
	uint32 n = run->waiting;
	uint32 used = run->used; /* not in memory, where each store might change it */

	run->waiting = 0;
	run->counted += n;
	pass_count_rollouts(state, n);
	for (uint32 i = 0; i < n; i++) {
		uint32 id;

		if (unlikely(!cells_cached(&state->cells, run->codes[i], &id)))
			id = FindCode(state, run->codes[i]);
		if (unlikely(id >= RUN_CELLS)) {
			multiset_add(&state->tasks[run->ordinal], &state->pool, id);
			continue;
		}
		/* without a branch, which would be hard to foretell */
		run->cells[used] = id;
		used += run->counts[id]++ == 0;
	}
	run->used = used;
}

/* Moves what the run counted to its task; gives the number of its rows. */
static uint64
FinishRun(PassState *state)
{
	Run *run = state->run;
	uint64 counts[RUN_CELLS];

	if (run == NULL)
		return 0;
	CountWaiting(state, run);
	for (uint32 i = 0; i < run->used; i++) {
		counts[i] = run->counts[run->cells[i]];
		run->counts[run->cells[i]] = 0;
	}
	multiset_merge(&state->tasks[run->ordinal], &state->pool, run->cells, counts, run->used);
	run->used = 0;
	state->run = NULL;
	return run->counted;
}

/* Adds a row to the task of the run at hand. */
static void
AddToRun(PassState *state, const PassCell *cell)
{
	uint64 code = cell_code(cell);

	if (pass_wait_in_run(state->run, code))
		return;
	CountWaiting(state, state->run);
	if (!pass_wait_in_run(state->run, code))
		AddToTask(state, state->run->ordinal, cell);
}

/* Begins the run of a task by a row, unless the state is small. */
static void
StartRun(PassState *state, uint32 ordinal, const PassCell *cell)
{
	Run *run;

	if (state->rollouts < SMALL_STATE_ROLLOUTS) {
		AddToTask(state, ordinal, cell);
		return;
	}
	if (state->run_memory == NULL) {
		state->run_memory = MemoryContextAllocZero(state->base.context, sizeof(Run));
		cells_index(&state->cells, state->base.context);
	}
	run = state->run = state->run_memory;
	run->task = keymap_key(&state->base.keys, ordinal);
	run->task_as_is = state->base.keys.kind == KEYS_TEXT && key_is_text_as_is(&run->task);
	run->ordinal = ordinal;
	run->counted = 0;
	AddToRun(state, cell);
}

static pg_noinline void
AddToOtherNumber(PassState *state, int64 task, const PassCell *cell)
{
	uint64 finished = FinishRun(state);
	Key key = {.number = task};
	uint32 ordinal;
	bool is_new;

	if (state->base.keys.count > MANY_TASKS) {
		NoteRun(state, task, finished);
		if (!state->long_runs) {
			AddAloneToNumber(state, task, cell);
			return;
		}
	}
	ordinal = keymap_add(&state->base.keys, &key, &is_new);
	pass_task_at(state, ordinal, is_new);
	StartRun(state, ordinal, cell);
}

void
pass_add_to_number(PassState *state, int64 task, const PassCell *cell)
{
	if (pass_run_is_of_number(state, task))
		AddToRun(state, cell);
	else
		AddToOtherNumber(state, task, cell);
}

static pg_noinline void
AddToOtherText(PassState *state, const Key *task, const PassCell *cell)
{
	uint32 last = state->base.keys.last;
	bool is_new;
	uint32 ordinal = keymap_add(&state->base.keys, task, &is_new);
	uint64 finished = FinishRun(state);

	pass_task_at(state, ordinal, is_new);
	if (state->base.keys.count > MANY_TASKS) {
		NoteRun(state, ordinal, finished);
		NoteOrder(state, ordinal, last, is_new);
		if (!state->long_runs) {
			AddAloneToText(state, ordinal, cell);
			return;
		}
	}
	StartRun(state, ordinal, cell);
}

void
pass_add_to_text(PassState *state, const Key *task, const PassCell *cell)
{
	if (pass_run_is_of_text(state, task))
		AddToRun(state, cell);
	else
		AddToOtherText(state, task, cell);
}

void
pass_settle(SummaryState *base)
{
	EmptyRing((PassState *) base);
	FinishRun((PassState *) base);
}
