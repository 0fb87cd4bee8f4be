/*
 * The growing form of a pass_summary: a multiset of cells per task, and the
 * rows that are on their way there.
 */
#ifndef AGENTRL_PASS_GROWING_H
#define AGENTRL_PASS_GROWING_H

#include "pass/cells.h"
#include "pass/multiset.h"
#include "pass/pass.h"

/* Below so many rollouts a state saves memory rather than time: there may be many such groups. */
#define SMALL_STATE_ROLLOUTS 512

/*
 * Rows of one task in succession wait as codes of their cells, and so many at
 * a time are counted by cell, those with an id below RUN_CELLS.
 */
#define RUN_ROWS  64
#define RUN_CELLS 256

/* What the last rows have in common is their task; they wait here for the next. */
typedef struct Run {
	Key task;
	bool task_as_is; /* a text task has the bytes of the database's own text */
	uint32 ordinal;
	uint32 waiting;				 /* rows that are not counted yet */
	uint64 codes[RUN_ROWS];		 /* their cells */
	uint64 counted;				 /* rows that are */
	uint32 used;				 /* cells that were met */
	uint32 cells[RUN_CELLS + 1]; /* these; one place is written ahead */
	uint64 counts[RUN_CELLS];	 /* by cell, 0 between runs */
} Run;

struct Ring;

typedef struct PassState {
	SummaryState base;
	Run *run;		 /* the one at hand, or NULL */
	Run *run_memory; /* of every run; NULL in a small state */
	CellSet cells;
	uint64 rollouts;   /* without those of the run at hand */
	uint64 together;   /* rows of the previous task, when they were in no run */
	bool long_runs;	   /* the last task's rows came together */
	uint32 strays;	   /* rows in succession that were out of order */
	int64 previous;	   /* task of the last row that was in no run */
	struct Ring *ring; /* NULL until rows wait */
	Multiset *tasks;   /* by ordinal */
	uint32 tasks_capacity;
	BlockPool pool; /* of the tasks */
} PassState;

/* Adds a row to the task with this key. */
extern void pass_add_to_number(PassState *state, int64 task, const PassCell *cell);
extern void pass_add_to_text(PassState *state, const Key *task, const PassCell *cell);

/* Brings all rows that wait to their tasks. */
extern void pass_settle(SummaryState *base);

extern void pass_grow_tasks(PassState *state);

static inline Multiset *
pass_task_at(PassState *state, uint32 ordinal, bool is_new)
{
	if (is_new) {
		if (ordinal >= state->tasks_capacity)
			pass_grow_tasks(state);
		state->tasks[ordinal] = EMPTY_MULTISET;
	}
	return &state->tasks[ordinal];
}

static inline void
pass_count_rollouts(PassState *state, uint64 count)
{
	if (count > MAX_ROLLOUTS - state->rollouts)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a pass_summary cannot hold more than 2^53 rollouts")));
	state->rollouts += count;
}

static inline uint32
pass_find_cell(PassState *state, const PassCell *cell)
{
	return cells_find(&state->cells, cell, state->rollouts < SMALL_STATE_ROLLOUTS,
					  state->base.context);
}

static inline bool
pass_run_is_of_number(const PassState *state, int64 task)
{
	return state->run != NULL && state->run->task.number == task;
}

static inline bool
pass_run_is_of_text(const PassState *state, const Key *task)
{
	return state->run != NULL && state->run->task.len == task->len &&
		   memcmp(state->run->task.data, task->data, task->len) == 0;
}

/* Whether the row, of the run's task, waits there now; not when it has no code. */
static inline bool
pass_wait_in_run(Run *run, uint64 code)
{
	if (unlikely(code == 0 || run->waiting == RUN_ROWS))
		return false;
	run->codes[run->waiting++] = code;
	return true;
}

#endif
