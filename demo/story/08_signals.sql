-- The same training, with a reward for each move.
\set section signals
INSERT INTO section (name, title, paper) VALUES ('signals', 'Process rewards',
	'exact Q rewards and GiGPO steady tight budgets on FrozenLake.');

CREATE VIEW signals_table AS
SELECT k AS "K", t AS "T", pct(pass_reference) AS "full %", pct(pass_treatment) AS "process %", points(diff) AS difference,
	between_points(ci_low, ci_high) AS interval, points(exact) || mark(exact, ci_low, ci_high) AS exact
FROM figure_diff WHERE (treatment, reference) = ('process', 'full') AND k IN (1, 8) ORDER BY k, t;
COMMENT ON VIEW signals_table IS 'Pass@(K,T) of process less full, in points, paired over {maps} maps: GRPO with the exact value of each move as reward against the outcome alone; both with 100 turns in training.';

INSERT INTO seen (section, line)
SELECT 'signals', format('at K = 8 process is ahead of full at %s and behind at %s by the intervals; %s open. Exactly: ahead at %s. At K = 8 and T = 10, process solves %s %% where base solves %s %% (exactly %s and %s).',
	coalesce('T = ' || string_agg(d.t::text, ', ' ORDER BY d.t) FILTER (WHERE d.ci_low > 0), 'no budget'),
	coalesce('T = ' || string_agg(d.t::text, ', ' ORDER BY d.t) FILTER (WHERE d.ci_high < 0), 'none'),
	coalesce('T = ' || string_agg(d.t::text, ', ' ORDER BY d.t) FILTER (WHERE d.ci_low <= 0 AND d.ci_high >= 0) || ' stay', 'none stays'),
	coalesce('T = ' || string_agg(d.t::text, ', ' ORDER BY d.t) FILTER (WHERE d.exact > 0), 'no budget'),
	max(trim(pct(p.pass))), max(trim(pct(b.pass))), max(trim(pct(p.exact))), max(trim(pct(b.exact))))
FROM figure_diff d, figure_surface p, figure_surface b
WHERE (d.treatment, d.reference, d.k) = ('process', 'full', 8) AND (p.policy, p.k, p.t) = ('process', 8, 10) AND (b.policy, b.k, b.t) = ('base', 8, 10);

\ir heading.sql
\set view signals_table
\ir show.sql
\ir seen.sql
