/*
 * Generalized advantage estimation (Schulman et al. 2016, equations 11-16):
 *
 *   delta_t = r_t + gamma V_{t+1} - V_t
 *   A_t     = delta_t + gamma lambda A_{t+1}
 *
 * The value after the last turn is bootstrap_value, the advantage after it 0.
 */
#include "signals/signals.h"

#include <math.h>

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "core/interrupts.h"
#include "stats/inference.h"
#include "core/rows.h"
#include "trajectory/layout.h"

typedef struct Discount {
	double gamma;
	double lambda;
	double bootstrap_value;
} Discount;

/* From three arguments in a row. */
static Discount
ReadDiscount(FunctionCallInfo fcinfo, int first)
{
	return (Discount){.gamma = read_fraction(fcinfo, first, "gamma"),
					  .lambda = read_fraction(fcinfo, first + 1, "lambda"),
					  .bootstrap_value = read_finite(fcinfo, first + 2, "bootstrap_value")};
}

/* Of n turns, the last first; a NaN among the numbers makes it and all before it NaN. */
static double *
Advantages(const Discount *discount, const double *rewards, const double *values, size_t n)
{
	double *advantages = palloc_extended(Max(n, 1) * sizeof(double), MCXT_ALLOC_HUGE);
	double value_after = discount->bootstrap_value;
	double advantage = 0.0;

	for (size_t i = n; i-- > 0;) {
		double delta = rewards[i] + discount->gamma * value_after - values[i];
		bool known = !isnan(delta) && !isnan(advantage);

		CHECK_FOR_INTERRUPTS();
		advantage = delta + discount->gamma * discount->lambda * advantage;
		if (known)
			check_range(advantage, "advantage");
		advantages[i] = advantage;
		value_after = values[i];
	}
	return advantages;
}

/* gae(rewards, vals, gamma, lambda, bootstrap_value): the advantage of each turn. */
PG_FUNCTION_INFO_V1(gae_arrays);
Datum
gae_arrays(PG_FUNCTION_ARGS)
{
	Discount discount = ReadDiscount(fcinfo, 2);
	double *rewards, *values;
	int n, nvalues;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	rewards = read_numbers(fcinfo, 0, "rewards", NULL, &n);
	values = read_numbers(fcinfo, 1, "vals", NULL, &nvalues);
	if (n != nvalues)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("rewards and vals must have the same length"),
						errdetail("There are %d rewards and %d values.", n, nvalues),
						errhint("The value after the last turn is the argument bootstrap_value.")));
	return numbers_like(fcinfo, 0, Advantages(&discount, rewards, values, n));
}

static double *
Values(const TrajectoryDraft *draft)
{
	double *values = palloc(Max(draft->nsteps, 1) * sizeof(double));

	for (size_t i = 0; i < draft->nsteps; i++) {
		check_interrupts_at(i);
		values[i] = draft->steps[i].has & STEP_VALUE ? draft->steps[i].value : NAN;
	}
	return values;
}

#define GAE_COLUMNS 5

/*
 * gae(traj, gamma, lambda, bootstrap_value): a row per turn with its reward
 * and value. A turn without a reward counts as 0 when another has one.
 */
PG_FUNCTION_INFO_V1(gae_trajectory);
Datum
gae_trajectory(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Discount discount;
	TrajectoryDraft draft;
	double *rewards, *counted, *values, *advantages;
	bool scored;

	InitMaterializedSRF(fcinfo, 0);
	discount = ReadDiscount(fcinfo, 1);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	trajectory_unpack(PG_GETARG_DATUM(0), &draft);
	rewards = palloc(Max(draft.nsteps, 1) * sizeof(double));
	counted = palloc(Max(draft.nsteps, 1) * sizeof(double));
	scored = turn_rewards(&draft, rewards);
	for (size_t i = 0; i < draft.nsteps; i++) {
		check_interrupts_at(i);
		counted[i] = scored && isnan(rewards[i]) ? 0.0 : rewards[i];
	}
	values = Values(&draft);
	advantages = Advantages(&discount, counted, values, draft.nsteps);
	for (size_t i = 0; i < draft.nsteps; i++) {
		Datum columns[GAE_COLUMNS];
		bool nulls[GAE_COLUMNS];
		int64 turn = i + 1;
		bool known = !isnan(advantages[i]);

		CHECK_FOR_INTERRUPTS();
		put_bigint(columns, nulls, 0, &turn);
		put_float(columns, nulls, 1, rewards[i], !isnan(rewards[i]));
		put_float(columns, nulls, 2, values[i], !isnan(values[i]));
		put_float(columns, nulls, 3, advantages[i], known);
		put_float(columns, nulls, 4,
				  known ? check_range(advantages[i] + values[i], "return_") : 0.0, known);
		tuplestore_putvalues(result->setResult, result->setDesc, columns, nulls);
	}
	return (Datum) 0;
}
