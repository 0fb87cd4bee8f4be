/*
 * Reading a flat pass_summary task by task.
 */
#include "pass/pass.h"

#include "core/interrupts.h"
#include "utils/memutils.h"

Datum
pass_empty_summary(void)
{
	uint8 content[] = {pass_methods.tag, pass_methods.version, KEYS_BIGINT, 0, 0};
	struct varlena *flat = palloc(VARHDRSZ + sizeof(content));

	SET_VARSIZE(flat, VARHDRSZ + sizeof(content));
	memcpy(VARDATA(flat), content, sizeof(content));
	return PointerGetDatum(flat);
}

Datum
pass_summary_argument(FunctionCallInfo fcinfo, int i)
{
	if (PG_ARGISNULL(i))
		return pass_empty_summary();
	return PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(i)));
}

static bool
ReadCell(ByteReader *reader, PassCell *cell)
{
	uint8 kinds = read_byte(reader);
	uint64 limit = read_varint(reader);
	uint64 turn = read_varint(reader); /* plus one; 0: unknown */

	cell->outcome = kinds >> 4;
	cell->limit_kind = kinds & 0xf;
	if (cell->outcome > OUTCOME_UNSCORED || cell->limit_kind > LIMIT_CUT) {
		reader_fail(reader, "an outcome is not known");
		return false;
	}
	if (limit > PG_INT64_MAX || turn > (uint64) PG_INT64_MAX + 1) {
		reader_fail(reader, "a turn or a budget is out of range");
		return false;
	}
	cell->limit = (int64) limit;
	cell->turn = (int64) turn - 1;
	if ((cell->limit_kind == LIMIT_NONE && limit != 0) ||
		(cell->limit_kind == LIMIT_BUDGET && limit == 0)) {
		reader_fail(reader, "a budget is out of range");
		return false;
	}
	if (cell->outcome == OUTCOME_SOLVED && cell->turn == 0) {
		reader_fail(reader, "a success without turns");
		return false;
	}
	return reader->error == NULL;
}

PassCell *
pass_read_cells(ByteReader *reader, uint32 *ncells)
{
	uint64 n = read_varint(reader);
	PassCell *cells;

	*ncells = 0;
	if (n > reader_left(reader))
		reader_fail(reader, "it announces more cells than it holds");
	if (reader->error != NULL)
		return NULL;
	cells = MemoryContextAllocHuge(CurrentMemoryContext, n * sizeof(PassCell) + 1);
	for (uint64 i = 0; i < n; i++) {
		check_interrupts_at(i);
		if (!ReadCell(reader, &cells[i]))
			return NULL;
		if (i > 0 && pass_cell_compare(&cells[i - 1], &cells[i]) >= 0) {
			reader_fail(reader, "its cells are not in ascending order");
			return NULL;
		}
	}
	*ncells = n;
	return cells;
}

/* An entry at `at`, most often of two bytes; gives where the next one is. */
static inline const uint8 *
ReadEntry(ByteReader *reader, const uint8 *at, uint64 *skipped, uint64 *count)
{
	if (likely(reader->end - at >= 2 && ((at[0] | at[1]) & 0x80) == 0)) {
		*skipped = at[0];
		*count = at[1];
		return at + 2;
	}
	reader->at = at;
	*skipped = read_varint(reader);
	*count = read_varint(reader);
	return reader->at;
}

uint32
pass_read_entries(ByteReader *reader, uint32 ncells, uint32 *ids, uint64 *counts)
{
	uint64 n = read_varint(reader);
	const uint8 *at = reader->at;
	uint64 next = 0;

	if (n == 0 || n > ncells) {
		reader_fail(reader, "a task has no rollouts, or more cells than there are");
		return 0;
	}
	for (uint64 i = 0; i < n; i++) {
		uint64 skipped, count;

		check_interrupts_at(i);
		at = ReadEntry(reader, at, &skipped, &count);
		if (unlikely(skipped >= ncells - next || count == 0 || count > MAX_ROLLOUTS)) {
			reader_fail(reader, "a cell or a count is out of range");
			return 0;
		}
		next += skipped;
		ids[i] = next++;
		counts[i] = count;
	}
	reader->at = at;
	return reader->error == NULL ? n : 0;
}

/* Opens a pass_summary; raises an error when it is damaged. */
void
pass_open(PassReader *reader, Datum summary)
{
	memset(reader, 0, sizeof(*reader));
	summary_open(&reader->summary, &pass_methods, summary);
	reader->cells = pass_read_cells(&reader->summary.bytes, &reader->ncells);
	summary_open_keys(&reader->summary);
	summary_check(&reader->summary);
	reader->ids = MemoryContextAllocHuge(CurrentMemoryContext, reader->ncells * sizeof(uint32) + 1);
	reader->counts =
		MemoryContextAllocHuge(CurrentMemoryContext, reader->ncells * sizeof(uint64) + 1);
}

/* Reads the next task: its key and its entries. False after the last. */
bool
pass_next_task(PassReader *reader)
{
	bool more = summary_next_key(&reader->summary);

	if (more)
		reader->nentries =
			pass_read_entries(&reader->summary.bytes, reader->ncells, reader->ids, reader->counts);
	if (unlikely(reader->summary.bytes.error != NULL))
		summary_check(&reader->summary);
	return more;
}

void
pass_close(PassReader *reader)
{
	pfree(reader->cells);
	pfree(reader->ids);
	pfree(reader->counts);
}
