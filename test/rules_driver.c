/*
 * Evaluates the rules of src/stats for lines of stdin:
 *   share ALPHA tasks sum deviations within alike
 *   pair ALPHA tasks sum sizes squares carriers0 carriers1 own pooled pooled_only
 *   ratio ALPHA n s1 n1 s2 n2 ...
 *   limit ALPHA stages inflation n, then for each stage s1 n1 ...
 *   difference ALPHA correlation n, then for each arm s1 n1 ...
 *   mean ALPHA clusters mean std_error df skewness
 *   beta P A B
 * A line of numbers for each: low, high, p, effective.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "stats/elementary.h"
#include "stats/rules.h"

#define MAX_NUMBERS 100000

static double numbers[MAX_NUMBERS];

static Inference
Rate(const char *name, double alpha, const double *x)
{
	RatioEvidence stages[16];
	LimitEvidence limit = {.stages = (int) x[0], .stage = stages, .inflation = x[1]};
	int n = (int) x[2];

	if (strcmp(name, "ratio") == 0) {
		stages[0] = ratio_evidence(x + 1, x + 2, (int64_t) x[0], 2);
		return ratio_inference(&stages[0], alpha);
	}
	for (int i = 0; i < limit.stages; i++)
		stages[i] = ratio_evidence(x + 3 + 2 * n * i, x + 4 + 2 * n * i, n, 2);
	return limit_inference(&limit, alpha);
}

static Inference
Difference(double alpha, const double *x)
{
	int n = (int) x[1];
	RateDifferenceEvidence evidence = {.correlation = x[0]};

	evidence.first.ratio = ratio_evidence(x + 2, x + 3, n, 2);
	evidence.second.ratio = ratio_evidence(x + 2 + 2 * n, x + 3 + 2 * n, n, 2);
	evidence.first.rate = evidence.first.ratio.ratio;
	evidence.second.rate = evidence.second.ratio.ratio;
	return rate_difference_inference(&evidence, alpha);
}

static Inference
Evaluate(const char *name, const double *x)
{
	double alpha = x[0];
	ShareEvidence share = {x[1], x[2], x[3], x[4], x[5]};
	PairEvidence pair = {x[1], x[2], x[3], x[4], {x[5], x[6]}, x[7], x[8], x[9]};
	MeanEvidence mean = {x[1], x[2], x[3], x[4], x[5], false};

	if (strcmp(name, "share") == 0)
		return share_inference(&share, alpha);
	if (strcmp(name, "pair") == 0)
		return pair_inference(&pair, alpha);
	if (strcmp(name, "mean") == 0)
		return mean_inference(&mean, alpha);
	if (strcmp(name, "difference") == 0)
		return Difference(alpha, x + 1);
	return Rate(name, alpha, x + 1);
}

int
main(void)
{
	char name[32];

	while (scanf("%31s", name) == 1) {
		Inference inference;
		int n = 0;

		while (n < MAX_NUMBERS && scanf("%lf", &numbers[n]) == 1)
			n++;
		if (strcmp(name, "beta") == 0)
			printf("%.17g\n", beta_quantile(numbers[0], numbers[1], numbers[2]));
		else if (strcmp(name, "cube") == 0)
			printf("%.17g\n", cube_root(numbers[0]));
		else {
			inference = Evaluate(name, numbers);
			printf("%.17g %.17g %.17g %.17g\n", inference.interval.low, inference.interval.high,
				   inference.p_value, inference.tasks_effective);
		}
	}
	return 0;
}
