#include "core/arguments.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

void
require_argument(FunctionCallInfo fcinfo, int i, const char *name)
{
	if (PG_ARGISNULL(i))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
}

void
require_positive(const char *name, int64 value)
{
	if (value < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be at least 1, not %lld", name, (long long) value)));
}

int64
read_positive(FunctionCallInfo fcinfo, int i, const char *name)
{
	require_argument(fcinfo, i, name);
	require_positive(name, PG_GETARG_INT64(i));
	return PG_GETARG_INT64(i);
}

int
read_choice(FunctionCallInfo fcinfo, int i, const char *name, const char *const *choices, int n)
{
	char *given;
	StringInfoData hint;

	require_argument(fcinfo, i, name);
	given = text_to_cstring(PG_GETARG_TEXT_PP(i));
	for (int j = 0; j < n; j++) {
		if (strcmp(given, choices[j]) == 0)
			return j;
	}
	initStringInfo(&hint);
	for (int j = 0; j < n; j++)
		appendStringInfo(&hint, "%s\"%s\"", j == 0 ? "" : ", ", choices[j]);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized value for %s: \"%s\"", name, given),
					errhint("The choices are %s.", hint.data)));
	return 0;
}
