#include "core/sort.h"

#include "miscadmin.h"

#define ST_SORT			 sort_doubles
#define ST_ELEMENT_TYPE	 double
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"
