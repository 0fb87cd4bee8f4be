/*
 * A pass_summary read task by task, as counts by T, and the value that a task
 * has for each k.
 */
#ifndef AGENTRL_PASS_EVALUATE_H
#define AGENTRL_PASS_EVALUATE_H

#include "summary/join.h"
#include "pass/pass.h"

/* Values closer than this are the same fraction: so accurate they are. */
#define SAME_VALUE 1e-12

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

/* The two side by side in key order: join_next leaves the counts of a task that they have at hand.
 */
extern void pass_join(KeyJoin *join, PassEvaluation *first, PassEvaluation *second);

extern const double *pass_values(PassEvaluation *eval, int64 n, int64 c);
extern double pass_value_variance(uint64 n, uint64 c, uint64 k);

/* The chance that k of n attempts all fail, of which c succeeded; k <= n. */
extern double pass_miss(uint64 n, uint64 c, uint64 k);

#endif
