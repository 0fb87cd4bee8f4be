/*
 * recovery_diff: the measures of two arms, paired by task.
 */
#include "core/interrupts.h"
#include "summary/join.h"
#include "core/rows.h"
#include "recovery/figures.h"

#include <math.h>

#include "funcapi.h"
#include "utils/tuplestore.h"

#define DIFF_COLUMNS 14

/* One arm as it is read, key by key. */
typedef struct Arm {
	RecordReader reader;
	RecoveryTotals totals;	/* its sums and sizes are of the common tasks */
	double *sums, *sizes;	/* of the key at hand */
	RecoveryTotals ignored; /* what count_record counts beside them */
} Arm;

typedef struct Pairing {
	RecoveryFigures *figures;
	Arm arms[2];
	SampleBuilder builder;
	double *sums, *sizes; /* of a pair: both arms' cells */
	int64 *unpaired;	  /* by figure: tasks that one arm has */
} Pairing;

static bool
NextTask(void *reader)
{
	return records_next(reader);
}

static void
OpenArm(Arm *arm, const RecoveryFigures *figures, Datum summary)
{
	records_open(&arm->reader, &recovery_methods, summary);
	totals_start(&arm->totals, figures);
	totals_start(&arm->ignored, figures);
}

static void
CountTask(Arm *arm, const RecoveryFigures *figures, bool has)
{
	Size bytes = arm_cells(figures) * sizeof(double);

	memset(arm->sums, 0, bytes);
	memset(arm->sizes, 0, bytes);
	for (uint64 i = 0; has && i < arm->reader.n; i++) {
		RecoveryRecord record = recovery_record_at(&arm->reader, i);

		check_interrupts_at(i);
		count_record(figures, &record, TURNS_OF_EPISODES, arm->sums, arm->sizes, &arm->ignored);
	}
}

/* A measure that only one arm has of this task is taken out of both. */
static void
KeepCommon(Pairing *pairing)
{
	const RecoveryFigures *figures = pairing->figures;
	Arm *first = &pairing->arms[0], *second = &pairing->arms[1];

	for (int i = 0; i < figures->n; i++) {
		int cell = measure_cell(figures->asked[i].measure);

		pairing->unpaired[i] += (first->sizes[cell] > 0.0) != (second->sizes[cell] > 0.0);
	}
	for (int i = 0; i < figures->n; i++) {
		bool horizon = figures->asked[i].measure == MEASURE_WITHIN;
		int cell = measure_cell(figures->asked[i].measure);
		Size bytes = (horizon ? figures->hazards : 1) * sizeof(double);

		if (first->sizes[cell] > 0.0 && second->sizes[cell] > 0.0)
			continue;
		for (int arm = 0; arm < 2; arm++) {
			memset(pairing->arms[arm].sums + cell, 0, bytes);
			memset(pairing->arms[arm].sizes + cell, 0, bytes);
		}
	}
}

static void
AddPair(Pairing *pairing)
{
	int cells = arm_cells(pairing->figures);
	bool any = false;

	KeepCommon(pairing);
	for (int cell = 0; cell < 2 * cells; cell++)
		any |= pairing->sizes[cell] > 0.0;
	if (!any)
		return;
	sample_add_ratio(&pairing->builder, pairing->sums, pairing->sizes);
	for (int arm = 0; arm < 2; arm++)
		add_to_totals(&pairing->arms[arm].totals, pairing->figures, pairing->arms[arm].sums,
					  pairing->arms[arm].sizes);
}

static void
Pair(Pairing *pairing)
{
	RecoveryFigures *figures = pairing->figures;
	int cells = arm_cells(figures);
	Arm *first = &pairing->arms[0], *second = &pairing->arms[1];
	KeyJoin join;

	sample_start(&pairing->builder, 2 * cells);
	pairing->sums = palloc0(2 * cells * sizeof(double));
	pairing->sizes = palloc0(2 * cells * sizeof(double));
	pairing->unpaired = palloc0(figures->n * sizeof(int64));
	for (int arm = 0; arm < 2; arm++) {
		pairing->arms[arm].sums = pairing->sums + arm * cells;
		pairing->arms[arm].sizes = pairing->sizes + arm * cells;
	}
	join_start(&join, (JoinSide){&first->reader, NextTask, &first->reader.summary},
			   (JoinSide){&second->reader, NextTask, &second->reader.summary});
	while (join_next(&join)) {
		CHECK_FOR_INTERRUPTS();
		CountTask(first, figures, join.has_first && join.order <= 0);
		CountTask(second, figures, join.has_second && join.order >= 0);
		AddPair(pairing);
	}
	for (int arm = 0; arm < 2; arm++)
		records_close(&pairing->arms[arm].reader);
}

static double
ArmRate(const Pairing *pairing, int arm, const AskedMeasure *asked)
{
	const RecoveryTotals *totals = &pairing->arms[arm].totals;
	int cells = arm_cells(pairing->figures);
	double *ratios = palloc(cells * sizeof(double));
	double rate;

	for (int cell = 0; cell < cells; cell++)
		ratios[cell] = totals->sums[cell] / totals->sizes[cell];
	rate = measure_rate(pairing->figures, asked, ratios);
	pfree(ratios);
	return rate;
}

/* ---- rows ---- */

static void
PutDiff(ReturnSetInfo *rsinfo, const Pairing *pairing, int i, const double *rates,
		const Estimate *estimate)
{
	const AskedMeasure *asked = &pairing->figures->asked[i];
	int cell = measure_cell(asked->measure);
	bool any = !isnan(estimate->value) && estimate->clusters > 0;
	bool interval = estimate->method != NULL;
	Datum values[DIFF_COLUMNS];
	bool nulls[DIFF_COLUMNS] = {false};

	put_text(values, nulls, 0, measure_names[asked->measure]);
	put_bigint(values, nulls, 1, asked->measure == MEASURE_WITHIN ? &asked->within : NULL);
	put_float(values, nulls, 2, rates[0], !isnan(rates[0]));
	put_float(values, nulls, 3, rates[1], !isnan(rates[1]));
	put_float(values, nulls, 4, estimate->value, any);
	put_float(values, nulls, 5, estimate->std_error, any && estimate->clusters > 1);
	put_float(values, nulls, 6, estimate->interval.low, interval);
	put_float(values, nulls, 7, estimate->interval.high, interval);
	put_float(values, nulls, 8, estimate->p_value, interval);
	put_bigint(values, nulls, 9, &estimate->clusters);
	put_bigint(values, nulls, 10, &pairing->unpaired[i]);
	values[11] = count_datum(pairing->arms[0].totals.sizes[cell]);
	values[12] = count_datum(pairing->arms[1].totals.sizes[cell]);
	put_text(values, nulls, 13, estimate->method);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

static void
PutDiffs(ReturnSetInfo *rsinfo, Pairing *pairing, const InferenceOptions *options)
{
	RecoveryFigures *figures = pairing->figures;
	Derivation derivation = recovery_derivation(figures);
	Sample *sample = sample_finish(&pairing->builder);
	double *rates = palloc(2 * figures->n * sizeof(double));
	Estimate *estimates;

	for (int i = 0; i < figures->n; i++) {
		CHECK_FOR_INTERRUPTS();
		rates[2 * i] = ArmRate(pairing, 0, &figures->asked[i]);
		rates[2 * i + 1] = ArmRate(pairing, 1, &figures->asked[i]);
	}
	estimates = estimate_figures(sample, &derivation, recovery_evidence(figures, sample), options);
	for (int i = 0; i < figures->n; i++)
		PutDiff(rsinfo, pairing, i, rates + 2 * i, &estimates[i]);
}

/* recovery_diff(treatment, reference, within[], confidence, resamples, seed, method) */
PG_FUNCTION_INFO_V1(recovery_diff);
Datum
recovery_diff(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Pairing pairing = {0};
	RecoveryFigures figures;
	InferenceOptions options;
	Datum summaries[2];
	int64 longest = 0;

	InitMaterializedSRF(fcinfo, 0);
	figures = read_figures(fcinfo, 2, true);
	options = read_inference_options(fcinfo, 3);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	for (int arm = 0; arm < 2; arm++) {
		summaries[arm] = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(arm)));
		longest = Max(longest, longest_episode(summaries[arm]));
	}
	figures.arms = 2;
	set_hazards(&figures, longest);
	pairing.figures = &figures;
	for (int arm = 0; arm < 2; arm++)
		OpenArm(&pairing.arms[arm], &figures, summaries[arm]);
	Pair(&pairing);
	PutDiffs(rsinfo, &pairing, &options);
	return (Datum) 0;
}
