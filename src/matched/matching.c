#include "matched/matching.h"

#include <float.h>
#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#define NO_NODE				PG_UINT32_MAX
#define MAX_NODES			50000000
#define FIRST_NODES			1024
#define PAIRS_PER_INTERRUPT 4096
#define CELLS_PER_INTERRUPT 100000

/*
 * The tolerance is rounded up by one unit in the last place, so that 0.3 takes
 * 7 with 10 although the nearest float8 lies below 3/10.
 */
void
matcher_init(Matcher *matcher, double tolerance)
{
	int exponent;

	memset(matcher, 0, sizeof(*matcher));
	if (tolerance == 0.0)
		return;
	matcher->mantissa = (uint64) ldexp(frexp(tolerance, &exponent), DBL_MANT_DIG);
	matcher->shift = DBL_MANT_DIG - exponent;
	if (tolerance < MAX_TOLERANCE)
		matcher->mantissa++;
}

static inline ChainEnd
MakeEnd(double cost, uint64 pairs, uint32 last)
{
	ChainEnd end = {.chain = pairs << 32 | last};

	memcpy(&end.cost, &cost, sizeof(cost));
	return end;
}

static inline double
CostOf(ChainEnd end)
{
	double cost;

	memcpy(&cost, &end.cost, sizeof(cost));
	return cost;
}

static inline uint32
PairsOf(ChainEnd end)
{
	return end.chain >> 32;
}

static inline uint32
LastOf(ChainEnd end)
{
	return (uint32) end.chain;
}

static inline bool
Within(const Matcher *matcher, int64 a, int64 b)
{
	uint64 larger = (uint64) Max(a, b);
	uint64 difference = larger - (uint64) Min(a, b);

	if (matcher->shift >= 128)
		return difference == 0;
	return difference <= (uint128) matcher->mantissa * larger >> matcher->shift;
}

/* ---- memory ---- */

static void *
Reserve(void *array, Size n, Size size)
{
	if (array != NULL)
		pfree(array);
	return MemoryContextAllocHuge(CurrentMemoryContext, mul_size(n, size) + 1);
}

/* Of a length; one of 0 is only paired with 0, at a difference of 0. */
static inline double
Inverse(int64 length)
{
	return 1.0 / (double) Max(length, 1);
}

static void
Prepare(Matcher *matcher)
{
	int32 most = Min(matcher->na, matcher->nb);

	if (matcher->nb + 1 > matcher->row_capacity) {
		matcher->row_capacity = Max(matcher->nb + 1, 2 * matcher->row_capacity);
		matcher->row = Reserve(matcher->row, matcher->row_capacity, sizeof(ChainEnd));
		matcher->inverse = Reserve(matcher->inverse, matcher->row_capacity, sizeof(double));
	}
	if (most > matcher->pairs_capacity) {
		matcher->pairs_capacity = Max(most, 2 * matcher->pairs_capacity);
		matcher->pairs = Reserve(matcher->pairs, matcher->pairs_capacity, sizeof(MatchedPair));
	}
	if (matcher->nodes == NULL) {
		matcher->capacity = FIRST_NODES;
		matcher->nodes = Reserve(NULL, matcher->capacity, sizeof(ChainNode));
	}
	for (int32 j = 0; j < matcher->nb; j++)
		matcher->inverse[j] = Inverse(matcher->b[j]);
}

/* Drops the nodes that no chain of the row holds; a node follows all before it in its chain. */
static void
CompactNodes(Matcher *matcher)
{
	uint32 *places = MemoryContextAllocExtended(CurrentMemoryContext,
												mul_size(matcher->used, sizeof(uint32)) + 1,
												MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	ChainNode *nodes = matcher->nodes;
	uint32 kept = 0;

	for (int32 j = 0; j <= matcher->filled; j++) {
		if (LastOf(matcher->row[j]) != NO_NODE)
			places[LastOf(matcher->row[j])] = 1;
	}
	for (uint32 i = matcher->used; i-- > 0;) {
		if (places[i] != 0 && nodes[i].previous != NO_NODE)
			places[nodes[i].previous] = 1;
	}
	for (uint32 i = 0; i < matcher->used; i++) {
		if (places[i] == 0)
			continue;
		nodes[kept] = nodes[i];
		if (nodes[kept].previous != NO_NODE)
			nodes[kept].previous = places[nodes[kept].previous];
		places[i] = kept++;
	}
	for (int32 j = 0; j <= matcher->filled; j++) {
		ChainEnd *end = &matcher->row[j];

		if (LastOf(*end) != NO_NODE)
			*end = MakeEnd(CostOf(*end), PairsOf(*end), places[LastOf(*end)]);
	}
	matcher->used = kept;
	pfree(places);
}

/* Room for so many nodes more, and one to try. */
static void
ReserveNodes(Matcher *matcher, uint32 more)
{
	if (more < matcher->capacity - matcher->used)
		return;
	CHECK_FOR_INTERRUPTS();
	CompactNodes(matcher);
	if (matcher->used + more + 1 <= matcher->capacity / 2)
		return;
	if (matcher->used + more > MAX_NODES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a task has too many rollouts to match")));
	matcher->capacity = 2 * (matcher->used + more + 1);
	matcher->nodes = repalloc_huge(matcher->nodes, mul_size(matcher->capacity, sizeof(ChainNode)));
}

static void
ReserveGaps(Matcher *matcher, uint32 n)
{
	if (2 * n <= matcher->gaps_capacity)
		return;
	matcher->gaps_capacity = Max(2 * n, 2 * matcher->gaps_capacity);
	matcher->gaps = Reserve(matcher->gaps, matcher->gaps_capacity, sizeof(Gap));
}

/* ---- which of two chains is better ---- */

static inline int
CompareLengths(int64 x, int64 y)
{
	return (x > y) - (x < y);
}

/* Chains of equally many pairs: below 0 when x is better, 0 when their lengths are the same. */
static int
CompareChains(Matcher *matcher, ChainEnd x, ChainEnd y)
{
	uint32 i = LastOf(x), j = LastOf(y), pairs = PairsOf(x), n = 0, steps = 0;
	int order_a = 0, order_b = 0, sign;

	ReserveGaps(matcher, pairs);
	while (i != j) {
		const ChainNode *p = &matcher->nodes[i], *q = &matcher->nodes[j];
		int by_a = CompareLengths(matcher->a[p->a], matcher->a[q->a]);
		int by_b = CompareLengths(matcher->b[p->b], matcher->b[q->b]);

		if (++steps % PAIRS_PER_INTERRUPT == 0)
			CHECK_FOR_INTERRUPTS();
		/* walked from the end, so the earliest difference is met last */
		order_a = by_a != 0 ? by_a : order_a;
		order_b = by_b != 0 ? by_b : order_b;
		if (by_a != 0 || by_b != 0) {
			matcher->gaps[n] = gap_of(matcher->a[p->a], matcher->b[p->b]);
			matcher->gaps[n++ + pairs] = gap_of(matcher->a[q->a], matcher->b[q->b]);
		}
		i = p->previous;
		j = q->previous;
	}
	if (n == 0)
		return 0;
	sign = gap_sums_compare(matcher->gaps, matcher->gaps + pairs, n);
	if (sign != 0)
		return sign;
	return order_a != 0 ? order_a : order_b;
}

/*
 * The better of two, of which y has at least as many pairs; y when nothing
 * tells them apart. A cost of n pairs is off by less than (n + 10) units of
 * 2^-53, relatively: the lengths, an inverse, a product, its square, and n
 * additions of numbers that are not negative. So costs that are truly equal
 * differ by at most 2 (n + 10) in their bits.
 */
static inline ChainEnd
Better(Matcher *matcher, uint64 doubt, ChainEnd x, ChainEnd y)
{
	uint64 alike = x.chain >> 32 == y.chain >> 32;
	uint64 take;

	if (unlikely(alike & (x.cost - y.cost + doubt <= 2 * doubt) & (x.chain != y.chain)))
		return CompareChains(matcher, x, y) <= 0 ? x : y;
	take = 0 - (alike & (x.cost < y.cost));
	return (ChainEnd){y.cost ^ ((x.cost ^ y.cost) & take), y.chain ^ ((x.chain ^ y.chain) & take)};
}

/* ---- dynamic programming ---- */

/*
 * a[i] against b[low..high-1], those within its tolerance. row[j] holds the best
 * of a[0..i-1] and b[0..j-1] before, of a[0..i] and b[0..j-1] after. The pair
 * of a[i] and b[j] after the best of what precedes both has at least as many
 * pairs as leaving either out.
 */
static void
AddLength(Matcher *matcher, int32 i, int32 low, int32 high)
{
	/* copies, which writing the row cannot change */
	const int64 *b = matcher->b;
	const double *inverses = matcher->inverse;
	uint64 doubt = matcher->doubt;
	ChainNode *nodes = matcher->nodes;
	uint32 used = matcher->used;
	ChainEnd *row = matcher->row;
	ChainEnd before = row[low], last = row[low];
	int64 a = matcher->a[i];
	double inverse = Inverse(a);

	for (int32 j = low; j < high; j++) {
		int64 longer = b[j] - a;
		double gap = (double) longer * (longer > 0 ? inverses[j] : inverse);
		ChainEnd best = MakeEnd(CostOf(before) + gap * gap, PairsOf(before) + 1, used);

		nodes[used] = (ChainNode){LastOf(before), i, j};
		before = row[j + 1];
		best = Better(matcher, doubt, before, best);
		last = Better(matcher, doubt, last, best);
		used += LastOf(last) == used;
		row[j + 1] = last;
	}
	matcher->used = used;
}

static void
TakePairs(Matcher *matcher)
{
	ChainEnd end = matcher->row[matcher->filled];
	int32 place = matcher->npairs = PairsOf(end);

	for (uint32 i = LastOf(end); i != NO_NODE; i = matcher->nodes[i].previous)
		matcher->pairs[--place] = (MatchedPair){matcher->nodes[i].a, matcher->nodes[i].b};
}

void
matcher_run(Matcher *matcher, const int64 *a, int32 na, const int64 *b, int32 nb)
{
	int32 low = 0, high = 0;
	int64 cells = 0;

	matcher->a = a;
	matcher->b = b;
	matcher->na = na;
	matcher->nb = nb;
	matcher->used = 0;
	matcher->filled = 0;
	Prepare(matcher);
	matcher->doubt = 2 * ((uint64) Min(na, nb) + 16);
	matcher->row[0] = MakeEnd(0.0, 0, NO_NODE);
	for (int32 i = 0; i < na; i++) {
		while (low < nb && b[low] < a[i] && !Within(matcher, a[i], b[low]))
			low++;
		high = Max(high, low);
		while (high < nb && (b[high] <= a[i] || Within(matcher, a[i], b[high])))
			high++;
		if (low == high)
			continue;
		ReserveNodes(matcher, high - low);
		/* no length before reaches these */
		for (; matcher->filled < high; matcher->filled++)
			matcher->row[matcher->filled + 1] = matcher->row[matcher->filled];
		AddLength(matcher, i, low, high);
		if ((cells += high - low) >= CELLS_PER_INTERRUPT) {
			CHECK_FOR_INTERRUPTS();
			cells = 0;
		}
	}
	TakePairs(matcher);
}
