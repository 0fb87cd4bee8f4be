/*
 * paired_diff: the treatment less the reference over units that both arms were
 * sampled from.
 */
#include "paired/paired.h"

#include <float.h>
#include <math.h>

#include "stats/estimate.h"
#include "core/rows.h"
#include "core/sum.h"
#include "funcapi.h"
#include "core/interrupts.h"
#include "utils/tuplestore.h"

#define DIFF_COLUMNS 19

/* The records [from, to) of one unit and arm that have a value, ascending. */
typedef struct UnitArm {
	uint64 from, to;
	double n; /* samples; exact */
	double mean;
} UnitArm;

typedef struct Figures {
	RecordReader reader;
	SampleBuilder diffs; /* by cluster: sums over its units */
	SampleBuilder wins;
	Sum treatment, reference, better; /* over units */
	int64 units, clusters, unpaired, missing;
	int64 won, lost;
	bool equal_n; /* every unit has as many samples in one arm as in the other */
	bool coins;	  /* every value is 0 or 1; then what the units' own flips say */
	PairEvidence flips;
	double values[2], squares[2]; /* of the units' means by arm */
	/* of the cluster at hand */
	Sum cluster_diff;
	double cluster_error;
	double cluster_wins;
	int64 cluster_units;
} Figures;

static inline double
ValueAt(const RecordReader *reader, uint64 i)
{
	return record_float_value(record_at(reader, i)[PAIRED_VALUE]);
}

/* Takes an arm's records from *at on; a missing value sorts last. */
static UnitArm
ReadArm(Figures *figures, uint64 *at, uint64 end, int arm)
{
	const RecordReader *reader = &figures->reader;
	UnitArm result = {.from = *at, .to = *at};
	Sum sum = {0};

	for (; *at < end && record_at(reader, *at)[PAIRED_ARM] == record_int(arm); ++*at) {
		double value = ValueAt(reader, *at);

		check_interrupts_at(*at);
		if (isnan(value)) {
			figures->missing += reader->counts[*at];
			continue;
		}
		figures->coins &= value == 0.0 || value == 1.0;
		result.n += (double) reader->counts[*at];
		result.to = *at + 1;
		sum_add(&sum, value * (double) reader->counts[*at]);
	}
	result.mean = sum_value(&sum) / result.n;
	return result;
}

/* What a unit tells of its two arms. */
typedef struct Contrast {
	double diff;
	double error;  /* of diff, from the rounding of the values */
	double better; /* chance that a treatment sample exceeds a reference sample, half of ties */
} Contrast;

typedef struct Sweep {
	Sum diff;
	double magnitude; /* of the terms of diff */
	double pairs;	  /* of samples, in favour of the treatment */
	double below;	  /* reference samples below the value at hand */
} Sweep;

/*
 * One distinct value, with so many samples of each arm. Its weight in the
 * difference of means is a whole number, so equal shares cancel exactly.
 */
static inline void
SweepValue(Sweep *sweep, double value, double treatment, double reference, double nt, double nr)
{
	double term = value * (treatment * nr - reference * nt);

	sum_add(&sweep->diff, term);
	sweep->magnitude += fabs(term);
	sweep->pairs += treatment * (sweep->below + reference / 2.0);
	sweep->below += reference;
}

/*
 * A difference within the rounding of the values that make it up is none:
 * 0.1 + 0.2 against 0.3 + 0 is a tie.
 */
static Contrast
ContrastArms(const RecordReader *reader, const UnitArm *treatment, const UnitArm *reference)
{
	double nt = treatment->n, nr = reference->n;
	uint64 t = treatment->from, r = reference->from;
	Sweep sweep = {{0}};
	Contrast result;

	for (uint64 step = 0; t < treatment->to || r < reference->to; step++) {
		bool has_t = t < treatment->to, has_r = r < reference->to;
		uint64 t_word = has_t ? record_at(reader, t)[PAIRED_VALUE] : PG_UINT64_MAX;
		uint64 r_word = has_r ? record_at(reader, r)[PAIRED_VALUE] : PG_UINT64_MAX;
		double value = record_float_value(Min(t_word, r_word));

		check_interrupts_at(step);
		has_t &= t_word <= r_word;
		has_r &= r_word <= t_word;
		SweepValue(&sweep, value, has_t ? (double) reader->counts[t] : 0.0,
				   has_r ? (double) reader->counts[r] : 0.0, nt, nr);
		t += has_t;
		r += has_r;
	}
	result.diff = sum_value(&sweep.diff) / (nt * nr);
	result.error = 2.0 * DBL_EPSILON * sweep.magnitude / (nt * nr);
	result.better = sweep.pairs / (nt * nr);
	if (fabs(result.diff) <= result.error)
		result.diff = 0.0;
	return result;
}

/* Unbiased, of one flip: from n flips with that mean. */
static inline double
FlipVariance(double n, double mean)
{
	return n > 1.0 ? mean * (1.0 - mean) * n / (n - 1.0) : 0.0;
}

/*
 * What flips alone make of the variance in a unit's arm: by its own flips, and
 * by those of both arms, were the arms alike. As Pass@(1,T) has it.
 */
static void
AddFlips(PairEvidence *flips, const UnitArm *arm, const UnitArm *other)
{
	double n = arm->n + other->n;
	double mean = (arm->mean * arm->n + other->mean * other->n) / n;
	double pooled = FlipVariance(n, mean) / arm->n;

	if (arm->n > 1.0) {
		flips->own += FlipVariance(arm->n, arm->mean) / arm->n;
		flips->pooled += pooled;
	} else if (other->n > 1.0)
		flips->pooled_only += pooled;
}

static void
AddUnit(Figures *figures, uint64 *at, uint64 end)
{
	UnitArm reference = ReadArm(figures, at, end, REFERENCE_ARM);
	UnitArm treatment = ReadArm(figures, at, end, TREATMENT_ARM);
	Contrast contrast;

	if (reference.n == 0.0 || treatment.n == 0.0) {
		figures->unpaired++;
		return;
	}
	contrast = ContrastArms(&figures->reader, &treatment, &reference);
	figures->units++;
	AddFlips(&figures->flips, &treatment, &reference);
	AddFlips(&figures->flips, &reference, &treatment);
	figures->values[0] += treatment.mean;
	figures->values[1] += reference.mean;
	figures->squares[0] += treatment.mean * treatment.mean;
	figures->squares[1] += reference.mean * reference.mean;
	figures->equal_n &= treatment.n == reference.n;
	figures->won += contrast.diff > 0.0;
	figures->lost += contrast.diff < 0.0;
	sum_add(&figures->treatment, treatment.mean);
	sum_add(&figures->reference, reference.mean);
	sum_add(&figures->better, contrast.better);
	sum_add(&figures->cluster_diff, contrast.diff);
	figures->cluster_error += contrast.error;
	figures->cluster_wins += contrast.diff > 0.0;
	figures->cluster_units++;
}

static void
AddCluster(Figures *figures)
{
	double diff = sum_value(&figures->cluster_diff), size = (double) figures->cluster_units;

	/* differences that cancel but for rounding leave a cluster without one */
	if (fabs(diff) <= figures->cluster_error)
		diff = 0.0;
	figures->clusters++;
	if (figures->reader.ids == IDS_NONE) {
		sample_add(&figures->diffs, &diff, NULL);
		sample_add(&figures->wins, &figures->cluster_wins, NULL);
		return;
	}
	sample_add_ratio(&figures->diffs, &diff, &size);
	sample_add_ratio(&figures->wins, &figures->cluster_wins, &size);
}

/* The records of the key at hand, which is a cluster or a unit. */
static void
ReadCluster(Figures *figures)
{
	const RecordReader *reader = &figures->reader;
	uint64 at = 0;

	figures->cluster_diff = (Sum){0};
	figures->cluster_error = 0.0;
	figures->cluster_wins = 0.0;
	figures->cluster_units = 0;
	while (at < reader->n) {
		uint64 unit = record_at(reader, at)[PAIRED_UNIT], end = at + 1;

		while (end < reader->n && record_at(reader, end)[PAIRED_UNIT] == unit)
			end++;
		AddUnit(figures, &at, end);
		CHECK_FOR_INTERRUPTS();
	}
	if (figures->cluster_units > 0)
		AddCluster(figures);
}

static void
ReadFigures(Figures *figures, Datum summary)
{
	sample_start(&figures->diffs, 1);
	sample_start(&figures->wins, 1);
	figures->equal_n = figures->coins = true;
	records_open(&figures->reader, &paired_methods, summary);
	while (records_next(&figures->reader))
		ReadCluster(figures);
	records_close(&figures->reader);
}

/* What the differences are evidence of; of flips, one unit to a cluster, more is known. */
static Evidence
EvidenceOf(const Figures *figures)
{
	EstimateScale scale = figures->coins ? SCALE_DIFFERENCE : SCALE_MEAN;
	Evidence evidence = cell_evidence(&figures->diffs.sample, 0, scale);
	double m = (double) figures->units;

	if (evidence.rule != RULE_PAIR || figures->units != figures->clusters)
		return evidence;
	evidence.of.pair.own = figures->flips.own / m;
	evidence.of.pair.pooled = figures->flips.pooled / m;
	evidence.of.pair.pooled_only = figures->flips.pooled_only / m;
	for (int arm = 0; arm < 2; arm++)
		evidence.of.pair.carriers[arm] =
			share_carriers(m, figures->values[arm], figures->squares[arm]);
	return evidence;
}

/* Values near the largest that a float holds have no variance that it holds. */
static void
RequireFinite(const Figures *figures, const Estimate *diff)
{
	double sum = sum_value(&figures->treatment) - sum_value(&figures->reference) + diff->value +
				 diff->std_error;

	if (isfinite(sum))
		return;
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("the values are too large for a mean difference and its error"),
					errhint("Divide them by a constant.")));
}

static void
PutWins(Datum *values, bool *nulls, const Figures *figures, const Estimate *rate)
{
	int64 ties = figures->units - figures->won - figures->lost;
	bool valid = figures->equal_n && figures->units > 0;

	put_bigint(values, nulls, 9, valid ? &figures->won : NULL);
	put_bigint(values, nulls, 10, valid ? &ties : NULL);
	put_bigint(values, nulls, 11, valid ? &figures->lost : NULL);
	put_float(values, nulls, 12, (double) figures->won / (double) figures->units, valid);
	put_float(values, nulls, 13, valid ? rate->interval.low : 0.0, valid);
	put_float(values, nulls, 14, valid ? rate->interval.high : 0.0, valid);
}

static void
PutFigures(ReturnSetInfo *rsinfo, const Figures *figures, const Estimate *diff,
		   const Estimate *rate)
{
	double units = (double) figures->units;
	bool any = figures->units > 0;
	bool interval = any && diff->method != NULL;
	Datum values[DIFF_COLUMNS];
	bool nulls[DIFF_COLUMNS];

	put_bigint(values, nulls, 0, &figures->units);
	put_bigint(values, nulls, 1, &figures->clusters);
	put_bigint(values, nulls, 2, &figures->unpaired);
	put_float(values, nulls, 3, sum_value(&figures->treatment) / units, any);
	put_float(values, nulls, 4, sum_value(&figures->reference) / units, any);
	put_float(values, nulls, 5, diff->value, any);
	put_float(values, nulls, 6, diff->std_error, figures->clusters > 1);
	put_float(values, nulls, 7, diff->interval.low, interval);
	put_float(values, nulls, 8, diff->interval.high, interval);
	PutWins(values, nulls, figures, rate);
	put_float(values, nulls, 15, sum_value(&figures->better) / units, any);
	put_float(values, nulls, 16, diff->p_value, interval);
	put_text(values, nulls, 17, diff->method);
	put_bigint(values, nulls, 18, &figures->missing);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * paired_diff(summary, confidence, resamples, seed, method): one row. The
 * method is that of the difference; the rate of wins has a proportion's.
 */
PG_FUNCTION_INFO_V1(paired_diff);
Datum
paired_diff(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Figures figures = {.units = 0};
	InferenceOptions options;
	EstimateScale scale = SCALE_PROPORTION;
	Evidence evidence;
	Estimate *diff, *rate = NULL;

	InitMaterializedSRF(fcinfo, 0);
	options = read_inference_options(fcinfo, 1);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	ReadFigures(&figures, PG_GETARG_DATUM(0));
	evidence = EvidenceOf(&figures);
	diff = estimate_cells_of(sample_finish(&figures.diffs), &evidence, &options);
	RequireFinite(&figures, diff);
	if (figures.equal_n && figures.units > 0)
		rate = estimate_cells(sample_finish(&figures.wins), &scale, &options);
	PutFigures(rsinfo, &figures, diff, rate);
	return (Datum) 0;
}
