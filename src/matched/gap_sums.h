/*
 * Exact comparison of sums of squared relative gaps.
 */
#ifndef AGENTRL_GAP_SUMS_H
#define AGENTRL_GAP_SUMS_H

#include "postgres.h"

/* The gap (larger - smaller) / larger of two lengths; 0 / 1 for 0 and 0. */
typedef struct Gap {
	uint64 difference;
	uint64 larger;
} Gap;

static inline Gap
gap_of(int64 a, int64 b)
{
	uint64 larger = (uint64) Max(a, b);

	return (Gap){larger - (uint64) Min(a, b), larger == 0 ? 1 : larger};
}

static inline double
gap_value(Gap gap)
{
	return (double) (int64) gap.difference / (double) (int64) gap.larger;
}

/*
 * The sign of the sum of the first n squared gaps less that of the other n.
 * Exact; changes both arrays. Gaps are below 1. Cancellable.
 */
extern int gap_sums_compare(Gap *first, Gap *second, uint32 n);

#endif
