#include "summary/keytext.h"

#include "core/utf8.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

Key
key_from_text(const char *data, uint32 len)
{
	Key key = {.len = len};

	key.data = text_to_utf8(data, &key.len);
	return key;
}

bool
key_is_text_as_is(const Key *key)
{
	return text_is_same_in_utf8(key->data, key->len);
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

Datum
key_text(KeyKind kind, const Key *key)
{
	char number[MAXINT8LEN + 1];

	if (kind == KEYS_TEXT)
		return PointerGetDatum(key_to_text(key));
	return PointerGetDatum(cstring_to_text_with_len(number, pg_lltoa(key->number, number)));
}
