/*
 * What every report shares: confidence, resamples, seed and method as
 * arguments, and the choice of an interval.
 */
#ifndef AGENTRL_INFERENCE_H
#define AGENTRL_INFERENCE_H

#include "postgres.h"
#include "core/arguments.h"
#include "stats/bootstrap.h"

/* The values that an interval means something for; closer to 0 or 1 its tails are rounding. */
#define MIN_CONFIDENCE 0.01
#define MAX_CONFIDENCE 0.9999999999
/* Fewer resamples give quantiles that say nothing. */
#define MIN_RESAMPLES 100

typedef enum IntervalMethod {
	METHOD_AUTO,
	METHOD_PERCENTILE,
	METHOD_BCA,
	METHOD_T,
	/* fallbacks, which cannot be asked for */
	METHOD_WILSON,
	METHOD_MOVER,
	METHOD_NONE
} IntervalMethod;

typedef struct InferenceOptions {
	double confidence;
	int resamples;
	int64 seed;
	IntervalMethod method;
} InferenceOptions;

/*
 * A default answer takes seconds at the most. Where resampling all clusters and
 * cells would sum more values than 2^32, 'auto' takes t, and max-t resamples
 * blocks of clusters.
 */
extern bool resampling_is_quick(int64 clusters, int64 cells, int resamples);

/* The blocks that max-t resamples; 0: the clusters themselves. */
extern int64 max_t_blocks(int64 clusters, int64 cells, int resamples);

/* Reads confidence, resamples and seed from three arguments in a row; the method is auto. */
extern InferenceOptions read_resampling_options(FunctionCallInfo fcinfo, int first);

/* Reads confidence, resamples, seed and method from four arguments in a row. */
extern InferenceOptions read_inference_options(FunctionCallInfo fcinfo, int first);
extern const char *interval_method_name(IntervalMethod method);

/* How the bootstrap is to treat a cell of that method. */
extern BootstrapMethod interval_resampling(IntervalMethod method);

/* The two-sided normal quantile of a confidence. */
extern double confidence_z(double confidence);

/* Simultaneous bounds over the cells of a report, by max-t. */
typedef struct Bands {
	BootstrapResult result; /* of the sample that the bands come from */
	double critical;		/* on the scale of a normal quantile */
	double factor;			/* from it to standard errors: t(m-1)/z * sqrt(g/(g-1)), g resampled */
} Bands;

/*
 * sparse says which cells stay out of max-t; clusters is the number that the
 * sample stands for. With no other cell the critical value is Bonferroni's.
 */
extern Bands make_bands(Sample *sample, const InferenceOptions *options,
						const BootstrapMethod *methods, const bool *sparse, int64 clusters);

/* p of a cell, adjusted for all: from its estimate in standard errors, or a normal z when sparse.
 */
extern double band_p_value(const Bands *bands, double t, bool sparse);

extern Bounds clamp_bounds(Bounds bounds, double low, double high);

#endif
