/*
 * dynamics_report, dynamics_diverged and dynamics_slopes.
 */
#include "core/rows.h"
#include "dynamics/dynamics.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#define REPORT_COLUMNS 28
#define SLOPE_COLUMNS  9

/* A value and the bounds of its interval, from column i. */
static void
PutEstimate(Datum *values, bool *nulls, int i, const Estimate *estimate)
{
	bool interval = estimate->method != NULL;

	put_float(values, nulls, i, estimate->value, estimate->clusters > 0);
	put_float(values, nulls, i + 1, estimate->interval.low, interval);
	put_float(values, nulls, i + 2, estimate->interval.high, interval);
}

static void
PutMethods(Datum *values, bool *nulls, int i, const DynamicsCheckpoint *at)
{
	put_text(values, nulls, i, at->multi.method);
	put_text(values, nulls, i + 1, at->single.method);
	put_text(values, nulls, i + 2, at->d_multi.method);
	put_text(values, nulls, i + 3, at->d_single.method);
	put_text(values, nulls, i + 4, at->gap.method);
}

static void
PutCheckpoint(ReturnSetInfo *rsinfo, const DynamicsReport *report, int i, bool resampled)
{
	DynamicsCheckpoint at = report->checkpoints[i];
	int64 absent = report->tasks - at.multi.clusters;
	Datum values[REPORT_COLUMNS];
	bool nulls[REPORT_COLUMNS];

	/* no change yet: 0, with nothing to estimate */
	if (i == 0)
		at.d_multi.clusters = at.d_single.clusters = at.gap.clusters = at.multi.clusters;
	put_bigint(values, nulls, 0, &at.checkpoint);
	PutEstimate(values, nulls, 1, &at.multi);
	PutEstimate(values, nulls, 4, &at.single);
	PutEstimate(values, nulls, 7, &at.d_multi);
	PutEstimate(values, nulls, 10, &at.d_single);
	PutEstimate(values, nulls, 13, &at.gap);
	put_float(values, nulls, 16, at.band.low, at.has_band);
	put_float(values, nulls, 17, at.band.high, at.has_band);
	put_bigint(values, nulls, 18, &at.multi.clusters);
	put_bigint(values, nulls, 19, &at.gap.clusters);
	put_bigint(values, nulls, 20, &absent);
	put_bigint(values, nulls, 21, &at.missing);
	values[22] = BoolGetDatum(at.diverged);
	nulls[22] = !resampled;
	PutMethods(values, nulls, 23, &at);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * dynamics_report(summary, confidence, resamples, seed, method): a row per
 * checkpoint. Without resamples there is no band, and diverged is null.
 */
PG_FUNCTION_INFO_V1(dynamics_report);
Datum
dynamics_report(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	InferenceOptions options = read_inference_options(fcinfo, 1);
	DynamicsReport report;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	report = dynamics_compare(PG_GETARG_DATUM(0), &options);
	for (int i = 0; i < report.n; i++)
		PutCheckpoint(rsinfo, &report, i, options.resamples > 0);
	return (Datum) 0;
}

/*
 * dynamics_diverged(summary, confidence, resamples, seed): the first checkpoint
 * from which on every band leaves 0 out; NULL when there is none.
 */
PG_FUNCTION_INFO_V1(dynamics_diverged);
Datum
dynamics_diverged(PG_FUNCTION_ARGS)
{
	InferenceOptions options = read_resampling_options(fcinfo, 1);
	DynamicsReport report;

	require_positive("resamples", options.resamples);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	options.method = METHOD_T; /* the band is all that is asked for */
	report = dynamics_compare(PG_GETARG_DATUM(0), &options);
	for (int i = 0; i < report.n; i++) {
		if (report.checkpoints[i].diverged)
			PG_RETURN_INT64(report.checkpoints[i].checkpoint);
	}
	PG_RETURN_NULL();
}

/* ---- slopes ---- */

enum { SLOPE_MULTI, SLOPE_SINGLE, SLOPE_GAP, SLOPES };

static const char *const slope_names[SLOPES] = {"r_multi", "r_single", "gap"};

/* Least-squares slopes of a task's complete points; false when these are fewer than two. */
static bool
TaskSlopes(const DynamicsReader *reader, double *slopes)
{
	uint64 origin = 0;
	double n = 0.0, mean = 0.0, squares = 0.0, multi = 0.0, single = 0.0;

	for (int i = 0; i < reader->npoints; i++) {
		if (!reader->points[i].complete)
			continue;
		/* from the first one on, so that no two coincide when they become doubles */
		if (n == 0.0)
			origin = (uint64) reader->points[i].checkpoint;
		mean += (double) ((uint64) reader->points[i].checkpoint - origin);
		n += 1.0;
	}
	if (n < 2.0)
		return false;
	mean /= n;
	for (int i = 0; i < reader->npoints; i++) {
		const DynamicsPoint *point = &reader->points[i];
		double x = (double) ((uint64) point->checkpoint - origin) - mean;

		if (!point->complete)
			continue;
		squares += x * x;
		multi += x * point->multi;
		single += x * point->single;
	}
	slopes[SLOPE_MULTI] = multi / squares;
	slopes[SLOPE_SINGLE] = single / squares;
	slopes[SLOPE_GAP] = slopes[SLOPE_MULTI] - slopes[SLOPE_SINGLE];
	return true;
}

static void
PutSlope(ReturnSetInfo *rsinfo, const char *measure, const Estimate *estimate, int64 tasks_short)
{
	bool interval = estimate->method != NULL;
	Datum values[SLOPE_COLUMNS];
	bool nulls[SLOPE_COLUMNS];

	put_text(values, nulls, 0, measure);
	put_float(values, nulls, 1, estimate->value, estimate->clusters > 0);
	put_float(values, nulls, 2, estimate->std_error, estimate->clusters > 1);
	put_float(values, nulls, 3, estimate->interval.low, interval);
	put_float(values, nulls, 4, estimate->interval.high, interval);
	put_float(values, nulls, 5, estimate->p_value, interval);
	put_bigint(values, nulls, 6, &estimate->clusters);
	put_bigint(values, nulls, 7, &tasks_short);
	put_text(values, nulls, 8, estimate->method);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * dynamics_slopes(summary, confidence, resamples, seed, method): change per
 * unit of checkpoint of both measures and of their difference. Each task gives
 * the least-squares slope of its own points; the figure is their mean.
 */
PG_FUNCTION_INFO_V1(dynamics_slopes);
Datum
dynamics_slopes(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	InferenceOptions options = read_inference_options(fcinfo, 1);
	EstimateScale scales[SLOPES] = {SCALE_MEAN, SCALE_MEAN, SCALE_MEAN};
	double slopes[SLOPES];
	int64 tasks_short = 0;
	DynamicsReader reader;
	SampleBuilder builder;
	Estimate *estimates;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	sample_start(&builder, SLOPES);
	dynamics_open(&reader, PG_GETARG_DATUM(0));
	while (dynamics_next_task(&reader)) {
		if (TaskSlopes(&reader, slopes))
			sample_add(&builder, slopes, NULL);
		else
			tasks_short++;
	}
	records_close(&reader.records);
	estimates = estimate_cells(sample_finish(&builder), scales, &options);
	for (int i = 0; i < SLOPES; i++) {
		dynamics_check_range(&estimates[i]);
		PutSlope(rsinfo, slope_names[i], &estimates[i], tasks_short);
	}
	return (Datum) 0;
}
