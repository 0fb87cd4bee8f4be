/*
 * Process signals over stored rollouts: advantages of groups (GRPO, GiGPO) and
 * of a critic (GAE).
 */
#ifndef AGENTRL_SIGNALS_H
#define AGENTRL_SIGNALS_H

#include "postgres.h"
#include "fmgr.h"

#include "trajectory/trajectory.h"

typedef enum AdvantageScale {
	ADVANTAGE_STD, /* (r - mean) / sd, sd with n - 1 */
	ADVANTAGE_NONE /* r - mean */
} AdvantageScale;

/*
 * Mean and standard deviation of a group, kept so that neither large nor tiny
 * rewards overflow and so that errors are relative to the group's spread: of
 * x / 2^exponent - low.
 */
typedef struct GroupMoments {
	double low;
	double mean;
	double sd;
	int exponent;
	bool spread; /* the values differ; the others are set only then */
} GroupMoments;

/*
 * Of n finite values, which are sorted in place: the bits depend on the
 * multiset alone. They differ when the largest less the smallest exceeds
 * SPREAD_LIMIT times the largest magnitude; that of what the values were
 * summed from, where it is larger, is the third argument.
 */
#define SPREAD_LIMIT (1.0 / (INT64CONST(1) << 40))
extern GroupMoments group_moments(double *values, size_t n, double magnitude);

/* Of a value of the group: exactly 0 when the group has no spread. */
extern double group_advantage(const GroupMoments *moments, double value, AdvantageScale scale);

extern AdvantageScale read_scale(FunctionCallInfo fcinfo, int i);

/* A number in [0, 1]. */
extern double read_fraction(FunctionCallInfo fcinfo, int i, const char *name);
extern double read_finite(FunctionCallInfo fcinfo, int i, const char *name);

/* An error named after the result unless it is finite. */
extern double check_range(double value, const char *name);

/*
 * The elements of a float8[] of at most one dimension, all finite; nulls NULL:
 * a null element is an error.
 */
extern double *read_numbers(FunctionCallInfo fcinfo, int i, const char *name, bool **nulls, int *n);

/* An array of the same length and lower bound as argument i, with its nulls. */
extern Datum numbers_like(FunctionCallInfo fcinfo, int i, const double *numbers);

/*
 * The reward of each turn: as stored, NaN where a turn has none; when no turn
 * has one, the rollout's reward at the last turn. False: there is no reward.
 */
extern bool turn_rewards(const TrajectoryDraft *draft, double *rewards);

#endif
