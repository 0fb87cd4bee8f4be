/*
 * Intervals and p values from a mean, its standard error or its number of
 * units. Plain C without server headers; the same bits on every machine.
 */
#ifndef AGENTRL_INTERVALS_H
#define AGENTRL_INTERVALS_H

#include <stddef.h>

typedef struct Bounds {
	double low;
	double high;
} Bounds;

/*
 * Wilson's score interval for a mean p in [0, 1] over n units; p n need not be
 * whole; z is the normal quantile of the two-sided confidence. For n >= 1 and
 * z > 0 low < p < high, but low is 0 where p is 0 and high is 1 where p is 1.
 * [0, 1] when n is 0.
 */
extern Bounds wilson_interval(double p, double n, double z);

/*
 * Bounds of a mean difference in [-1, 1] over n tasks, from the means of
 * max(d, 0) and max(-d, 0): MOVER, from the Wilson intervals of the two.
 */
extern Bounds mover_interval(double mean_plus, double mean_minus, double n, double z);

/*
 * The p for which the MOVER interval of confidence 1 - p just touches 0: 1 when
 * the means are equal; never 0, DBL_MIN at the least.
 */
extern double mover_p_value(double mean_plus, double mean_minus, double n);

/*
 * mean -+ t std_error; df >= 1, 0 <= confidence <= 1. Zero width when std_error
 * is 0; NaN when df is below 1.
 */
extern Bounds t_interval(double mean, double std_error, double df, double confidence);

/*
 * Two-sided, for the hypothesis that the mean is 0; never 0, DBL_MIN at the
 * least. With std_error 0 it is the limit: DBL_MIN, but 1 for a mean of 0. NaN
 * when df is below 1.
 */
extern double t_p_value(double mean, double std_error, double df);

/* Linear interpolation at (n - 1) q, 0 <= q <= 1, in ascending values; NaN when n is 0. */
extern double quantile_sorted(const double *sorted, size_t n, double q);

#endif
