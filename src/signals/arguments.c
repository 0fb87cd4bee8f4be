/*
 * Arguments that the process signals share.
 */
#include "signals/signals.h"

#include <math.h>

#include "utils/array.h"

#include "core/interrupts.h"
#include "core/arguments.h"

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
RejectNull(const char *name, int place)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not contain nulls", name),
			 errdetail("Element %d is null.", place)));
}

static void
RequireFinite(const char *name, int place, double number)
{
	if (isfinite(number))
		return;
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("%s must be finite", name),
					errdetail("Element %d is %g.", place, number)));
}

static inline bool
ElementIsNull(ArrayType *array, int i)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);

	return bitmap != NULL && !(bitmap[i / 8] >> (i % 8) & 1);
}

double *
read_numbers(FunctionCallInfo fcinfo, int i, const char *name, bool **nulls, int *n)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(i);
	const double *at = (const double *) ARR_DATA_PTR(array);
	double *numbers;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s must have one dimension, not %d", name, ARR_NDIM(array)),
						errhint("Each group is an array of its own.")));
	*n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	numbers = palloc(Max(*n, 1) * sizeof(double));
	if (nulls != NULL)
		*nulls = palloc(Max(*n, 1) * sizeof(bool));
	for (int j = 0; j < *n; j++) {
		bool null = ElementIsNull(array, j);

		check_interrupts_at(j);
		if (null && nulls == NULL)
			RejectNull(name, j + 1);
		if (nulls != NULL)
			(*nulls)[j] = null;
		numbers[j] = null ? 0.0 : *at++;
		RequireFinite(name, j + 1, numbers[j]);
	}
	return numbers;
}

Datum
numbers_like(FunctionCallInfo fcinfo, int i, const double *numbers)
{
	ArrayType *model = PG_GETARG_ARRAYTYPE_P(i);
	int n = ArrayGetNItems(ARR_NDIM(model), ARR_DIMS(model));
	ArrayType *array = palloc(VARSIZE(model));
	double *to;

	memcpy(array, model, ARR_DATA_PTR(model) - (char *) model);
	to = (double *) ARR_DATA_PTR(array);
	for (int j = 0; j < n; j++) {
		check_interrupts_at(j);
		if (!ElementIsNull(model, j))
			*to++ = numbers[j];
	}
	return PointerGetDatum(array);
}

bool
turn_rewards(const TrajectoryDraft *draft, double *rewards)
{
	bool any = false;

	for (size_t i = 0; i < draft->nsteps; i++) {
		bool has = (draft->steps[i].has & STEP_REWARD) != 0;

		check_interrupts_at(i);
		rewards[i] = has ? draft->steps[i].reward : NAN;
		any |= has;
	}
	if (any || !(draft->has & ROLLOUT_REWARD))
		return any;
	if (draft->nsteps > 0)
		rewards[draft->nsteps - 1] = draft->reward;
	return true;
}
