-- trajectory_agg and its state.
\set VERBOSITY terse
CREATE TEMP TABLE turn_log (rollout int, turn int, action text, observation text, error bool, error_kind text, state text,
	reward float8, value float8, tokens int, logprob float8, ref_logprob float8, remaining int);
INSERT INTO turn_log VALUES
(1, 2, 'b', 'o2', true, 'timeout', 's2', 0.5, 0.25, 20, -2, -3, 8),
(1, 3, 'c', '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(1, 1, 'a', 'o1', false, NULL, 's1', -0.0, 1, 10, -1, -1.5, 9),
(2, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

SELECT rollout, trajectory_agg(turn, action, observation, error, error_kind, state, reward, value, tokens, logprob,
	ref_logprob, remaining) FROM turn_log GROUP BY rollout ORDER BY rollout;
SELECT rollout, trajectory_agg(turn, action, observation, error) FROM turn_log GROUP BY rollout ORDER BY rollout;
SELECT with_outcome(trajectory_agg(turn, action, observation, error), success => true, reward => 1, budget => 10)
FROM turn_log WHERE rollout = 1;
-- the order of rows does not matter
SELECT count(DISTINCT t) FROM (
	SELECT trajectory_agg(turn, action, observation, error ORDER BY turn) AS t FROM turn_log WHERE rollout = 1 UNION ALL
	SELECT trajectory_agg(turn, action, observation, error ORDER BY turn DESC) FROM turn_log WHERE rollout = 1 UNION ALL
	SELECT trajectory_agg(turn, action, observation, error ORDER BY action = 'b') FROM turn_log WHERE rollout = 1) x;
SELECT trajectory_agg(turn, action, observation, error) FROM turn_log WHERE false;
-- steps and trajectory_agg undo each other
SELECT trajectory_agg(s.turn, s.action, s.observation, s.error, s.error_kind, s.state, s.reward, s.value, s.tokens, s.logprob,
	s.ref_logprob, s.remaining) = t AS same
FROM (SELECT '{"steps":[{"action":"x","error":true},{"tokens":3,"value":0.1},{}]}'::trajectory AS t OFFSET 0) x, steps(t) s GROUP BY t;

-- missing and doubled turns
SELECT trajectory_agg(turn, action, NULL, NULL) FROM (VALUES (1, 'a'), (3, 'c')) v(turn, action);
SELECT trajectory_agg(turn, action, NULL, NULL) FROM (VALUES (2, 'b')) v(turn, action);
SELECT trajectory_agg(turn, action, NULL, NULL) FROM (VALUES (1, 'a'), (2, 'b'), (2, 'b')) v(turn, action);
SELECT trajectory_agg(turn, action, NULL, NULL) FROM (VALUES (0, 'a')) v(turn, action);
SELECT trajectory_agg(turn, action, NULL, NULL) FROM (VALUES (NULL::bigint, 'a')) v(turn, action);
SELECT trajectory_agg(1, NULL, NULL, NULL, NULL, NULL, 'NaN', NULL, NULL, NULL, NULL, NULL);
SELECT trajectory_agg(1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, -1, NULL, NULL, NULL);

-- as a window function the state is read after each row and grows on
SELECT turn, turns(trajectory_agg(turn, action, observation, error) OVER (ORDER BY turn)) FROM turn_log WHERE rollout = 1 ORDER BY turn;
-- many groups, sorted and hashed
SET enable_sort = off;
SELECT count(*), sum(turns(t)) FROM (SELECT trajectory_agg(i % 3 + 1, i::text, NULL, NULL) AS t FROM generate_series(0, 5999) i GROUP BY i / 3) x;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*), sum(turns(t)) FROM (SELECT trajectory_agg(i % 3 + 1, i::text, NULL, NULL) AS t FROM generate_series(0, 5999) i GROUP BY i / 3) x;
RESET enable_hashagg;

-- the state: text form, and what it says no to
SELECT '[]'::trajectory_parts;
SELECT '[ {"action":"b", "turn":2, "tokens":1}, {"turn":1} ]'::trajectory_parts;
SELECT '{}'::trajectory_parts;
SELECT '[1]'::trajectory_parts;
SELECT '[{"action":"a"}]'::trajectory_parts;
SELECT '[{"turn":0}]'::trajectory_parts;
SELECT '[{"turn":1.5}]'::trajectory_parts;
SELECT '[{"turn":1},{"turn":2,"turn":3}]'::trajectory_parts;
SELECT '[{"turn":1,"eror":true}]'::trajectory_parts;
SELECT '[{"turn":1}'::trajectory_parts;
SELECT '[{"turn":1}] 2'::trajectory_parts;
-- the final function, given a state by hand
SELECT trajectory_agg_finalfn('[{"turn":2,"action":"b"},{"turn":1,"action":"a"}]');
SELECT trajectory_agg_finalfn('[]');
SELECT trajectory_agg_finalfn(NULL) IS NULL AS is_null;
SELECT trajectory_agg_finalfn('[{"turn":1},{"turn":1}]');
-- the others only within an aggregate
SELECT trajectory_agg_combinefn('[]', '[]');
SELECT trajectory_agg_transfn('[]', 1, NULL, NULL, NULL);
