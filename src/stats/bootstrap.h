/*
 * The bootstrap of every metric: it resamples clusters (tasks), never rows.
 *
 * A sample holds, for each cluster and each cell, a sum and a size; a cell's
 * estimate is the ratio of its sums: a mean over clusters when sizes are 1, a
 * ratio over clusters otherwise. One draw of clusters serves all cells, so
 * cells and arms stay paired.
 *
 * A resample depends on the seed, its own number and the number of clusters
 * alone. Sums are exact (see Quantise in bootstrap.c), so their order, the
 * kernel and the width of vectors leave no trace in the result.
 */
#ifndef AGENTRL_BOOTSTRAP_H
#define AGENTRL_BOOTSTRAP_H

#include "postgres.h"

#include "stats/intervals.h"

#define MAX_RESAMPLES 10000000

typedef struct Sample {
	int64 clusters;
	int cells;
	double *sums;  /* [cluster][cell] */
	double *sizes; /* the same, 0 where a cell lacks the cluster; NULL: all 1 */
} Sample;

/*
 * A power of two that takes numbers up to `largest` near 1, so that their
 * squares and cubes neither overflow nor vanish. Multiplying by it is exact.
 */
extern double unit_scale(double largest);

/*
 * Adding it to a number and taking it away again rounds the number to a multiple
 * of a power of two, so coarse that sums of such multiples are exact as long as
 * they stay below `largest`.
 */
extern double rounding_shift(double largest);

typedef enum BootstrapMethod {
	BOOTSTRAP_NONE,
	BOOTSTRAP_PERCENTILE,
	BOOTSTRAP_BCA
} BootstrapMethod;

/*
 * Figures made of a sample's ratios: differences of them, products, ... A ratio
 * is NaN where no cluster has the cell, and so is a figure that does not exist.
 */
typedef struct Derivation {
	int figures;
	const bool *uses; /* [figure][cell]: whether the figure depends on the cell */
	/* all figures from the ratios of all cells */
	void (*derive)(const void *context, const double *ratios, double *figures);
	/* [figure][cell]: the figures' derivatives, zeroed before; 0 where a ratio is NaN */
	void (*differentiate)(const void *context, const double *ratios, double *gradient);
	const void *context;
} Derivation;

typedef struct BootstrapRequest {
	int resamples;
	int64 seed;
	double confidence;
	const BootstrapMethod *methods; /* by cell */
	const Derivation
		*derivation; /* then "by cell" means by figure, here and in the result; or NULL */
} BootstrapRequest;

typedef struct BootstrapResult {
	Bounds *intervals; /* by cell */
	double *p_values;  /* by cell: two-sided, of the estimate against 0 */
	int resamples;
} BootstrapResult;

/* A sample that is filled cluster by cluster. */
typedef struct SampleBuilder {
	Sample sample;
	int64 capacity;
} SampleBuilder;

extern void sample_start(SampleBuilder *builder, int cells);

/* One cluster: its values, and which cells have it (NULL: all). */
extern void sample_add(SampleBuilder *builder, const double *values, const bool *present);

/* One cluster by its sums and sizes; a size of 0, with a sum of 0, where a cell lacks it. */
extern void sample_add_ratio(SampleBuilder *builder, const double *sums, const double *sizes);

/* The sample, which lies in the builder. */
extern Sample *sample_finish(SampleBuilder *builder);

/* Standard error of each cell's ratio: sqrt(m/(m-1) sum (s - r n)^2) / sum n; 0 below two clusters.
 */
extern double *sample_std_errors(const Sample *sample);

/* What a figure is in the sample: its value, the clusters that have it, its standard error. */
typedef struct Derived {
	double value;
	double std_error; /* by the delta method over clusters; 0 below two */
	int64 clusters;
} Derived;

extern Derived *sample_derive(const Sample *sample, const Derivation *derivation);

/* Whether the cluster has a cell that the figure depends on. */
extern bool sample_has_figure(const Sample *sample, int64 cluster, const bool *uses);

/* Quantises the sample in place. Cancellable. */
extern BootstrapResult bootstrap(Sample *sample, const BootstrapRequest *request);

#endif
