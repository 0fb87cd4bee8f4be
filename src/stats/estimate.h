/*
 * Estimates of a sample's cells with intervals and p values, by the rules that
 * all reports share. A cell is a ratio of sums over clusters; a mean over
 * clusters when every size is 1.
 */
#ifndef AGENTRL_ESTIMATE_H
#define AGENTRL_ESTIMATE_H

#include "stats/inference.h"

typedef enum EstimateScale {
	SCALE_PROPORTION,	  /* sums lie in [0, size] */
	SCALE_DIFFERENCE,	  /* of two proportions: sums lie in [-size, size] */
	SCALE_MEAN,			  /* of any numbers */
	SCALE_MEAN_DIFFERENCE /* the same */
} EstimateScale;

typedef struct Estimate {
	int64 clusters;		   /* those of size above 0 */
	double size;		   /* sum of sizes */
	double value;		   /* valid when clusters > 0 */
	double std_error;	   /* valid when clusters > 1 */
	IntervalMethod method; /* METHOD_NONE: there is no interval */
	Bounds interval;
	double p_value; /* that the value is 0; inverts the interval of a difference */
} Estimate;

/*
 * By cell. 'auto' takes BCa for a proportion or mean, t for a difference and in a
 * sample that is large (resampling_is_quick). A proportion with fewer than 5 clusters' worth of
 * successes or failures falls back to Wilson over clusters; a difference that
 * is not 0 in fewer than 10 clusters falls back to MOVER. Means of any numbers
 * have no fallback: no interval when the clusters are fewer than two or alike.
 * Quantises the sample.
 */
extern Estimate *estimate_cells(Sample *sample, const EstimateScale *scales,
								const InferenceOptions *options);

/* What MOVER needs of a difference: two proportions whose difference it is, and where it is not 0.
 */
typedef struct FigureContrast {
	double plus, minus;
	int64 nonzero; /* clusters */
} FigureContrast;

/*
 * The same by figure; size is not set, and a figure that does not exist is NaN,
 * of METHOD_NONE. contrasts are read where the scale is SCALE_DIFFERENCE.
 */
extern Estimate *estimate_figures(Sample *sample, const Derivation *derivation,
								  const EstimateScale *scales, const FigureContrast *contrasts,
								  const InferenceOptions *options);

#endif
