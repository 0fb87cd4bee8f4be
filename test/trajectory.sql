-- Values of trajectory functions, each from its rule.
BEGIN;
SELECT plan(27);

-- sums exist only when each turn has its term
PREPARE sums AS SELECT tokens(t), loglik(t), ref_loglik(t), log_ratio(t), nll_per_token(t) FROM (SELECT $1::trajectory AS t) x;
SELECT results_eq($$EXECUTE sums('{"steps":[{"tokens":3,"logprob":-1,"ref_logprob":-2},{"tokens":5,"logprob":-0.5,"ref_logprob":-2}]}')$$,
	$$VALUES (8::bigint, -1.5::float8, -4::float8, 2.5::float8, 0.5::float8)$$, 'sums over all turns');
SELECT results_eq($$EXECUTE sums('{"steps":[{"tokens":3,"logprob":-1,"ref_logprob":-2},{"tokens":5,"ref_logprob":-2}]}')$$,
	$$VALUES (8::bigint, NULL::float8, -4::float8, NULL::float8, 0.5::float8)$$, 'a turn without logprob leaves loglik unknown');
SELECT results_eq($$EXECUTE sums('{"steps":[{"logprob":-1,"ref_logprob":-2},{"tokens":5,"logprob":-1}]}')$$,
	$$VALUES (NULL::bigint, -2::float8, NULL::float8, NULL::float8, NULL::float8)$$, 'no tokens, no nll per token');
SELECT results_eq($$EXECUTE sums('{"steps":[{"tokens":0,"logprob":0,"ref_logprob":0}]}')$$,
	$$VALUES (0::bigint, 0::float8, 0::float8, 0::float8, NULL::float8)$$, 'nothing per no token');
SELECT results_eq($$EXECUTE sums('{"steps":[]}')$$,
	$$VALUES (NULL::bigint, NULL::float8, NULL::float8, NULL::float8, NULL::float8)$$, 'a sum of no turns is unknown');
SELECT results_eq($$EXECUTE sums('{}')$$,
	$$VALUES (NULL::bigint, NULL::float8, NULL::float8, NULL::float8, NULL::float8)$$, 'unknown turns have no sums');
SELECT is(loglik('{"steps":[{"logprob":-0.1},{"logprob":-0.2},{"logprob":-0.3}]}'), (-0.1::float8 + -0.2) + -0.3,
	'terms are added in the order of turns');

-- solved_at
SELECT is(solved_at('{"success":true,"steps":[{},{},{}]}'), 3::bigint, 'solved at the last turn');
SELECT is(solved_at('{"success":true,"solved_at":1,"steps":[{},{},{}]}'), 1::bigint, 'unless it says otherwise');
SELECT is(solved_at('{"success":false,"steps":[{}]}'), NULL, 'never, when it failed');
SELECT is(solved_at('{"reward":1,"steps":[{}]}'), NULL, 'unknown, when success is');
SELECT is(solved_at('{"success":true}'), NULL, 'unknown, when the turns are');
SELECT is(solved_at('{"success":true,"solved_at":7}'), 7::bigint, 'known without the turns');

-- error turns
SELECT is(error_turns('{"steps":[{"error":true},{},{"error":false},{"error":true}]}'), 2::bigint, 'only known errors count');
SELECT results_eq($$SELECT error_turns, error_unknown_turns, first_error_turn
	FROM facts('{"steps":[{},{"error":true},{"error":false},{"error":true}]}'::trajectory)$$,
	$$VALUES (2::bigint, 1::bigint, 2::bigint)$$, 'unknown flags are counted apart');

-- truncate against the rule, over every outcome, budget and cut
CREATE FUNCTION expected(success bool, status text, budget bigint, solved bigint, n bigint, cut bigint) RETURNS jsonb
LANGUAGE sql AS $$
	SELECT CASE
		WHEN status = 'truncated' AND budget IS NULL AND cut >= n THEN
			jsonb_build_object('success', success, 'reward', 0.5, 'status', status, 'stop_reason', 'r', 'budget', NULL, 'solved_at', solved, 'n', n)
		WHEN cut >= n OR success AND coalesce(solved, n) <= cut THEN
			jsonb_build_object('success', success, 'reward', 0.5, 'status', status, 'stop_reason', 'r',
				'budget', least(budget, cut), 'solved_at', solved, 'n', least(n, cut))
		ELSE
			jsonb_build_object('success', CASE WHEN success IS NOT NULL THEN false END, 'reward', NULL, 'status', 'truncated',
				'stop_reason', NULL, 'budget', least(budget, cut), 'solved_at', NULL, 'n', cut)
	END
$$;
CREATE TABLE cases AS
SELECT success, status, budget, solved, n, cut, with_outcome(
	format('{"steps":[%s]}', (SELECT coalesce(string_agg(format('{"action":"a%s"}', i), ',' ORDER BY i), '') FROM generate_series(1, n) i))::trajectory,
	success, 0.5, status, 'r', budget, solved) AS traj
FROM unnest(ARRAY[true, false, NULL]) success, unnest(ARRAY['completed', 'truncated', 'infra_error', 'unscored']) status,
	unnest(ARRAY[NULL, 3, 5]::bigint[]) budget, unnest(ARRAY[NULL, 1, 2]::bigint[]) solved,
	generate_series(0, 4) n, generate_series(1, 6) cut
WHERE (status <> 'unscored' OR success IS NULL) AND (solved IS NULL OR success AND solved <= n) AND (n > 0 OR success IS NOT TRUE);
SELECT cmp_ok(count(*), '>', 1000::bigint, 'truncate: enough cases') FROM cases;
SELECT is_empty($$SELECT * FROM cases, LATERAL (SELECT truncate(traj, cut) AS t OFFSET 0) x, LATERAL expected(success, status, budget, solved, n, cut) e
	WHERE e <> jsonb_build_object('success', success(t), 'reward', reward(t), 'status', status(t), 'stop_reason', stop_reason(t),
		'budget', budget(t), 'solved_at', (t::jsonb->'solved_at')::bigint, 'n', turns(t))$$, 'truncate follows its rule');
SELECT is_empty($$SELECT * FROM cases WHERE truncate(traj, cut)::jsonb->'steps'
	<> (SELECT coalesce(jsonb_agg(s ORDER BY i), '[]') FROM jsonb_array_elements(traj::jsonb->'steps') WITH ORDINALITY x(s, i) WHERE i <= cut)$$,
	'truncate keeps the first turns as they are');
SELECT is_empty($$SELECT * FROM cases, generate_series(1, 6) other
	WHERE success IS NOT NULL AND truncate(truncate(traj, cut), other) <> truncate(traj, least(cut, other))
	AND NOT (status = 'truncated' AND budget IS NULL)$$, 'two budgets in turn are the smaller one');

-- casts and steps agree with jsonb's own reading
CREATE TABLE doc AS SELECT $${"success":true,"reward":0.25,"prompt":"p\n\"q\"","steps":[
	{"action":"\u00e9","error":true,"tokens":1,"value":0.1},{"observation":"","state":"\\","remaining":-3,"logprob":-1e-9},{}]}$$::jsonb AS j;
SELECT is(j::trajectory::jsonb, j, 'jsonb leads back to itself') FROM doc;
SELECT results_eq('SELECT s.* FROM doc, steps(j::trajectory) s',
	$$SELECT i, r.* FROM doc, jsonb_array_elements(j->'steps') WITH ORDINALITY x(s, i),
	jsonb_to_record(s) r(action text, observation text, error bool, error_kind text, state text, reward float8, value float8, tokens bigint,
		logprob float8, ref_logprob float8, remaining bigint)$$, 'steps gives what jsonb_to_record gives');

-- -0 is 0 from every side
SELECT is(reward(with_outcome('{}', reward => '-0'))::text, '0', 'no negative zero by with_outcome');
SELECT is((SELECT string_agg(s.value::text, '') FROM steps(
	(SELECT trajectory_agg(1, NULL, NULL, NULL, NULL, NULL, NULL, '-0', NULL, NULL, NULL, NULL))) s), '0', 'nor by trajectory_agg');
SELECT is(log_ratio('{"steps":[{"logprob":-1,"ref_logprob":-1}]}')::text, '0', 'nor as a difference');
SELECT is(nll_per_token('{"steps":[{"tokens":2,"ref_logprob":0}]}')::text, '0', 'nor as a quotient');

-- nothing depends on the search path
CREATE FUNCTION restricted() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog AS $$
	SELECT public.turns(public.truncate(t, 1)) FROM (VALUES ('{"steps":[{},{}]}'::jsonb::public.trajectory)) v(t)
	WHERE t OPERATOR(public.=) t GROUP BY t
$$;
SELECT is(restricted(), 1::bigint, 'restricted search_path');
SELECT is((SELECT count(*) FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
	JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'agentrl'
	WHERE (p.prosrc LIKE 'trajectory%' OR p.proname = 'trajectory_agg') AND (obj_description(p.oid, 'pg_proc') IS NULL OR p.proparallel <> 's' OR p.provolatile <> 'i')),
	0::bigint, 'each function is described, immutable and parallel safe');
SELECT * FROM finish();
ROLLBACK;
