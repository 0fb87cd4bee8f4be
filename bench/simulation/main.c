/*
 * simulation [EVALUATIONS [SEED [FIGURE...]]]: a row of comma-separated values
 * for each setting. simulation compare: a few evaluations with their intervals.
 *
 * A share below what is promised may be so by chance, and the lowest of
 * hundreds always is. Such a setting is drawn anew, with other random numbers
 * and five times as often, and the row says what came of that.
 */
#include "simulation.h"

#define MOST_EVALUATIONS 200000
#define AGAIN			 5
/* Normal quantile of 97.5 %. */
#define Z95 1.959963984540054

static const double alphas[LEVELS] = {0.05, 0.10, 0.01};

static int usual_evaluations = 2000;
static int64 seed = 1;

int
evaluations_of(int percent)
{
	return Max(100, usual_evaluations * percent / 100);
}

Random
stream_of(const char *name, int number)
{
	Random random;
	uint64 hash = 0;

	while (*name != '\0')
		hash = hash * 31 + (unsigned char) *name++;
	seed_random(&random, seed + (int64) (hash % 1000000007) * 1000, number);
	return random;
}

typedef struct Tally {
	int evaluations;
	int covered[LEVELS], above, below; /* the truth lies above or below the interval of 95 % */
	int rejected5, rejected1;
	double sum, squares;
	double carriers; /* tasks that carry a paired difference, summed over evaluations */
} Tally;

static int
CompareDoubles(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/*
 * False where there is no interval: a stage that nobody reached, or numbers that
 * are all the same. Reports then say nothing.
 */
static bool
Count(const Setting *setting, const Finding *finding, Tally *tally, double *width)
{
	for (int level = 0; level < setting->levels; level++) {
		Inference inference = infer(&finding->evidence, alphas[level]);
		Bounds interval = inference.interval;

		if (isnan(interval.low) || isnan(interval.high))
			return false;
		/* truths are sums, right but for rounding */
		tally->covered[level] +=
			interval.low <= setting->truth + 1e-9 && setting->truth - 1e-9 <= interval.high;
		if (level > 0)
			continue;
		tally->above += setting->truth - 1e-9 > interval.high;
		tally->below += setting->truth + 1e-9 < interval.low;
		tally->rejected5 += inference.p_value < 0.05;
		tally->rejected1 += inference.p_value < 0.01;
		*width = interval.high - interval.low;
	}
	return true;
}

static Tally
Evaluate(const Setting *setting, int evaluations, int number, double *widths)
{
	Tally tally = {.evaluations = 0};
	Random random;
	char name[200];

	snprintf(name, sizeof(name), "%s/%s/%s/%s/%d/%d", setting->figure, setting->kind,
			 setting->effect, setting->design, setting->k, setting->tasks);
	random = stream_of(name, number);
	for (int i = 0; i < evaluations; i++) {
		Finding finding;
		double error;

		free_evaluation();
		setting->draw(setting, &random, &finding);
		error = finding.value - setting->truth;
		if (finding.evidence.rule == RULE_NONE ||
			!Count(setting, &finding, &tally, &widths[tally.evaluations]))
			continue;
		tally.evaluations++;
		if (finding.evidence.rule == RULE_PAIR)
			tally.carriers +=
				participation(finding.evidence.of.pair.sizes, finding.evidence.of.pair.squares);
		tally.sum += error;
		tally.squares += error * error;
	}
	return tally;
}

static bool
IsSuspect(const Setting *setting, const Tally *tally)
{
	double n = tally->evaluations;

	return tally->covered[0] < 0.938 * n ||
		   (setting->null && (tally->rejected5 > 0.062 * n || tally->rejected1 > 0.016 * n));
}

static void
PutShare(int count, int of, bool known)
{
	if (known)
		printf(",%.4f", (double) count / of);
	else
		printf(",");
}

static void
Put(const Setting *setting, const Tally *tally, double *widths)
{
	int n = tally->evaluations;
	double mean = tally->sum / n;
	double ideal = 2 * Z95 * sqrt(tally->squares / n - mean * mean);
	double rarer = setting->dense >= 0 ? setting->dense : tally->carriers / n;

	qsort(widths, n, sizeof(double), CompareDoubles);
	printf("%s,%s,%s,%s,%d,%d,%d,%.6f,%.2f", setting->figure, setting->kind, setting->effect,
		   setting->design, setting->k, setting->tasks, n, setting->truth, rarer);
	PutShare(tally->covered[0], n, true);
	PutShare(tally->above, n, true);
	PutShare(tally->below, n, true);
	PutShare(tally->covered[1], n, setting->levels > 1);
	PutShare(tally->covered[2], n, setting->levels > 1);
	PutShare(tally->rejected5, n, setting->null);
	PutShare(tally->rejected1, n, setting->null);
	if (ideal > 0)
		printf(",%.3f\n", widths[n / 2] / ideal);
	else
		printf(",\n");
}

void
simulate(const Setting *setting)
{
	static double widths[MOST_EVALUATIONS];
	int evaluations = Min(setting->evaluations, MOST_EVALUATIONS / AGAIN);
	Tally tally = Evaluate(setting, evaluations, 0, widths);

	if (IsSuspect(setting, &tally))
		tally = Evaluate(setting, AGAIN * evaluations, 1, widths);
	Put(setting, &tally, widths);
}

void
print_bands(const BandRow *row)
{
	printf("%s,%s,%s,,,%d,%d,,,%.4f,,,,,%.4f,,\n", row->figure, row->kind, row->effect, row->tasks,
		   row->evaluations, row->covered, row->rejected);
	fflush(stdout);
}

typedef struct Part {
	const char *name;
	void (*run)(void);
} Part;

static const Part parts[] = {
	{"shares", simulate_shares}, {"differences", simulate_pairs}, {"rates", simulate_rates},
	{"means", simulate_means},	 {"bands", simulate_bands},
};

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "compare") == 0) {
		print_evaluations();
		return 0;
	}
	printf("figure,kind,effect,attempts,k,tasks,evaluations,truth,rarer,coverage,above,below,"
		   "coverage_90,coverage_99,reject_5,reject_1,width\n");
	if (argc > 1)
		usual_evaluations = atoi(argv[1]);
	if (argc > 2)
		seed = atoll(argv[2]);
	if (usual_evaluations < 1) {
		fprintf(stderr, "evaluations must be 1 or more\n");
		return 2;
	}
	for (int i = 0; i < lengthof(parts); i++) {
		bool wanted = argc < 4;

		for (int j = 3; j < argc; j++)
			wanted |= strcmp(argv[j], parts[i].name) == 0;
		if (wanted)
			parts[i].run();
	}
	return 0;
}
