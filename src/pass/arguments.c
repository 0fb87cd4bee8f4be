#include "pass/arguments.h"

#include "catalog/pg_type.h"
#include "core/sort.h"
#include "utils/array.h"

#define MAX_GRID_SIDE 10000

static int
CompareInt64(const void *a, const void *b)
{
	int64 x = *(const int64 *) a, y = *(const int64 *) b;

	return (x > y) - (x < y);
}

static Axis
ReadAxis(ArrayType *array, const char *name)
{
	Axis axis = {0};
	Datum *values;
	bool *nulls;

	deconstruct_array(array, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
					  &nulls, &axis.n);
	if (axis.n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must not be empty", name)));
	if (axis.n > MAX_GRID_SIDE)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("%s must not have more than %d elements", name, MAX_GRID_SIDE)));
	axis.given = palloc(axis.n * sizeof(int64));
	axis.distinct = palloc(axis.n * sizeof(int64));
	for (int i = 0; i < axis.n; i++) {
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not contain nulls", name)));
		axis.given[i] = DatumGetInt64(values[i]);
		require_positive(name, axis.given[i]);
	}
	memcpy(axis.distinct, axis.given, axis.n * sizeof(int64));
	sort_bigints(axis.distinct, axis.n);
	axis.ndistinct = drop_equal_bigints(axis.distinct, axis.n);
	return axis;
}

static int
PlaceOf(const Axis *axis, int64 value)
{
	int64 *at = bsearch(&value, axis->distinct, axis->ndistinct, sizeof(int64), CompareInt64);

	return at - axis->distinct;
}

Axis
read_t_axis(FunctionCallInfo fcinfo, int i)
{
	if (PG_ARGISNULL(i))
		return (Axis){.n = 1, .ndistinct = 1};
	return ReadAxis(PG_GETARG_ARRAYTYPE_P(i), "t");
}

GridArguments
read_grid(FunctionCallInfo fcinfo, int k_argument)
{
	GridArguments grid = {0};

	require_argument(fcinfo, k_argument, "k");
	grid.k = ReadAxis(PG_GETARG_ARRAYTYPE_P(k_argument), "k");
	grid.t = read_t_axis(fcinfo, k_argument + 1);
	if ((int64) grid.k.n * grid.t.n > MAX_GRID_CELLS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a grid must not have more than %d cells", MAX_GRID_CELLS)));
	grid.request.nk = grid.k.ndistinct;
	grid.request.k = grid.k.distinct;
	grid.request.nt = grid.t.ndistinct;
	grid.request.t = grid.t.distinct;
	return grid;
}

void
read_cell(FunctionCallInfo fcinfo, int k_argument, CellArguments *cell)
{
	memset(cell, 0, sizeof(*cell));
	cell->k = read_positive(fcinfo, k_argument, "k");
	cell->request.nk = cell->request.nt = 1;
	cell->request.k = &cell->k;
	if (PG_ARGISNULL(k_argument + 1))
		return;
	cell->t = read_positive(fcinfo, k_argument + 1, "t");
	cell->request.t = &cell->t;
}

PairRequest
read_arms(FunctionCallInfo fcinfo, const PassRequest *request)
{
	return (PairRequest){
		.first = pass_summary_argument(fcinfo, 0),
		.second = pass_summary_argument(fcinfo, 1),
		.first_request = request,
		.second_request = request,
	};
}

MatchRule
read_match(FunctionCallInfo fcinfo, int i)
{
	static const char *const matches[] = {"prefix", "exact"};

	return read_choice(fcinfo, i, "match", matches, lengthof(matches));
}

void
read_selection(FunctionCallInfo fcinfo, int first, PassRequest *request)
{
	static const char *const task_sets[] = {"each", "common"};

	request->match = read_match(fcinfo, first);
	request->task_set = read_choice(fcinfo, first + 1, "task_set", task_sets, lengthof(task_sets));
}

int
grid_cell(const GridArguments *grid, int i, int j)
{
	int k = PlaceOf(&grid->k, grid->k.given[i]);
	int t = grid->t.given == NULL ? 0 : PlaceOf(&grid->t, grid->t.given[j]);

	return t * grid->request.nk + k;
}
