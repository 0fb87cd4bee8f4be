/*
 * Two summaries read side by side in key order, so that equal keys meet.
 */
#ifndef AGENTRL_JOIN_H
#define AGENTRL_JOIN_H

#include "summary/summary.h"

/* One side: how to go to its next key, and where that key then stands. */
typedef struct JoinSide {
	void *reader;
	bool (*next)(void *reader);
	const SummaryReader *summary;
} JoinSide;

typedef struct KeyJoin {
	JoinSide first, second;
	bool has_first, has_second; /* a key at hand */
	bool started;
	int order; /* of the key at hand: 0 both have it, -1 only the first, 1 only the second */
} KeyJoin;

/* An error when the keys of the two differ in kind. */
extern void join_start(KeyJoin *join, JoinSide first, JoinSide second);
extern bool join_next(KeyJoin *join);

#endif
