#include "core/keytext.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

bool
text_is_ascii(const char *data, uint32 len)
{
	const uint64 high_bits = UINT64CONST(0x8080808080808080);
	uint32 i = 0;

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

Key
key_from_text(const char *data, uint32 len)
{
	Key key = {.data = data, .len = len};

	if (GetDatabaseEncoding() == PG_UTF8 || text_is_ascii(data, len))
		return key;
	if (GetDatabaseEncoding() == PG_SQL_ASCII) {
		RequireUtf8(data, len);
		return key;
	}
	key.data = pg_server_to_any(data, len, PG_UTF8);
	key.len = strlen(key.data);
	return key;
}

bool
key_is_text_as_is(const Key *key)
{
	return GetDatabaseEncoding() == PG_UTF8 || text_is_ascii(key->data, key->len);
}

text *
key_to_text(const Key *key)
{
	char *converted;
	text *result;

	if (key_is_text_as_is(key))
		return cstring_to_text_with_len(key->data, key->len);
	converted = pg_any_to_server(key->data, key->len, PG_UTF8);
	if (converted == key->data)
		return cstring_to_text_with_len(key->data, key->len);
	result = cstring_to_text(converted);
	pfree(converted);
	return result;
}

char *
key_to_cstring(const Key *key)
{
	return text_to_cstring(key_to_text(key));
}
