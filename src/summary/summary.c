#include "summary/summary.h"

#include "core/aggcontext.h"
#include "core/compat.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/*
 * Values that wait to be merged: so many, of at least so many bytes each (a
 * smaller one is as well merged at once) and at most so many together.
 */
#define MAX_WAITING		  8
#define SMALLEST_WAITING  ((Size) 64 * 1024)
#define MAX_WAITING_BYTES ((Size) 64 * 1024 * 1024)

static Size GetFlatSize(ExpandedObjectHeader *header);
static void FlattenInto(ExpandedObjectHeader *header, void *result, Size allocated);

const ExpandedObjectMethods summary_object_methods = {GetFlatSize, FlattenInto};

/* ---- reading ---- */

/*
 * Version 1 kept texts in the encoding of its database: UTF-8 where that still
 * is the value's database, but not known where the value comes from outside.
 */
static TextTrust
TrustOf(uint8 version, bool from_outside)
{
	if (version >= FIRST_UTF8_VERSION)
		return from_outside ? TEXTS_FROM_OUTSIDE : TEXTS_TRUSTED;
	if (!from_outside && GetDatabaseEncoding() == PG_UTF8)
		return TEXTS_TRUSTED;
	return TEXTS_OF_UNKNOWN_ENCODING;
}

static void
StartReading(SummaryReader *reader, const SummaryMethods *methods, const void *bytes, Size len,
			 bool from_outside)
{
	uint8 tag, version, kind;

	memset(reader, 0, sizeof(*reader));
	reader->methods = methods;
	reader->bytes.at = bytes;
	reader->bytes.end = reader->bytes.at + len;

	tag = read_byte(&reader->bytes);
	version = read_byte(&reader->bytes);
	kind = read_byte(&reader->bytes);
	reader->kind = (KeyKind) kind;
	reader->bytes.trust = TrustOf(version, from_outside);
	if (reader->bytes.error != NULL)
		return;
	if (tag != methods->tag)
		reader_fail(&reader->bytes, "it is a value of another type");
	else if (version == 0 || version > methods->version)
		reader_fail(&reader->bytes, "its version is not known to this release of agentrl");
	else if (kind != KEYS_BIGINT && kind != KEYS_TEXT)
		reader_fail(&reader->bytes, "its kind of key is not known");
}

/* Opens a stored or computed value; gives its flat form, which must stay in memory meanwhile. */
struct varlena *
summary_open(SummaryReader *reader, const SummaryMethods *methods, Datum value)
{
	struct varlena *flat;

	if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value))) {
		ExpandedObjectHeader *header = DatumGetEOHP(value);
		Size size = EOH_get_flat_size(header);

		flat = MemoryContextAllocHuge(CurrentMemoryContext, size);
		EOH_flatten_into(header, flat, size);
	} else
		flat = PG_DETOAST_DATUM_PACKED(value);
	StartReading(reader, methods, VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat), false);
	return flat;
}

/* Reads the number of keys, which follows what the metric shares between keys. */
void
summary_open_keys(SummaryReader *reader)
{
	reader->keys = read_varint(&reader->bytes);
	if (reader->keys > reader_left(&reader->bytes))
		reader_fail(&reader->bytes, "it announces more keys than it holds");
}

static void
ReadNumberKey(SummaryReader *reader)
{
	uint64 coded = read_varint(&reader->bytes);
	int64 previous = reader->key.number;

	if (reader->keys_read == 1) {
		reader->key.number = unzigzag(coded);
		return;
	}
	/* the distance to the previous key, less one */
	if (coded >= (uint64) PG_INT64_MAX - (uint64) previous)
		reader_fail(&reader->bytes, "a key is out of range");
	else
		reader->key.number = (int64) ((uint64) previous + coded + 1);
}

static void
ReadTextKey(SummaryReader *reader)
{
	Key previous = reader->key;
	uint32 len;
	const char *data = read_text(&reader->bytes, &len);

	if (data == NULL)
		return;
	reader->key.data = data;
	reader->key.len = len;
	if (reader->keys_read > 1 && key_compare(KEYS_TEXT, &previous, &reader->key) >= 0)
		reader_fail(&reader->bytes, "its keys are not in ascending order");
}

/* Reads the next key into reader->key; false at the end or after a fault. */
bool
summary_next_key(SummaryReader *reader)
{
	if (reader->bytes.error != NULL)
		return false;
	if (reader->keys_read == reader->keys) {
		if (reader_left(&reader->bytes) > 0)
			reader_fail(&reader->bytes, "bytes follow its last key");
		return false;
	}
	CHECK_FOR_INTERRUPTS();
	reader->keys_read++;
	if (reader->kind == KEYS_BIGINT)
		ReadNumberKey(reader);
	else
		ReadTextKey(reader);
	return reader->bytes.error == NULL;
}

/* The reader's fault in a sentence. */
static char *
FaultDetail(const SummaryReader *reader)
{
	if (reader->keys_read == 0)
		return psprintf("In its header: %s.", reader->bytes.error);
	return psprintf("At key %llu of %llu: %s.", (unsigned long long) reader->keys_read,
					(unsigned long long) reader->keys, reader->bytes.error);
}

/* What to do about the reader's fault; NULL where nothing but a sound value helps. */
static const char *
FaultHint(const SummaryReader *reader)
{
	if (reader->bytes.error != encoding_not_known)
		return NULL;
	return "A release before 1.0 made this value, and kept texts in the encoding of its "
		   "database. Compute it again from its rows; or update the extension in the database "
		   "that it comes from, and dump it from there.";
}

/* Raises the reader's error, if it has one. */
void
summary_check(const SummaryReader *reader)
{
	if (reader->bytes.error == NULL)
		return;
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
					errmsg("invalid value of type %s", reader->methods->type_name),
					errdetail_internal("%s", FaultDetail(reader)),
					FaultHint(reader) != NULL ? errhint("%s", FaultHint(reader)) : 0));
}

/* ---- growing ---- */

static SummaryState *
CreateState(const SummaryMethods *methods, KeyKind kind, MemoryContext context)
{
	SummaryState *state = MemoryContextAllocZero(context, methods->state_size);

	EOH_init_header(&state->header, &summary_object_methods, context);
	state->methods = methods;
	state->context = context;
	keymap_init(&state->keys, kind, context);
	return state;
}

static void
RequireKind(const SummaryState *state, KeyKind kind)
{
	if (state->keys.kind == kind)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("cannot combine a %s keyed by %s with one keyed by %s",
					state->methods->type_name, state->keys.kind == KEYS_TEXT ? "text" : "bigint",
					kind == KEYS_TEXT ? "text" : "bigint"),
			 errhint("Cast the keys to text on both sides.")));
}

/* What is merged, at its next key. */
typedef struct Source {
	SummaryReader reader;
	void *shared;
} Source;

static int
SmallestKey(Source **sources, int n, KeyKind kind)
{
	int smallest = 0;

	for (int i = 1; i < n; i++) {
		if (key_compare(kind, &sources[i]->reader.key, &sources[smallest]->reader.key) < 0)
			smallest = i;
	}
	return smallest;
}

/*
 * Adds what the readers hold to the state, in the order of the keys: to an
 * empty state they come ascending, as its map likes best. Faults are left in
 * the readers.
 */
static void
Merge(SummaryState *state, Source *sources, int n)
{
	const SummaryMethods *methods = state->methods;
	Source *left[MAX_WAITING];
	int nleft = 0;

	for (int i = 0; i < n; i++) {
		Source *source = &sources[i];

		source->shared = methods->merge_shared(state, &source->reader.bytes);
		summary_open_keys(&source->reader);
		if (summary_next_key(&source->reader))
			left[nleft++] = source;
	}
	while (nleft > 0) {
		int at = SmallestKey(left, nleft, state->keys.kind);
		Source *source = left[at];
		bool is_new;
		uint32 ordinal = keymap_add(&state->keys, &source->reader.key, &is_new);

		methods->merge_key(state, ordinal, is_new, source->shared, &source->reader.bytes);
		if (!summary_next_key(&source->reader))
			left[at] = left[--nleft];
	}
}

/* Merges the values that wait, and raises an error if one is damaged. */
static void
MergeWaiting(SummaryState *state)
{
	Source sources[MAX_WAITING];
	int n = 0;
	ListCell *cell;

	foreach (cell, state->waiting)
		summary_open(&sources[n++].reader, state->methods, PointerGetDatum(lfirst(cell)));
	Merge(state, sources, n);
	for (int i = 0; i < n; i++)
		summary_check(&sources[i].reader);
	list_free_deep(state->waiting);
	state->waiting = NIL;
	state->waiting_bytes = 0;
}

/* Makes a state ready to take rows. */
static void
Open(SummaryState *state)
{
	MergeWaiting(state);
	if (state->flat != NULL)
		pfree(state->flat);
	state->flat = NULL;
}

static SummaryState *
StateFrom(Datum value, const SummaryMethods *methods, MemoryContext context)
{
	Source source;
	SummaryState *state;

	summary_open(&source.reader, methods, value);
	summary_check(&source.reader);
	state = CreateState(methods, source.reader.kind, context);
	Merge(state, &source, 1);
	summary_check(&source.reader);
	return state;
}

static bool
IsState(Datum value, const SummaryMethods *methods)
{
	SummaryState *state;

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(value)))
		return false;
	state = (SummaryState *) DatumGetEOHP(value);
	return state->header.eoh_methods == &summary_object_methods && state->methods == methods;
}

/* The state in argument 0, or a new one for a NULL or flat argument. */
static SummaryState *
ArgumentState(FunctionCallInfo fcinfo, const SummaryMethods *methods, KeyKind kind)
{
	SummaryState *state;

	if (PG_ARGISNULL(0))
		return CreateState(methods, kind, agentrl_calling_states_context(fcinfo));
	if (IsState(PG_GETARG_DATUM(0), methods))
		state = (SummaryState *) DatumGetEOHP(PG_GETARG_DATUM(0));
	else
		state = StateFrom(PG_GETARG_DATUM(0), methods, agentrl_calling_states_context(fcinfo));
	RequireKind(state, kind);
	return state;
}

SummaryState *
summary_start_transition(FunctionCallInfo fcinfo, const SummaryMethods *methods, KeyKind kind)
{
	SummaryState *state = ArgumentState(fcinfo, methods, kind);

	Open(state);
	return state;
}

/* ---- flattening ---- */

static void
EncodeNumberKey(StringInfo out, const SortedKey *keys, uint32 i)
{
	if (i == 0)
		append_varint(out, zigzag(keys[0].key.number));
	else
		append_varint(out, (uint64) keys[i].key.number - (uint64) keys[i - 1].key.number - 1);
}

static void
EncodeKeys(SummaryState *state, void *shared, StringInfo out)
{
	const SummaryMethods *methods = state->methods;
	SortedKey *keys = keymap_sorted(&state->keys);

	append_varint(out, state->keys.count);
	for (uint32 i = 0; i < state->keys.count; i++) {
		CHECK_FOR_INTERRUPTS();
		if (state->keys.kind == KEYS_BIGINT)
			EncodeNumberKey(out, keys, i);
		else {
			append_varint(out, keys[i].key.len);
			appendBinaryStringInfo(out, keys[i].key.data, keys[i].key.len);
		}
		methods->encode_key(state, keys[i].ordinal, shared, out);
		if (out->len > MAX_FLAT_BYTES)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a value of type %s would take more than 500 MB", methods->type_name),
					 errhint("Aggregate fewer tasks at once.")));
	}
	pfree(keys);
}

/* The flat form, in the current memory context; the state stays usable. */
static struct varlena *
Flatten(SummaryState *state)
{
	const SummaryMethods *methods = state->methods;
	StringInfoData out;
	void *shared;

	MergeWaiting(state);
	if (methods->settle != NULL)
		methods->settle(state);
	initStringInfo(&out);
	appendStringInfoSpaces(&out, VARHDRSZ);
	appendStringInfoChar(&out, methods->tag);
	appendStringInfoChar(&out, methods->version);
	appendStringInfoChar(&out, state->keys.kind);
	shared = methods->encode_shared(state, &out);
	EncodeKeys(state, shared, &out);
	SET_VARSIZE(out.data, out.len);
	return (struct varlena *) out.data;
}

/*
 * Called before FlattenInto, and more than once: so the result is kept. The
 * caller's memory context may be of a kind that cannot free, as a sort's is
 * from 17 on.
 */
static Size
GetFlatSize(ExpandedObjectHeader *header)
{
	SummaryState *state = (SummaryState *) header;

	if (state->flat == NULL) {
		MemoryContext scratch =
			AllocSetContextCreate(state->context, "agentrl flattening", ALLOCSET_DEFAULT_SIZES);
		MemoryContext caller = MemoryContextSwitchTo(scratch);
		struct varlena *flat = Flatten(state);

		MemoryContextSwitchTo(caller);
		state->flat = MemoryContextAlloc(state->context, VARSIZE(flat));
		memcpy(state->flat, flat, VARSIZE(flat));
		MemoryContextDelete(scratch);
	}
	return VARSIZE(state->flat);
}

static void
FlattenInto(ExpandedObjectHeader *header, void *result, Size allocated)
{
	SummaryState *state = (SummaryState *) header;

	Assert(state->flat != NULL && allocated == VARSIZE(state->flat));
	memcpy(result, state->flat, allocated);
}

/* ---- functions of every summary type ---- */

/* Whether two flat forms of one type hold the same; their versions do not count. */
static bool
SameContent(const char *a, Size a_len, const char *b, Size b_len)
{
	return a_len == b_len && a_len > SUMMARY_CONTENT_AT && a[0] == b[0] &&
		   memcmp(a + SUMMARY_CONTENT_AT, b + SUMMARY_CONTENT_AT, a_len - SUMMARY_CONTENT_AT) == 0;
}

/*
 * The value as this release writes it: one of an older release, whose texts are
 * known to be UTF-8, differs in the version alone.
 */
static struct varlena *
CurrentForm(Datum value, const SummaryMethods *methods)
{
	struct varlena *flat = PG_DETOAST_DATUM_PACKED(value);
	Size len = VARSIZE_ANY_EXHDR(flat);
	struct varlena *copy;

	if (len <= SUMMARY_VERSION_AT || VARDATA_ANY(flat)[SUMMARY_VERSION_AT] == methods->version ||
		GetDatabaseEncoding() != PG_UTF8)
		return flat;
	copy = MemoryContextAllocHuge(CurrentMemoryContext, len + VARHDRSZ);
	SET_VARSIZE(copy, len + VARHDRSZ);
	memcpy(VARDATA(copy), VARDATA_ANY(flat), len);
	VARDATA(copy)[SUMMARY_VERSION_AT] = methods->version;
	return copy;
}

/* The flat form of what the source holds; NULL after a fault. */
static struct varlena *
Reflatten(const SummaryMethods *methods, Source *source)
{
	SummaryState *state = CreateState(methods, source->reader.kind, CurrentMemoryContext);

	Merge(state, source, 1);
	return source->reader.bytes.error == NULL ? Flatten(state) : NULL;
}

/*
 * Decodes bytes from outside into a flat value by way of a state: the same
 * code that merges and flattens is the validator. Bytes that are not what
 * flattening gives are refused, so equal contents stay equal bytes; the
 * version alone may be an older one.
 */
static Datum
Validate(const SummaryMethods *methods, const char *bytes, Size len, int sqlstate, Node *escontext)
{
	Source source;
	SummaryReader *reader = &source.reader;
	struct varlena *flat;

	StartReading(reader, methods, bytes, len, true);
	flat = reader->bytes.error == NULL ? Reflatten(methods, &source) : NULL;
	if (flat != NULL) {
		if (SameContent(VARDATA(flat), VARSIZE(flat) - VARHDRSZ, bytes, len))
			return PointerGetDatum(flat);
		reader_fail(&reader->bytes, "it is not in canonical form");
	}
	ereturn(escontext, (Datum) 0,
			(errcode(sqlstate), errmsg("invalid value for type %s", methods->type_name),
			 errdetail_internal("%s", FaultDetail(reader)),
			 FaultHint(reader) != NULL ? errhint("%s", FaultHint(reader)) : 0));
}

/*
 * Between bytes and hexadecimal digits, in pieces of so many bytes: the server's
 * functions take all at once, and cannot be cancelled meanwhile.
 */
#define HEX_PIECE ((Size) 1024 * 1024)

/* Gives the number of bytes; digits of no byte are an error, soft where escontext says so. */
static Size
DecodeHex(const char *digits, Size n, char *to, Node *escontext)
{
	Size bytes = 0;

	for (Size at = 0; at < n && !SOFT_ERROR_OCCURRED(escontext); at += 2 * HEX_PIECE) {
		Size piece = Min(n - at, 2 * HEX_PIECE);

		CHECK_FOR_INTERRUPTS();
#if PG_VERSION_NUM >= 160000
		bytes += hex_decode_safe(digits + at, piece, to + bytes, escontext);
#else
		bytes += hex_decode(digits + at, piece, to + bytes);
#endif
	}
	return bytes;
}

/* Text in: the binary form in hexadecimal, as bytea writes it. */
Datum
summary_in(FunctionCallInfo fcinfo, const SummaryMethods *methods)
{
	char *text = PG_GETARG_CSTRING(0);
	Size digits = strlen(text);
	char *bytes;
	Size len;

	if (text[0] != '\\' || text[1] != 'x')
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", methods->type_name),
				 errdetail("The text form is the binary form in hexadecimal, after \"\\x\".")));
	bytes = MemoryContextAllocHuge(CurrentMemoryContext, digits / 2 + 1);
	len = DecodeHex(text + 2, digits - 2, bytes, fcinfo->context);
	if (SOFT_ERROR_OCCURRED(fcinfo->context))
		PG_RETURN_NULL();
	return Validate(methods, bytes, len, ERRCODE_INVALID_TEXT_REPRESENTATION, fcinfo->context);
}

Datum
summary_out(FunctionCallInfo fcinfo, const SummaryMethods *methods)
{
	struct varlena *flat = CurrentForm(PG_GETARG_DATUM(0), methods);
	Size len = VARSIZE_ANY_EXHDR(flat);
	char *text = MemoryContextAllocHuge(CurrentMemoryContext, len * 2 + 3);

	text[0] = '\\';
	text[1] = 'x';
	for (Size at = 0; at < len; at += HEX_PIECE) {
		CHECK_FOR_INTERRUPTS();
		hex_encode(VARDATA_ANY(flat) + at, Min(len - at, HEX_PIECE), text + 2 + 2 * at);
	}
	text[len * 2 + 2] = '\0';
	PG_RETURN_CSTRING(text);
}

Datum
summary_recv(FunctionCallInfo fcinfo, const SummaryMethods *methods)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	Size len = message->len - message->cursor;
	const char *bytes = pq_getmsgbytes(message, len);

	return Validate(methods, bytes, len, ERRCODE_INVALID_BINARY_REPRESENTATION, NULL);
}

Datum
summary_send(FunctionCallInfo fcinfo, const SummaryMethods *methods)
{
	struct varlena *flat = CurrentForm(PG_GETARG_DATUM(0), methods);
	StringInfoData out;

	pq_begintypsend(&out);
	pq_sendbytes(&out, VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

/* Whether a value may wait to be merged: until there is a state, or too much waits. */
static bool
MayWait(const SummaryState *state, Size size)
{
	return state->keys.count == 0 && state->flat == NULL && size >= SMALLEST_WAITING &&
		   size <= MAX_WAITING_BYTES - state->waiting_bytes &&
		   list_length(state->waiting) < MAX_WAITING;
}

static void
Wait(SummaryState *state, const struct varlena *flat, Size size)
{
	MemoryContext caller = MemoryContextSwitchTo(state->context);

	state->waiting = lappend(state->waiting, memcpy(palloc(size), flat, size));
	state->waiting_bytes += size;
	MemoryContextSwitchTo(caller);
}

/*
 * Merges argument 1 into argument 0; either may be NULL. Combines the states of
 * parallel workers, and is the transition of rollup(). The first large values
 * wait for one another: merged together, they cost less.
 */
Datum
summary_combine(FunctionCallInfo fcinfo, const SummaryMethods *methods)
{
	Source source;
	SummaryState *state;
	const struct varlena *flat;

	if (PG_ARGISNULL(1)) {
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	flat = summary_open(&source.reader, methods, PG_GETARG_DATUM(1));
	summary_check(&source.reader);
	state = ArgumentState(fcinfo, methods, source.reader.kind);
	if (MayWait(state, VARSIZE_ANY(flat)))
		Wait(state, flat, VARSIZE_ANY(flat));
	else {
		Open(state);
		Merge(state, &source, 1);
		summary_check(&source.reader);
	}
	PG_RETURN_DATUM(summary_state_datum(state));
}

/* The aggregate's result: the flat form. NULL when no row was met. */
Datum
summary_final(FunctionCallInfo fcinfo, const SummaryMethods *methods)
{
	Datum value;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	value = PG_GETARG_DATUM(0);
	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		PG_RETURN_DATUM(value);
	PG_RETURN_POINTER(Flatten((SummaryState *) DatumGetEOHP(value)));
}
