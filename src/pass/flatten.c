/*
 * Between the growing and the flat form of a pass_summary.
 */
#include "pass/growing.h"

#include "core/interrupts.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

/*
 * What encoding a task needs: each cell's place in canonical order, and
 * scratch that brings the task's entries into that order.
 */
typedef struct EncodeShared {
	uint32 ncells;
	uint32 *rank;
	uint64 *counts;	 /* by rank */
	uint64 *present; /* a bit per rank, all 0 between tasks */
	uint32 *ranks;	 /* of the task's entries */
} EncodeShared;

#define ST_SORT			 sort_ranks
#define ST_ELEMENT_TYPE	 uint32
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

typedef const PassCell *CellPointer;

#define ST_SORT			 sort_cells
#define ST_ELEMENT_TYPE	 CellPointer
#define ST_COMPARE(a, b) pass_cell_compare(*(a), *(b))
#define ST_SCOPE		 static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

static EncodeShared *
CreateEncodeShared(uint32 ncells)
{
	EncodeShared *shared = palloc(sizeof(EncodeShared));
	MemoryContext cx = CurrentMemoryContext;

	shared->ncells = ncells;
	shared->rank = MemoryContextAllocHuge(cx, ncells * sizeof(uint32) + 1);
	shared->counts = MemoryContextAllocHuge(cx, ncells * sizeof(uint64) + 1);
	shared->ranks = MemoryContextAllocHuge(cx, ncells * sizeof(uint32) + 1);
	shared->present = MemoryContextAllocExtended(cx, (ncells / 64 + 1) * sizeof(uint64),
												 MCXT_ALLOC_ZERO | MCXT_ALLOC_HUGE);
	return shared;
}

static void *
EncodeCells(SummaryState *base, StringInfo out)
{
	PassState *state = (PassState *) base;
	EncodeShared *shared = CreateEncodeShared(state->cells.count);
	CellPointer *sorted;

	sorted =
		MemoryContextAllocHuge(CurrentMemoryContext, state->cells.count * sizeof(CellPointer) + 1);
	for (uint32 i = 0; i < state->cells.count; i++)
		sorted[i] = &state->cells.cells[i];
	sort_cells(sorted, state->cells.count);

	append_varint(out, state->cells.count);
	for (uint32 i = 0; i < state->cells.count; i++) {
		check_interrupts_at(i);
		shared->rank[sorted[i] - state->cells.cells] = i;
		appendStringInfoChar(out, sorted[i]->outcome << 4 | sorted[i]->limit_kind);
		append_varint(out, sorted[i]->limit);
		append_varint(out, (uint64) sorted[i]->turn + 1);
	}
	pfree(sorted);
	return shared;
}

static inline void
GatherEntries(EncodeShared *shared, const Multiset *task, uint8 id_width, uint8 count_width)
{
	const uint8 *ids = multiset_ids(task);
	const uint8 *entry_counts = multiset_counts(task);
	const uint32 *rank = shared->rank;
	uint64 *counts = shared->counts;
	uint32 *ranks = shared->ranks;
	uint32 used = task->used;

	for (uint32 i = 0; i < used; i++) {
		check_interrupts_at(i);
		ranks[i] = rank[multiset_number(ids + (Size) i * id_width, id_width)];
		counts[ranks[i]] = multiset_number(entry_counts + (Size) i * count_width, count_width);
	}
}

/* An entry: distance from the previous cell less one, then the count. */
static inline uint8 *
PutEntry(uint8 *to, uint32 *next, uint32 rank, uint64 count)
{
	to = put_varint(to, rank - *next);
	*next = rank + 1;
	return put_varint(to, count);
}

/* Sets a bit per rank. Where one word has room for all, a register saves a tenth of a rollup. */
static inline void
MarkRanks(uint64 *present, uint32 words, const uint32 *ranks, uint32 used)
{
	uint64 only = 0;

	if (words > 1) {
		for (uint32 i = 0; i < used; i++) {
			check_interrupts_at(i);
			present[ranks[i] / 64] |= UINT64CONST(1) << (ranks[i] % 64);
		}
		return;
	}
	for (uint32 i = 0; i < used; i++)
		only |= UINT64CONST(1) << ranks[i];
	present[0] = only;
}

/* Writes the gathered entries in canonical order: by a bitmap, unless that is sparse. */
static uint8 *
PutEntries(uint8 *to, EncodeShared *shared, uint32 used)
{
	const uint64 *counts = shared->counts;
	const uint32 *ranks = shared->ranks;
	uint64 *present = shared->present;
	uint32 words = shared->ncells / 64 + 1;
	uint32 next = 0;

	if (words > used) {
		sort_ranks(shared->ranks, used);
		for (uint32 i = 0; i < used; i++) {
			check_interrupts_at(i);
			to = PutEntry(to, &next, ranks[i], counts[ranks[i]]);
		}
		return to;
	}
	MarkRanks(present, words, ranks, used);
	for (uint32 word = 0; word < words; word++) {
		check_interrupts_at(word);
		for (uint64 bits = present[word]; bits != 0; bits &= bits - 1) {
			uint32 rank = word * 64 + pg_rightmost_one_pos64(bits);

			to = PutEntry(to, &next, rank, counts[rank]);
		}
		present[word] = 0;
	}
	return to;
}

static void
EncodeTask(SummaryState *base, uint32 ordinal, void *scratch, StringInfo out)
{
	PassState *state = (PassState *) base;
	Multiset *task = &state->tasks[ordinal];
	EncodeShared *shared = scratch;
	uint8 *to;

	multiset_fold(task, &state->pool);
	if (task->id_width == 1 && task->count_width == 1)
		GatherEntries(shared, task, 1, 1);
	else
		GatherEntries(shared, task, task->id_width, task->count_width);

	append_varint(out, task->used);
	enlargeStringInfo(out, task->used * 2 * MAX_VARINT_BYTES);
	to = (uint8 *) out->data + out->len;
	out->len = PutEntries(to, shared, task->used) - (uint8 *) out->data;
}

/* What merging needs: this state's id of each of the other's cells, and scratch. */
typedef struct MergeShared {
	PassCell *cells;
	uint32 ncells;
	uint32 *local; /* NO_CELL until a task has it */
	uint32 *ids;
	uint64 *counts;
} MergeShared;

#define NO_CELL PG_UINT32_MAX

static void *
MergeCells(SummaryState *base, ByteReader *reader)
{
	MergeShared *shared = palloc0(sizeof(MergeShared));
	MemoryContext cx = CurrentMemoryContext;

	pass_settle(base);
	shared->cells = pass_read_cells(reader, &shared->ncells);
	shared->local = MemoryContextAllocHuge(cx, shared->ncells * sizeof(uint32) + 1);
	shared->ids = MemoryContextAllocHuge(cx, shared->ncells * sizeof(uint32) + 1);
	shared->counts = MemoryContextAllocHuge(cx, shared->ncells * sizeof(uint64) + 1);
	for (uint32 i = 0; i < shared->ncells; i++) {
		check_interrupts_at(i);
		shared->local[i] = NO_CELL;
	}
	return shared;
}

static inline uint32
LocalCell(PassState *state, MergeShared *shared, uint32 id)
{
	if (shared->local[id] == NO_CELL)
		shared->local[id] = pass_find_cell(state, &shared->cells[id]);
	return shared->local[id];
}

static void
MergeTask(SummaryState *base, uint32 ordinal, bool is_new, void *scratch, ByteReader *reader)
{
	PassState *state = (PassState *) base;
	MergeShared *shared = scratch;
	Multiset *task = pass_task_at(state, ordinal, is_new);
	uint32 n = pass_read_entries(reader, shared->ncells, shared->ids, shared->counts);

	for (uint32 i = 0; i < n; i++) {
		check_interrupts_at(i);
		pass_count_rollouts(state, shared->counts[i]);
		shared->ids[i] = LocalCell(state, shared, shared->ids[i]);
	}
	multiset_merge(task, &state->pool, shared->ids, shared->counts, n);
}

const SummaryMethods pass_methods = {
	.type_name = "pass_summary",
	.tag = 'P',
	.version = 2,
	.state_size = sizeof(PassState),
	.settle = pass_settle,
	.encode_shared = EncodeCells,
	.encode_key = EncodeTask,
	.merge_shared = MergeCells,
	.merge_key = MergeTask,
};
