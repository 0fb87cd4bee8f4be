#include "postgres.h"

#include "catalog/namespace.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/utf8.h"
#include "import/encoding.h"

#define PIECE_BYTES 65536

typedef struct Converter {
	int from;
	int to;
	Oid procedure;
	char stand_in; /* for a character without an equivalent */
	int64_t lacking;
	char *out;
	size_t len;
	size_t size;
} Converter;

static void
Reserve(Converter *c, size_t bytes)
{
	if (c->size - c->len >= bytes)
		return;
	c->size += c->size / 2 + bytes;
	c->out = c->out ? repalloc_huge(c->out, c->size)
					: MemoryContextAllocHuge(CurrentMemoryContext, c->size);
}

/* A piece that ends with a whole character. */
static void
ConvertPiece(Converter *c, const char *data, int len)
{
	while (len > 0) {
		int room = len * MAX_CONVERSION_GROWTH + 2;
		int done, step;

		Reserve(c, room);
		done = pg_do_encoding_conversion_buf(c->procedure, c->from, c->to,
											 (unsigned char *) unconstify(char *, data), len,
											 (unsigned char *) c->out + c->len, room, true);
		c->len += strlen(c->out + c->len);
		if (done >= len)
			return;
		c->out[c->len++] = c->stand_in;
		c->lacking++;
		step = pg_encoding_mblen(c->from, data + done);
		data += done + Min(step, len - done);
		len -= done + Min(step, len - done);
	}
}

static void
AppendAscii(Converter *c, const char *data, size_t len)
{
	Reserve(c, len);
	memcpy(c->out + c->len, data, len);
	c->len += len;
}

static TextView
Convert(Converter *c, TextView text)
{
	c->procedure = FindDefaultConversionProc(c->from, c->to);
	if (!OidIsValid(c->procedure))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("default conversion function for encoding \"%s\" to \"%s\" does not exist",
						pg_encoding_to_char(c->from), pg_encoding_to_char(c->to))));
	Reserve(c, text.len + 1);
	for (size_t done = 0; done < text.len;) {
		int len = Min(text.len - done, PIECE_BYTES);

		CHECK_FOR_INTERRUPTS();
		len = pg_encoding_mbcliplen(c->from, text.data + done, len, len);
		/* half a character at the end */
		if (len == 0)
			len = Min(text.len - done, PIECE_BYTES);
		if (text_is_ascii(text.data + done, len))
			AppendAscii(c, text.data + done, len);
		else
			ConvertPiece(c, text.data + done, len);
		done += len;
	}
	return (TextView){c->out, c->len};
}

/* In SQL_ASCII, bytes are what the client says they are: there is nothing to convert. */
static bool
SameEncoding(TextView text)
{
	return GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII ||
		   text.data == NULL;
}

TextView
encoding_to_utf8(TextView text)
{
	Converter c = {.from = GetDatabaseEncoding(), .to = PG_UTF8, .stand_in = (char) 0xFF};

	return SameEncoding(text) ? text : Convert(&c, text);
}

TextView
encoding_from_utf8(TextView text, int64_t *lacking)
{
	Converter c = {.from = PG_UTF8, .to = GetDatabaseEncoding(), .stand_in = '?'};
	TextView result;

	if (SameEncoding(text) || (text.len < PIECE_BYTES && text_is_ascii(text.data, text.len)))
		return text;
	result = Convert(&c, text);
	*lacking += c.lacking;
	return result;
}
