/*
 * Exponential, logarithm and their like, of + - * / and square roots alone: the
 * same bits on every machine whose double is IEEE 754's (and without contraction
 * of a * b + c). Plain C without server headers. NaN in is NaN out.
 */
#ifndef AGENTRL_ELEMENTARY_H
#define AGENTRL_ELEMENTARY_H

#include <stddef.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* c[0] + c[1] x + c[2] x^2 + ... */
extern double polynomial(const double *c, size_t n, double x);

/* Within 2 units in the last place; dist_log(0) is -inf. */
extern double dist_exp(double x);
extern double dist_log(double x);

extern double exp_minus_one(double x);

extern double cube_root(double x);

/* log(1 + x) for x >= 0 */
extern double log_one_plus(double x);

/* log(ratio) - (ratio - 1), with excess = ratio - 1 given unrounded. */
extern double log_minus_excess(double ratio, double excess);

#endif
