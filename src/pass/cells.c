#include "pass/cells.h"

#include "core/array.h"

/*
 * So few cells, and up to SMALL_CELLS of a small summary, are searched one
 * after the other: the index and its cache would dwarf a small group.
 */
#define FEW_CELLS	8
#define SMALL_CELLS 64

int
pass_cell_compare(const PassCell *a, const PassCell *b)
{
	if (a->outcome != b->outcome)
		return a->outcome < b->outcome ? -1 : 1;
	if (a->limit_kind != b->limit_kind)
		return a->limit_kind < b->limit_kind ? -1 : 1;
	if (a->limit != b->limit)
		return a->limit < b->limit ? -1 : 1;
	return (a->turn > b->turn) - (a->turn < b->turn);
}

static inline bool
SameCell(const PassCell *a, const PassCell *b)
{
	return a->turn == b->turn && a->limit == b->limit && a->outcome == b->outcome &&
		   a->limit_kind == b->limit_kind;
}

static uint32
AppendCell(CellSet *set, const PassCell *cell, MemoryContext context)
{
	if (set->count == set->capacity) {
		set->capacity = Max(4, set->capacity * 2);
		set->cells = array_with_room(context, set->cells, set->capacity, sizeof(PassCell));
	}
	set->cells[set->count] = *cell;
	return set->count++;
}

/* The cell as a key of bytes. */
static uint32
EnterCell(CellSet *set, const PassCell *cell, bool *is_new)
{
	int64 words[3] = {cell->turn, cell->limit, cell->outcome * 8 + cell->limit_kind};
	Key key = {.data = (const char *) words, .len = sizeof(words)};

	return keymap_add(set->index, &key, is_new);
}

void
cells_index(CellSet *set, MemoryContext context)
{
	bool is_new;

	if (set->index != NULL)
		return;
	set->cache = MemoryContextAllocZero(context, CACHED_CELLS * sizeof(CachedCell));
	set->index = MemoryContextAlloc(context, sizeof(KeyMap));
	keymap_init(set->index, KEYS_TEXT, context);
	for (uint32 i = 0; i < set->count; i++)
		EnterCell(set, &set->cells[i], &is_new);
}

pg_noinline uint32
cells_search(CellSet *set, PassCell cell, uint64 code, bool small, MemoryContext context)
{
	uint32 id;
	bool is_new;

	if (set->index == NULL) {
		for (uint32 i = 0; i < set->count; i++) {
			if (SameCell(&set->cells[i], &cell)) {
				if (i >= FEW_CELLS && !small)
					cells_index(set, context);
				return i;
			}
		}
		if (set->count < FEW_CELLS || (set->count < SMALL_CELLS && small))
			return AppendCell(set, &cell, context);
		cells_index(set, context);
	}
	id = EnterCell(set, &cell, &is_new);
	if (is_new)
		AppendCell(set, &cell, context);
	if (code != 0)
		*cells_place(set, code) = (CachedCell){code, id};
	return id;
}
