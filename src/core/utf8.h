/*
 * Texts that leave the database's encoding: keys, and what is hashed, are UTF-8.
 */
#ifndef AGENTRL_UTF8_H
#define AGENTRL_UTF8_H

#include "postgres.h"

extern bool text_is_ascii(const char *data, size_t len);

/* Whether the bytes mean the same in UTF-8 and in the database's encoding. */
extern bool text_is_same_in_utf8(const char *data, uint32 len);

/*
 * A text of the database in UTF-8, and its length: the text itself where that
 * is UTF-8 already, else a copy. An error when it has no form in UTF-8.
 */
extern const char *text_to_utf8(const char *data, uint32 *len);

#endif
