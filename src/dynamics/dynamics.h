/*
 * dynamics_summary: per task, its rewards with many turns and with one, by
 * checkpoint of a training run.
 */
#ifndef AGENTRL_DYNAMICS_H
#define AGENTRL_DYNAMICS_H

#include "stats/bands.h"
#include "summary/records.h"

/* The columns of a record. */
enum { DYNAMICS_CHECKPOINT, DYNAMICS_MULTI, DYNAMICS_SINGLE, DYNAMICS_COLUMNS };

/* What a task has to be at a checkpoint to count there: both measures known. */
typedef struct DynamicsPoint {
	int64 checkpoint;
	double multi, single; /* each the mean over its values */
	bool complete;
	int64 missing; /* values that are null */
} DynamicsPoint;

extern const RecordMethods dynamics_methods;

/* Reads a summary task by task. */
typedef struct DynamicsReader {
	RecordReader records;
	DynamicsPoint *points; /* of the task at hand, by checkpoint */
	int npoints, capacity;
} DynamicsReader;

extern void dynamics_open(DynamicsReader *reader, Datum summary);
extern bool dynamics_next_task(DynamicsReader *reader);

/* One checkpoint of a report. */
typedef struct DynamicsCheckpoint {
	int64 checkpoint;
	int64 missing;
	Estimate multi, single;		/* over complete tasks */
	Estimate d_multi, d_single; /* since the first checkpoint, over tasks complete at both */
	Estimate gap;				/* d_multi - d_single */
	bool has_band;
	Bounds band; /* of gap, simultaneous over checkpoints */
	bool diverged;
} DynamicsCheckpoint;

typedef struct DynamicsReport {
	DynamicsCheckpoint *checkpoints; /* ascending */
	int n;
	int64 tasks;
	bool proportions; /* all values lie in [0, 1] */
} DynamicsReport;

extern DynamicsReport dynamics_compare(Datum summary, const InferenceOptions *options);

/* An error when a sum has left the range of float8. */
extern void dynamics_check_range(const Estimate *estimate);

#endif
