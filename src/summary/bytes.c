#include "summary/bytes.h"

#include "core/utf8.h"
#include "mb/pg_wchar.h"

/* A number of two bytes or more, or a fault. */
uint64
read_varint_slow(ByteReader *reader)
{
	const uint8 *at = reader->at;
	size_t most = Min(reader_left(reader), MAX_VARINT_BYTES);
	uint64 value = 0;

	for (size_t i = 0; i < most; i++) {
		uint64 byte = at[i];

		value |= (byte & 0x7f) << (7 * i);
		if (byte >= 0x80)
			continue;
		if (i == MAX_VARINT_BYTES - 1 && byte > 1)
			break;
		if (byte == 0 && i > 0) {
			reader_fail(reader, "a number is not in its shortest form");
			return 0;
		}
		reader->at = at + i + 1;
		return value;
	}
	reader_fail(reader, most < MAX_VARINT_BYTES ? "it ends too early" : "a number is out of range");
	return 0;
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

const char encoding_not_known[] = "a text is in an encoding that is not known";

const char *
read_text(ByteReader *reader, uint32 *len)
{
	uint64 announced = read_varint(reader);
	const char *data = read_bytes(reader, announced);

	if (data == NULL)
		return NULL;
	*len = (uint32) announced;
	if (reader->trust == TEXTS_TRUSTED)
		return data;
	if (reader->trust == TEXTS_OF_UNKNOWN_ENCODING && !text_is_ascii(data, *len))
		reader_fail(reader, encoding_not_known);
	else if (!pg_verify_mbstr(PG_UTF8, data, *len, true))
		reader_fail(reader, "a text is not valid UTF-8");
	return reader->error == NULL ? data : NULL;
}

void
append_varint(StringInfo out, uint64 value)
{
	uint8 *start;

	enlargeStringInfo(out, MAX_VARINT_BYTES);
	start = (uint8 *) out->data + out->len;
	out->len += put_varint(start, value) - start;
}
