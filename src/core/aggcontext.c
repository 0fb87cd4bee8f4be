#include "core/aggcontext.h"

#include "nodes/memnodes.h"
#include "utils/memutils.h"

#define STATES_NAME "agentrl states"

/*
 * Finds the context of our states among the children of an aggregate context,
 * or makes it. The server adopts an expanded object without a copy only when
 * its context is a direct child; and it walks all children each time a hash
 * aggregate meets a new group, so one child must serve all groups.
 */
MemoryContext
agentrl_states_context(MemoryContext aggcontext)
{
	MemoryContext child;

	for (child = aggcontext->firstchild; child != NULL; child = child->nextchild) {
		if (strcmp(child->name, STATES_NAME) == 0)
			return child;
	}
	return AllocSetContextCreate(aggcontext, STATES_NAME, ALLOCSET_SMALL_MINSIZE,
								 ALLOCSET_SMALL_INITSIZE, ALLOCSET_DEFAULT_MAXSIZE);
}

MemoryContext
agentrl_calling_states_context(FunctionCallInfo fcinfo)
{
	MemoryContext aggcontext;

	if (!AggCheckCallContext(fcinfo, &aggcontext))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("this function may be called only by its aggregate")));
	return agentrl_states_context(aggcontext);
}
