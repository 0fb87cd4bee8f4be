#include "stats/intervals.h"

#include <float.h>
#include <math.h>

#include "stats/distribution.h"

/* Normal tails end before this: normal_sf is 0 from here on. */
#define Z_END 40.0

static inline double
Bounded(double x, double low, double high)
{
	if (x < low)
		return low;
	return x > high ? high : x;
}

Bounds
wilson_interval(double p, double n, double z)
{
	Bounds interval = {0, 1};
	double c = z * z / n;
	double root;

	/* no units, or a z past any meaning */
	if (!(n > 0) || c > 1e100)
		return interval;

	/*
	 * The ends solve (p - x)^2 = c x (1 - x). Their product is p^2 / (1 + c),
	 * which gives the lower without cancellation.
	 */
	root = sqrt(c * p * (1 - p) + 0.25 * c * c);
	if (p > 0)
		interval.low = p * p / (p + 0.5 * c + root);
	if (p < 1)
		interval.high = (p + 0.5 * c + root) / (1 + c);
	if (!(z > 0))
		return interval;

	/* rounding may close the interval of a huge n: the nearest numbers open it */
	if (interval.low >= p)
		interval.low = p * (1 - 0.5 * DBL_EPSILON);
	if (interval.high <= p)
		interval.high = p * (1 + DBL_EPSILON) + DBL_MIN;
	interval.low = Bounded(interval.low, 0, 1);
	interval.high = Bounded(interval.high, 0, 1);
	return interval;
}

Bounds
mover_interval(double mean_plus, double mean_minus, double n, double z)
{
	Bounds plus = wilson_interval(mean_plus, n, z);
	Bounds minus = wilson_interval(mean_minus, n, z);
	double diff = mean_plus - mean_minus;
	double plus_down = mean_plus - plus.low;
	double plus_up = plus.high - mean_plus;
	double minus_down = mean_minus - minus.low;
	double minus_up = minus.high - mean_minus;
	Bounds interval = {
		.low = diff - sqrt(plus_down * plus_down + minus_up * minus_up),
		.high = diff + sqrt(plus_up * plus_up + minus_down * minus_down),
	};

	interval.low = Bounded(interval.low, -1, 1);
	interval.high = Bounded(interval.high, -1, 1);
	return interval;
}

double
mover_p_value(double mean_plus, double mean_minus, double n)
{
	double low = 0;
	double high = Z_END;

	if (mean_plus == mean_minus)
		return 1;
	if (mean_plus < mean_minus)
		return mover_p_value(mean_minus, mean_plus, n);

	/* the lower end falls as z grows; 60 halvings leave 4e-17 */
	for (int i = 0; i < 60; i++) {
		double z = 0.5 * (low + high);

		if (mover_interval(mean_plus, mean_minus, n, z).low > 0)
			low = z;
		else
			high = z;
	}
	return Bounded(2 * normal_sf(low), DBL_MIN, 1);
}

Bounds
t_interval(double mean, double std_error, double df, double confidence)
{
	double width = 0;
	Bounds interval;

	if (!(df >= 1))
		width = NAN;
	else if (std_error != 0)
		width = -t_quantile(0.5 * (1 - confidence), df) * std_error;
	interval.low = mean - width;
	interval.high = mean + width;
	return interval;
}

double
t_p_value(double mean, double std_error, double df)
{
	if (!(df >= 1) || isnan(mean) || isnan(std_error))
		return NAN;
	if (mean == 0)
		return 1;
	return Bounded(2 * t_sf(fabs(mean) / std_error, df), DBL_MIN, 1);
}

double
quantile_sorted(const double *sorted, size_t n, double q)
{
	double place;
	double part;
	size_t i;

	if (n == 0 || isnan(q))
		return NAN;
	place = Bounded((double) (n - 1) * q, 0, (double) (n - 1));
	i = (size_t) place;
	part = place - (double) i;
	/* equal neighbours may be infinite */
	if (part == 0 || sorted[i] == sorted[i + 1])
		return sorted[i];
	return Bounded(sorted[i] + part * (sorted[i + 1] - sorted[i]), sorted[i], sorted[i + 1]);
}
