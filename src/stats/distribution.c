#include "stats/distribution.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "stats/elementary.h"

#define SQRT_2PI		 2.5066282746310005024
#define INVERSE_SQRT_2PI 0.39894228040143267794
#define INVERSE_SQRT_PI	 0.56418958354775628695

/* Below this the normal distribution is summed from its centre. */
#define CENTRE_END 0.5

/* c[0] + c[1] T1(x) + c[2] T2(x) + ..., x in [-1, 1], by Clenshaw's rule. */
static inline double
ChebyshevSum(const double *c, size_t n, double x)
{
	double later = 0;
	double next = 0;

	for (size_t i = n - 1; i > 0; i--) {
		double here = (2 * x * next - later) + c[i];

		later = next;
		next = here;
	}
	return (x * next - later) + c[0];
}

/* ---- normal ---- */

/* P(0 < Z < z), odd in z, |z| <= 0.5: integral of the density's series. */
static double
NormalCentre(double z)
{
	/* (-1/2)^i / (i! (2i + 1)) */
	static const double c[] = {
		1,
		-1.0 / 6,
		1.0 / 40,
		-1.0 / 336,
		1.0 / 3456,
		-1.0 / 42240,
		1.0 / 599040,
		-1.0 / 9676800,
		1.0 / 175472640,
		-1.0 / 3530096640.0,
		1.0 / 78033715200.0,
	};

	return INVERSE_SQRT_2PI * (z * polynomial(c, LENGTH(c), z * z));
}

/* (1 - Phi(z)) / density(z), z >= 0 */
static double
MillsRatio(double z)
{
	/*
	 * Chebyshev coefficients of (z + 4) * ratio over (z - 4) / (z + 4), which
	 * runs from -7/9 (z = 0.5) to 1 (infinity); computed with 50 digits.
	 */
	static const double c[] = {
		2.0931839671557428,		 -1.3969126547447792,	  0.3683615199925524,
		-0.074285167151657713,	 0.010362750796268222,	  -0.00064452812462237493,
		-8.8014862572659974e-05, 2.2843178889930377e-05,  -2.3174417618620258e-07,
		-5.331936644665714e-07,	 3.7111984873841795e-08,  1.3405463029075991e-08,
		-1.477043661851125e-09,	 -4.0457031044956084e-10, 4.9487556357599387e-11,
		1.4717023211685476e-11,	 -1.4668702087047638e-12, -6.0905550315186839e-13,
		3.0889868579131088e-14,	 2.654258496836855e-14,	  3.8129242084107397e-16,
		-1.1269338555234724e-15, -1.0834624168634261e-16, 4.218118103945001e-17,
	};

	if (z < CENTRE_END)
		return (0.5 - NormalCentre(z)) * SQRT_2PI * dist_exp(0.5 * z * z);
	if (isinf(z))
		return 0;
	return ChebyshevSum(c, LENGTH(c), (9 * ((z - 4) / (z + 4)) - 1) / 8) / (z + 4);
}

/* exp(-z^2 / 2), the square's rounding error made good; |z| < 1000 */
static double
ExpMinusHalfSquare(double z)
{
	double high = (double) (float) z;
	double exact = -0.5 * high * high;
	double rest = -0.5 * (z - high) * (z + high);
	double sum = exact + rest;

	return dist_exp(sum) * (1 + (rest - (sum - exact)));
}

double
normal_sf(double z)
{
	if (isnan(z))
		return z;
	if (fabs(z) <= CENTRE_END)
		return 0.5 - NormalCentre(z);
	if (z < 0)
		return 1 - normal_sf(-z);
	if (z > 40)
		return 0;
	return INVERSE_SQRT_2PI * ExpMinusHalfSquare(z) * MillsRatio(z);
}

double
normal_cdf(double z)
{
	return normal_sf(-z);
}

/* z > 0 with upper tail 0.5 - q, 0 <= q <= 0.1 */
static double
QuantileInCentre(double q)
{
	/* the inverse's series in q sqrt(2 pi), then one step of Halley's */
	static const double c[] = {1, 1.0 / 6, 7.0 / 120, 127.0 / 5040};
	double u = q * SQRT_2PI;
	double z = u * polynomial(c, LENGTH(c), u * u);
	double error = (NormalCentre(z) - q) * SQRT_2PI * dist_exp(0.5 * z * z);

	return z - error / (1 + 0.5 * z * error);
}

/* z > 0 with upper tail p, 0 < p <= 0.4 */
static double
QuantileInTail(double p)
{
	/*
	 * Chebyshev coefficients of r - z over (r - 4) / (r + 4) for r from 1.3353
	 * (p = 0.41) to 39; r = sqrt(-2 log p). They leave an error of 3e-7, which
	 * one step of Halley's takes below rounding.
	 */
	static const double c[] = {
		0.547979024138457,		 -0.47725182225316537,	  0.061780249999212652,
		-0.01682239517733599,	 0.0028017421153313043,	  -0.00094985061782139888,
		0.00014911828351865607,	 -6.9918483523798261e-05, 7.6084327033990089e-06,
		-6.2044975832029862e-06, 1.3109411118554874e-07,  -6.5571655057365108e-07,
		-6.1946014721412815e-08,
	};
	const double first = -0.49942917381220269;
	const double last = 35.0 / 43;
	double log_p = dist_log(p);
	double r = sqrt(-2 * log_p);
	double x = (2 * ((r - 4) / (r + 4)) - (first + last)) / (last - first);
	double z = r - ChebyshevSum(c, LENGTH(c), x);
	double error = MillsRatio(z) - SQRT_2PI * dist_exp(log_p + 0.5 * z * z);

	return z + error / (1 - 0.5 * z * error);
}

double
normal_quantile(double p)
{
	double tail = p < 0.5 ? p : 1 - p;
	double z;

	if (!(p >= 0 && p <= 1))
		return NAN;
	if (tail == 0)
		z = INFINITY;
	else if (tail < 0.4)
		z = QuantileInTail(tail);
	else
		z = QuantileInCentre(0.5 - tail);
	return p < 0.5 ? -z : z;
}

/* ---- Student's t ---- */

/* Gamma(a + 1/2) / Gamma(a), a > 0 */
static double
HalfStepOfGamma(double a)
{
	/* Gamma(x + 3/4) / Gamma(x + 1/4) / sqrt(x) in powers of x^-2; 3e-16 at x = 10 */
	static const double c[] = {1,
							   0.015625,
							   -0.0023193359375,
							   0.0012035369873046875,
							   -0.0012987628579139709,
							   0.0023855575127527118,
							   -0.0066709634620565339};
	double above = 1;
	double below = 1;
	double x;

	/* at most 11 rounds */
	for (; a < 10.25; a += 1) {
		above *= a;
		below *= a + 0.5;
	}
	x = a - 0.25;
	return above / below * sqrt(x) * polynomial(c, LENGTH(c), 1 / (x * x));
}

/*
 * A t distribution. Points on it are given by v = log(1 + t^2 / df): with
 * N = df - 1/2, w = sqrt(N v) is nearly standard normal, since the density over
 * w is a constant times exp(-w^2 / 2) sqrt((v / 2) / sinh(v / 2)).
 */
typedef struct StudentT {
	double a; /* df / 2 */
	double n; /* df - 1/2 */
	double half_step;
} StudentT;

/* The upper tail at a point is tail * exp(-exponent); so is the density over w. */
typedef struct StudentPoint {
	double tail;
	double density;
	double exponent;
	double centre; /* P(0 < T < t) where in_centre, then exponent is 0 */
	bool in_centre;
} StudentPoint;

static StudentT
MakeStudentT(double df)
{
	StudentT t = {.a = df / 2, .n = df - 0.5, .half_step = HalfStepOfGamma(df / 2)};

	return t;
}

/*
 * Sum of (a + 1/2)(a + 3/2)... / ((3/2)(5/2)...) y^i. Called for y < 0.4 and
 * a y < 1.3, where 60 terms are enough.
 */
static double
CentreSeries(double a, double y)
{
	double sum = 1;
	double term = 1;

	for (int i = 0; i < 100 && term > 1e-17 * sum; i++) {
		term *= y * ((a + 0.5 + i) / (1.5 + i));
		sum += term;
	}
	return sum;
}

/*
 * Sum of (a + 1/2)(a + 3/2)... / ((a + 1)(a + 2)...) x^i by Gauss's continued
 * fraction from the back. Each level shrinks the error by (1 - s) / (1 + s),
 * s = sqrt(1 - x); called for s > 0.3, so there are at most 72 levels.
 */
static double
TailFraction(double a, double x, double s)
{
	double f = 1;

	for (int j = (int) (10 / s) + 4; j > 0; j--) {
		double middle = a + 2 * j;

		f = 1 - x * (j * (j - 0.5)) / ((middle - 1) * middle * f);
		f = 1 - x * ((a + j - 0.5) * (a + j - 1)) / ((middle - 2) * (middle - 1) * f);
	}
	return 1 / f;
}

/*
 * Tail and density over w for n >= 20 and v <= 1/2, to be multiplied by
 * exp(-w^2 / 2): the series of sqrt((v / 2) / sinh(v / 2)) in v = w^2 / n,
 * integrated term by term.
 */
static StudentPoint
NearNormalPoint(const StudentT *t, double v)
{
	static const double c[] = {
		1,
		-0.020833333333333332,
		0.00039062500000000002,
		-7.8796709656084658e-06,
		1.6967665791721782e-07,
		-3.8050641917219063e-09,
		8.7483775963154067e-11,
		-2.0445233594119738e-12,
	};
	double w = sqrt(t->n * v);
	double scale = t->half_step / sqrt(t->n / 2) * INVERSE_SQRT_2PI;
	double integral = MillsRatio(w); /* of w^(2i) exp(-w^2 / 2), from w on */
	double power = w;				 /* w^(2i - 1) n^-i */
	double sum = integral;
	StudentPoint point = {.exponent = 0.5 * t->n * v};

	power /= t->n;
	for (int i = 1; i < 2 * (int) LENGTH(c) - 1; i++) {
		integral = power + (2 * i - 1) * integral / t->n;
		if (i % 2 == 0)
			sum += c[i / 2] * integral;
		power *= v;
	}
	point.tail = scale * sum;
	point.density = scale * polynomial(c, LENGTH(c), v * v);
	return point;
}

/* y = t^2 / (df + t^2) = 1 - exp(-v) */
static StudentPoint
MakeStudentPoint(const StudentT *t, double v, double y)
{
	double s = sqrt(y);
	double scale = t->half_step * INVERSE_SQRT_PI;
	StudentPoint point = {.in_centre = v <= 0.5 && t->n * v <= 2};

	if (point.in_centre) {
		scale *= dist_exp(-t->a * v);
		point.centre = scale * s * CentreSeries(t->a, y);
		point.tail = 0.5 - point.centre;
	} else if (v <= 0.5 && t->n >= 20)
		return NearNormalPoint(t, v);
	else {
		point.exponent = t->a * v;
		point.tail = scale * s * TailFraction(t->a, 1 - y, s) / (2 * t->a);
	}
	/* dv/dw = 2w/n, and v/y goes to 1 where both vanish */
	point.density = y > 0 ? scale * sqrt(v / y / t->n) : scale / sqrt(t->n);
	return point;
}

double
t_sf(double t, double df)
{
	StudentT student;
	StudentPoint point;
	double ratio;
	double v;

	if (isnan(t) || !(df >= 1))
		return NAN;
	if (df > 1e17)
		return normal_sf(t);
	if (t < 0)
		return 1 - t_sf(-t, df);
	if (isinf(t))
		return 0;
	student = MakeStudentT(df);
	if (t < 1e100) {
		ratio = t * t / df;
		v = log_one_plus(ratio);
	} else {
		ratio = INFINITY;
		v = 2 * dist_log(t) - dist_log(df);
	}
	point = MakeStudentPoint(&student, v, isinf(ratio) ? 1 : ratio / (1 + ratio));
	return dist_exp(-point.exponent) * point.tail;
}

/* Where to start on the way to the point w with upper tail `tail`. */
static double
GuessStudentPoint(const StudentT *t, double tail, double log_tail)
{
	/* the tail's leading term is factor * exp(-a v) */
	double factor = t->half_step * INVERSE_SQRT_PI / (2 * t->a);
	double v = (dist_log(factor) - log_tail) / t->a;

	return v > 1 ? sqrt(t->n * v) : -normal_quantile(tail);
}

/* The v of the point with upper tail `tail`, 0 < tail < 1/2. */
static double
StudentQuantile(const StudentT *t, double tail)
{
	double log_tail = dist_log(tail);
	double w = GuessStudentPoint(t, tail, log_tail);
	double low = 0;
	double high = INFINITY;

	/*
	 * Newton's method. The tail is log-concave in w, so that its logarithm is
	 * safe to follow; should a step still leave the bracket, it is halved. Four
	 * rounds are usual.
	 */
	for (int round = 0; round < 60; round++) {
		double v = w * w / t->n;
		StudentPoint point = MakeStudentPoint(t, v, -exp_minus_one(-v));
		double step;
		double next;

		if (point.in_centre)
			step = ((0.5 - tail) - point.centre) / point.density;
		else
			step = (dist_log(point.tail) - point.exponent - log_tail) * point.tail / point.density;
		if (step > 0)
			low = w;
		else
			high = w;
		next = w + step;
		if (next < low || next > high)
			next = isinf(high) ? 2 * low : 0.5 * (low + high);
		w = next;
		if (fabs(step) <= 1e-9 * w)
			break;
	}
	return w * w / t->n;
}

double
t_quantile(double p, double df)
{
	double tail = p < 0.5 ? p : 1 - p;
	StudentT student;
	double v;
	double t;

	if (!(p >= 0 && p <= 1) || !(df >= 1))
		return NAN;
	if (df > 1e17 || tail == 0)
		return normal_quantile(p);
	if (tail == 0.5)
		return 0;
	student = MakeStudentT(df);
	v = StudentQuantile(&student, tail);
	t = sqrt(df) * (v < 40 ? sqrt(exp_minus_one(v)) : dist_exp(0.5 * v));
	return p < 0.5 ? -t : t;
}

/* ---- chi-square ---- */

/* log Gamma(a) - ((a - 1/2) log a - a + log(2 pi) / 2), a >= 10 */
static double
StirlingRest(double a)
{
	static const double c[] = {1.0 / 12,   -1.0 / 360,		1.0 / 1260, -1.0 / 1680,
							   1.0 / 1188, -691.0 / 360360, 1.0 / 156};

	return polynomial(c, LENGTH(c), 1 / (a * a)) / a;
}

/* y^a exp(-y) / Gamma(a + 1), a >= 1/2, y > 0 */
static double
GammaTerm(double a, double y)
{
	double b = a;
	double product = 1;

	if (a >= 10)
		return dist_exp(a * log_minus_excess(y / a, (y - a) / a) - StirlingRest(a)) *
			   INVERSE_SQRT_2PI / sqrt(a);
	/* Gamma(a + 1) from Gamma(b + 1); at most 10 rounds */
	while (b < 10) {
		b += 1;
		product *= b;
	}
	return dist_exp(a * dist_log(y) - y - (b * dist_log(b) - b + StirlingRest(b))) *
		   INVERSE_SQRT_2PI / sqrt(b) * product;
}

/* The loops below take about 9 sqrt(a) rounds where y is near a; a < 1e7. */
#define GAMMA_ROUNDS 60000

/* Sum of y^i / ((a + 1) ... (a + i)), y < a + 1 */
static double
LowerGammaSeries(double a, double y)
{
	double sum = 1;
	double term = 1;

	for (int i = 1; i < GAMMA_ROUNDS && term > 1e-17 * sum; i++) {
		term *= y / (a + i);
		sum += term;
	}
	return sum;
}

/* Gamma(a, y) / (y^a exp(-y)), y >= a + 1: Legendre's continued fraction, by Lentz's rule. */
static double
UpperGammaFraction(double a, double y)
{
	double b = y + 1 - a;
	double c = 1 / DBL_MIN;
	double d = 1 / b;
	double value = d;

	for (int i = 1; i < GAMMA_ROUNDS; i++) {
		double numerator = -i * (i - a);
		double factor;

		b += 2;
		d = 1 / (numerator * d + b);
		c = b + numerator / c;
		factor = c * d;
		value *= factor;
		if (fabs(factor - 1) < 1e-16)
			break;
	}
	return value;
}

/*
 * Upper regularised gamma for a >= 1e7 by the first term of Temme's uniform
 * expansion; what it leaves out is below 1e-12 of the result.
 */
static double
UpperGammaNearNormal(double a, double y)
{
	static const double c[] = {-1.0 / 3, 1.0 / 12, -2.0 / 135, 1.0 / 864};
	double excess = (y - a) / a;
	double half_square = -log_minus_excess(y / a, excess);
	double eta = sqrt(2 * half_square);
	double density = INVERSE_SQRT_2PI * dist_exp(-a * half_square);

	/* so far out that nothing is left, and the series in eta no longer holds */
	if (density == 0)
		return excess > 0 ? 0 : 1;
	if (excess >= 0)
		return density * (MillsRatio(eta * sqrt(a)) + polynomial(c, LENGTH(c), eta) / sqrt(a));
	return 1 - density * (MillsRatio(eta * sqrt(a)) - polynomial(c, LENGTH(c), -eta) / sqrt(a));
}

double
chi2_sf(double x, double df)
{
	double a = df / 2;
	double y = x / 2;

	if (isnan(x) || !(df >= 1) || isinf(df))
		return NAN;
	if (x <= 0)
		return 1;
	if (isinf(x))
		return 0;
	if (a >= 1e7)
		return UpperGammaNearNormal(a, y);
	if (y < a + 1)
		return 1 - GammaTerm(a, y) * LowerGammaSeries(a, y);
	return GammaTerm(a, y) * a * UpperGammaFraction(a, y);
}

/* ---- beta ---- */

/* log Gamma(a) less Stirling's (a - 1/2) log a - a + log(2 pi) / 2, a > 0 */
static double
StirlingExcess(double a)
{
	double b = a;
	double product = 1;

	/* at most 10 rounds */
	while (b < 10) {
		product *= b;
		b += 1;
	}
	if (b == a)
		return StirlingRest(a);
	return ((b - 0.5) * dist_log(b) - b + StirlingRest(b)) - dist_log(product) -
		   ((a - 0.5) * dist_log(a) - a);
}

/* x^a y^b / B(a, b), y = 1 - x: by the deviance from x = a / (a + b), where it is largest. */
static double
BetaTerm(double a, double b, double x, double y)
{
	double n = a + b;
	double exponent = a * log_minus_excess(n * x / a, (n * x - a) / a) +
					  b * log_minus_excess(n * y / b, (n * y - b) / b);

	exponent += StirlingExcess(n) - StirlingExcess(a) - StirlingExcess(b);
	return dist_exp(exponent) * sqrt(a / n * b) * INVERSE_SQRT_2PI;
}

/* The loop takes about 9 sqrt(max(a, b)) rounds where x is near a / (a + b); a, b < 1e7. */
#define BETA_ROUNDS 60000

/* a I_x(a, b) / BetaTerm for x < (a + 1) / (a + b + 2), by Lentz's rule. */
static double
BetaFraction(double a, double b, double x)
{
	double c = 1;
	double d = 1 / (1 - (a + b) * x / (a + 1));
	double value = d;

	for (int m = 1; m < BETA_ROUNDS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double factor;

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		value *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		factor = c * d;
		value *= factor;
		if (fabs(factor - 1) < 1e-16)
			break;
	}
	return value;
}

/* The lower tail at x, from the term there. */
static double
LowerBeta(double a, double b, double x, double y, double term)
{
	if (x < (a + 1) / (a + b + 2))
		return term / a * BetaFraction(a, b, x);
	return 1 - term / b * BetaFraction(b, a, y);
}

/* The x with lower tail `tail`, 0 < tail <= 1/2, by Newton's method for log I over log x. */
static double
BetaQuantile(double tail, double a, double b)
{
	double log_tail = dist_log(tail);
	double low = 0;
	double high = 1;
	double x = a / (a + b);

	for (int round = 0; round < 200; round++) {
		double y = 1 - x;
		double term = BetaTerm(a, b, x, y);
		double below = LowerBeta(a, b, x, y, term);
		double next = NAN;

		if (below < tail)
			low = x;
		else
			high = x;
		/* d log I / d log x = term / (y I) */
		if (below > 0 && term > 0)
			next = x * dist_exp((log_tail - dist_log(below)) * below * y / term);
		if (!(next > low && next < high))
			next = low > 0 ? 0.5 * (low + high) : high / 1024;
		if (fabs(next - x) <= 1e-15 * x || high - low <= DBL_EPSILON * high)
			return next;
		x = next;
	}
	return x;
}

double
beta_quantile(double p, double a, double b)
{
	if (!(p >= 0 && p <= 1) || !(a > 0) || !(b > 0))
		return NAN;
	if (p == 0 || p == 1)
		return p;
	return p <= 0.5 ? BetaQuantile(p, a, b) : 1 - BetaQuantile(1 - p, b, a);
}
