/*
 * The difference of two arms, paired by task, over a grid of K and T: figures,
 * intervals, p values and bands by cell, in the order [t][k] of the request.
 */
#ifndef AGENTRL_PASS_COMPARE_H
#define AGENTRL_PASS_COMPARE_H

#include "pass/sample.h"
#include "stats/estimate.h"

typedef struct Comparison {
	PairRequest pair;
	InferenceOptions options;
	bool bands; /* wanted; resamples 0 gives none */
	int cells;
	PairFigure *figures;
	Estimate *results; /* method NULL: no task is in both arms */
	Bands made;		   /* by cell; those without a task have none. band NULL: there are none */
} Comparison;

/* Fills in cells, figures, results and bands from what stands above them. */
extern void pass_compare(Comparison *comparison);

/* Whether the cell has a band. */
static inline bool
has_band(const Comparison *comparison, int cell)
{
	return comparison->made.band != NULL && comparison->figures[cell].tasks > 0;
}

#endif
