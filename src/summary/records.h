/*
 * Summaries that keep, per key, a multiset of records: rows of a few numbers
 * and texts, each with how often it came.
 *
 * A record is an array of words, one per column, that sort as their values do:
 * integers and floats by value, texts by their bytes. A missing float is
 * stored, so that it can be counted; it sorts last. The flat form holds a
 * dictionary of all texts, then by key the records in ascending order.
 *
 * A column of kind RECORD_ID names what a row is of within its key. It is
 * bigint, text or absent, the same throughout a summary: rows of two kinds do
 * not mix.
 */
#ifndef AGENTRL_RECORDS_H
#define AGENTRL_RECORDS_H

#include "summary/summary.h"

#define MAX_RECORD_COLUMNS 12
#define MAX_RECORDS		   (INT64CONST(1) << 53) /* sum of all counts: exact in a double */

typedef enum RecordColumn { RECORD_INT, RECORD_FLOAT, RECORD_TEXT, RECORD_ID } RecordColumn;

typedef enum IdKind { IDS_NONE, IDS_BIGINT, IDS_TEXT } IdKind;

/* What a metric defines; RECORD_SUMMARY gives the first member. */
typedef struct RecordMethods {
	SummaryMethods summary;
	int columns;
	RecordColumn kinds[MAX_RECORD_COLUMNS];
	/* whether a record can be one of the metric's; all are read through it */
	bool (*valid)(const uint64 *record);
	/* by IdKind, what its rows are, for an error message; NULL: no column is an id */
	const char *const *id_kinds;
} RecordMethods;

/* The records of one key. */
typedef struct RecordList {
	uint64 *words; /* [used][columns + 1], the count last */
	uint32 used;
	uint32 sorted; /* so many at the start are in order, each once */
	uint32 capacity;
} RecordList;

typedef struct RecordState {
	SummaryState base;
	KeyMap *texts;	   /* NULL before the first */
	RecordList *lists; /* by ordinal */
	uint32 lists_capacity;
	IdKind ids;
	bool ids_known; /* from the first row or value on */
	uint64 total;
} RecordState;

extern void *records_encode_shared(SummaryState *state, StringInfo out);
extern void records_encode_key(SummaryState *state, uint32 ordinal, void *shared, StringInfo out);
extern void *records_merge_shared(SummaryState *state, ByteReader *reader);
extern void records_merge_key(SummaryState *state, uint32 ordinal, bool is_new, void *shared,
							  ByteReader *reader);

#define RECORD_SUMMARY(name, tag_letter, version_number)                                           \
	{                                                                                              \
		.type_name = name, .tag = tag_letter, .version = version_number,                           \
		.state_size = sizeof(RecordState), .encode_shared = records_encode_shared,                 \
		.encode_key = records_encode_key, .merge_shared = records_merge_shared,                    \
		.merge_key = records_merge_key                                                             \
	}

/* ---- words ---- */

static inline uint64
record_int(int64 value)
{
	return (uint64) value ^ (UINT64CONST(1) << 63);
}

static inline int64
record_int_value(uint64 word)
{
	return (int64) (word ^ (UINT64CONST(1) << 63));
}

#define RECORD_NO_FLOAT PG_UINT64_MAX

/* value is finite; -0 becomes 0 */
extern uint64 record_float(double value);
/* NaN for a missing one */
extern double record_float_value(uint64 word);

#define RECORD_NO_TEXT UINT64CONST(0)

/* The word of a text, which is UTF-8 as keys are; valid in this state only. */
extern uint64 record_text(RecordState *state, const Key *key);

/* The word of an absent id; that of a bigint is record_int's, of a text record_text's. */
#define RECORD_NO_ID UINT64CONST(0)

/* ---- adding ---- */

extern void records_add(RecordState *state, const Key *key, const uint64 *record, uint64 count);

extern void records_start_ids(RecordState *state, IdKind ids);

/* To be called before a row with such an id is added; an error when the state's are others. */
static inline void
records_require_ids(RecordState *state, IdKind ids)
{
	if (unlikely(state->ids != ids || !state->ids_known))
		records_start_ids(state, ids);
}

/* The word of an id argument of that kind; an error named after it when it is null. */
extern uint64 record_id_argument(FunctionCallInfo fcinfo, int i, RecordState *state, IdKind ids,
								 const char *name);

/*
 * The word of a float argument: missing when it is null; an error when it is
 * not finite.
 */
extern uint64 record_float_argument(FunctionCallInfo fcinfo, int i, const char *name);

/*
 * The key in argument 1, which is of that kind; an error named after the
 * argument when it is null. A text key may be a copy.
 */
extern Key record_key_argument(FunctionCallInfo fcinfo, int i, KeyKind kind, const char *name);

/* ---- reading ---- */

typedef struct RecordReader {
	SummaryReader summary; /* its key is the one at hand */
	const RecordMethods *methods;
	IdKind ids;
	Key *texts; /* ascending; that of word w is texts[w - 1] */
	uint64 ntexts;
	uint64 n;		/* records of the key at hand */
	uint64 *words;	/* [n][columns] */
	uint64 *counts; /* [n] */
	uint64 capacity;
} RecordReader;

extern void records_open(RecordReader *reader, const RecordMethods *methods, Datum value);
extern bool records_next(RecordReader *reader);
extern void records_close(RecordReader *reader);

static inline const uint64 *
record_at(const RecordReader *reader, uint64 i)
{
	return reader->words + i * reader->methods->columns;
}

/* The id of a word, which is not absent; a text is not copied. */
extern Key record_id(const RecordReader *reader, uint64 word);

#endif
