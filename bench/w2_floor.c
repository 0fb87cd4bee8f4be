/*
 * The floor of W2: the percentile bootstrap of one mean as a plain loop, as one
 * would write it by hand. Reads numbers from stdin; prints the time of the
 * resampling in ms.
 *
 *   w2_floor RESAMPLES < numbers
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t s[4] = {1, 2, 3, 4};

/* xoshiro256++ */
static inline uint64_t
next(void)
{
	uint64_t sum = s[0] + s[3];
	uint64_t result = ((sum << 23) | (sum >> 41)) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return result;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	int resamples = argc > 1 ? atoi(argv[1]) : 10000;
	size_t n = 0, capacity = 1024;
	double *values = malloc(capacity * sizeof(double));
	double *means = malloc(resamples * sizeof(double));
	struct timespec from, to;

	while (scanf("%lf", &values[n]) == 1) {
		if (++n == capacity)
			values = realloc(values, (capacity *= 2) * sizeof(double));
	}
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int b = 0; b < resamples; b++) {
		double sums[4] = {0};
		size_t i = 0;

		for (; i + 4 <= n; i += 4) {
			uint64_t x = next(), y = next();

			sums[0] += values[(x >> 32) * n >> 32];
			sums[1] += values[(x & 0xffffffff) * n >> 32];
			sums[2] += values[(y >> 32) * n >> 32];
			sums[3] += values[(y & 0xffffffff) * n >> 32];
		}
		for (; i < n; i++)
			sums[0] += values[(next() >> 32) * n >> 32];
		means[b] = (sums[0] + sums[1] + sums[2] + sums[3]) / n;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	qsort(means, resamples, sizeof(double), compare);
	printf("%.3f %.6f %.6f\n", (to.tv_sec - from.tv_sec) * 1e3 + (to.tv_nsec - from.tv_nsec) / 1e6,
		   means[(int) (0.025 * (resamples - 1))], means[(int) (0.975 * (resamples - 1))]);
	return 0;
}
