/*
 * Reading an audit by the rules of BudgetMix.
 */
#ifndef AGENTRL_FINDINGS_H
#define AGENTRL_FINDINGS_H

#include "budgetmix/audit.h"
#include "budgetmix/budgets.h"

#define MAX_EXAMPLES 10

/* In the order in which findings are returned; the rules of RowRule in the same order. */
typedef enum Rule {
	RULE_MIXED_BUDGET,
	RULE_OFF_GRID,
	RULE_OVER_T_MAX,
	RULE_TURNS_OVER_BUDGET,
	RULE_EXHAUSTED_REWARDED,
	RULE_STATUS_MISMATCH,
	RULE_REMAINING_MISMATCH,
	RULE_PROMPT_MISSING_BUDGET,
	RULE_GROUP_SIZE,
	RULE_PLAN_MISMATCH,
	RULE_MISSING_BUDGET,
	RULE_NOT_UNIFORM,
	RULES
} Rule;

/* Where a rule was broken, or could not be checked. */
typedef struct Tally {
	int64 groups;
	int64 rollouts;
	int nexamples;
	Datum examples[MAX_EXAMPLES]; /* keys as text: the smallest */
	char *first;				  /* about the first of them */
} Tally;

typedef struct Verdict {
	Tally broken;
	Tally unchecked;
	int64 checked; /* groups for a rule on groups, else rollouts */
} Verdict;

typedef struct Uniformity {
	double statistic;
	int64 df; /* 0: there was nothing to test */
	double p_value;
} Uniformity;

typedef struct FindingOptions {
	double alpha;
	int64 group_size; /* 0: not given */
	BudgetGrid grid;
	bool stratified;
} FindingOptions;

typedef struct Findings {
	FindingOptions options;
	Verdict verdicts[RULES];
	Uniformity uniformity;
	const char
		*untested; /* why some groups took no part in the test of uniformity; the first reason */
	int64 groups;
	int64 rollouts;
} Findings;

extern const char *rule_name(Rule rule);
extern const char *rule_severity(Rule rule);

/* Whether a rule speaks of groups as a whole. */
extern bool rule_on_groups(Rule rule);

/* Judges an audit; NULL: one without rollouts. */
extern void find_violations(Findings *findings, const Datum *audit);

/* What the rule says of the violations, in words; why it was not checked. */
extern char *broken_detail(const Findings *findings, Rule rule);
extern char *unchecked_detail(const Findings *findings, Rule rule);

#endif
