#include "stats/estimate.h"

#include <math.h>

#include "miscadmin.h"

/* ---- the choice ---- */

static Bounds
ClampTo(Rule rule, Bounds bounds)
{
	if (rule == RULE_SHARE || rule == RULE_RATE)
		return clamp_bounds(bounds, 0.0, 1.0);
	if (rule == RULE_PAIR || rule == RULE_RATE_DIFFERENCE)
		return clamp_bounds(bounds, -1.0, 1.0);
	return bounds;
}

/* Returns how the estimate is to be resampled: its interval and p value are then set anew. */
static BootstrapMethod
EstimateByRule(Estimate *estimate, const Evidence *evidence, const InferenceOptions *options)
{
	Inference inference = infer(evidence, 1.0 - options->confidence);
	double df = (double) estimate->clusters - 1.0;

	estimate->method = evidence_method(evidence);
	estimate->interval = inference.interval;
	estimate->p_value = inference.p_value;
	estimate->tasks_effective = inference.tasks_effective;
	if (options->method == METHOD_AUTO || estimate->method == NULL || estimate->clusters < 2 ||
		estimate->std_error == 0.0)
		return BOOTSTRAP_NONE;
	estimate->method = interval_method_name(options->method);
	if (options->method != METHOD_T)
		return interval_resampling(options->method);
	estimate->interval = ClampTo(
		evidence->rule, t_interval(estimate->value, estimate->std_error, df, options->confidence));
	estimate->p_value = t_p_value(estimate->value, estimate->std_error, df);
	return BOOTSTRAP_NONE;
}

BootstrapMethod *
estimate_by_rules(Estimate *estimates, const Evidence *evidence, int n,
				  const InferenceOptions *options)
{
	BootstrapMethod *methods = palloc(mul_size(n, sizeof(BootstrapMethod)));
	bool any = false;

	for (int i = 0; i < n; i++) {
		methods[i] = isnan(estimates[i].value)
						 ? BOOTSTRAP_NONE
						 : EstimateByRule(&estimates[i], &evidence[i], options);
		any |= methods[i] != BOOTSTRAP_NONE;
	}
	return any ? methods : NULL;
}

void
estimate_by_resampling(Estimate *estimates, const BootstrapMethod *methods, Sample *sample,
					   const Derivation *derivation, const InferenceOptions *options)
{
	int n = derivation != NULL ? derivation->figures : sample->cells;
	BootstrapRequest request = {.resamples = options->resamples,
								.seed = options->seed,
								.confidence = options->confidence,
								.methods = methods,
								.derivation = derivation};
	BootstrapResult result = bootstrap(sample, &request);

	for (int i = 0; i < n; i++) {
		if (methods[i] == BOOTSTRAP_NONE)
			continue;
		estimates[i].interval = result.intervals[i];
		estimates[i].p_value = result.p_values[i];
		estimates[i].method = interval_method_name(options->method);
	}
}

/* ---- evidence from the cells of a sample ---- */

/* One column of a sample, over the clusters that have it. */
typedef struct Column {
	const double *sums, *sizes; /* at [i * stride]; sizes NULL: all 1 */
	int64 clusters;
	int stride;
	double m, sum, size;
	bool units; /* every size is 1 */
} Column;

static inline double
SizeAt(const Column *column, int64 i)
{
	return column->sizes == NULL ? 1.0 : column->sizes[i * column->stride];
}

static Column
ColumnOf(const Sample *sample, int cell)
{
	Column column = {.sums = sample->sums + cell,
					 .sizes = sample->sizes == NULL ? NULL : sample->sizes + cell,
					 .clusters = sample->clusters,
					 .stride = sample->cells,
					 .units = true};

	for (int64 i = 0; i < column.clusters; i++) {
		double size = SizeAt(&column, i);

		if (size == 0.0)
			continue;
		column.m += 1.0;
		column.sum += column.sums[i * column.stride];
		column.size += size;
		column.units &= size == 1.0;
	}
	return column;
}

static ShareEvidence
ShareOf(const Column *column)
{
	ShareEvidence evidence = {.tasks = column->m, .sum = column->sum};
	double mean = column->sum / column->m;

	for (int64 i = 0; i < column->clusters; i++) {
		double d = column->sums[i * column->stride] - mean;

		if (SizeAt(column, i) != 0.0)
			evidence.deviations += d * d;
	}
	return evidence;
}

static PairEvidence
PairOf(const Column *column)
{
	PairEvidence evidence = {.tasks = column->m};

	for (int64 i = 0; i < column->clusters; i++) {
		double d;

		if (SizeAt(column, i) == 0.0)
			continue;
		d = column->sums[i * column->stride] / SizeAt(column, i);
		evidence.sum += d;
		evidence.sizes += fabs(d);
		evidence.squares += d * d;
	}
	return evidence;
}

/* Degrees of freedom of the ratio's variance, and what to multiply it by (Bell and McCaffrey 2002).
 */
static double
RatioDf(const Column *column, double *correction)
{
	RatioEvidence evidence;

	*correction = column->m / (column->m - 1.0);
	if (column->units)
		return column->m - 1.0;
	evidence = ratio_evidence(column->sums, column->sizes, column->clusters, column->stride);
	*correction = evidence.correction;
	return evidence.df;
}

/* Beside the largest value, a spread of so little is rounding. */
#define ROUNDING (1.0 / ((double) (INT64CONST(1) << 40)))

/*
 * The mean of any numbers over clusters; of a ratio r the values are
 * r + m / sum n (s - r n), whose mean is r.
 */
static MeanEvidence
MeanOf(const Column *column)
{
	MeanEvidence evidence = {.clusters = column->m, .mean = column->sum / column->size};
	double scale = column->m / column->size;
	double largest = 0.0, spread = 0.0, unit, squares = 0.0, cubes = 0.0, correction;

	for (int64 i = 0; i < column->clusters; i++) {
		double d = scale * (column->sums[i * column->stride] - evidence.mean * SizeAt(column, i));

		if (SizeAt(column, i) == 0.0)
			continue;
		spread = Max(spread, fabs(d));
		largest = Max(largest, fabs(evidence.mean + d));
	}
	evidence.flat = !(spread > ROUNDING * largest);
	if (evidence.flat || !(column->m >= 2.0))
		return evidence;
	unit = unit_scale(spread);
	for (int64 i = 0; i < column->clusters; i++) {
		double d =
			unit * scale * (column->sums[i * column->stride] - evidence.mean * SizeAt(column, i));

		if (SizeAt(column, i) == 0.0)
			continue;
		squares += d * d;
		cubes += d * d * d;
	}
	evidence.df = RatioDf(column, &correction);
	evidence.std_error = sqrt(correction * squares) / column->m / unit;
	evidence.skewness = cubes / column->m / (squares / column->m * sqrt(squares / column->m));
	return evidence;
}

Evidence
cell_evidence(const Sample *sample, int cell, EstimateScale scale)
{
	Column column = ColumnOf(sample, cell);
	Evidence evidence = {.rule = RULE_NONE};

	if (column.m == 0.0)
		return evidence;
	if (scale == SCALE_PROPORTION && column.units) {
		evidence.rule = RULE_SHARE;
		evidence.of.share = ShareOf(&column);
		return evidence;
	}
	if (scale == SCALE_PROPORTION) {
		evidence.rule = RULE_RATE;
		evidence.of.rate = rate_evidence(sample, &cell, 1);
		return evidence;
	}
	if (!(scale == SCALE_DIFFERENCE && column.units)) {
		evidence.rule = RULE_MEAN;
		evidence.of.mean = MeanOf(&column);
	}
	if (scale == SCALE_DIFFERENCE && (column.units || column.m < 2.0 || evidence.of.mean.flat)) {
		evidence.rule = RULE_PAIR;
		evidence.of.pair = PairOf(&column);
	}
	return evidence;
}

/* ---- rates ---- */

static RatioEvidence
RatioAt(const Sample *sample, int cell)
{
	return ratio_evidence(sample->sums + cell, sample->sizes + cell, sample->clusters,
						  sample->cells);
}

/* What cluster i adds to the logarithm of the survival of a stage, to first order. */
static double
StageInfluence(const Sample *sample, int64 i, int cell, const RatioEvidence *stage)
{
	Size at = i * sample->cells + cell;
	double rest = Max(1.0 - stage->ratio, 1e-9);

	return (sample->sums[at] - stage->ratio * sample->sizes[at]) / stage->size / rest;
}

/* The same for all stages; without stages, that of the ratio itself. */
static double
RateInfluence(const Sample *sample, int64 i, const int *cells, const RateEvidence *rate)
{
	double sum = 0.0;

	if (rate->limit.stages == 0) {
		Size at = i * sample->cells + cells[0];

		return (sample->sums[at] - rate->ratio.ratio * sample->sizes[at]) / rate->ratio.size;
	}
	for (int j = 0; j < rate->limit.stages; j++)
		sum += StageInfluence(sample, i, cells[j], &rate->limit.stage[j]);
	return sum;
}

/* The variance of the stages together over that of independent ones. */
static double
Inflation(const Sample *sample, const int *cells, const RatioEvidence *stages, int n)
{
	double together = 0.0, apart = 0.0;

	for (int64 i = 0; i < sample->clusters; i++) {
		double sum = 0.0;

		for (int j = 0; j < n; j++) {
			double influence = StageInfluence(sample, i, cells[j], &stages[j]);

			sum += influence;
			apart += influence * influence;
		}
		together += sum * sum;
	}
	return apart > 0.0 ? Max(1.0, together / apart) : 1.0;
}

RateEvidence
rate_evidence(const Sample *sample, const int *cells, int n)
{
	RateEvidence evidence = {.ratio = RatioAt(sample, cells[0])};
	RatioEvidence *stages;
	double survival = 1.0;

	evidence.rate = evidence.ratio.ratio;
	if (n == 1)
		return evidence;
	stages = palloc(n * sizeof(RatioEvidence));
	for (int j = 0; j < n; j++) {
		stages[j] = RatioAt(sample, cells[j]);
		survival *= 1.0 - stages[j].ratio;
	}
	evidence.rate = 1.0 - survival;
	evidence.limit = (LimitEvidence){n, stages, Inflation(sample, cells, stages, n)};
	return evidence;
}

RateDifferenceEvidence
rate_difference_evidence(const Sample *sample, const int *first, int nfirst, const int *second,
						 int nsecond)
{
	RateDifferenceEvidence evidence = {.first = rate_evidence(sample, first, nfirst),
									   .second = rate_evidence(sample, second, nsecond)};
	double products = 0.0, squares1 = 0.0, squares2 = 0.0;

	for (int64 i = 0; i < sample->clusters; i++) {
		double e1 = RateInfluence(sample, i, first, &evidence.first);
		double e2 = RateInfluence(sample, i, second, &evidence.second);

		products += e1 * e2;
		squares1 += e1 * e1;
		squares2 += e2 * e2;
	}
	if (squares1 > 0.0 && squares2 > 0.0)
		evidence.correlation = products / (sqrt(squares1) * sqrt(squares2));
	return evidence;
}

/* ---- estimates ---- */

Estimate *
estimate_cells(Sample *sample, const EstimateScale *scales, const InferenceOptions *options)
{
	Evidence *evidence = palloc(mul_size(sample->cells, sizeof(Evidence)));

	for (int i = 0; i < sample->cells; i++) {
		CHECK_FOR_INTERRUPTS();
		evidence[i] = cell_evidence(sample, i, scales[i]);
	}
	return estimate_cells_of(sample, evidence, options);
}

Estimate *
estimate_cells_of(Sample *sample, const Evidence *evidence, const InferenceOptions *options)
{
	Estimate *estimates = palloc0(mul_size(sample->cells, sizeof(Estimate)));
	double *errors = sample_std_errors(sample);
	BootstrapMethod *methods;

	for (int i = 0; i < sample->cells; i++) {
		Column column = ColumnOf(sample, i);
		Estimate *estimate = &estimates[i];

		estimate->clusters = (int64) column.m;
		estimate->size = column.size;
		if (column.m > 0.0)
			estimate->value = column.sum / column.size;
		estimate->std_error = errors[i];
	}
	methods = estimate_by_rules(estimates, evidence, sample->cells, options);
	if (methods != NULL)
		estimate_by_resampling(estimates, methods, sample, NULL, options);
	return estimates;
}

Estimate *
estimate_figures(Sample *sample, const Derivation *derivation, const Evidence *evidence,
				 const InferenceOptions *options)
{
	Estimate *estimates = palloc0(mul_size(derivation->figures, sizeof(Estimate)));
	Derived *derived = sample_derive(sample, derivation);
	BootstrapMethod *methods;

	for (int i = 0; i < derivation->figures; i++) {
		estimates[i].clusters = derived[i].clusters;
		estimates[i].value = derived[i].value;
		estimates[i].std_error = derived[i].std_error;
	}
	methods = estimate_by_rules(estimates, evidence, derivation->figures, options);
	if (methods != NULL)
		estimate_by_resampling(estimates, methods, sample, derivation, options);
	return estimates;
}
