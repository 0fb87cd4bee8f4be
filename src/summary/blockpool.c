#include "summary/blockpool.h"

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#define SMALLEST_LOG2 4
#define LINE_BYTES	  64
#define FIRST_CHUNK	  LINE_BYTES
#define LAST_CHUNK	  (64 * 1024)

static inline int
ClassOf(Size size)
{
	return size <= 1 << SMALLEST_LOG2 ? 0 : pg_ceil_log2_64(size) - SMALLEST_LOG2;
}

void
blockpool_init(BlockPool *pool, MemoryContext context)
{
	memset(pool, 0, sizeof(*pool));
	pool->context = context;
}

static inline void
Push(BlockPool *pool, void *block, int class)
{
	*(void **) block = pool->free[class];
	pool->free[class] = block;
}

static void
StartChunk(BlockPool *pool, uint32 size)
{
	char *chunk;

	pool->chunk_size = Max(size, Min(Max(FIRST_CHUNK, pool->chunk_size * 2), LAST_CHUNK));
	chunk = MemoryContextAlloc(pool->context, pool->chunk_size + LINE_BYTES - 1);
	pool->chunk = (char *) TYPEALIGN(LINE_BYTES, chunk);
	pool->chunk_left = pool->chunk_size;
}

/* A block on a multiple of its size, up to a line; what is skipped is kept for smaller ones. */
static void *
NewBlock(BlockPool *pool, int class)
{
	uint32 size = 1u << (class + SMALLEST_LOG2);
	uint32 skipped = -(uintptr_t) pool->chunk & (Min(size, LINE_BYTES) - 1);
	void *block;

	if (pool->chunk_left < size + skipped) {
		StartChunk(pool, size);
		skipped = 0;
	}
	while (skipped > 0) {
		int small = pg_rightmost_one_pos32(skipped);

		Push(pool, pool->chunk, small - SMALLEST_LOG2);
		pool->chunk += 1 << small;
		pool->chunk_left -= 1 << small;
		skipped -= 1 << small;
	}
	block = pool->chunk;
	pool->chunk += size;
	pool->chunk_left -= size;
	return block;
}

void *
blockpool_take(BlockPool *pool, Size size)
{
	int class = ClassOf(size);
	void *block;

	if (class >= POOL_CLASSES)
		return MemoryContextAllocHuge(pool->context, size);
	block = pool->free[class];
	if (block == NULL)
		return NewBlock(pool, class);
	pool->free[class] = *(void **) block;
	return block;
}

/* size: as when it was taken. */
void
blockpool_give(BlockPool *pool, void *block, Size size)
{
	int class = ClassOf(size);

	if (class >= POOL_CLASSES)
		pfree(block);
	else
		Push(pool, block, class);
}
