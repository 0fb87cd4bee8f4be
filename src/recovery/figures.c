#include "recovery/figures.h"

#include <math.h>

#include "core/elements.h"
#include "core/interrupts.h"
#include "trajectory/draft.h"

const char *const measure_names[] = {"corrected_next", "recovered_within", "success_after_error",
									 "success_without_error"};

int
measure_cell(RecoveryMeasure measure)
{
	static const int cells[] = {CELL_CORRECTED, CELL_HAZARDS, CELL_AFTER, CELL_WITHOUT};

	return cells[measure];
}

Datum
count_datum(double count)
{
	/* beyond 2^63 only by merging a summary with itself over and over */
	return Int64GetDatum(count >= 9.2e18 ? PG_INT64_MAX : (int64) count);
}

/* ---- arguments ---- */

int64
longest_episode(Datum summary)
{
	RecordReader reader;
	int64 longest = 0;

	records_open(&reader, &recovery_methods, summary);
	while (records_next(&reader)) {
		for (uint64 i = 0; i < reader.n; i++) {
			RecoveryRecord record = recovery_record_at(&reader, i);

			check_interrupts_at(i);
			if (is_episode(&record))
				longest = Max(longest, record.what);
		}
	}
	records_close(&reader);
	return longest;
}

/* How many hazards are needed up to a horizon, where no episode is longer than `longest`. */
static int
HazardsNeeded(int64 within, int64 longest)
{
	return (int) Min(within, longest + 1);
}

static void
CheckWithin(int64 within)
{
	require_positive("within", within);
	if (within > MAX_WITHIN)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("within must not be more than %d turns", MAX_WITHIN)));
}

static void
Ask(RecoveryFigures *figures, RecoveryMeasure measure, int64 within)
{
	figures->asked[figures->n++] = (AskedMeasure){measure, within};
}

RecoveryFigures
read_figures(FunctionCallInfo fcinfo, int i, bool without_error)
{
	RecoveryFigures figures = {.arms = 1};
	int n;
	Datum *values = read_elements(fcinfo, i, "within", &n);

	if (n > MAX_HORIZONS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("within must not have more than %d elements", MAX_HORIZONS)));
	figures.asked = palloc((n + MEASURE_WITHOUT + 1) * sizeof(AskedMeasure));
	Ask(&figures, MEASURE_CORRECTED, 0);
	for (int j = 0; j < n; j++) {
		CheckWithin(DatumGetInt64(values[j]));
		Ask(&figures, MEASURE_WITHIN, DatumGetInt64(values[j]));
	}
	Ask(&figures, MEASURE_AFTER, 0);
	if (without_error)
		Ask(&figures, MEASURE_WITHOUT, 0);
	return figures;
}

void
set_hazards(RecoveryFigures *figures, int64 longest)
{
	figures->hazards = 0;
	for (int i = 0; i < figures->n; i++) {
		if (figures->asked[i].measure == MEASURE_WITHIN)
			figures->hazards =
				Max(figures->hazards, HazardsNeeded(figures->asked[i].within, longest));
	}
	figures->scratch = palloc((figures->hazards + 1) * sizeof(double));
}

/* ---- counting ---- */

void
totals_start(RecoveryTotals *totals, const RecoveryFigures *figures)
{
	memset(totals, 0, sizeof(*totals));
	totals->sums = palloc0(arm_cells(figures) * sizeof(double));
	totals->sizes = palloc0(arm_cells(figures) * sizeof(double));
	totals->unknown_at = palloc0((figures->hazards + 1) * sizeof(double));
	totals->censored_at = palloc0((figures->hazards + 1) * sizeof(double));
}

static void
CountRollout(const RecoveryRecord *record, double *sums, double *sizes, RecoveryTotals *totals)
{
	bool some = record->what == ERRORS_SOME;
	int cell = some ? CELL_AFTER : CELL_WITHOUT;

	/* without a known error it is not known which of the two it belongs to */
	if (record->what == ERRORS_UNKNOWN || record->outcome == TRUTH_UNKNOWN)
		totals->unknown[some ? MEASURE_AFTER : MEASURE_WITHOUT] += record->count;
	else {
		sizes[cell] += record->count;
		sums[cell] += record->outcome == TRUTH_TRUE ? record->count : 0.0;
	}
}

/* Error turns of an episode: all but the last are followed by an error. */
static void
CountTurnsOf(const RecoveryRecord *record, double *sums, double *sizes, RecoveryTotals *totals)
{
	sizes[CELL_CORRECTED] += (double) (record->what - 1) * record->count;
	if (record->outcome == EPISODE_RECOVERED) {
		sizes[CELL_CORRECTED] += record->count;
		sums[CELL_CORRECTED] += record->count;
	} else if (record->outcome == EPISODE_UNKNOWN)
		totals->unknown[MEASURE_CORRECTED] += record->count;
	else
		totals->censored[MEASURE_CORRECTED] += record->count;
}

static void
CountTurn(const RecoveryRecord *record, double *sums, double *sizes, RecoveryTotals *totals)
{
	if (record->what == NEXT_NONE)
		totals->censored[MEASURE_CORRECTED] += record->count;
	else if (record->what == NEXT_UNKNOWN)
		totals->unknown[MEASURE_CORRECTED] += record->count;
	else {
		sizes[CELL_CORRECTED] += record->count;
		sums[CELL_CORRECTED] += record->what == NEXT_FINE ? record->count : 0.0;
	}
}

/*
 * An episode is at risk of recovery after each of its error turns whose next
 * flag is known; one that failed stays at risk for good.
 */
static void
CountEpisode(const RecoveryFigures *figures, const RecoveryRecord *record, double *sums,
			 double *sizes, RecoveryTotals *totals)
{
	int64 length = record->what;
	int64 at_risk = length - 1;

	if (record->outcome == EPISODE_SOLVED) {
		totals->solved += record->count;
		return;
	}
	if (record->outcome == EPISODE_RECOVERED)
		at_risk = length;
	else if (record->outcome == EPISODE_FAILED)
		at_risk = figures->hazards;
	for (int64 j = 0; j < Min(at_risk, figures->hazards); j++)
		sizes[CELL_HAZARDS + j] += record->count;
	if (length > figures->hazards)
		return;
	if (record->outcome == EPISODE_RECOVERED)
		sums[CELL_HAZARDS + length - 1] += record->count;
	else if (record->outcome == EPISODE_CENSORED)
		totals->censored_at[length] += record->count;
	else if (record->outcome == EPISODE_UNKNOWN)
		totals->unknown_at[length] += record->count;
}

void
count_record(const RecoveryFigures *figures, const RecoveryRecord *record, TurnSource source,
			 double *sums, double *sizes, RecoveryTotals *totals)
{
	if (record->type == RECORD_ROLLOUT)
		CountRollout(record, sums, sizes, totals);
	else if (is_episode(record)) {
		CountEpisode(figures, record, sums, sizes, totals);
		if (source == TURNS_OF_EPISODES || record->type == RECORD_EPISODE)
			CountTurnsOf(record, sums, sizes, totals);
	} else if (source == TURNS_BY_KIND)
		CountTurn(record, sums, sizes, totals);
}

void
add_to_totals(RecoveryTotals *totals, const RecoveryFigures *figures, const double *sums,
			  const double *sizes)
{
	for (int cell = 0; cell < arm_cells(figures); cell++) {
		totals->sums[cell] += sums[cell];
		totals->sizes[cell] += sizes[cell];
	}
}

/* ---- from ratios to rates ---- */

double
recovered_within(const double *hazards, int n, int64 within)
{
	double recovered = 0.0;

	for (int64 j = 0; j < Min(within, n); j++) {
		if (isnan(hazards[j]))
			return NAN;
		recovered += (1.0 - recovered) * hazards[j];
		/* nobody is left, so nobody is at risk later */
		if (hazards[j] == 1.0)
			return 1.0;
	}
	return recovered;
}

double
measure_rate(const RecoveryFigures *figures, const AskedMeasure *asked, const double *ratios)
{
	if (asked->measure == MEASURE_WITHIN)
		return recovered_within(ratios + CELL_HAZARDS, figures->hazards, asked->within);
	return ratios[measure_cell(asked->measure)];
}

static void
Derive(const void *context, const double *ratios, double *results)
{
	const RecoveryFigures *figures = context;

	for (int i = 0; i < figures->n; i++) {
		results[i] = measure_rate(figures, &figures->asked[i], ratios);
		if (figures->arms > 1)
			results[i] -= measure_rate(figures, &figures->asked[i], ratios + arm_cells(figures));
	}
}

/* By hazard: the product of 1 - hazard over all others up to the horizon, times sign. */
static void
DifferentiateWithin(const RecoveryFigures *figures, int64 within, const double *hazards,
					double sign, double *gradient)
{
	int n = Min(within, figures->hazards);
	double *after = figures->scratch; /* products from j on */
	double before = 1.0;
	int used = 0;

	while (used < n && !isnan(hazards[used])) {
		if (hazards[used++] == 1.0)
			break;
	}
	after[used] = 1.0;
	for (int j = used; j > 0; j--)
		after[j - 1] = after[j] * (1.0 - hazards[j - 1]);
	for (int j = 0; j < used; j++) {
		gradient[j] = sign * before * after[j + 1];
		before *= 1.0 - hazards[j];
	}
}

static void
Differentiate(const void *context, const double *ratios, double *gradient)
{
	const RecoveryFigures *figures = context;
	int cells = arm_cells(figures);

	for (int i = 0; i < figures->n; i++) {
		const AskedMeasure *asked = &figures->asked[i];

		for (int arm = 0; arm < figures->arms; arm++) {
			double *row = gradient + ((Size) i * figures->arms + arm) * cells;
			const double *own = ratios + arm * cells;
			double sign = arm == 0 ? 1.0 : -1.0;

			if (asked->measure == MEASURE_WITHIN)
				DifferentiateWithin(figures, asked->within, own + CELL_HAZARDS, sign,
									row + CELL_HAZARDS);
			else if (!isnan(own[measure_cell(asked->measure)]))
				row[measure_cell(asked->measure)] = sign;
		}
	}
}

Derivation
recovery_derivation(const RecoveryFigures *figures)
{
	int cells = arm_cells(figures);
	bool *uses = palloc0(mul_size(figures->n, (Size) cells * figures->arms));

	for (int i = 0; i < figures->n * figures->arms; i++) {
		const AskedMeasure *asked = &figures->asked[i / figures->arms];
		bool *row = uses + (Size) i * cells;

		if (asked->measure == MEASURE_WITHIN)
			memset(row + CELL_HAZARDS, true, Min(asked->within, figures->hazards));
		else
			row[measure_cell(asked->measure)] = true;
	}
	return (Derivation){.figures = figures->n,
						.uses = uses,
						.derive = Derive,
						.differentiate = Differentiate,
						.context = figures};
}

/* ---- evidence ---- */

static double
RatioOf(const Sample *sample, int cell)
{
	double sum = 0.0, size = 0.0;

	for (int64 i = 0; i < sample->clusters; i++) {
		sum += sample->sums[i * sample->cells + cell];
		size += sample->sizes[i * sample->cells + cell];
	}
	return sum / size;
}

/*
 * The cells of a figure, in an arm whose cells begin at `from`: one, or those of
 * the hazards up to the horizon, or to the one that leaves nobody. NULL where
 * the figure does not exist.
 */
static int *
CellsOf(const RecoveryFigures *figures, const Sample *sample, int i, int from, int *n)
{
	const AskedMeasure *asked = &figures->asked[i];
	int most = asked->measure == MEASURE_WITHIN ? Min(asked->within, figures->hazards) : 1;
	int *cells = palloc(most * sizeof(int));

	for (*n = 0; *n < most;) {
		int cell = from + measure_cell(asked->measure) + *n;
		double ratio = RatioOf(sample, cell);

		if (isnan(ratio))
			return NULL;
		cells[(*n)++] = cell;
		if (ratio == 1.0)
			break;
	}
	return cells;
}

static Evidence
EvidenceOf(const RecoveryFigures *figures, const Sample *sample, int i)
{
	Evidence evidence = {.rule = RULE_NONE};
	int n, nsecond;
	int *first = CellsOf(figures, sample, i, 0, &n), *second;

	if (first == NULL)
		return evidence;
	if (figures->arms == 1) {
		evidence.rule = RULE_RATE;
		evidence.of.rate = rate_evidence(sample, first, n);
		return evidence;
	}
	second = CellsOf(figures, sample, i, arm_cells(figures), &nsecond);
	if (second == NULL)
		return evidence;
	evidence.rule = RULE_RATE_DIFFERENCE;
	evidence.of.rate_difference = rate_difference_evidence(sample, first, n, second, nsecond);
	return evidence;
}

Evidence *
recovery_evidence(const RecoveryFigures *figures, const Sample *sample)
{
	Evidence *evidence = palloc(mul_size(figures->n, sizeof(Evidence)));

	for (int i = 0; i < figures->n; i++) {
		CHECK_FOR_INTERRUPTS();
		evidence[i] = EvidenceOf(figures, sample, i);
	}
	return evidence;
}
