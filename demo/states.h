/*
 * States at which policies are compared with each other: each policy chooses
 * GROUP moves from the very same place.
 */
#ifndef LAB_STATES_H
#define LAB_STATES_H

#include <stdio.h>

#include "policy.h"

typedef struct StateRun {
	const Policy *policies;
	int count;
	int states; /* per map and policy that led there */
	int budget;
	bool announced;
	bool compact;
	uint64_t seed;
} StateRun;

/*
 * Writes, for one map, a line per state, policy and sample:
 *
 *   kind  task  unit  source  turn  budget  cell  policy  sample  action  error  value  exact
 *
 * matched    unit is a turn drawn from a rollout of source; value is Q* of the move
 * injected   source made one wrong move a turn earlier; value is Q* of the next move
 * continued  the same states; each policy plays on to the end, value is its success
 *
 * error says whether the (first) move is an error; exact is the expectation of
 * value under the policy. When compact, a line per state and policy:
 *
 *   kind  task  unit  policy  {value, value, ...}
 */
extern void states_write(const StateRun *run, const View *view, const Quality *quality, FILE *out);

#endif
