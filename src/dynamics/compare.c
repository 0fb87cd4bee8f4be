/*
 * A training run by checkpoint: means, changes since the first checkpoint, and
 * a band for the gap between the changes of the two measures.
 */
#include "dynamics/dynamics.h"

#include <math.h>

#include "core/array.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define MAX_CHECKPOINTS 10000
/* Checkpoints times tasks; a sample holds a few numbers for each. */
#define MAX_POINTS 10000000

/* Cells of a checkpoint in the sample of changes. */
enum { CHANGE_MULTI, CHANGE_SINGLE, CHANGE_HALF_GAP, CHANGE_CELLS };

void
dynamics_check_range(const Estimate *estimate)
{
	if (!isfinite(estimate->value) || !isfinite(estimate->std_error))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("the values are too large to be summed")));
}

/* ---- the checkpoints of a summary ---- */

/* Where a checkpoint stands, or would. */
static int
PlaceOf(const DynamicsReport *report, int64 checkpoint)
{
	int low = 0, high = report->n;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (report->checkpoints[middle].checkpoint < checkpoint)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
AddCheckpoint(DynamicsReport *report, int *capacity, int place, int64 checkpoint)
{
	DynamicsCheckpoint *at;

	CHECK_FOR_INTERRUPTS();
	if (report->n == MAX_CHECKPOINTS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("cannot compare more than %d checkpoints", MAX_CHECKPOINTS),
						errhint("Aggregate ranges of checkpoints.")));
	if (report->n == *capacity) {
		*capacity = Max(16, *capacity * 2);
		report->checkpoints = array_with_room(CurrentMemoryContext, report->checkpoints, *capacity,
											  sizeof(DynamicsCheckpoint));
	}
	at = report->checkpoints + place;
	memmove(at + 1, at, (report->n - place) * sizeof(DynamicsCheckpoint));
	memset(at, 0, sizeof(*at));
	at->checkpoint = checkpoint;
	report->n++;
}

static void
CheckSize(const DynamicsReport *report)
{
	if (report->tasks * report->n > MAX_POINTS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many checkpoints and tasks to compare"),
						errdetail("Their product is above %d.", MAX_POINTS),
						errhint("Aggregate fewer checkpoints, or ranges of them.")));
}

static inline bool
IsShare(uint64 word)
{
	double value = record_float_value(word);

	return word == RECORD_NO_FLOAT || (value >= 0.0 && value <= 1.0);
}

static bool
AllShares(const RecordReader *records)
{
	for (uint64 i = 0; i < records->n; i++) {
		const uint64 *record = record_at(records, i);

		if (!IsShare(record[DYNAMICS_MULTI]) || !IsShare(record[DYNAMICS_SINGLE]))
			return false;
	}
	return true;
}

static DynamicsReport
ListCheckpoints(Datum summary)
{
	DynamicsReport report = {.proportions = true};
	DynamicsReader reader;
	int capacity = 0;

	dynamics_open(&reader, summary);
	while (dynamics_next_task(&reader)) {
		report.tasks++;
		report.proportions = report.proportions && AllShares(&reader.records);
		for (int i = 0; i < reader.npoints; i++) {
			int64 checkpoint = reader.points[i].checkpoint;
			int place = PlaceOf(&report, checkpoint);

			if (place == report.n || report.checkpoints[place].checkpoint != checkpoint)
				AddCheckpoint(&report, &capacity, place, checkpoint);
			report.checkpoints[place].missing += reader.points[i].missing;
			CheckSize(&report);
		}
	}
	records_close(&reader.records);
	CheckSize(&report);
	return report;
}

/* ---- samples ---- */

/* The means of a task at each checkpoint; false when it is complete at none. */
static bool
TaskMeans(const DynamicsReport *report, const DynamicsReader *reader, double *values, bool *present)
{
	bool any = false;

	memset(present, 0, 2 * report->n * sizeof(bool));
	for (int i = 0; i < reader->npoints; i++) {
		const DynamicsPoint *point = &reader->points[i];
		int cell = 2 * PlaceOf(report, point->checkpoint);

		if (!point->complete)
			continue;
		values[cell] = point->multi;
		values[cell + 1] = point->single;
		present[cell] = present[cell + 1] = any = true;
	}
	return any;
}

/* A task's changes since the first checkpoint; false when it is not complete at two of them. */
static bool
TaskChanges(const DynamicsReport *report, const DynamicsReader *reader, double *values,
			bool *present)
{
	const DynamicsPoint *first = &reader->points[0];
	bool any = false;

	memset(present, 0, CHANGE_CELLS * report->n * sizeof(bool));
	if (!first->complete || first->checkpoint != report->checkpoints[0].checkpoint)
		return false;
	for (int i = 1; i < reader->npoints; i++) {
		const DynamicsPoint *point = &reader->points[i];
		int cell = CHANGE_CELLS * (PlaceOf(report, point->checkpoint) - 1);

		if (!point->complete)
			continue;
		values[cell + CHANGE_MULTI] = point->multi - first->multi;
		values[cell + CHANGE_SINGLE] = point->single - first->single;
		/* half of it lies in [-1, 1] when the values are proportions */
		values[cell + CHANGE_HALF_GAP] =
			(values[cell + CHANGE_MULTI] - values[cell + CHANGE_SINGLE]) / 2.0;
		for (int j = 0; j < CHANGE_CELLS; j++)
			present[cell + j] = true;
		any = true;
	}
	return any;
}

typedef bool (*TaskValues)(const DynamicsReport *report, const DynamicsReader *reader,
						   double *values, bool *present);

/* evidence: by cell, to be filled in; or NULL */
static Estimate *
EstimateTasks(const DynamicsReport *report, Datum summary, TaskValues values_of, int cells,
			  EstimateScale scale, const InferenceOptions *options, Evidence *evidence)
{
	double *values = palloc0(mul_size(CHANGE_CELLS * report->n, sizeof(double)));
	bool *present = palloc0(mul_size(CHANGE_CELLS * report->n, sizeof(bool)));
	EstimateScale *scales = palloc(mul_size(cells, sizeof(EstimateScale)));
	DynamicsReader reader;
	SampleBuilder builder;
	Estimate *estimates;

	for (int i = 0; i < cells; i++)
		scales[i] = scale;
	dynamics_open(&reader, summary);
	sample_start(&builder, cells);
	while (dynamics_next_task(&reader)) {
		if (values_of(report, &reader, values, present))
			sample_add(&builder, values, present);
	}
	records_close(&reader.records);
	for (int i = 0; i < cells && evidence != NULL; i++)
		evidence[i] = cell_evidence(&builder.sample, i, scale);
	estimates = estimate_cells(sample_finish(&builder), scales, options);
	for (int i = 0; i < cells; i++)
		dynamics_check_range(&estimates[i]);
	pfree(builder.sample.sums);
	if (builder.sample.sizes != NULL)
		pfree(builder.sample.sizes);
	return estimates;
}

static void
SetMeans(DynamicsReport *report, Datum summary, const InferenceOptions *options)
{
	EstimateScale scale = report->proportions ? SCALE_PROPORTION : SCALE_MEAN;
	Estimate *estimates =
		EstimateTasks(report, summary, TaskMeans, 2 * report->n, scale, options, NULL);

	for (int i = 0; i < report->n; i++) {
		report->checkpoints[i].multi = estimates[2 * i];
		report->checkpoints[i].single = estimates[2 * i + 1];
	}
}

/* Gives the evidence of the half gaps, by checkpoint from the second on. */
static Evidence *
SetChanges(DynamicsReport *report, Datum summary, const InferenceOptions *options)
{
	EstimateScale scale = report->proportions ? SCALE_DIFFERENCE : SCALE_MEAN;
	int cells = CHANGE_CELLS * (report->n - 1);
	Evidence *evidence = palloc(mul_size(cells, sizeof(Evidence)));
	Evidence *gaps = palloc(mul_size(report->n - 1, sizeof(Evidence)));
	Estimate *estimates =
		EstimateTasks(report, summary, TaskChanges, cells, scale, options, evidence);

	for (int i = 1; i < report->n; i++) {
		const Estimate *changes = estimates + CHANGE_CELLS * (i - 1);
		DynamicsCheckpoint *at = &report->checkpoints[i];

		gaps[i - 1] = evidence[CHANGE_CELLS * (i - 1) + CHANGE_HALF_GAP];
		at->d_multi = changes[CHANGE_MULTI];
		at->d_single = changes[CHANGE_SINGLE];
		at->gap = changes[CHANGE_HALF_GAP];
	}
	pfree(evidence);
	return gaps;
}

/* ---- the band ---- */

/* The half gaps less their mean, over the tasks that have the checkpoint. */
static Influences *
GapInfluences(const DynamicsReport *report, Datum summary)
{
	int cells = report->n - 1;
	double *values = palloc0(mul_size(CHANGE_CELLS * report->n, sizeof(double)));
	bool *present = palloc0(mul_size(CHANGE_CELLS * report->n, sizeof(bool)));
	Influences *influences = influences_start(cells, report->tasks);
	DynamicsReader reader;

	dynamics_open(&reader, summary);
	while (dynamics_next_task(&reader)) {
		double *row;

		if (!TaskChanges(report, &reader, values, present))
			continue;
		row = influences_next(influences);
		for (int i = 0; i < cells; i++) {
			int cell = CHANGE_CELLS * i + CHANGE_HALF_GAP;

			if (present[cell])
				row[i] += values[cell] - report->checkpoints[i + 1].gap.value;
		}
	}
	records_close(&reader.records);
	return influences;
}

/* Bands of the half gaps. */
static void
SetBands(DynamicsReport *report, Datum summary, const Evidence *gaps,
		 const InferenceOptions *options)
{
	int cells = report->n - 1;
	Estimate *estimates = palloc(mul_size(cells, sizeof(Estimate)));
	Bands bands;

	for (int i = 0; i < cells; i++)
		estimates[i] = report->checkpoints[i + 1].gap;
	bands = make_bands(GapInfluences(report, summary), gaps, estimates, options);
	for (int i = 0; i < cells; i++) {
		DynamicsCheckpoint *at = &report->checkpoints[i + 1];

		at->has_band = at->gap.method != NULL;
		at->band = bands.band[i];
	}
}

static Bounds
Doubled(Bounds bounds)
{
	return (Bounds){2.0 * bounds.low, 2.0 * bounds.high};
}

/* From half gaps to gaps. */
static void
DoubleGaps(DynamicsReport *report)
{
	for (int i = 1; i < report->n; i++) {
		DynamicsCheckpoint *at = &report->checkpoints[i];

		at->gap.value *= 2.0;
		at->gap.std_error *= 2.0;
		at->gap.interval = Doubled(at->gap.interval);
		at->band = Doubled(at->band);
	}
}

/* From the last checkpoint back: as long as every band leaves 0 out. */
static void
SetDiverged(DynamicsReport *report)
{
	for (int i = report->n; i-- > 1;) {
		DynamicsCheckpoint *at = &report->checkpoints[i];

		if (!at->has_band || (at->band.low <= 0.0 && at->band.high >= 0.0))
			return;
		at->diverged = true;
	}
}

DynamicsReport
dynamics_compare(Datum summary, const InferenceOptions *options)
{
	DynamicsReport report = ListCheckpoints(summary);
	Evidence *gaps;

	if (report.n == 0)
		return report;
	SetMeans(&report, summary, options);
	if (report.n == 1)
		return report;
	gaps = SetChanges(&report, summary, options);
	if (options->resamples > 0)
		SetBands(&report, summary, gaps, options);
	DoubleGaps(&report);
	SetDiverged(&report);
	return report;
}
