-- Did the rollouts of the BudgetMix run keep to their budgets? And would we know?
\set section audit
INSERT INTO section (name, title, paper) VALUES ('audit', 'The audit of the BudgetMix run, and of one with faults',
	'the whole group shares its budget, the prompt states total and remaining, a rollout that uses its budget up unfinished earns zero.');

-- Who falls into a hole on the very last turn looks like one that was cut, unless the status says that the lake ended it.
CREATE TABLE audited AS
SELECT epoch, r.task_id AS task, p.attempt, p.budget AS planned, turns(traj) = p.budget AND stop_reason(traj) = 'hole' AS fell_last,
	CASE WHEN stop_reason(traj) = 'hole' THEN (traj::jsonb || '{"status": "agent_error"}')::trajectory ELSE traj END AS traj
FROM rollouts r JOIN lab_plan p ON (r.task_id, r.attempt_id::bigint) = (p.task, p.attempt)
WHERE r.run = 'budgetmix-plan' AND p.epoch = (SELECT max(checkpoint) FROM lab_dynamics);

-- A copy with faults, each in a group of its own: what happens to one rollout, or to its whole group.
CREATE FUNCTION broken(traj jsonb, fault text, attempt bigint) RETURNS jsonb LANGUAGE sql AS $$
	SELECT CASE fault
		WHEN 'mixed_budget' THEN CASE WHEN attempt = 1 THEN jsonb_set(traj, '{budget}', '90') ELSE jsonb_set(traj, '{budget}', '100') END
		WHEN 'off_grid' THEN jsonb_set(traj, '{budget}', '37')
		WHEN 'over_t_max' THEN jsonb_set(traj, '{budget}', '110')
		WHEN 'plan_mismatch' THEN jsonb_set(traj, '{budget}', '100')
		WHEN 'missing_budget' THEN traj - 'budget'
		WHEN 'exhausted_rewarded' THEN (traj - 'solved_at') || '{"status": "truncated", "success": false, "reward": 1}'
		WHEN 'status_mismatch' THEN (traj - 'solved_at')
			|| format('{"success": false, "reward": 0, "status": "completed", "budget": %s}', jsonb_array_length(traj->'steps'))::jsonb
		WHEN 'turns_over_budget' THEN jsonb_set(traj, '{budget}', '1')
		WHEN 'remaining_mismatch' THEN jsonb_set(traj, '{steps,0,remaining}', '7')
		WHEN 'prompt_missing_budget' THEN jsonb_set(traj, '{prompt}', '"Cross the lake."')
		ELSE traj END $$;
CREATE TABLE planted AS
SELECT fault, format('train-%s', to_char(7 * place, 'FM000')) AS task
FROM unnest('{mixed_budget,off_grid,over_t_max,plan_mismatch,missing_budget,exhausted_rewarded,status_mismatch,turns_over_budget,remaining_mismatch,prompt_missing_budget,group_size}'::text[])
	WITH ORDINALITY f(fault, place);
CREATE TABLE spoilt AS
SELECT epoch, task, attempt, planned, p.fault,
	CASE WHEN p.fault IN ('off_grid', 'over_t_max', 'plan_mismatch', 'mixed_budget') OR p.fault IS NOT NULL AND attempt = 1
		THEN broken(traj::jsonb, p.fault, attempt)::trajectory ELSE traj END AS traj
FROM audited a LEFT JOIN planted p USING (task)
WHERE NOT (p.fault IS NOT DISTINCT FROM 'group_size' AND attempt = 1);

CREATE TABLE figure_audit AS
SELECT 'clean' AS run, f.* FROM budget_findings((SELECT budget_audit_agg(format('%s:%s', epoch, task), task, traj, 100, planned) FROM audited), group_size => 16) f
UNION ALL
SELECT 'faults planted', f.* FROM budget_findings((SELECT budget_audit_agg(format('%s:%s', epoch, task), task, traj, 100, planned) FROM spoilt), group_size => 16) f;

CREATE VIEW audit_clean AS
SELECT count(*) AS rollouts, count(DISTINCT task) AS "groups",
	(SELECT count(*) FROM figure_audit WHERE run = 'clean' AND severity = 'error') AS "errors",
	(SELECT count(*) FROM figure_audit WHERE run = 'clean' AND severity = 'warning') AS "warnings",
	(SELECT coalesce(string_agg(rule || ': ' || detail, '; '), 'none') FROM figure_audit WHERE run = 'clean' AND severity = 'info') AS "not checked"
FROM audited;
COMMENT ON VIEW audit_clean IS 'The rollouts of the last epoch of the plan, all rules.';

CREATE VIEW audit_planted AS
SELECT p.fault AS planted, p.task AS "in", f.severity, f.groups, f.rollouts,
	f.examples @> ARRAY[format('%s:%s', (SELECT max(epoch) FROM audited), p.task)] AS "named"
FROM planted p LEFT JOIN figure_audit f ON f.run = 'faults planted' AND f.rule = p.fault ORDER BY p.task;
COMMENT ON VIEW audit_planted IS 'A copy with a fault in each of eleven groups, and what the audit says of it. A fault may break more rules than its own: another budget is also another plan.';

INSERT INTO seen (section, line)
SELECT 'audit', format('the run %s; of %s planted faults the audit names %s. %s rollouts fell into a hole on their very last turn: without the word of the lake (stop_reason) they look like cut ones, and status_mismatch would name them.',
	CASE WHEN EXISTS (SELECT FROM figure_audit WHERE run = 'clean' AND severity <> 'info') THEN 'has findings' ELSE 'is clean' END,
	count(*), count(*) FILTER (WHERE named), (SELECT count(*) FROM audited WHERE fell_last)) FROM audit_planted;

\ir heading.sql
\set view audit_clean
\ir show.sql
\set view audit_planted
\ir show.sql
\ir seen.sql
