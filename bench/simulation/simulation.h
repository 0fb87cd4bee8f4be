/*
 * Simulated evaluations of task populations whose true figures are known. Each
 * evaluation draws tasks of its own; what counts is how often its interval
 * covers the population's figure.
 */
#ifndef AGENTRL_SIMULATION_H
#define AGENTRL_SIMULATION_H

#include "postgres.h"

#include <math.h>

/* The C library's own, not those of the server's library. */
#undef printf
#undef fprintf
#undef snprintf
#undef qsort

#include "stats/random.h"
#include "stats/rules.h"

extern void free_evaluation(void);

/* ---- populations (population.c) ---- */

/* A population is a table of equally frequent tasks, by their chance p, ascending. */
#define POPULATION 4096

typedef struct Kind {
	const char *name;
	double (*chance)(double u); /* of the task at the quantile u */
	bool families;				/* tasks of an evaluation come five at a time, alike */
} Kind;

extern const Kind kinds[];
extern const int nkinds;
extern const Kind *kind_named(const char *name);
extern const double *population(const Kind *kind);

extern double uniform(Random *random);
extern double normal(Random *random);
extern int binomial(Random *random, int n, double p);

/* Places in the population, one for each task of an evaluation. */
extern void draw_tasks(Random *random, const Kind *kind, int *places, int tasks);

/* ---- settings ---- */

#define LEVELS 3 /* 95, 90 and 99 % */

/* What an evaluation finds. */
typedef struct Finding {
	Evidence evidence;
	double value;
} Finding;

typedef struct Setting {
	const char *figure, *kind, *effect, *design;
	int tasks;
	int k;
	bool null;	  /* the true difference is 0 */
	double dense; /* tasks on the rarer side that are to be expected; -1: those that carry the
					 difference */
	double truth;
	int evaluations;
	int levels; /* intervals that are made: 1, or LEVELS */
	void (*draw)(const struct Setting *setting, Random *random, Finding *finding);
	const void *context;
} Setting;

/* Simulates it, and prints its row. */
extern void simulate(const Setting *setting);

/* A row of shares that do not come from one interval. */
typedef struct BandRow {
	const char *figure, *kind, *effect;
	int tasks, evaluations;
	double covered;	 /* share of evaluations all of whose bands cover */
	double rejected; /* share with a p_adjusted of at most .05, or a false claim */
} BandRow;

extern void print_bands(const BandRow *row);

/* Evaluations by which a setting's share is told, given in percent of the usual number. */
extern int evaluations_of(int percent);
extern Random stream_of(const char *name, int number);

/* ---- figures ---- */

extern void simulate_shares(void);
extern void simulate_pairs(void);
extern void simulate_rates(void);
extern void simulate_means(void);
extern void simulate_bands(void);

/* Counts of an evaluation: of attempts and of solved ones, by task. */
typedef struct Counts {
	int n, c;
} Counts;

extern void tables_for(int k);
extern double pass_table(int n, int c);
extern Evidence share_of(const Counts *counts, int tasks, int k, double *value);
extern Evidence pair_of(const Counts *first, const Counts *second, int tasks, int k, double *value);

/* Prints evaluations and their intervals, for another program to compare. */
extern void print_evaluations(void);

#endif
