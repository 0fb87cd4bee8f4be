#include "pass/sample.h"

#include <math.h>

#include "miscadmin.h"
#include "pass/variance.h"

int64
pass_task_count(Datum summary)
{
	PassReader reader;
	int64 tasks;

	pass_open(&reader, summary);
	tasks = reader.summary.keys;
	pass_close(&reader);
	return tasks;
}

/* The values of the task at hand, and which cells have it. */
static void
TaskRow(PassEvaluation *eval, double *values, bool *present)
{
	const PassRequest *request = eval->request;
	bool kept = request->task_set == TASKS_EACH || pass_evaluate_common(eval);

	for (int t = 0; t < request->nt; t++) {
		int64 n = eval->eligible[t];
		const double *row = pass_values(eval, n, eval->solved[t]);

		for (int i = 0; i < request->nk; i++) {
			values[t * request->nk + i] = row[i];
			present[t * request->nk + i] = kept && request->k[i] <= n;
		}
	}
}

static bool
AnyPresent(const bool *present, int cells)
{
	return memchr(present, true, cells) != NULL;
}

Sample *
pass_sample(Datum summary, const PassRequest *request)
{
	int cells = request->nt * request->nk;
	SampleBuilder *builder = palloc(sizeof(SampleBuilder));
	double *values = palloc(cells * sizeof(double));
	bool *present = palloc(cells * sizeof(bool));
	PassEvaluation eval;

	sample_start(builder, cells);
	pass_evaluate(&eval, summary, request);
	while (pass_evaluate_next(&eval)) {
		TaskRow(&eval, values, present);
		if (AnyPresent(present, cells))
			sample_add(builder, values, present);
	}
	pass_close(&eval.reader);
	return sample_finish(builder);
}

Influences *
pass_influences(Datum summary, const PassRequest *request, const PassFigure *figures)
{
	int cells = request->nt * request->nk;
	Influences *influences = influences_start(cells, pass_task_count(summary));
	double *values = palloc(cells * sizeof(double));
	bool *present = palloc(cells * sizeof(bool));
	PassEvaluation eval;

	pass_evaluate(&eval, summary, request);
	while (pass_evaluate_next(&eval)) {
		double *row = influences_next(influences);

		TaskRow(&eval, values, present);
		for (int i = 0; i < cells; i++) {
			if (present[i])
				row[i] += values[i] - figures[i].pass;
		}
	}
	pass_close(&eval.reader);
	return influences;
}

/* ---- two arms ---- */

/* sums of one cell; spread is shifted by the first difference */
typedef struct PairSums {
	double sums[2]; /* of each arm's values, and their squares */
	double squared[2];
	double sizes, squares; /* of |d| and d^2 */
	double shift, shifted, shifted_squares;
	double own, pooled, pooled_only;
	double within; /* of the second arm */
	int64 tasks;
} PairSums;

/* Both arms, and the values of a task that both have. */
typedef struct Pairing {
	PassEvaluation first, second;
	KeyJoin join;
	bool paired; /* both have the task at hand: key */
	Key key;
	int cells;
	double *first_values, *second_values, *differences;
	bool *first_present, *second_present, *present;
	PairSums *sums;			 /* by cell; these four where figures are wanted */
	AttemptCounts *attempts; /* of the second arm, by t */
	VarianceTables own, pooled;
} Pairing;

static void
StartPairing(Pairing *pairing, const PairRequest *request)
{
	int cells = request->first_request->nt * request->first_request->nk;

	memset(pairing, 0, sizeof(*pairing));
	pass_evaluate(&pairing->first, request->first, request->first_request);
	pass_evaluate(&pairing->second, request->second, request->second_request);
	pass_join(&pairing->join, &pairing->first, &pairing->second);
	pairing->cells = cells;
	pairing->first_values = palloc(cells * sizeof(double));
	pairing->second_values = palloc(cells * sizeof(double));
	pairing->differences = palloc(cells * sizeof(double));
	pairing->first_present = palloc(cells * sizeof(bool));
	pairing->second_present = palloc(cells * sizeof(bool));
	pairing->present = palloc(cells * sizeof(bool));
	pairing->own.request = pairing->pooled.request = request->second_request;
}

static void
FillPair(Pairing *pairing)
{
	TaskRow(&pairing->first, pairing->first_values, pairing->first_present);
	TaskRow(&pairing->second, pairing->second_values, pairing->second_present);
	for (int i = 0; i < pairing->cells; i++) {
		pairing->present[i] = pairing->first_present[i] && pairing->second_present[i];
		pairing->differences[i] = pairing->first_values[i] - pairing->second_values[i];
	}
	if (pairing->first.request->task_set == TASKS_COMMON &&
		memchr(pairing->present, false, pairing->cells) != NULL)
		memset(pairing->present, false, pairing->cells * sizeof(bool));
}

/* The next task of either arm; paired says whether it is in both. False at the end. */
static bool
NextPair(Pairing *pairing)
{
	if (!join_next(&pairing->join))
		return false;
	pairing->paired = pairing->join.order == 0;
	if (pairing->paired) {
		pairing->key = pairing->first.reader.summary.key;
		FillPair(pairing);
	}
	return true;
}

static void
EndPairing(Pairing *pairing)
{
	pass_close(&pairing->first.reader);
	pass_close(&pairing->second.reader);
}

/* The rollouts whose misses the measure asks for: pass^k is 1 less pass@k of failures. */
static inline int64
CountedFor(const PassEvaluation *eval, int t)
{
	if (eval->request->measure == PASS_ALL_OF_K)
		return eval->eligible[t] - eval->solved[t];
	return eval->solved[t];
}

static void
AddPair(PairSums *sums, double first, double second)
{
	double d = first - second;
	double from_shift;

	if (fabs(d) < SAME_VALUE)
		d = 0.0;
	if (sums->tasks++ == 0)
		sums->shift = d;
	from_shift = fabs(d - sums->shift) < SAME_VALUE ? 0.0 : d - sums->shift;
	sums->sums[0] += first;
	sums->sums[1] += second;
	sums->squared[0] += first * first;
	sums->squared[1] += second * second;
	sums->sizes += fabs(d);
	sums->squares += d * d;
	sums->shifted += from_shift;
	sums->shifted_squares += from_shift * from_shift;
}

/*
 * What attempts alone make of the variance in an arm with n of them: by its own
 * rollouts; by those of both arms, were the arms alike. A bound has none.
 */
static void
AddVariances(Pairing *pairing, int t, int arm)
{
	PassEvaluation *evals[] = {&pairing->first, &pairing->second};
	PassEvaluation *eval = evals[arm], *other = evals[1 - arm];
	bool bound = other->request->measure == PASS_ANY;
	int64 n = eval->eligible[t], n_other = bound ? 0 : other->eligible[t];
	int64 c = CountedFor(eval, t), c_other = bound ? 0 : CountedFor(other, t);
	int nk = eval->request->nk;
	const double *own, *pooled;

	if (eval->request->measure == PASS_ANY)
		return;
	own = variances_of(&pairing->own, n, c, n);
	pooled = variances_of(&pairing->pooled, n + n_other, c + c_other, n);
	for (int i = 0; i < nk; i++) {
		int64 k = eval->request->k[i];
		PairSums *sums = &pairing->sums[t * nk + i];

		if (!pairing->present[t * nk + i])
			continue;
		if (n >= 2 * k) {
			sums->own += own[i];
			sums->pooled += pooled[i];
		} else if (n_other >= 2 * k)
			sums->pooled_only += pooled[i];
		if (arm == 1)
			sums->within += own[i];
	}
}

/* Adds the task at hand to the sums. */
static void
AddTask(Pairing *pairing)
{
	const PassRequest *request = pairing->first.request;

	for (int t = 0; t < request->nt; t++) {
		const bool *present = pairing->present + t * request->nk;
		bool any = AnyPresent(present, request->nk);

		for (int i = 0; i < request->nk && any; i++) {
			int cell = t * request->nk + i;

			if (present[i])
				AddPair(&pairing->sums[cell], pairing->first_values[cell],
						pairing->second_values[cell]);
		}
		if (!any)
			continue;
		AddVariances(pairing, t, 0);
		AddVariances(pairing, t, 1);
		attempts_add(&pairing->attempts[t], pairing->second.eligible[t], 1);
	}
}

/* Squared deviations of the differences from their mean. */
static double
Deviations(const PairSums *sums)
{
	return Max(0.0, sums->shifted_squares - sums->shifted * sums->shifted / (double) sums->tasks);
}

/* A bound that no task falls short of: the headroom is itself a share. */
static Evidence
HeadroomEvidence(const Pairing *pairing, const PairSums *sums, int cell)
{
	const PassRequest *request = pairing->second.request;
	double m = (double) sums->tasks, sum = sums->sizes;
	Evidence evidence = {.rule = RULE_SHARE};

	evidence.of.share = (ShareEvidence){
		.tasks = m,
		.sum = sum,
		.deviations = Deviations(sums),
		.within = Max(0.0, sums->within) / m,
		.alike = attempts_alike_variance(&pairing->attempts[cell / request->nk],
										 request->k[cell % request->nk], sum / m) /
				 m,
	};
	return evidence;
}

static Evidence
EvidenceOf(const Pairing *pairing, const PairSums *sums, int cell)
{
	double m = (double) sums->tasks;
	double sum = sums->sums[0] - sums->sums[1];
	Evidence evidence = {.rule = RULE_PAIR};
	PairEvidence *pair = &evidence.of.pair;

	if (pairing->first.request->measure == PASS_ANY && sum >= sums->sizes - SAME_VALUE * m)
		return HeadroomEvidence(pairing, sums, cell);
	if (fabs(sum) < SAME_VALUE * m)
		sum = 0.0;
	*pair = (PairEvidence){.tasks = m, .sum = sum, .sizes = sums->sizes, .squares = sums->squares};
	for (int arm = 0; arm < 2; arm++)
		pair->carriers[arm] = share_carriers(m, sums->sums[arm], sums->squared[arm]);
	pair->own = sums->own / m;
	pair->pooled = sums->pooled / m;
	pair->pooled_only = sums->pooled_only / m;
	return evidence;
}

static PairFigure
PairFigureOf(const Pairing *pairing, int cell, int64 tasks)
{
	const PairSums *sums = &pairing->sums[cell];
	PairFigure figure = {.tasks = sums->tasks, .tasks_short = tasks - sums->tasks};
	double m = (double) sums->tasks;

	if (sums->tasks == 0)
		return figure;
	figure.first = sums->sums[0] / m;
	figure.second = sums->sums[1] / m;
	figure.diff = (sums->sums[0] - sums->sums[1]) / m;
	figure.evidence = EvidenceOf(pairing, sums, cell);
	if (sums->tasks > 1)
		figure.std_error = sqrt(Deviations(sums) / (m - 1.0) / m);
	return figure;
}

/* A figure per cell, over the tasks with rollouts enough in both arms; sums in key order. */
PairFigure *
pass_pair_figures(const PairRequest *request)
{
	Pairing pairing;
	PairFigure *figures;
	int64 tasks = 0, common = 0;

	StartPairing(&pairing, request);
	pairing.sums = palloc0(mul_size(pairing.cells, sizeof(PairSums)));
	pairing.attempts = palloc0(mul_size(request->first_request->nt, sizeof(AttemptCounts)));
	figures = palloc(mul_size(pairing.cells, sizeof(PairFigure)));
	while (NextPair(&pairing)) {
		tasks++;
		common += pairing.paired;
		if (pairing.paired)
			AddTask(&pairing);
	}
	for (int i = 0; i < pairing.cells; i++) {
		figures[i] = PairFigureOf(&pairing, i, tasks);
		figures[i].common = common;
	}
	EndPairing(&pairing);
	return figures;
}

/* The differences by task. */
Sample *
pass_pair_sample(const PairRequest *request)
{
	SampleBuilder *builder = palloc(sizeof(SampleBuilder));
	Pairing pairing;

	StartPairing(&pairing, request);
	sample_start(builder, pairing.cells);
	while (NextPair(&pairing)) {
		if (pairing.paired && AnyPresent(pairing.present, pairing.cells))
			sample_add(builder, pairing.differences, pairing.present);
	}
	EndPairing(&pairing);
	return sample_finish(builder);
}

Influences *
pass_pair_influences(const PairRequest *request, const PairFigure *figures)
{
	Pairing pairing;
	Influences *influences;

	StartPairing(&pairing, request);
	influences = influences_start(
		pairing.cells, Min(pairing.first.reader.summary.keys, pairing.second.reader.summary.keys));
	while (NextPair(&pairing)) {
		double *row;

		if (!pairing.paired)
			continue;
		row = influences_next(influences);
		for (int i = 0; i < pairing.cells; i++) {
			double d = pairing.differences[i];

			if (pairing.present[i])
				row[i] += (fabs(d) < SAME_VALUE ? 0.0 : d) - figures[i].diff;
		}
	}
	EndPairing(&pairing);
	return influences;
}

/* The tasks with rollouts enough in both arms. */
PairValues
pass_pair_values(const PairRequest *request)
{
	PairValues result = {0};
	Pairing pairing;
	int64 most;

	StartPairing(&pairing, request);
	most = Min(pairing.first.reader.summary.keys, pairing.second.reader.summary.keys);
	result.kind = pairing.first.reader.summary.kind;
	result.values =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(most, sizeof(PairValue)) + 1);
	while (NextPair(&pairing)) {
		if (!pairing.paired || !pairing.present[0])
			continue;
		result.values[result.n++] =
			(PairValue){pairing.key, pairing.first_values[0], pairing.second_values[0]};
	}
	EndPairing(&pairing);
	return result;
}
