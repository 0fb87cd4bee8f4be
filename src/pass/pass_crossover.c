/*
 * pass_crossover: the turn budget from which a treatment is ahead of a
 * reference, with bounds from the band of the difference.
 */
#include "core/rows.h"
#include "pass/arguments.h"
#include "pass/compare.h"

#define CROSSOVER_COLUMNS 4

typedef struct Crossover {
	int ahead_from;		   /* column from which diff > 0 throughout */
	int not_behind_from;   /* column after the last whose band is not above 0 at all */
	int surely_ahead_from; /* column from which the band is above 0 throughout */
	/* columns whose band lies above 0, below 0, or is not flat at 0; the last column's place */
	int above, below, told;
	bool last_above, last_below;
} Crossover;

/* Whether no task does anything there: neither arm solves any, or both solve all. */
static bool
IsFlat(const PairFigure *figure)
{
	const PairEvidence *pair = &figure->evidence.of.pair;

	return figure->diff == 0.0 && pair->carriers[0] == 0.0 && pair->carriers[1] == 0.0;
}

/* Columns are those of T, ascending; nt where there is none. */
static Crossover
FindCrossover(const Comparison *comparison)
{
	Crossover found = {0};

	for (int i = 0; i < comparison->cells; i++) {
		const PairFigure *figure = &comparison->figures[i];
		Bounds band =
			comparison->made.band != NULL ? comparison->made.band[i] : (Bounds){-1.0, 1.0};

		if (!(figure->diff > 0.0))
			found.ahead_from = i + 1;
		if (band.high <= 0.0)
			found.not_behind_from = i + 1;
		if (!(band.low > 0.0))
			found.surely_ahead_from = i + 1;
		found.last_above = band.low > 0.0;
		found.last_below = band.high < 0.0;
		found.above += found.last_above;
		found.below += found.last_below;
		found.told += !IsFlat(figure);
	}
	return found;
}

/* What the bands alone show. */
static const char *
StateOf(const Crossover *found)
{
	if (found->above > 0 && found->above == found->told)
		return "ahead";
	if (found->below > 0 && found->below == found->told)
		return "behind";
	if (found->last_above)
		return found->below > 0 ? "crosses" : "ahead at the end";
	if (found->last_below)
		return found->above > 0 ? "falls behind" : "behind at the end";
	return "unresolved";
}

static void
PutCrossover(ReturnSetInfo *rsinfo, const Comparison *comparison, const PassRequest *request)
{
	bool banded = has_band(comparison, 0);
	Datum values[CROSSOVER_COLUMNS] = {0};
	bool nulls[CROSSOVER_COLUMNS] = {true, true, true, false};
	Crossover found = FindCrossover(comparison);
	const char *state = banded ? StateOf(&found) : "unresolved";

	if (comparison->figures[0].tasks > 0 && found.ahead_from < request->nt)
		put_bigint(values, nulls, 0, &request->t[found.ahead_from]);
	if (banded && found.not_behind_from < request->nt)
		put_bigint(values, nulls, 1, &request->t[found.not_behind_from]);
	if (banded && found.surely_ahead_from < request->nt)
		put_bigint(values, nulls, 2, &request->t[found.surely_ahead_from]);
	put_text(values, nulls, 3, state);
	put_row(rsinfo, values, nulls);
}

static void
RequireResamples(const InferenceOptions *options)
{
	if (options->resamples == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a crossover needs resamples"),
				 errdetail("Its bounds come from the band of the difference.")));
}

/*
 * pass_crossover(treatment, reference, k, t[], confidence, resamples, seed,
 * match): one row. t is the first T from which treatment - reference is above 0
 * throughout, over the tasks that have k rollouts in both arms at every T;
 * ci_low and ci_high are where the band allows it to be at the earliest and at
 * the latest. Without two such tasks there is no band, and it is unresolved.
 */
PG_FUNCTION_INFO_V1(pass_crossover);
Datum
pass_crossover(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Comparison comparison = {.bands = true};
	PassRequest request = {.task_set = TASKS_COMMON, .nk = 1};
	int64 k;
	Axis t;

	InitMaterializedSRF(fcinfo, 0);
	k = read_positive(fcinfo, 2, "k");
	require_argument(fcinfo, 3, "t");
	t = read_t_axis(fcinfo, 3);
	comparison.options = read_resampling_options(fcinfo, 4);
	request.match = read_match(fcinfo, 7);
	RequireResamples(&comparison.options);
	request.k = &k;
	request.nt = t.ndistinct;
	request.t = t.distinct;
	comparison.pair = read_arms(fcinfo, &request);
	pass_compare(&comparison);
	PutCrossover(rsinfo, &comparison, &request);
	return (Datum) 0;
}
