/*
 * Variances of pass@k that come from attempts alone: what the figure of one
 * task would do, were its attempts drawn again.
 */
#ifndef AGENTRL_PASS_VARIANCE_H
#define AGENTRL_PASS_VARIANCE_H

#include "pass/pass.h"

/* Above this k, a variance that needs sums over it is not estimated: 0. */
#define MAX_VARIANCE_K 100000

/*
 * The mean of term(shared) over how many attempts two draws of k from n share,
 * 0..k: hypergeometric. The chances follow from their ratios, outwards from the
 * largest, so none underflows.
 */
extern double pass_overlap_mean(uint64 n, uint64 k,
								double (*term)(const void *context, uint64 shared),
								const void *context);

/*
 * Unbiased, from n attempts of which c succeeded: of pass@k at `attempts`
 * attempts (k or more). 0 where n < 2k, which says nothing.
 */
extern double pass_variance_at(uint64 n, uint64 c, uint64 k, uint64 attempts);

/* pass_variance_at of every k of a request, kept by n, attempts and c. */
typedef struct VarianceTables {
	const PassRequest *request;
	KeyMap *keys;	 /* of n and attempts; NULL before the first */
	double **tables; /* by ordinal: [c][k], NaN where not computed yet; NULL: too large */
	uint32 capacity;
	Size bytes;
	double *row;
} VarianceTables;

/* In the order of the request's k. */
extern const double *variances_of(VarianceTables *tables, int64 n, int64 c, int64 attempts);

/* Of pass@k from n attempts whose k all fail with the chance u, in a task like all others. */
extern double pass_alike_variance(uint64 n, uint64 k, double u);

/* How many tasks have how many attempts, a list that grows with the distinct numbers alone. */
typedef struct AttemptCounts {
	uint32 used, capacity;
	struct AttemptCount *list;
} AttemptCounts;

extern void attempts_add(AttemptCounts *counts, int64 n, int64 tasks);

/* The sum of pass_alike_variance over the tasks. */
extern double attempts_alike_variance(const AttemptCounts *counts, uint64 k, double u);

#endif
