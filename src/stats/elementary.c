#include "stats/elementary.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define LN2_HIGH 0.69314718048553914 /* 33 bits, so that k * LN2_HIGH is exact */
#define LN2_LOW	 7.4406171100123968e-11

double
polynomial(const double *c, size_t n, double x)
{
	double sum = c[n - 1];

	for (size_t i = n - 1; i-- > 0;)
		sum = sum * x + c[i];
	return sum;
}

/* ---- exponential and logarithm ---- */

/* 2^k for a normal result. */
static inline double
PowerOfTwo(int k)
{
	uint64_t bits = (uint64_t) (k + 1023) << 52;
	double power;

	memcpy(&power, &bits, sizeof(power));
	return power;
}

/* exp(r) - 1 for |r| <= 0.36, and exp(r + low) - 1 for a low that is tiny beside r. */
static inline double
ExpMinusOneKernel(double r, double low)
{
	/* Taylor: 1 / (i + 2)!; the first term left out is 4e-18 of the sum */
	static const double c[] = {1.0 / 2,
							   1.0 / 6,
							   1.0 / 24,
							   1.0 / 120,
							   1.0 / 720,
							   1.0 / 5040,
							   1.0 / 40320,
							   1.0 / 362880,
							   1.0 / 3628800,
							   1.0 / 39916800,
							   1.0 / 479001600,
							   1.0 / 6227020800.0,
							   1.0 / 87178291200.0};

	return r + (low + r * r * polynomial(c, LENGTH(c), r));
}

double
dist_exp(double x)
{
	double k;
	double high;
	double rest;
	double value;

	if (isnan(x))
		return x;
	if (x > 709.8)
		return INFINITY;
	if (x < -745.2)
		return 0;
	k = floor(x * (1 / (LN2_HIGH + LN2_LOW)) + 0.5);
	high = x - k * LN2_HIGH;
	rest = high - k * LN2_LOW;
	value = 1 + ExpMinusOneKernel(rest, (high - rest) - k * LN2_LOW);
	if (k >= -1021 && k <= 1023)
		return value * PowerOfTwo((int) k);
	if (k > 0)
		return value * 2 * PowerOfTwo((int) k - 1);
	/* a subnormal result is rounded once, by the last product */
	return value * PowerOfTwo((int) k + 100) * PowerOfTwo(-100);
}

double
exp_minus_one(double x)
{
	if (fabs(x) <= 0.34)
		return ExpMinusOneKernel(x, 0);
	return dist_exp(x) - 1;
}

/*
 * With s = f / (2 + f), log(1 + f) = 2 (s + s^3/3 + s^5/5 + ...), |f| <= 0.42.
 * Gives s and the part from s^3/3 on, divided by s.
 */
static inline double
LogSeries(double f, double *s)
{
	/* 2 / (2i + 3); the first term left out is below 1e-18 of log(1 + f) */
	static const double c[] = {2.0 / 3,	 2.0 / 5,  2.0 / 7,	 2.0 / 9,  2.0 / 11, 2.0 / 13,
							   2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25};
	double square;

	*s = f / (2 + f);
	square = *s * *s;
	return square * polynomial(c, LENGTH(c), square);
}

/* k log 2 + log(1 + f) + low; since 2s = f - f^2/2 + s f^2/2, f enters unrounded. */
static inline double
LogKernel(double k, double f, double low)
{
	double s;
	double rest = LogSeries(f, &s);
	double half_square = 0.5 * f * f;

	return k * LN2_HIGH + (f - (half_square - (s * (half_square + rest) + (k * LN2_LOW + low))));
}

static double
LogWithLow(double x, double low)
{
	uint64_t bits;
	int k = 0;

	if (x < DBL_MIN) {
		x *= PowerOfTwo(54);
		k = -54;
	}
	memcpy(&bits, &x, sizeof(bits));
	k += (int) (bits >> 52) - 1023;
	bits = (bits & ((UINT64_C(1) << 52) - 1)) | (UINT64_C(1023) << 52);
	memcpy(&x, &bits, sizeof(x));
	if (x > 1.41421356) {
		x *= 0.5;
		k++;
	}
	return LogKernel(k, x - 1, low);
}

double
dist_log(double x)
{
	if (isnan(x) || x < 0)
		return NAN;
	if (x == 0)
		return -INFINITY;
	if (isinf(x))
		return x;
	return LogWithLow(x, 0);
}

double
log_one_plus(double x)
{
	double sum = 1 + x;

	if (x <= 0.41)
		return LogKernel(0, x, 0);
	if (x >= 1e17)
		return dist_log(x);
	return LogWithLow(sum, (x - (sum - 1)) / sum);
}

double
log_minus_excess(double ratio, double excess)
{
	double s;
	double rest;

	if (fabs(excess) > 0.29)
		return dist_log(ratio) - excess;
	rest = LogSeries(excess, &s);
	return s * (rest - excess);
}

double
cube_root(double x)
{
	double size = fabs(x);
	double root;

	if (size == 0 || !(size < INFINITY))
		return x;
	root = dist_exp(dist_log(size) / 3);
	/* one step of Newton's method brings the last bits */
	root -= (root - size / (root * root)) / 3;
	return x < 0 ? -root : root;
}
