#include "core/draw.h"

#include "common/sha2.h"
#include "core/utf8.h"
#include "port/pg_bswap.h"

void
draw_start(Draw *draw)
{
	draw->hash = pg_cryptohash_create(PG_SHA256);
	if (draw->hash == NULL)
		elog(ERROR, "could not create a SHA-256 context");
	initStringInfo(&draw->message);
}

void
draw_finish(Draw *draw)
{
	pg_cryptohash_free(draw->hash);
	pfree(draw->message.data);
}

void
draw_append_text(Draw *draw, const char *text, int len)
{
	uint32 bytes = len;
	const char *utf8 = text_to_utf8(text, &bytes);

	appendBinaryStringInfo(&draw->message, utf8, bytes);
}

uint64
draw_number(Draw *draw)
{
	uint8 digest[PG_SHA256_DIGEST_LENGTH];
	uint64 first;

	if (pg_cryptohash_init(draw->hash) < 0 ||
		pg_cryptohash_update(draw->hash, (uint8 *) draw->message.data, draw->message.len) < 0 ||
		pg_cryptohash_final(draw->hash, digest, sizeof(digest)) < 0)
		elog(ERROR, "could not compute a SHA-256 hash: %s", pg_cryptohash_error(draw->hash));
	memcpy(&first, digest, sizeof(first));
	return pg_ntoh64(first);
}
