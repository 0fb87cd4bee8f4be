/*
 * Arrays that grow.
 */
#ifndef AGENTRL_ARRAY_H
#define AGENTRL_ARRAY_H

#include "postgres.h"
#include "utils/memutils.h"

/* The array with room for so many items; in the context, when it is NULL as yet. */
static inline void *
array_with_room(MemoryContext context, void *array, Size items, Size item_size)
{
	Size size = mul_size(items, item_size);

	return array == NULL ? MemoryContextAllocHuge(context, size) : repalloc_huge(array, size);
}

#endif
