/*
 * The trajectory type in SQL: input and output, comparison, hashing.
 */
#include "postgres.h"
#include "fmgr.h"
#include "common/hashfn.h"
#include "libpq/pqformat.h"
#include "utils/memutils.h"

#include "core/interrupts.h"
#include "trajectory/fields.h"
#include "trajectory/layout.h"

PG_FUNCTION_INFO_V1(trajectory_in);
Datum
trajectory_in(PG_FUNCTION_ARGS)
{
	TrajectoryDraft draft;
	Datum value;

	if (!trajectory_json_in(PG_GETARG_CSTRING(0), &draft, fcinfo->context))
		PG_RETURN_NULL();
	value = trajectory_from_draft(&draft, fcinfo->context);
	if (value == (Datum) 0)
		PG_RETURN_NULL();
	return value;
}

PG_FUNCTION_INFO_V1(trajectory_out);
Datum
trajectory_out(PG_FUNCTION_ARGS)
{
	TrajectoryDraft draft;
	StringInfoData out;

	trajectory_unpack(PG_GETARG_DATUM(0), &draft);
	initStringInfo(&out);
	trajectory_json_out(&out, &draft);
	PG_RETURN_CSTRING(out.data);
}

PG_FUNCTION_INFO_V1(trajectory_recv);
Datum
trajectory_recv(PG_FUNCTION_ARGS)
{
	TrajectoryDraft draft;

	rollout_recv((StringInfo) PG_GETARG_POINTER(0), &draft);
	return trajectory_from_draft(&draft, NULL);
}

PG_FUNCTION_INFO_V1(trajectory_send);
Datum
trajectory_send(PG_FUNCTION_ARGS)
{
	TrajectoryDraft draft;
	StringInfoData out;

	trajectory_unpack(PG_GETARG_DATUM(0), &draft);
	pq_begintypsend(&out);
	rollout_send(&out, &draft);
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

static int
CompareInts(int64 a, int64 b)
{
	return (a > b) - (a < b);
}

/* Finite numbers only: the type holds no others. */
static int
CompareNumbers(double a, double b)
{
	return (a > b) - (a < b);
}

static int
CompareTexts(const TextView *a, const TextView *b)
{
	int order = compare_bytes(a->data, b->data, Min(a->len, b->len));

	return order != 0 ? order : CompareInts(a->len, b->len);
}

static int CompareRecords(const FieldSet *set, const void *a, const void *b);

static int
CompareSteps(const TrajectoryDraft *a, const TrajectoryDraft *b)
{
	int order = 0;

	for (size_t i = 0; i < Min(a->nsteps, b->nsteps) && order == 0; i++) {
		CHECK_FOR_INTERRUPTS();
		order = CompareRecords(&step_fields, &a->steps[i], &b->steps[i]);
	}
	return order != 0 ? order : CompareInts(a->nsteps, b->nsteps);
}

static int
CompareValues(const Field *field, const void *a, const void *b)
{
	const void *x = FieldPointer(field, a);
	const void *y = FieldPointer(field, b);

	switch (field->type) {
		case FIELD_BOOL:
		case FIELD_STATUS:
			return CompareInts(*(uint8 *) x, *(uint8 *) y);
		case FIELD_TEXT:
			return CompareTexts(x, y);
		case FIELD_NUMBER:
			return CompareNumbers(*(double *) x, *(double *) y);
		case FIELD_INT:
			return CompareInts(*(int64 *) x, *(int64 *) y);
		default:
			return CompareSteps(a, b);
	}
}

/* Field by field in canonical order; what is absent comes first. */
static int
CompareRecords(const FieldSet *set, const void *a, const void *b)
{
	for (int i = 0; i < set->count; i++) {
		const Field *field = &set->fields[i];
		bool in_a = FieldPresent(set, field, a);
		bool in_b = FieldPresent(set, field, b);
		int order;

		if (!in_a && !in_b)
			continue;
		order = in_a && in_b ? CompareValues(field, a, b) : in_a - in_b;
		if (order != 0)
			return order;
	}
	return 0;
}

/* Success, reward and status, the first fields: most comparisons of stored values end here. */
static int
CompareHeaders(const TrajectoryHeader *a, const TrajectoryHeader *b)
{
	int order = CompareInts(a->success, b->success);

	if (order == 0)
		order = CompareInts(a->has & ROLLOUT_REWARD, b->has & ROLLOUT_REWARD);
	if (order == 0)
		order = CompareNumbers(a->reward, b->reward);
	return order != 0 ? order : CompareInts(a->status, b->status);
}

/* Sorts call this often in one long-lived context, so nothing may be left behind. */
static int
CompareContents(Datum a, Datum b)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "trajectory comparison",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(scratch);
	TrajectoryDraft x;
	TrajectoryDraft y;
	int order;

	trajectory_unpack(a, &x);
	trajectory_unpack(b, &y);
	order = CompareRecords(&rollout_fields, &x, &y);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return order;
}

static int
Compare(Datum a, Datum b)
{
	const TrajectoryHeader *x = trajectory_header(a, sizeof(TrajectoryHeader));
	const TrajectoryHeader *y = trajectory_header(b, sizeof(TrajectoryHeader));
	int order = CompareHeaders(x, y);

	trajectory_free_header(x, a);
	trajectory_free_header(y, b);
	return order != 0 ? order : CompareContents(a, b);
}

static uint64
ContentHash(Datum value)
{
	const TrajectoryHeader *header = trajectory_header(value, sizeof(TrajectoryHeader));
	uint64 hash = header->hash;

	trajectory_free_header(header, value);
	return hash;
}

static bool
Equal(Datum a, Datum b)
{
	return ContentHash(a) == ContentHash(b) && CompareContents(a, b) == 0;
}

#define COMPARISON(name, expression)                                                               \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		Datum a = PG_GETARG_DATUM(0);                                                              \
		Datum b = PG_GETARG_DATUM(1);                                                              \
                                                                                                   \
		PG_RETURN_BOOL(expression);                                                                \
	}

COMPARISON(trajectory_eq, Equal(a, b))
COMPARISON(trajectory_ne, !Equal(a, b))
COMPARISON(trajectory_lt, Compare(a, b) < 0)
COMPARISON(trajectory_le, Compare(a, b) <= 0)
COMPARISON(trajectory_gt, Compare(a, b) > 0)
COMPARISON(trajectory_ge, Compare(a, b) >= 0)

PG_FUNCTION_INFO_V1(trajectory_cmp);
Datum
trajectory_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(Compare(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(trajectory_hash);
Datum
trajectory_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) ContentHash(PG_GETARG_DATUM(0)));
}

/* With seed 0 the low 32 bits are those of trajectory_hash, as the server asks. */
PG_FUNCTION_INFO_V1(trajectory_hash_extended);
Datum
trajectory_hash_extended(PG_FUNCTION_ARGS)
{
	uint64 hash = ContentHash(PG_GETARG_DATUM(0));
	uint64 seed = PG_GETARG_INT64(1);

	if (seed != 0)
		hash = hash_bytes_extended((unsigned char *) &hash, sizeof(hash), seed);
	PG_RETURN_INT64(hash);
}
