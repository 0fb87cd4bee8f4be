#include "core/keymap.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define MAX_KEYS	((1u << 31) - 1)
#define FIRST_KEYS	4
#define FIRST_CHUNK 64
#define LAST_CHUNK	(64 * 1024)

/* word is the number itself, or points to a StoredText */
typedef struct KeySlot {
	int64 word;
	uint32 hash;
	uint32 status : 1;
	uint32 ordinal : 31;
} KeySlot;

typedef struct StoredText {
	uint32 len;
	char data[FLEXIBLE_ARRAY_MEMBER];
} StoredText;

static inline uint32 HashNumber(int64 number);
static inline bool SameKey(const KeyMap *map, int64 stored, int64 sought);

#define SH_PREFIX				keytable
#define SH_ELEMENT_TYPE			KeySlot
#define SH_KEY_TYPE				int64
#define SH_KEY					word
#define SH_HASH_KEY(table, key) HashNumber(key)
#define SH_EQUAL(table, a, b)	SameKey((const KeyMap *) (table)->private_data, a, b)
#define SH_STORE_HASH
#define SH_FILLFACTOR			 0.75
#define SH_GET_HASH(table, slot) (slot)->hash
#define SH_SCOPE				 static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

#define ST_SORT			 sort_numbers
#define ST_ELEMENT_TYPE	 SortedKey
#define ST_COMPARE(a, b) (((a)->key.number > (b)->key.number) - ((a)->key.number < (b)->key.number))
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

#define ST_SORT			 sort_texts
#define ST_ELEMENT_TYPE	 SortedKey
#define ST_COMPARE(a, b) key_compare(KEYS_TEXT, &(a)->key, &(b)->key)
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

/* A 64-bit finaliser by multiplication and shifts; the low half is the hash. */
static inline uint32
HashNumber(int64 number)
{
	uint64 h = (uint64) number;

	h ^= h >> 32;
	h *= UINT64CONST(0xd6e8feb86659fd93);
	h ^= h >> 32;
	h *= UINT64CONST(0xd6e8feb86659fd93);
	h ^= h >> 32;
	return (uint32) h;
}

/* A text key is sought through map->probe; the word 0 stands for it. */
static inline bool
SameKey(const KeyMap *map, int64 stored, int64 sought)
{
	const StoredText *text;

	if (map->kind == KEYS_BIGINT)
		return stored == sought;
	text = (const StoredText *) (uintptr_t) stored;
	return text->len == map->probe->len && memcmp(text->data, map->probe->data, text->len) == 0;
}

void
keymap_init(KeyMap *map, KeyKind kind, MemoryContext context)
{
	memset(map, 0, sizeof(*map));
	map->context = context;
	map->kind = kind;
	map->table = keytable_create(context, FIRST_KEYS, map);
}

static char *
StoreSpace(KeyMap *map, uint32 len)
{
	uint32 size = MAXALIGN(offsetof(StoredText, data) + len);
	char *space;

	if (size > map->chunk_left) {
		map->chunk_size = Min(Max(FIRST_CHUNK, map->chunk_size * 2), LAST_CHUNK);
		if (size > map->chunk_size)
			return MemoryContextAllocHuge(map->context, size);
		map->chunk = MemoryContextAlloc(map->context, map->chunk_size);
		map->chunk_left = map->chunk_size;
	}
	space = map->chunk;
	map->chunk += size;
	map->chunk_left -= size;
	return space;
}

static int64
StoreText(KeyMap *map, const Key *key)
{
	StoredText *text = (StoredText *) StoreSpace(map, key->len);

	text->len = key->len;
	memcpy(text->data, key->data, key->len);
	return (int64) (uintptr_t) text;
}

static inline uint32
NextOrdinal(KeyMap *map)
{
	if (map->count == MAX_KEYS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a summary cannot hold more than %u keys", MAX_KEYS)));
	return map->count++;
}

static inline uint32
Remember(KeyMap *map, const KeySlot *slot)
{
	map->last_word = slot->word;
	map->last_ordinal = slot->ordinal;
	map->has_last = true;
	return slot->ordinal;
}

uint32
keymap_enter_fetched(KeyMap *map, int64 number, uint32 hash, bool *is_new)
{
	bool found;
	KeySlot *slot = keytable_insert_hash(map->table, number, hash, &found);

	if (!found)
		slot->ordinal = NextOrdinal(map);
	*is_new = !found;
	return Remember(map, slot);
}

static uint32
AddNumber(KeyMap *map, int64 number, bool *is_new)
{
	*is_new = false;
	if (map->has_last && map->last_word == number)
		return map->last_ordinal;
	return keymap_enter_fetched(map, number, HashNumber(number), is_new);
}

static uint32
AddText(KeyMap *map, const Key *key, bool *is_new)
{
	uint32 hash;
	KeySlot *slot;
	int64 word;

	map->probe = key;
	*is_new = false;
	if (map->has_last && SameKey(map, map->last_word, 0))
		return map->last_ordinal;
	hash = hash_bytes((const unsigned char *) key->data, key->len);
	slot = keytable_lookup_hash(map->table, 0, hash);
	if (slot != NULL)
		return Remember(map, slot);

	/* stored before it is entered, so that an error leaves no slot without a key */
	word = StoreText(map, key);
	slot = keytable_insert_hash(map->table, 0, hash, &(bool){false});
	slot->word = word;
	slot->ordinal = NextOrdinal(map);
	*is_new = true;
	return Remember(map, slot);
}

uint32
keymap_add(KeyMap *map, const Key *key, bool *is_new)
{
	if (map->kind == KEYS_BIGINT)
		return AddNumber(map, key->number, is_new);
	return AddText(map, key, is_new);
}

uint32
keymap_fetch_number(const KeyMap *map, int64 number)
{
	uint32 hash = HashNumber(number);

	__builtin_prefetch(&map->table->data[hash & map->table->sizemask]);
	return hash;
}

int
key_compare(KeyKind kind, const Key *a, const Key *b)
{
	int order;

	if (kind == KEYS_BIGINT)
		return (a->number > b->number) - (a->number < b->number);
	order = memcmp(a->data, b->data, Min(a->len, b->len));
	return order != 0 ? order : (a->len > b->len) - (a->len < b->len);
}

SortedKey *
keymap_sorted(const KeyMap *map)
{
	SortedKey *keys =
		MemoryContextAllocHuge(CurrentMemoryContext, Max(map->count, 1) * sizeof(SortedKey));
	KeyKind kind = map->kind;
	keytable_iterator at;
	KeySlot *slot;

	/* by ordinal: often that is in order already, which the sort sees at once */
	keytable_start_iterate(map->table, &at);
	while ((slot = keytable_iterate(map->table, &at)) != NULL) {
		SortedKey *sorted = &keys[slot->ordinal];

		sorted->ordinal = slot->ordinal;
		sorted->key.number = slot->word;
		if (kind == KEYS_TEXT) {
			const StoredText *text = (const StoredText *) (uintptr_t) slot->word;

			sorted->key.data = text->data;
			sorted->key.len = text->len;
		}
	}
	if (kind == KEYS_BIGINT)
		sort_numbers(keys, map->count);
	else
		sort_texts(keys, map->count);
	return keys;
}
