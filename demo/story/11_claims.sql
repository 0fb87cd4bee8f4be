-- The paper's claims, one by one, and how many intervals held.
\set section claims
INSERT INTO section (name, title) VALUES ('claims', 'The paper and this lab');
INSERT INTO seen (section, line) VALUES ('claims', 'this is a small world. That it agrees proves nothing about language models; that it differs does not refute them.');

DELETE FROM checked WHERE ci_low IS NULL;  -- no interval, so none that could miss

-- a difference with its interval, where the paper saw plus
CREATE FUNCTION verdict(low float8, high float8, sign int DEFAULT 1) RETURNS text IMMUTABLE LANGUAGE sql
	RETURN CASE WHEN sign * low > 0 AND sign * high > 0 THEN 'agrees' WHEN sign * low < 0 AND sign * high < 0 THEN 'the opposite' ELSE 'not resolved' END;
INSERT INTO claim (claim, paper, here, verdict)
SELECT format('full - base, K = 8, T = %s', t), CASE t WHEN 25 THEN '-1.6' WHEN 100 THEN 'above 0' ELSE 'below 0 when tight' END, points(diff), verdict(ci_low, ci_high, CASE t WHEN 100 THEN 1 ELSE -1 END)
FROM figure_diff WHERE (treatment, reference, k) = ('full', 'base', 8) AND t IN (10, 15, 25, 100) ORDER BY t;
INSERT INTO claim (claim, paper, here, verdict)
SELECT 'matched states, full better', '42.8 %', pct(win_rate) || ' %', CASE WHEN win_low > 0.428 OR win_high < 0.428 THEN 'differs' ELSE 'agrees' END
FROM figure_states WHERE kind = 'matched' AND source IS NULL AND depth IS NULL;
INSERT INTO claim (claim, paper, here, verdict)
SELECT 'error states, full better', '65.7 %', pct(win_rate) || ' %', CASE WHEN win_low > 0.657 OR win_high < 0.657 THEN 'differs' ELSE 'agrees' END
FROM figure_states WHERE kind = 'injected' AND source IS NULL AND depth IS NULL;
INSERT INTO claim (claim, paper, here, verdict)
SELECT 'success from error states, full - base', '+12.7', points(diff), verdict(ci_low, ci_high)
FROM figure_states WHERE kind = 'continued' AND source IS NULL AND depth IS NULL;
INSERT INTO claim (claim, paper, here, verdict)
SELECT 'log ratio at like length, full - base', '185.9 nats', to_char(diff, 'FM90.0') || ' nats', verdict(ci_low, ci_high) FROM figure_matched WHERE policy = 'full';
INSERT INTO claim (claim, paper, here, verdict)
SELECT c.name, c.paper, points(c.d), verdict(c.low, c.high, c.sign)
FROM (SELECT * FROM figure_dynamics WHERE policy = 'full' ORDER BY checkpoint DESC LIMIT 1) d,
	LATERAL (VALUES ('R_multi, change in training', '+33.1', d.d_multi, d.d_multi_low, d.d_multi_high, 1), ('R_single, change in training', '-9.7', d.d_single, d.d_single_low, d.d_single_high, -1)) c(name, paper, d, low, high, sign);
INSERT INTO claim (claim, paper, here, verdict)
SELECT format('process - full, K = 8, T = %s', t), 'above 0', points(diff), verdict(ci_low, ci_high)
FROM figure_diff WHERE (treatment, reference, k) = ('process', 'full', 8) AND t IN (10, 25) ORDER BY t;
INSERT INTO claim (claim, paper, here, verdict)
SELECT format('BudgetMix - full, K = 8, T = %s', t), CASE t WHEN 25 THEN '+7.5' WHEN 50 THEN '+5.3' WHEN 75 THEN '+4.0' ELSE 'parity' END, points(diff),
	CASE WHEN t < 100 THEN verdict(ci_low, ci_high) WHEN ci_low <= 0 AND ci_high >= 0 THEN 'agrees' ELSE 'differs' END
FROM figure_diff WHERE (treatment, reference, k) = ('budgetmix', 'full', 8) AND t IN (25, 50, 75, 100) ORDER BY t;

CREATE VIEW claims_table AS SELECT claim, paper, here, verdict FROM claim ORDER BY place;
COMMENT ON VIEW claims_table IS 'Differences in points: agrees, the opposite or not resolved by the sign of their interval (95 %); rates: by whether the interval holds the paper''s figure.';
CREATE VIEW claims_checked AS
SELECT coalesce(section, 'all') AS section, count(*) AS intervals, count(*) FILTER (WHERE exact BETWEEN ci_low AND ci_high) AS "hold the exact value"
FROM checked GROUP BY ROLLUP (section) ORDER BY grouping(section), (SELECT place FROM section s WHERE s.name = checked.section);
COMMENT ON VIEW claims_checked IS 'Every interval whose true value is known. They share rollouts, so they miss together when they miss.';
CREATE VIEW claims_missed AS
SELECT figure, round(estimate::numeric, 4) AS estimate, round(ci_low::numeric, 4) || ' to ' || round(ci_high::numeric, 4) AS interval, round(exact::numeric, 4) || ' !' AS exact
FROM checked WHERE NOT exact BETWEEN ci_low AND ci_high ORDER BY section, figure;
COMMENT ON VIEW claims_missed IS 'Those that miss it.';
INSERT INTO seen (section, line)
SELECT 'claims', format('%s of %s intervals hold the exact value.', count(*) FILTER (WHERE exact BETWEEN ci_low AND ci_high), count(*)) FROM checked;

\ir heading.sql
\set view claims_table
\ir show.sql
\set view claims_checked
\ir show.sql
\set view claims_missed
\ir show.sql
\ir seen.sql
