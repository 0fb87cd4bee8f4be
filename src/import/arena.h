/*
 * Memory of parsed documents: handed out from chunks of the host and never given
 * back one by one. All that jansson allocates lies in an arena, so an error may
 * leave jansson by longjmp, and freeing a document takes no walk over it.
 */
#ifndef AGENTRL_IMPORT_ARENA_H
#define AGENTRL_IMPORT_ARENA_H

#include "import/host.h"

typedef struct Chunk Chunk;

typedef struct Arena {
	const ImportHost *host;
	Chunk *chunks; /* the newest first */
	char *next;
	size_t left;
} Arena;

extern void *arena_alloc(Arena *arena, size_t size);
extern void arena_reset(Arena *arena);
/* Frees what was taken since the arena was as it is in "before". */
extern void arena_rewind(Arena *arena, Arena before);
/* From now on jansson takes its memory here. */
extern void arena_use(Arena *arena);

#endif
