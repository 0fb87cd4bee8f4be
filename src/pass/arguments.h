/*
 * The arguments that the functions over a grid of K and T share.
 */
#ifndef AGENTRL_PASS_ARGUMENTS_H
#define AGENTRL_PASS_ARGUMENTS_H

#include "postgres.h"
#include "funcapi.h"

#include "stats/inference.h"
#include "pass/sample.h"

/* A list of k or t as the caller wrote it, and sorted without repetition. */
typedef struct Axis {
	int n;
	int64 *given; /* NULL: the list itself is NULL */
	int ndistinct;
	int64 *distinct;
} Axis;

#define MAX_GRID_CELLS 100000

typedef struct GridArguments {
	Axis k, t;
	PassRequest request;
	InferenceOptions options;
} GridArguments;

/* Reads t[], or NULL, from argument i. */
extern Axis read_t_axis(FunctionCallInfo fcinfo, int i);

/* Reads k[] and t[] from arguments k_argument and the next. */
extern GridArguments read_grid(FunctionCallInfo fcinfo, int k_argument);

/* One k; one t or NULL, from an argument and the next. */
typedef struct CellArguments {
	int64 k, t;
	PassRequest request; /* points to them */
} CellArguments;

extern void read_cell(FunctionCallInfo fcinfo, int k_argument, CellArguments *cell);

/* The arms of arguments 0 and 1; one that is NULL has no tasks. */
extern PairRequest read_arms(FunctionCallInfo fcinfo, const PassRequest *request);

extern MatchRule read_match(FunctionCallInfo fcinfo, int i);

/* Reads match and task_set from an argument and the next. */
extern void read_selection(FunctionCallInfo fcinfo, int first, PassRequest *request);

/* The cell of the i-th k and the j-th t as given, in the order [t][k] of the request. */
extern int grid_cell(const GridArguments *grid, int i, int j);

#endif
