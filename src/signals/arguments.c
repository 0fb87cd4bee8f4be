/*
 * Arguments that the process signals share.
 */
#include "signals/signals.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "stats/inference.h"

AdvantageScale
read_scale(FunctionCallInfo fcinfo, int i)
{
	static const char *const scales[] = {"std", "none"};

	return read_choice(fcinfo, i, "scale", scales, lengthof(scales));
}

double
read_fraction(FunctionCallInfo fcinfo, int i, const char *name)
{
	double value;

	require_argument(fcinfo, i, name);
	value = PG_GETARG_FLOAT8(i);
	if (!(value >= 0.0 && value <= 1.0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be between 0 and 1, not %g", name, value)));
	return value;
}

double
read_finite(FunctionCallInfo fcinfo, int i, const char *name)
{
	require_argument(fcinfo, i, name);
	if (!isfinite(PG_GETARG_FLOAT8(i)))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%s must be finite", name)));
	return PG_GETARG_FLOAT8(i);
}

double
check_range(double value, const char *name)
{
	if (!isfinite(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%s is out of range", name),
				 errdetail("The rewards are too large for the type double precision.")));
	return value;
}

static void
CheckElement(const char *name, int place, bool null, Datum value)
{
	if (null)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not contain nulls", name),
				 errdetail("Element %d is null.", place)));
	if (!isfinite(DatumGetFloat8(value)))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%s must be finite", name),
				 errdetail("Element %d is %g.", place, DatumGetFloat8(value))));
}

double *
read_numbers(FunctionCallInfo fcinfo, int i, const char *name, bool **nulls, int *n)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(i);
	bool *missing;
	Datum *values;
	double *numbers;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s must have one dimension, not %d", name, ARR_NDIM(array)),
						errhint("Each group is an array of its own.")));
	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
					  &missing, n);
	numbers = palloc(Max(*n, 1) * sizeof(double));
	for (int j = 0; j < *n; j++) {
		if (!missing[j] || nulls == NULL)
			CheckElement(name, j + 1, missing[j], values[j]);
		numbers[j] = missing[j] ? 0.0 : DatumGetFloat8(values[j]);
	}
	if (nulls != NULL)
		*nulls = missing;
	return numbers;
}

Datum
numbers_like(FunctionCallInfo fcinfo, int i, const double *numbers, bool *nulls)
{
	ArrayType *model = PG_GETARG_ARRAYTYPE_P(i);
	int n = ArrayGetNItems(ARR_NDIM(model), ARR_DIMS(model));
	Datum *values = palloc(Max(n, 1) * sizeof(Datum));

	for (int j = 0; j < n; j++)
		values[j] = Float8GetDatum(numbers[j]);
	return PointerGetDatum(construct_md_array(values, nulls, ARR_NDIM(model), ARR_DIMS(model),
											  ARR_LBOUND(model), FLOAT8OID, sizeof(float8),
											  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

bool
turn_rewards(const TrajectoryDraft *draft, double *rewards)
{
	bool any = false;

	for (size_t i = 0; i < draft->nsteps; i++) {
		bool has = (draft->steps[i].has & STEP_REWARD) != 0;

		rewards[i] = has ? draft->steps[i].reward : NAN;
		any |= has;
	}
	if (any || !(draft->has & ROLLOUT_REWARD))
		return any;
	if (draft->nsteps > 0)
		rewards[draft->nsteps - 1] = draft->reward;
	return true;
}
