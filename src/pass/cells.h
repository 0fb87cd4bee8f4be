/*
 * The cells of a growing pass_summary, each with an id: 0, 1, 2, ... in the
 * order of first appearance.
 */
#ifndef AGENTRL_CELLS_H
#define AGENTRL_CELLS_H

#include "pass/pass.h"

#define CACHED_CELLS 256

/* The last cell met in each place of the cache; code 0: none. */
typedef struct CachedCell {
	uint64 code;
	uint32 id;
} CachedCell;

typedef struct CellSet {
	CachedCell *cache; /* of CACHED_CELLS; NULL while there is no index */
	PassCell *cells;   /* by id */
	uint32 count;
	uint32 capacity;
	KeyMap *index; /* NULL while the cells are few, and searched one after the other */
} CellSet;

/* Gives the set an index and a cache, if it has none yet. */
extern void cells_index(CellSet *set, MemoryContext context);
extern uint32 cells_search(CellSet *set, PassCell cell, uint64 code, bool small,
						   MemoryContext context);

/* The cell in one word, with the top bit set; 0 when it does not fit. */
static inline uint64
cell_code(const PassCell *cell)
{
	uint64 turn = (uint64) cell->turn + 1;
	uint64 limit = (uint64) cell->limit;

	if ((turn | limit) >> 28 != 0)
		return 0;
	return UINT64CONST(1) << 63 | (uint64) cell->outcome << 58 | (uint64) cell->limit_kind << 56 |
		   limit << 28 | turn;
}

static inline PassCell
cell_of_code(uint64 code)
{
	uint64 mask = (UINT64CONST(1) << 28) - 1;

	return (PassCell){.turn = (int64) (code & mask) - 1,
					  .limit = (int64) (code >> 28 & mask),
					  .outcome = code >> 58 & 3,
					  .limit_kind = code >> 56 & 3};
}

static inline CachedCell *
cells_place(const CellSet *set, uint64 code)
{
	return &set->cache[(code ^ code >> 26 ^ code >> 53) % CACHED_CELLS];
}

/* The id of the cell of this code, if the cache has it. */
static inline bool
cells_cached(const CellSet *set, uint64 code, uint32 *id)
{
	const CachedCell *cached = cells_place(set, code);

	*id = cached->id;
	return likely(cached->code == code);
}

/*
 * The cell's id; a new one, kept in the context, when it is new. small: the
 * summary is, so memory counts before time.
 */
static inline uint32
cells_find(CellSet *set, const PassCell *cell, bool small, MemoryContext context)
{
	uint64 code = cell_code(cell);
	uint32 id;

	if (set->cache != NULL && code != 0 && cells_cached(set, code, &id))
		return id;
	return cells_search(set, *cell, code, small, context);
}

#endif
