#include "stats/inference.h"

#include <math.h>

#include "stats/distribution.h"

static const char *const method_names[] = {"auto",	 "percentile", "bca", "t",
										   "wilson", "mover",	   NULL};

#define METHODS_TO_ASK_FOR 4

const char *
interval_method_name(IntervalMethod method)
{
	return method_names[method];
}

BootstrapMethod
interval_resampling(IntervalMethod method)
{
	if (method == METHOD_BCA)
		return BOOTSTRAP_BCA;
	return method == METHOD_PERCENTILE ? BOOTSTRAP_PERCENTILE : BOOTSTRAP_NONE;
}

InferenceOptions
read_resampling_options(FunctionCallInfo fcinfo, int first)
{
	InferenceOptions options = {.method = METHOD_AUTO};

	require_argument(fcinfo, first, "confidence");
	require_argument(fcinfo, first + 1, "resamples");
	require_argument(fcinfo, first + 2, "seed");
	options.confidence = PG_GETARG_FLOAT8(first);
	options.resamples = PG_GETARG_INT32(first + 1);
	options.seed = PG_GETARG_INT64(first + 2);
	if (!(options.confidence >= MIN_CONFIDENCE && options.confidence <= MAX_CONFIDENCE))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("confidence must be between %g and %.10g, not %.17g", MIN_CONFIDENCE,
							   MAX_CONFIDENCE, options.confidence),
						errhint("For 95 percent give 0.95.")));
	if (options.resamples != 0 &&
		(options.resamples < MIN_RESAMPLES || options.resamples > MAX_RESAMPLES))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("resamples must be 0, or between %d and %d, not %d", MIN_RESAMPLES,
							   MAX_RESAMPLES, options.resamples),
						errdetail("The quantiles of fewer say nothing; with 0 nothing is "
								  "resampled.")));
	return options;
}

InferenceOptions
read_inference_options(FunctionCallInfo fcinfo, int first)
{
	InferenceOptions options = read_resampling_options(fcinfo, first);

	options.method = read_choice(fcinfo, first + 3, "method", method_names, METHODS_TO_ASK_FOR);
	if (options.resamples == 0 &&
		(options.method == METHOD_BCA || options.method == METHOD_PERCENTILE))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("method \"%s\" needs resamples", method_names[options.method])));
	return options;
}

double
confidence_z(double confidence)
{
	return normal_quantile(0.5 + confidence / 2.0);
}

/* From the lower tail, which keeps its digits however small it is. */
static double
BonferroniZ(double confidence, int cells)
{
	return -normal_quantile((1.0 - confidence) / (2.0 * cells));
}

#define MOST_QUICK_VALUES 4294967296.0
#define CLUSTER_BLOCKS	  1000

bool
resampling_is_quick(int64 clusters, int64 cells, int resamples)
{
	return (double) clusters * (double) cells * (double) resamples <= MOST_QUICK_VALUES;
}

int64
max_t_blocks(int64 clusters, int64 cells, int resamples)
{
	if (clusters <= CLUSTER_BLOCKS || resampling_is_quick(clusters, cells, resamples))
		return 0;
	return CLUSTER_BLOCKS;
}

Bands
make_bands(Sample *sample, const InferenceOptions *options, const BootstrapMethod *methods,
		   const bool *sparse, int64 clusters)
{
	double *scales = sample_std_errors(sample);
	double g = (double) sample->clusters;
	BootstrapRequest request = {.resamples = options->resamples,
								.seed = options->seed,
								.confidence = options->confidence,
								.methods = methods,
								.scales = scales};
	Bands bands = {0};
	bool any = false;

	for (int i = 0; i < sample->cells; i++) {
		if (sparse[i])
			scales[i] = 0.0;
		any |= scales[i] > 0.0;
	}
	bands.result = bootstrap(sample, &request);
	bands.factor = 1.0;
	bands.critical = BonferroniZ(options->confidence, sample->cells);
	if (any && options->resamples > 0) {
		bands.critical =
			quantile_sorted(bands.result.max_t, options->resamples, options->confidence);
		bands.factor = t_quantile(0.5 + options->confidence / 2.0, (double) clusters - 1.0) /
					   confidence_z(options->confidence) * sqrt(g / (g - 1.0));
	}
	return bands;
}

double
band_p_value(const Bands *bands, double t, bool sparse)
{
	return max_t_p_value(&bands->result, sparse ? t : t / bands->factor);
}

Bounds
clamp_bounds(Bounds bounds, double low, double high)
{
	return (Bounds){Max(bounds.low, low), Min(bounds.high, high)};
}
