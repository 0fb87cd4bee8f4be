/*
 * length_matched_diff and length_matched_pairs.
 */
#include "stats/estimate.h"
#include "core/rows.h"
#include "summary/keytext.h"
#include "matched/matched.h"

#include <math.h>

#include "funcapi.h"
#include "core/interrupts.h"

#define DIFF_COLUMNS 15
#define PAIR_COLUMNS 8

/* Sums over all pairs and rollouts. */
typedef struct Totals {
	int64 pairs;
	double treatment, reference, gaps;
	int64 unmatched_treatment, unmatched_reference;
	int64 missing_treatment, missing_reference;
} Totals;

static double
ToleranceArgument(FunctionCallInfo fcinfo, int i)
{
	double tolerance;

	require_argument(fcinfo, i, "tolerance");
	tolerance = PG_GETARG_FLOAT8(i);
	if (!(tolerance >= 0.0 && tolerance <= MAX_TOLERANCE))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("tolerance must be between 0 and 0.5, not %g", tolerance),
						errdetail("It is the largest gap of a pair, a share of the longer "
								  "length."),
						errhint("For 10 percent give 0.1.")));
	return tolerance;
}

static double
PairGap(const MatchedReader *reader, const MatchedPair *pair)
{
	return gap_value(
		gap_of(reader->treatment.lengths[pair->a], reader->reference.lengths[pair->b]));
}

/* Adds a task to the totals, and to the sample when it has a pair. */
static void
AddTask(const MatchedReader *reader, SampleBuilder *builder, Totals *totals)
{
	const MatchedArm *treatment = &reader->treatment, *reference = &reader->reference;
	int32 n = reader->matcher.npairs;
	double sum = 0.0, size = n;

	for (int32 i = 0; i < n; i++) {
		const MatchedPair *pair = &reader->matcher.pairs[i];

		totals->treatment += treatment->values[pair->a];
		totals->reference += reference->values[pair->b];
		totals->gaps += PairGap(reader, pair);
		sum += treatment->values[pair->a] - reference->values[pair->b];
	}
	totals->pairs += n;
	totals->unmatched_treatment += treatment->n - n;
	totals->unmatched_reference += reference->n - n;
	totals->missing_treatment += treatment->missing;
	totals->missing_reference += reference->missing;
	if (n > 0)
		sample_add_ratio(builder, &sum, &size);
}

static void
CheckRange(const Totals *totals, const Estimate *estimate)
{
	if (!isfinite(totals->treatment) || !isfinite(totals->reference) ||
		!isfinite(estimate->value) || !isfinite(estimate->std_error))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("the values are too large to be summed")));
}

static void
PutDifference(ReturnSetInfo *rsinfo, const Totals *totals, const Estimate *estimate)
{
	Datum values[DIFF_COLUMNS];
	bool nulls[DIFF_COLUMNS];
	bool any = totals->pairs > 0;
	bool interval = estimate->method != NULL;
	double pairs = (double) totals->pairs;

	put_bigint(values, nulls, 0, &totals->pairs);
	put_bigint(values, nulls, 1, &estimate->clusters);
	put_float(values, nulls, 2, totals->treatment / pairs, any);
	put_float(values, nulls, 3, totals->reference / pairs, any);
	put_float(values, nulls, 4, estimate->value, any);
	put_float(values, nulls, 5, estimate->std_error, estimate->clusters > 1);
	put_float(values, nulls, 6, estimate->interval.low, interval);
	put_float(values, nulls, 7, estimate->interval.high, interval);
	put_bigint(values, nulls, 8, &totals->unmatched_treatment);
	put_bigint(values, nulls, 9, &totals->unmatched_reference);
	put_float(values, nulls, 10, totals->gaps / pairs, any);
	put_text(values, nulls, 11, estimate->method);
	put_float(values, nulls, 12, estimate->p_value, interval);
	put_bigint(values, nulls, 13, &totals->missing_treatment);
	put_bigint(values, nulls, 14, &totals->missing_reference);
	put_row(rsinfo, values, nulls);
}

/*
 * length_matched_diff(summary, tolerance, confidence, resamples, seed, method):
 * the mean difference of value between rollouts of like length, over pairs;
 * intervals over tasks.
 */
PG_FUNCTION_INFO_V1(length_matched_diff);
Datum
length_matched_diff(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	double tolerance = ToleranceArgument(fcinfo, 1);
	InferenceOptions options = read_inference_options(fcinfo, 2);
	EstimateScale scale = SCALE_MEAN;
	Totals totals = {0};
	MatchedReader reader;
	SampleBuilder builder;
	Estimate *estimate;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	matched_open(&reader, PG_GETARG_DATUM(0), tolerance);
	sample_start(&builder, 1);
	while (matched_next_task(&reader))
		AddTask(&reader, &builder, &totals);
	records_close(&reader.records);
	estimate = estimate_cells(sample_finish(&builder), &scale, &options);
	CheckRange(&totals, estimate);
	PutDifference(rsinfo, &totals, estimate);
	return (Datum) 0;
}

static void
PutPair(ReturnSetInfo *rsinfo, const MatchedReader *reader, const MatchedPair *pair)
{
	const MatchedArm *treatment = &reader->treatment, *reference = &reader->reference;
	const SummaryReader *summary = &reader->records.summary;
	Datum values[PAIR_COLUMNS];
	bool nulls[PAIR_COLUMNS] = {false};

	values[0] = key_text(summary->kind, &summary->key);
	values[1] = Int64GetDatum(treatment->lengths[pair->a]);
	values[2] = Int64GetDatum(reference->lengths[pair->b]);
	values[3] = Float8GetDatum(PairGap(reader, pair));
	values[4] = Float8GetDatum(treatment->values[pair->a]);
	values[5] = Float8GetDatum(reference->values[pair->b]);
	values[6] = Int64GetDatum(treatment->alike[pair->a]);
	values[7] = Int64GetDatum(reference->alike[pair->b]);
	put_row(rsinfo, values, nulls);
}

/*
 * length_matched_pairs(summary, tolerance): a row per pair, by task and length.
 */
PG_FUNCTION_INFO_V1(length_matched_pairs);
Datum
length_matched_pairs(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	double tolerance = ToleranceArgument(fcinfo, 1);
	MatchedReader reader;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	matched_open(&reader, PG_GETARG_DATUM(0), tolerance);
	while (matched_next_task(&reader)) {
		for (int32 i = 0; i < reader.matcher.npairs; i++) {
			check_interrupts_at(i);
			PutPair(rsinfo, &reader, &reader.matcher.pairs[i]);
		}
	}
	records_close(&reader.records);
	return (Datum) 0;
}
