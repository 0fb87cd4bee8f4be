/*
 * The map from a key to its ordinal: 0, 1, 2, ... in the order of first
 * appearance. What a metric keeps per key lies in arrays of its own, indexed
 * by ordinal, so that one map serves every payload.
 *
 * As long as new keys come in ascending order, none but the last is met again,
 * and no hash table is needed: so it is with rows sorted by key, and with one
 * flat summary.
 */
#ifndef AGENTRL_KEYMAP_H
#define AGENTRL_KEYMAP_H

#include "postgres.h"

typedef enum KeyKind { KEYS_BIGINT = 1, KEYS_TEXT = 2 } KeyKind;

/* A key of either kind; len and data are those of a text key. */
typedef struct Key {
	int64 number;
	const char *data;
	uint32 len;
} Key;

typedef struct SortedKey {
	Key key;
	uint32 ordinal;
} SortedKey;

struct keytable_hash;

typedef struct KeyMap {
	MemoryContext context;
	int64 *words; /* by ordinal: the number, or where the text is stored */
	uint32 capacity;
	uint32 count;
	uint32 last; /* what the last call found */
	KeyKind kind;
	uint32 upper_bits;			 /* in which the upper halves of numbers differ */
	struct keytable_hash *table; /* NULL while the keys are in ascending order */
	const Key *probe;			 /* the text key that is looked for */
	char *chunk;				 /* where the next text key goes */
	uint32 chunk_left;
	uint32 chunk_size;
} KeyMap;

extern void keymap_init(KeyMap *map, KeyKind kind, MemoryContext context);

/*
 * The key's ordinal; a new one when it is new. Cheap for the key of the last
 * call, and for the one that first came after it: rows of a task come in runs,
 * or every attempt goes through the tasks in the same order.
 */
extern uint32 keymap_add(KeyMap *map, const Key *key, bool *is_new);

/*
 * The same for a number in two steps: the first fetches what the second will
 * need, and gives it the hash.
 */
extern uint32 keymap_fetch_number(const KeyMap *map, int64 number);
extern uint32 keymap_enter_fetched(KeyMap *map, int64 number, uint32 hash, bool *is_new);

/* The key of an ordinal; a text stays where the map keeps it. */
extern Key keymap_key(const KeyMap *map, uint32 ordinal);

/* All keys in canonical order: numbers ascending, texts by their bytes. */
extern SortedKey *keymap_sorted(const KeyMap *map);
extern int key_compare(KeyKind kind, const Key *a, const Key *b);

#endif
