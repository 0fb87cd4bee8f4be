#include "summary/keymap.h"

#include "core/array.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "core/interrupts.h"
#include "utils/memutils.h"

#define MAX_KEYS	(1u << 30) /* a power of 2, as the capacity is */
#define FIRST_KEYS	4
#define FIRST_CHUNK 64
#define LAST_CHUNK	(64 * 1024)

typedef struct KeySlot {
	uint32 hash;
	uint32 status : 1;
	uint32 ordinal : 31;
} KeySlot;

typedef struct StoredText {
	uint32 len;
	char data[FLEXIBLE_ARRAY_MEMBER];
} StoredText;

static inline uint32 HashAt(const KeyMap *map, uint32 ordinal);
static inline bool SameKey(const KeyMap *map, uint32 stored, uint32 sought);

/* The table knows keys by their ordinals, and what is sought by the next one. */
#define SH_PREFIX				keytable
#define SH_ELEMENT_TYPE			KeySlot
#define SH_KEY_TYPE				uint32
#define SH_KEY					ordinal
#define SH_HASH_KEY(table, key) HashAt((const KeyMap *) (table)->private_data, key)
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

static inline const StoredText *
TextAt(const KeyMap *map, uint32 ordinal)
{
	return (const StoredText *) (uintptr_t) map->words[ordinal];
}

static inline Key
KeyAt(const KeyMap *map, uint32 ordinal)
{
	if (map->kind == KEYS_BIGINT)
		return (Key){.number = map->words[ordinal]};
	return (Key){.data = TextAt(map, ordinal)->data, .len = TextAt(map, ordinal)->len};
}

/*
 * Of this process: whoever chooses keys must not be able to choose ones that
 * collide. No result depends on it, for keys are sorted before they are shown.
 */
static uint64 seed;

static void
ChooseSeed(void)
{
	if (!pg_strong_random(&seed, sizeof(seed)))
		seed = pg_prng_uint64(&pg_global_prng_state);
	seed |= 1;
}

/*
 * The upper half by multiplication with a random odd number (Dietzfelbinger et
 * al. 1997), then the finaliser of MurmurHash3 (Appleby), which takes no two
 * 32-bit numbers to one: so numbers of the same upper half have the same hash
 * only if they are equal.
 */
static inline uint32
HashNumber(int64 number)
{
	uint32 upper = (uint64) number >> 32;
	uint32 h = (uint32) number ^ (uint32) (seed >> 8) ^ (uint32) (upper * seed >> 32);

	h ^= h >> 16;
	h *= 0x85ebca6b;
	h ^= h >> 13;
	h *= 0xc2b2ae35;
	h ^= h >> 16;
	return h;
}

static inline uint32
HashText(const Key *key)
{
	return (uint32) hash_bytes_extended((const unsigned char *) key->data, key->len, seed);
}

static inline uint32
HashAt(const KeyMap *map, uint32 ordinal)
{
	Key key = KeyAt(map, ordinal);

	return map->kind == KEYS_BIGINT ? HashNumber(key.number) : HashText(&key);
}

static inline bool
SameText(const KeyMap *map, uint32 ordinal, const Key *key)
{
	const StoredText *text = TextAt(map, ordinal);

	return text->len == key->len && memcmp(text->data, key->data, key->len) == 0;
}

/*
 * Whether keys of one hash are the same. What is sought beyond the last key is
 * a number in words already, but a text that is not stored yet: map->probe.
 */
static inline bool
SameKey(const KeyMap *map, uint32 stored, uint32 sought)
{
	Key key;

	if (map->kind == KEYS_BIGINT)
		return map->upper_bits == 0 || map->words[stored] == map->words[sought];
	key = sought < map->count ? KeyAt(map, sought) : *map->probe;
	return SameText(map, stored, &key);
}

void
keymap_init(KeyMap *map, KeyKind kind, MemoryContext context)
{
	if (unlikely(seed == 0))
		ChooseSeed();
	memset(map, 0, sizeof(*map));
	map->context = context;
	map->kind = kind;
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

/* Makes room for one more key in words. */
static inline void
ReserveWord(KeyMap *map)
{
	if (likely(map->count < map->capacity))
		return;
	if (map->count == MAX_KEYS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a summary cannot hold more than %u keys", MAX_KEYS)));
	map->capacity = Max(FIRST_KEYS, map->capacity * 2);
	map->words = array_with_room(map->context, map->words, map->capacity, sizeof(int64));
}

/* Enters all keys into a table: one has come that is not in ascending order. */
static pg_noinline void
BuildTable(KeyMap *map)
{
	struct keytable_hash *table = keytable_create(map->context, map->count + 1, map);

	for (uint32 i = 0; i < map->count; i++) {
		check_interrupts_at(i);
		keytable_insert(table, i, &(bool){false});
	}
	map->table = table;
}

static inline uint32
EnterLast(KeyMap *map)
{
	return map->last = map->count++;
}

uint32
keymap_enter_fetched(KeyMap *map, int64 number, uint32 hash, bool *is_new)
{
	bool found;
	KeySlot *slot;

	ReserveWord(map);
	map->words[map->count] = number;
	map->upper_bits |= (uint32) ((number ^ map->words[0]) >> 32);
	if (map->table == NULL) {
		*is_new = true;
		if (map->count == 0 || number > map->words[map->count - 1])
			return EnterLast(map);
		BuildTable(map);
	}
	slot = keytable_insert_hash(map->table, map->count, hash, &found);
	*is_new = !found;
	return found ? (map->last = slot->ordinal) : EnterLast(map);
}

/* The one after the last that was found; after all, the first. */
static inline uint32
NextOrdinal(const KeyMap *map)
{
	return map->last + 1 < map->count ? map->last + 1 : 0;
}

static uint32
AddNumber(KeyMap *map, int64 number, bool *is_new)
{
	uint32 next = NextOrdinal(map);

	*is_new = false;
	if (map->count > 0 && map->words[map->last] == number)
		return map->last;
	if (map->count > 0 && map->words[next] == number)
		return map->last = next;
	return keymap_enter_fetched(map, number, HashNumber(number), is_new);
}

static bool
FollowsLastText(const KeyMap *map, const Key *key)
{
	Key last;

	if (map->count == 0)
		return true;
	last = KeyAt(map, map->count - 1);
	return key_compare(KEYS_TEXT, &last, key) < 0;
}

static uint32
AddText(KeyMap *map, const Key *key, bool *is_new)
{
	uint32 next = NextOrdinal(map);
	uint32 hash = 0;
	KeySlot *slot;

	*is_new = false;
	if (map->count > 0 && SameText(map, map->last, key))
		return map->last;
	if (map->count > 0 && SameText(map, next, key))
		return map->last = next;
	ReserveWord(map);
	if (map->table == NULL && !FollowsLastText(map, key))
		BuildTable(map);
	if (map->table != NULL) {
		hash = HashText(key);
		map->probe = key;
		slot = keytable_lookup_hash(map->table, map->count, hash);
		if (slot != NULL)
			return map->last = slot->ordinal;
	}

	/* stored before it is entered, so that an error leaves no slot without a key */
	map->words[map->count] = StoreText(map, key);
	if (map->table != NULL)
		keytable_insert_hash(map->table, map->count, hash, &(bool){false});
	*is_new = true;
	return EnterLast(map);
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

	if (map->table != NULL)
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

Key
keymap_key(const KeyMap *map, uint32 ordinal)
{
	return KeyAt(map, ordinal);
}

SortedKey *
keymap_sorted(const KeyMap *map)
{
	SortedKey *keys =
		MemoryContextAllocHuge(CurrentMemoryContext, Max(map->count, 1) * sizeof(SortedKey));

	for (uint32 i = 0; i < map->count; i++)
		keys[i] = (SortedKey){.key = KeyAt(map, i), .ordinal = i};
	if (map->table == NULL)
		return keys;
	if (map->kind == KEYS_BIGINT)
		sort_numbers(keys, map->count);
	else
		sort_texts(keys, map->count);
	return keys;
}
