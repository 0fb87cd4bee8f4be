/*
 * budget_findings and budget_assert: an audit's findings as rows, or as an error.
 */
#include "budgetmix/findings.h"
#include "core/arguments.h"
#include "core/rows.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/tuplestore.h"

#define FINDING_COLUMNS 9

/* audit, alpha, group_size, step, rounding, stratified */
static void
ReadAudit(FunctionCallInfo fcinfo, Findings *findings)
{
	FindingOptions *options = &findings->options;
	Datum audit;

	memset(findings, 0, sizeof(*findings));
	require_argument(fcinfo, 1, "alpha");
	options->alpha = PG_GETARG_FLOAT8(1);
	if (!(options->alpha > 0.0 && options->alpha < 1.0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("alpha must be between 0 and 1, not %g", options->alpha)));
	if (!PG_ARGISNULL(2))
		options->group_size = read_positive(fcinfo, 2, "group_size");
	options->grid = read_budget_grid(fcinfo, 3);
	require_argument(fcinfo, 5, "stratified");
	options->stratified = PG_GETARG_BOOL(5);
	audit = PG_ARGISNULL(0) ? (Datum) 0 : PG_GETARG_DATUM(0);
	find_violations(findings, PG_ARGISNULL(0) ? NULL : &audit);
}

static void
PutFinding(ReturnSetInfo *rsinfo, const Findings *findings, Rule rule, bool broken)
{
	const Verdict *verdict = &findings->verdicts[rule];
	const Tally *tally = broken ? &verdict->broken : &verdict->unchecked;
	int64 part = rule_on_groups(rule) ? tally->groups : tally->rollouts;
	Datum examples[MAX_EXAMPLES];
	Datum values[FINDING_COLUMNS];
	bool nulls[FINDING_COLUMNS];

	memcpy(examples, tally->examples, sizeof(examples));
	put_text(values, nulls, 0, rule_name(rule));
	put_text(values, nulls, 1, broken ? rule_severity(rule) : "info");
	put_bigint(values, nulls, 2, &tally->groups);
	put_bigint(values, nulls, 3, &tally->rollouts);
	put_float(values, nulls, 4, findings->uniformity.p_value, broken && rule == RULE_NOT_UNIFORM);
	values[5] = PointerGetDatum(
		construct_array(examples, tally->nexamples, TEXTOID, -1, false, TYPALIGN_INT));
	nulls[5] = false;
	put_text(values, nulls, 6,
			 broken ? broken_detail(findings, rule) : unchecked_detail(findings, rule));
	put_bigint(values, nulls, 7, &verdict->checked);
	put_float(values, nulls, 8, broken ? (double) part / (double) verdict->checked : 0.0,
			  broken && rule != RULE_NOT_UNIFORM);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * budget_findings(audit, alpha, group_size, step, rounding, stratified): a row
 * per rule that is broken, and one of severity info per rule that could not be
 * checked, for some rollouts or for all. A rule without a row is kept by all.
 */
PG_FUNCTION_INFO_V1(budget_findings);
Datum
budget_findings(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Findings findings;

	InitMaterializedSRF(fcinfo, 0);
	ReadAudit(fcinfo, &findings);
	for (Rule rule = 0; rule < RULES; rule++) {
		if (findings.verdicts[rule].broken.groups > 0)
			PutFinding(rsinfo, &findings, rule, true);
		if (findings.verdicts[rule].unchecked.groups > 0 || findings.groups == 0)
			PutFinding(rsinfo, &findings, rule, false);
	}
	return (Datum) 0;
}

static void
AppendFinding(StringInfo out, const Findings *findings, Rule rule)
{
	const Tally *tally = &findings->verdicts[rule].broken;

	if (out->len > 0)
		appendStringInfoChar(out, '\n');
	appendStringInfo(out, "%s: groups %lld, rollouts %lld; %s.", rule_name(rule),
					 (long long) tally->groups, (long long) tally->rollouts,
					 broken_detail(findings, rule));
}

/*
 * budget_assert(audit, ...), with the arguments of budget_findings: an error
 * when there is a finding of severity error.
 */
PG_FUNCTION_INFO_V1(budget_assert);
Datum
budget_assert(PG_FUNCTION_ARGS)
{
	Findings findings;
	StringInfoData detail;
	int errors = 0;

	ReadAudit(fcinfo, &findings);
	initStringInfo(&detail);
	for (Rule rule = 0; rule < RULES; rule++) {
		if (findings.verdicts[rule].broken.groups == 0 || strcmp(rule_severity(rule), "error") != 0)
			continue;
		AppendFinding(&detail, &findings, rule);
		errors++;
	}
	if (errors > 0)
		ereport(ERROR, (errcode(ERRCODE_CHECK_VIOLATION),
						errmsg_plural("budget audit found violations of %d rule",
									  "budget audit found violations of %d rules", errors, errors),
						errdetail_internal("%s", detail.data)));
	PG_RETURN_VOID();
}
