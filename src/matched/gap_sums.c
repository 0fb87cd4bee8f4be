#include "matched/gap_sums.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"

/*
 * Sums are compared as fixed-point numbers of `limbs` words of 64 bits after
 * the point, each term rounded down. Twice as many words are taken until the
 * difference exceeds the rounding, or is known to be 0: what is not 0 is at
 * least one over the product of the squared denominators.
 */
#define FIRST_LIMBS 3

/* A gap in lowest terms, and how often it stands in the first sum less in the second. */
typedef struct Term {
	uint64 p, q;
	int64 times;
} Term;

static uint64
CommonDivisor(uint64 a, uint64 b)
{
	while (b != 0) {
		uint64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static Term
TermOf(Gap gap, int64 times)
{
	uint64 divisor = CommonDivisor(gap.larger, gap.difference);

	return (Term){gap.difference / divisor, gap.larger / divisor, times};
}

static int
CompareTerms(const void *a, const void *b)
{
	const Term *x = a, *y = b;

	if (x->q != y->q)
		return x->q < y->q ? -1 : 1;
	return (x->p > y->p) - (x->p < y->p);
}

/* Adds up equal terms and drops what cancels; returns how many are left. */
static uint32
CancelTerms(Term *terms, uint32 n)
{
	uint32 left = 0;

	qsort(terms, n, sizeof(Term), CompareTerms);
	for (uint32 i = 0; i < n;) {
		Term sum = terms[i++];

		while (i < n && CompareTerms(&sum, &terms[i]) == 0)
			sum.times += terms[i++].times;
		if (sum.times != 0 && sum.p != 0)
			terms[left++] = sum;
	}
	return left;
}

/* Words that tell a difference of the sums from 0, were it as small as it can be. */
static uint32
EnoughLimbs(const Term *terms, uint32 n)
{
	uint64 bits = 64;

	for (uint32 i = 0; i < n; i++) {
		if (i == 0 || terms[i].q != terms[i - 1].q)
			bits += 2 * (pg_leftmost_one_pos64(terms[i].q) + 1);
	}
	return (uint32) (bits / 64 + 1);
}

/* Divides a number of n words, the highest first, by q, rounding down. */
static void
Divide(uint64 *words, uint32 n, uint64 q)
{
	uint64 rest = 0;

	for (uint32 i = 0; i < n; i++) {
		uint128 part = (uint128) rest << 64 | words[i];

		words[i] = (uint64) (part / q);
		rest = (uint64) (part % q);
	}
}

/* Adds times * words to sum, which has one word more at its top, in two's complement. */
static void
AddTimes(uint64 *sum, const uint64 *words, uint32 n, int64 times)
{
	uint64 factor = times < 0 ? 0 - (uint64) times : (uint64) times;
	uint64 carry = 0, borrow = 0;

	for (uint32 i = n; i-- > 0;) {
		uint128 product = (uint128) words[i] * factor + carry;
		uint64 low = (uint64) product, before = sum[i + 1];

		carry = (uint64) (product >> 64);
		if (times > 0) {
			sum[i + 1] = before + low + borrow;
			borrow = (uint128) before + low + borrow > PG_UINT64_MAX;
		} else {
			sum[i + 1] = before - low - borrow;
			borrow = before < (uint128) low + borrow;
		}
	}
	sum[0] += times > 0 ? carry + borrow : 0 - carry - borrow;
}

/* The sign of a two's complement number whose error is below `slack` units; 0 within it. */
static int
SignBeyond(const uint64 *sum, uint32 n, uint64 slack)
{
	uint64 filler = (int64) sum[0] < 0 ? PG_UINT64_MAX : 0;
	uint64 last = sum[n - 1] ^ filler;

	for (uint32 i = 0; i < n - 1; i++) {
		if (sum[i] != filler)
			return filler ? -1 : 1;
	}
	if (last < slack)
		return 0;
	return filler ? -1 : 1;
}

static int
SignWithLimbs(const Term *terms, uint32 n, uint32 limbs)
{
	/* a squared numerator takes two words, its quotient one less */
	uint64 *words = palloc((limbs + 2) * sizeof(uint64));
	uint64 *sum = palloc0((limbs + 1) * sizeof(uint64));
	uint64 slack = 1;
	int sign;

	for (uint32 i = 0; i < n; i++) {
		uint128 square = (uint128) terms[i].p * terms[i].p;

		CHECK_FOR_INTERRUPTS();
		memset(words, 0, (limbs + 2) * sizeof(uint64));
		words[0] = (uint64) (square >> 64);
		words[1] = (uint64) square;
		Divide(words, limbs + 2, terms[i].q);
		Divide(words, limbs + 2, terms[i].q);
		AddTimes(sum, words + 2, limbs, terms[i].times);
		slack += terms[i].times < 0 ? -terms[i].times : terms[i].times;
	}
	sign = SignBeyond(sum, limbs + 1, slack);
	pfree(words);
	pfree(sum);
	return sign;
}

static int
CompareRemaining(const Term *terms, uint32 n)
{
	uint32 enough = EnoughLimbs(terms, n);

	for (uint32 limbs = Min(FIRST_LIMBS, enough);; limbs = Min(2 * limbs, enough)) {
		int sign = SignWithLimbs(terms, n, limbs);

		if (sign != 0 || limbs == enough)
			return sign;
	}
}

int
gap_sums_compare(Gap *first, Gap *second, uint32 n)
{
	Term *terms = palloc(mul_size(n, 2 * sizeof(Term)) + 1);
	uint32 left;
	int sign;

	for (uint32 i = 0; i < n; i++) {
		terms[2 * i] = TermOf(first[i], 1);
		terms[2 * i + 1] = TermOf(second[i], -1);
	}
	left = CancelTerms(terms, 2 * n);
	sign = left == 0 ? 0 : CompareRemaining(terms, left);
	pfree(terms);
	return sign;
}
