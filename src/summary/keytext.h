/*
 * Keys and texts of summaries are UTF-8, whatever the database's encoding, so
 * that a value means the same wherever it is restored. Texts are converted
 * where they come in and where they are shown.
 */
#ifndef AGENTRL_KEYTEXT_H
#define AGENTRL_KEYTEXT_H

#include "summary/keymap.h"

/*
 * A text of the database as a key: the text itself where it is UTF-8 already,
 * else a copy. An error when it has no form in UTF-8.
 */
extern Key key_from_text(const char *data, uint32 len);

/* Whether the bytes of this key are those of the database's own text. */
extern bool key_is_text_as_is(const Key *key);

/* The key as a text of the database; an error when its encoding lacks a character. */
extern text *key_to_text(const Key *key);
extern char *key_to_cstring(const Key *key);

/* A key of either kind as a text Datum: one allocation. */
extern Datum key_text(KeyKind kind, const Key *key);

#endif
