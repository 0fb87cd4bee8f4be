/*
 * Bands over grids of K and T, of differences, over all pairs of checkpoints,
 * and what pass_crossover claims from them.
 */
#include "simulation.h"

#include "stats/bands.h"

#define MOST_TASKS	3000
#define MOST_CELLS	16
#define TURNS		8
#define RESAMPLES	500
#define CHECKPOINTS 4
/* Points of the midpoint rule, over tasks and over their chances per turn. */
#define TASK_POINTS 1000
#define TURN_POINTS 16

static const int turns[TURNS] = {1, 2, 3, 4, 6, 8, 12, 20};

/* A task is solved with the chance p, and each turn with a chance of its own if it is. */
typedef struct World {
	const char *name;
	double (*chance)(double u);
	double least, most; /* the chance per turn, uniform */
	int attempts;
} World;

static double
Mixed(double u)
{
	return u * u;
}

static double
Thirds(double u)
{
	return u < 0.5 ? 0.02 : u < 0.8 ? 0.4 : 0.97;
}

static double
Seldom(double u)
{
	return 0.04 * u * u;
}

static double
TwoSorts(double u)
{
	return u < 0.5 ? 0.1 : 0.9;
}

static const World worlds[] = {
	{"mixed", Mixed, 0.1, 0.5, 16},			{"split", TwoSorts, 0.05, 0.35, 8},
	{"rare", Seldom, 0.1, 0.5, 16},			{"late", Mixed, 0.001, 0.02, 16},
	{"three points", Thirds, 0.02, 0.6, 4},
};

/* How an arm differs from the world. */
typedef struct Arm {
	double power; /* its chances are the world's to this power, ... */
	double pace;  /* ... and those per turn times this */
} Arm;

static double
SolvedBy(const World *world, Arm arm, double u, double v, int turn)
{
	double hazard = arm.pace * (world->least + (world->most - world->least) * v);

	return pow(world->chance(u), arm.power) * (1 - pow(1 - hazard, turn));
}

static double
TruePass(const World *world, Arm arm, int k, int turn)
{
	double sum = 0;

	for (int i = 0; i < TASK_POINTS; i++) {
		for (int j = 0; j < TURN_POINTS; j++) {
			double solved =
				SolvedBy(world, arm, (i + 0.5) / TASK_POINTS, (j + 0.5) / TURN_POINTS, turn);

			sum += 1 - pow(1 - solved, k);
		}
	}
	return sum / TASK_POINTS / TURN_POINTS;
}

/* Counts of a task by turn, for each arm. */
static void
DrawCounts(const World *world, const Arm *arms, int narms, int tasks, Random *random,
		   Counts counts[][TURNS][MOST_TASKS])
{
	for (int i = 0; i < tasks; i++) {
		double u = uniform(random), v = uniform(random);

		for (int a = 0; a < narms; a++) {
			int left = world->attempts, solved = 0;
			double before = 0;

			for (int t = 0; t < TURNS; t++) {
				double now = SolvedBy(world, arms[a], u, v, turns[t]);
				int more = binomial(random, left, (now - before) / (1 - before));

				solved += more;
				left -= more;
				before = now;
				counts[a][t][i] = (Counts){world->attempts, solved};
			}
		}
	}
}

static Counts drawn[CHECKPOINTS][TURNS][MOST_TASKS];

/* ---- a report of cells ---- */

typedef struct Cells {
	int n;
	Evidence evidence[MOST_CELLS];
	Estimate estimates[MOST_CELLS];
	double values[MOST_CELLS];
	Influences *influences;
} Cells;

static void
StartCells(Cells *cells, int n, int tasks)
{
	cells->n = n;
	cells->influences = influences_start(n, tasks);
}

/* Bands of the cells, at 95 %. */
static Bands
MakeBands(Cells *cells, int64 seed)
{
	InferenceOptions options = {.confidence = 0.95, .resamples = RESAMPLES, .seed = seed};

	for (int i = 0; i < cells->n; i++) {
		Inference inference = infer(&cells->evidence[i], 0.05);

		cells->estimates[i].interval = inference.interval;
		cells->estimates[i].p_value = inference.p_value;
	}
	return make_bands(cells->influences, cells->evidence, cells->estimates, &options);
}

static bool
AllCovered(const Bands *bands, const double *truth, int n)
{
	for (int i = 0; i < n; i++) {
		if (truth[i] < bands->band[i].low - 1e-9 || truth[i] > bands->band[i].high + 1e-9)
			return false;
	}
	return true;
}

static double
LeastAdjusted(const Bands *bands, int n)
{
	double least = 1;

	for (int i = 0; i < n; i++)
		least = Min(least, bands->p_adjusted[i]);
	return least;
}

/* ---- grids, of one arm and of differences ---- */

/* The first K and T of a grid of two K, all T. */
static const int grid_k[] = {1, 4};

#define GRID_CELLS (2 * TURNS)

static void
FillGrid(Cells *cells, int tasks, bool paired)
{
	StartCells(cells, GRID_CELLS, tasks);
	for (int i = 0; i < GRID_CELLS; i++) {
		Counts(*first) = drawn[0][i % TURNS], *second = drawn[1][i % TURNS];
		int k = grid_k[i / TURNS];

		cells->evidence[i] = paired ? pair_of(first, second, tasks, k, &cells->values[i])
									: share_of(first, tasks, k, &cells->values[i]);
		cells->influences->tasks = 0;
		for (int task = 0; task < tasks; task++) {
			double value = pass_table(first[task].n, first[task].c);

			if (paired)
				value -= pass_table(second[task].n, second[task].c);
			if (fabs(value) < 1e-12)
				value = 0;
			influences_next(cells->influences)[i] += value - cells->values[i];
		}
	}
}

static void
SimulateGrid(const World *world, const Arm *arms, int narms, const char *effect, int tasks)
{
	BandRow row = {narms == 1 ? "grid bands" : "difference bands", world->name, effect, tasks,
				   evaluations_of(tasks > 300 ? 20 : 50)};
	double truth[GRID_CELLS];
	int covered = 0, rejected = 0;
	Random random = stream_of(world->name, tasks * 10 + narms);

	for (int i = 0; i < GRID_CELLS; i++) {
		truth[i] = TruePass(world, arms[0], grid_k[i / TURNS], turns[i % TURNS]);
		if (narms == 2)
			truth[i] -= TruePass(world, arms[1], grid_k[i / TURNS], turns[i % TURNS]);
	}
	for (int e = 0; e < row.evaluations; e++) {
		Cells cells = {0};
		Bands bands;

		free_evaluation();
		DrawCounts(world, arms, narms, tasks, &random, drawn);
		FillGrid(&cells, tasks, narms == 2);
		bands = MakeBands(&cells, e);
		covered += AllCovered(&bands, truth, GRID_CELLS);
		rejected += narms == 2 && LeastAdjusted(&bands, GRID_CELLS) <= 0.05;
	}
	row.covered = (double) covered / row.evaluations;
	row.rejected = (double) rejected / row.evaluations;
	print_bands(&row);
}

/* ---- crossovers ---- */

/* Whether what the bands along T say of the first arm is wrong. */
static bool
IsFalseClaim(const Cells *cells, const Bands *bands, const double *truth)
{
	int above = 0, below = 0, told = 0;
	bool ever_behind = false, ever_ahead = false, last_above, last_below;
	double last = truth[TURNS - 1];

	for (int t = 0; t < TURNS; t++) {
		const PairEvidence *pair = &cells->evidence[t].of.pair;

		above += bands->band[t].low > 0;
		below += bands->band[t].high < 0;
		told += !(pair->sum == 0 && pair->carriers[0] == 0 && pair->carriers[1] == 0);
		ever_ahead |= truth[t] > 1e-9;
		ever_behind |= truth[t] < -1e-9;
	}
	last_above = bands->band[TURNS - 1].low > 0;
	last_below = bands->band[TURNS - 1].high < 0;
	if (above > 0 && above == told)
		return ever_behind || last <= 1e-9;
	if (below > 0 && below == told)
		return ever_ahead || last >= -1e-9;
	if (last_above)
		return last <= 1e-9 || (below > 0 && !ever_behind);
	if (last_below)
		return last >= -1e-9 || (above > 0 && !ever_ahead);
	return false;
}

static void
SimulateCrossover(const World *world, const Arm *arms, const char *effect, int tasks)
{
	BandRow row = {"crossover", world->name, effect, tasks, evaluations_of(50)};
	double truth[TURNS];
	int covered = 0, claims = 0;
	Random random = stream_of(effect, tasks);

	for (int t = 0; t < TURNS; t++)
		truth[t] = TruePass(world, arms[0], 1, turns[t]) - TruePass(world, arms[1], 1, turns[t]);
	for (int e = 0; e < row.evaluations; e++) {
		Cells cells = {0};
		Bands bands;

		free_evaluation();
		DrawCounts(world, arms, 2, tasks, &random, drawn);
		FillGrid(&cells, tasks, true);
		/* the cells of K = 1 come first */
		for (int64 i = 0; i < cells.influences->rows; i++)
			memmove(cells.influences->values + i * TURNS, cells.influences->values + i * GRID_CELLS,
					TURNS * sizeof(double));
		cells.n = cells.influences->cells = TURNS;
		bands = MakeBands(&cells, e);
		covered += AllCovered(&bands, truth, TURNS);
		claims += IsFalseClaim(&cells, &bands, truth);
	}
	row.covered = (double) covered / row.evaluations;
	row.rejected = (double) claims / row.evaluations;
	print_bands(&row);
}

/* ---- all pairs of checkpoints ---- */

#define PAIRS (CHECKPOINTS * (CHECKPOINTS - 1) / 2)

static void
FillPairs(Cells *cells, int tasks)
{
	int cell = 0;

	StartCells(cells, PAIRS, tasks);
	for (int a = 0; a < CHECKPOINTS; a++) {
		for (int b = 0; b < a; b++, cell++) {
			const Counts *first = drawn[a][TURNS - 1], *second = drawn[b][TURNS - 1];

			cells->evidence[cell] = pair_of(first, second, tasks, 1, &cells->values[cell]);
			cells->influences->tasks = 0;
			for (int i = 0; i < tasks; i++)
				influences_next(cells->influences)[cell] += pass_table(first[i].n, first[i].c) -
															pass_table(second[i].n, second[i].c) -
															cells->values[cell];
		}
	}
}

static void
SimulatePairs(const World *world, const Arm *arms, const char *effect, int tasks)
{
	BandRow row = {"all pairs", world->name, effect, tasks, evaluations_of(50)};
	double truth[PAIRS], last[CHECKPOINTS];
	int covered = 0, rejected = 0, cell = 0;
	Random random = stream_of(world->name, tasks * 10 + 4);

	for (int a = 0; a < CHECKPOINTS; a++) {
		last[a] = TruePass(world, arms[a], 1, turns[TURNS - 1]);
		for (int b = 0; b < a; b++)
			truth[cell++] = last[a] - last[b];
	}
	for (int e = 0; e < row.evaluations; e++) {
		Cells cells = {0};
		Bands bands;
		bool wrong = false;

		free_evaluation();
		DrawCounts(world, arms, CHECKPOINTS, tasks, &random, drawn);
		FillPairs(&cells, tasks);
		bands = MakeBands(&cells, e);
		covered += AllCovered(&bands, truth, PAIRS);
		for (int i = 0; i < PAIRS; i++)
			wrong |= fabs(truth[i]) < 1e-9 && bands.p_adjusted[i] <= 0.05;
		rejected += wrong;
	}
	row.covered = (double) covered / row.evaluations;
	row.rejected = (double) rejected / row.evaluations;
	print_bands(&row);
}

void
simulate_bands(void)
{
	static const int task_numbers[] = {12, 20, 50, 100, 300, MOST_TASKS};
	static const Arm equal[CHECKPOINTS] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}};
	static const Arm crossing[] = {{0.5, 0.5}, {1, 1}};
	static const Arm ahead[] = {{0.5, 1}, {1, 1}};
	static const Arm one_better[CHECKPOINTS] = {{0.6, 1}, {1, 1}, {1, 1}, {1, 1}};

	for (int w = 0; w < lengthof(worlds); w++) {
		for (int i = 0; i < lengthof(task_numbers); i++) {
			int tasks = task_numbers[i];

			SimulateGrid(&worlds[w], equal, 1, "", tasks);
			SimulateGrid(&worlds[w], equal, 2, "equal", tasks);
			if (tasks == MOST_TASKS)
				continue;
			SimulateGrid(&worlds[w], crossing, 2, "crossing", tasks);
			SimulateCrossover(&worlds[w], equal, "equal", tasks);
			SimulateCrossover(&worlds[w], crossing, "crossing", tasks);
			SimulateCrossover(&worlds[w], ahead, "ahead", tasks);
			SimulatePairs(&worlds[w], equal, "equal", tasks);
			SimulatePairs(&worlds[w], one_better, "one better", tasks);
		}
	}
}
