/*
 * The difference of two arms, paired by task, over a grid of K and T: figures,
 * intervals, p values and bands by cell, in the order [t][k] of the request.
 */
#ifndef AGENTRL_PASS_COMPARE_H
#define AGENTRL_PASS_COMPARE_H

#include "stats/inference.h"
#include "pass/sample.h"

typedef struct ComparedCell {
	IntervalMethod method; /* METHOD_NONE: no task is in both arms */
	Bounds interval;
	double p_value; /* inverts the interval */
	Bounds band;
	double p_adjusted; /* valid with has_band */
	bool has_band;	   /* two or more tasks have all cells */
} ComparedCell;

typedef struct Comparison {
	PairRequest pair;
	InferenceOptions options;
	bool bands; /* wanted; resamples 0 gives none */
	int cells;
	PairFigure *figures;
	ComparedCell *results;
} Comparison;

/* Fills in cells, figures and results from what stands above them. */
extern void pass_compare(Comparison *comparison);

#endif
