#include "core/sort.h"

#include "miscadmin.h"

#define ST_SORT			 sort_doubles
#define ST_ELEMENT_TYPE	 double
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

#define ST_SORT			 sort_bigints
#define ST_ELEMENT_TYPE	 int64
#define ST_COMPARE(a, b) ((*(a) > *(b)) - (*(a) < *(b)))
#define ST_SCOPE
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

size_t
drop_equal_bigints(int64 *sorted, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || sorted[i] != sorted[kept - 1])
			sorted[kept++] = sorted[i];
	}
	return kept;
}
