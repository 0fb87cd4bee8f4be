/*
 * What a budget_audit keeps: per group a multiset of rollouts, each reduced to
 * its budgets, its task and which rules it keeps, breaks or cannot be held to.
 * The rollouts of a clean group are alike, so it is one record.
 *
 * Rules that need the step, the rounding or the size of groups are judged when
 * the audit is read (findings.c); they have no flag.
 */
#ifndef AGENTRL_AUDIT_H
#define AGENTRL_AUDIT_H

#include "summary/records.h"

enum { AUDIT_BUDGET, AUDIT_T_MAX, AUDIT_PLANNED, AUDIT_FLAGS, AUDIT_TASK, AUDIT_COLUMNS };

/* Rules on a single rollout that are judged when it is added. */
typedef enum RowRule {
	ROW_TURNS_OVER_BUDGET,
	ROW_EXHAUSTED_REWARDED,
	ROW_STATUS_MISMATCH,
	ROW_REMAINING_MISMATCH,
	ROW_PROMPT_MISSING_BUDGET,
	ROW_RULES
} RowRule;

/* bits of AUDIT_FLAGS; a number whose bit is not set is 0 */
enum { AUDIT_HAS_BUDGET = 1 << 0, AUDIT_HAS_T_MAX = 1 << 1, AUDIT_HAS_PLANNED = 1 << 2 };
#define AUDIT_BROKEN(rule)	  (1 << (3 + (rule)))
#define AUDIT_UNCHECKED(rule) (1 << (3 + ROW_RULES + (rule)))
#define AUDIT_ALL_FLAGS		  ((1 << (3 + 2 * ROW_RULES)) - 1)

extern const RecordMethods budget_audit_methods;

#endif
