#include "pass/compare.h"

static Evidence *
EvidenceOf(const Comparison *comparison)
{
	Evidence *evidence = palloc(mul_size(comparison->cells, sizeof(Evidence)));

	for (int i = 0; i < comparison->cells; i++)
		evidence[i] = comparison->figures[i].evidence;
	return evidence;
}

static void
SetEstimates(Comparison *comparison)
{
	const InferenceOptions *options = &comparison->options;
	BootstrapMethod *methods = palloc(mul_size(comparison->cells, sizeof(BootstrapMethod)));
	BootstrapRequest request = {options->resamples, options->seed, options->confidence, methods};
	bool any = false;
	BootstrapResult result;

	for (int i = 0; i < comparison->cells; i++) {
		const PairFigure *figure = &comparison->figures[i];
		Estimate *estimate = &comparison->results[i];

		estimate->clusters = figure->tasks;
		estimate->value = figure->diff;
		estimate->std_error = figure->std_error;
		methods[i] = estimate_by_rule(estimate, &figure->evidence, options);
		any |= methods[i] != BOOTSTRAP_NONE;
	}
	if (!any)
		return;
	result = bootstrap(pass_pair_sample(&comparison->pair), &request);
	estimate_resampled(comparison->results, methods, comparison->cells, &result, options);
}

void
pass_compare(Comparison *comparison)
{
	const PassRequest *request = comparison->pair.first_request;

	comparison->cells = request->nk * request->nt;
	comparison->figures = pass_pair_figures(&comparison->pair);
	comparison->results = palloc0(mul_size(comparison->cells, sizeof(Estimate)));
	SetEstimates(comparison);
	if (comparison->bands && comparison->options.resamples > 0)
		comparison->made =
			make_bands(pass_pair_influences(&comparison->pair, comparison->figures),
					   EvidenceOf(comparison), comparison->results, &comparison->options);
}
