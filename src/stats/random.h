/*
 * Random numbers: xoshiro256++ (Blackman and Vigna 2019), seeded by splitmix64.
 * The server promises no stream of its own generator.
 */
#ifndef AGENTRL_RANDOM_H
#define AGENTRL_RANDOM_H

#include "postgres.h"

/* For loops whose sums are exact: the widest vectors of the machine give the same bits. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define ANY_VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define ANY_VECTOR
#endif

typedef struct Random {
	uint64 s[4];
} Random;

static inline uint64
SplitMix(uint64 *state)
{
	uint64 z = (*state += UINT64CONST(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline uint64
RotateLeft(uint64 x, int k)
{
	return x << k | x >> (64 - k);
}

static inline uint64
next_random(Random *random)
{
	uint64 *s = random->s;
	uint64 result = RotateLeft(s[0] + s[3], 23) + s[0];
	uint64 t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = RotateLeft(s[3], 45);
	return result;
}

/* Each resample has a stream of its own. */
static inline void
seed_random(Random *random, int64 seed, int resample)
{
	uint64 state = (uint64) seed;

	state = SplitMix(&state) ^ (uint64) resample;
	for (int i = 0; i < 4; i++)
		random->s[i] = SplitMix(&state);
}

#endif
