/*
 * The floor of W4: pairs of like length by two pointers over sorted lists (as
 * many pairs as can be, whichever they are), and the percentile bootstrap of
 * their mean difference over tasks, as one would write it by hand. Reads rows
 * "task arm length value" from stdin, ordered by task, arm, length; prints the
 * time of both in ms, the pairs, the difference and its interval.
 *
 *   w4_floor RESAMPLES < rows
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct Row {
	long task, arm, length;
	double value;
} Row;

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

static int
near(long a, long b)
{
	return 10 * labs(a - b) <= (a > b ? a : b);
}

/* One task: rows a..b-1 of the reference, b..end-1 of the treatment. Returns its pairs. */
static double
sweep(const Row *a, const Row *b, const Row *end, double *sum)
{
	const Row *middle = b;
	double pairs = 0;

	for (*sum = 0; a < middle && b < end;) {
		if (near(a->length, b->length)) {
			*sum += b++->value - a++->value;
			pairs++;
		} else if (a->length < b->length)
			a++;
		else
			b++;
	}
	return pairs;
}

int
main(int argc, char **argv)
{
	int resamples = argc > 1 ? atoi(argv[1]) : 10000;
	size_t n = 0, capacity = 1024, tasks = 0;
	Row *rows = malloc(capacity * sizeof(Row));
	double *means = malloc(resamples * sizeof(double)), *sums, *sizes, sum = 0, size = 0;
	struct timespec from, to;

	while (scanf("%ld %ld %ld %lf", &rows[n].task, &rows[n].arm, &rows[n].length, &rows[n].value) ==
		   4) {
		if (++n == capacity)
			rows = realloc(rows, (capacity *= 2) * sizeof(Row));
	}
	sums = malloc(n * sizeof(double));
	sizes = malloc(n * sizeof(double));
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (size_t i = 0, middle, end; i < n; i = end) {
		for (middle = i; middle < n && rows[middle].task == rows[i].task && !rows[middle].arm;)
			middle++;
		for (end = middle; end < n && rows[end].task == rows[i].task;)
			end++;
		sizes[tasks] = sweep(rows + i, rows + middle, rows + end, &sums[tasks]);
		sum += sums[tasks];
		size += sizes[tasks];
		tasks += sizes[tasks] > 0;
	}
	for (int b = 0; b < resamples; b++) {
		double x[2] = {0}, y[2] = {0};
		size_t i = 0;

		for (; i + 2 <= tasks; i += 2) {
			uint64_t word = next();
			size_t first = (word >> 32) * tasks >> 32, second = (word & 0xffffffff) * tasks >> 32;

			x[0] += sums[first];
			y[0] += sizes[first];
			x[1] += sums[second];
			y[1] += sizes[second];
		}
		if (i < tasks) {
			size_t last = (next() >> 32) * tasks >> 32;

			x[0] += sums[last];
			y[0] += sizes[last];
		}
		means[b] = (x[0] + x[1]) / (y[0] + y[1]);
	}
	qsort(means, resamples, sizeof(double), compare);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.3f %.0f %.6f %.6f %.6f\n",
		   (to.tv_sec - from.tv_sec) * 1e3 + (to.tv_nsec - from.tv_nsec) / 1e6, size, sum / size,
		   means[(int) (0.025 * (resamples - 1))], means[(int) (0.975 * (resamples - 1))]);
	return 0;
}
