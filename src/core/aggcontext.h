/*
 * The memory context that holds every growing state of one aggregate context.
 */
#ifndef AGENTRL_AGGCONTEXT_H
#define AGENTRL_AGGCONTEXT_H

#include "postgres.h"
#include "fmgr.h"

extern MemoryContext agentrl_states_context(MemoryContext aggcontext);

/* The states' context of the aggregate that is calling; an error outside one. */
extern MemoryContext agentrl_calling_states_context(FunctionCallInfo fcinfo);

#endif
