/* Evaluates "name argument..." lines of stdin: a line of results for each, every digit kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "stats/elementary.h"
#include "stats/intervals.h"

#define MAX_ARGUMENTS 64

static const struct {
	const char *name;
	double (*one)(double);
	double (*two)(double, double);
	double (*three)(double, double, double);
	Bounds (*interval)(double, double, double);
	Bounds (*interval_of_four)(double, double, double, double);
} functions[] = {
	{"dist_exp", .one = dist_exp},
	{"dist_log", .one = dist_log},
	{"normal_cdf", .one = normal_cdf},
	{"normal_sf", .one = normal_sf},
	{"normal_quantile", .one = normal_quantile},
	{"t_sf", .two = t_sf},
	{"t_quantile", .two = t_quantile},
	{"chi2_sf", .two = chi2_sf},
	{"wilson_interval", .interval = wilson_interval},
	{"mover_interval", .interval_of_four = mover_interval},
	{"mover_p_value", .three = mover_p_value},
	{"t_interval", .interval_of_four = t_interval},
	{"t_p_value", .three = t_p_value},
};

static int
evaluate(const char *name, const double *x, int n)
{
	Bounds interval;

	/* q, then the values */
	if (strcmp(name, "quantile_sorted") == 0)
		return printf("%.17g\n", quantile_sorted(x + 1, n - 1, x[0])) > 0;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strcmp(name, functions[i].name) != 0)
			continue;
		if (functions[i].one && n == 1)
			return printf("%.17g\n", functions[i].one(x[0])) > 0;
		if (functions[i].two && n == 2)
			return printf("%.17g\n", functions[i].two(x[0], x[1])) > 0;
		if (functions[i].three && n == 3)
			return printf("%.17g\n", functions[i].three(x[0], x[1], x[2])) > 0;
		if (functions[i].interval && n == 3)
			interval = functions[i].interval(x[0], x[1], x[2]);
		else if (functions[i].interval_of_four && n == 4)
			interval = functions[i].interval_of_four(x[0], x[1], x[2], x[3]);
		else
			return 0;
		return printf("%.17g %.17g\n", interval.low, interval.high) > 0;
	}
	return 0;
}

int
main(void)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		double x[MAX_ARGUMENTS];
		int n = 0;
		char *name = strtok(line, " \n");
		char *word;

		while (n < MAX_ARGUMENTS && (word = strtok(NULL, " \n")) != NULL)
			x[n++] = strtod(word, NULL);
		if (!name || !evaluate(name, x, n)) {
			fprintf(stderr, "cannot evaluate %s with %d arguments\n", name ? name : "nothing", n);
			return 1;
		}
	}
	return 0;
}
