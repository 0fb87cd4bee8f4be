-- Training, checkpoint by checkpoint.
\set section dynamics
INSERT INTO section (name, title, paper) VALUES ('dynamics', 'Training dynamics: many turns against one',
	'on DeepCoder-MT training moves R_multi by +0.331 and R_single by −0.097, and the gap grows through training.');

CREATE TABLE figure_dynamics AS
SELECT policy, r.*
FROM (SELECT policy, dynamics_agg(checkpoint, task, r_multi, r_single) AS s FROM lab_dynamics GROUP BY policy) q, dynamics_report(s) r;
CREATE TABLE figure_slope AS
SELECT policy, r.*, dynamics_diverged(s) AS diverged
FROM (SELECT policy, dynamics_agg(checkpoint, task, r_multi, r_single) AS s FROM lab_dynamics GROUP BY policy) q, dynamics_slopes(s) r;

CREATE VIEW dynamics_table AS
SELECT checkpoint AS epoch, pct(r_multi) AS "R_multi %", pct(r_single) AS "R_single %", points(d_multi) AS "change multi", points(d_single) AS "change single",
	points(gap) AS "gap", between_points(band_low, band_high) AS band, diverged
FROM figure_dynamics WHERE policy = 'full' ORDER BY checkpoint;
COMMENT ON VIEW dynamics_table IS 'Training full: success with 100 turns, and of a plan of 100 moves written in one turn, without seeing the ice. Both are exact on each of the {maps} test maps; the band of the gap speaks of other maps.';

CREATE VIEW dynamics_ends AS
SELECT d.policy, points(d_multi) AS "change multi", between_points(d_multi_low, d_multi_high) AS "interval ", points(d_single) AS "change single",
	between_points(d_single_low, d_single_high) AS interval, s.diverged AS "apart from"
FROM figure_dynamics d JOIN figure_slope s ON s.policy = d.policy AND s.measure = 'gap'
WHERE checkpoint = (SELECT max(checkpoint) FROM figure_dynamics) ORDER BY array_position('{full,budgetmix,process}', d.policy);
COMMENT ON VIEW dynamics_ends IS 'Change from base to the last epoch, in points, and the epoch from which the band of the gap stays above 0.';

INSERT INTO seen (section, line)
SELECT 'dynamics', format('training full, R_multi goes from %s to %s %%; R_single from %s %% to %s %% at epoch %s, its lowest, and then to %s %%. So R_single %s, where in the paper it falls. The two part for good at epoch %s.',
	trim(pct(a.r_multi)), trim(pct(z.r_multi)), trim(to_char(100 * a.r_single, '90.00')), trim(to_char(100 * l.r_single, '90.00')), l.checkpoint, trim(to_char(100 * z.r_single, '90.00')),
	CASE WHEN l.checkpoint = a.checkpoint THEN 'does not fall' WHEN l.checkpoint = z.checkpoint THEN 'falls throughout' WHEN z.r_single < a.r_single THEN 'falls and partly recovers' ELSE 'falls, then rises above where it began' END,
	coalesce((SELECT max(diverged) FROM figure_slope WHERE policy = 'full')::text, 'none'))
FROM figure_dynamics a, (SELECT * FROM figure_dynamics WHERE policy = 'full' ORDER BY checkpoint DESC LIMIT 1) z,
	(SELECT * FROM figure_dynamics WHERE policy = 'full' ORDER BY r_single, checkpoint LIMIT 1) l
WHERE a.policy = 'full' AND a.checkpoint = 0;

\ir heading.sql
\set view dynamics_table
\ir show.sql
\set view dynamics_ends
\ir show.sql
\ir seen.sql
