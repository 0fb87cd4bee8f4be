#include "budgetmix/announced.h"

#include "core/interrupts.h"
#include "trajectory/trajectory.h"
#include "utils/builtins.h"

/* Turn i is to be told budget - i + 1. Turns beyond the budget break another rule. */
static Truth
RemainingMismatch(const TrajectoryDraft *draft, int64 budget)
{
	int64 turns = Min((int64) draft->nsteps, budget);
	int64 told = 0, right = 0;

	for (int64 i = 0; i < turns; i++) {
		check_interrupts_at(i);
		if (!(draft->steps[i].has & STEP_REMAINING))
			continue;
		told++;
		right += draft->steps[i].remaining == budget - i;
	}
	if (told == 0)
		return TRUTH_UNKNOWN;
	return right == turns ? TRUTH_FALSE : TRUTH_TRUE;
}

static inline bool
IsDigit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether the number stands in the text by itself, not within a longer one or a decimal. */
static bool
StatesNumber(TextView text, int64 number)
{
	char digits[MAXINT8LEN + 1];
	size_t len = snprintf(digits, sizeof(digits), INT64_FORMAT, number);

	for (size_t at = 0; at + len <= text.len; at++) {
		size_t end = at + len;

		check_interrupts_at(at);
		if (text.data[at] != digits[0] || memcmp(text.data + at, digits, len) != 0)
			continue;
		if (at > 0 && IsDigit(text.data[at - 1]))
			continue;
		if (at > 1 && strchr(".,", text.data[at - 1]) && IsDigit(text.data[at - 2]))
			continue;
		if (end < text.len && IsDigit(text.data[end]))
			continue;
		if (end + 1 < text.len && strchr(".,", text.data[end]) && IsDigit(text.data[end + 1]))
			continue;
		return true;
	}
	return false;
}

/* The prompt comes before the first turn, so what remains is the total, unless turn 1 says
 * otherwise. */
static Truth
PromptMissing(const TrajectoryDraft *draft, int64 budget)
{
	if (draft->prompt.data == NULL)
		return TRUTH_UNKNOWN;
	if (StatesNumber(draft->prompt, budget))
		return TRUTH_FALSE;
	if (draft->nsteps > 0 && (draft->steps[0].has & STEP_REMAINING) &&
		StatesNumber(draft->prompt, draft->steps[0].remaining))
		return TRUTH_FALSE;
	return TRUTH_TRUE;
}

Announced
read_announced(Datum traj, int64 budget)
{
	Announced announced;
	TrajectoryDraft draft;

	trajectory_unpack_numbers(traj, &draft);
	announced.remaining_mismatch = RemainingMismatch(&draft, budget);
	announced.prompt_missing = PromptMissing(&draft, budget);
	return announced;
}
