/*
 * One-to-one matching of two sorted lists of lengths.
 *
 * a and b may be paired when |a - b| <= tolerance * max(a, b), tolerance at most
 * 1/2. Chosen is the matching with the most pairs; of these the one with the
 * smallest sum of squared gaps ((a - b) / max(a, b))^2, compared exactly; of
 * these the one whose ascending vectors of lengths, first a's, then b's, come
 * first.
 *
 * In the logarithms of the lengths a squared gap is (1 - exp(-d))^2, d their
 * distance. It is strictly convex up to d = log 2, a gap of 1/2: two pairs that
 * cross (a < a', b < b', a with b' and a' with b) are then dearer than the same
 * four uncrossed, which are within the tolerance, too. So the best matching
 * pairs in ascending order, and dynamic programming over the two lists finds
 * it. Above 1/2 that fails (100 and 101 against 250 and 255).
 */
#ifndef AGENTRL_MATCHING_H
#define AGENTRL_MATCHING_H

#include "postgres.h"

#include "matched/gap_sums.h"

#define MAX_TOLERANCE 0.5
/* Lengths in one list. */
#define MAX_LENGTHS 1000000

typedef struct MatchedPair {
	int32 a, b; /* places in the two lists */
} MatchedPair;

/* A pair as the end of a chain of pairs. */
typedef struct ChainNode {
	uint32 previous;
	int32 a, b;
} ChainNode;

/*
 * The best matching of two beginnings of the lists, as two words that are
 * compared and chosen without a branch.
 */
typedef struct ChainEnd {
	uint64 cost;  /* bits of the rounded sum of squared gaps, a double; they sort as it does */
	uint64 chain; /* number of pairs, above the last node */
} ChainEnd;

typedef struct Matcher {
	uint64 mantissa; /* the tolerance is mantissa / 2^shift */
	int shift;
	const int64 *a, *b;
	int32 na, nb;
	double *inverse; /* 1 / b */
	ChainEnd *row;	 /* by the length of the beginning of b */
	int32 row_capacity;
	uint64 doubt; /* costs no farther apart, in bits, are compared exactly */
	int32 filled; /* from this place on the row repeats its value */
	ChainNode *nodes;
	uint32 used, capacity;
	Gap *gaps; /* two halves: those in which two chains differ */
	uint32 gaps_capacity;
	MatchedPair *pairs; /* the result, ascending */
	int32 pairs_capacity;
	int32 npairs;
} Matcher;

/* 0 <= tolerance <= MAX_TOLERANCE. Scratch lies in the current memory context. */
extern void matcher_init(Matcher *matcher, double tolerance);

/* Both lists ascending, not negative, at most MAX_LENGTHS long. Cancellable. */
extern void matcher_run(Matcher *matcher, const int64 *a, int32 na, const int64 *b, int32 nb);

#endif
