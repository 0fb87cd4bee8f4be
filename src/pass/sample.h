/*
 * Pass@(K,T) values by task, as samples for the bootstrap. Cells are in the
 * order of the request, [t][k].
 */
#ifndef AGENTRL_PASS_SAMPLE_H
#define AGENTRL_PASS_SAMPLE_H

#include "stats/bands.h"
#include "stats/bootstrap.h"
#include "pass/evaluate.h"

/* One arm: a value for each task and cell, or its influence on the figures. */
extern Sample *pass_sample(Datum summary, const PassRequest *request);
extern Influences *pass_influences(Datum summary, const PassRequest *request,
								   const PassFigure *figures);

/* Sums over the tasks that both arms have, for one cell. */
typedef struct PairFigure {
	double first;	   /* mean of the first arm */
	double second;	   /* mean of the second arm */
	double diff;	   /* first - second; these three are valid when tasks > 0 */
	double std_error;  /* of diff; valid when tasks > 1 */
	Evidence evidence; /* RULE_NONE when there are no tasks */
	int64 tasks;
	int64 tasks_short; /* tasks of either arm that are not among them */
	int64 common;	   /* tasks that both arms have, whatever their rollouts */
} PairFigure;

typedef struct PairRequest {
	Datum first, second;
	const PassRequest *first_request;  /* both of the same nk and nt, ... */
	const PassRequest *second_request; /* ... and the same task_set */
} PairRequest;

extern PairFigure *pass_pair_figures(const PairRequest *request);
extern Sample *pass_pair_sample(const PairRequest *request);
extern Influences *pass_pair_influences(const PairRequest *request, const PairFigure *figures);

/* A task of both arms, and its values in the one cell of the requests. */
typedef struct PairValue {
	Key key; /* a text key points into the first arm */
	double first, second;
} PairValue;

typedef struct PairValues {
	KeyKind kind;
	int64 n;
	PairValue *values; /* in key order */
} PairValues;

extern PairValues pass_pair_values(const PairRequest *request);

/* The number of tasks that a summary holds. */
extern int64 pass_task_count(Datum summary);

#endif
