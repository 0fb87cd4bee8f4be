/*
 * pass_diff: the difference of two arms, paired by task, over the grid.
 */
#include "pass/arguments.h"
#include "pass/sample.h"

#include <math.h>

#include "core/distribution.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#define DIFF_COLUMNS 15

/* A difference that is not 0 in fewer tasks than this is sparse. */
#define SPARSE_DIFFERENCES 10

typedef struct DiffCell {
	IntervalMethod method;
	Bounds interval;
	double p_value;
	Bounds band;
	double p_adjusted;
	bool has_band;
	bool has_adjusted;
} DiffCell;

typedef struct Diff {
	GridArguments arguments;
	PairRequest pair;
	int cells;
	bool many;
	PairFigure *figures;
	DiffCell *results;
} Diff;

static bool
IsSparse(const PairFigure *figure)
{
	return figure->tasks < 2 || figure->nonzero < SPARSE_DIFFERENCES || figure->std_error == 0.0;
}

static IntervalMethod
ChooseMethod(const Diff *diff, const PairFigure *figure)
{
	IntervalMethod asked = diff->arguments.options.method;

	if (figure->tasks == 0)
		return METHOD_NONE;
	if (figure->tasks < 2 || figure->std_error == 0.0)
		return METHOD_MOVER;
	if (asked != METHOD_AUTO)
		return asked;
	return IsSparse(figure) ? METHOD_MOVER : METHOD_T;
}

static BootstrapMethod
ResamplingOf(IntervalMethod method)
{
	if (method == METHOD_BCA)
		return BOOTSTRAP_BCA;
	return method == METHOD_PERCENTILE ? BOOTSTRAP_PERCENTILE : BOOTSTRAP_NONE;
}

static Bounds
MoverOf(const PairFigure *figure, double z)
{
	return mover_interval(figure->mean_plus, figure->mean_minus, (double) figure->tasks, z);
}

static void
SetPointwise(const Diff *diff, const PairFigure *figure, DiffCell *cell)
{
	double confidence = diff->arguments.options.confidence;
	double m = (double) figure->tasks;

	cell->method = ChooseMethod(diff, figure);
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
SetResampled(Diff *diff, const BootstrapResult *result)
{
	for (int i = 0; i < diff->cells; i++) {
		DiffCell *cell = &diff->results[i];

		if (ResamplingOf(cell->method) == BOOTSTRAP_NONE)
			continue;
		cell->interval = result->intervals[i];
		cell->p_value = result->p_values[i];
	}
}

static void
SetBand(DiffCell *cell, const PairFigure *figure, const Bands *bands, bool sparse)
{
	double t;

	cell->has_band = figure->tasks > 0;
	if (!cell->has_band)
		return;
	cell->has_adjusted = true;
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

static void
Resample(Diff *diff)
{
	const InferenceOptions *options = &diff->arguments.options;
	BootstrapMethod *methods = palloc(diff->cells * sizeof(BootstrapMethod));
	bool *sparse = palloc(diff->cells * sizeof(bool));
	CommonArms common;
	PairFigure *figures;
	Sample *sample;
	bool any = false;
	Bands bands;

	SetCommonArms(&common, &diff->pair);
	figures = pass_pair_figures(&common.pair);
	for (int i = 0; i < diff->cells; i++) {
		methods[i] = ResamplingOf(diff->results[i].method);
		any |= methods[i] != BOOTSTRAP_NONE;
		sparse[i] = IsSparse(&figures[i]);
	}
	if (any) {
		BootstrapRequest request = {options->resamples, options->seed, options->confidence, methods,
									NULL};
		BootstrapResult result = bootstrap(pass_pair_sample(&diff->pair, 0), &request);

		SetResampled(diff, &result);
		memset(methods, 0, diff->cells * sizeof(BootstrapMethod));
	}
	if (figures[0].tasks < 2)
		return;
	sample = pass_pair_sample(&common.pair, diff->many ? CLUSTER_BLOCKS : 0);
	bands = make_bands(sample, options, methods, sparse, figures[0].tasks);
	for (int i = 0; i < diff->cells; i++)
		SetBand(&diff->results[i], &figures[i], &bands, sparse[i]);
}

static void
Compare(Diff *diff)
{
	diff->many = pass_task_count(diff->pair.first) > MANY_CLUSTERS;
	diff->cells = diff->arguments.request.nk * diff->arguments.request.nt;
	diff->figures = pass_pair_figures(&diff->pair);
	diff->results = palloc0(mul_size(diff->cells, sizeof(DiffCell)));
	for (int i = 0; i < diff->cells; i++)
		SetPointwise(diff, &diff->figures[i], &diff->results[i]);
	if (diff->arguments.options.resamples > 0)
		Resample(diff);
}

static void
PutFloat(Datum *values, bool *nulls, int i, double value, bool valid)
{
	values[i] = Float8GetDatum(value);
	nulls[i] = !valid;
}

static void
PutCell(ReturnSetInfo *rsinfo, const Diff *diff, int64 k, const int64 *t, int i)
{
	const PairFigure *figure = &diff->figures[i];
	const DiffCell *cell = &diff->results[i];
	const char *method = interval_method_name(cell->method);
	bool any = figure->tasks > 0;
	Datum values[DIFF_COLUMNS] = {0};
	bool nulls[DIFF_COLUMNS] = {false};

	values[0] = Int64GetDatum(k);
	nulls[1] = t == NULL;
	values[1] = t == NULL ? (Datum) 0 : Int64GetDatum(*t);
	PutFloat(values, nulls, 2, figure->first, any);
	PutFloat(values, nulls, 3, figure->second, any);
	PutFloat(values, nulls, 4, figure->diff, any);
	PutFloat(values, nulls, 5, figure->std_error, figure->tasks > 1);
	PutFloat(values, nulls, 6, cell->interval.low, any);
	PutFloat(values, nulls, 7, cell->interval.high, any);
	PutFloat(values, nulls, 8, cell->band.low, cell->has_band);
	PutFloat(values, nulls, 9, cell->band.high, cell->has_band);
	PutFloat(values, nulls, 10, cell->p_value, any);
	PutFloat(values, nulls, 11, cell->p_adjusted, cell->has_adjusted);
	values[12] = Int64GetDatum(figure->tasks);
	values[13] = Int64GetDatum(figure->tasks_short);
	nulls[14] = method == NULL;
	values[14] = method == NULL ? (Datum) 0 : CStringGetTextDatum(method);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * pass_diff(treatment, reference, k[], t[], confidence, resamples, seed,
 * method, match, task_set): treatment - reference, paired by task, a row per k
 * and t. p_value inverts the interval that is returned; p_adjusted holds over
 * all cells at once.
 */
PG_FUNCTION_INFO_V1(pass_diff);
Datum
pass_diff(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Diff diff = {.cells = 0};

	InitMaterializedSRF(fcinfo, 0);
	diff.arguments = read_grid(fcinfo, 2);
	diff.arguments.options = read_inference_options(fcinfo, 4);
	read_selection(fcinfo, 8, &diff.arguments.request);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	diff.pair.first = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
	diff.pair.second = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1)));
	diff.pair.first_request = diff.pair.second_request = &diff.arguments.request;
	Compare(&diff);
	for (int i = 0; i < diff.arguments.k.n; i++) {
		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < diff.arguments.t.n; j++)
			PutCell(rsinfo, &diff, diff.arguments.k.given[i],
					diff.arguments.t.given == NULL ? NULL : &diff.arguments.t.given[j],
					grid_cell(&diff.arguments, i, j));
	}
	return (Datum) 0;
}
