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

typedef enum IntervalMethod { METHOD_AUTO, METHOD_PERCENTILE, METHOD_BCA, METHOD_T } IntervalMethod;

typedef struct InferenceOptions {
	double confidence;
	int resamples;
	int64 seed;
	IntervalMethod method;
} InferenceOptions;

/* Reads confidence, resamples and seed from three arguments in a row; the method is auto. */
extern InferenceOptions read_resampling_options(FunctionCallInfo fcinfo, int first);

/* Reads confidence, resamples, seed and method from four arguments in a row. */
extern InferenceOptions read_inference_options(FunctionCallInfo fcinfo, int first);
extern const char *interval_method_name(IntervalMethod method);

/* How the bootstrap is to treat a cell of that method. */
extern BootstrapMethod interval_resampling(IntervalMethod method);

extern Bounds clamp_bounds(Bounds bounds, double low, double high);

#endif
