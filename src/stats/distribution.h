/*
 * Distribution functions: normal, Student's t, chi-square, beta.
 *
 * They use + - * / and square roots alone, so they give the same bits on every
 * machine whose double is IEEE 754's (and without contraction of a * b + c).
 * Plain C without server headers. Every loop is bounded; the caps stand beside
 * the loops. NaN in is NaN out, and so is an argument outside the domain.
 */
#ifndef AGENTRL_DISTRIBUTION_H
#define AGENTRL_DISTRIBUTION_H

/*
 * Lower and upper tail; relative error at most 1e-14 where the result is a
 * normal number. The quantile takes the lower tail p: -inf at 0, inf at 1.
 */
extern double normal_cdf(double z);
extern double normal_sf(double z);
extern double normal_quantile(double p);

/*
 * Upper tail of Student's t; df >= 1, real, inf allowed. Relative error at most
 * 1e-13, or 5e-16 times -log(tail) where that is larger. The quantile takes the
 * lower tail p.
 */
extern double t_sf(double t, double df);
extern double t_quantile(double p, double df);

/*
 * Upper tail of chi-square with df >= 1 degrees of freedom, real. Relative
 * error at most 1e-12.
 */
extern double chi2_sf(double x, double df);

/*
 * Quantile of Beta(a, b) for the lower tail p; a, b > 0 and below 1e7. Relative
 * error at most 1e-10.
 */
extern double beta_quantile(double p, double a, double b);

#endif
