#include "core/elements.h"

#include "core/arguments.h"
#include "core/interrupts.h"
#include "utils/array.h"
#include "utils/memutils.h"

Datum *
read_elements(FunctionCallInfo fcinfo, int i, const char *name, int *n)
{
	ArrayType *array;
	ArrayIterator iterator;
	Datum *elements;
	bool null;

	require_argument(fcinfo, i, name);
	array = PG_GETARG_ARRAYTYPE_P(i);
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s must have one dimension, not %d", name, ARR_NDIM(array))));
	*n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	elements = MemoryContextAllocHuge(CurrentMemoryContext, mul_size(Max(*n, 1), sizeof(Datum)));
	iterator = array_create_iterator(array, 0, NULL);
	for (int at = 0; array_iterate(iterator, &elements[at], &null); at++) {
		check_interrupts_at(at);
		if (null)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not contain nulls", name)));
	}
	array_free_iterator(iterator);
	return elements;
}
