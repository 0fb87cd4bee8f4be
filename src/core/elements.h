/*
 * The elements of an array that is an argument.
 */
#ifndef AGENTRL_ELEMENTS_H
#define AGENTRL_ELEMENTS_H

#include "postgres.h"
#include "fmgr.h"

/* Of one dimension, without nulls; those of varying length stay in the array. An error names the
 * argument. */
extern Datum *read_elements(FunctionCallInfo fcinfo, int i, const char *name, int *n);

#endif
