/*
 * From figures to what a report says of them: interval, p value, and the name of
 * the method. 'auto' takes the rule that the evidence calls for (rules.h); the
 * other methods are given where they are asked for, unless all tasks agree.
 */
#ifndef AGENTRL_ESTIMATE_H
#define AGENTRL_ESTIMATE_H

#include "stats/inference.h"
#include "stats/rules.h"

typedef enum EstimateScale {
	SCALE_PROPORTION, /* sums lie in [0, size] */
	SCALE_DIFFERENCE, /* of two proportions: sums lie in [-size, size] */
	SCALE_MEAN		  /* of any numbers, or of their differences */
} EstimateScale;

typedef struct Estimate {
	int64 clusters;		/* those of size above 0 */
	double size;		/* sum of sizes */
	double value;		/* valid when clusters > 0 */
	double std_error;	/* valid when clusters > 1 */
	const char *method; /* NULL: there is no interval */
	Bounds interval;
	double p_value; /* that the value is 0; below alpha exactly when the interval excludes 0 */
	double tasks_effective; /* coin flips that would be as uncertain */
} Estimate;

/*
 * Sets the intervals, p values and methods of estimates whose clusters, value
 * and std_error are set; those that do not exist, whose value is NaN, are left.
 * Returns how they are to be resampled: NULL where none is.
 */
extern BootstrapMethod *estimate_by_rules(Estimate *estimates, const Evidence *evidence, int n,
										  const InferenceOptions *options);

/* Sets anew those that have a method. By figure with a derivation, else by cell. */
extern void estimate_by_resampling(Estimate *estimates, const BootstrapMethod *methods,
								   Sample *sample, const Derivation *derivation,
								   const InferenceOptions *options);

/* What a cell of a sample is evidence of; a ratio of sums over clusters. */
extern Evidence cell_evidence(const Sample *sample, int cell, EstimateScale scale);

/* By cell. Quantises the sample where it resamples. */
extern Estimate *estimate_cells(Sample *sample, const EstimateScale *scales,
								const InferenceOptions *options);

/* The same from evidence that says more than the sample does. */
extern Estimate *estimate_cells_of(Sample *sample, const Evidence *evidence,
								   const InferenceOptions *options);

/* 1 - prod (1 - h) over cells of a sample, each a ratio h; the cell itself where n is 1. */
extern RateEvidence rate_evidence(const Sample *sample, const int *cells, int n);

/* The difference of two such rates. */
extern RateDifferenceEvidence rate_difference_evidence(const Sample *sample, const int *first,
													   int nfirst, const int *second, int nsecond);

/* By figure; size is not set, and a figure that does not exist is NaN, without a method. */
extern Estimate *estimate_figures(Sample *sample, const Derivation *derivation,
								  const Evidence *evidence, const InferenceOptions *options);

#endif
