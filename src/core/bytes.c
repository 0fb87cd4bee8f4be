#include "core/bytes.h"

uint64
read_varint_slow(ByteReader *reader)
{
	uint64 value = 0;
	int shift = 0;

	for (;;) {
		uint8 byte;

		if (reader->at == reader->end) {
			reader_fail(reader, "it ends too early");
			return 0;
		}
		byte = *reader->at++;
		if (shift == 63 && byte > 1) {
			reader_fail(reader, "a number is out of range");
			return 0;
		}
		value |= (uint64) (byte & 0x7f) << shift;
		if (byte < 0x80) {
			if (byte == 0 && shift > 0) {
				reader_fail(reader, "a number is not in its shortest form");
				return 0;
			}
			return value;
		}
		shift += 7;
	}
}

/* Returns the next len bytes, in place, or NULL when there are fewer. */
const char *
read_bytes(ByteReader *reader, uint64 len)
{
	const char *bytes = (const char *) reader->at;

	if (len > reader_left(reader)) {
		reader_fail(reader, "it ends too early");
		return NULL;
	}
	reader->at += len;
	return bytes;
}

void
append_varint(StringInfo out, uint64 value)
{
	uint8 *start;

	enlargeStringInfo(out, MAX_VARINT_BYTES);
	start = (uint8 *) out->data + out->len;
	out->len += put_varint(start, value) - start;
}
