#include "pass/multiset.h"

#include "core/interrupts.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

/* Sets of so many ids that are wider than a byte (those are found by memchr) are not searched. */
#define LARGE_SET 64
/* The latest ids of a large set are compared with a new one: rows of one kind come together. */
#define RECENT_IDS 4

typedef struct Entry {
	uint32 id;
	uint64 count;
} Entry;

#define ST_SORT			 sort_entries
#define ST_ELEMENT_TYPE	 Entry
#define ST_COMPARE(a, b) (((a)->id > (b)->id) - ((a)->id < (b)->id))
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

static void
SetNumber(uint8 *at, uint8 width, uint64 value)
{
	uint16 two = (uint16) value;
	uint32 four = (uint32) value;

	switch (width) {
		case 1:
			*at = (uint8) value;
			break;
		case 2:
			memcpy(at, &two, sizeof(two));
			break;
		case 4:
			memcpy(at, &four, sizeof(four));
			break;
		default:
			memcpy(at, &value, sizeof(value));
	}
}

static inline uint8
WidthFor(uint64 value)
{
	return value <= PG_UINT8_MAX ? 1 : value <= PG_UINT16_MAX ? 2 : value <= PG_UINT32_MAX ? 4 : 8;
}

static inline uint8 *
IdAt(const Multiset *set, uint32 i)
{
	return multiset_ids(set) + (Size) i * set->id_width;
}

static inline uint8 *
CountAt(const Multiset *set, uint32 i)
{
	return multiset_counts(set) + (Size) i * set->count_width;
}

/* Gives the set a block of another, larger shape. */
static void
Reshape(Multiset *set, BlockPool *pool, int capacity_log2, uint8 id_width, uint8 count_width)
{
	Multiset old = *set;
	Size size = (Size) (id_width + count_width) << capacity_log2;

	set->capacity_log2 = capacity_log2;
	set->id_width = id_width;
	set->count_width = count_width;
	if (size > sizeof(set->block.own))
		set->block.apart = blockpool_take(pool, size);
	if (id_width == old.id_width && count_width == old.count_width) {
		memcpy(IdAt(set, 0), IdAt(&old, 0), (Size) old.used * id_width);
		memcpy(CountAt(set, 0), CountAt(&old, 0), (Size) old.used * count_width);
	} else {
		for (uint32 i = 0; i < old.used; i++) {
			SetNumber(IdAt(set, i), id_width, multiset_number(IdAt(&old, i), old.id_width));
			SetNumber(CountAt(set, i), count_width,
					  multiset_number(CountAt(&old, i), old.count_width));
		}
	}
	if (multiset_ids(&old) != old.block.own)
		blockpool_give(pool, old.block.apart,
					   (Size) (old.id_width + old.count_width) << old.capacity_log2);
}

static inline bool
IsLarge(const Multiset *set)
{
	return set->id_width > 1 && set->used >= LARGE_SET;
}

/* Where the id stands, or may stand among others; -1: it has no place yet. */
static int64
Find(const Multiset *set, uint32 id)
{
	uint32 first = IsLarge(set) ? set->used - RECENT_IDS : 0;

	if (set->id_width == 1) {
		const uint8 *ids = multiset_ids(set);
		const uint8 *hit = id > PG_UINT8_MAX ? NULL : memchr(ids, id, set->used);

		return hit == NULL ? -1 : hit - ids;
	}
	for (uint32 i = first; i < set->used; i++) {
		if (multiset_number(IdAt(set, i), set->id_width) == id)
			return i;
	}
	return -1;
}

static Entry *
SortedEntries(const Multiset *set)
{
	Entry *entries =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(set->used, sizeof(Entry)));

	for (uint32 i = 0; i < set->used; i++) {
		check_interrupts_at(i);
		entries[i] = (Entry){multiset_number(IdAt(set, i), set->id_width),
							 multiset_number(CountAt(set, i), set->count_width)};
	}
	sort_entries(entries, set->used);
	return entries;
}

/* Adds the counts of equal neighbours; gives how many entries are left, and all their bits. */
static uint32
FoldEntries(Entry *entries, uint32 n, uint64 *all_counts)
{
	uint32 kept = 0;

	*all_counts = 0;
	for (uint32 i = 0; i < n; i++) {
		check_interrupts_at(i);
		if (kept > 0 && entries[kept - 1].id == entries[i].id)
			entries[kept - 1].count += entries[i].count;
		else
			entries[kept++] = entries[i];
		*all_counts |= entries[kept - 1].count;
	}
	return kept;
}

void
multiset_fold(Multiset *set, BlockPool *pool)
{
	Entry *entries;
	uint64 all_counts;
	uint8 width;

	if (!set->unfolded)
		return;
	entries = SortedEntries(set);
	set->used = FoldEntries(entries, set->used, &all_counts);
	width = WidthFor(all_counts);
	if (width > set->count_width)
		Reshape(set, pool, set->capacity_log2, set->id_width, width);
	for (uint32 i = 0; i < set->used; i++) {
		check_interrupts_at(i);
		SetNumber(IdAt(set, i), set->id_width, entries[i].id);
		SetNumber(CountAt(set, i), set->count_width, entries[i].count);
	}
	set->unfolded = false;
	pfree(entries);
}

/* A full set folds first, and grows unless that has freed half of it. */
static void
MakeRoom(Multiset *set, BlockPool *pool)
{
	uint32 capacity = (uint32) 1 << set->capacity_log2;

	if (set->used < capacity)
		return;
	multiset_fold(set, pool);
	if (set->used > capacity / 2)
		Reshape(set, pool, set->capacity_log2 + 1, set->id_width, set->count_width);
}

static void
Append(Multiset *set, BlockPool *pool, uint32 id, uint64 count)
{
	uint8 id_width = Max(set->id_width, WidthFor(id));
	uint8 count_width;
	bool large = IsLarge(set);

	MakeRoom(set, pool);
	set->unfolded |= large;
	count_width = Max(set->count_width, WidthFor(count));
	if (id_width != set->id_width || count_width != set->count_width)
		Reshape(set, pool, set->capacity_log2, id_width, count_width);
	SetNumber(IdAt(set, set->used), id_width, id);
	SetNumber(CountAt(set, set->used), count_width, count);
	set->used++;
}

void
multiset_add_slow(Multiset *set, BlockPool *pool, uint32 id, uint64 count)
{
	int64 i = set->used > 0 ? Find(set, id) : -1;
	uint64 sum;

	if (i < 0) {
		Append(set, pool, id, count);
		return;
	}
	sum = multiset_number(CountAt(set, i), set->count_width) + count;
	if (WidthFor(sum) > set->count_width)
		Reshape(set, pool, set->capacity_log2, set->id_width, WidthFor(sum));
	SetNumber(CountAt(set, i), set->count_width, sum);
}

/* Fills an empty set, whose block is taken once, of the size that is needed. */
static void
Fill(Multiset *set, BlockPool *pool, const uint32 *ids, const uint64 *counts, uint32 n)
{
	uint32 all_ids = 0;
	uint64 all_counts = 0;

	for (uint32 i = 0; i < n; i++) {
		all_ids |= ids[i];
		all_counts |= counts[i];
	}
	Reshape(set, pool, Max(set->capacity_log2, pg_ceil_log2_32(n)), WidthFor(all_ids),
			WidthFor(all_counts));
	set->used = n;
	if (set->id_width == 1 && set->count_width == 1) {
		uint8 *to_ids = multiset_ids(set);
		uint8 *to_counts = multiset_counts(set);

		for (uint32 i = 0; i < n; i++) {
			to_ids[i] = (uint8) ids[i];
			to_counts[i] = (uint8) counts[i];
		}
		return;
	}
	for (uint32 i = 0; i < n; i++) {
		SetNumber(IdAt(set, i), set->id_width, ids[i]);
		SetNumber(CountAt(set, i), set->count_width, counts[i]);
	}
}

void
multiset_merge(Multiset *set, BlockPool *pool, const uint32 *ids, const uint64 *counts, uint32 n)
{
	if (set->used == 0 && n > 0) {
		Fill(set, pool, ids, counts, n);
		return;
	}
	for (uint32 i = 0; i < n; i++) {
		check_interrupts_at(i);
		multiset_add_slow(set, pool, ids[i], counts[i]);
	}
}
