/*
 * Evaluations with the intervals that the simulation gives them, so that
 * another program can ask the extension for the same.
 */
#include "simulation.h"

#define EVALUATIONS 40
#define MOST_TASKS	60

static void
PutEvaluation(const char *figure, const Evidence *evidence, int k, const Counts *counts[], int arms,
			  int tasks)
{
	Inference inference = infer(evidence, 0.05);

	printf("%s %d %.17g %.17g %.17g", figure, k, inference.interval.low, inference.interval.high,
		   inference.p_value);
	for (int i = 0; i < tasks; i++) {
		for (int arm = 0; arm < arms; arm++)
			printf(" %d %d", counts[arm][i].n, counts[arm][i].c);
	}
	printf("\n");
}

void
print_evaluations(void)
{
	static Counts first[MOST_TASKS], second[MOST_TASKS];
	Random random = stream_of("compare", 0);

	for (int e = 0; e < EVALUATIONS; e++) {
		const double *chances = population(&kinds[e % nkinds]);
		int tasks = 2 + next_random(&random) % (MOST_TASKS - 2), k = 1 + e % 3;
		const Counts *counts[] = {first, second};
		Evidence evidence;
		double value;

		free_evaluation();
		for (int i = 0; i < tasks; i++) {
			double p = chances[next_random(&random) % POPULATION];
			int n = k + next_random(&random) % 8, m = k + next_random(&random) % 8;

			first[i] = (Counts){n, binomial(&random, n, p)};
			second[i] = (Counts){m, binomial(&random, m, 0.7 * p)};
		}
		evidence = share_of(first, tasks, k, &value);
		PutEvaluation("pass", &evidence, k, counts, 1, tasks);
		evidence = pair_of(first, second, tasks, k, &value);
		PutEvaluation("difference", &evidence, k, counts, 2, tasks);
	}
}
