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
SetEstimates(Comparison *comparison, const Evidence *evidence)
{
	const InferenceOptions *options = &comparison->options;
	BootstrapMethod *methods;

	for (int i = 0; i < comparison->cells; i++) {
		const PairFigure *figure = &comparison->figures[i];

		comparison->results[i].clusters = figure->tasks;
		comparison->results[i].value = figure->diff;
		comparison->results[i].std_error = figure->std_error;
	}
	methods = estimate_by_rules(comparison->results, evidence, comparison->cells, options);
	if (methods != NULL)
		estimate_by_resampling(comparison->results, methods, pass_pair_sample(&comparison->pair),
							   NULL, options);
}

void
pass_compare(Comparison *comparison)
{
	const PassRequest *request = comparison->pair.first_request;
	Evidence *evidence;

	comparison->cells = request->nk * request->nt;
	comparison->figures = pass_pair_figures(&comparison->pair);
	comparison->results = palloc0(mul_size(comparison->cells, sizeof(Estimate)));
	evidence = EvidenceOf(comparison);
	SetEstimates(comparison, evidence);
	if (comparison->bands && comparison->options.resamples > 0)
		comparison->made = make_bands(pass_pair_influences(&comparison->pair, comparison->figures),
									  evidence, comparison->results, &comparison->options);
}
