#include "summary/records.h"

#include <math.h>

#include "core/array.h"
#include "summary/keytext.h"
#include "core/interrupts.h"
#include "port/pg_bswap.h"
#include "utils/memutils.h"

#define FIRST_RECORDS 2
/* The latest records of a key are compared with a new one; older ones meet it in a sort. */
#define RECENT_RECORDS 8

#define SIGN_BIT (UINT64CONST(1) << 63)

typedef const uint64 *RecordPointer;

static int CompareRecords(const uint64 *a, const uint64 *b, int columns);

#define ST_SORT					  sort_records
#define ST_ELEMENT_TYPE			  RecordPointer
#define ST_COMPARE_ARG_TYPE		  int
#define ST_COMPARE(a, b, columns) CompareRecords(*(a), *(b), *(columns))
#define ST_SCOPE				  static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

static inline const RecordMethods *
MethodsOf(const SummaryState *state)
{
	return (const RecordMethods *) state->methods;
}

/* What a column holds in a summary with such ids: RECORD_ID when the id is absent. */
static inline RecordColumn
KindOf(const RecordMethods *methods, int column, IdKind ids)
{
	RecordColumn kind = methods->kinds[column];

	if (kind != RECORD_ID || ids == IDS_NONE)
		return kind;
	return ids == IDS_TEXT ? RECORD_TEXT : RECORD_INT;
}

/* ---- words ---- */

static inline uint64
FloatBits(double value)
{
	uint64 bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

uint64
record_float(double value)
{
	uint64 bits = FloatBits(value == 0.0 ? 0.0 : value);

	return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

static inline uint64
WordBits(uint64 word)
{
	return word & SIGN_BIT ? word ^ SIGN_BIT : ~word;
}

double
record_float_value(uint64 word)
{
	uint64 bits = WordBits(word);
	double value;

	if (word == RECORD_NO_FLOAT)
		return NAN;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

uint64
record_text(RecordState *state, const Key *key)
{
	bool is_new;

	if (state->texts == NULL) {
		state->texts = MemoryContextAlloc(state->base.context, sizeof(KeyMap));
		keymap_init(state->texts, KEYS_TEXT, state->base.context);
	}
	return (uint64) keymap_add(state->texts, key, &is_new) + 1;
}

/* ---- the records of a key ---- */

static int
CompareRecords(const uint64 *a, const uint64 *b, int columns)
{
	for (int i = 0; i < columns; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static inline bool
SameRecord(const uint64 *a, const uint64 *b, int columns)
{
	for (int i = 0; i < columns; i++) {
		if (a[i] != b[i])
			return false;
	}
	return true;
}

/* A sorted copy of n records. */
static uint64 *
SortedCopy(const uint64 *words, Size n, int columns)
{
	Size stride = columns + 1;
	RecordPointer *order =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(n, sizeof(RecordPointer)));
	uint64 *copy =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(n, stride * sizeof(uint64)));

	for (Size i = 0; i < n; i++) {
		check_interrupts_at(i);
		order[i] = words + i * stride;
	}
	sort_records(order, n, &columns);
	for (Size i = 0; i < n; i++) {
		check_interrupts_at(i);
		memcpy(copy + i * stride, order[i], stride * sizeof(uint64));
	}
	pfree(order);
	return copy;
}

/* Adds the counts of equal neighbours; returns how many are left. */
static uint32
FoldRecords(uint64 *words, uint32 n, int columns)
{
	Size stride = columns + 1;
	uint32 kept = 0;

	for (uint32 i = 0; i < n; i++) {
		uint64 *record = words + i * stride;
		uint64 *last = words + (kept - 1) * stride;

		check_interrupts_at(i);
		if (kept > 0 && SameRecord(last, record, columns))
			last[columns] += record[columns];
		else
			memmove(words + kept++ * stride, record, stride * sizeof(uint64));
	}
	return kept;
}

/*
 * Sorts records, the first of which are in order already, and adds the counts
 * of equal ones; returns how many are left.
 */
static uint32
SortRecords(uint64 *words, uint32 sorted, uint32 n, int columns)
{
	Size stride = columns + 1;
	Size size = stride * sizeof(uint64);
	uint32 left = sorted, rest = n - sorted;
	uint64 *copy;

	CHECK_FOR_INTERRUPTS();
	if (rest == 0)
		return n;
	copy = SortedCopy(words + sorted * stride, rest, columns);
	for (uint32 to = n; rest > 0; to--) {
		const uint64 *next = copy + (rest - 1) * stride;

		check_interrupts_at(to);
		if (left > 0 && CompareRecords(words + (left - 1) * stride, next, columns) > 0)
			next = words + --left * stride;
		else
			rest--;
		memcpy(words + (to - 1) * stride, next, size);
	}
	pfree(copy);
	return FoldRecords(words, n, columns);
}

static void
GrowList(RecordState *state, RecordList *list, int columns)
{
	uint32 capacity = Max(FIRST_RECORDS, list->capacity * 2);

	if (list->capacity > PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a %s cannot hold so many rows of one key",
							   state->base.methods->type_name)));
	list->words =
		array_with_room(state->base.context, list->words, capacity, (columns + 1) * sizeof(uint64));
	list->capacity = capacity;
}

static void
MakeRoom(RecordState *state, RecordList *list, int columns)
{
	if (list->used > RECENT_RECORDS)
		list->used = list->sorted = SortRecords(list->words, list->sorted, list->used, columns);
	if (list->used > list->capacity / 2 || list->used == list->capacity)
		GrowList(state, list, columns);
}

static void
AddToList(RecordState *state, RecordList *list, const uint64 *record, uint64 count, int columns)
{
	Size stride = columns + 1;
	uint32 oldest = list->used > RECENT_RECORDS ? list->used - RECENT_RECORDS : 0;
	uint64 *place;

	for (uint32 i = list->used; i > oldest; i--) {
		place = list->words + (i - 1) * stride;
		if (SameRecord(place, record, columns)) {
			place[columns] += count;
			return;
		}
	}
	if (list->used == list->capacity)
		MakeRoom(state, list, columns);
	place = list->words + list->used++ * stride;
	memcpy(place, record, columns * sizeof(uint64));
	place[columns] = count;
}

static RecordList *
ListAt(RecordState *state, uint32 ordinal, bool is_new)
{
	if (!is_new)
		return &state->lists[ordinal];
	if (ordinal >= state->lists_capacity) {
		state->lists_capacity = Max(4, state->lists_capacity * 2);
		state->lists = array_with_room(state->base.context, state->lists, state->lists_capacity,
									   sizeof(RecordList));
	}
	state->lists[ordinal] = (RecordList){NULL, 0, 0, 0};
	return &state->lists[ordinal];
}

static void
CountRecords(RecordState *state, uint64 count)
{
	if (count > MAX_RECORDS - state->total)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a %s cannot hold more than 2^53 rows", state->base.methods->type_name)));
	state->total += count;
}

void
records_add(RecordState *state, const Key *key, const uint64 *record, uint64 count)
{
	bool is_new;
	uint32 ordinal;

	CountRecords(state, count);
	ordinal = keymap_add(&state->base.keys, key, &is_new);
	AddToList(state, ListAt(state, ordinal, is_new), record, count,
			  MethodsOf(&state->base)->columns);
}

void
records_start_ids(RecordState *state, IdKind ids)
{
	const RecordMethods *methods = MethodsOf(&state->base);

	if (state->ids_known)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("a %s cannot hold both %s and %s", methods->summary.type_name,
							   methods->id_kinds[Min(state->ids, ids)],
							   methods->id_kinds[Max(state->ids, ids)]),
						errhint("Give all rows the same columns, of the same types.")));
	state->ids = ids;
	state->ids_known = true;
}

uint64
record_float_argument(FunctionCallInfo fcinfo, int i, const char *name)
{
	double value;

	if (PG_ARGISNULL(i))
		return RECORD_NO_FLOAT;
	value = PG_GETARG_FLOAT8(i);
	if (!isfinite(value))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be a finite number, not %g", name, value),
						errhint("Give NULL where the value is not known: it is counted apart.")));
	return record_float(value);
}

Key
record_key_argument(FunctionCallInfo fcinfo, int i, KeyKind kind, const char *name)
{
	Key key = {0};
	text *data;

	if (PG_ARGISNULL(i))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name),
				 errdetail("Leaving such a row out would change a denominator unseen."),
				 errhint("Give it a key, or filter these rows out.")));
	if (kind == KEYS_BIGINT) {
		key.number = PG_GETARG_INT64(i);
		return key;
	}
	data = PG_GETARG_TEXT_PP(i);
	return key_from_text(VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data));
}

uint64
record_id_argument(FunctionCallInfo fcinfo, int i, RecordState *state, IdKind ids, const char *name)
{
	Key id = record_key_argument(fcinfo, i, ids == IDS_TEXT ? KEYS_TEXT : KEYS_BIGINT, name);

	records_require_ids(state, ids);
	return ids == IDS_TEXT ? record_text(state, &id) : record_int(id.number);
}

/* ---- flattening ---- */

/* What encoding a key needs: each text's rank plus one, and scratch for its records. */
typedef struct EncodeShared {
	uint64 *ranks; /* by word; 0 where no record has the text */
	uint64 *words;
	uint32 capacity;
} EncodeShared;

static void
MarkTexts(const RecordState *state, const RecordMethods *methods, uint64 *ranks)
{
	int columns = methods->columns;

	for (uint32 ordinal = 0; ordinal < state->base.keys.count; ordinal++) {
		const RecordList *list = &state->lists[ordinal];

		for (uint32 i = 0; i < list->used; i++) {
			const uint64 *record = list->words + (Size) i * (columns + 1);

			check_interrupts_at(i);
			for (int c = 0; c < columns; c++) {
				if (KindOf(methods, c, state->ids) == RECORD_TEXT)
					ranks[record[c]] = 1;
			}
		}
	}
}

static void
EncodeTexts(const RecordState *state, EncodeShared *shared, StringInfo out)
{
	const KeyMap *texts = state->texts;
	SortedKey *sorted = keymap_sorted(texts);
	uint64 rank = 0;

	shared->ranks = MemoryContextAllocExtended(CurrentMemoryContext,
											   mul_size((Size) texts->count + 1, sizeof(uint64)),
											   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	MarkTexts(state, MethodsOf(&state->base), shared->ranks);
	shared->ranks[RECORD_NO_TEXT] = 0;
	for (uint32 i = 0; i < texts->count; i++) {
		check_interrupts_at(i);
		rank += shared->ranks[(uint64) sorted[i].ordinal + 1];
	}
	append_varint(out, rank);
	rank = 0;
	for (uint32 i = 0; i < texts->count; i++) {
		uint64 *place = &shared->ranks[(uint64) sorted[i].ordinal + 1];

		check_interrupts_at(i);
		if (*place == 0)
			continue;
		*place = ++rank;
		append_varint(out, sorted[i].key.len);
		appendBinaryStringInfo(out, sorted[i].key.data, sorted[i].key.len);
	}
	pfree(sorted);
}

void *
records_encode_shared(SummaryState *base, StringInfo out)
{
	RecordState *state = (RecordState *) base;
	EncodeShared *shared = palloc0(sizeof(EncodeShared));

	if (MethodsOf(base)->id_kinds != NULL)
		appendStringInfoChar(out, state->ids);
	if (state->texts == NULL)
		append_varint(out, 0);
	else
		EncodeTexts(state, shared, out);
	return shared;
}

/* A copy of the list with ranks for texts, sorted; returns its length. */
static uint32
RankedRecords(const RecordState *state, const RecordList *list, EncodeShared *shared)
{
	const RecordMethods *methods = MethodsOf(&state->base);
	Size stride = methods->columns + 1;
	uint32 sorted = list->sorted;

	if (list->used > shared->capacity) {
		shared->capacity = Max(list->used, shared->capacity * 2);
		if (shared->words != NULL)
			pfree(shared->words);
		shared->words = MemoryContextAllocHuge(CurrentMemoryContext,
											   mul_size(shared->capacity, stride * sizeof(uint64)));
	}
	memcpy(shared->words, list->words, list->used * stride * sizeof(uint64));
	for (int c = 0; c < methods->columns; c++) {
		if (KindOf(methods, c, state->ids) != RECORD_TEXT || shared->ranks == NULL)
			continue;
		for (uint32 i = 0; i < list->used; i++) {
			check_interrupts_at(i);
			shared->words[i * stride + c] = shared->ranks[shared->words[i * stride + c]];
		}
		sorted = 0;
	}
	return SortRecords(shared->words, sorted, list->used, methods->columns);
}

/* A float's bytes are reversed: round numbers end in zeros, which a varint drops. */
static uint8 *
PutWord(uint8 *to, RecordColumn kind, uint64 word)
{
	switch (kind) {
		case RECORD_INT:
			return put_varint(to, zigzag(record_int_value(word)));
		case RECORD_FLOAT:
			return put_varint(to, word == RECORD_NO_FLOAT ? word : pg_bswap64(WordBits(word)));
		case RECORD_ID:
			return to;
		default:
			return put_varint(to, word);
	}
}

void
records_encode_key(SummaryState *base, uint32 ordinal, void *scratch, StringInfo out)
{
	const RecordMethods *methods = MethodsOf(base);
	const RecordState *state = (const RecordState *) base;
	int columns = methods->columns;
	EncodeShared *shared = scratch;
	uint32 n = RankedRecords(state, &state->lists[ordinal], shared);

	append_varint(out, n);
	for (uint32 i = 0; i < n; i++) {
		const uint64 *record = shared->words + (Size) i * (columns + 1);
		uint8 *to;

		check_interrupts_at(i);
		enlargeStringInfo(out, (columns + 1) * MAX_VARINT_BYTES);
		to = (uint8 *) out->data + out->len;
		for (int c = 0; c < columns; c++)
			to = PutWord(to, KindOf(methods, c, state->ids), record[c]);
		to = put_varint(to, record[columns]);
		out->len = to - (uint8 *) out->data;
	}
}

/* ---- reading ---- */

static IdKind
ReadIds(ByteReader *reader, const RecordMethods *methods)
{
	uint8 ids = methods->id_kinds == NULL ? IDS_NONE : read_byte(reader);

	if (ids > IDS_TEXT || (methods->id_kinds != NULL && methods->id_kinds[ids] == NULL))
		reader_fail(reader, "its kind of id is not known");
	return (IdKind) ids;
}

static Key *
ReadTexts(ByteReader *reader, uint64 *ntexts)
{
	uint64 n = read_varint(reader);
	Key *texts;

	*ntexts = 0;
	if (n > reader_left(reader))
		reader_fail(reader, "it announces more texts than it holds");
	if (reader->error != NULL)
		return NULL;
	texts = MemoryContextAllocHuge(CurrentMemoryContext, mul_size(n, sizeof(Key)) + 1);
	for (uint64 i = 0; i < n && reader->error == NULL; i++) {
		check_interrupts_at(i);
		texts[i].data = read_text(reader, &texts[i].len);
		if (texts[i].data == NULL)
			break;
		if (i > 0 && key_compare(KEYS_TEXT, &texts[i - 1], &texts[i]) >= 0)
			reader_fail(reader, "its texts are not in ascending order");
	}
	*ntexts = n;
	return texts;
}

static uint64
ReadFloat(ByteReader *reader)
{
	uint64 bits = read_varint(reader);
	double value;

	if (bits == PG_UINT64_MAX)
		return RECORD_NO_FLOAT;
	bits = pg_bswap64(bits);
	memcpy(&value, &bits, sizeof(value));
	if (!isfinite(value) || bits == SIGN_BIT) {
		reader_fail(reader, "a number is not finite");
		return 0;
	}
	return record_float(value);
}

static uint64
ReadWord(ByteReader *reader, RecordColumn kind, uint64 ntexts)
{
	uint64 word;

	if (kind == RECORD_INT)
		return record_int(unzigzag(read_varint(reader)));
	if (kind == RECORD_FLOAT)
		return ReadFloat(reader);
	if (kind == RECORD_ID)
		return RECORD_NO_ID;
	word = read_varint(reader);
	if (word > ntexts) {
		reader_fail(reader, "a text is not in its dictionary");
		return RECORD_NO_TEXT;
	}
	return word;
}

/* One record and its count; false after a fault. */
static bool
ReadRecord(ByteReader *reader, const RecordMethods *methods, IdKind ids, uint64 ntexts,
		   uint64 *record, uint64 *count)
{
	for (int c = 0; c < methods->columns; c++) {
		record[c] = ReadWord(reader, KindOf(methods, c, ids), ntexts);
		if (ids == IDS_TEXT && methods->kinds[c] == RECORD_ID && record[c] == RECORD_NO_TEXT)
			reader_fail(reader, "an id is missing");
	}
	*count = read_varint(reader);
	if (reader->error == NULL && (*count == 0 || *count > MAX_RECORDS || !methods->valid(record)))
		reader_fail(reader, "a record is out of range");
	return reader->error == NULL;
}

static uint64
ReadLength(ByteReader *reader, const RecordMethods *methods)
{
	uint64 n = read_varint(reader);

	/* a byte per column and count, but an absent id takes none */
	if (n == 0 || n > reader_left(reader) / methods->columns)
		reader_fail(reader, "it announces more records than it holds, or none");
	return reader->error == NULL ? n : 0;
}

/* ---- merging ---- */

typedef struct MergeShared {
	uint64 *words; /* this state's word for each of the other's */
	uint64 ntexts;
	IdKind ids;
} MergeShared;

void *
records_merge_shared(SummaryState *base, ByteReader *reader)
{
	MergeShared *shared = palloc0(sizeof(MergeShared));
	Key *texts;

	shared->ids = ReadIds(reader, MethodsOf(base));
	texts = ReadTexts(reader, &shared->ntexts);
	if (reader->error != NULL)
		return shared;
	records_require_ids((RecordState *) base, shared->ids);
	shared->words =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(shared->ntexts + 1, sizeof(uint64)));
	shared->words[0] = RECORD_NO_TEXT;
	for (uint64 i = 0; i < shared->ntexts; i++) {
		check_interrupts_at(i);
		shared->words[i + 1] = record_text((RecordState *) base, &texts[i]);
	}
	pfree(texts);
	return shared;
}

void
records_merge_key(SummaryState *base, uint32 ordinal, bool is_new, void *scratch,
				  ByteReader *reader)
{
	RecordState *state = (RecordState *) base;
	const RecordMethods *methods = MethodsOf(base);
	const MergeShared *shared = scratch;
	RecordList *list = ListAt(state, ordinal, is_new);
	uint64 n = ReadLength(reader, methods);
	uint64 record[MAX_RECORD_COLUMNS];
	uint64 count;

	for (uint64 i = 0; i < n; i++) {
		check_interrupts_at(i);
		if (!ReadRecord(reader, methods, shared->ids, shared->ntexts, record, &count))
			return;
		for (int c = 0; c < methods->columns; c++) {
			if (KindOf(methods, c, shared->ids) == RECORD_TEXT)
				record[c] = shared->words[record[c]];
		}
		CountRecords(state, count);
		AddToList(state, list, record, count, methods->columns);
	}
}

/* ---- reading a flat summary ---- */

/* Raises an error when the value is damaged. */
void
records_open(RecordReader *reader, const RecordMethods *methods, Datum value)
{
	memset(reader, 0, sizeof(*reader));
	reader->methods = methods;
	summary_open(&reader->summary, &methods->summary, value);
	reader->ids = ReadIds(&reader->summary.bytes, methods);
	reader->texts = ReadTexts(&reader->summary.bytes, &reader->ntexts);
	summary_open_keys(&reader->summary);
	summary_check(&reader->summary);
}

static void
ReserveRecords(RecordReader *reader, uint64 n)
{
	int columns = reader->methods->columns;

	if (n <= reader->capacity)
		return;
	if (reader->words != NULL) {
		pfree(reader->words);
		pfree(reader->counts);
	}
	reader->capacity = Max(n, reader->capacity * 2);
	reader->words = MemoryContextAllocHuge(CurrentMemoryContext,
										   mul_size(reader->capacity, columns * sizeof(uint64)));
	reader->counts =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(reader->capacity, sizeof(uint64)));
}

/* Reads the next key and its records, ascending. False after the last. */
bool
records_next(RecordReader *reader)
{
	ByteReader *bytes = &reader->summary.bytes;
	int columns = reader->methods->columns;
	bool more = summary_next_key(&reader->summary);

	reader->n = 0;
	if (more) {
		uint64 n = ReadLength(bytes, reader->methods);

		ReserveRecords(reader, n);
		while (reader->n < n &&
			   ReadRecord(bytes, reader->methods, reader->ids, reader->ntexts,
						  reader->words + reader->n * columns, &reader->counts[reader->n])) {
			check_interrupts_at(++reader->n);
		}
	}
	if (unlikely(bytes->error != NULL))
		summary_check(&reader->summary);
	return more;
}

void
records_close(RecordReader *reader)
{
	pfree(reader->texts);
	if (reader->words == NULL)
		return;
	pfree(reader->words);
	pfree(reader->counts);
}

Key
record_id(const RecordReader *reader, uint64 word)
{
	if (reader->ids == IDS_TEXT)
		return reader->texts[word - 1];
	return (Key){.number = record_int_value(word)};
}
