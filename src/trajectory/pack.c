/*
 * From a draft to a stored trajectory: validation, then packing.
 */
#include "postgres.h"
#include "access/toast_compression.h"
#include "common/hashfn.h"
#include "utils/memutils.h"

#include <math.h>

#include "core/interrupts.h"
#include "trajectory/fields.h"
#include "trajectory/layout.h"

const uint16 number_offsets[NUMBER_COLUMNS] = {
	offsetof(StepDraft, reward),  offsetof(StepDraft, value),		offsetof(StepDraft, tokens),
	offsetof(StepDraft, logprob), offsetof(StepDraft, ref_logprob), offsetof(StepDraft, remaining),
};

const uint16 text_offsets[TEXT_COLUMNS] = {
	offsetof(StepDraft, action),
	offsetof(StepDraft, observation),
	offsetof(StepDraft, error_kind),
	offsetof(StepDraft, state),
};

bool
trajectory_reject(Node *escontext, int sqlstate, int64 step, const char *key, const char *problem)
{
	StringInfoData place;

	initStringInfo(&place);
	if (step >= 0)
		appendStringInfo(&place, "steps[%lld]%s", (long long) step, key ? "." : "");
	if (key)
		appendStringInfoString(&place, key);
	if (place.len > 0)
		appendStringInfoString(&place, ": ");
	errsave(escontext,
			(errcode(sqlstate), errmsg("invalid trajectory: %s%s", place.data, problem)));
	return false;
}

static bool
CheckNumbers(const FieldSet *set, const void *record, int64 step, Node *escontext)
{
	for (int i = 0; i < set->count; i++) {
		const Field *field = &set->fields[i];

		if (!FieldPresent(set, field, record))
			continue;
		if (field->type == FIELD_NUMBER && !isfinite(*(double *) FieldPointer(field, record)))
			return trajectory_reject(escontext, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, step,
									 field->name, "must be finite");
		if (field->type == FIELD_INT && *(int64 *) FieldPointer(field, record) < field->min)
			return trajectory_reject(escontext, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, step,
									 field->name,
									 psprintf("must be at least %d", (int) field->min));
	}
	return true;
}

bool
step_check_numbers(const StepDraft *step, int64 number, Node *escontext)
{
	return CheckNumbers(&step_fields, step, number, escontext);
}

static bool
CheckOutcome(const TrajectoryDraft *draft, Node *escontext)
{
	const int code = ERRCODE_INVALID_PARAMETER_VALUE;
	bool steps_known = (draft->has & ROLLOUT_STEPS) != 0;

	if (draft->status == STATUS_UNSCORED && draft->success != TRUTH_UNKNOWN)
		return trajectory_reject(escontext, code, -1, "status", "unscored with a success");
	if (draft->success == TRUTH_TRUE && steps_known && draft->nsteps == 0)
		return trajectory_reject(escontext, code, -1, "success", "success without turns");
	if (!(draft->has & ROLLOUT_SOLVED_AT))
		return true;
	if (draft->success != TRUTH_TRUE)
		return trajectory_reject(escontext, code, -1, "solved_at", "solved without success");
	if (steps_known && draft->solved_at > (int64) draft->nsteps)
		return trajectory_reject(escontext, code, -1, "solved_at",
								 psprintf("beyond the last turn, %zu", draft->nsteps));
	return true;
}

static bool
CheckDraft(const TrajectoryDraft *draft, Node *escontext)
{
	if (draft->nsteps > 0 && !(draft->has & ROLLOUT_STEPS))
		elog(ERROR, "a draft has steps, but says that their number is unknown");
	if (draft->nsteps > TRAJECTORY_MAX_STEPS)
		return trajectory_reject(escontext, ERRCODE_PROGRAM_LIMIT_EXCEEDED, -1, "steps",
								 psprintf("more than %d turns", TRAJECTORY_MAX_STEPS));
	if (!CheckNumbers(&rollout_fields, draft, -1, escontext))
		return false;
	for (size_t i = 0; i < draft->nsteps; i++) {
		check_interrupts_at(i);
		if (!step_check_numbers(&draft->steps[i], i, escontext))
			return false;
	}
	return CheckOutcome(draft, escontext);
}

static inline size_t
CopyBytesOf(unsigned char c)
{
	if (c >= ' ')
		return c == '\\' ? 4 : c == '"' ? 3 : 1;
	return c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t' ? 3 : COPY_BYTE_MAX;
}

static size_t
CopyBytes(const TextView *text)
{
	size_t bytes = 0;

	for (size_t i = 0; i < text->len; i++) {
		check_interrupts_at(i);
		bytes += CopyBytesOf(text->data[i]);
	}
	return bytes;
}

size_t
step_copy_bytes(const StepDraft *step)
{
	size_t bytes = STEP_COPY_MAX;

	for (int c = 0; c < TEXT_COLUMNS; c++)
		bytes += CopyBytes(StepText(step, c));
	return bytes;
}

/* What could be stored and not dumped is refused. */
static bool
CheckSize(const TrajectoryDraft *draft, size_t text_bytes, Node *escontext)
{
	size_t bytes = STEP_COPY_MAX;

	if (surely_fits_copy(text_bytes + draft->stop_reason.len, draft->nsteps))
		return true;
	bytes += CopyBytes(&draft->stop_reason) + CopyBytes(&draft->prompt);
	for (size_t i = 0; i < draft->nsteps && bytes <= COPY_BYTES_MAX; i++)
		bytes += step_copy_bytes(&draft->steps[i]);
	if (bytes <= COPY_BYTES_MAX)
		return true;
	return trajectory_reject(escontext, ERRCODE_PROGRAM_LIMIT_EXCEEDED, -1, NULL,
							 "its text form would exceed 1 GB in a dump");
}

static void
CountStep(TrajectoryHeader *header, const StepDraft *step, uint32 turn)
{
	if (step->error == TRUTH_UNKNOWN)
		header->error_unknown++;
	else
		header->columns |= COLUMN_ERROR;
	if (step->error == TRUTH_TRUE && header->error_turns++ == 0)
		header->first_error = turn;
	header->columns |= step->has & NUMBER_COLUMNS_MASK;
	for (int c = 0; c < TEXT_COLUMNS; c++)
		if (StepText(step, c)->data)
			header->columns |= COLUMN_TEXT(c);
}

/* A sum exists only when each turn has its term; a sum of nothing is unknown. */
static bool
SumSteps(TrajectoryHeader *header, const TrajectoryDraft *draft, uint8 all, Node *escontext)
{
	const int code = ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;

	if (draft->nsteps == 0)
		return true;
	if (all & STEP_TOKENS)
		header->has |= HEADER_TOKENS;
	if (all & STEP_LOGPROB)
		header->has |= HEADER_LOGLIK;
	if (all & STEP_REF_LOGPROB)
		header->has |= HEADER_REF_LOGLIK;
	for (size_t i = 0; i < draft->nsteps; i++) {
		const StepDraft *step = &draft->steps[i];

		check_interrupts_at(i);
		if ((all & STEP_TOKENS) &&
			__builtin_add_overflow(header->tokens, step->tokens, &header->tokens))
			return trajectory_reject(escontext, code, i, "tokens", "sum out of range");
		if (all & STEP_LOGPROB)
			header->loglik += step->logprob;
		if (all & STEP_REF_LOGPROB)
			header->ref_loglik += step->ref_logprob;
		if (!isfinite(header->loglik))
			return trajectory_reject(escontext, code, i, "logprob", "sum out of range");
		if (!isfinite(header->ref_loglik))
			return trajectory_reject(escontext, code, i, "ref_logprob", "sum out of range");
	}
	return true;
}

/* Fills everything but the sizes that compression decides, and the hash. */
static bool
BuildHeader(const TrajectoryDraft *draft, TrajectoryHeader *header, Node *escontext)
{
	size_t text_bytes = draft->prompt.len;
	size_t kind_bytes = 0;
	uint8 all = UINT8_MAX;

	memset(header, 0, sizeof(*header));
	header->version = TRAJECTORY_VERSION;
	header->has = draft->has & ROLLOUT_HAS_MASK;
	header->success = draft->success;
	header->status = draft->status;
	header->nsteps = draft->nsteps;
	header->budget = draft->has & ROLLOUT_BUDGET ? draft->budget : 0;
	header->solved_at = draft->has & ROLLOUT_SOLVED_AT ? draft->solved_at : 0;
	header->reward = draft->has & ROLLOUT_REWARD ? draft->reward + 0.0 : 0; /* -0 + 0 is 0 */
	for (size_t i = 0; i < draft->nsteps; i++) {
		const StepDraft *step = &draft->steps[i];

		check_interrupts_at(i);
		CountStep(header, step, i + 1);
		all &= step->has;
		for (int c = 0; c < TEXT_COLUMNS; c++)
			text_bytes += StepText(step, c)->len;
		kind_bytes += step->error_kind.len;
	}
	if (!SumSteps(header, draft, all, escontext) || !CheckSize(draft, text_bytes, escontext))
		return false;
	header->loglik += 0.0;
	header->ref_loglik += 0.0;
	header->partial = header->columns & NUMBER_COLUMNS_MASK & ~all;
	header->stop_len = draft->stop_reason.data ? draft->stop_reason.len : TEXT_ABSENT;
	header->prompt_len = draft->prompt.data ? draft->prompt.len : TEXT_ABSENT;
	header->text_bytes = text_bytes - kind_bytes;
	header->kind_bytes = kind_bytes;
	header->numbers_end = trajectory_numbers_end(header);
	return true;
}

static char *
PackFlags(char *out, const TrajectoryDraft *draft)
{
	for (size_t i = 0; i < draft->nsteps; i++) {
		check_interrupts_at(i);
		out[i / 4] |= draft->steps[i].error << (i % 4 * 2);
	}
	return out + FlagBytes(draft->nsteps);
}

static char *
PackNumbers(char *out, const TrajectoryDraft *draft, int column, bool partial)
{
	bool is_int = (1 << column) & INT_COLUMNS;

	if (partial) {
		for (size_t i = 0; i < draft->nsteps; i++) {
			check_interrupts_at(i);
			if (draft->steps[i].has & (1 << column))
				out[i / 8] |= 1 << (i % 8);
		}
		out += BitmapBytes(draft->nsteps);
	}
	for (size_t i = 0; i < draft->nsteps; i++) {
		const StepDraft *step = &draft->steps[i];

		check_interrupts_at(i);
		if (!(step->has & (1 << column)))
			continue;
		if (is_int)
			((int64 *) out)[i] = *(int64 *) StepNumber(step, column);
		else
			((double *) out)[i] = *(double *) StepNumber(step, column) + 0.0;
	}
	return out + draft->nsteps * 8;
}

static char *
PackLengths(char *out, const TrajectoryDraft *draft, int column)
{
	for (size_t i = 0; i < draft->nsteps; i++) {
		const TextView *text = StepText(&draft->steps[i], column);

		check_interrupts_at(i);
		((uint32 *) out)[i] = text->data ? text->len : TEXT_ABSENT;
	}
	return out + Pad8(draft->nsteps * 4);
}

static char *
PackKinds(char *out, const TrajectoryDraft *draft, size_t bytes)
{
	char *end = out + Pad8(bytes);

	for (size_t i = 0; i < draft->nsteps; i++) {
		const TextView *kind = &draft->steps[i].error_kind;

		check_interrupts_at(i);
		out = copy_bytes(out, kind->data, kind->len);
	}
	return end;
}

static void
PackColumns(char *value, const TrajectoryHeader *header, const TrajectoryDraft *draft)
{
	char *out = value + sizeof(*header);

	memcpy(value, header, sizeof(*header));
	copy_bytes(out, draft->stop_reason.data, draft->stop_reason.len);
	out += Pad8(draft->stop_reason.len);
	if (header->columns & COLUMN_ERROR)
		out = PackFlags(out, draft);
	for (int c = 0; c < NUMBER_COLUMNS; c++)
		if (header->columns & (1 << c))
			out = PackNumbers(out, draft, c, header->partial & (1 << c));
	for (int c = 0; c < TEXT_COLUMNS; c++)
		if (header->columns & COLUMN_TEXT(c))
			out = PackLengths(out, draft, c);
	out = PackKinds(out, draft, header->kind_bytes);
	Assert(out == value + header->numbers_end);
}

typedef struct TextPacker {
	struct varlena *block; /* plain texts that wait for compression */
	size_t used;
	uint32 *sizes; /* of the blocks written */
	char *out;
	uint64 hash;
} TextPacker;

static struct varlena *
Compress(struct varlena *plain)
{
#ifdef USE_LZ4
	return lz4_compress_datum(plain);
#else
	return pglz_compress_datum(plain);
#endif
}

static void
FlushBlock(TextPacker *packer)
{
	struct varlena *compressed;
	size_t size = packer->used;
	const char *bytes = VARDATA(packer->block);

	CHECK_FOR_INTERRUPTS();
	packer->hash = hash_bytes_extended((const unsigned char *) bytes, size, packer->hash);
	SET_VARSIZE(packer->block, size + VARHDRSZ);
	compressed = Compress(packer->block);
	if (compressed && VARSIZE(compressed) - VARHDRSZ_COMPRESSED < size) {
		size = VARSIZE(compressed) - VARHDRSZ_COMPRESSED;
		bytes = (char *) compressed + VARHDRSZ_COMPRESSED;
	}
	memcpy(packer->out, bytes, size);
	packer->out += size;
	*packer->sizes++ = size;
	packer->used = 0;
	if (compressed)
		pfree(compressed);
}

static void
PackText(TextPacker *packer, const TextView *text)
{
	const char *data = text->data;
	size_t left = text->len;

	while (left > 0) {
		size_t take = Min(left, TEXT_BLOCK - packer->used);

		memcpy(VARDATA(packer->block) + packer->used, data, take);
		packer->used += take;
		data += take;
		left -= take;
		if (packer->used == TEXT_BLOCK)
			FlushBlock(packer);
	}
}

/* Returns the end of what was written. */
static char *
PackTexts(char *value, const TrajectoryHeader *header, const TrajectoryDraft *draft, uint64 *hash)
{
	TextPacker packer = {.hash = *hash};

	packer.sizes = (uint32 *) (value + header->numbers_end);
	packer.out = (char *) (packer.sizes + TextBlocks(header->text_bytes));
	packer.block = palloc(Min(header->text_bytes, TEXT_BLOCK) + VARHDRSZ);
	PackText(&packer, &draft->prompt);
	for (size_t i = 0; i < draft->nsteps; i++) {
		check_interrupts_at(i);
		for (int c = 0; c < TEXT_COLUMNS; c++)
			if (c != KIND_COLUMN)
				PackText(&packer, StepText(&draft->steps[i], c));
	}
	if (packer.used > 0)
		FlushBlock(&packer);
	pfree(packer.block);
	*hash = packer.hash;
	return packer.out;
}

/*
 * In pieces, each with the hash of the one before as its seed. A piece is what
 * can be hashed without a check for a cancel, and holds the numbers of as many
 * turns as there may be: values of release 0.1.0, which hashed them whole,
 * have the same hash.
 */
#define HASH_PIECE ((size_t) 96 * 1024 * 1024)

static uint64
HashNumbers(const char *value, size_t end)
{
	uint64 hash = 0;

	for (size_t at = HASHED_FROM; at < end; at += HASH_PIECE) {
		CHECK_FOR_INTERRUPTS();
		hash = hash_bytes_extended((const unsigned char *) value + at, Min(end - at, HASH_PIECE),
								   hash);
	}
	return hash;
}

Datum
trajectory_from_draft(const TrajectoryDraft *draft, Node *escontext)
{
	TrajectoryHeader header;
	char *value;
	char *end;
	size_t head_end;

	if (!CheckDraft(draft, escontext) || !BuildHeader(draft, &header, escontext))
		return (Datum) 0;
	head_end = header.numbers_end + TextBlocks(header.text_bytes) * sizeof(uint32);
	value = palloc(head_end + header.text_bytes);
	zero_bytes(value, head_end);
	PackColumns(value, &header, draft);
	header.hash = HashNumbers(value, header.numbers_end);
	end = value + head_end;
	if (header.text_bytes > 0) {
#ifdef USE_LZ4
		header.method = METHOD_LZ4;
#else
		header.method = METHOD_PGLZ;
#endif
		end = PackTexts(value, &header, draft, &header.hash);
	}
	header.total = end - value;
	memcpy(value, &header, sizeof(header));
	SET_VARSIZE(value, end - value);
	return PointerGetDatum(value);
}
