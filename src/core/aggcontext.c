/*
 * The one memory context in which all states of an aggregate context live.
 *
 * The server adopts an expanded object without a copy when its context is a
 * direct child of the aggregate's. A child for each group would be walked
 * again at each new group, when memory is counted; one child serves all.
 */
#include "postgres.h"
#include "nodes/memnodes.h"
#include "utils/memutils.h"

#include "core/aggcontext.h"

#define STATES_NAME "agentrl states"

MemoryContext
agentrl_states_context(MemoryContext aggcontext)
{
	MemoryContext child;

	for (child = aggcontext->firstchild; child != NULL; child = child->nextchild)
		if (strcmp(child->name, STATES_NAME) == 0)
			return child;
	return AllocSetContextCreate(aggcontext, STATES_NAME, ALLOCSET_SMALL_SIZES);
}
