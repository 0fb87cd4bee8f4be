/*
 * Pass@(K,T): what a pass_summary keeps, and how it is read.
 *
 * Per task it keeps a multiset of rollouts, each reduced to a cell: outcome,
 * turn, and the limit under which it ran. Every figure of the family is a
 * function of these counts.
 */
#ifndef AGENTRL_PASS_H
#define AGENTRL_PASS_H

#include "stats/rules.h"
#include "summary/summary.h"

typedef enum Outcome { OUTCOME_FAILED, OUTCOME_SOLVED, OUTCOME_UNSCORED } Outcome;

typedef enum LimitKind {
	LIMIT_NONE,
	LIMIT_BUDGET,
	LIMIT_CUT /* truncated, budget not known: nothing is known beyond its turns */
} LimitKind;

#define TURN_UNKNOWN (-1)

typedef struct PassCell {
	int64 turn;	 /* solved at, or the turns taken; TURN_UNKNOWN */
	int64 limit; /* turns; 0 without a limit */
	uint8 outcome;
	uint8 limit_kind;
} PassCell;

/* The most rollouts that a summary holds: counts stay exact in a float8. */
#define MAX_ROLLOUTS (UINT64CONST(1) << 53)

extern const SummaryMethods pass_methods;

extern int pass_cell_compare(const PassCell *a, const PassCell *b);

/* A flat summary without tasks: what NULL stands for where rows are asked for. */
extern Datum pass_empty_summary(void);

/* Argument i, flat and in memory; the empty summary when it is null. */
extern Datum pass_summary_argument(FunctionCallInfo fcinfo, int i);

/* Reads the dictionary of cells; NULL after a fault. */
extern PassCell *pass_read_cells(ByteReader *reader, uint32 *ncells);

/* One task of a flat summary at a time. */
typedef struct PassReader {
	SummaryReader summary;
	PassCell *cells;
	uint32 ncells;
	uint32 nentries;
	uint32 *ids;	/* of this task: cells that occur, ascending */
	uint64 *counts; /* rollouts in each */
} PassReader;

extern void pass_open(PassReader *reader, Datum summary);
extern bool pass_next_task(PassReader *reader);
extern void pass_close(PassReader *reader);

/* Reads one task's payload: its number of entries, bounded by ncells. */
extern uint32 pass_read_entries(ByteReader *reader, uint32 ncells, uint32 *ids, uint64 *counts);

/* How rollouts qualify for a turn budget T. */
typedef enum MatchRule { MATCH_PREFIX, MATCH_EXACT } MatchRule;
typedef enum TaskSet { TASKS_EACH, TASKS_COMMON } TaskSet;

/* What an unscored rollout, eligible by its limit, counts as. */
typedef enum UnscoredRule { UNSCORED_LEFT_OUT, UNSCORED_FAILS, UNSCORED_SUCCEEDS } UnscoredRule;

/* The function of (n eligible, c solved) that is averaged over tasks. */
typedef enum PassMeasure { PASS_ANY_OF_K, PASS_ALL_OF_K, PASS_ANY } PassMeasure;

typedef struct PassRequest {
	PassMeasure measure;
	MatchRule match;
	TaskSet task_set;
	UnscoredRule unscored;
	int64 source_budget; /* only rollouts that ran with this budget; 0: all */
	int nk;
	int nt;
	int64 *k; /* ascending, distinct */
	int64 *t; /* ascending, distinct; NULL: each rollout at its own budget, nt = 1 */
} PassRequest;

typedef struct PassFigure {
	double pass;			/* valid when tasks > 0 */
	double std_error;		/* valid when tasks > 1 */
	double std_error_fixed; /* valid when has_fixed: each task has 2k rollouts or more */
	bool has_fixed;
	ShareEvidence evidence; /* valid when tasks > 0 */
	int64 tasks;
	int64 tasks_short;
	int64 rollouts;
	int64 unscored;
} PassFigure;

/* The figures of all cells, [t][k]. */
extern PassFigure *pass_figures(Datum summary, const PassRequest *request);

#endif
