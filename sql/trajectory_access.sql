-- Accessors, truncate, steps, with_outcome.
\set VERBOSITY terse
\pset null -
CREATE TEMP TABLE rollout (id int, traj trajectory);
INSERT INTO rollout VALUES
(1, '{"success":true,"reward":1,"status":"completed","stop_reason":"submitted","budget":10,"solved_at":2,"prompt":"Go.",
  "steps":[{"action":"a1","observation":"o1","error":true,"error_kind":"timeout","state":"s1","reward":0.25,"value":0.5,"tokens":10,"logprob":-4,"ref_logprob":-6,"remaining":10},
           {"action":"a2","observation":"o2","error":false,"tokens":20,"logprob":-1,"ref_logprob":-3,"remaining":9},
           {"action":"a3","error":true,"tokens":0,"logprob":-0.5,"ref_logprob":-0.75}]}'),
(2, '{"success":false,"reward":0,"status":"truncated","steps":[{"tokens":5,"logprob":-1},{"error":false,"tokens":6},{"error":true}]}'),
(3, '{"success":true,"steps":[{},{},{"tokens":1}]}'),
(4, '{"status":"unscored","budget":4,"steps":[]}'),
(5, '{"success":true,"reward":0.5}'),
(6, '{}'),
(7, '{"status":"infra_error","stop_reason":"","steps":[{"tokens":0,"ref_logprob":-1},{"tokens":0,"ref_logprob":-1}]}'),
(8, NULL);

SELECT id, success(traj), reward(traj), status(traj), stop_reason(traj), budget(traj), prompt(traj) FROM rollout ORDER BY id;
SELECT id, turns(traj), solved_at(traj), error_turns(traj), tokens(traj), loglik(traj), ref_loglik(traj), log_ratio(traj),
	nll_per_token(traj) FROM rollout ORDER BY id;
-- facts says the same in one row
SELECT id, error_unknown_turns, first_error_turn,
	(f.success, f.reward, f.status, f.stop_reason, f.budget, f.turns, f.solved_at, f.error_turns, f.tokens, f.loglik,
	f.ref_loglik, f.log_ratio, f.nll_per_token) IS NOT DISTINCT FROM
	(success(traj), reward(traj), status(traj), stop_reason(traj), budget(traj), turns(traj), solved_at(traj), error_turns(traj),
	tokens(traj), loglik(traj), ref_loglik(traj), log_ratio(traj), nll_per_token(traj)) AS same
FROM rollout LEFT JOIN LATERAL facts(traj) f ON true ORDER BY id;
-- a stop_reason longer than the first slice
SELECT length(stop_reason(t)), length((facts(t)).stop_reason) FROM
	(SELECT format('{"stop_reason":"%s"}', repeat('r', 5000))::trajectory AS t) x;

SELECT s.* FROM rollout, steps(traj) s WHERE id = 1;
SELECT id, count(turn) FROM rollout LEFT JOIN LATERAL steps(traj) s ON true GROUP BY id ORDER BY id;

-- truncate: cut before it was solved, at it, at its end, beyond
SELECT n, truncate(traj, n) FROM rollout, generate_series(1, 4) n WHERE id = 1 ORDER BY n;
-- a larger budget than the rollout's own changes nothing; none recorded: it is set
SELECT truncate(traj, 10) = traj AS same_10, truncate(traj, 11) = traj AS same_11 FROM rollout WHERE id = 1;
SELECT n, truncate(traj, n) FROM rollout, generate_series(2, 4) n WHERE id = 3 ORDER BY n;
-- cut by a budget that was not recorded: beyond its turns nothing is known
SELECT n, truncate(traj, n) FROM rollout, generate_series(2, 4) n WHERE id = 2 ORDER BY n;
-- success unknown stays unknown; no turns; turns not known
SELECT truncate(traj, 1) FROM rollout WHERE id = 7;
SELECT truncate(traj, 2) FROM rollout WHERE id = 4;
SELECT truncate(traj, 9) FROM rollout WHERE id = 4;
SELECT id, truncate(traj, 1) IS NULL AS unknown FROM rollout WHERE id IN (5, 6, 8) ORDER BY id;
SELECT truncate('{"steps":[{}]}', 0);
SELECT truncate('{}', -1);
SELECT turns(truncate(traj, 9223372036854775807)), budget(truncate(traj, 9223372036854775807)) FROM rollout WHERE id = 3;

SELECT with_outcome(traj, success => true, reward => 0.75, status => 'completed', stop_reason => 'done', budget => 8,
	solved_at => 1, prompt => 'P') FROM rollout WHERE id = 2;
SELECT with_outcome(traj) = traj AS same FROM rollout WHERE id = 1;
SELECT with_outcome(NULL, success => true) IS NULL AS is_null;
SELECT with_outcome('{"steps":[]}', success => true);
SELECT with_outcome('{"steps":[{}]}', status => 'done');
SELECT with_outcome('{"steps":[{}]}', success => true, solved_at => 2);
SELECT with_outcome('{}', reward => 'NaN');
SELECT with_outcome('{}', reward => '-Infinity');
SELECT with_outcome('{}', budget => 0);

-- generated columns
CREATE TEMP TABLE kept (traj trajectory, turns bigint GENERATED ALWAYS AS (turns(traj)) STORED);
INSERT INTO kept VALUES ('{"steps":[{},{}]}');
SELECT turns FROM kept;
