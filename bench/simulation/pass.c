/*
 * Pass@k of one summary and paired differences of two, as pass_grid and
 * pass_diff make them of counts.
 */
#include "simulation.h"

#include "pass/evaluate.h"
#include "pass/variance.h"

#define MOST_TASKS	  3000
#define MOST_ATTEMPTS 128

/* ---- values and variances, by table ---- */

static int table_k;
static double *value_table[MOST_ATTEMPTS + 1];
static double *variance_table[MOST_ATTEMPTS + 1][MOST_ATTEMPTS + 1];

void
tables_for(int k)
{
	if (k == table_k)
		return;
	table_k = k;
	for (int n = 0; n <= MOST_ATTEMPTS; n++) {
		free(value_table[n]);
		value_table[n] = NULL;
		for (int a = 0; a <= MOST_ATTEMPTS; a++) {
			free(variance_table[n][a]);
			variance_table[n][a] = NULL;
		}
	}
}

double
pass_table(int n, int c)
{
	if (value_table[n] == NULL) {
		value_table[n] = malloc((n + 1) * sizeof(double));
		for (int i = 0; i <= n; i++)
			value_table[n][i] = 1.0 - pass_miss(n, i, table_k);
	}
	return value_table[n][c];
}

static double
VarianceAt(int n, int c, int attempts)
{
	double **table = &variance_table[n][attempts];

	if (*table == NULL) {
		*table = malloc((n + 1) * sizeof(double));
		for (int i = 0; i <= n; i++)
			(*table)[i] = pass_variance_at(n, i, table_k, attempts);
	}
	return (*table)[c];
}

/* ---- evidence ---- */

static double
Deviations(const double *values, int n, double mean)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum;
}

Evidence
share_of(const Counts *counts, int tasks, int k, double *value)
{
	static double values[MOST_TASKS];
	AttemptCounts attempts = {0};
	Evidence evidence = {.rule = RULE_SHARE};
	ShareEvidence *share = &evidence.of.share;

	tables_for(k);
	for (int i = 0; i < tasks; i++) {
		values[i] = pass_table(counts[i].n, counts[i].c);
		share->sum += values[i];
		share->within += VarianceAt(counts[i].n, counts[i].c, counts[i].n) / tasks;
		attempts_add(&attempts, counts[i].n, 1);
	}
	*value = share->sum / tasks;
	share->tasks = tasks;
	share->within = Max(0, share->within);
	share->deviations = Deviations(values, tasks, *value);
	share->alike = attempts_alike_variance(&attempts, k, 1 - *value) / tasks;
	return evidence;
}

static void
AddVariances(PairEvidence *pair, Counts arm, Counts other, int k)
{
	double pooled = VarianceAt(arm.n + other.n, arm.c + other.c, arm.n);

	if (arm.n >= 2 * k) {
		pair->own += VarianceAt(arm.n, arm.c, arm.n);
		pair->pooled += pooled;
	} else if (other.n >= 2 * k)
		pair->pooled_only += pooled;
}

Evidence
pair_of(const Counts *first, const Counts *second, int tasks, int k, double *value)
{
	double sums[2] = {0}, squares[2] = {0};
	Evidence evidence = {.rule = RULE_PAIR};
	PairEvidence *pair = &evidence.of.pair;

	tables_for(k);
	for (int i = 0; i < tasks; i++) {
		double v[2] = {pass_table(first[i].n, first[i].c), pass_table(second[i].n, second[i].c)};
		double d = fabs(v[0] - v[1]) < SAME_VALUE ? 0 : v[0] - v[1];

		for (int arm = 0; arm < 2; arm++) {
			sums[arm] += v[arm];
			squares[arm] += v[arm] * v[arm];
		}
		pair->sizes += fabs(d);
		pair->squares += d * d;
		AddVariances(pair, first[i], second[i], k);
		AddVariances(pair, second[i], first[i], k);
	}
	pair->tasks = tasks;
	pair->sum = fabs(sums[0] - sums[1]) < SAME_VALUE * tasks ? 0 : sums[0] - sums[1];
	for (int arm = 0; arm < 2; arm++)
		pair->carriers[arm] = share_carriers(tasks, sums[arm], squares[arm]);
	pair->own /= tasks;
	pair->pooled /= tasks;
	pair->pooled_only /= tasks;
	*value = pair->sum / tasks;
	return evidence;
}

/* The headroom to a bound that each task reaches or not: a share where none falls short of it. */
static Evidence
HeadroomOf(const Counts *counts, const bool *bound, int tasks, double *value)
{
	static Counts missed[MOST_TASKS];
	double sums[2] = {0}, squares[2] = {0};
	bool share = true;
	Evidence evidence = {.rule = RULE_PAIR};
	PairEvidence *pair = &evidence.of.pair;

	tables_for(1);
	for (int i = 0; i < tasks; i++) {
		double v = pass_table(counts[i].n, counts[i].c), d = bound[i] - v;

		missed[i] = (Counts){counts[i].n, bound[i] ? counts[i].n - counts[i].c : 0};
		share &= d >= 0;
		sums[0] += bound[i];
		squares[0] += bound[i];
		sums[1] += v;
		squares[1] += v * v;
		pair->sizes += fabs(d);
		pair->squares += d * d;
		if (counts[i].n >= 2)
			pair->own += VarianceAt(counts[i].n, counts[i].c, counts[i].n) / tasks;
	}
	if (share)
		return share_of(missed, tasks, 1, value);
	pair->tasks = tasks;
	pair->sum = sums[0] - sums[1];
	pair->pooled = pair->own;
	for (int arm = 0; arm < 2; arm++)
		pair->carriers[arm] = share_carriers(tasks, sums[arm], squares[arm]);
	*value = pair->sum / tasks;
	return evidence;
}

/* ---- designs: how many attempts each arm makes at a task ---- */

typedef struct Design {
	const char *name;
	int first, second; /* attempts; 0: 1, 2, 4, 8 or 16 by chance, -1: 2, or 16 at hard tasks */
	int k;
} Design;

static const Design designs[] = {
	{"1", 1, 1, 1},	   {"2", 2, 2, 1},		 {"4", 4, 4, 1},		{"16", 16, 16, 1},
	{"64", 64, 64, 1}, {"unequal", 0, 0, 1}, {"1 to 16", 1, 16, 1}, {"hard more", -1, -1, 1},
	{"4", 4, 4, 4},	   {"16", 16, 16, 4},	 {"64", 64, 64, 16},
};

static const int task_numbers[] = {8, 12, 20, 30, 50, 100, 300, 1000};

static int
Attempts(int planned, double p, Random *random)
{
	if (planned == 0)
		return 1 << next_random(random) % 5;
	return planned > 0 ? planned : p < 0.3 ? 16 : 2;
}

static double
PassOf(double p, int k)
{
	return 1 - pow(1 - p, k);
}

/* ---- one arm ---- */

typedef struct ShareContext {
	const Kind *kind;
	Design design;
	double solvable;  /* share of tasks that the bound reaches; 0: there is no bound */
	bool independent; /* the bound knows nothing of the tasks */
} ShareContext;

static void
DrawShare(const Setting *setting, Random *random, Finding *finding)
{
	const ShareContext *context = setting->context;
	const double *chances = population(context->kind);
	static Counts counts[MOST_TASKS];
	static bool bound[MOST_TASKS];
	static int places[MOST_TASKS];

	draw_tasks(random, context->kind, places, setting->tasks);
	for (int i = 0; i < setting->tasks; i++) {
		double p = chances[places[i]];
		int n = Attempts(context->design.first, p, random);

		bound[i] = uniform(random) < context->solvable;
		if (context->solvable > 0 && !bound[i] && !context->independent)
			p = 0;
		counts[i] = (Counts){n, binomial(random, n, p)};
	}
	if (context->solvable > 0)
		finding->evidence = HeadroomOf(counts, bound, setting->tasks, &finding->value);
	else
		finding->evidence = share_of(counts, setting->tasks, setting->k, &finding->value);
}

static double
MeanPass(const Kind *kind, int k)
{
	const double *chances = population(kind);
	double sum = 0;

	for (int i = 0; i < POPULATION; i++)
		sum += PassOf(chances[i], k);
	return sum / POPULATION;
}

static void
SimulateShare(const ShareContext *context, const char *figure, const char *effect)
{
	Setting setting = {.figure = figure,
					   .kind = context->kind->name,
					   .effect = effect,
					   .design = context->design.name,
					   .k = context->design.k,
					   .levels = LEVELS,
					   .draw = DrawShare,
					   .context = context};
	double pass = MeanPass(context->kind, context->design.k);

	setting.truth = pass;
	if (context->solvable > 0)
		setting.truth = context->solvable - pass * (context->independent ? 1 : context->solvable);
	for (int i = 0; i < lengthof(task_numbers); i++) {
		setting.tasks = task_numbers[i];
		setting.dense = setting.tasks * Min(fabs(setting.truth), 1 - fabs(setting.truth));
		setting.evaluations = evaluations_of(setting.tasks > 300 ? 50 : 100);
		simulate(&setting);
	}
}

void
simulate_shares(void)
{
	for (int kind = 0; kind < nkinds; kind++) {
		for (int i = 0; i < lengthof(designs); i++) {
			ShareContext context = {.kind = &kinds[kind], .design = designs[i]};

			if (designs[i].first != designs[i].second)
				continue;
			SimulateShare(&context, "pass", "");
			if (designs[i].k > 1 || designs[i].first < 1 || designs[i].first == 2 || kind > 9)
				continue;
			context.solvable = 0.8;
			SimulateShare(&context, "headroom", "never negative");
			context.solvable = 0.95;
			context.independent = true;
			SimulateShare(&context, "headroom", "of any sign");
		}
	}
}

/* ---- two arms ---- */

static double
Better(double p)
{
	return p / (p + (1 - p) * 0.45);
}

static double
Worse(double p)
{
	return p / (p + (1 - p) / 0.45);
}

static double
Half(double p)
{
	return p + 0.5 * (1 - p);
}

static double
Nearly(double p)
{
	return p + 0.9 * (1 - p);
}

static double
Same(double p)
{
	return p;
}

typedef enum Relation { OWN_TASK, OTHER_TASK, OPPOSITE_TASK } Relation;

/* The first arm's chance at a task, from the second's or from that of another task. */
typedef struct Effect {
	const char *name;
	Relation relation;
	double share; /* of tasks that change as `change` says, the others as `otherwise` */
	double (*change)(double p);
	double (*otherwise)(double p);
} Effect;

static const Effect effects[] = {
	{"equal", OWN_TASK, 0, Same, Same},
	{"independent", OTHER_TASK, 0, Same, Same},
	{"opposite", OPPOSITE_TASK, 0, Same, Same},
	{"all better", OWN_TASK, 1, Better, Same},
	{"some better", OWN_TASK, 0.3, Half, Same},
	{"better and worse", OWN_TASK, 0.5, Better, Worse},
	{"few better", OWN_TASK, 0.05, Nearly, Same},
};

typedef struct PairContext {
	const Kind *kind;
	Design design;
	const Effect *effect;
} PairContext;

static double
FirstChance(const PairContext *context, Random *random, int place)
{
	const double *chances = population(context->kind);
	const Effect *effect = context->effect;

	if (effect->relation == OTHER_TASK)
		return chances[next_random(random) % POPULATION];
	if (effect->relation == OPPOSITE_TASK)
		return chances[POPULATION - 1 - place];
	if (effect->share > 0 && uniform(random) < effect->share)
		return effect->change(chances[place]);
	return effect->otherwise(chances[place]);
}

static void
DrawPair(const Setting *setting, Random *random, Finding *finding)
{
	const PairContext *context = setting->context;
	const double *chances = population(context->kind);
	static Counts counts[2][MOST_TASKS];
	static int places[MOST_TASKS];

	draw_tasks(random, context->kind, places, setting->tasks);
	for (int i = 0; i < setting->tasks; i++) {
		double p[2] = {FirstChance(context, random, places[i]), chances[places[i]]};
		int planned[2] = {context->design.first, context->design.second};

		for (int arm = 0; arm < 2; arm++) {
			int n = Attempts(planned[arm], p[arm], random);

			counts[arm][i] = (Counts){n, binomial(random, n, p[arm])};
		}
	}
	finding->evidence = pair_of(counts[0], counts[1], setting->tasks, setting->k, &finding->value);
}

static double
MeanDifference(const PairContext *context)
{
	const double *chances = population(context->kind);
	const Effect *effect = context->effect;
	int k = context->design.k;
	double sum = 0;

	for (int i = 0; i < POPULATION && effect->relation == OWN_TASK; i++)
		sum += effect->share * PassOf(effect->change(chances[i]), k) +
			   (1 - effect->share) * PassOf(effect->otherwise(chances[i]), k) -
			   PassOf(chances[i], k);
	return sum / POPULATION;
}

static void
SimulatePair(const PairContext *context)
{
	Setting setting = {.figure = "difference",
					   .kind = context->kind->name,
					   .effect = context->effect->name,
					   .design = context->design.name,
					   .k = context->design.k,
					   .null = context->effect->share == 0,
					   .dense = -1,
					   .levels = LEVELS,
					   .draw = DrawPair,
					   .context = context};
	setting.truth = MeanDifference(context);
	for (int i = 0; i < lengthof(task_numbers); i++) {
		setting.tasks = task_numbers[i];
		setting.evaluations = evaluations_of(50);
		simulate(&setting);
	}
}

void
simulate_pairs(void)
{
	static const char *const chosen[] = {"uniform", "split",		"rare", "skewed", "block",
										 "alike",	"three points", "beta", "ties",	  "families"};

	for (int kind = 0; kind < lengthof(chosen); kind++) {
		for (int effect = 0; effect < lengthof(effects); effect++) {
			for (int i = 0; i < lengthof(designs); i++) {
				PairContext context = {kind_named(chosen[kind]), designs[i], &effects[effect]};

				/* what does not work needs few settings to show it */
				if (context.kind->families && (designs[i].first != 4 || effect > 3))
					continue;
				SimulatePair(&context);
			}
		}
	}
}
