/*
 * error_prefixes: what a harness replays to ask for one action from the
 * identical error state.
 *
 * The identity of a prefix is made of the task and of what a policy would see:
 * the prompt, and each turn's action, observation and state. Turn by turn a
 * SHA-256 digest takes in the one before, so all prefixes of a rollout cost one
 * pass. It does not depend on the machine, nor on how the value is stored.
 */
#include "core/interrupts.h"
#include "core/rows.h"
#include "summary/keytext.h"

#include "common/cryptohash.h"
#include "common/sha2.h"
#include "funcapi.h"
#include "port/pg_bswap.h"
#include "trajectory/trajectory.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#define PREFIX_COLUMNS 5
/* of the digest, as hexadecimal digits */
#define ID_DIGITS 16

typedef struct Digest {
	uint8 bytes[PG_SHA256_DIGEST_LENGTH];
} Digest;

static void
Check(pg_cryptohash_ctx *context, int status)
{
	if (status >= 0)
		return;
	pg_cryptohash_free(context);
	elog(ERROR, "could not compute SHA-256");
}

/* A text goes in with its length before it, so that no two lists of texts look alike. */
static void
AddText(pg_cryptohash_ctx *context, const TextView *text)
{
	uint64 len = pg_hton64(text->data == NULL ? PG_UINT64_MAX : (uint64) text->len);

	Check(context, pg_cryptohash_update(context, (const uint8 *) &len, sizeof(len)));
	for (size_t at = 0; at < text->len; at += BYTES_PER_CHECK) {
		CHECK_FOR_INTERRUPTS();
		Check(context, pg_cryptohash_update(context, (const uint8 *) text->data + at,
											Min(text->len - at, BYTES_PER_CHECK)));
	}
}

/* digest := SHA-256(digest, texts) */
static void
Extend(Digest *digest, const TextView *texts, int n)
{
	pg_cryptohash_ctx *context = pg_cryptohash_create(PG_SHA256);

	Check(context, pg_cryptohash_init(context));
	Check(context, pg_cryptohash_update(context, digest->bytes, sizeof(digest->bytes)));
	for (int i = 0; i < n; i++)
		AddText(context, &texts[i]);
	Check(context, pg_cryptohash_final(context, digest->bytes, sizeof(digest->bytes)));
	pg_cryptohash_free(context);
}

static Datum
PrefixId(Datum task, int64 turn, const Digest *digest)
{
	static const char digits[] = "0123456789abcdef";
	char hex[ID_DIGITS + 1] = {0};

	for (int i = 0; i < ID_DIGITS; i++)
		hex[i] = digits[digest->bytes[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
	return CStringGetTextDatum(
		psprintf("%s:%lld:%s", TextDatumGetCString(task), (long long) turn, hex));
}

/* The rollout up to a turn, as truncate() gives it. */
static Datum
PrefixOf(const TrajectoryDraft *draft, int64 turn)
{
	TrajectoryDraft prefix = *draft;
	bool at_end = draft->status == STATUS_TRUNCATED && !(draft->has & ROLLOUT_BUDGET) &&
				  turn >= (int64) draft->nsteps;

	if (!at_end)
		trajectory_cut(&prefix, turn);
	return trajectory_from_draft(&prefix, NULL);
}

static void
PutPrefix(ReturnSetInfo *rsinfo, Datum task, const TrajectoryDraft *draft, int64 turn,
		  const Digest *digest)
{
	const TextView *kind = &draft->steps[turn - 1].error_kind;
	Datum values[PREFIX_COLUMNS] = {0};
	bool nulls[PREFIX_COLUMNS] = {false};

	values[0] = task;
	values[1] = Int64GetDatum(turn);
	nulls[2] = kind->data == NULL;
	if (!nulls[2])
		values[2] = PointerGetDatum(cstring_to_text_with_len(kind->data, kind->len));
	values[3] = PrefixOf(draft, turn);
	values[4] = PrefixId(task, turn, digest);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

static Datum
PutPrefixes(FunctionCallInfo fcinfo, Datum task)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext scratch;
	MemoryContext caller;
	TrajectoryDraft draft;
	Digest digest = {{0}};

	InitMaterializedSRF(fcinfo, 0);
	trajectory_unpack(PG_GETARG_DATUM(1), &draft);
	Extend(&digest, &draft.prompt, 1);
	scratch = AllocSetContextCreate(CurrentMemoryContext, "error prefix", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(scratch);
	for (size_t i = 0; i < draft.nsteps; i++) {
		const StepDraft *step = &draft.steps[i];
		TextView seen[] = {step->action, step->observation, step->state};

		CHECK_FOR_INTERRUPTS();
		Extend(&digest, seen, lengthof(seen));
		if (step->error == TRUTH_TRUE)
			PutPrefix(rsinfo, task, &draft, i + 1, &digest);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	return (Datum) 0;
}

/* error_prefixes(task, traj): a row for each turn that is an error. */
PG_FUNCTION_INFO_V1(error_prefixes_text);
Datum
error_prefixes_text(PG_FUNCTION_ARGS)
{
	return PutPrefixes(fcinfo, PG_GETARG_DATUM(0));
}

PG_FUNCTION_INFO_V1(error_prefixes_bigint);
Datum
error_prefixes_bigint(PG_FUNCTION_ARGS)
{
	Key key = {.number = PG_GETARG_INT64(0)};

	return PutPrefixes(fcinfo, key_text(KEYS_BIGINT, &key));
}
