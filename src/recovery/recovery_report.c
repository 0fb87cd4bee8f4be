/*
 * recovery_report, recovery_by_depth and recovery_by_kind: one table of
 * measures, over all rollouts or by group.
 */
#include "core/depth.h"
#include "core/interrupts.h"
#include "core/rows.h"
#include "summary/keytext.h"
#include "recovery/figures.h"

#include <math.h>

#include "funcapi.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#define MEASURE_COLUMNS 15
#define MAX_LABELS		3
#define MAX_BINS		1000
/* cells of all groups: what their samples begin with is in proportion */
#define MAX_GROUP_CELLS 200000

typedef struct RolloutGroup {
	SampleBuilder builder;
	RecoveryTotals totals;
	double *sums, *sizes; /* of the task at hand */
	bool started;
	bool touched; /* by the task at hand */
} RolloutGroup;

typedef struct Grouping Grouping;
struct Grouping {
	/* the group of a record; -1: none */
	int (*choose)(const Grouping *grouping, const RecoveryRecord *record);
	TurnSource turns;
	int bins;
	int n;
	RolloutGroup *groups;
	int *touched;
	int ntouched;
};

/* ---- filling the groups ---- */

static void
StartGroup(RolloutGroup *group, const RecoveryFigures *figures)
{
	int cells = arm_cells(figures);

	sample_start(&group->builder, cells);
	totals_start(&group->totals, figures);
	group->sums = palloc0(cells * sizeof(double));
	group->sizes = palloc0(cells * sizeof(double));
	group->started = true;
}

static void
EndTask(RolloutGroup *group, const RecoveryFigures *figures)
{
	int cells = arm_cells(figures);
	bool any = false;

	for (int cell = 0; cell < cells; cell++)
		any |= group->sizes[cell] > 0.0;
	if (any) {
		sample_add_ratio(&group->builder, group->sums, group->sizes);
		add_to_totals(&group->totals, figures, group->sums, group->sizes);
		memset(group->sums, 0, cells * sizeof(double));
		memset(group->sizes, 0, cells * sizeof(double));
	}
	group->touched = false;
}

static void
AddTask(Grouping *grouping, const RecoveryFigures *figures, const RecordReader *reader)
{
	for (uint64 i = 0; i < reader->n; i++) {
		RecoveryRecord record = recovery_record_at(reader, i);
		int g = grouping->choose(grouping, &record);
		RolloutGroup *group;

		check_interrupts_at(i);
		if (g < 0)
			continue;
		group = &grouping->groups[g];
		if (!group->started)
			StartGroup(group, figures);
		if (!group->touched)
			grouping->touched[grouping->ntouched++] = g;
		group->touched = true;
		count_record(figures, &record, grouping->turns, group->sums, group->sizes, &group->totals);
	}
	while (grouping->ntouched > 0)
		EndTask(&grouping->groups[grouping->touched[--grouping->ntouched]], figures);
}

static void
SetGroups(Grouping *grouping, const RecoveryFigures *figures, int64 n)
{
	if (n * arm_cells(figures) > MAX_GROUP_CELLS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many groups for one report: %lld", (long long) n),
						errhint("Ask for fewer bins or a shorter horizon, or give fewer, broader "
								"kinds of error.")));
	grouping->n = (int) n;
	grouping->groups = palloc0(mul_size(n, sizeof(RolloutGroup)));
	grouping->touched = palloc(mul_size(n, sizeof(int)));
}

/* ---- rows ---- */

/* What stands before the measures in a row. */
typedef struct Labels {
	Datum values[MAX_LABELS];
	bool nulls[MAX_LABELS];
	int n;
} Labels;

static double
SumUpTo(const double *values, int64 n)
{
	double sum = 0.0;

	for (int64 i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* The tasks that have somebody at risk in the last stage of a rate. */
static int64
TasksAtRisk(const RateEvidence *rate)
{
	int stages = rate->limit.stages;

	return (int64) (stages > 0 ? rate->limit.stage[stages - 1].clusters : rate->ratio.clusters);
}

static void
PutMeasure(ReturnSetInfo *rsinfo, const Labels *labels, const RecoveryFigures *figures, int i,
		   const RecoveryTotals *totals, const Evidence *evidence, const Estimate *estimate)
{
	const AskedMeasure *asked = &figures->asked[i];
	bool horizon = asked->measure == MEASURE_WITHIN;
	int cell = measure_cell(asked->measure);
	int64 n = Min(asked->within, figures->hazards);
	bool any = !isnan(estimate->value) && estimate->clusters > 0;
	int64 at_risk = any ? TasksAtRisk(&evidence->of.rate) : 0;
	Datum values[MAX_LABELS + MEASURE_COLUMNS];
	bool nulls[MAX_LABELS + MEASURE_COLUMNS] = {false};
	Datum *to = values + labels->n;
	bool *null = nulls + labels->n;

	memcpy(values, labels->values, labels->n * sizeof(Datum));
	memcpy(nulls, labels->nulls, labels->n * sizeof(bool));
	put_text(to, null, 0, measure_names[asked->measure]);
	to[1] = count_datum(totals->sizes[cell]);
	to[2] = count_datum(horizon ? SumUpTo(totals->sums + cell, n) : totals->sums[cell]);
	put_float(to, null, 3, estimate->value, any);
	put_float(to, null, 4, estimate->std_error, any && estimate->clusters > 1);
	put_float(to, null, 5, estimate->interval.low, estimate->method != NULL);
	put_float(to, null, 6, estimate->interval.high, estimate->method != NULL);
	put_bigint(to, null, 7, &estimate->clusters);
	to[8] = count_datum(horizon ? SumUpTo(totals->censored_at + 1, n)
								: totals->censored[asked->measure]);
	to[9] =
		count_datum(horizon ? SumUpTo(totals->unknown_at + 1, n) : totals->unknown[asked->measure]);
	put_text(to, null, 10, estimate->method);
	put_bigint(to, null, 11, horizon ? &asked->within : NULL);
	to[12] = count_datum(horizon ? totals->solved : 0.0);
	null[12] = !horizon;
	put_float(to, null, 13, estimate->tasks_effective,
			  any && !isnan(estimate->tasks_effective) && estimate->method != NULL);
	put_bigint(to, null, 14, any ? &at_risk : NULL);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

static void
PutGroup(ReturnSetInfo *rsinfo, const Labels *labels, RecoveryFigures *figures, RolloutGroup *group,
		 const InferenceOptions *options)
{
	MemoryContext scratch =
		AllocSetContextCreate(CurrentMemoryContext, "recovery group", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	Derivation derivation = recovery_derivation(figures);
	Sample *sample;
	Evidence *evidence;
	Estimate *estimates;

	CHECK_FOR_INTERRUPTS();
	if (!group->started)
		StartGroup(group, figures);
	sample = sample_finish(&group->builder);
	evidence = recovery_evidence(figures, sample);
	estimates = estimate_figures(sample, &derivation, evidence, options);
	for (int i = 0; i < figures->n; i++)
		PutMeasure(rsinfo, labels, figures, i, &group->totals, &evidence[i], &estimates[i]);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}

/* ---- the reports ---- */

static int
ChooseAll(const Grouping *grouping, const RecoveryRecord *record)
{
	return record->type == RECORD_TURN ? -1 : 0;
}

/* bins: beyond the budget; bins + 1: no budget. */
static int
ChooseDepth(const Grouping *grouping, const RecoveryRecord *record)
{
	if (record->type == RECORD_TURN || record->first == 0)
		return -1;
	if (record->budget == 0)
		return grouping->bins + 1;
	if (record->first > record->budget)
		return grouping->bins;
	return depth_bin_of(record->first, record->budget, grouping->bins) - 1;
}

static int
ChooseKind(const Grouping *grouping, const RecoveryRecord *record)
{
	if (record->type == RECORD_ROLLOUT && record->first == 0)
		return -1;
	/* the dictionary's words begin with 1; what has no kind comes last */
	return record->kind == RECORD_NO_TEXT ? grouping->n - 1 : (int) record->kind - 1;
}

static Datum
ReadSummary(FunctionCallInfo fcinfo, RecoveryFigures *figures)
{
	Datum summary = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));

	set_hazards(figures, longest_episode(summary));
	return summary;
}

static void
FillGroups(Grouping *grouping, const RecoveryFigures *figures, RecordReader *reader)
{
	while (records_next(reader))
		AddTask(grouping, figures, reader);
}

/* recovery_report(summary, within[], confidence, resamples, seed, method) */
PG_FUNCTION_INFO_V1(recovery_report);
Datum
recovery_report(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Grouping grouping = {.choose = ChooseAll, .turns = TURNS_OF_EPISODES};
	Labels none = {.n = 0};
	RecoveryFigures figures;
	InferenceOptions options;
	RecordReader reader;

	InitMaterializedSRF(fcinfo, 0);
	figures = read_figures(fcinfo, 1, true);
	options = read_inference_options(fcinfo, 2);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	records_open(&reader, &recovery_methods, ReadSummary(fcinfo, &figures));
	SetGroups(&grouping, &figures, 1);
	FillGroups(&grouping, &figures, &reader);
	PutGroup(rsinfo, &none, &figures, &grouping.groups[0], &options);
	records_close(&reader);
	return (Datum) 0;
}

static int
ReadBins(FunctionCallInfo fcinfo, int i)
{
	require_argument(fcinfo, i, "bins");
	require_positive("bins", PG_GETARG_INT32(i));
	if (PG_GETARG_INT32(i) > MAX_BINS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("bins must not be more than %d", MAX_BINS)));
	return PG_GETARG_INT32(i);
}

static void
SetDepthLabels(Labels *labels, int bins, int g)
{
	bool known = g <= bins;

	labels->n = 3;
	labels->values[0] = Int32GetDatum(g + 1);
	labels->nulls[0] = g >= bins;
	put_float(labels->values, labels->nulls, 1, (double) g / bins, known);
	put_float(labels->values, labels->nulls, 2, (double) (g + 1) / bins, g < bins);
}

/* recovery_by_depth(summary, bins, within[], confidence, resamples, seed, method) */
PG_FUNCTION_INFO_V1(recovery_by_depth);
Datum
recovery_by_depth(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Grouping grouping = {.choose = ChooseDepth, .turns = TURNS_OF_EPISODES};
	RecoveryFigures figures;
	InferenceOptions options;
	RecordReader reader;

	InitMaterializedSRF(fcinfo, 0);
	grouping.bins = ReadBins(fcinfo, 1);
	figures = read_figures(fcinfo, 2, false);
	options = read_inference_options(fcinfo, 3);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	records_open(&reader, &recovery_methods, ReadSummary(fcinfo, &figures));
	SetGroups(&grouping, &figures, grouping.bins + 2);
	FillGroups(&grouping, &figures, &reader);
	for (int g = 0; g < grouping.n; g++) {
		Labels labels;

		/* a bin without rollouts is shown as empty; the other two only when they are not */
		if (g >= grouping.bins && !grouping.groups[g].started)
			continue;
		SetDepthLabels(&labels, grouping.bins, g);
		PutGroup(rsinfo, &labels, &figures, &grouping.groups[g], &options);
	}
	records_close(&reader);
	return (Datum) 0;
}

/* recovery_by_kind(summary, within[], confidence, resamples, seed, method) */
PG_FUNCTION_INFO_V1(recovery_by_kind);
Datum
recovery_by_kind(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Grouping grouping = {.choose = ChooseKind, .turns = TURNS_BY_KIND};
	RecoveryFigures figures;
	InferenceOptions options;
	RecordReader reader;

	InitMaterializedSRF(fcinfo, 0);
	figures = read_figures(fcinfo, 1, false);
	options = read_inference_options(fcinfo, 2);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	records_open(&reader, &recovery_methods, ReadSummary(fcinfo, &figures));
	SetGroups(&grouping, &figures, (int64) reader.ntexts + 1);
	FillGroups(&grouping, &figures, &reader);
	for (int g = 0; g < grouping.n; g++) {
		Labels labels = {.n = 1};

		if (!grouping.groups[g].started)
			continue;
		labels.nulls[0] = g == grouping.n - 1;
		if (!labels.nulls[0])
			labels.values[0] = key_text(KEYS_TEXT, &reader.texts[g]);
		PutGroup(rsinfo, &labels, &figures, &grouping.groups[g], &options);
	}
	records_close(&reader);
	return (Datum) 0;
}
