/*
 * Interrupts in loops over data: a query can be cancelled within 100 ms.
 */
#ifndef AGENTRL_POLL_H
#define AGENTRL_POLL_H

#include "postgres.h"
#include "miscadmin.h"

/* Step i of a loop whose steps take less than a microsecond each. */
static inline void
poll_at(uint64 i)
{
	if (unlikely(i % 65536 == 65535))
		CHECK_FOR_INTERRUPTS();
}

#endif
