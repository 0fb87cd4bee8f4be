/*
 * Arguments of SQL functions that all functions check alike.
 */
#ifndef AGENTRL_ARGUMENTS_H
#define AGENTRL_ARGUMENTS_H

#include "postgres.h"
#include "fmgr.h"

/* An error named after the argument when it is null. */
extern void require_argument(FunctionCallInfo fcinfo, int i, const char *name);
extern void require_positive(const char *name, int64 value);
extern int64 read_positive(FunctionCallInfo fcinfo, int i, const char *name);

/* Which of the named choices a text argument is; an error that lists them when it is none. */
extern int read_choice(FunctionCallInfo fcinfo, int i, const char *name, const char *const *choices,
					   int n);

#endif
