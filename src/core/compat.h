/*
 * Differences between server versions, 15 to 18.
 */
#ifndef AGENTRL_COMPAT_H
#define AGENTRL_COMPAT_H

#include "postgres.h"

#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#else
/* No soft errors before 16: report at once. */
#define SOFT_ERROR_OCCURRED(context) false
#define errsave(context, ...)		 ereport(ERROR, __VA_ARGS__)
#define ereturn(context, value, ...)                                                               \
	do {                                                                                           \
		(void) (context);                                                                          \
		ereport(ERROR, __VA_ARGS__);                                                               \
		return value;                                                                              \
	} while (0)
#endif

#endif
