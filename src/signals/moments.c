/*
 * The standing of a value in its group.
 *
 * GRPO (Shao et al. 2024, DeepSeekMath): (r - mean) / std over the rewards of
 * one task's group. Dr. GRPO (Liu et al. 2025) leaves the std out. Neither
 * paper says which std; it is the sample's (n - 1) here, as in the trainers.
 * They add 1e-6 or 1e-4 to it against a division by zero; here a group without
 * spread has advantage 0 by definition, and nothing is added.
 */
#include "signals/signals.h"

#include <math.h>

#include "core/sort.h"
#include "core/sum.h"
#include "miscadmin.h"

/* From 0 to 2; scaling by a power of two is exact but for what is below 1e-300 of the largest. */
static inline double
Shifted(const GroupMoments *moments, double value)
{
	return ldexp(value, -moments->exponent) - moments->low;
}

/*
 * Rewards are sums of decimals: .1 + .2 is not .3. Divided by its own std such
 * a difference would be worth as much as that between success and failure.
 */
static bool
Differ(double low, double high, double magnitude)
{
	double largest = Max(fabs(low), fabs(high));

	return high - low > Max(largest, magnitude) * SPREAD_LIMIT;
}

GroupMoments
group_moments(double *values, size_t n, double magnitude)
{
	GroupMoments moments = {.spread = false};
	Sum sum = {0.0, 0.0};
	Sum squares = {0.0, 0.0};

	sort_doubles(values, n);
	if (n == 0 || !Differ(values[0], values[n - 1], magnitude))
		return moments;
	moments.spread = true;
	frexp(Max(fabs(values[0]), fabs(values[n - 1])), &moments.exponent);
	moments.low = ldexp(values[0], -moments.exponent);
	for (size_t i = 0; i < n; i++) {
		CHECK_FOR_INTERRUPTS();
		sum_add(&sum, Shifted(&moments, values[i]));
	}
	moments.mean = sum_value(&sum) / (double) n;
	for (size_t i = 0; i < n; i++) {
		double d = Shifted(&moments, values[i]) - moments.mean;

		CHECK_FOR_INTERRUPTS();
		sum_add(&squares, d * d);
	}
	moments.sd = sqrt(sum_value(&squares) / ((double) n - 1.0));
	return moments;
}

double
group_advantage(const GroupMoments *moments, double value, AdvantageScale scale)
{
	double d;

	if (!moments->spread)
		return 0.0;
	d = Shifted(moments, value) - moments->mean;
	if (scale == ADVANTAGE_STD)
		return d / moments->sd;
	return check_range(ldexp(d, moments->exponent), "advantage");
}
