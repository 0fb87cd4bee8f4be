/*
 * A pass_summary read task by task, as counts by T, and the value that a task
 * has for each k.
 */
#ifndef AGENTRL_PASS_EVALUATE_H
#define AGENTRL_PASS_EVALUATE_H

#include "pass/pass.h"

/* Which columns of T a cell counts in, as half-open ranges. */
typedef struct CellRanges {
	int eligible_from, eligible_to;
	int solved_from;
	bool scored;
} CellRanges;

typedef struct PassEvaluation {
	const PassRequest *request;
	PassReader reader;
	CellRanges *ranges; /* by cell of the summary */
	int64 *eligible;	/* by T, of the task at hand */
	int64 *solved;
	int64 *unscored; /* by T, of all tasks */
	double **tables; /* by n: values [c][k]; NULL where there are none */
	Size table_bytes;
	double *row; /* values where there is no table */
	int64 tasks;
} PassEvaluation;

extern void pass_evaluate(PassEvaluation *eval, Datum summary, const PassRequest *request);
extern bool pass_evaluate_next(PassEvaluation *eval);
extern bool pass_evaluate_common(const PassEvaluation *eval);
/* Two evaluations, advanced in key order so that equal tasks meet. */
typedef struct PassJoin {
	PassEvaluation *first, *second;
	bool has_first, has_second; /* a task at hand */
	bool started;
	int order; /* of the task at hand: 0 both have it, -1 only the first, 1 only the second */
} PassJoin;

/* An error when the keys of the two differ in kind. */
extern void pass_join(PassJoin *join, PassEvaluation *first, PassEvaluation *second);
extern bool pass_join_next(PassJoin *join);

extern const double *pass_values(PassEvaluation *eval, int64 n, int64 c);
extern double pass_value_variance(uint64 n, uint64 c, uint64 k);

#endif
