/*
 * A multiset of small numbers, in few bytes: what a pass_summary keeps of a
 * task are the ids of its rollouts' cells, and how many rollouts each has.
 */
#ifndef AGENTRL_MULTISET_H
#define AGENTRL_MULTISET_H

#include "postgres.h"

#include "summary/blockpool.h"

/*
 * Parallel arrays of ids and counts in one block. Ids and counts take 1, 2, 4
 * or 8 bytes each, as wide as this multiset needs. The first block, of one byte
 * each, is the multiset's own.
 *
 * A small set has each id once, and is searched from its start. In a large one
 * an id may stand more than once, until multiset_fold: so that adding to it
 * needs no search.
 */
typedef struct Multiset {
	union {
		uint8 own[8];
		uint8 *apart;
	} block; /* capacity ids, then capacity counts */
	uint32 used;
	uint8 capacity_log2;
	bool unfolded; /* an id may stand more than once */
	uint8 id_width;
	uint8 count_width;
} Multiset;

#define EMPTY_MULTISET ((Multiset){.capacity_log2 = 2, .id_width = 1, .count_width = 1})

/* Adds ids that are distinct, each so many times. */
extern void multiset_merge(Multiset *set, BlockPool *pool, const uint32 *ids, const uint64 *counts,
						   uint32 n);
/* Makes each id stand once. */
extern void multiset_fold(Multiset *set, BlockPool *pool);
extern void multiset_add_slow(Multiset *set, BlockPool *pool, uint32 id, uint64 count);

/* Numbers lie at any address: ids of one width are followed by counts of another. */
static inline uint64
multiset_number(const uint8 *at, uint8 width)
{
	uint16 two;
	uint32 four;
	uint64 eight;

	switch (width) {
		case 1:
			return *at;
		case 2:
			memcpy(&two, at, sizeof(two));
			return two;
		case 4:
			memcpy(&four, at, sizeof(four));
			return four;
		default:
			memcpy(&eight, at, sizeof(eight));
			return eight;
	}
}

static inline uint8 *
multiset_ids(const Multiset *set)
{
	bool own =
		(Size) (set->id_width + set->count_width) << set->capacity_log2 <= sizeof(set->block.own);

	return own ? (uint8 *) set->block.own : set->block.apart;
}

static inline uint8 *
multiset_counts(const Multiset *set)
{
	return multiset_ids(set) + ((Size) set->id_width << set->capacity_log2);
}

/* Adds the id once. Most sets have one byte for either number. */
static inline void
multiset_add(Multiset *set, BlockPool *pool, uint32 id)
{
	if (likely(set->used > 0 && set->id_width == 1 && set->count_width == 1 &&
			   id <= PG_UINT8_MAX)) {
		uint8 *ids = multiset_ids(set);
		uint8 *hit = memchr(ids, id, set->used);

		if (likely(hit != NULL)) {
			uint8 *count = hit + ((Size) 1 << set->capacity_log2);

			if (likely(*count < PG_UINT8_MAX)) {
				++*count;
				return;
			}
		}
	}
	multiset_add_slow(set, pool, id, 1);
}

#endif
