/*
 * exp and log of the lab's own: those of the C library differ in the last bit
 * between machines, and training would carry the difference into every rollout.
 * Both are right to about one unit in the last place.
 */
#ifndef LAB_NUMBERS_H
#define LAB_NUMBERS_H

#include <math.h>

#define LN2_HIGH                                                                                   \
	0x1.62e42fee00000p-1 /* ends in zero bits: its product with a whole number is exact */
#define LN2_LOW 0x1.a39ef35793c76p-33

/* of x up to 700; 0 below -700 */
static inline double
lab_exp(double x)
{
	/* 1/n!, from n = 13 down to 0 */
	static const double term[] = {
		1.0 / 6227020800,
		1.0 / 479001600,
		1.0 / 39916800,
		1.0 / 3628800,
		1.0 / 362880,
		1.0 / 40320,
		1.0 / 5040,
		1.0 / 720,
		1.0 / 120,
		1.0 / 24,
		1.0 / 6,
		1.0 / 2,
		1.0,
		1.0,
	};
	double k = floor(x * 0x1.71547652b82fep+0 + 0.5);
	double r = (x - k * LN2_HIGH) - k * LN2_LOW;
	double sum = 0;

	if (x < -700)
		return 0;
	for (unsigned i = 0; i < sizeof(term) / sizeof(term[0]); i++)
		sum = sum * r + term[i];
	return ldexp(sum, (int) k);
}

/* of a positive x */
static inline double
lab_log(double x)
{
	int k;
	double m = frexp(x, &k);
	double s, square;
	double sum = 0;

	if (m < 0x1.6a09e667f3bcdp-1) {
		m *= 2;
		k--;
	}
	s = (m - 1) / (m + 1);
	square = s * s;
	for (int i = 23; i > 1; i -= 2)
		sum = (sum + 1.0 / i) * square;
	return (k * LN2_LOW + 2 * s * sum + 2 * s) + k * LN2_HIGH;
}

#endif
