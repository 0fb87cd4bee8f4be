/*
 * depth_bin: how deep a turn lies in its budget.
 */
#include "core/depth.h"

/* depth_bin(turn, budget, bins): 1 .. bins, of equal width over turn / budget in (0, 1]. */
PG_FUNCTION_INFO_V1(depth_bin);
Datum
depth_bin(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(depth_bin_of(PG_GETARG_INT64(0), PG_GETARG_INT64(1), PG_GETARG_INT32(2)));
}
