/*
 * Populations of tasks, and draws from them.
 */
#include "simulation.h"

#include "stats/distribution.h"

#define FAMILY		 5
#define FAMILY_SHARE 0.7 /* of tasks that are like their family's first */

static double
Uniform(double u)
{
	return u;
}

static double
Split(double u)
{
	return u < 0.5 ? 0.1 : 0.9;
}

static double
UShaped(double u)
{
	double s = sin(M_PI / 2 * u);

	return s * s;
}

static double
Rare(double u)
{
	return 0.04 * u * u;
}

static double
Late(double u)
{
	return 0.01 * u;
}

static double
Skewed(double u)
{
	return pow(u, 6);
}

static double
Block(double u)
{
	return u < 0.25 ? 0.02 : 0.95;
}

static double
Alike(double u)
{
	return 0.3;
}

static double
Three(double u)
{
	return u < 0.6 ? 0.02 : u < 0.85 ? 0.4 : 0.97;
}

static double
Heavy(double u)
{
	return beta_quantile(u, 0.3, 3.0);
}

static double
Ties(double u)
{
	return u < 0.4 ? 0.0 : u < 0.6 ? 0.5 : 1.0;
}

static double
Sparse(double u)
{
	return u < 0.95 ? 0.0 : 0.8;
}

static double
OneInTwenty(double u)
{
	return u < 0.05 ? 0.0 : 0.95;
}

const Kind kinds[] = {
	{"uniform", Uniform},
	{"split", Split},
	{"u-shaped", UShaped},
	{"rare", Rare},
	{"late", Late},
	{"skewed", Skewed},
	{"block", Block},
	{"alike", Alike},
	{"three points", Three},
	{"beta", Heavy},
	{"ties", Ties},
	{"sparse", Sparse},
	{"one in twenty", OneInTwenty},
	{"families", Uniform, .families = true},
};
const int nkinds = lengthof(kinds);

const Kind *
kind_named(const char *name)
{
	for (int i = 0; i < nkinds; i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	fprintf(stderr, "no kind \"%s\"\n", name);
	exit(1);
}

const double *
population(const Kind *kind)
{
	static double *tables[lengthof(kinds)];
	double **table = &tables[kind - kinds];

	if (*table != NULL)
		return *table;
	*table = malloc(POPULATION * sizeof(double));
	for (int i = 0; i < POPULATION; i++)
		(*table)[i] = kind->chance((i + 0.5) / POPULATION);
	return *table;
}

double
uniform(Random *random)
{
	return ((next_random(random) >> 11) + 0.5) / (double) (UINT64CONST(1) << 53);
}

double
normal(Random *random)
{
	return sqrt(-2 * log(uniform(random))) * cos(2 * M_PI * uniform(random));
}

/* By the distribution function, from the nearer end. */
int
binomial(Random *random, int n, double p)
{
	double u, chance, ratio;
	int x = 0;

	if (p <= 0 || p >= 1)
		return p <= 0 ? 0 : n;
	if (p > 0.5)
		return n - binomial(random, n, 1 - p);
	u = uniform(random);
	if (n == 1)
		return u < p;
	chance = pow(1 - p, n);
	ratio = p / (1 - p);
	while (x < n && u >= chance) {
		u -= chance;
		chance *= ratio * (n - x) / (x + 1);
		x++;
	}
	return x;
}

void
draw_tasks(Random *random, const Kind *kind, int *places, int tasks)
{
	for (int i = 0; i < tasks; i++) {
		places[i] = next_random(random) % POPULATION;
		if (kind->families && i % FAMILY > 0 && uniform(random) < FAMILY_SHARE)
			places[i] = places[i - i % FAMILY];
	}
}
