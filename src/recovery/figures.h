/*
 * From the records of recovery_summaries to figures: what a sample's cells
 * count, and how the measures follow from them.
 */
#ifndef AGENTRL_RECOVERY_FIGURES_H
#define AGENTRL_RECOVERY_FIGURES_H

#include "stats/estimate.h"
#include "recovery/recovery.h"

/* the horizons that one call may ask for, and the longest of a report */
#define MAX_HORIZONS 100
#define MAX_WITHIN	 1000

/*
 * Cells: of each a count (sum) among a number of chances (size). The hazards
 * are those of recovery after 1, 2, ... error turns.
 */
typedef enum RecoveryCell { CELL_CORRECTED, CELL_AFTER, CELL_WITHOUT, CELL_HAZARDS } RecoveryCell;

typedef enum RecoveryMeasure {
	MEASURE_CORRECTED,
	MEASURE_WITHIN,
	MEASURE_AFTER,
	MEASURE_WITHOUT
} RecoveryMeasure;

extern const char *const measure_names[];

/* One figure that is asked for; within is the horizon of MEASURE_WITHIN. */
typedef struct AskedMeasure {
	RecoveryMeasure measure;
	int64 within;
} AskedMeasure;

/* What is counted over all tasks beside a sample: by measure, episodes by their length. */
typedef struct RecoveryTotals {
	double *sums, *sizes; /* by cell */
	double unknown[MEASURE_WITHOUT + 1];
	double censored[MEASURE_WITHOUT + 1];
	double *unknown_at, *censored_at; /* episodes by length, from 1 */
	double solved;					  /* episodes that ended with success */
} RecoveryTotals;

/*
 * The figures of one or two arms. With two, the cells of the second follow
 * those of the first, and a figure is the difference first - second.
 */
typedef struct RecoveryFigures {
	int n;
	AskedMeasure *asked;
	int hazards; /* cells of them; from the last on they are all alike */
	int arms;
	double *scratch; /* [hazards + 1] */
} RecoveryFigures;

static inline int
arm_cells(const RecoveryFigures *figures)
{
	return CELL_HAZARDS + figures->hazards;
}

/* The longest episode in a summary; 0: none. */
extern int64 longest_episode(Datum summary);

/* Reads the within argument, an array, and makes a list of measures of it. */
extern RecoveryFigures read_figures(FunctionCallInfo fcinfo, int i, bool without_error);
extern void set_hazards(RecoveryFigures *figures, int64 longest);

/* Whether the turns of a mixed episode count with it, or each with its own kind. */
typedef enum TurnSource { TURNS_OF_EPISODES, TURNS_BY_KIND } TurnSource;

extern void totals_start(RecoveryTotals *totals, const RecoveryFigures *figures);

/* Adds a record to a task's sums and sizes, and to the totals. */
extern void count_record(const RecoveryFigures *figures, const RecoveryRecord *record,
						 TurnSource source, double *sums, double *sizes, RecoveryTotals *totals);
extern void add_to_totals(RecoveryTotals *totals, const RecoveryFigures *figures,
						  const double *sums, const double *sizes);

/* 1 - prod (1 - hazard) up to a horizon; NaN where a hazard that matters is. */
extern double recovered_within(const double *hazards, int n, int64 within);

/* The rate of one arm from the ratios of its cells. */
extern double measure_rate(const RecoveryFigures *figures, const AskedMeasure *asked,
						   const double *ratios);

extern Derivation recovery_derivation(const RecoveryFigures *figures);

/* What the sample's cells are evidence of, by figure. */
extern Evidence *recovery_evidence(const RecoveryFigures *figures, const Sample *sample);

/* The cell whose size says whether a task has the measure. */
extern int measure_cell(RecoveryMeasure measure);

/* A count as bigint. */
extern Datum count_datum(double count);

#endif
