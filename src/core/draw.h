/*
 * Published draws: a message, and the number that anyone can compute from it.
 */
#ifndef AGENTRL_DRAW_H
#define AGENTRL_DRAW_H

#include "postgres.h"
#include "common/cryptohash.h"
#include "lib/stringinfo.h"

/* message is written anew for each draw. */
typedef struct Draw {
	pg_cryptohash_ctx *hash;
	StringInfoData message;
} Draw;

extern void draw_start(Draw *draw);
extern void draw_finish(Draw *draw);

/* Appends text to the message in UTF-8, whatever the encoding of the database. */
extern void draw_append_text(Draw *draw, const char *text, int len);

/* The first 8 bytes, big-endian, of the message's SHA-256. */
extern uint64 draw_number(Draw *draw);

#endif
