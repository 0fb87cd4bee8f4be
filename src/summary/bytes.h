/*
 * Varints and checked reading: what the flat form of a summary is made of.
 *
 * The flat form has the same bytes on every machine, so it is also the wire
 * form. Numbers are unsigned LEB128 in their shortest form; one value has one
 * encoding.
 */
#ifndef AGENTRL_BYTES_H
#define AGENTRL_BYTES_H

#include "postgres.h"
#include "lib/stringinfo.h"

#define MAX_VARINT_BYTES 10

/*
 * How far a value's texts are to be believed: not at all from outside; and in
 * a value that an older release stored in an encoding that is not known, only
 * ASCII means what it seems to.
 */
typedef enum TextTrust { TEXTS_TRUSTED, TEXTS_FROM_OUTSIDE, TEXTS_OF_UNKNOWN_ENCODING } TextTrust;

/*
 * A reader never runs past its end: the first fault is kept in error, and from
 * then on every read returns 0. A caller checks error once per item.
 */
typedef struct ByteReader {
	const uint8 *at;
	const uint8 *end;
	const char *error;
	TextTrust trust;
} ByteReader;

extern uint64 read_varint_slow(ByteReader *reader);
extern const char *read_bytes(ByteReader *reader, uint64 len);

/* The fault of a text that only its own database could read. */
extern const char encoding_not_known[];

/* A length and a text of so many bytes, in place; NULL after a fault. */
extern const char *read_text(ByteReader *reader, uint32 *len);
extern void append_varint(StringInfo out, uint64 value);

static inline void
reader_fail(ByteReader *reader, const char *error)
{
	if (reader->error == NULL)
		reader->error = error;
	reader->at = reader->end;
}

static inline size_t
reader_left(const ByteReader *reader)
{
	return reader->end - reader->at;
}

static inline uint64
read_varint(ByteReader *reader)
{
	if (likely(reader->at < reader->end && *reader->at < 0x80))
		return *reader->at++;
	return read_varint_slow(reader);
}

static inline uint8
read_byte(ByteReader *reader)
{
	if (likely(reader->at < reader->end))
		return *reader->at++;
	reader_fail(reader, "it ends too early");
	return 0;
}

/* Writes a varint to where MAX_VARINT_BYTES are free; returns the next place. */
static inline uint8 *
put_varint(uint8 *to, uint64 value)
{
	while (value >= 0x80) {
		*to++ = (uint8) (value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8) value;
	return to;
}

/* Signed numbers, small magnitudes first: 0, -1, 1, -2, ... */
static inline uint64
zigzag(int64 value)
{
	return ((uint64) value << 1) ^ (value < 0 ? PG_UINT64_MAX : 0);
}

static inline int64
unzigzag(uint64 value)
{
	return (int64) ((value >> 1) ^ (value & 1 ? PG_UINT64_MAX : 0));
}

#endif
