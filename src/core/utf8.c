#include "core/utf8.h"

#include "mb/pg_wchar.h"

bool
text_is_ascii(const char *data, size_t len)
{
	const uint64 high_bits = UINT64CONST(0x8080808080808080);
	size_t i = 0;

	for (; i + sizeof(uint64) <= len; i += sizeof(uint64)) {
		uint64 word;

		memcpy(&word, data + i, sizeof(word));
		if (word & high_bits)
			return false;
	}
	for (; i < len; i++) {
		if (IS_HIGHBIT_SET(data[i]))
			return false;
	}
	return true;
}

bool
text_is_same_in_utf8(const char *data, uint32 len)
{
	return GetDatabaseEncoding() == PG_UTF8 || text_is_ascii(data, len);
}

/* Such a database does not know what its bytes mean: they are taken for UTF-8, or refused. */
static void
RequireUtf8(const char *data, uint32 len)
{
	if (pg_verify_mbstr(PG_UTF8, data, len, true))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE), errmsg("a key is not valid UTF-8"),
			 errdetail("Summaries keep keys in UTF-8. The encoding of this database is "
					   "SQL_ASCII, so a key cannot be converted."),
			 errhint("Convert the key by convert(), from the encoding that it is in.")));
}

const char *
text_to_utf8(const char *data, uint32 *len)
{
	char *converted;

	if (text_is_same_in_utf8(data, *len))
		return data;
	if (GetDatabaseEncoding() == PG_SQL_ASCII) {
		RequireUtf8(data, *len);
		return data;
	}
	converted = pg_server_to_any(data, *len, PG_UTF8);
	*len = strlen(converted);
	return converted;
}
