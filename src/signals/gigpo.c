/*
 * Group-in-group policy optimization (Feng et al. 2025, arXiv 2505.10978).
 *
 *   A^E  of a rollout: its return R in the group of all rollouts' returns
 *   G_t  = r_t + gamma G_{t+1}, the discounted return from turn t on
 *   A^S  of a turn: G_t in the group of the turns of all rollouts, the same
 *        rollout's other turns included, whose state is the same
 *   A    = A^E + omega A^S
 *
 * Each group is scaled by its own standard deviation, or not at all.
 */
#include "signals/signals.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/interrupts.h"
#include "core/arguments.h"
#include "summary/keymap.h"
#include "core/rows.h"
#include "trajectory/layout.h"

#define NO_GROUP   PG_UINT32_MAX
#define FIRST_ROOM 256

typedef struct Turn {
	double reward;		/* NaN: none is stored */
	double step_return; /* valid when the rollout is scored */
	double magnitude;	/* the same sum over absolute rewards */
	uint32 group;		/* ordinal of the state, or NO_GROUP */
} Turn;

typedef struct Rollout {
	double episode_return;
	double magnitude; /* of what it was summed from */
	size_t first;	  /* of its turns */
	size_t turns;
	bool scored;
} Rollout;

typedef struct StepGroup {
	size_t size;
	size_t first; /* of its returns */
	double magnitude;
	GroupMoments moments;
} StepGroup;

typedef struct Gigpo {
	double gamma;
	double omega;
	AdvantageScale scale;
	Rollout *rollouts;
	int nrollouts;
	Turn *turns;
	size_t nturns;
	size_t capacity;
	KeyMap states;
	GroupMoments episodes;
	StepGroup *groups;
} Gigpo;

static void *
AllocHuge(size_t n, size_t size)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, mul_size(Max(n, 1), size));
}

static void
MakeRoom(Gigpo *gigpo, size_t turns)
{
	if (gigpo->nturns + turns <= gigpo->capacity)
		return;
	gigpo->capacity = Max(gigpo->capacity * 2, gigpo->nturns + turns);
	gigpo->turns = repalloc_huge(gigpo->turns, mul_size(gigpo->capacity, sizeof(Turn)));
}

static uint32
StateGroup(Gigpo *gigpo, const TextView *state)
{
	Key key = {.data = state->data, .len = state->len};
	bool is_new;

	return state->data == NULL ? NO_GROUP : keymap_add(&gigpo->states, &key, &is_new);
}

/* The discounted return from the first turn on, turns without a reward counting as 0. */
static Turn
Discounted(double gamma, const double *rewards, size_t n, Turn *turns)
{
	Turn sum = {.step_return = 0.0, .magnitude = 0.0};

	for (size_t i = n; i-- > 0;) {
		double reward = isnan(rewards[i]) ? 0.0 : rewards[i];

		CHECK_FOR_INTERRUPTS();
		sum.step_return = check_range(reward + gamma * sum.step_return, "return");
		sum.magnitude = Min(fabs(reward) + gamma * sum.magnitude, DBL_MAX);
		if (turns == NULL)
			continue;
		turns[i].step_return = sum.step_return;
		turns[i].magnitude = sum.magnitude;
	}
	return sum;
}

/* The rollout's own reward, else the sum of its turns'. */
static void
SetEpisodeReturn(Rollout *rollout, const TrajectoryDraft *draft, const double *rewards)
{
	Turn sum;

	rollout->episode_return = draft->reward;
	rollout->magnitude = fabs(draft->reward);
	if (draft->has & ROLLOUT_REWARD)
		return;
	sum = Discounted(1.0, rewards, draft->nsteps, NULL);
	rollout->episode_return = sum.step_return;
	rollout->magnitude = sum.magnitude;
}

static void
AddRollout(Gigpo *gigpo, const TrajectoryDraft *draft)
{
	Rollout *rollout = &gigpo->rollouts[gigpo->nrollouts++];
	double *rewards = palloc(Max(draft->nsteps, 1) * sizeof(double));
	Turn *turns = &gigpo->turns[gigpo->nturns];

	rollout->first = gigpo->nturns;
	rollout->turns = draft->nsteps;
	rollout->scored = turn_rewards(draft, rewards);
	for (size_t i = 0; i < draft->nsteps; i++) {
		CHECK_FOR_INTERRUPTS();
		turns[i].reward = rewards[i];
		/* the return of an unscored rollout is unknown, so no other is compared with it */
		turns[i].group = rollout->scored ? StateGroup(gigpo, &draft->steps[i].state) : NO_GROUP;
	}
	gigpo->nturns += draft->nsteps;
	if (!rollout->scored)
		return;
	Discounted(gigpo->gamma, rewards, draft->nsteps, turns);
	SetEpisodeReturn(rollout, draft, rewards);
}

/* Reads the trajectories one by one; only one is unpacked at a time. */
static void
ReadGroup(Gigpo *gigpo, ArrayType *array)
{
	MemoryContext home = CurrentMemoryContext;
	MemoryContext scratch =
		AllocSetContextCreate(home, "trajectory of a group", ALLOCSET_DEFAULT_SIZES);
	int16 len;
	bool by_value;
	char align;
	Datum *elements;
	bool *nulls;
	int n;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("trajectories must have one dimension, not %d", ARR_NDIM(array)),
						errhint("Each group is an array of its own.")));
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &len, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), len, by_value, align, &elements, &nulls, &n);
	gigpo->rollouts = AllocHuge(n, sizeof(Rollout));
	gigpo->capacity = FIRST_ROOM;
	gigpo->turns = AllocHuge(gigpo->capacity, sizeof(Turn));
	keymap_init(&gigpo->states, KEYS_TEXT, home);
	for (int i = 0; i < n; i++) {
		TrajectoryDraft draft;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("trajectories must not contain nulls"),
							errdetail("Trajectory %d of the group is null.", i + 1),
							errhint("Leaving it out would change the group unseen; filter it, or "
									"give it a reward.")));
		MemoryContextSwitchTo(scratch);
		trajectory_unpack(elements[i], &draft);
		MakeRoom(gigpo, draft.nsteps);
		AddRollout(gigpo, &draft);
		MemoryContextSwitchTo(home);
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
}

static void
EpisodeMoments(Gigpo *gigpo)
{
	double *returns = AllocHuge(gigpo->nrollouts, sizeof(double));
	double magnitude = 0.0;
	size_t n = 0;

	for (int i = 0; i < gigpo->nrollouts; i++) {
		const Rollout *rollout = &gigpo->rollouts[i];

		check_interrupts_at(i);
		if (!rollout->scored)
			continue;
		returns[n++] = rollout->episode_return;
		magnitude = Max(magnitude, rollout->magnitude);
	}
	gigpo->episodes = group_moments(returns, n, magnitude);
	pfree(returns);
}

/* Returns are gathered by group, then each group is read for itself. */
static void
StepMoments(Gigpo *gigpo)
{
	StepGroup *groups = AllocHuge(gigpo->states.count, sizeof(StepGroup));
	double *returns = AllocHuge(gigpo->nturns, sizeof(double));
	size_t first = 0;

	zero_bytes((char *) groups, gigpo->states.count * sizeof(StepGroup));
	for (size_t i = 0; i < gigpo->nturns; i++) {
		check_interrupts_at(i);
		if (gigpo->turns[i].group != NO_GROUP)
			groups[gigpo->turns[i].group].size++;
	}
	for (uint32 g = 0; g < gigpo->states.count; g++) {
		check_interrupts_at(g);
		groups[g].first = first;
		first += groups[g].size;
		groups[g].size = 0;
	}
	for (size_t i = 0; i < gigpo->nturns; i++) {
		const Turn *turn = &gigpo->turns[i];
		StepGroup *group;

		check_interrupts_at(i);
		if (turn->group == NO_GROUP)
			continue;
		group = &groups[turn->group];
		returns[group->first + group->size++] = turn->step_return;
		group->magnitude = Max(group->magnitude, turn->magnitude);
	}
	for (uint32 g = 0; g < gigpo->states.count; g++) {
		check_interrupts_at(g);
		groups[g].moments =
			group_moments(returns + groups[g].first, groups[g].size, groups[g].magnitude);
	}
	gigpo->groups = groups;
	pfree(returns);
}

#define GIGPO_COLUMNS 8

/* turn NULL: the row of a rollout without turns. */
static void
PutTurn(ReturnSetInfo *result, const Gigpo *gigpo, int rollout, const Turn *turn)
{
	const Rollout *of = &gigpo->rollouts[rollout];
	const StepGroup *group =
		turn != NULL && turn->group != NO_GROUP ? &gigpo->groups[turn->group] : NULL;
	double episode =
		of->scored ? group_advantage(&gigpo->episodes, of->episode_return, gigpo->scale) : 0.0;
	double step =
		group != NULL ? group_advantage(&group->moments, turn->step_return, gigpo->scale) : 0.0;
	int64 number = turn == NULL ? 0 : turn - &gigpo->turns[of->first] + 1;
	int64 size = group == NULL ? 0 : (int64) group->size;
	bool known = turn != NULL && of->scored;
	Datum values[GIGPO_COLUMNS];
	bool nulls[GIGPO_COLUMNS];

	values[0] = Int32GetDatum(rollout + 1);
	nulls[0] = false;
	put_bigint(values, nulls, 1, turn == NULL ? NULL : &number);
	put_float(values, nulls, 2, turn == NULL ? 0.0 : turn->reward,
			  turn != NULL && !isnan(turn->reward));
	put_float(values, nulls, 3, known ? turn->step_return : 0.0, known);
	put_float(values, nulls, 4, episode, of->scored);
	put_float(values, nulls, 5, step, group != NULL);
	put_float(values, nulls, 6,
			  known ? check_range(episode + gigpo->omega * step, "advantage") : 0.0, known);
	put_bigint(values, nulls, 7, &size);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
PutRollout(ReturnSetInfo *result, const Gigpo *gigpo, int i)
{
	const Rollout *rollout = &gigpo->rollouts[i];

	if (rollout->turns == 0)
		PutTurn(result, gigpo, i, NULL);
	for (size_t j = 0; j < rollout->turns; j++) {
		CHECK_FOR_INTERRUPTS();
		PutTurn(result, gigpo, i, &gigpo->turns[rollout->first + j]);
	}
}

/* gigpo_advantages(trajectories, gamma, omega, scale): a row per turn of each rollout. */
PG_FUNCTION_INFO_V1(gigpo_advantages);
Datum
gigpo_advantages(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Gigpo gigpo = {0};

	InitMaterializedSRF(fcinfo, 0);
	gigpo.gamma = read_fraction(fcinfo, 1, "gamma");
	gigpo.omega = read_finite(fcinfo, 2, "omega");
	gigpo.scale = read_scale(fcinfo, 3);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	ReadGroup(&gigpo, PG_GETARG_ARRAYTYPE_P(0));
	EpisodeMoments(&gigpo);
	StepMoments(&gigpo);
	for (int i = 0; i < gigpo.nrollouts; i++) {
		CHECK_FOR_INTERRUPTS();
		PutRollout(result, &gigpo, i);
	}
	return (Datum) 0;
}
