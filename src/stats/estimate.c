#include "stats/estimate.h"

#include <math.h>

/* A proportion with fewer successes or failures than this, over clusters, is sparse. */
#define SPARSE_CLUSTERS 5.0
/* A difference that is not 0 in fewer clusters than this is sparse. */
#define SPARSE_DIFFERENCES 10

/* What the sums of a cell tell, before any resampling. */
typedef struct CellSums {
	double sum, size, plus, minus;
	int64 clusters, nonzero;
} CellSums;

static CellSums
SumCell(const Sample *sample, int cell)
{
	CellSums sums = {0};

	for (int64 i = 0; i < sample->clusters; i++) {
		double s = sample->sums[i * sample->cells + cell];
		double n = sample->sizes == NULL ? 1.0 : sample->sizes[i * sample->cells + cell];

		if (n == 0.0)
			continue;
		sums.clusters++;
		sums.nonzero += s != 0.0;
		sums.sum += s;
		sums.size += n;
		sums.plus += Max(s, 0.0);
		sums.minus += Max(-s, 0.0);
	}
	return sums;
}

/* Whether 'auto' resamples one arm: where that would take long, t does as well. */
static bool
Resamples(const Sample *sample, const InferenceOptions *options)
{
	return options->resamples > 0 &&
		   resampling_is_quick(sample->clusters, sample->cells, options->resamples);
}

static IntervalMethod
ChooseProportion(const Estimate *estimate, const Sample *sample, const InferenceOptions *options)
{
	double m = (double) estimate->clusters;
	double successes = estimate->value * m;

	if (estimate->clusters < 2 || estimate->std_error == 0.0)
		return METHOD_WILSON;
	if (options->method != METHOD_AUTO)
		return options->method;
	if (Min(successes, m - successes) < SPARSE_CLUSTERS)
		return METHOD_WILSON;
	return Resamples(sample, options) ? METHOD_BCA : METHOD_T;
}

static IntervalMethod
ChooseMethod(const Estimate *estimate, const CellSums *sums, EstimateScale scale,
			 const Sample *sample, const InferenceOptions *options)
{
	bool flat = estimate->clusters < 2 || estimate->std_error == 0.0;

	if (estimate->clusters == 0)
		return METHOD_NONE;
	if (scale == SCALE_PROPORTION)
		return ChooseProportion(estimate, sample, options);
	if (flat)
		return scale == SCALE_DIFFERENCE ? METHOD_MOVER : METHOD_NONE;
	if (options->method != METHOD_AUTO)
		return options->method;
	if (scale == SCALE_DIFFERENCE && sums->nonzero < SPARSE_DIFFERENCES)
		return METHOD_MOVER;
	if (scale == SCALE_MEAN && Resamples(sample, options))
		return METHOD_BCA;
	return METHOD_T;
}

static Bounds
ClampTo(EstimateScale scale, Bounds bounds)
{
	if (scale == SCALE_PROPORTION)
		return clamp_bounds(bounds, 0.0, 1.0);
	return scale == SCALE_DIFFERENCE ? clamp_bounds(bounds, -1.0, 1.0) : bounds;
}

static void
SetInterval(Estimate *estimate, const CellSums *sums, EstimateScale scale, double confidence)
{
	double m = (double) estimate->clusters;

	if (estimate->method == METHOD_WILSON)
		estimate->interval = wilson_interval(estimate->value, m, confidence_z(confidence));
	else if (estimate->method == METHOD_MOVER) {
		double plus = sums->plus / sums->size, minus = sums->minus / sums->size;

		estimate->interval = mover_interval(plus, minus, m, confidence_z(confidence));
		estimate->p_value = mover_p_value(plus, minus, m);
	} else if (estimate->method == METHOD_T) {
		estimate->interval =
			ClampTo(scale, t_interval(estimate->value, estimate->std_error, m - 1.0, confidence));
		estimate->p_value = t_p_value(estimate->value, estimate->std_error, m - 1.0);
	}
}

/* By figure with a derivation, else by cell. */
static void
Resample(Sample *sample, const Derivation *derivation, const InferenceOptions *options,
		 Estimate *estimates)
{
	int cells = derivation != NULL ? derivation->figures : sample->cells;
	BootstrapMethod *methods = palloc(cells * sizeof(BootstrapMethod));
	BootstrapRequest request = {.resamples = options->resamples,
								.seed = options->seed,
								.confidence = options->confidence,
								.methods = methods,
								.derivation = derivation};
	BootstrapResult result;
	bool any = false;

	for (int i = 0; i < cells; i++) {
		methods[i] = interval_resampling(estimates[i].method);
		any |= methods[i] != BOOTSTRAP_NONE;
	}
	if (!any)
		return;
	result = bootstrap(sample, &request);
	for (int i = 0; i < cells; i++) {
		if (methods[i] == BOOTSTRAP_NONE)
			continue;
		estimates[i].interval = result.intervals[i];
		estimates[i].p_value = result.p_values[i];
	}
}

Estimate *
estimate_cells(Sample *sample, const EstimateScale *scales, const InferenceOptions *options)
{
	Estimate *estimates = palloc0(mul_size(sample->cells, sizeof(Estimate)));
	double *errors = sample_std_errors(sample);

	for (int i = 0; i < sample->cells; i++) {
		CellSums sums = SumCell(sample, i);
		Estimate *estimate = &estimates[i];

		estimate->clusters = sums.clusters;
		estimate->size = sums.size;
		if (sums.clusters > 0)
			estimate->value = sums.sum / sums.size;
		estimate->std_error = errors[i];
		estimate->method = ChooseMethod(estimate, &sums, scales[i], sample, options);
		SetInterval(estimate, &sums, scales[i], options->confidence);
	}
	Resample(sample, NULL, options, estimates);
	return estimates;
}

Estimate *
estimate_figures(Sample *sample, const Derivation *derivation, const EstimateScale *scales,
				 const FigureContrast *contrasts, const InferenceOptions *options)
{
	Estimate *estimates = palloc0(mul_size(derivation->figures, sizeof(Estimate)));
	Derived *derived = sample_derive(sample, derivation);

	for (int i = 0; i < derivation->figures; i++) {
		Estimate *estimate = &estimates[i];
		CellSums sums = {.size = 1.0, .clusters = derived[i].clusters};

		if (scales[i] == SCALE_DIFFERENCE) {
			sums.plus = contrasts[i].plus;
			sums.minus = contrasts[i].minus;
			sums.nonzero = contrasts[i].nonzero;
		}
		estimate->clusters = derived[i].clusters;
		estimate->value = derived[i].value;
		estimate->std_error = derived[i].std_error;
		estimate->method = METHOD_NONE;
		if (isnan(estimate->value))
			continue;
		estimate->method = ChooseMethod(estimate, &sums, scales[i], sample, options);
		SetInterval(estimate, &sums, scales[i], options->confidence);
	}
	Resample(sample, derivation, options, estimates);
	return estimates;
}
