#include "pass/sample.h"

#include <math.h>

#include "miscadmin.h"

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
	for (int i = 0; i < cells; i++) {
		if (present[i])
			return true;
	}
	return false;
}

Sample *
pass_sample(Datum summary, const PassRequest *request, int64 blocks)
{
	int cells = request->nt * request->nk;
	SampleBuilder *builder = palloc(sizeof(SampleBuilder));
	double *values = palloc(cells * sizeof(double));
	bool *present = palloc(cells * sizeof(bool));
	PassEvaluation eval;

	sample_start(builder, cells, blocks);
	pass_evaluate(&eval, summary, request);
	while (pass_evaluate_next(&eval)) {
		TaskRow(&eval, values, present);
		if (AnyPresent(present, cells))
			sample_add(builder, values, present);
	}
	pass_close(&eval.reader);
	return sample_finish(builder);
}

/* ---- two arms ---- */

/* Both arms, and the values of a task that both have. */
typedef struct Pairing {
	PassEvaluation first, second;
	KeyJoin join;
	bool paired; /* both have the task at hand: key */
	Key key;
	int cells;
	double *first_values, *second_values, *differences;
	bool *first_present, *second_present, *present;
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
	if (pairing->first.request->task_set == TASKS_COMMON) {
		for (int i = 0; i < pairing->cells; i++) {
			if (!pairing->present[i])
				memset(pairing->present, 0, pairing->cells * sizeof(bool));
		}
	}
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

/* sums of one cell; spread is shifted by the first difference */
typedef struct PairSums {
	double first, second, plus, minus;
	double shift, shifted, squares;
	int64 tasks, nonzero;
} PairSums;

static void
AddPair(PairSums *sums, double first, double second)
{
	double d = first - second;
	double from_shift;

	if (sums->tasks++ == 0)
		sums->shift = d;
	from_shift = d - sums->shift;
	sums->first += first;
	sums->second += second;
	sums->plus += Max(d, 0.0);
	sums->minus += Max(-d, 0.0);
	sums->shifted += from_shift;
	sums->squares += from_shift * from_shift;
	sums->nonzero += d != 0.0;
}

static PairFigure
PairFigureOf(const PairSums *sums, int64 tasks)
{
	PairFigure figure = {.tasks = sums->tasks, .tasks_short = tasks - sums->tasks};
	double m = (double) sums->tasks;

	figure.nonzero = sums->nonzero;
	if (sums->tasks == 0)
		return figure;
	figure.first = sums->first / m;
	figure.second = sums->second / m;
	figure.mean_plus = sums->plus / m;
	figure.mean_minus = sums->minus / m;
	figure.diff = (sums->first - sums->second) / m;
	if (sums->tasks > 1)
		figure.std_error =
			sqrt(Max(sums->squares - sums->shifted * sums->shifted / m, 0.0) / (m - 1.0) / m);
	return figure;
}

/* A figure per cell, over the tasks with rollouts enough in both arms; sums in key order. */
PairFigure *
pass_pair_figures(const PairRequest *request)
{
	Pairing pairing;
	PairSums *sums;
	PairFigure *figures;
	int64 tasks = 0;

	StartPairing(&pairing, request);
	sums = palloc0(mul_size(pairing.cells, sizeof(PairSums)));
	figures = palloc(mul_size(pairing.cells, sizeof(PairFigure)));
	while (NextPair(&pairing)) {
		tasks++;
		for (int i = 0; i < pairing.cells && pairing.paired; i++) {
			if (pairing.present[i])
				AddPair(&sums[i], pairing.first_values[i], pairing.second_values[i]);
		}
	}
	for (int i = 0; i < pairing.cells; i++)
		figures[i] = PairFigureOf(&sums[i], tasks);
	EndPairing(&pairing);
	return figures;
}

/* The differences by task. With blocks > 0 the requests' task_set must be common. */
Sample *
pass_pair_sample(const PairRequest *request, int64 blocks)
{
	SampleBuilder *builder = palloc(sizeof(SampleBuilder));
	Pairing pairing;

	StartPairing(&pairing, request);
	sample_start(builder, pairing.cells, blocks);
	while (NextPair(&pairing)) {
		if (pairing.paired && AnyPresent(pairing.present, pairing.cells))
			sample_add(builder, pairing.differences, pairing.present);
	}
	EndPairing(&pairing);
	return sample_finish(builder);
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
