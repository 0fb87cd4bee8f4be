-- The text form of trajectory: what it accepts, how it prints, what it says no to.
\set VERBOSITY terse
\pset null -

-- canonical output: keys in order, absent when null, no whitespace
SELECT '{}'::trajectory;
SELECT ' { "steps" : [ { "remaining" : 7, "ref_logprob" : -2.5, "logprob" : -1, "tokens" : 12, "value" : 0.5, "reward" : 1,
  "state" : "s", "error_kind" : "k", "error" : true, "observation" : "o", "action" : "a" } ], "prompt" : "p", "solved_at" : 1,
  "budget" : 5, "stop_reason" : "r", "status" : "completed", "reward" : 1.0, "success" : true } '::trajectory;
SELECT '{"success":null,"reward":null,"status":null,"stop_reason":null,"budget":null,"solved_at":null,"prompt":null,"steps":null}'::trajectory;
SELECT '{"steps":[{"action":null,"error":null,"tokens":null}]}'::trajectory;

-- unknown turns, no turns, turns without content
SELECT t::trajectory, turns(t::trajectory), tokens(t::trajectory), loglik(t::trajectory)
FROM unnest(ARRAY['{}', '{"steps":[]}', '{"steps":[{},{}]}']) t;
-- an error flag that is false is not one that is unknown; an empty text is not a missing one
SELECT '{"steps":[{"error":false},{},{"action":""}]}'::trajectory;

-- each status
SELECT s, status(format('{"status":"%s"}', s)::trajectory) = s AS same
FROM unnest(ARRAY['completed', 'truncated', 'agent_error', 'infra_error', 'unscored']) s;

-- numbers: shortest digits that read back the same, no negative zero
SELECT '{"reward":-0.0,"steps":[{"reward":-0,"value":-0e5,"logprob":-0.0,"ref_logprob":0}]}'::trajectory;
SELECT format('{"reward":%s}', n)::trajectory
FROM unnest(ARRAY['0.1', '1e20', '1e-5', '1.7976931348623157e308', '5e-324', '0.30000000000000004', '100', '-12.50', '1E2']) n;
SELECT '{"budget":9223372036854775807,"steps":[{"tokens":9223372036854775807,"remaining":-9223372036854775808}]}'::trajectory;

-- escapes: named ones, \u for control characters only
SELECT '{"prompt":"\"\\\/\b\f\n\r\t\u0001\u001f\u007f\u00e9\ud83d\ude00 é 😀"}'::trajectory;
SELECT prompt('{"prompt":"\ud83d\ude00\u0041"}'::trajectory);

-- what is not JSON
CREATE FUNCTION pg_temp.why(input text, OUT state text, OUT message text, OUT detail text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM input::trajectory;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
END $$;
SELECT left(input, 30) AS input, w.* FROM unnest(ARRAY[
	'',
	'   ',
	'{',
	'{"success"',
	'{"success":',
	'{"success":true',
	'{"success":}',
	'{"success" true}',
	'{"success":true "reward":1}',
	'{"success":true,}',
	'{,}',
	'{1:2}',
	'{"steps":[}',
	'{"steps":[{}',
	'{"steps":[{} {}]}',
	'{"steps":[{},]}',
	'{"reward":NaN}',
	'{"reward":Infinity}',
	'{"reward":01}',
	'{"reward":.5}',
	'{"prompt":"a',
	'{"prompt":"\x"}',
	'{"prompt":"\u00zz"}',
	'{"prompt":"\u0000"}',
	'{"prompt":"\ud800"}',
	'{"prompt":"\udc00"}',
	('{"prompt":"a' || chr(10) || '"}'),
	('{"prompt":"' || repeat('x', 200)),
	('{"reward":1 "' || repeat('x', 200) || '"}'),
	'{} {}',
	'{},'
]) input, pg_temp.why(input) w;

-- the wrong type, with its place
SELECT 'null'::trajectory;
SELECT '[]'::trajectory;
SELECT '"x"'::trajectory;
SELECT '1'::trajectory;
SELECT '{"success":1}'::trajectory;
SELECT '{"success":"true"}'::trajectory;
SELECT '{"reward":"1"}'::trajectory;
SELECT '{"reward":true}'::trajectory;
SELECT '{"status":1}'::trajectory;
SELECT '{"status":"done"}'::trajectory;
SELECT '{"stop_reason":{}}'::trajectory;
SELECT '{"budget":3.0}'::trajectory;
SELECT '{"budget":1e2}'::trajectory;
SELECT '{"budget":"3"}'::trajectory;
SELECT '{"prompt":[]}'::trajectory;
SELECT '{"steps":{}}'::trajectory;
SELECT '{"steps":[1]}'::trajectory;
SELECT '{"steps":[{},null]}'::trajectory;
SELECT '{"steps":[{},{},{},{"error":"no"}]}'::trajectory;
SELECT '{"steps":[{"action":1}]}'::trajectory;
SELECT '{"steps":[{"tokens":1.5}]}'::trajectory;
SELECT '{"steps":[{"logprob":[-1]}]}'::trajectory;
SELECT '{"steps":[{"state":{}}]}'::trajectory;

-- unknown and doubled keys
SELECT '{"sucess":true}'::trajectory;
SELECT '{"Success":true}'::trajectory;
SELECT '{"":true}'::trajectory;
SELECT '{"turn":1}'::trajectory;
SELECT '{"steps":[{"turn":1}]}'::trajectory;
SELECT '{"steps":[{},{"success":true}]}'::trajectory;
SELECT ('{"' || repeat('é', 100) || '":1}')::trajectory;
SELECT '{"success":true,"success":true}'::trajectory;
SELECT '{"success":null,"success":true}'::trajectory;
SELECT '{"steps":[],"steps":[]}'::trajectory;
SELECT '{"steps":[{"action":"a","action":"b"}]}'::trajectory;

-- numbers out of range
SELECT '{"reward":1e999}'::trajectory;
SELECT '{"reward":-1e999}'::trajectory;
SELECT '{"reward":1e-999}'::trajectory;
SELECT '{"budget":9223372036854775808}'::trajectory;
SELECT '{"steps":[{"remaining":-9223372036854775809}]}'::trajectory;
SELECT '{"budget":0}'::trajectory;
SELECT '{"budget":-1}'::trajectory;
SELECT '{"steps":[{},{"tokens":-1}]}'::trajectory;
SELECT '{"steps":[{"tokens":9223372036854775807},{"tokens":1}]}'::trajectory;
SELECT '{"steps":[{"logprob":-1.7e308},{"logprob":-1.7e308}]}'::trajectory;
SELECT '{"steps":[{"ref_logprob":-1.7e308},{"ref_logprob":-1.7e308}]}'::trajectory;
-- no sum, so no overflow
SELECT '{"steps":[{"tokens":9223372036854775807},{"tokens":1},{}]}'::trajectory IS NOT NULL AS ok;

-- outcomes that contradict each other
SELECT '{"success":true,"steps":[]}'::trajectory;
SELECT '{"success":true}'::trajectory;
SELECT '{"success":true,"solved_at":3}'::trajectory;
SELECT '{"success":true,"solved_at":0,"steps":[{}]}'::trajectory;
SELECT '{"success":true,"solved_at":2,"steps":[{}]}'::trajectory;
SELECT '{"solved_at":1,"steps":[{}]}'::trajectory;
SELECT '{"success":false,"solved_at":1,"steps":[{}]}'::trajectory;
SELECT '{"success":false,"status":"unscored"}'::trajectory;
SELECT '{"success":true,"status":"unscored","steps":[{}]}'::trajectory;
SELECT '{"status":"unscored","reward":0.5,"steps":[{}]}'::trajectory;

-- nesting is bounded by the form itself
SELECT repeat('[', 10000)::trajectory;
SELECT ('{"steps":' || repeat('[', 10000))::trajectory;
SELECT ('{"steps":[{"action":' || repeat('{"a":', 10000))::trajectory;

-- json and jsonb, both ways
SELECT '{"steps": [{"error": false, "action": "a"}], "success": false}'::jsonb::trajectory;
SELECT '{"steps": [{"error": false, "action": "a"}], "success": false}'::json::trajectory;
SELECT '{"success":true,"reward":0.5,"steps":[{"action":"x"}]}'::trajectory::jsonb;
SELECT '{"success":true,"reward":0.5,"steps":[{"action":"x"}]}'::trajectory::json;
SELECT '{"success":1}'::jsonb::trajectory;
-- by assignment into a column, not in silence elsewhere
CREATE TEMP TABLE assigned (t trajectory, j jsonb);
INSERT INTO assigned VALUES ('{"reward": 2}'::jsonb, '{"reward":2}'::trajectory);
SELECT * FROM assigned;
SELECT turns('{}'::jsonb);
