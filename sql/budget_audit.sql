-- The audit: a group for each rule, and what it finds.

-- Groups of two, T_max 10. Group 1 keeps all rules; each of the others breaks the one that it is named for.
CREATE TABLE rollouts (name text, budget int, turns int, finished bool, reward float8, planned int);
INSERT INTO rollouts VALUES ('1 clean', 5, 3, true, 1, 5), ('1 clean', 5, 5, false, 0, 5),
	('2 two budgets', 5, 1, true, 0, 5), ('2 two budgets', 6, 1, true, 0, 6),
	('4 over T_max', 12, 1, true, 0, 12), ('4 over T_max', 12, 1, true, 0, 12),
	('5 too many turns', 3, 4, true, 0, 3), ('5 too many turns', 3, 3, true, 0, 3),
	('6 rewarded', 4, 4, false, 1, 4), ('6 rewarded', 4, 4, false, 0, 4),
	('7 alone', 4, 1, true, 0, 4),
	('8 not as planned', 7, 1, true, 0, 8), ('8 not as planned', 7, 1, true, 0, 7),
	('9 no budget', NULL, 1, true, 0, NULL), ('9 no budget', 5, 1, true, 0, 5);
CREATE TABLE audits AS SELECT budget_audit_agg(name, name, budget, turns, finished, reward, 10, planned) AS audit FROM rollouts;
SELECT rule, severity, groups, rollouts, checked, examples FROM audits, budget_findings(audit, group_size => 2) ORDER BY rule COLLATE "C";
-- of T_max 15 the candidates are 2, 3, 5, 6, ...: 4 is none
SELECT rule, severity, groups, rollouts FROM budget_findings((SELECT budget_audit_agg(1, 'task', b, 1, true, 0, 15) FROM (VALUES (4), (4)) v(b))) ORDER BY rule COLLATE "C";

-- by trajectories, more is seen. Rollout b was cut without being called so; c was told another number of turns than were left;
-- the prompt of d names another budget than its own
CREATE TABLE runs AS SELECT name, traj::trajectory FROM (VALUES
	('a', '{"success":false,"status":"truncated","budget":2,"prompt":"You have 2 turns.","steps":[{"remaining":2},{"remaining":1}]}'),
	('b', '{"success":false,"status":"completed","budget":2,"prompt":"You have 2 turns.","steps":[{"remaining":2},{"remaining":1}]}'),
	('c', '{"success":true,"status":"completed","budget":2,"prompt":"You have 2 turns.","steps":[{"remaining":1}]}'),
	('d', '{"success":true,"status":"completed","budget":2,"prompt":"You have 20 turns.","steps":[{"remaining":2}]}')) v(name, traj);
SELECT rule, severity, groups, rollouts, checked, examples FROM budget_findings((SELECT budget_audit_agg(name, 1, traj, 10) FROM runs)) ORDER BY rule COLLATE "C";

-- a run that is as it should be has nothing but what could not be checked; one that is not, fails the job
SELECT rule, severity FROM budget_findings((SELECT budget_audit_agg(name, name, budget, turns, finished, reward, 10) FROM rollouts WHERE name ~ '^1')) ORDER BY rule COLLATE "C";
SELECT budget_assert(budget_audit_agg(name, name, budget, turns, finished, reward, 10)) FROM rollouts WHERE name ~ '^1';
SELECT budget_assert(audit) FROM audits;
SELECT rollup(s) = (SELECT audit FROM audits) AS equal FROM (SELECT budget_audit_agg(name, name, budget, turns, finished, reward, 10, planned) AS s FROM rollouts GROUP BY turns) q;
DROP TABLE rollouts, audits, runs;

-- mistakes
SELECT budget_audit_agg(NULL::text, 1, 5, 1, true, 0, 10);
SELECT budget_audit_agg(1, 1, NULL::trajectory, 10);
SELECT * FROM budget_findings(NULL, alpha => 2);
