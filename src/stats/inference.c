#include "stats/inference.h"

#include <math.h>

static const char *const method_names[] = {"auto", "percentile", "bca", "t"};

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

	options.method = read_choice(fcinfo, first + 3, "method", method_names, lengthof(method_names));
	if (options.resamples == 0 &&
		(options.method == METHOD_BCA || options.method == METHOD_PERCENTILE))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("method \"%s\" needs resamples", method_names[options.method])));
	return options;
}

Bounds
clamp_bounds(Bounds bounds, double low, double high)
{
	return (Bounds){Max(bounds.low, low), Min(bounds.high, high)};
}
