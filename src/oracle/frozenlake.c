/*
 * The exact oracle of FrozenLake maps: value of every move by finite-horizon
 * dynamic programming, and the shortest way.
 *
 * The rules are those of Gymnasium's FrozenLake-v1: a move goes where it is
 * meant to or, on slippery ice, to either side of that, with probability 1/3
 * each; the edge holds one in place; a hole ends the rollout, the goal ends it
 * with reward 1.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "core/compat.h"
#include "core/arguments.h"

#define MOVES		4 /* left, down, right, up: each has its sides before and after it */
#define COLUMNS		5
#define MAX_CELLS	10000
#define MAX_HORIZON 10000
#define MAX_ROWS	10000000

static const char *const move_names[MOVES] = {"left", "down", "right", "up"};

typedef struct Lake {
	int rows;
	int columns;
	int start;
	int goal;
	const char *tile;	/* [row * columns + column] */
	int (*next)[MOVES]; /* where a move aims */
} Lake;

/* ---- maps ---- */

/* Errors name rows and columns from 0, as the results do. */
static void
RejectMap(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid FrozenLake map"),
					errdetail_internal("%s", detail)));
}

static void
FindOnly(int *place, int cell, const char *name)
{
	if (*place >= 0)
		RejectMap(psprintf("There is more than one %s.", name));
	*place = cell;
}

static void
ReadTile(Lake *lake, const char *text, int row, int column)
{
	int cell = row * lake->columns + column;

	switch (text[column]) {
		case 'S':
			FindOnly(&lake->start, cell, "start (S)");
			break;
		case 'G':
			FindOnly(&lake->goal, cell, "goal (G)");
			break;
		case 'F':
		case 'H':
			break;
		default:
			RejectMap(psprintf("Row %d has something other than S, F, H and G at column %d.", row,
							   column));
	}
}

static int
CountRows(const char *text, int len)
{
	int rows = 1;

	for (int i = 0; i < len; i++)
		rows += text[i] == '\n';
	return rows;
}

static int
RowLength(const char *text, int len)
{
	int width = 0;

	while (width < len && text[width] != '\n')
		width++;
	return width;
}

static void
ReadTiles(Lake *lake, const char *text, int len)
{
	char *tile = palloc(lake->rows * lake->columns);

	lake->tile = tile;
	for (int row = 0; row < lake->rows; row++) {
		int width = RowLength(text, len);

		if (width != lake->columns)
			RejectMap(psprintf("Row %d is %d wide, row 0 is %d.", row, width, lake->columns));
		for (int column = 0; column < width; column++)
			ReadTile(lake, text, row, column);
		memcpy(tile + row * lake->columns, text, width);
		text += width + 1;
		len -= width + 1;
	}
}

static void
FindNeighbours(Lake *lake)
{
	lake->next = palloc(lake->rows * lake->columns * sizeof(*lake->next));
	for (int row = 0; row < lake->rows; row++) {
		for (int column = 0; column < lake->columns; column++) {
			int cell = row * lake->columns + column;
			int *next = lake->next[cell];

			next[0] = column > 0 ? cell - 1 : cell;
			next[1] = row < lake->rows - 1 ? cell + lake->columns : cell;
			next[2] = column < lake->columns - 1 ? cell + 1 : cell;
			next[3] = row > 0 ? cell - lake->columns : cell;
		}
	}
}

static Lake
ReadLake(text *map)
{
	const char *text = VARDATA_ANY(map);
	int len = VARSIZE_ANY_EXHDR(map);
	Lake lake = {.start = -1, .goal = -1};

	if (len > 0 && text[len - 1] == '\n')
		len--;
	if (len > 2 * MAX_CELLS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a FrozenLake map must not have more than %d cells", MAX_CELLS)));
	lake.rows = CountRows(text, len);
	lake.columns = RowLength(text, len);
	if ((int64) lake.rows * lake.columns > MAX_CELLS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a FrozenLake map must not have more than %d cells", MAX_CELLS)));
	ReadTiles(&lake, text, len);
	if (lake.start < 0)
		RejectMap("There is no start (S).");
	if (lake.goal < 0)
		RejectMap("There is no goal (G).");
	FindNeighbours(&lake);
	return lake;
}

/* ---- values ---- */

/* What it is worth to land on a cell, value being that of standing there. */
static inline double
LandingValue(const Lake *lake, const double *value, int cell, double gamma)
{
	if (lake->tile[cell] == 'G')
		return 1.0;
	return lake->tile[cell] == 'H' ? 0.0 : gamma * value[cell];
}

static double
MoveValue(const Lake *lake, const double *value, int cell, int move, double gamma, bool slippery)
{
	const int *next = lake->next[cell];
	double aimed = LandingValue(lake, value, next[move], gamma);

	if (!slippery)
		return aimed;
	return (LandingValue(lake, value, next[(move + 3) % MOVES], gamma) + aimed +
			LandingValue(lake, value, next[(move + 1) % MOVES], gamma)) /
		   3.0;
}

typedef struct QRequest {
	int64 horizon;
	double gamma;
	bool slippery;
	Datum names[MOVES];
} QRequest;

static void
PutCell(ReturnSetInfo *rsinfo, const Lake *lake, const QRequest *request, int64 left, int cell,
		const double *after, double *now)
{
	bool nulls[COLUMNS] = {false};

	CHECK_FOR_INTERRUPTS();
	now[cell] = 0.0;
	for (int m = 0; m < MOVES; m++) {
		double q = MoveValue(lake, after, cell, m, request->gamma, request->slippery);
		Datum values[COLUMNS] = {Int32GetDatum(cell / lake->columns),
								 Int32GetDatum(cell % lake->columns), Int64GetDatum(left),
								 request->names[m], Float8GetDatum(q)};

		now[cell] = Max(now[cell], q);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

static QRequest
ReadRequest(FunctionCallInfo fcinfo, const Lake *lake)
{
	QRequest request = {PG_GETARG_INT64(1), PG_GETARG_FLOAT8(2), PG_GETARG_BOOL(3)};
	int64 rows;

	require_positive("horizon", request.horizon);
	if (request.horizon > MAX_HORIZON)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("horizon must not be greater than %d", MAX_HORIZON)));
	if (!(request.gamma >= 0.0 && request.gamma <= 1.0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("gamma must be between 0 and 1, not %g", request.gamma)));
	rows = (int64) lake->rows * lake->columns * request.horizon * MOVES;
	if (rows > MAX_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a table of move values must not have more than %d rows", MAX_ROWS),
						errdetail("%d cells, %d moves and a horizon of %lld would give %lld.",
								  lake->rows * lake->columns, MOVES, (long long) request.horizon,
								  (long long) rows)));
	for (int m = 0; m < MOVES; m++)
		request.names[m] = CStringGetTextDatum(move_names[m]);
	return request;
}

/*
 * frozenlake_q(map, horizon, gamma, slippery): a row per cell where a move can
 * be made, turns left and move.
 */
PG_FUNCTION_INFO_V1(frozenlake_q);
Datum
frozenlake_q(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Lake lake = ReadLake(PG_GETARG_TEXT_PP(0));
	QRequest request = ReadRequest(fcinfo, &lake);
	int cells = lake.rows * lake.columns;
	double *after = palloc0(cells * sizeof(double));
	double *now = palloc0(cells * sizeof(double));

	InitMaterializedSRF(fcinfo, 0);
	for (int64 left = 1; left <= request.horizon; left++) {
		double *swap = after;

		for (int cell = 0; cell < cells; cell++) {
			if (lake.tile[cell] == 'S' || lake.tile[cell] == 'F')
				PutCell(rsinfo, &lake, &request, left, cell, after, now);
		}
		after = now;
		now = swap;
	}
	return (Datum) 0;
}

/* ---- the shortest way ---- */

/* Moves from the start to the goal, breadth first over ice; -1 when no way leads there. */
static int
ShortestWay(const Lake *lake)
{
	int cells = lake->rows * lake->columns;
	int *moves = palloc(cells * sizeof(int));
	int *queue = palloc(cells * sizeof(int));
	int head = 0, tail = 0;

	for (int cell = 0; cell < cells; cell++)
		moves[cell] = -1;
	moves[lake->start] = 0;
	queue[tail++] = lake->start;
	while (head < tail && moves[lake->goal] < 0) {
		int cell = queue[head++];

		for (int m = 0; m < MOVES; m++) {
			int next = lake->next[cell][m];

			if (moves[next] >= 0 || lake->tile[next] == 'H')
				continue;
			moves[next] = moves[cell] + 1;
			queue[tail++] = next;
		}
	}
	return moves[lake->goal];
}

/* frozenlake_min_turns(map): the moves that the goal is away, slippery or not. */
PG_FUNCTION_INFO_V1(frozenlake_min_turns);
Datum
frozenlake_min_turns(PG_FUNCTION_ARGS)
{
	Lake lake = ReadLake(PG_GETARG_TEXT_PP(0));
	int moves = ShortestWay(&lake);

	if (moves < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(moves);
}
