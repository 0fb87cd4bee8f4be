/*
 * From a stored trajectory back to scalars and drafts. The bytes are not
 * trusted: each length is bounded before it is used.
 */
#include "postgres.h"
#include "access/detoast.h"
#include "access/toast_compression.h"
#include "access/toast_internals.h"
#include "utils/memutils.h"

#include <math.h>

#include "core/interrupts.h"
#include "trajectory/fields.h"
#include "trajectory/layout.h"

/* A slice that one TOAST chunk holds: the header and, as a rule, all numbers. */
#define NUMBERS_SLICE 1996

static void
Corrupt(const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("stored trajectory is corrupt"),
					errdetail("Its %s cannot be right.", what)));
}

size_t
trajectory_numbers_end(const TrajectoryHeader *header)
{
	size_t nsteps = header->nsteps;
	size_t end = sizeof(*header);

	if (header->stop_len != TEXT_ABSENT)
		end += Pad8(header->stop_len);
	if (header->columns & COLUMN_ERROR)
		end += FlagBytes(nsteps);
	for (int c = 0; c < NUMBER_COLUMNS; c++) {
		if (header->columns & (1 << c))
			end += nsteps * 8;
		if (header->partial & (1 << c))
			end += BitmapBytes(nsteps);
	}
	for (int c = 0; c < TEXT_COLUMNS; c++)
		if (header->columns & COLUMN_TEXT(c))
			end += Pad8(nsteps * 4);
	return end + Pad8(header->kind_bytes);
}

static void
CheckHeader(const TrajectoryHeader *header)
{
	if (header->version != TRAJECTORY_VERSION)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("unknown version %d of a stored trajectory", header->version),
						errhint("It may come from a newer release of the extension.")));
	if (header->flags != 0 || header->unused != 0 || header->unused2 != 0)
		Corrupt("flags");
	if (header->method > METHOD_LZ4 || header->columns & ~COLUMN_ALL ||
		header->partial & ~(header->columns & NUMBER_COLUMNS_MASK))
		Corrupt("columns");
	if (header->has & ~HEADER_HAS_ALL || header->success > TRUTH_TRUE ||
		header->status >= STATUS_COUNT || !isfinite(header->reward))
		Corrupt("outcome");
	if (header->nsteps > TRAJECTORY_MAX_STEPS ||
		(header->nsteps > 0 && !(header->has & ROLLOUT_STEPS)))
		Corrupt("number of turns");
	if (header->error_turns > header->nsteps ||
		header->error_unknown > header->nsteps - header->error_turns ||
		header->first_error > header->nsteps ||
		(header->error_turns > 0) != (header->first_error > 0))
		Corrupt("error turns");
	if (header->has & ROLLOUT_BUDGET && header->budget < 1)
		Corrupt("budget");
	if (header->numbers_end > header->total ||
		header->numbers_end != trajectory_numbers_end(header))
		Corrupt("size");
}

/*
 * The first bytes of a value with a 4-byte header at an aligned address. A
 * value with a short header, compressed or out of line is copied.
 */
static struct varlena *
Slice(Datum value, size_t bytes)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_4B_U(stored) && (uintptr_t) stored % MAXIMUM_ALIGNOF == 0)
		return stored;
	return PG_DETOAST_DATUM_SLICE(value, 0, bytes - VARHDRSZ);
}

const TrajectoryHeader *
trajectory_header(Datum value, size_t bytes)
{
	struct varlena *slice = Slice(value, Max(bytes, sizeof(TrajectoryHeader)));
	const TrajectoryHeader *header = (TrajectoryHeader *) slice;

	if (VARSIZE(slice) < sizeof(TrajectoryHeader))
		Corrupt("size");
	CheckHeader(header);
	if (VARSIZE(slice) > header->total || VARSIZE(slice) < Min(bytes, header->total))
		Corrupt("size");
	return header;
}

int64
trajectory_solved_turn(const TrajectoryHeader *header)
{
	if (header->success != TRUTH_TRUE)
		return 0;
	return header->has & ROLLOUT_SOLVED_AT ? header->solved_at : header->nsteps;
}

static void
ReadHead(const TrajectoryHeader *header, TrajectoryHead *head)
{
	head->turns = header->nsteps;
	head->budget = header->budget;
	head->solved_at = trajectory_solved_turn(header);
	head->reward = header->reward;
	head->has = header->has & ROLLOUT_HAS_MASK;
	head->success = header->success;
	head->status = header->status;
}

void
trajectory_read_head(Datum value, TrajectoryHead *head)
{
	const TrajectoryHeader *header = trajectory_header(value, sizeof(TrajectoryHeader));

	ReadHead(header, head);
	trajectory_free_header(header, value);
}

/* The header, in place of one with perhaps fewer bytes, with all that stands before the texts. */
static const TrajectoryHeader *
WithNumbers(Datum value, const TrajectoryHeader *header)
{
	uint32 needed = header->numbers_end;

	if (VARSIZE(header) >= needed)
		return header;
	trajectory_free_header(header, value);
	header = trajectory_header(value, needed);
	if (header->numbers_end != needed)
		Corrupt("size");
	return header;
}

/* Where flags and kinds lie; the header is followed by all up to numbers_end. */
static void
FindErrors(const TrajectoryHeader *header, TrajectoryErrors *errors)
{
	const char *in = (const char *) header + sizeof(*header);
	size_t lengths_bytes = Pad8(header->nsteps * (size_t) 4);
	const char *end = (const char *) header + header->numbers_end;

	if (!(header->columns & COLUMN_ERROR))
		Corrupt("error flags");
	if (header->stop_len != TEXT_ABSENT)
		in += Pad8(header->stop_len);
	errors->flags = (const uint8 *) in;
	errors->kinds = end - Pad8(header->kind_bytes);
	errors->kinds_end = errors->kinds + header->kind_bytes;
	if (!(header->columns & COLUMN_TEXT(KIND_COLUMN)))
		return;
	in = errors->kinds;
	for (int c = KIND_COLUMN; c < TEXT_COLUMNS; c++)
		if (header->columns & COLUMN_TEXT(c))
			in -= lengths_bytes;
	errors->kind_lengths = (const uint32 *) in;
}

void
trajectory_read_errors(Datum value, TrajectoryErrors *errors)
{
	const TrajectoryHeader *header = trajectory_header(value, NUMBERS_SLICE);

	memset(errors, 0, sizeof(*errors));
	if (header->error_turns > 0)
		header = WithNumbers(value, header);
	ReadHead(header, &errors->head);
	errors->error_turns = header->error_turns;
	errors->error_unknown = header->error_unknown;
	errors->first_error = header->first_error;
	if ((void *) header != DatumGetPointer(value))
		errors->copy = (void *) header;
	if (errors->error_turns > 0)
		FindErrors(header, errors);
}

bool
trajectory_next_turn(TrajectoryErrors *errors)
{
	int64 i = errors->turn;
	uint32 len;

	if (errors->flags == NULL)
		return false;
	if (i == errors->head.turns) {
		if (errors->met != errors->error_turns)
			Corrupt("error turns");
		return false;
	}
	errors->turn++;
	errors->error = errors->flags[i / 4] >> (i % 4 * 2) & 3;
	if (errors->error > TRUTH_TRUE)
		Corrupt("error flags");
	if (errors->error == TRUTH_TRUE && errors->met++ == 0 && errors->turn != errors->first_error)
		Corrupt("error turns");
	errors->kind = (TextView){NULL, 0};
	if (errors->kind_lengths == NULL || errors->kind_lengths[i] == TEXT_ABSENT)
		return true;
	len = errors->kind_lengths[i];
	if (len > errors->kinds_end - errors->kinds)
		Corrupt("text lengths");
	errors->kind = (TextView){errors->kinds, len};
	errors->kinds += len;
	return true;
}

void
trajectory_free_errors(TrajectoryErrors *errors)
{
	if (errors->copy != NULL)
		pfree(errors->copy);
	errors->copy = NULL;
	errors->flags = NULL;
}

static const char *
UnpackFlags(const char *in, TrajectoryDraft *draft)
{
	for (size_t i = 0; i < draft->nsteps; i++) {
		uint8 error = in[i / 4] >> (i % 4 * 2) & 3;

		check_interrupts_at(i);
		if (error > TRUTH_TRUE)
			Corrupt("error flags");
		draft->steps[i].error = error;
	}
	return in + FlagBytes(draft->nsteps);
}

static const char *
UnpackNumbers(const char *in, TrajectoryDraft *draft, int column, bool partial)
{
	bool is_int = (1 << column) & INT_COLUMNS;
	const char *present = partial ? in : NULL;

	if (partial)
		in += BitmapBytes(draft->nsteps);
	for (size_t i = 0; i < draft->nsteps; i++) {
		StepDraft *step = &draft->steps[i];

		check_interrupts_at(i);
		if (present && !(present[i / 8] >> (i % 8) & 1))
			continue;
		memcpy(StepNumber(step, column), in + i * 8, 8);
		if (!is_int && !isfinite(*(double *) StepNumber(step, column)))
			Corrupt("numbers");
		step->has |= 1 << column;
	}
	return in + draft->nsteps * 8;
}

StepDraft *
alloc_steps(size_t nsteps)
{
	size_t bytes = Max(nsteps, 1) * sizeof(StepDraft);
	char *steps = palloc(bytes);

	zero_bytes(steps, bytes);
	return (StepDraft *) steps;
}

/* Rollout fields and the numbers of each turn; returns where the text lengths are. */
static const char *
UnpackNumberColumns(const TrajectoryHeader *header, TrajectoryDraft *draft)
{
	const char *in = (const char *) header + sizeof(*header);

	memset(draft, 0, sizeof(*draft));
	draft->has = header->has & ROLLOUT_HAS_MASK;
	draft->success = header->success;
	draft->status = header->status;
	draft->reward = header->reward;
	draft->budget = header->budget;
	draft->solved_at = header->solved_at;
	draft->nsteps = header->nsteps;
	draft->steps = alloc_steps(header->nsteps);
	if (header->stop_len != TEXT_ABSENT) {
		draft->stop_reason = (TextView){in, header->stop_len};
		in += Pad8(header->stop_len);
	}
	if (header->columns & COLUMN_ERROR)
		in = UnpackFlags(in, draft);
	for (int c = 0; c < NUMBER_COLUMNS; c++)
		if (header->columns & (1 << c))
			in = UnpackNumbers(in, draft, c, header->partial & (1 << c));
	return in;
}

static void
PlaceText(TextView *text, char *base, size_t bytes, size_t *used, uint32 len)
{
	if (len == TEXT_ABSENT)
		return;
	if (len > bytes - *used)
		Corrupt("text lengths");
	*text = (TextView){base + *used, len};
	*used += len;
}

static void
PlaceTexts(const TrajectoryHeader *header, TrajectoryDraft *draft, const char *in, char *texts)
{
	const uint32 *lengths[TEXT_COLUMNS] = {NULL};
	size_t used = 0;
	size_t kinds_used = 0;
	char *kinds;

	for (int c = 0; c < TEXT_COLUMNS; c++)
		if (header->columns & COLUMN_TEXT(c)) {
			lengths[c] = (const uint32 *) in;
			in += Pad8(header->nsteps * (size_t) 4);
		}
	kinds = (char *) in;
	PlaceText(&draft->prompt, texts, header->text_bytes, &used, header->prompt_len);
	for (size_t i = 0; i < header->nsteps; i++) {
		check_interrupts_at(i);
		for (int c = 0; c < TEXT_COLUMNS; c++) {
			TextView *text = StepText(&draft->steps[i], c);

			if (lengths[c] && c == KIND_COLUMN)
				PlaceText(text, kinds, header->kind_bytes, &kinds_used, lengths[c][i]);
			else if (lengths[c])
				PlaceText(text, texts, header->text_bytes, &used, lengths[c][i]);
		}
	}
	if (used != header->text_bytes || kinds_used != header->kind_bytes)
		Corrupt("text lengths");
}

/* The first bytes, as many as are wanted, of a block of `plain` bytes. */
static void
Decompress(char *out, size_t wanted, size_t plain, const char *in, size_t stored, TextMethod method)
{
	struct varlena *wrapped;
	struct varlena *result;

	if (stored == plain) {
		memcpy(out, in, wanted);
		return;
	}
	wrapped = palloc(stored + VARHDRSZ_COMPRESSED);
	SET_VARSIZE_COMPRESSED(wrapped, stored + VARHDRSZ_COMPRESSED);
	TOAST_COMPRESS_SET_SIZE_AND_COMPRESS_METHOD(wrapped, (uint32) plain,
												method == METHOD_LZ4 ? TOAST_LZ4_COMPRESSION_ID
																	 : TOAST_PGLZ_COMPRESSION_ID);
	memcpy((char *) wrapped + VARHDRSZ_COMPRESSED, in, stored);
	if (wanted == plain)
		result =
			method == METHOD_LZ4 ? lz4_decompress_datum(wrapped) : pglz_decompress_datum(wrapped);
	else
		result = method == METHOD_LZ4 ? lz4_decompress_datum_slice(wrapped, wanted)
									  : pglz_decompress_datum_slice(wrapped, wanted);
	if (VARSIZE(result) - VARHDRSZ < wanted)
		Corrupt("texts");
	memcpy(out, VARDATA(result), wanted);
	pfree(result);
	pfree(wrapped);
}

/* The first bytes of the texts, as many as are wanted. */
static char *
UnpackTexts(const TrajectoryHeader *header, size_t wanted)
{
	const uint32 *sizes = (const uint32 *) ((const char *) header + header->numbers_end);
	uint32 blocks = TextBlocks(header->text_bytes);
	size_t at = header->numbers_end + blocks * sizeof(uint32);
	size_t done = 0;
	char *texts;

	if (at > header->total || (blocks > 0 && header->method == METHOD_PLAIN))
		Corrupt("size");
	/* a compressed byte stands for at most 255 plain ones */
	if (header->text_bytes >= MaxAllocSize || header->text_bytes / 300 > header->total)
		Corrupt("size");
	if (wanted > header->text_bytes)
		Corrupt("text lengths");
	texts = palloc(wanted + 1);
	for (uint32 i = 0; done < wanted; i++) {
		size_t plain = Min(header->text_bytes - done, TEXT_BLOCK);
		size_t part = Min(wanted - done, plain);

		CHECK_FOR_INTERRUPTS();
		if (sizes[i] == 0 || sizes[i] > plain || sizes[i] > header->total - at)
			Corrupt("texts");
		Decompress(texts + done, part, plain, (const char *) header + at, sizes[i], header->method);
		done += part;
		at += sizes[i];
	}
	if (wanted == header->text_bytes && at != header->total)
		Corrupt("size");
	return texts;
}

/* The header with the whole value. */
static const TrajectoryHeader *
Whole(Datum value)
{
	const TrajectoryHeader *header = trajectory_header(value, MaxAllocSize);

	if (VARSIZE(header) != header->total)
		Corrupt("size");
	return header;
}

void
trajectory_unpack(Datum value, TrajectoryDraft *draft)
{
	const TrajectoryHeader *header = Whole(value);
	const char *lengths = UnpackNumberColumns(header, draft);

	PlaceTexts(header, draft, lengths, UnpackTexts(header, header->text_bytes));
}

void
trajectory_unpack_numbers(Datum value, TrajectoryDraft *draft)
{
	const TrajectoryHeader *header = trajectory_header(value, NUMBERS_SLICE);
	uint32 prompt_len = header->prompt_len;

	header = prompt_len == TEXT_ABSENT ? WithNumbers(value, header) : Whole(value);
	UnpackNumberColumns(header, draft);
	if (prompt_len != TEXT_ABSENT)
		draft->prompt = (TextView){UnpackTexts(header, prompt_len), prompt_len};
}
