/*
 * recovery_rate: one figure of a summary; recovery_turns: how long episodes last.
 */
#include "core/interrupts.h"
#include "core/rows.h"
#include "recovery/figures.h"

#include <math.h>

#include "funcapi.h"
#include "utils/tuplestore.h"

#define TURNS_COLUMNS 13

/* Episodes of all tasks by their length, from 1. */
typedef struct EpisodeCounts {
	int64 longest;
	double *recovered, *censored, *unknown; /* [longest + 1] */
	double failed, solved;
} EpisodeCounts;

static EpisodeCounts
CountEpisodes(Datum summary)
{
	EpisodeCounts counts = {.longest = longest_episode(summary)};
	Size bytes = (counts.longest + 1) * sizeof(double);
	RecordReader reader;

	counts.recovered = palloc0(bytes);
	counts.censored = palloc0(bytes);
	counts.unknown = palloc0(bytes);
	records_open(&reader, &recovery_methods, summary);
	while (records_next(&reader)) {
		for (uint64 i = 0; i < reader.n; i++) {
			RecoveryRecord record = recovery_record_at(&reader, i);
			double *places[] = {&counts.recovered[0], &counts.unknown[0], &counts.censored[0],
								&counts.failed, &counts.solved};

			check_interrupts_at(i);
			if (!is_episode(&record))
				continue;
			if (record.outcome <= EPISODE_CENSORED)
				places[record.outcome] += record.what;
			*places[record.outcome] += record.count;
		}
	}
	records_close(&reader);
	return counts;
}

/* By number of error turns: the hazards of recovery, one more than the longest episode has turns.
 */
static double *
HazardsOf(const EpisodeCounts *counts)
{
	double *hazards = palloc((counts->longest + 1) * sizeof(double));
	double at_risk = counts->failed; /* these stay for good */

	for (int64 j = counts->longest + 1; j > 0; j--) {
		double recovered = j > counts->longest ? 0.0 : counts->recovered[j];

		at_risk += recovered;
		hazards[j - 1] = recovered / at_risk;
		/* cut or unknown after j turns: at risk before, not now */
		if (j <= counts->longest)
			at_risk += counts->censored[j] + counts->unknown[j];
	}
	return hazards;
}

/* recovery_rate(summary, within): share of episodes that recover within so many turns. */
PG_FUNCTION_INFO_V1(recovery_rate);
Datum
recovery_rate(PG_FUNCTION_ARGS)
{
	int64 within = read_positive(fcinfo, 1, "within");
	EpisodeCounts counts;
	double rate;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	counts = CountEpisodes(PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0))));
	rate = recovered_within(HazardsOf(&counts), counts.longest + 1, within);
	if (isnan(rate))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(rate);
}

/* ---- turns to recovery ---- */

/* By task: turns of the episodes that recovered, among their number. */
static Sample *
TurnsSample(Datum summary)
{
	RecordReader reader;
	SampleBuilder *builder = palloc(sizeof(SampleBuilder));

	sample_start(builder, 1);
	records_open(&reader, &recovery_methods, summary);
	while (records_next(&reader)) {
		double sum = 0.0, size = 0.0;

		for (uint64 i = 0; i < reader.n; i++) {
			RecoveryRecord record = recovery_record_at(&reader, i);

			check_interrupts_at(i);
			if (!is_episode(&record) || record.outcome != EPISODE_RECOVERED)
				continue;
			sum += (double) record.what * record.count;
			size += record.count;
		}
		if (size > 0.0)
			sample_add_ratio(builder, &sum, &size);
	}
	records_close(&reader);
	return sample_finish(builder);
}

/* Of the lengths of recovered episodes; 0 without any. */
static double
MedianLength(const EpisodeCounts *counts, double recovered)
{
	double reached = 0.0;
	int64 length = 0, next;

	while (length < counts->longest && 2.0 * reached < recovered)
		reached += counts->recovered[++length];
	if (2.0 * reached != recovered || length == counts->longest)
		return length;
	for (next = length + 1; counts->recovered[next] == 0.0; next++)
		;
	return (length + next) / 2.0;
}

/* The smallest horizon within which at least half of all episodes recover; 0: none. */
static int64
HalfRecovered(const EpisodeCounts *counts)
{
	const double *hazards = HazardsOf(counts);
	double recovered = 0.0;

	for (int64 within = 1; within <= counts->longest && !isnan(hazards[within - 1]); within++) {
		recovered += (1.0 - recovered) * hazards[within - 1];
		if (recovered >= 0.5)
			return within;
	}
	return 0;
}

static double
SumLengths(const EpisodeCounts *counts, const double *by_length)
{
	double sum = 0.0;

	for (int64 length = 1; length <= counts->longest; length++)
		sum += by_length[length];
	return sum;
}

/* recovery_turns(summary, confidence, resamples, seed, method): one row. */
PG_FUNCTION_INFO_V1(recovery_turns);
Datum
recovery_turns(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	InferenceOptions options;
	EstimateScale scale = SCALE_MEAN;
	EpisodeCounts counts;
	Datum summary;
	Datum values[TURNS_COLUMNS];
	bool nulls[TURNS_COLUMNS] = {false};
	Estimate *mean;
	double recovered;
	int64 half;

	InitMaterializedSRF(fcinfo, 0);
	options = read_inference_options(fcinfo, 1);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	summary = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
	counts = CountEpisodes(summary);
	recovered = SumLengths(&counts, counts.recovered);
	half = HalfRecovered(&counts);
	mean = estimate_cells(TurnsSample(summary), &scale, &options);
	values[0] = count_datum(recovered);
	put_float(values, nulls, 1, mean->value, mean->clusters > 0);
	put_float(values, nulls, 2, mean->std_error, mean->clusters > 1);
	put_float(values, nulls, 3, mean->interval.low, mean->method != NULL);
	put_float(values, nulls, 4, mean->interval.high, mean->method != NULL);
	put_float(values, nulls, 5, MedianLength(&counts, recovered), recovered > 0.0);
	put_bigint(values, nulls, 6, half == 0 ? NULL : &half);
	put_bigint(values, nulls, 7, &mean->clusters);
	values[8] = count_datum(counts.failed);
	values[9] = count_datum(SumLengths(&counts, counts.censored));
	values[10] = count_datum(SumLengths(&counts, counts.unknown));
	values[11] = count_datum(counts.solved);
	put_text(values, nulls, 12, mean->method);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	return (Datum) 0;
}
