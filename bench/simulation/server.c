/*
 * What src/stats and src/pass call of the server: memory that one evaluation
 * takes and the next one reuses, and little else. The rules and the bands that
 * are simulated are so the extension's own code.
 */
#include "simulation.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#define ARENA_BYTES ((Size) 256 * 1024 * 1024)

volatile sig_atomic_t InterruptPending = 0;
MemoryContext CurrentMemoryContext = NULL;

static char *arena;
static Size used;

void
free_evaluation(void)
{
	used = 0;
}

void *
palloc(Size size)
{
	char *result;

	if (arena == NULL)
		arena = malloc(ARENA_BYTES);
	if (arena == NULL || size > ARENA_BYTES - used - MAXIMUM_ALIGNOF) {
		fprintf(stderr, "an evaluation takes too much memory\n");
		exit(1);
	}
	result = arena + used;
	used += MAXALIGN(size);
	return result;
}

void *
palloc0(Size size)
{
	return memset(palloc(size), 0, size);
}

void *
repalloc(void *pointer, Size size)
{
	/* the old size is not known; what lies behind it is within the arena */
	char *result = palloc(size);

	return memmove(result, pointer, Min(size, (Size) (result - (char *) pointer)));
}

void
pfree(void *pointer)
{
}

void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	return palloc(size);
}

void *
MemoryContextAllocHuge(MemoryContext context, Size size)
{
	return palloc(size);
}

void *
MemoryContextAllocExtended(MemoryContext context, Size size, int flags)
{
	return flags & MCXT_ALLOC_ZERO ? palloc0(size) : palloc(size);
}

void *
repalloc_huge(void *pointer, Size size)
{
	return repalloc(pointer, size);
}

Size
mul_size(Size a, Size b)
{
	return a * b;
}

void
ProcessInterrupts(void)
{
}

#if PG_VERSION_NUM < 170000
static int
CountBits(uint64 word)
{
	return __builtin_popcountll(word);
}

int (*pg_popcount64)(uint64 word) = CountBits;
#endif
