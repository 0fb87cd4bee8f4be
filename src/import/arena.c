/*
 * Chunks grow with what is asked for; the largest lie in huge pages, because the
 * first touch of each small page would cost more than the parsing.
 */
#include <jansson.h>
#include <stdint.h>
#include <sys/mman.h>

#include "import/arena.h"

#define ALIGNMENT	sizeof(double) /* the widest member of what is stored */
#define FIRST_CHUNK ((size_t) 32 * 1024)
#define GROWN_CHUNK ((size_t) 4 * 1024 * 1024)
#define LARGE_CHUNK ((size_t) 32 * 1024 * 1024)
#define HUGE_PAGE	((uintptr_t) 2 * 1024 * 1024)

struct Chunk {
	Chunk *older;
	size_t size;
};

#define HEADER ((sizeof(Chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

static Arena *current = NULL;

/* Only a hint: the kernel may have none. */
static void
AdviseHugePages(char *data, size_t size)
{
#ifdef MADV_HUGEPAGE
	size_t before = -(uintptr_t) data % HUGE_PAGE;

	if (size >= before + HUGE_PAGE)
		(void) madvise(data + before, (size - before) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
}

static void
StartChunk(Arena *arena)
{
	arena->next = (char *) arena->chunks + HEADER;
	arena->left = arena->chunks->size - HEADER;
}

static void
AddChunk(Arena *arena, size_t needed)
{
	size_t size = arena->chunks ? arena->chunks->size * 4 : FIRST_CHUNK;
	Chunk *chunk;

	if (size > GROWN_CHUNK)
		size = LARGE_CHUNK;
	if (size < needed + HEADER)
		size = needed + HEADER;
	chunk = arena->host->hold(arena->host->state, size);
	chunk->older = arena->chunks;
	chunk->size = size;
	arena->chunks = chunk;
	if (size >= LARGE_CHUNK)
		AdviseHugePages((char *) chunk, size);
	StartChunk(arena);
}

void *
arena_alloc(Arena *arena, size_t size)
{
	size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	void *result;

	if (rounded > arena->left)
		AddChunk(arena, rounded);
	result = arena->next;
	arena->next += rounded;
	arena->left -= rounded;
	return result;
}

static void
FreeNewest(Arena *arena)
{
	Chunk *chunk = arena->chunks;

	arena->chunks = chunk->older;
	arena->host->release(arena->host->state, chunk);
}

void
arena_rewind(Arena *arena, Arena before)
{
	while (arena->chunks != before.chunks)
		FreeNewest(arena);
	*arena = before;
}

/* Keeps the oldest chunk, which is small: the next document of many needs no other. */
void
arena_reset(Arena *arena)
{
	if (!arena->chunks)
		return;
	while (arena->chunks->older)
		FreeNewest(arena);
	StartChunk(arena);
}

static void *
Allocate(size_t size)
{
	return arena_alloc(current, size);
}

static void
Ignore(void *memory)
{
}

void
arena_use(Arena *arena)
{
	current = arena;
	json_set_alloc_funcs(Allocate, Ignore);
}
