/*
 * Simultaneous bands and adjusted p values over the cells of a report, by one
 * draw of multipliers.
 *
 * Each cell gives its tasks' influence values: what a task adds to the figure's
 * error, to first order, over the cell's own tasks, 0 for others. A draw gives
 * each task a random sign and size, the same in all cells; the largest of the
 * cells' sums, each over its own size, says how far cells stray together. No
 * task is left out or drawn twice, so a sparse cell weighs as any other.
 */
#ifndef AGENTRL_BANDS_H
#define AGENTRL_BANDS_H

#include "postgres.h"

#include "stats/estimate.h"

/* By row and cell; the tasks are dealt out to the rows, whose sums are kept. */
typedef struct Influences {
	int cells;
	int64 rows;
	int64 tasks; /* that have been added */
	double *values;
} Influences;

extern Influences *influences_start(int cells, int64 tasks);

/* The row of the next task, to whose values its own are to be added. Tasks come in key order. */
extern double *influences_next(Influences *influences);

typedef struct Bands {
	double critical; /* the quantile of the largest |z| */
	Bounds *band;	 /* by cell */
	double *p_adjusted;
} Bands;

/*
 * Of cells with this evidence, each by its own rule at a level that holds for
 * all at once. A band holds the cell's interval, and p_adjusted is no smaller
 * than its p value, whatever method they are by.
 */
extern Bands make_bands(const Influences *influences, const Evidence *evidence,
						const Estimate *estimates, const InferenceOptions *options);

#endif
