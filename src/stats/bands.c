#include "stats/bands.h"

#include <math.h>

#include "core/sort.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "stats/distribution.h"
#include "stats/random.h"
#include "utils/memutils.h"

/*
 * So many rows at most: their sums have the correlations of the tasks' own, and
 * the work does not grow with the tasks. Fewer where the cells are many.
 */
#define MOST_ROWS	1000
#define LEAST_ROWS	100
#define MOST_VALUES (16 * 1024 * 1024)

/*
 * A multiplier is the number of set bits of a random word less its mean, over 4:
 * mean 0, variance 1, near normal, and exact.
 */
#define WORD_BITS		 64
#define MULTIPLIER_SCALE 4.0

/* Cells and draws that are summed in registers. */
#define TILE_CELLS 8
#define TILE_DRAWS 4

Influences *
influences_start(int cells, int64 tasks)
{
	Influences *influences = palloc0(sizeof(Influences));
	int64 most = Max(LEAST_ROWS, Min(MOST_ROWS, MOST_VALUES / cells));

	influences->cells = cells;
	influences->rows = Max(1, Min(tasks, most));
	influences->values = MemoryContextAllocExtended(
		CurrentMemoryContext, mul_size(influences->rows, mul_size(cells, sizeof(double))),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	return influences;
}

double *
influences_next(Influences *influences)
{
	int64 row = influences->tasks++ % influences->rows;

	return influences->values + row * influences->cells;
}

/* ---- columns ---- */

/* Columns of size 1, TILE_CELLS side by side, the last filled up with zeros. */
typedef struct Tiles {
	int n;
	int64 rows;
	double *values; /* [tile][row][TILE_CELLS] */
} Tiles;

static double
ColumnSize(const Influences *influences, int cell)
{
	double largest = 0.0, unit, squares = 0.0;

	for (int64 i = 0; i < influences->rows; i++)
		largest = Max(largest, fabs(influences->values[i * influences->cells + cell]));
	if (largest == 0.0)
		return 0.0;
	unit = unit_scale(largest);
	for (int64 i = 0; i < influences->rows; i++) {
		double value = unit * influences->values[i * influences->cells + cell];

		squares += value * value;
	}
	return sqrt(squares) / unit;
}

static Tiles
MakeTiles(const Influences *influences)
{
	Tiles tiles = {.n = (influences->cells + TILE_CELLS - 1) / TILE_CELLS,
				   .rows = influences->rows};
	Size size = mul_size(mul_size(tiles.n, tiles.rows), TILE_CELLS * sizeof(double));
	double shift = rounding_shift((double) tiles.rows * WORD_BITS / 2);

	tiles.values =
		MemoryContextAllocExtended(CurrentMemoryContext, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int cell = 0; cell < influences->cells; cell++) {
		double *tile = tiles.values + (Size) (cell / TILE_CELLS) * tiles.rows * TILE_CELLS;
		double column = ColumnSize(influences, cell);

		CHECK_FOR_INTERRUPTS();
		for (int64 i = 0; i < tiles.rows && column > 0.0; i++) {
			double value = influences->values[i * influences->cells + cell] / column;

			tile[i * TILE_CELLS + cell % TILE_CELLS] = (value + shift) - shift;
		}
	}
	return tiles;
}

/* ---- draws ---- */

/* Four doubles, in the widest registers that there are. */
typedef double FourDoubles __attribute__((vector_size(32), aligned(8)));

/*
 * Adds TILE_DRAWS multiples of the tile's rows. The sums are exact: any vectors
 * give them. Left to itself, the compiler takes five times as long.
 */
ANY_VECTOR static void
SumTile(const double *restrict tile, const double *restrict multipliers, int64 rows,
		double sums[TILE_DRAWS][TILE_CELLS])
{
	FourDoubles s[TILE_DRAWS][TILE_CELLS / 4] = {{{0.0}}};

	for (int64 i = 0; i < rows; i++) {
		const FourDoubles *row = (const FourDoubles *) (tile + i * TILE_CELLS);

		for (int b = 0; b < TILE_DRAWS; b++) {
			double x = multipliers[i * TILE_DRAWS + b];
			FourDoubles times = {x, x, x, x};

			s[b][0] += times * row[0];
			s[b][1] += times * row[1];
		}
	}
	memcpy(sums, s, sizeof(s));
}

static void
DrawMultipliers(double *multipliers, int64 rows, int64 seed, int first)
{
	for (int b = 0; b < TILE_DRAWS; b++) {
		Random random;

		seed_random(&random, seed, first + b);
		for (int64 i = 0; i < rows; i++)
			multipliers[i * TILE_DRAWS + b] = pg_popcount64(next_random(&random)) - WORD_BITS / 2;
	}
}

/* By draw, ascending: the largest |z| over the cells. */
static double *
LargestZ(const Tiles *tiles, const InferenceOptions *options)
{
	int draws = TYPEALIGN(TILE_DRAWS, options->resamples);
	double *largest = MemoryContextAllocExtended(CurrentMemoryContext, draws * sizeof(double),
												 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	double *multipliers = palloc(tiles->rows * TILE_DRAWS * sizeof(double));
	double sums[TILE_DRAWS][TILE_CELLS];

	for (int first = 0; first < draws; first += TILE_DRAWS) {
		DrawMultipliers(multipliers, tiles->rows, options->seed, first);
		for (int tile = 0; tile < tiles->n; tile++) {
			CHECK_FOR_INTERRUPTS();
			SumTile(tiles->values + (Size) tile * tiles->rows * TILE_CELLS, multipliers,
					tiles->rows, sums);
			for (int b = 0; b < TILE_DRAWS; b++) {
				for (int c = 0; c < TILE_CELLS; c++)
					largest[first + b] =
						Max(largest[first + b], fabs(sums[b][c]) / MULTIPLIER_SCALE);
			}
		}
	}
	pfree(multipliers);
	sort_doubles(largest, options->resamples);
	return largest;
}

/* The share of draws that reach z; never 0. */
static double
ShareReaching(const double *largest, int draws, double z)
{
	int low = 0, high = draws;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (largest[middle] < z)
			low = middle + 1;
		else
			high = middle;
	}
	return (1.0 + draws - low) / (draws + 1.0);
}

static double
AdjustedP(const double *largest, int draws, double p_value)
{
	/* NaN, or certain */
	if (!(p_value < 1.0))
		return p_value;
	return Max(p_value, ShareReaching(largest, draws, -normal_quantile(p_value / 2.0)));
}

Bands
make_bands(const Influences *influences, const Evidence *evidence, const Estimate *estimates,
		   const InferenceOptions *options)
{
	int n = influences->cells;
	Tiles tiles = MakeTiles(influences);
	double *largest = LargestZ(&tiles, options);
	Bands bands = {.critical = quantile_sorted(largest, options->resamples, options->confidence),
				   .band = palloc(mul_size(n, sizeof(Bounds))),
				   .p_adjusted = palloc(mul_size(n, sizeof(double)))};
	double level = Min(1.0 - options->confidence, 2.0 * normal_sf(bands.critical));

	for (int i = 0; i < n; i++) {
		Bounds band = infer(&evidence[i], level).interval;
		const Bounds *interval = &estimates[i].interval;

		CHECK_FOR_INTERRUPTS();
		bands.band[i] = (Bounds){Min(band.low, interval->low), Max(band.high, interval->high)};
		bands.p_adjusted[i] = AdjustedP(largest, options->resamples, estimates[i].p_value);
	}
	pfree(tiles.values);
	pfree(largest);
	return bands;
}
