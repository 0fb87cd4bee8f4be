-- grpo_advantage, grpo_advantages, gigpo_advantages, gae: groups worked out by hand, what is missing, and errors.
\set ON_ERROR_STOP on
\pset pager off
\pset fieldsep '\n'
BEGIN;
SELECT no_plan();

CREATE FUNCTION close_to(have float8, want float8, what text) RETURNS text LANGUAGE sql AS
$$ SELECT ok(coalesce(abs(have - want) < 1e-14 * greatest(1, abs(want)), have IS NULL AND want IS NULL), format('%s: %s, have %s', what, want, have)) $$;
CREATE FUNCTION bad(statement text, code text, message text) RETURNS text LANGUAGE sql AS
$$ SELECT throws_ok(statement, code::char(5), message, message) $$;

-- GRPO, by hand. Task 1: 1, 0, 0, 1, mean 1/2, Σd² = 1, sd = √(1/3), so ±√3/2.
-- Task 2: 1, 2, 3, unscored: mean 2, sd 1. Task 3: all alike. Task 4: one rollout. Task 5: unscored alone.
-- Task 6: 0, 0, 1: mean 1/3, Σd² = 2/3, sd = √(1/3): -1/√3, -1/√3, 2/√3.
CREATE TEMP TABLE runs (id int, task int, reward float8);
INSERT INTO runs VALUES (1, 1, 1), (2, 1, 0), (3, 1, 0), (4, 1, 1), (5, 2, 1), (6, 2, 2), (7, 2, 3), (8, 2, NULL),
	(9, 3, 0.1), (10, 3, 0.1), (11, 3, 0.1), (12, 4, 7), (13, 5, NULL), (14, 6, 0), (15, 6, 0), (16, 6, 1);
CREATE TEMP VIEW expected AS SELECT * FROM (VALUES
	(1, sqrt(3) / 2, 0.5), (2, -sqrt(3) / 2, -0.5), (3, -sqrt(3) / 2, -0.5), (4, sqrt(3) / 2, 0.5),
	(5, -1, -1), (6, 0, 0), (7, 1, 1), (8, NULL, NULL), (9, 0, 0), (10, 0, 0), (11, 0, 0), (12, 0, 0), (13, NULL, NULL),
	(14, -1 / sqrt(3), -1 / 3.0), (15, -1 / sqrt(3), -1 / 3.0), (16, 2 / sqrt(3), 2 / 3.0)) v(id, scaled, plain);
SELECT close_to(have, scaled, format('rollout %s, over its task', id))
FROM (SELECT id, grpo_advantage(reward) OVER (PARTITION BY task) AS have FROM runs) q JOIN expected USING (id) ORDER BY id;
SELECT close_to(have, plain, format('rollout %s, without the std', id))
FROM (SELECT id, grpo_advantage(reward, 'none') OVER (PARTITION BY task) AS have FROM runs) q JOIN expected USING (id) ORDER BY id;
SELECT is((SELECT count(*) FROM (SELECT grpo_advantage(reward) OVER (PARTITION BY task) AS a, task FROM runs) q WHERE task IN (3, 4) AND a = 0), 4::bigint,
	'no spread, or one rollout: exactly 0');

-- order and frame of the window play no part, nor does the order in which rows arrive
CREATE TEMP TABLE many AS
SELECT i AS id, i % 7 AS task, CASE WHEN h % 13 <> 0 THEN (h % 1000) / 999.0 * 10.0 ^ (h % 9 - 4) END::float8 AS reward
FROM (SELECT i, abs(hashint8extended(i, 3) % 1000003) AS h FROM generate_series(1, 5000) i) q;
CREATE TEMP TABLE bits AS SELECT id, grpo_advantage(reward) OVER (PARTITION BY task) AS a FROM many;
SELECT is_empty(format($$ SELECT id FROM (SELECT id, grpo_advantage(reward) OVER (%s) AS b FROM %s) q JOIN bits USING (id)
	WHERE float8send(a) IS DISTINCT FROM float8send(b) $$, how, source), format('the same bits: %s from %s', how, source))
FROM (VALUES ('PARTITION BY task ORDER BY id'), ('PARTITION BY task ORDER BY reward DESC, id'), ('PARTITION BY task ORDER BY md5(id::text) ROWS 1 PRECEDING')) w(how),
	(VALUES ('many'), ('(SELECT * FROM many ORDER BY md5(id::text || 1)) m')) s(source);
SELECT is_empty($$
	SELECT b.id FROM (SELECT unnest(array_agg(id ORDER BY md5(id::text))) AS id, unnest(grpo_advantages(array_agg(reward ORDER BY md5(id::text)))) AS b
	                  FROM many GROUP BY task) b JOIN bits USING (id) WHERE float8send(a) IS DISTINCT FROM float8send(b)
$$, 'the same bits over arrays');
SELECT is((SELECT count(*) FROM bits WHERE a IS NULL), (SELECT count(*) FROM many WHERE reward IS NULL), 'exactly the unscored are null');
SELECT ok((SELECT max(abs(m)) < 1e-12 AND max(abs(s - 1)) < 1e-12 FROM (SELECT avg(a) AS m, stddev_samp(a) AS s FROM bits JOIN many USING (id) GROUP BY task) q),
	'each task has mean 0 and sample std 1');

-- the arguments: expressions, integers, a scale per row, in a table whose rows are trajectories
SELECT is((SELECT array_agg(a ORDER BY i) FROM (SELECT i, grpo_advantage(i, 'none') OVER () AS a FROM generate_series(1, 3) i) q), '{-1,0,1}'::float8[], 'int rewards');
SELECT is((SELECT array_agg(a ORDER BY i) FROM (SELECT i, grpo_advantage(i, CASE i WHEN 3 THEN 'std' ELSE 'none' END) OVER () AS a
	FROM (VALUES (1), (3), (5)) v(i)) q), '{-2,0,2}'::float8[], 'a scale per row');
SELECT is((SELECT array_agg(a ORDER BY i) FROM (SELECT i, grpo_advantage(reward(t), 'none') OVER () AS a
	FROM (VALUES (1, '{"reward": 3}'::trajectory), (2, '{"reward": 1}'), (3, '{}'), (4, NULL)) v(i, t)) q), '{1,-1,NULL,NULL}'::float8[],
	'rewards of trajectories; one without a reward, one that is null');
SELECT is_empty('SELECT grpo_advantage(1) OVER () WHERE false', 'no row');

-- arrays keep their places, nulls and bounds
SELECT is(grpo_advantages('{1,NULL,3,2}'), '{-1,NULL,1,0}'::float8[], 'nulls in their places');
SELECT is(grpo_advantages('[5:7]={1,2,3}'), '[5:7]={-1,0,1}'::float8[], 'bounds are kept');
SELECT is(grpo_advantages(ARRAY[2, 4], 'none'), '{-1,1}'::float8[], 'an int array');
SELECT is(grpo_advantages('{}'), '{}'::float8[], 'an empty array');
SELECT is(grpo_advantages('{NULL}'), '{NULL}'::float8[], 'only nulls');
SELECT is(grpo_advantages(NULL), NULL, 'null');
SELECT is(grpo_advantages('{-0,0,0}'), '{0,0,0}'::float8[], 'zero is zero');
SELECT is(grpo_advantages('{-0,0}')::text, '{0,0}', 'and never -0');

-- a spread of rounding is none; one above 2^-40 of the largest is
SELECT is(grpo_advantages(ARRAY[0.1::float8 + 0.2::float8, 0.3, 0.3]), '{0,0,0}'::float8[], '.1 + .2 and .3 are alike');
SELECT is(grpo_advantages(ARRAY[1 - 2.0::float8 ^ -40, 1]), '{0,0}'::float8[], 'the limit is alike');
SELECT isnt(grpo_advantages(ARRAY[1 - 1.01 * 2.0::float8 ^ -40, 1]), '{0,0}'::float8[], 'above it is not');

-- extremes: 1, 2, 3 in the unit 1e308/3, in denormals, and beside an offset of 2^53
SELECT close_to(a, want, what || ', element ' || want) FROM (VALUES
	('the largest rewards', ARRAY[-1.7e308, 0, 1.7e308]), ('the smallest rewards', ARRAY[5e-324, 1e-323, 1.5e-323]),
	('rewards beside a large offset', ARRAY[1e9, 1e9 + 0.5, 1e9 + 1]::float8[])) v(what, rewards),
	unnest(grpo_advantages(rewards), '{-1,0,1}'::float8[]) u(a, want);
SELECT is(grpo_advantages('{5e-324,1e-323,1.5e-323}', 'none'), '{-5e-324,0,5e-324}'::float8[], 'the smallest, without the std');
SELECT close_to((grpo_advantages(ARRAY[1e300, 1e-300, 1e300]))[2], -2 / sqrt(3), 'a tiny reward beside huge ones');
SELECT ok((SELECT max(abs(a - b)) < 1e-13 FROM (SELECT unnest(grpo_advantages(array_agg(1e9 + i * 2.0 ^ -10))) AS a, unnest(grpo_advantages(array_agg(i))) AS b
	FROM generate_series(1, 1000) i) q), 'an offset changes nothing');

-- GiGPO, by hand. γ = 1/2, ω = 2, scale none. Returns: A 1, B 0, C 2 (sum of 0, 2): mean 1: 0, -1, 1.
--   A: no step reward, its reward 1 at turn 3: G = 1/4, 1/2, 1; states s, t, s
--   B: no step reward, its reward 0:            G = 0, 0;       states s, none
--   C: step rewards -, 2, none of its own:      G = 1, 2;       states s, u
-- Group s: 1/4, 1 (A), 0 (B), 1 (C): mean 9/16: -5/16, 7/16, -9/16, 7/16. Groups t and u: one turn each, so 0.
CREATE TEMP TABLE three (id int, traj trajectory);
INSERT INTO three VALUES
	(1, '{"reward": 1, "steps": [{"state": "s"}, {"state": "t"}, {"state": "s"}]}'),
	(2, '{"reward": 0, "steps": [{"state": "s"}, {}]}'),
	(3, '{"steps": [{"state": "s"}, {"state": "u", "reward": 2}]}');
SELECT results_eq($$ SELECT * FROM gigpo_advantages((SELECT array_agg(traj ORDER BY id) FROM three), 0.5, 2, 'none') $$, $$ VALUES
	(1, 1::bigint, NULL::float8, 0.25::float8, 0::float8, -0.3125::float8, -0.625::float8, 4::bigint),
	(1, 2, NULL, 0.5, 0, 0, 0, 1),
	(1, 3, 1, 1, 0, 0.4375, 0.875, 4),
	(2, 1, NULL, 0, -1, -0.5625, -2.125, 4),
	(2, 2, 0, 0, -1, NULL, -1, 0),
	(3, 1, NULL, 1, 1, 0.4375, 1.875, 4),
	(3, 2, 2, 2, 1, 0, 1, 1) $$, 'GiGPO without the std');
-- with it: returns 1, 0, 2 have sd 1. Group s: Σd² = (25 + 49 + 81 + 49) / 256 = 204/256, sd = √(68/256) = √17/8.
SELECT close_to(episode_advantage, (ARRAY[0, -1, 1])[rollout], format('episode of rollout %s', rollout)),
	close_to(step_advantage, CASE WHEN group_size = 4 THEN (step_return - 0.5625) * 8 / sqrt(17) WHEN group_size = 1 THEN 0 END, format('rollout %s turn %s, step', rollout, turn)),
	close_to(advantage, episode_advantage + 2 * coalesce(step_advantage, 0), 'both')
FROM gigpo_advantages((SELECT array_agg(traj ORDER BY id) FROM three), 0.5, 2);
-- the defaults: γ = 0.95, ω = 1, std
SELECT set_eq('SELECT * FROM gigpo_advantages((SELECT array_agg(traj ORDER BY id) FROM three))',
	$$ SELECT * FROM gigpo_advantages((SELECT array_agg(traj ORDER BY id) FROM three), gamma => 0.95, omega => 1, scale => 'std') $$, 'defaults');
SELECT close_to(step_return, 0.9025, 'γ = 0.95, two turns before the reward') FROM gigpo_advantages((SELECT array_agg(traj) FROM three WHERE id = 1)) WHERE turn = 1;
SELECT is(count(*), 3::bigint, 'γ = 0: only the last turn has a return') FROM gigpo_advantages((SELECT array_agg(traj) FROM three WHERE id = 1), 0) WHERE step_return = CASE turn WHEN 3 THEN 1 ELSE 0 END;

-- what is missing. An unscored rollout is in no group; one without turns, or of unknown turns, counts in the episode group.
-- Returns 1, 0, 0, mean 1/3. State s: turns of rollouts 1 and 3 only.
SELECT results_eq($$ SELECT * FROM gigpo_advantages(ARRAY[
		'{"reward": 1, "steps": [{"state": "s"}]}', '{"steps": [{"state": "s"}]}', '{"reward": 0, "steps": [{"state": "s"}]}',
		'{"reward": 0, "steps": []}', '{}']::trajectory[], scale => 'none') $$, $$ VALUES
	(1, 1::bigint, 1::float8, 1::float8, 1 - 1 / 3::float8, 0.5::float8, 1 - 1 / 3::float8 + 0.5, 2::bigint),
	(2, 1, NULL, NULL, NULL, NULL, NULL, 0),
	(3, 1, 0, 0, -1 / 3::float8, -0.5, -1 / 3::float8 - 0.5, 2),
	(4, NULL, NULL, NULL, -1 / 3::float8, NULL, NULL, 0),
	(5, NULL, NULL, NULL, NULL, NULL, NULL, 0) $$, 'unscored rollouts and rollouts without turns');
-- both kinds of reward: the steps' count for the steps, the rollout's for the episode
SELECT results_eq($$ SELECT rollout, step_return, episode_advantage FROM gigpo_advantages(ARRAY[
		'{"reward": 9, "steps": [{"reward": 1}, {"reward": 2}]}', '{"reward": 5, "steps": [{"reward": 4}, {}]}']::trajectory[], 1, scale => 'none') $$,
	$$ VALUES (1, 3::float8, 2::float8), (1, 2, 2), (2, 4, -2), (2, 0, -2) $$, 'rewards of both kinds');
-- states are equal when their texts are: bytes, not a collation; an empty text is a state
SELECT is((SELECT array_agg(group_size ORDER BY turn) FROM gigpo_advantages(ARRAY[
	'{"reward": 1, "steps": [{"state": "é"}, {"state": "e\u0301"}, {"state": ""}, {"state": ""}, {"state": "A"}, {"state": "a"}, {}]}']::trajectory[])),
	'{1,1,2,2,1,1,0}'::bigint[], 'equal states are equal texts');
SELECT is_empty('SELECT * FROM gigpo_advantages(NULL)', 'null');
SELECT is_empty($$ SELECT * FROM gigpo_advantages('{}') $$, 'an empty group');
SELECT is((SELECT array_agg(DISTINCT rollout) FROM gigpo_advantages((SELECT ('[7:8]={' || string_agg(to_json(traj::text)::text, ',') || '}')::trajectory[] FROM three WHERE id < 3))),
	'{1,2}'::int[], 'positions count from 1 whatever the bounds');
SELECT is((SELECT sum(group_size) FROM gigpo_advantages((SELECT array_agg(traj) FROM three))), 18::numeric, 'one query per task, over a table');
-- the order of the group changes its rows' places, not their bits
CREATE TEMP TABLE large AS
SELECT r AS id, with_outcome(trajectory_agg(t, 'a', 'o', false, NULL, 's' || h % 20, CASE WHEN r % 3 > 0 AND h % 5 > 0 THEN (h % 101) / 7.0 END, NULL, NULL, NULL, NULL, NULL),
	reward => CASE WHEN r % 4 > 0 THEN (r * 37 % 11) / 3.0 END) AS traj
FROM generate_series(1, 40) r, generate_series(1, 12) t, LATERAL (SELECT abs(hashint8extended(r * 100 + t, 5) % 1000003)) x(h) GROUP BY r;
CREATE FUNCTION shuffled(salt text) RETURNS text LANGUAGE sql AS $$
	WITH o AS (SELECT *, row_number() OVER (ORDER BY md5(id || salt)) AS place FROM large)
	SELECT md5(string_agg(format('%s %s %s %s %s %s', o.id, turn, float8send(step_return), float8send(episode_advantage), float8send(advantage), group_size), ' ' ORDER BY o.id, turn)) AS digest
	FROM gigpo_advantages((SELECT array_agg(traj ORDER BY place) FROM o)) g JOIN o ON o.place = g.rollout $$;
SELECT is(shuffled(salt), shuffled(''), 'the same bits in any order of the group') FROM (VALUES ('a'), ('b'), ('c')) v(salt);
-- sums that cancel: 100, .1, -100 is .1 but for rounding; and a real difference of 1e-6
SELECT is((SELECT array_agg(step_advantage ORDER BY rollout) FROM gigpo_advantages(ARRAY[
	'{"steps": [{"state": "s", "reward": 100}, {"reward": 0.1}, {"reward": -100}]}', '{"steps": [{"state": "s", "reward": 0.1}]}']::trajectory[], 1) WHERE turn = 1),
	'{0,0}'::float8[], 'returns that differ by the rounding of their sums are alike');
SELECT is((SELECT array_agg(episode_advantage ORDER BY rollout) FROM gigpo_advantages(ARRAY[
	'{"steps": [{"reward": 100}, {"reward": 0.1}, {"reward": -100}]}', '{"steps": [{"reward": 0.1}]}']::trajectory[], 1) WHERE turn = 1),
	'{0,0}'::float8[], 'and so are sums over episodes');
SELECT ok(abs(step_advantage - (rollout - 1.5) * sqrt(2)) < 1e-9, 'a difference of 1e-6 counts in full') FROM gigpo_advantages(ARRAY[
	'{"steps": [{"state": "s", "reward": 0.100001}]}', '{"steps": [{"state": "s", "reward": 0.100002}]}']::trajectory[], 1);
SELECT close_to(step_advantage, (1.5 - rollout) * sqrt(2), 'a sum of magnitudes beyond the largest double hides nothing') FROM gigpo_advantages(ARRAY[
	'{"steps": [{"state": "s", "reward": 1e308}, {"reward": -1e308}, {"reward": 1e308}]}', '{"reward": 0, "steps": [{"state": "s"}]}']::trajectory[], 1)
WHERE turn = 1;

-- GAE, by hand. γ = λ = 1/2; r = 1, 0, 2; V = 1, 2, 3; afterwards 4.
--   δ₃ = 2 + 2 - 3 = 1, A₃ = 1; δ₂ = 0 + 1.5 - 2 = -.5, A₂ = -.25; δ₁ = 1 + 1 - 1 = 1, A₁ = 1 - .0625
SELECT is(gae(ARRAY[1, 0, 2], ARRAY[1, 2, 3], 0.5, 0.5, 4), '{0.9375,-0.25,1}'::float8[], 'GAE with a bootstrap value');
-- δ₃ = 2 - 3 = -1, A₂ = -.5 - .25, A₁ = 1 - .1875
SELECT is(gae('{1,0,2}'::float8[], '{1,2,3}', 0.5, 0.5), '{0.8125,-0.75,-1}'::float8[], 'GAE of a rollout that ended');
-- λ = 0 is δ; λ = 1 is the return less the value: γ = 1: 3 - 1, 2 - 2, 2 - 3
SELECT is(gae(ARRAY[1, 0, 2], ARRAY[1, 2, 3], 0.5, 0), '{1,-0.5,-1}'::float8[], 'λ = 0');
SELECT is(gae(ARRAY[1, 0, 2], ARRAY[1, 2, 3], 1, 1), '{2,0,-1}'::float8[], 'λ = 1, γ = 1');
SELECT is(gae(ARRAY[1, 0, 2], ARRAY[1, 2, 3], 0, 1), '{0,-2,-1}'::float8[], 'γ = 0');
SELECT is(gae(ARRAY[1, 0, 2], ARRAY[1, 2, 3]), gae(ARRAY[1, 0, 2], ARRAY[1, 2, 3], gamma => 0.99, lambda => 0.95, bootstrap_value => 0), 'defaults');
SELECT is(gae('{}'::float8[], '{}'), '{}'::float8[], 'no turn');
SELECT is(gae('[0:1]={1,2}'::float8[], '{0,0}', 0, 0), '[0:1]={1,2}'::float8[], 'bounds are those of the rewards');
SELECT is(gae(NULL::float8[], '{}'), NULL, 'null rewards'), is(gae('{}'::float8[], NULL), NULL, 'null values');

SELECT results_eq($$ SELECT * FROM gae('{"steps": [{"reward": 1, "value": 1}, {"value": 2}, {"reward": 2, "value": 3}]}', 0.5, 0.5, 4) $$,
	$$ VALUES (1::bigint, 1::float8, 1::float8, 0.9375::float8, 1.9375::float8), (2, NULL, 2, -0.25, 1.75), (3, 2, 3, 1, 4) $$,
	'a trajectory: a turn without a reward counts as 0');
SELECT results_eq($$ SELECT turn, reward, advantage, return_ FROM gae('{"reward": 1, "steps": [{"value": 0.5}, {"value": 0.25}]}', 1, 1) $$,
	$$ VALUES (1::bigint, NULL::float8, 0.5::float8, 1::float8), (2, 1, 0.75, 1) $$, 'its reward at the last turn when no turn has one');
SELECT results_eq($$ SELECT turn, reward, advantage FROM gae('{"reward": 5, "steps": [{"value": 0, "reward": 1}, {"value": 0}]}', 1, 1) $$,
	$$ VALUES (1::bigint, 1::float8, 1::float8), (2, NULL, 0) $$, 'but not when one has');
SELECT results_eq($$ SELECT turn, value, advantage, return_ FROM gae('{"reward": 1, "steps": [{"value": 0.5}, {}, {"value": 0.25}]}', 1, 1) $$,
	$$ VALUES (1::bigint, 0.5::float8, NULL::float8, NULL::float8), (2, NULL, NULL, NULL), (3, 0.25, 0.75, 1) $$, 'without a value: null up to that turn');
SELECT results_eq($$ SELECT turn, reward, advantage FROM gae('{"steps": [{"value": 0.5}, {"value": 1}]}') $$,
	$$ VALUES (1::bigint, NULL::float8, NULL::float8), (2, NULL, NULL) $$, 'without any reward: null');
SELECT is_empty('SELECT * FROM gae(NULL::trajectory)', 'a null trajectory');
SELECT is_empty($$ SELECT * FROM gae('{}'::trajectory) $$, 'no turn');

-- errors
SELECT bad($$ SELECT grpo_advantage(r) OVER () FROM (VALUES (1), ('NaN'::float8)) v(r) $$, '22003', 'reward must be finite, not NaN');
SELECT bad($$ SELECT grpo_advantage(r) OVER () FROM (VALUES (1), ('-inf'::float8)) v(r) $$, '22003', 'reward must be finite, not -Infinity');
SELECT bad($$ SELECT grpo_advantage(1, 'mean') OVER () $$, '22023', 'unrecognized value for scale: "mean"');
SELECT bad($$ SELECT grpo_advantage(1, NULL) OVER () $$, '22004', 'scale must not be null');
SELECT bad($$ SELECT grpo_advantage(r, 'none') OVER () FROM (VALUES (1.7e308), (-1.7e308), (-1.7e308)) v(r) $$, '22003', 'advantage is out of range');
SELECT bad($$ SELECT grpo_advantage(1) $$, '42809', 'window function grpo_advantage requires an OVER clause');
SELECT bad($$ SELECT grpo_advantages('{1,NaN}') $$, '22003', 'rewards must be finite');
SELECT bad($$ SELECT grpo_advantages('{{1,2},{3,4}}') $$, '2202E', 'rewards must have one dimension, not 2');
SELECT bad($$ SELECT grpo_advantages('{1}', 'var') $$, '22023', 'unrecognized value for scale: "var"');
SELECT bad($$ SELECT grpo_advantages('{1}', NULL) $$, '22004', 'scale must not be null');
SELECT bad($$ SELECT * FROM gigpo_advantages(ARRAY['{"reward": 1}', NULL]::trajectory[]) $$, '22004', 'trajectories must not contain nulls');
SELECT bad($$ SELECT * FROM gigpo_advantages(ARRAY[ARRAY['{}'], ARRAY['{}']]::trajectory[]) $$, '2202E', 'trajectories must have one dimension, not 2');
SELECT bad($$ SELECT * FROM gigpo_advantages('{}', 1.01) $$, '22023', 'gamma must be between 0 and 1, not 1.01');
SELECT bad($$ SELECT * FROM gigpo_advantages('{}', 'NaN') $$, '22023', 'gamma must be between 0 and 1, not NaN');
SELECT bad($$ SELECT * FROM gigpo_advantages('{}', NULL) $$, '22004', 'gamma must not be null');
SELECT bad($$ SELECT * FROM gigpo_advantages('{}', 1, 'inf') $$, '22003', 'omega must be finite');
SELECT bad($$ SELECT * FROM gigpo_advantages('{}', 1, NULL) $$, '22004', 'omega must not be null');
SELECT bad($$ SELECT * FROM gigpo_advantages('{}', scale => 'sd') $$, '22023', 'unrecognized value for scale: "sd"');
SELECT bad($$ SELECT * FROM gigpo_advantages(ARRAY['{"steps": [{"reward": 1e308}, {"reward": 1e308}]}']::trajectory[], 1) $$, '22003', 'return is out of range');
SELECT bad($$ SELECT * FROM gigpo_advantages(ARRAY['{"reward": 4, "steps": [{"state": "s"}]}', '{"reward": 0, "steps": [{"state": "s"}]}']::trajectory[], 1, 1e308, 'none') $$,
	'22003', 'advantage is out of range');
SELECT bad($$ SELECT gae(ARRAY[1, 2], ARRAY[1]) $$, '2202E', 'rewards and vals must have the same length');
SELECT bad($$ SELECT gae(ARRAY[1, NULL], ARRAY[1, 2]) $$, '22004', 'rewards must not contain nulls');
SELECT bad($$ SELECT gae(ARRAY[1, 2], ARRAY[NULL, 2]) $$, '22004', 'vals must not contain nulls');
SELECT bad($$ SELECT gae('{1,inf}'::float8[], '{1,2}') $$, '22003', 'rewards must be finite');
SELECT bad($$ SELECT gae('{1,2}'::float8[], '{1,NaN}') $$, '22003', 'vals must be finite');
SELECT bad($$ SELECT gae('{{1}}'::float8[], '{1}') $$, '2202E', 'rewards must have one dimension, not 2');
SELECT bad($$ SELECT gae('{1}'::float8[], '{{1}}') $$, '2202E', 'vals must have one dimension, not 2');
SELECT bad($$ SELECT gae(ARRAY[1], ARRAY[1], -0.1) $$, '22023', 'gamma must be between 0 and 1, not -0.1');
SELECT bad($$ SELECT gae(ARRAY[1], ARRAY[1], 1, 2) $$, '22023', 'lambda must be between 0 and 1, not 2');
SELECT bad($$ SELECT gae(ARRAY[1], ARRAY[1], NULL) $$, '22004', 'gamma must not be null');
SELECT bad($$ SELECT gae(ARRAY[1], ARRAY[1], 1, NULL) $$, '22004', 'lambda must not be null');
SELECT bad($$ SELECT gae(ARRAY[1], ARRAY[1], 1, 1, 'NaN') $$, '22003', 'bootstrap_value must be finite');
SELECT bad($$ SELECT gae(ARRAY[1], ARRAY[1], 1, 1, NULL) $$, '22004', 'bootstrap_value must not be null');
SELECT bad($$ SELECT gae(ARRAY[1.7e308], ARRAY[-1.7e308]) $$, '22003', 'advantage is out of range');
SELECT bad($$ SELECT * FROM gae('{"steps": [{}]}'::trajectory, 3) $$, '22023', 'gamma must be between 0 and 1, not 3');
SELECT bad($$ SELECT * FROM gae('{"steps": [{}]}'::trajectory, 1, -1) $$, '22023', 'lambda must be between 0 and 1, not -1');
SELECT bad($$ SELECT * FROM gae('{"steps": [{}]}'::trajectory, 1, 1, 'inf') $$, '22003', 'bootstrap_value must be finite');
SELECT bad($$ SELECT * FROM gae('{"steps": [{"value": 1.7e308, "reward": 0}, {"value": -1.7e308}]}'::trajectory, 1, 0) $$, '22003', 'advantage is out of range');
SELECT bad($$ SELECT gae('{1}', '{1}') $$, '42725', 'function gae(unknown, unknown) is not unique');

SELECT * FROM finish();
ROLLBACK;
