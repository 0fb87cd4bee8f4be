/*
 * Letting a cancel through in work whose length the data decides.
 */
#ifndef AGENTRL_INTERRUPTS_H
#define AGENTRL_INTERRUPTS_H

#include "postgres.h"
#include "miscadmin.h"

/* Between two checks: items of a loop whose turn takes little, and bytes that are copied, compared
 * or hashed. */
#define ITEMS_PER_CHECK 4096
#define BYTES_PER_CHECK ((size_t) 1024 * 1024)

/* For the loop's counter. */
static inline void
check_interrupts_at(uint64 i)
{
	if (unlikely(i % ITEMS_PER_CHECK == 0))
		CHECK_FOR_INTERRUPTS();
}

/* As memcpy, where no bytes may also come from nowhere; returns the end of the copy. */
static inline char *
copy_bytes(char *to, const char *from, size_t len)
{
	while (len > BYTES_PER_CHECK) {
		CHECK_FOR_INTERRUPTS();
		memcpy(to, from, BYTES_PER_CHECK);
		to += BYTES_PER_CHECK;
		from += BYTES_PER_CHECK;
		len -= BYTES_PER_CHECK;
	}
	if (len > 0)
		memcpy(to, from, len);
	return to + len;
}

/* As memset with 0. */
static inline void
zero_bytes(char *to, size_t len)
{
	while (len > BYTES_PER_CHECK) {
		CHECK_FOR_INTERRUPTS();
		memset(to, 0, BYTES_PER_CHECK);
		to += BYTES_PER_CHECK;
		len -= BYTES_PER_CHECK;
	}
	memset(to, 0, len);
}

/* As memcmp. */
static inline int
compare_bytes(const char *a, const char *b, size_t len)
{
	int order = 0;

	while (len > BYTES_PER_CHECK && order == 0) {
		CHECK_FOR_INTERRUPTS();
		order = memcmp(a, b, BYTES_PER_CHECK);
		a += BYTES_PER_CHECK;
		b += BYTES_PER_CHECK;
		len -= BYTES_PER_CHECK;
	}
	return order != 0 ? order : memcmp(a, b, len);
}

#endif
