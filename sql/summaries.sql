-- What all summary types have in common: text in and out, order, hashes.
\set VERBOSITY terse
CREATE TABLE summaries AS SELECT kind, v FROM (VALUES
	('pass_summary', (SELECT pass_agg(i % 3, i % 2 = 0, i)::text FROM generate_series(1, 9) i)),
	('paired_summary', (SELECT paired_agg('é' || i % 3, i % 2 = 0, i)::text FROM generate_series(1, 9) i)),
	('state_pool', (SELECT state_pool_agg(i % 3, i % 2 = 0, i, i, 10)::text FROM generate_series(1, 9) i)),
	('recovery_summary', (SELECT recovery_agg('t', '{"steps":[{"error":true,"error_kind":"ö"},{"error":false}]}'::trajectory)::text)),
	('matched_summary', (SELECT length_matched_agg(i % 3, i % 2 = 0, i, i)::text FROM generate_series(1, 9) i)),
	('dynamics_summary', (SELECT dynamics_agg(i % 2, i % 3, i, -i)::text FROM generate_series(1, 9) i)),
	('budget_plan', (SELECT budget_plan_agg(i % 3, i, 10)::text FROM generate_series(1, 9) i)),
	('budget_audit', (SELECT budget_audit_agg(i / 2, 't', 5, 1, true, 0, 10)::text FROM generate_series(1, 9) i))) k(kind, v);
-- the text form leads back to the value, and is that of its bytes; a value equals itself and is in no order with itself
SELECT kind, left(v, 6) AS begins,
	(xpath('//x/text()', query_to_xml(format('SELECT %1$L::%2$s::text = %1$L AND a = b AND NOT a <> b AND a <= b AND a >= b AND NOT a < b AND NOT a > b AS x FROM (SELECT %1$L::%2$s AS a, %1$L::%2$s AS b) q', v, kind),
	false, true, '')))[1] AS equal
FROM summaries ORDER BY kind COLLATE "C";
-- a value is told from another by all operators, one of both ways round
SELECT (a < b) <> (a > b) AS ordered, (a <= b) = (a < b) AS at_most, a <> b AS unlike, a = b AS alike
FROM (SELECT pass_agg(1, true, 1) AS a, pass_agg(2, true, 1) AS b) q;
SELECT count(*) FROM (SELECT DISTINCT pass_agg(i % 2, true, 1) FROM generate_series(1, 8) i GROUP BY i % 4) q;

-- what is no value of the type
SELECT 'x'::pass_summary;
SELECT '\x'::pass_summary;
SELECT '\x50'::paired_summary;
SELECT '\xzz'::budget_plan;
SELECT (SELECT v FROM summaries WHERE kind = 'budget_plan')::budget_audit;
SELECT (SELECT left(v, -2) FROM summaries WHERE kind = 'dynamics_summary')::dynamics_summary;
SELECT (SELECT v || '00' FROM summaries WHERE kind = 'matched_summary')::matched_summary;
DROP TABLE summaries;
