#include "budgetmix/findings.h"

#include "core/interrupts.h"
#include "core/rows.h"
#include "miscadmin.h"
#include "stats/distribution.h"
#include "summary/keytext.h"
#include "trajectory/draft.h"
#include "utils/memutils.h"

/* of groups that a cell of the test is to expect, so that chi-square is near its distribution */
#define MIN_EXPECTED 5

typedef struct RuleText {
	const char *name;
	const char *broken;
	const char *unchecked; /* why some rollouts could not be checked */
} RuleText;

static const RuleText texts[RULES] = {
	[RULE_MIXED_BUDGET] = {"mixed_budget", "a group has more than one budget", NULL},
	[RULE_OFF_GRID] = {"off_grid", "the budget is no candidate of its t_max", "t_max is null"},
	[RULE_OVER_T_MAX] = {"over_t_max", "the budget is above t_max", "t_max is null"},
	[RULE_TURNS_OVER_BUDGET] = {"turns_over_budget", "more turns were taken than the budget allows",
								"turns are not known"},
	[RULE_EXHAUSTED_REWARDED] = {"exhausted_rewarded",
								 "a rollout that did not finish within its budget has a reward",
								 "it is not known whether they finished, or their reward"},
	[RULE_STATUS_MISMATCH] = {"status_mismatch",
							  "a rollout used its budget up unfinished, and is not truncated",
							  "their status, outcome or turns are not known"},
	[RULE_REMAINING_MISMATCH] = {"remaining_mismatch",
								 "a turn was not told what remained of the budget",
								 "no turn says what it was told"},
	[RULE_PROMPT_MISSING_BUDGET] = {"prompt_missing_budget", "the prompt states no budget",
									"the prompt is not known"},
	[RULE_GROUP_SIZE] = {"group_size", "a group is not of the size that was given",
						 "no group_size was given"},
	[RULE_PLAN_MISMATCH] = {"plan_mismatch", "the budget is not the planned one",
							"the planned budget is not known"},
	[RULE_MISSING_BUDGET] = {"missing_budget", "the budget is null", NULL},
	[RULE_NOT_UNIFORM] = {"not_uniform", "budgets are not drawn uniformly", NULL},
};

const char *
rule_name(Rule rule)
{
	return texts[rule].name;
}

const char *
rule_severity(Rule rule)
{
	return rule == RULE_NOT_UNIFORM ? "warning" : "error";
}

bool
rule_on_groups(Rule rule)
{
	return rule == RULE_MIXED_BUDGET || rule == RULE_GROUP_SIZE || rule == RULE_NOT_UNIFORM;
}

/* ---- one rollout ---- */

static inline int64
FlagsOf(const uint64 *record)
{
	return record_int_value(record[AUDIT_FLAGS]);
}

static inline int64
NumberOf(const uint64 *record, int column)
{
	return record_int_value(record[column]);
}

static Truth
BudgetAgainstTMax(const uint64 *record, Rule rule, const BudgetGrid *grid)
{
	int64 t_max = NumberOf(record, AUDIT_T_MAX);
	int64 budget = NumberOf(record, AUDIT_BUDGET);
	bool broken;

	if (!(FlagsOf(record) & AUDIT_HAS_T_MAX))
		return TRUTH_UNKNOWN;
	if (rule == RULE_OVER_T_MAX)
		broken = budget > t_max;
	else
		broken = budget <= t_max && budget_index(grid, t_max, budget) < 0;
	return broken ? TRUTH_TRUE : TRUTH_FALSE;
}

static Truth
BudgetAgainstPlan(const uint64 *record)
{
	if (!(FlagsOf(record) & AUDIT_HAS_PLANNED))
		return TRUTH_UNKNOWN;
	return NumberOf(record, AUDIT_BUDGET) != NumberOf(record, AUDIT_PLANNED) ? TRUTH_TRUE
																			 : TRUTH_FALSE;
}

static Truth
AsAdded(int64 flags, Rule rule)
{
	RowRule row_rule = (RowRule) (rule - RULE_TURNS_OVER_BUDGET);

	if (flags & AUDIT_UNCHECKED(row_rule))
		return TRUTH_UNKNOWN;
	return flags & AUDIT_BROKEN(row_rule) ? TRUTH_TRUE : TRUTH_FALSE;
}

/* Whether a rollout breaks a rule on rollouts. */
static Truth
Breaks(const uint64 *record, Rule rule, const BudgetGrid *grid)
{
	switch (rule) {
		case RULE_OFF_GRID:
		case RULE_OVER_T_MAX:
			return BudgetAgainstTMax(record, rule, grid);
		case RULE_PLAN_MISMATCH:
			return BudgetAgainstPlan(record);
		case RULE_MISSING_BUDGET:
			return FlagsOf(record) & AUDIT_HAS_BUDGET ? TRUTH_FALSE : TRUTH_TRUE;
		default:
			return AsAdded(FlagsOf(record), rule);
	}
}

/* A rollout without a budget is missing_budget's, and at most exhausted_rewarded's besides. */
static bool
Concerns(const uint64 *record, Rule rule)
{
	return (FlagsOf(record) & AUDIT_HAS_BUDGET) || rule == RULE_MISSING_BUDGET ||
		   (rule == RULE_EXHAUSTED_REWARDED &&
			(FlagsOf(record) & AUDIT_BROKEN(ROW_EXHAUSTED_REWARDED)));
}

/* ---- one group ---- */

/* Which budgets a group has; the first and the last are the smallest and the largest. */
typedef struct GroupBudgets {
	int64 rollouts; /* with a known budget */
	int64 distinct;
	int64 low;
	int64 high;
	int64 t_max; /* 0: none known */
	bool t_max_differs;
} GroupBudgets;

/* Records are in ascending order of their budgets. */
static GroupBudgets
BudgetsOf(const RecordReader *reader)
{
	GroupBudgets budgets = {0};

	for (uint64 i = 0; i < reader->n; i++) {
		const uint64 *record = record_at(reader, i);
		int64 budget = NumberOf(record, AUDIT_BUDGET);
		int64 t_max = NumberOf(record, AUDIT_T_MAX);

		check_interrupts_at(i);
		if (!(FlagsOf(record) & AUDIT_HAS_BUDGET))
			continue;
		if (budgets.distinct == 0)
			budgets.low = budget;
		if (budgets.distinct == 0 || budget != budgets.high)
			budgets.distinct++;
		budgets.high = budget;
		budgets.t_max_differs |= budgets.rollouts > 0 && t_max != budgets.t_max;
		budgets.t_max = t_max;
		budgets.rollouts += reader->counts[i];
	}
	return budgets;
}

static void
AddExample(Tally *tally, const RecordReader *reader)
{
	if (tally->nexamples < MAX_EXAMPLES)
		tally->examples[tally->nexamples++] = key_text(reader->summary.kind, &reader->summary.key);
}

static void
AddGroup(Tally *tally, const RecordReader *reader, int64 rollouts)
{
	tally->groups++;
	tally->rollouts += rollouts;
	AddExample(tally, reader);
}

static char *
KeyName(const RecordReader *reader)
{
	const Key *key = &reader->summary.key;

	if (reader->summary.kind == KEYS_TEXT)
		return key_to_cstring(key);
	return psprintf("%lld", (long long) key->number);
}

static void
AppendTask(StringInfo out, const RecordReader *reader, const uint64 *record)
{
	const Key *task;

	if (record[AUDIT_TASK] == RECORD_NO_TEXT)
		return;
	task = &reader->texts[record[AUDIT_TASK] - 1];
	appendStringInfo(out, ", task %s", key_to_cstring(task));
}

static void
AppendNumber(StringInfo out, const uint64 *record, const char *name, int column, int bit)
{
	if (FlagsOf(record) & bit)
		appendStringInfo(out, ", %s %lld", name, (long long) NumberOf(record, column));
}

/* A group and one of its records, in words. */
static char *
DescribeRecord(const RecordReader *reader, const uint64 *record)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfo(&out, "group %s", KeyName(reader));
	AppendTask(&out, reader, record);
	AppendNumber(&out, record, "budget", AUDIT_BUDGET, AUDIT_HAS_BUDGET);
	AppendNumber(&out, record, "t_max", AUDIT_T_MAX, AUDIT_HAS_T_MAX);
	AppendNumber(&out, record, "planned", AUDIT_PLANNED, AUDIT_HAS_PLANNED);
	return out.data;
}

/* Holds the rollouts of a group to a rule on rollouts. */
static void
JudgeRollouts(Findings *findings, const RecordReader *reader, Rule rule)
{
	Verdict *verdict = &findings->verdicts[rule];
	int64 broken = 0, unchecked = 0;
	const uint64 *first = NULL;

	for (uint64 i = 0; i < reader->n; i++) {
		const uint64 *record = record_at(reader, i);
		Truth breaks;

		check_interrupts_at(i);
		if (!Concerns(record, rule))
			continue;
		breaks = Breaks(record, rule, &findings->options.grid);
		if (breaks == TRUTH_UNKNOWN) {
			unchecked += reader->counts[i];
			continue;
		}
		verdict->checked += reader->counts[i];
		if (breaks == TRUTH_FALSE)
			continue;
		broken += reader->counts[i];
		if (first == NULL)
			first = record;
	}
	if (unchecked > 0)
		AddGroup(&verdict->unchecked, reader, unchecked);
	if (broken == 0)
		return;
	AddGroup(&verdict->broken, reader, broken);
	if (verdict->broken.first == NULL)
		verdict->broken.first = DescribeRecord(reader, first);
}

static void
JudgeMixture(Findings *findings, const RecordReader *reader, const GroupBudgets *budgets)
{
	Verdict *verdict = &findings->verdicts[RULE_MIXED_BUDGET];

	if (budgets->distinct == 0)
		return;
	verdict->checked++;
	if (budgets->distinct == 1)
		return;
	AddGroup(&verdict->broken, reader, budgets->rollouts);
	if (verdict->broken.first == NULL)
		verdict->broken.first = psprintf("group %s, %lld budgets from %lld to %lld",
										 KeyName(reader), (long long) budgets->distinct,
										 (long long) budgets->low, (long long) budgets->high);
}

static void
JudgeSize(Findings *findings, const RecordReader *reader, int64 rollouts)
{
	Verdict *verdict = &findings->verdicts[RULE_GROUP_SIZE];

	if (findings->options.group_size == 0) {
		AddGroup(&verdict->unchecked, reader, rollouts);
		return;
	}
	verdict->checked++;
	if (rollouts == findings->options.group_size)
		return;
	AddGroup(&verdict->broken, reader, rollouts);
	if (verdict->broken.first == NULL)
		verdict->broken.first =
			psprintf("group %s, %lld rollouts", KeyName(reader), (long long) rollouts);
}

/* ---- the test of uniformity ---- */

static void
LeaveUntested(Findings *findings, int64 groups, int64 rollouts, const char *why)
{
	Tally *tally = &findings->verdicts[RULE_NOT_UNIFORM].unchecked;

	tally->groups += groups;
	tally->rollouts += rollouts;
	if (findings->untested == NULL)
		findings->untested = why;
}

/* The draw of a group: which candidate of its t_max it got. */
typedef struct Drawn {
	int64 t_max;
	int64 index;
	int64 rollouts;
} Drawn;

typedef struct DrawnList {
	Drawn *items;
	Size used;
	Size capacity;
} DrawnList;

/* A group whose budget breaks another rule says nothing of the draw. */
static void
AddDrawn(Findings *findings, DrawnList *list, const GroupBudgets *budgets)
{
	Drawn drawn = {budgets->t_max, 0, budgets->rollouts};

	if (budgets->distinct != 1)
		return;
	if (budgets->t_max_differs || budgets->t_max == 0) {
		LeaveUntested(findings, 1, budgets->rollouts, "a group has no t_max, or more than one");
		return;
	}
	drawn.index = budget_index(&findings->options.grid, drawn.t_max, budgets->low);
	if (drawn.index < 0)
		return;
	if (list->used == list->capacity) {
		list->capacity *= 2;
		list->items = repalloc_huge(list->items, mul_size(list->capacity, sizeof(Drawn)));
	}
	list->items[list->used++] = drawn;
}

#define ST_SORT			sort_drawn
#define ST_ELEMENT_TYPE Drawn
#define ST_COMPARE(a, b)                                                                           \
	((a)->t_max != (b)->t_max ? ((a)->t_max > (b)->t_max) - ((a)->t_max < (b)->t_max)              \
							  : ((a)->index > (b)->index) - ((a)->index < (b)->index))
#define ST_SCOPE static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DEFINE
#include "lib/sort_template.h"

/* The reason that is kept is written once, however many strata have one. */
static const char *
TooFewGroups(const Findings *findings, Size n, int64 t_max, int64 cells)
{
	if (findings->untested != NULL)
		return findings->untested;
	return psprintf("%lld groups of t_max %lld are too few for %lld budgets, "
					"%d for each are needed",
					(long long) n, (long long) t_max, (long long) cells, MIN_EXPECTED);
}

/* n groups of one t_max, ascending by index. */
static void
TestStratum(Findings *findings, const Drawn *drawn, Size n)
{
	Verdict *verdict = &findings->verdicts[RULE_NOT_UNIFORM];
	int64 cells = budget_count(&findings->options.grid, drawn->t_max);
	double squares = 0.0;
	int64 rollouts = 0;

	if (cells == 1)
		return;
	for (Size i = 0; i < n; i++) {
		check_interrupts_at(i);
		rollouts += drawn[i].rollouts;
	}
	if ((int64) n < MIN_EXPECTED * cells) {
		LeaveUntested(findings, n, rollouts, TooFewGroups(findings, n, drawn->t_max, cells));
		return;
	}
	for (Size i = 0, j; i < n; i = j) {
		for (j = i; j < n && drawn[j].index == drawn[i].index; j++)
			check_interrupts_at(j);
		squares += (double) (j - i) * (double) (j - i);
	}
	findings->uniformity.statistic += squares * (double) cells / (double) n - (double) n;
	findings->uniformity.df += cells - 1;
	verdict->checked += n;
	verdict->broken.groups += n;
	verdict->broken.rollouts += rollouts;
}

static void
TestUniformity(Findings *findings, DrawnList *list)
{
	Uniformity *uniformity = &findings->uniformity;

	sort_drawn(list->items, list->used);
	for (Size i = 0, j; i < list->used; i = j) {
		for (j = i; j < list->used && list->items[j].t_max == list->items[i].t_max; j++)
			check_interrupts_at(j);
		TestStratum(findings, list->items + i, j - i);
	}
	if (uniformity->df > 0)
		uniformity->p_value = chi2_sf(uniformity->statistic, (double) uniformity->df);
	if (uniformity->df == 0 || uniformity->p_value >= findings->options.alpha)
		findings->verdicts[RULE_NOT_UNIFORM].broken = (Tally){0};
}

/* ---- the audit ---- */

static void
JudgeGroup(Findings *findings, const RecordReader *reader, DrawnList *drawn)
{
	GroupBudgets budgets = BudgetsOf(reader);
	int64 rollouts = 0;

	for (uint64 i = 0; i < reader->n; i++) {
		check_interrupts_at(i);
		rollouts += reader->counts[i];
	}
	findings->groups++;
	findings->rollouts += rollouts;
	JudgeMixture(findings, reader, &budgets);
	JudgeSize(findings, reader, rollouts);
	for (Rule rule = 0; rule < RULES; rule++) {
		if (!rule_on_groups(rule))
			JudgeRollouts(findings, reader, rule);
	}
	if (findings->options.stratified)
		LeaveUntested(findings, 1, rollouts, "the plan is stratified");
	else
		AddDrawn(findings, drawn, &budgets);
}

void
find_violations(Findings *findings, const Datum *audit)
{
	DrawnList drawn = {.capacity = 64};
	RecordReader reader;

	if (audit == NULL)
		return;
	drawn.items = palloc(drawn.capacity * sizeof(Drawn));
	records_open(&reader, &budget_audit_methods, *audit);
	while (records_next(&reader))
		JudgeGroup(findings, &reader, &drawn);
	TestUniformity(findings, &drawn);
	records_close(&reader);
}

char *
broken_detail(const Findings *findings, Rule rule)
{
	const Verdict *verdict = &findings->verdicts[rule];
	const Uniformity *uniformity = &findings->uniformity;

	if (rule == RULE_NOT_UNIFORM)
		return psprintf("%s: chi-square %.2f, %lld degrees of freedom", texts[rule].broken,
						uniformity->statistic, (long long) uniformity->df);
	return psprintf("%s; first: %s", texts[rule].broken, verdict->broken.first);
}

char *
unchecked_detail(const Findings *findings, Rule rule)
{
	if (findings->groups == 0)
		return pstrdup("not checked: there are no rollouts");
	return psprintf("not checked: %s",
					rule == RULE_NOT_UNIFORM ? findings->untested : texts[rule].unchecked);
}
