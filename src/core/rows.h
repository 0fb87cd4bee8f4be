/*
 * Filling the columns of a result row.
 */
#ifndef AGENTRL_ROWS_H
#define AGENTRL_ROWS_H

#include "postgres.h"
#include "utils/builtins.h"

#include "core/keymap.h"

static inline void
put_float(Datum *values, bool *nulls, int i, double value, bool valid)
{
	values[i] = Float8GetDatum(valid ? value : 0.0);
	nulls[i] = !valid;
}

/* value NULL: the column is null */
static inline void
put_bigint(Datum *values, bool *nulls, int i, const int64 *value)
{
	values[i] = value == NULL ? (Datum) 0 : Int64GetDatum(*value);
	nulls[i] = value == NULL;
}

static inline void
put_text(Datum *values, bool *nulls, int i, const char *value)
{
	values[i] = value == NULL ? (Datum) 0 : CStringGetTextDatum(value);
	nulls[i] = value == NULL;
}

/* A key as text. */
static inline Datum
key_text(KeyKind kind, const Key *key)
{
	if (kind == KEYS_TEXT)
		return PointerGetDatum(cstring_to_text_with_len(key->data, key->len));
	return CStringGetTextDatum(psprintf("%lld", (long long) key->number));
}

#endif
