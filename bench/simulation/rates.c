/*
 * Ratios over clusters, product limits, their differences, and means of any
 * numbers, from samples as the reports make them.
 */
#include "simulation.h"

#include "stats/estimate.h"

#define MOST_STAGES 3

static const int cluster_numbers[] = {8, 12, 20, 30, 50, 100, 300, 1000};

/* ---- rates ---- */

/* Episodes of a task: how many, and how likely each ends well at every stage. */
typedef struct RateContext {
	const char *sizes;
	const Kind *kind;
	int stages;
	double
		censored; /* share of the episodes that go on which no longer are seen at the next stage */
	int arms;
	double treated; /* the second arm's odds over the first's */
} RateContext;

static int
Episodes(const RateContext *context, Random *random)
{
	if (strcmp(context->sizes, "equal") == 0)
		return 4;
	if (strcmp(context->sizes, "few") == 0)
		return 1 + binomial(random, 2, 0.3);
	/* from 1 to 100, one in ten above 63 */
	return (int) exp(uniform(random) * log(100));
}

static double
ArmChance(const RateContext *context, double p, int arm)
{
	return arm == 0 ? p : p / (p + (1 - p) / context->treated);
}

static void
DrawStages(const RateContext *context, Random *random, double p, double *sums, double *sizes)
{
	int at_risk = Episodes(context, random);

	for (int stage = 0; stage < context->stages; stage++) {
		int ended = binomial(random, at_risk, p);

		sums[stage] = ended;
		sizes[stage] = at_risk;
		at_risk = binomial(random, at_risk - ended, 1 - context->censored);
	}
}

static void
DrawRate(const Setting *setting, Random *random, Finding *finding)
{
	static const int cells[] = {0, 1, 2, 3, 4, 5};
	const RateContext *context = setting->context;
	const double *chances = population(context->kind);
	int width = context->arms * context->stages;
	Sample sample = {.clusters = setting->tasks, .cells = width};
	RateEvidence first;

	sample.sums = palloc(setting->tasks * width * sizeof(double));
	sample.sizes = palloc(setting->tasks * width * sizeof(double));
	for (int i = 0; i < setting->tasks; i++) {
		double p = chances[next_random(random) % POPULATION];

		for (int arm = 0; arm < context->arms; arm++) {
			int at = i * width + arm * context->stages;

			DrawStages(context, random, ArmChance(context, p, arm), sample.sums + at,
					   sample.sizes + at);
		}
	}
	first = rate_evidence(&sample, cells, context->stages);
	finding->value = first.rate;
	finding->evidence = (Evidence){.rule = RULE_RATE, .of.rate = first};
	if (context->arms == 1)
		return;
	finding->evidence.rule = RULE_RATE_DIFFERENCE;
	finding->evidence.of.rate_difference = rate_difference_evidence(
		&sample, cells, context->stages, cells + context->stages, context->stages);
	finding->value -= finding->evidence.of.rate_difference.second.rate;
}

/* What a sample of all tasks would give; sizes do not depend on the chance. */
static double
TrueRate(const RateContext *context, int arm)
{
	const double *chances = population(context->kind);
	double survival = 1;

	for (int stage = 0; stage < context->stages; stage++) {
		double ended = 0, at_risk = 0;

		for (int i = 0; i < POPULATION; i++) {
			double p = ArmChance(context, chances[i], arm);
			double weight = pow((1 - p) * (1 - context->censored), stage);

			at_risk += weight;
			ended += weight * p;
		}
		survival *= 1 - ended / at_risk;
	}
	return 1 - survival;
}

static void
SimulateRate(const RateContext *context, const char *figure)
{
	static char effect[64];
	Setting setting = {.figure = figure,
					   .kind = context->kind->name,
					   .effect = effect,
					   .design = context->sizes,
					   .k = context->stages,
					   .null = context->arms == 2 && context->treated == 1,
					   .levels = context->arms == 2 ? 1 : LEVELS,
					   .draw = DrawRate,
					   .context = context};
	double rate = TrueRate(context, 0);

	snprintf(effect, sizeof(effect), "%.0f %% censored%s", 100 * context->censored,
			 setting.null		  ? "; equal arms"
			 : context->arms == 2 ? "; unequal arms"
								  : "");
	setting.truth = rate - (context->arms == 2 ? TrueRate(context, 1) : 0);
	for (int i = 0; i < lengthof(cluster_numbers) - 2 * (context->arms - 1); i++) {
		setting.tasks = cluster_numbers[i];
		setting.dense = setting.tasks * Min(rate, 1 - rate);
		setting.evaluations = evaluations_of(context->arms == 2 ? 20 : 50);
		simulate(&setting);
	}
}

void
simulate_rates(void)
{
	static const char *const chosen[] = {"uniform", "split", "skewed", "block", "three points"};
	static const char *const sizes[] = {"equal", "few", "1 to 100"};

	for (int kind = 0; kind < lengthof(chosen); kind++) {
		for (int size = 0; size < lengthof(sizes); size++) {
			RateContext context = {sizes[size], kind_named(chosen[kind]), 1, 0, 1, 1};

			SimulateRate(&context, "ratio");
			context.stages = MOST_STAGES;
			context.censored = 0.3;
			SimulateRate(&context, "product limit");
			if (kind % 2 == 1)
				continue;
			context.arms = 2;
			SimulateRate(&context, "rate difference");
			context.stages = 1;
			context.censored = 0;
			SimulateRate(&context, "rate difference");
			context.treated = 2;
			SimulateRate(&context, "rate difference");
		}
	}
}

/* ---- means ---- */

typedef struct Numbers {
	const char *name;
	double (*draw)(Random *random);
	double mean;
} Numbers;

static double
LogNormal(Random *random)
{
	return exp(0.7 * normal(random));
}

static double
HeavyLogNormal(Random *random)
{
	return exp(1.3 * normal(random));
}

static double
Outliers(Random *random)
{
	return normal(random) + (uniform(random) < 0.05 ? 15 : 0);
}

static double
Student3(Random *random)
{
	double chi = 0;

	for (int i = 0; i < 3; i++) {
		double x = normal(random);

		chi += x * x;
	}
	return normal(random) / sqrt(chi / 3);
}

static double
TwoHills(Random *random)
{
	return 0.3 * normal(random) + (uniform(random) < 0.25 ? 3 : 0);
}

static const Numbers numbers[] = {
	{"normal", normal, 0},		   {"log-normal 0.7", LogNormal, 1.2776213132048866},
	{"t with 3", Student3, 0},	   {"log-normal 1.3", HeavyLogNormal, 2.3279778145601763},
	{"two hills", TwoHills, 0.75}, {"5 % outliers", Outliers, 0.75},
};

typedef struct MeanContext {
	const Numbers *numbers;
	bool ratio; /* clusters are of size 1 to 8 */
} MeanContext;

/* Of numbers less their mean, so that the hypothesis holds. */
static void
DrawMean(const Setting *setting, Random *random, Finding *finding)
{
	const MeanContext *context = setting->context;
	Sample sample = {.clusters = setting->tasks, .cells = 1};

	sample.sums = palloc(setting->tasks * sizeof(double));
	sample.sizes = palloc(setting->tasks * sizeof(double));
	for (int i = 0; i < setting->tasks; i++) {
		double size = context->ratio ? 1 + next_random(random) % 8 : 1;

		sample.sizes[i] = size;
		sample.sums[i] = size * (context->numbers->draw(random) - context->numbers->mean);
	}
	finding->evidence = cell_evidence(&sample, 0, SCALE_MEAN);
	finding->value = finding->evidence.of.mean.mean;
}

void
simulate_means(void)
{
	for (int i = 0; i < 2 * lengthof(numbers); i++) {
		MeanContext context = {&numbers[i / 2], i % 2};
		Setting setting = {.figure = "mean",
						   .kind = context.numbers->name,
						   .effect = "",
						   .design = context.ratio ? "1 to 8" : "1",
						   .k = 1,
						   .null = true,
						   .levels = LEVELS,
						   .draw = DrawMean,
						   .context = &context};

		for (int j = 0; j < lengthof(cluster_numbers); j++) {
			setting.tasks = setting.dense = cluster_numbers[j];
			setting.evaluations = evaluations_of(100);
			simulate(&setting);
		}
	}
}
