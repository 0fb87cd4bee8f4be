-- How far has the policy moved from base, at like length?
\set section likelihood
INSERT INTO section (name, title, paper) VALUES ('likelihood', 'Likelihood under the base policy',
	'per action the trained policy looks like the base (NLL 12.20 against 10.25, overlapping), yet the cumulative log-likelihood ratio of successful rollouts is about 228 against 26 nats; at like length the difference is 185.9 nats (Terminal) and 805.8 (BFCL), above zero.');

CREATE TABLE figure_ratio AS
WITH rollout AS (
	SELECT meta->>'policy' AS policy, task_id, success(traj) AS success, log_ratio(traj) AS ratio, -ref_loglik(traj) AS nll, tokens(traj) AS moves
	FROM rollouts WHERE run IN ('base-100', 'full-100', 'budgetmix-100', 'process-100')),
mean AS (
	SELECT policy, count(*) AS rollouts, sum(nll) / sum(moves) AS nll_per_move, sum(moves) / count(*) AS moves,
		avg(ratio) FILTER (WHERE success) AS of_successes, count(*) FILTER (WHERE success) AS successes,
		-- a rollout of base has ratio 0, so 0 is the other arm
		paired_agg(task_id, true, ratio) AS moved
	FROM rollout GROUP BY policy),
exact AS (
	SELECT policy, avg(recovered) FILTER (WHERE measure = 'log ratio') AS ratio,
		sum(recovered) FILTER (WHERE measure = 'log ratio of successes') / sum(eligible) FILTER (WHERE measure = 'log ratio of successes') AS of_successes
	FROM lab_errors GROUP BY policy)
SELECT m.policy, rollouts, nll_per_move, m.moves, d.diff AS ratio, d.ci_low, d.ci_high, e.ratio AS exact, successes, m.of_successes, e.of_successes AS exact_of_successes
FROM mean m JOIN exact e USING (policy),
	paired_diff((SELECT rollup(s) FROM (SELECT m.moved AS s UNION ALL SELECT paired_agg(task, false, 0) FROM lab_maps) q)) d;
INSERT INTO checked
SELECT 'likelihood', 'log ratio of ' || policy, ratio, ci_low, ci_high, exact FROM figure_ratio WHERE policy <> 'base';

CREATE TABLE figure_matched AS
SELECT p.policy, d.*
FROM unnest('{full,budgetmix,process}'::text[]) p(policy), LATERAL (
	SELECT length_matched_agg(task_id, meta->>'policy' = p.policy, tokens(traj), log_ratio(traj)) AS s
	FROM rollouts WHERE run IN ('base-100', p.policy || '-100')) q, length_matched_diff(s) d;

CREATE VIEW likelihood_ratio AS
SELECT policy, to_char(moves, 'FM990.0') AS "moves", to_char(nll_per_move, 'FM90.000') AS "NLL",
	CASE WHEN policy <> 'base' THEN to_char(ratio, 'FM90.00') END AS ratio,
	CASE WHEN policy <> 'base' THEN to_char(ci_low, 'FM90.00') || ' to ' || to_char(ci_high, 'FM90.00') END AS interval,
	to_char(exact, 'FM90.00') || mark(exact, ci_low, ci_high) AS exact, successes,
	to_char(of_successes, 'FM90.00') AS "theirs", to_char(exact_of_successes, 'FM90.00') AS "exact "
FROM figure_ratio ORDER BY array_position('{base,full,budgetmix,process}', policy);
COMMENT ON VIEW likelihood_ratio IS 'Rollouts of 100 turns: their moves, negative log-likelihood of a move under base (NLL), and log(policy / base) of a rollout in nats: the mean of all, and of the successful ones.';

CREATE VIEW likelihood_matched AS
SELECT policy, pairs, tasks, to_char(mean_treatment, 'FM90.00') AS "log ratio", to_char(mean_reference, 'FM90.00') AS base, to_char(diff, 'FM90.00') AS diff,
	to_char(ci_low, 'FM90.00') || ' to ' || to_char(ci_high, 'FM90.00') AS interval, unmatched_treatment AS "unmatched", unmatched_reference AS "of base"
FROM figure_matched ORDER BY array_position('{full,budgetmix,process}', policy);
COMMENT ON VIEW likelihood_matched IS 'Pairs of rollouts of one map whose lengths differ by at most 10 % of the longer: log ratio in nats, maps resampled.';

INSERT INTO seen (section, line)
SELECT 'likelihood', format('of the successful rollouts of full the log ratio is %s nats, of all %s; at like length %s (95 %%: %s to %s), %s zero. A rollout here is some %s moves of one token, so nats are few. The base''s own ratio is 0 by definition.',
	trim(to_char(r.of_successes, 'FM90.00')), trim(to_char(r.ratio, 'FM90.00')), trim(to_char(m.diff, 'FM90.00')), trim(to_char(m.ci_low, 'FM90.00')), trim(to_char(m.ci_high, 'FM90.00')),
	CASE WHEN m.ci_low > 0 THEN 'above' WHEN m.ci_high < 0 THEN 'below' ELSE 'not told from' END, round(r.moves))
FROM figure_ratio r JOIN figure_matched m USING (policy) WHERE policy = 'full';

\ir heading.sql
\set view likelihood_ratio
\ir show.sql
\set view likelihood_matched
\ir show.sql
\ir seen.sql
