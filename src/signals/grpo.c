/*
 * Group-relative advantages of rewards: a window function, and the same over
 * an array.
 */
#include "signals/signals.h"

#include <math.h>

#include "core/interrupts.h"
#include "utils/memutils.h"
#include "windowapi.h"

/* What a partition keeps between its rows. */
typedef struct Partition {
	bool ready;
	GroupMoments moments;
} Partition;

static double
CheckReward(Datum reward)
{
	double value = DatumGetFloat8(reward);

	if (!isfinite(value))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("reward must be finite, not %g", value)));
	return value;
}

/* The rewards of all rows; the argument of each row is evaluated in a context of its own. */
static GroupMoments
ReadPartition(WindowObject window)
{
	int64 rows = WinGetPartitionRowCount(window);
	double *rewards;
	size_t n = 0;
	MemoryContext scratch, caller;
	GroupMoments moments;

	if (rows > PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a group cannot have more than %d rows", PG_INT32_MAX)));
	rewards = MemoryContextAllocHuge(CurrentMemoryContext, rows * sizeof(double));
	scratch = AllocSetContextCreate(CurrentMemoryContext, "reward of a row", ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(scratch);
	for (int64 i = 0; i < rows; i++) {
		bool null, out;
		Datum reward =
			WinGetFuncArgInPartition(window, 0, (int) i, WINDOW_SEEK_HEAD, false, &null, &out);

		CHECK_FOR_INTERRUPTS();
		if (!null)
			rewards[n++] = CheckReward(reward);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
	moments = group_moments(rewards, n, 0.0);
	pfree(rewards);
	return moments;
}

/*
 * grpo_advantage(reward, scale) OVER (PARTITION BY task): the advantage of the
 * row's reward in its partition, whatever the frame and the order. Null
 * rewards get null and are in no mean.
 */
PG_FUNCTION_INFO_V1(grpo_advantage);
Datum
grpo_advantage(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	Partition *partition;
	AdvantageScale scale;
	Datum reward;
	bool null;

	if (!WindowObjectIsValid(window))
		elog(ERROR, "grpo_advantage must be called as a window function");
	/* a window function's arguments come by request; put where read_choice looks for it */
	fcinfo->args[1].value = WinGetFuncArgCurrent(window, 1, &fcinfo->args[1].isnull);
	scale = read_scale(fcinfo, 1);
	partition = WinGetPartitionLocalMemory(window, sizeof(Partition));
	if (!partition->ready) {
		partition->moments = ReadPartition(window);
		partition->ready = true;
	}
	reward = WinGetFuncArgCurrent(window, 0, &null);
	if (null)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(group_advantage(&partition->moments, DatumGetFloat8(reward), scale));
}

/* grpo_advantages(rewards, scale): the same for the rewards of one group, in their places. */
PG_FUNCTION_INFO_V1(grpo_advantages);
Datum
grpo_advantages(PG_FUNCTION_ARGS)
{
	AdvantageScale scale = read_scale(fcinfo, 1);
	GroupMoments moments;
	double *rewards, *sorted;
	bool *nulls;
	int n, known = 0;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	rewards = read_numbers(fcinfo, 0, "rewards", &nulls, &n);
	sorted = palloc(Max(n, 1) * sizeof(double));
	for (int i = 0; i < n; i++) {
		check_interrupts_at(i);
		if (!nulls[i])
			sorted[known++] = rewards[i];
	}
	moments = group_moments(sorted, known, 0.0);
	for (int i = 0; i < n; i++) {
		check_interrupts_at(i);
		if (!nulls[i])
			rewards[i] = group_advantage(&moments, rewards[i], scale);
	}
	return numbers_like(fcinfo, 0, rewards);
}
