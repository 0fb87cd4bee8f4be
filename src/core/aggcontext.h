/*
 * The one memory context in which all states of an aggregate context live.
 */
#ifndef AGENTRL_AGGCONTEXT_H
#define AGENTRL_AGGCONTEXT_H

#include "postgres.h"

extern MemoryContext agentrl_states_context(MemoryContext aggcontext);

#endif
