/*
 * Small blocks of memory that come and go by the million: no header before
 * each, and none of up to 64 bytes crosses a line of the cache. They live as
 * long as the memory context.
 */
#ifndef AGENTRL_BLOCKPOOL_H
#define AGENTRL_BLOCKPOOL_H

#include "postgres.h"

/* of 16, 32, ... bytes; what is larger is the memory context's own */
#define POOL_CLASSES 8

typedef struct BlockPool {
	MemoryContext context;
	void *free[POOL_CLASSES]; /* each holds the next */
	char *chunk;			  /* where the next new block goes */
	uint32 chunk_left;
	uint32 chunk_size;
} BlockPool;

extern void blockpool_init(BlockPool *pool, MemoryContext context);
extern void *blockpool_take(BlockPool *pool, Size size);
extern void blockpool_give(BlockPool *pool, void *block, Size size);

#endif
