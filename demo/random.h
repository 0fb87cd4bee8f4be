/*
 * Random numbers of the lab: SplitMix64. A stream is named by integers, so
 * every rollout can be drawn alone and in any order.
 */
#ifndef LAB_RANDOM_H
#define LAB_RANDOM_H

#include <stdint.h>

typedef struct Random {
	uint64_t state;
} Random;

static inline uint64_t
random_next(Random *r)
{
	uint64_t z = (r->state += 0x9E3779B97F4A7C15u);

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

/* in [0, 1), a multiple of 2^-53 */
static inline double
random_unit(Random *r)
{
	return (double) (random_next(r) >> 11) * 0x1p-53;
}

/* the stream named by a seed and three numbers */
static inline Random
random_stream(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	Random r = {seed};

	r.state = random_next(&r) ^ a;
	r.state = random_next(&r) ^ b;
	r.state = random_next(&r) ^ c;
	return r;
}

/* a number for a text, to name a stream by */
static inline uint64_t
random_name(const char *text, int length)
{
	Random r = {0};

	for (int i = 0; i < length; i++)
		r.state = random_next(&r) ^ (unsigned char) text[i];
	return random_next(&r);
}

#endif
