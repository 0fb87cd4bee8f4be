#include "pass/compare.h"

#include <math.h>

#include "stats/distribution.h"

/* A difference that is not 0 in fewer tasks than this is sparse. */
#define SPARSE_DIFFERENCES 10

static bool
IsSparse(const PairFigure *figure)
{
	return figure->tasks < 2 || figure->nonzero < SPARSE_DIFFERENCES || figure->std_error == 0.0;
}

static IntervalMethod
ChooseMethod(const Comparison *comparison, const PairFigure *figure)
{
	IntervalMethod asked = comparison->options.method;

	if (figure->tasks == 0)
		return METHOD_NONE;
	if (figure->tasks < 2 || figure->std_error == 0.0)
		return METHOD_MOVER;
	if (asked != METHOD_AUTO)
		return asked;
	return IsSparse(figure) ? METHOD_MOVER : METHOD_T;
}

static Bounds
MoverOf(const PairFigure *figure, double z)
{
	return mover_interval(figure->mean_plus, figure->mean_minus, (double) figure->tasks, z);
}

static void
SetPointwise(const Comparison *comparison, const PairFigure *figure, ComparedCell *cell)
{
	double confidence = comparison->options.confidence;
	double m = (double) figure->tasks;

	cell->method = ChooseMethod(comparison, figure);
	if (cell->method == METHOD_MOVER) {
		cell->interval = MoverOf(figure, confidence_z(confidence));
		cell->p_value = mover_p_value(figure->mean_plus, figure->mean_minus, m);
	} else if (cell->method == METHOD_T) {
		cell->interval = clamp_bounds(
			t_interval(figure->diff, figure->std_error, m - 1.0, confidence), -1.0, 1.0);
		cell->p_value = t_p_value(figure->diff, figure->std_error, m - 1.0);
	}
}

static void
SetResampled(Comparison *comparison, const BootstrapResult *result)
{
	for (int i = 0; i < comparison->cells; i++) {
		ComparedCell *cell = &comparison->results[i];

		if (interval_resampling(cell->method) == BOOTSTRAP_NONE)
			continue;
		cell->interval = result->intervals[i];
		cell->p_value = result->p_values[i];
	}
}

static void
SetBand(ComparedCell *cell, const PairFigure *figure, const Bands *bands, bool sparse)
{
	double t;

	cell->has_band = true;
	if (sparse) {
		double p = mover_p_value(figure->mean_plus, figure->mean_minus, (double) figure->tasks);

		cell->band = MoverOf(figure, bands->critical);
		t = -normal_quantile(p / 2.0);
	} else {
		double half = bands->critical * bands->factor * figure->std_error;

		cell->band = clamp_bounds((Bounds){figure->diff - half, figure->diff + half}, -1.0, 1.0);
		t = fabs(figure->diff) / figure->std_error;
	}
	cell->p_adjusted = band_p_value(bands, t, sparse);
}

/* The same two arms over the tasks that every cell has. */
typedef struct CommonArms {
	PassRequest first, second;
	PairRequest pair;
} CommonArms;

static void
SetCommonArms(CommonArms *common, const PairRequest *pair)
{
	common->first = *pair->first_request;
	common->second = *pair->second_request;
	common->first.task_set = common->second.task_set = TASKS_COMMON;
	common->pair = *pair;
	common->pair.first_request = &common->first;
	common->pair.second_request = &common->second;
}

/* Intervals and p values of the cells whose method resamples. */
static void
ResampleIntervals(Comparison *comparison)
{
	const InferenceOptions *options = &comparison->options;
	BootstrapMethod *methods = palloc(comparison->cells * sizeof(BootstrapMethod));
	BootstrapRequest request = {options->resamples, options->seed, options->confidence, methods,
								NULL};
	bool any = false;
	BootstrapResult result;

	for (int i = 0; i < comparison->cells; i++) {
		methods[i] = interval_resampling(comparison->results[i].method);
		any |= methods[i] != BOOTSTRAP_NONE;
	}
	if (!any)
		return;
	result = bootstrap(pass_pair_sample(&comparison->pair, 0), &request);
	SetResampled(comparison, &result);
}

static void
SetBands(Comparison *comparison)
{
	BootstrapMethod *none = palloc0(comparison->cells * sizeof(BootstrapMethod));
	bool *sparse = palloc(comparison->cells * sizeof(bool));
	int64 blocks = max_t_blocks(pass_task_count(comparison->pair.first), comparison->cells,
								comparison->options.resamples);
	PairFigure *figures = comparison->figures;
	CommonArms common;
	Bands bands;

	SetCommonArms(&common, &comparison->pair);
	if (comparison->pair.first_request->task_set != TASKS_COMMON)
		figures = pass_pair_figures(&common.pair);
	if (figures[0].tasks < 2)
		return;
	for (int i = 0; i < comparison->cells; i++)
		sparse[i] = IsSparse(&figures[i]);
	bands = make_bands(pass_pair_sample(&common.pair, blocks), &comparison->options, none, sparse,
					   figures[0].tasks);
	for (int i = 0; i < comparison->cells; i++)
		SetBand(&comparison->results[i], &figures[i], &bands, sparse[i]);
}

void
pass_compare(Comparison *comparison)
{
	const PassRequest *request = comparison->pair.first_request;

	comparison->cells = request->nk * request->nt;
	comparison->figures = pass_pair_figures(&comparison->pair);
	comparison->results = palloc0(mul_size(comparison->cells, sizeof(ComparedCell)));
	for (int i = 0; i < comparison->cells; i++)
		SetPointwise(comparison, &comparison->figures[i], &comparison->results[i]);
	if (comparison->options.resamples == 0)
		return;
	ResampleIntervals(comparison);
	if (comparison->bands)
		SetBands(comparison);
}
