/*
 * Comparison and hashing of summaries, one set of functions for all types: two
 * are equal when their bytes are, but for the version of the release that wrote
 * them. The order has no meaning beyond being one.
 */
#include "summary/summary.h"

#include "common/hashfn.h"
#include "core/interrupts.h"

/* A value's bytes after the version, flat and in memory. */
typedef struct Content {
	struct varlena *flat;
	const char *bytes;
	Size len;
} Content;

static Content
ContentOf(Datum value)
{
	struct varlena *flat = PG_DETOAST_DATUM_PACKED(value);
	Size skipped = Min(SUMMARY_CONTENT_AT, VARSIZE_ANY_EXHDR(flat));

	return (Content){flat, VARDATA_ANY(flat) + skipped, VARSIZE_ANY_EXHDR(flat) - skipped};
}

/* An index that compares many values must not keep a copy of each. */
static void
Release(const Content *content, Datum value)
{
	if ((Pointer) content->flat != DatumGetPointer(value))
		pfree(content->flat);
}

static int
Compare(Datum a, Datum b)
{
	Content first = ContentOf(a), second = ContentOf(b);
	int order = compare_bytes(first.bytes, second.bytes, Min(first.len, second.len));

	if (order == 0)
		order = (first.len > second.len) - (first.len < second.len);
	Release(&first, a);
	Release(&second, b);
	return order;
}

/* The sizes tell most values apart without fetching them. */
static bool
Equal(Datum a, Datum b)
{
	return toast_raw_datum_size(a) == toast_raw_datum_size(b) && Compare(a, b) == 0;
}

#define COMPARISON(name, type, result)                                                             \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		Datum a = PG_GETARG_DATUM(0), b = PG_GETARG_DATUM(1);                                      \
                                                                                                   \
		PG_RETURN_##type(result);                                                                  \
	}                                                                                              \
	extern int name##_unused

COMPARISON(summary_eq, BOOL, Equal(a, b));
COMPARISON(summary_ne, BOOL, !Equal(a, b));
COMPARISON(summary_lt, BOOL, Compare(a, b) < 0);
COMPARISON(summary_le, BOOL, Compare(a, b) <= 0);
COMPARISON(summary_gt, BOOL, Compare(a, b) > 0);
COMPARISON(summary_ge, BOOL, Compare(a, b) >= 0);
COMPARISON(summary_cmp, INT32, Compare(a, b));

PG_FUNCTION_INFO_V1(summary_hash);
Datum
summary_hash(PG_FUNCTION_ARGS)
{
	Content content = ContentOf(PG_GETARG_DATUM(0));
	uint32 hash = hash_bytes((const unsigned char *) content.bytes, content.len);

	Release(&content, PG_GETARG_DATUM(0));
	PG_RETURN_UINT32(hash);
}

PG_FUNCTION_INFO_V1(summary_hash_extended);
Datum
summary_hash_extended(PG_FUNCTION_ARGS)
{
	Content content = ContentOf(PG_GETARG_DATUM(0));
	uint64 hash =
		hash_bytes_extended((const unsigned char *) content.bytes, content.len, PG_GETARG_INT64(1));

	Release(&content, PG_GETARG_DATUM(0));
	PG_RETURN_UINT64(hash);
}
