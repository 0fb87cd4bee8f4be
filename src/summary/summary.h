/*
 * Summaries: the mergeable, storable values that the aggregates return.
 *
 * A summary maps a key (task, unit, group) to what a metric keeps of it. The
 * map, the growing and the flat form, merging and I/O live here; a metric adds
 * a payload through SummaryMethods.
 *
 * While an aggregate runs, a summary is a read-write expanded object
 * (SummaryState). At rest it is flat: tag, version, key kind, what the metric
 * shares between keys, the number of keys, then the keys in canonical order,
 * each with its payload. Texts are UTF-8 whatever the database's encoding.
 * Equal contents are equal bytes, but for the version, which a value of an
 * older release keeps until it is computed anew; the bytes are the same on
 * every machine, and are also the binary wire form.
 */
#ifndef AGENTRL_SUMMARY_H
#define AGENTRL_SUMMARY_H

#include "postgres.h"
#include "access/detoast.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "utils/expandeddatum.h"

#include "summary/bytes.h"
#include "core/compat.h"
#include "summary/keymap.h"

/* From this version of every summary type on, its texts are UTF-8 in any database. */
#define FIRST_UTF8_VERSION 2

/* Of a flat value: where the version lies, and from where on equal contents are equal bytes. */
#define SUMMARY_VERSION_AT 1
#define SUMMARY_CONTENT_AT 2

#define MAX_FLAT_BYTES ((Size) 500 * 1000 * 1000)

typedef struct SummaryMethods SummaryMethods;

typedef struct SummaryState {
	ExpandedObjectHeader header;
	const SummaryMethods *methods;
	MemoryContext context; /* shared by all states of the aggregate context */
	KeyMap keys;
	struct varlena *flat; /* of the contents as they are, or NULL */
	List *waiting;		  /* flat values that are yet to be merged */
	Size waiting_bytes;
} SummaryState;

/*
 * What a metric defines. "shared" is what its payloads refer to (a dictionary,
 * say); encode_shared and merge_shared return a scratch value that the calls
 * for the single keys receive. Values that are merged together take turns by
 * their keys; a reader's sticky error ends its part.
 */
struct SummaryMethods {
	const char *type_name;
	uint8 tag;
	uint8 version;
	Size state_size; /* of a struct that begins with SummaryState; zeroed */
	void (*settle)(SummaryState *state);
	void *(*encode_shared)(SummaryState *state, StringInfo out);
	void (*encode_key)(SummaryState *state, uint32 ordinal, void *shared, StringInfo out);
	void *(*merge_shared)(SummaryState *state, ByteReader *reader);
	void (*merge_key)(SummaryState *state, uint32 ordinal, bool is_new, void *shared,
					  ByteReader *reader);
};

/* Reads a flat summary: summary_open, the shared part by the metric, then keys. */
typedef struct SummaryReader {
	ByteReader bytes;
	const SummaryMethods *methods;
	KeyKind kind;
	uint64 keys;
	uint64 keys_read;
	Key key; /* the last key read; a text key points into the value */
} SummaryReader;

extern struct varlena *summary_open(SummaryReader *reader, const SummaryMethods *methods,
									Datum value);
extern void summary_open_keys(SummaryReader *reader);
extern bool summary_next_key(SummaryReader *reader);
extern void summary_check(const SummaryReader *reader);

extern const ExpandedObjectMethods summary_object_methods;
extern SummaryState *summary_start_transition(FunctionCallInfo fcinfo,
											  const SummaryMethods *methods, KeyKind kind);

/*
 * The state in argument 0 when it may take a row with this kind of key at once,
 * else NULL. A value that is a read-write expanded object was made by its own
 * type's functions.
 */
static inline SummaryState *
summary_ready_state(FunctionCallInfo fcinfo, KeyKind kind)
{
	const char *value = DatumGetPointer(PG_GETARG_DATUM(0));
	varatt_expanded expanded;
	SummaryState *state;

	if (unlikely(PG_ARGISNULL(0) || !VARATT_IS_EXTERNAL_EXPANDED_RW(value)))
		return NULL;
	VARATT_EXTERNAL_GET_POINTER(expanded, value);
	state = (SummaryState *) expanded.eohptr;
	if (unlikely(state->keys.kind != kind || state->flat != NULL || state->waiting != NIL))
		return NULL;
	return state;
}

/*
 * The state that a transition function works on, and is to return: argument 0,
 * or a new one for a NULL or flat argument. kind is that of this row's key.
 */
static inline SummaryState *
summary_transition_state(FunctionCallInfo fcinfo, const SummaryMethods *methods, KeyKind kind)
{
	SummaryState *state = summary_ready_state(fcinfo, kind);

	return state != NULL ? state : summary_start_transition(fcinfo, methods, kind);
}

static inline Datum
summary_state_datum(SummaryState *state)
{
	return EOHPGetRWDatum(&state->header);
}

extern Datum summary_in(FunctionCallInfo fcinfo, const SummaryMethods *methods);
extern Datum summary_out(FunctionCallInfo fcinfo, const SummaryMethods *methods);
extern Datum summary_recv(FunctionCallInfo fcinfo, const SummaryMethods *methods);
extern Datum summary_send(FunctionCallInfo fcinfo, const SummaryMethods *methods);
extern Datum summary_combine(FunctionCallInfo fcinfo, const SummaryMethods *methods);
extern Datum summary_final(FunctionCallInfo fcinfo, const SummaryMethods *methods);

/* The SQL-callable functions that every summary type has. */
#define SUMMARY_FUNCTION(type, action, methods)                                                    \
	PG_FUNCTION_INFO_V1(type##_##action);                                                          \
	Datum type##_##action(PG_FUNCTION_ARGS)                                                        \
	{                                                                                              \
		return summary_##action(fcinfo, methods);                                                  \
	}                                                                                              \
	extern int type##_##action##_unused

#define SUMMARY_TYPE_FUNCTIONS(type, methods)                                                      \
	SUMMARY_FUNCTION(type, in, methods);                                                           \
	SUMMARY_FUNCTION(type, out, methods);                                                          \
	SUMMARY_FUNCTION(type, recv, methods);                                                         \
	SUMMARY_FUNCTION(type, send, methods);                                                         \
	SUMMARY_FUNCTION(type, combine, methods);                                                      \
	SUMMARY_FUNCTION(type, final, methods)

#endif
