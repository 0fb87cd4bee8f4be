#include "stats/bootstrap.h"

#include <float.h>
#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#define FIRST_CLUSTERS 64

/* What the sums of a sample, and its sizes, may take. */
#define MAX_SAMPLE_BYTES ((Size) 1024 * 1024 * 1024)

static double *
AllocateRows(double *rows, int64 clusters, int cells)
{
	Size size = mul_size(mul_size(clusters, cells), sizeof(double));

	if (size > MAX_SAMPLE_BYTES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("resampling so many tasks and cells would take more than 1 GB"),
						errdetail("It keeps a value for each task in each of %d cells.", cells),
						errhint("Ask for fewer cells at once, or give resamples => 0.")));

	if (rows == NULL)
		return MemoryContextAllocExtended(CurrentMemoryContext, size,
										  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	return repalloc_huge(rows, size);
}

/* A wide sample begins with few. */
static int64
FirstClusters(int cells)
{
	return Max(1, Min(FIRST_CLUSTERS, (int64) (MAX_SAMPLE_BYTES / sizeof(double)) / cells));
}

void
sample_start(SampleBuilder *builder, int cells)
{
	memset(builder, 0, sizeof(*builder));
	builder->capacity = FirstClusters(cells);
	builder->sample.cells = cells;
	builder->sample.sums = AllocateRows(NULL, builder->capacity, cells);
}

static void
Grow(SampleBuilder *builder)
{
	Sample *sample = &builder->sample;

	int64 most =
		Max(builder->capacity + 1, (int64) (MAX_SAMPLE_BYTES / sizeof(double)) / sample->cells);

	builder->capacity = Min(builder->capacity * 2, most);
	sample->sums = AllocateRows(sample->sums, builder->capacity, sample->cells);
	if (sample->sizes != NULL)
		sample->sizes = AllocateRows(sample->sizes, builder->capacity, sample->cells);
}

/* From the first cluster that some cell lacks, sizes are kept. */
static void
StartSizes(SampleBuilder *builder)
{
	Sample *sample = &builder->sample;

	sample->sizes = AllocateRows(NULL, builder->capacity, sample->cells);
	for (int64 i = 0; i < sample->clusters * sample->cells; i++)
		sample->sizes[i] = 1.0;
}

void
sample_add(SampleBuilder *builder, const double *values, const bool *present)
{
	Sample *sample = &builder->sample;
	double *sums;

	if (sample->clusters == builder->capacity)
		Grow(builder);
	sums = sample->sums + sample->clusters * sample->cells;
	for (int i = 0; i < sample->cells; i++)
		sums[i] = present == NULL || present[i] ? values[i] : 0.0;
	for (int i = 0; i < sample->cells && present != NULL && sample->sizes == NULL; i++) {
		if (!present[i])
			StartSizes(builder);
	}
	if (sample->sizes != NULL) {
		double *sizes = sample->sizes + sample->clusters * sample->cells;

		for (int i = 0; i < sample->cells; i++)
			sizes[i] = present == NULL || present[i] ? 1.0 : 0.0;
	}
	sample->clusters++;
}

void
sample_add_ratio(SampleBuilder *builder, const double *sums, const double *sizes)
{
	Sample *sample = &builder->sample;
	Size row = sample->cells * sizeof(double);

	if (sample->clusters == builder->capacity)
		Grow(builder);
	if (sample->sizes == NULL)
		StartSizes(builder);
	memcpy(sample->sums + sample->clusters * sample->cells, sums, row);
	memcpy(sample->sizes + sample->clusters * sample->cells, sizes, row);
	sample->clusters++;
}

Sample *
sample_finish(SampleBuilder *builder)
{
	return &builder->sample;
}

double
unit_scale(double largest)
{
	int exponent;

	frexp(largest, &exponent);
	return ldexp(1.0, -Max(-1000, Min(1000, exponent)));
}

double
rounding_shift(double largest)
{
	int exponent;

	frexp(largest, &exponent);
	/* the spacing of doubles around it is the quantum, 2^(exponent - 52) */
	return ldexp(1.5, exponent);
}

/* s - r n, without the rounding of r: 0 where s / n is r but for the last bits. */
static double
Residual(double s, double ratio, double size)
{
	double expected = ratio * size;
	double residual = s - expected;

	return fabs(residual) <= 4.0 * DBL_EPSILON * Max(fabs(s), fabs(expected)) ? 0.0 : residual;
}

static double
StdError(const Sample *sample, int cell)
{
	double s = 0.0, n = 0.0, m = 0.0, largest = 0.0, ratio, unit, squares = 0.0;

	for (int64 i = 0; i < sample->clusters; i++) {
		double size = sample->sizes == NULL ? 1.0 : sample->sizes[i * sample->cells + cell];

		s += sample->sums[i * sample->cells + cell];
		largest = Max(largest, fabs(sample->sums[i * sample->cells + cell]));
		n += size;
		m += size != 0.0 ? 1.0 : 0.0;
	}
	if (m < 2.0)
		return 0.0;
	ratio = s / n;
	unit = unit_scale(largest);
	for (int64 i = 0; i < sample->clusters; i++) {
		double size = sample->sizes == NULL ? 1.0 : sample->sizes[i * sample->cells + cell];
		double residual = unit * Residual(sample->sums[i * sample->cells + cell], ratio, size);

		squares += residual * residual;
	}
	return sqrt(m / (m - 1.0) * squares) / unit / n;
}

double *
sample_std_errors(const Sample *sample)
{
	double *errors = palloc(sample->cells * sizeof(double));

	for (int cell = 0; cell < sample->cells; cell++) {
		CHECK_FOR_INTERRUPTS();
		errors[cell] = StdError(sample, cell);
	}
	return errors;
}

/* ---- figures derived from ratios ---- */

bool
sample_has_figure(const Sample *sample, int64 cluster, const bool *uses)
{
	if (sample->sizes == NULL)
		return true;
	for (int cell = 0; cell < sample->cells; cell++) {
		if (uses[cell] && sample->sizes[cluster * sample->cells + cell] != 0.0)
			return true;
	}
	return false;
}

/* By cell: sum over clusters of sums, and of sizes. */
static void
SumCells(const Sample *sample, double *sums, double *sizes)
{
	for (int64 i = 0; i < sample->clusters; i++) {
		for (int cell = 0; cell < sample->cells; cell++) {
			Size at = i * sample->cells + cell;

			sums[cell] += sample->sums[at];
			sizes[cell] += sample->sizes == NULL ? 1.0 : sample->sizes[at];
		}
	}
}

/* What a cluster adds to a figure, to first order; 0 where its terms cancel but for the last bits.
 */
static double
Influence(const double *gradient, const double *residuals, const bool *uses, int cells)
{
	double sum = 0.0, size = 0.0;

	for (int cell = 0; cell < cells; cell++) {
		double term;

		if (!uses[cell] || gradient[cell] == 0.0)
			continue;
		term = gradient[cell] * residuals[cell];
		sum += term;
		size += fabs(term);
	}
	return fabs(sum) <= 4.0 * DBL_EPSILON * size ? 0.0 : sum;
}

/* (s - r n) / sum n of each cell. */
static void
SetResiduals(const Sample *sample, int64 cluster, const double *ratios, const double *sizes,
			 double *residuals)
{
	for (int cell = 0; cell < sample->cells; cell++) {
		Size at = cluster * sample->cells + cell;
		double size = sample->sizes == NULL ? 1.0 : sample->sizes[at];

		residuals[cell] =
			sizes[cell] > 0.0 ? Residual(sample->sums[at], ratios[cell], size) / sizes[cell] : 0.0;
	}
}

Derived *
sample_derive(const Sample *sample, const Derivation *derivation)
{
	int cells = sample->cells, figures = derivation->figures;
	double *ratios = palloc0(cells * sizeof(double));
	double *sizes = palloc0(cells * sizeof(double));
	double *residuals = palloc(cells * sizeof(double));
	double *values = palloc(figures * sizeof(double));
	double *gradient = palloc0(mul_size(mul_size(figures, cells), sizeof(double)));
	Derived *result = palloc0(figures * sizeof(Derived));

	SumCells(sample, ratios, sizes);
	for (int cell = 0; cell < cells; cell++)
		ratios[cell] /= sizes[cell];
	derivation->derive(derivation->context, ratios, values);
	derivation->differentiate(derivation->context, ratios, gradient);
	for (int64 i = 0; i < sample->clusters; i++) {
		CHECK_FOR_INTERRUPTS();
		SetResiduals(sample, i, ratios, sizes, residuals);
		for (int f = 0; f < figures; f++) {
			const bool *uses = derivation->uses + (Size) f * cells;
			double influence;

			if (!sample_has_figure(sample, i, uses))
				continue;
			influence = Influence(gradient + (Size) f * cells, residuals, uses, cells);
			result[f].clusters++;
			result[f].std_error += influence * influence;
		}
	}
	for (int f = 0; f < figures; f++) {
		double m = (double) result[f].clusters;

		result[f].value = values[f];
		result[f].std_error = m < 2.0 ? 0.0 : sqrt(m / (m - 1.0) * result[f].std_error);
	}
	return result;
}
