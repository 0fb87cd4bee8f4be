/*
 * The planner: rows that a trainer follows, and the line that tells a policy its budget.
 */
#include "budgetmix/budgets.h"
#include "core/elements.h"
#include "core/interrupts.h"
#include "core/arguments.h"
#include "summary/summary.h"
#include "core/rows.h"

#include "funcapi.h"
#include "utils/tuplestore.h"

typedef struct GroupPlan {
	BudgetDraw draw;
	int ntasks;
	Datum *tasks;
	int32 t_max;	/* of all tasks, when t_maxes is NULL */
	Datum *t_maxes; /* by task */
	int32 group_size;
	int32 epochs;
} GroupPlan;

/* A task that is named twice would make a group of twice the size. */
static void
RejectTwins(const GroupPlan *plan)
{
	KeyMap seen;

	keymap_init(&seen, KEYS_TEXT, CurrentMemoryContext);
	for (int i = 0; i < plan->ntasks; i++) {
		text *task = DatumGetTextPP(plan->tasks[i]);
		Key key = {.data = VARDATA_ANY(task), .len = VARSIZE_ANY_EXHDR(task)};
		bool is_new;

		check_interrupts_at(i);
		keymap_add(&seen, &key, &is_new);
		if (!is_new)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("tasks must not contain \"%.*s\" twice", (int) key.len, key.data),
					 errdetail("A group is an epoch and a task.")));
	}
}

static void
ReadTasks(FunctionCallInfo fcinfo, GroupPlan *plan)
{
	plan->tasks = read_elements(fcinfo, 0, "tasks", &plan->ntasks);
	RejectTwins(plan);
}

static void
ReadEachTMax(FunctionCallInfo fcinfo, GroupPlan *plan)
{
	int n;

	plan->t_maxes = read_elements(fcinfo, 1, "t_max", &n);
	if (n != plan->ntasks)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("t_max must have an element for each task"),
						errdetail("There are %d tasks and %d elements.", plan->ntasks, n)));
	for (int i = 0; i < n; i++) {
		check_interrupts_at(i);
		require_positive("t_max", DatumGetInt32(plan->t_maxes[i]));
	}
}

static int32
ReadPositiveInt(FunctionCallInfo fcinfo, int i, const char *name)
{
	require_argument(fcinfo, i, name);
	require_positive(name, PG_GETARG_INT32(i));
	return PG_GETARG_INT32(i);
}

/* group_size, epochs, seed, step, rounding and mode, which both planners take. */
static void
ReadRest(FunctionCallInfo fcinfo, GroupPlan *plan)
{
	plan->group_size = ReadPositiveInt(fcinfo, 2, "group_size");
	plan->epochs = ReadPositiveInt(fcinfo, 3, "epochs");
	require_argument(fcinfo, 4, "seed");
	plan->draw.seed = PG_GETARG_INT64(4);
	plan->draw.grid = read_budget_grid(fcinfo, 5);
	plan->draw.mode = read_draw_mode(fcinfo, 7);
}

static void
PutGroup(ReturnSetInfo *rsinfo, GroupPlan *plan, int32 epoch, int i)
{
	text *task = DatumGetTextPP(plan->tasks[i]);
	int32 t_max = plan->t_maxes == NULL ? plan->t_max : DatumGetInt32(plan->t_maxes[i]);
	int32 budget =
		draw_budget(&plan->draw, epoch, VARDATA_ANY(task), VARSIZE_ANY_EXHDR(task), t_max);
	Datum values[5] = {Int32GetDatum(epoch), PointerGetDatum(task), 0, Int32GetDatum(budget),
					   Int32GetDatum(t_max)};
	bool nulls[5] = {false};

	for (int64 attempt = 1; attempt <= plan->group_size; attempt++) {
		check_interrupts_at(attempt);
		values[2] = Int32GetDatum((int32) attempt);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

static void
PutPlan(FunctionCallInfo fcinfo, GroupPlan *plan)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	draw_start(&plan->draw.draw);
	for (int64 epoch = 1; epoch <= plan->epochs; epoch++) {
		for (int i = 0; i < plan->ntasks; i++) {
			CHECK_FOR_INTERRUPTS();
			PutGroup(rsinfo, plan, epoch, i);
		}
	}
	draw_finish(&plan->draw.draw);
}

/*
 * budgetmix_plan(tasks, t_max, group_size, epochs, seed, step, rounding, mode):
 * a row per epoch, task and attempt, with the budget that the group shares.
 */
PG_FUNCTION_INFO_V1(budgetmix_plan);
Datum
budgetmix_plan(PG_FUNCTION_ARGS)
{
	GroupPlan plan = {.t_maxes = NULL};

	InitMaterializedSRF(fcinfo, 0);
	ReadTasks(fcinfo, &plan);
	plan.t_max = ReadPositiveInt(fcinfo, 1, "t_max");
	ReadRest(fcinfo, &plan);
	PutPlan(fcinfo, &plan);
	return (Datum) 0;
}

/* budgetmix_plan_each: the same, each task with a t_max of its own, which is the last column. */
PG_FUNCTION_INFO_V1(budgetmix_plan_each);
Datum
budgetmix_plan_each(PG_FUNCTION_ARGS)
{
	GroupPlan plan = {.t_max = 0};

	InitMaterializedSRF(fcinfo, 0);
	ReadTasks(fcinfo, &plan);
	ReadEachTMax(fcinfo, &plan);
	ReadRest(fcinfo, &plan);
	PutPlan(fcinfo, &plan);
	return (Datum) 0;
}

/* budgetmix_prompt(total, remaining): the line that announces a budget before a turn. */
PG_FUNCTION_INFO_V1(budgetmix_prompt);
Datum
budgetmix_prompt(PG_FUNCTION_ARGS)
{
	int32 total = PG_GETARG_INT32(0);
	int32 remaining = PG_GETARG_INT32(1);

	require_positive("total", total);
	if (remaining < 0 || remaining > total)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("remaining must be between 0 and total, not %d", remaining)));
	PG_RETURN_TEXT_P(cstring_to_text(psprintf(
		"You have %d turn%s in total. %d turn%s%s.", total, total == 1 ? "" : "s", remaining,
		remaining == 1 ? " remains" : "s remain", remaining == 0 ? "" : ", this one included")));
}
