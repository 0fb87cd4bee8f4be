/*
 * How deep a turn lies in a budget of turns: bins of equal width over
 * d = turn / budget in (0, 1], numbered from 1.
 */
#ifndef AGENTRL_DEPTH_H
#define AGENTRL_DEPTH_H

#include "core/arguments.h"

static inline void
require_within_budget(int64 turn, int64 budget)
{
	if (turn > budget)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("turn %lld lies beyond the budget of %lld turns", (long long) turn,
							   (long long) budget)));
}

/* ceil(turn * bins / budget), exact. An error unless 1 <= turn <= budget and bins >= 1. */
static inline int
depth_bin_of(int64 turn, int64 budget, int bins)
{
	uint64 quotient = 0, rest = 0;

	require_positive("turn", turn);
	require_positive("budget", budget);
	require_positive("bins", bins);
	require_within_budget(turn, budget);
	if (turn <= PG_INT64_MAX / bins)
		return (int) ((turn * bins - 1) / budget + 1);
	/* bit by bit; rest stays below budget, so its double fits */
	for (int bit = 30; bit >= 0; bit--) {
		uint64 terms[] = {rest, (bins >> bit & 1) != 0 ? (uint64) turn : 0};

		quotient <<= 1;
		for (int i = 0; i < 2; i++) {
			rest += terms[i];
			if (rest >= (uint64) budget) {
				rest -= (uint64) budget;
				quotient++;
			}
		}
	}
	return (int) (quotient + (rest > 0));
}

#endif
