-- What a caller of import_rollouts can do wrong, and its plan-level properties.
SELECT * FROM import_rollouts('{}', 'nope');
SELECT * FROM import_rollouts('{}', budget => 0);
SELECT * FROM import_rollouts('{}', reward => 'NaN');
SELECT * FROM import_rollouts('{}', success_threshold => 'Infinity');
SELECT * FROM import_rollouts('{}', error_pattern => '(');
SELECT * FROM import_rollouts('{"id": "a", "result": [[]], "latency": 1}', outcome => '{"id": ');
SELECT count(*) FROM import_rollouts('{"reward": 1}', format => NULL);

-- a format's name is taken at its word
SELECT ordinal, traj IS NULL AS rejected, warnings FROM import_rollouts('{"task_id": 1, "reward": 1}', 'tau-bench');

-- stored and read again
CREATE TEMP TABLE imported AS
SELECT i.* FROM import_rollouts('[{"task_id": 1, "trial": 0, "reward": 1, "info": {"source": "user"}, "traj": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}]') i;
SELECT ordinal, task_id, attempt_id, traj, meta, warnings FROM imported;

-- nested calls keep their own error pattern
SELECT o.error_turns, i.error_turns AS inner_error_turns
FROM (SELECT error_turns(traj) FROM import_rollouts('[{"role": "assistant", "tool_calls": [{"name": "f"}]}, {"role": "tool", "content": "aa"}]', error_pattern => 'a')) o,
	LATERAL (SELECT error_turns(traj) FROM import_rollouts('[{"role": "assistant", "tool_calls": [{"name": "f"}]}, {"role": "tool", "content": "aa"}]', error_pattern => 'b')) i;

-- a running import can be cancelled, whatever the shape of its document: each of these would take seconds, or tens of them on a busy machine
CREATE TEMP TABLE large AS
SELECT 'members' AS shape, '{"simulations": [' || repeat('{"task_id": 1, "messages": [{"role": "assistant", "content": "x"}]}, ', 1000000) || '1]}' AS doc
UNION ALL SELECT 'array', '[' || repeat('{"task_id": 1, "reward": 1}, ', 2000000) || '1]'
UNION ALL SELECT 'lines', repeat(E'{"task_id": 1, "reward": 1}\n', 2000000)
UNION ALL SELECT 'string', '{"messages": [{"role": "assistant", "content": "' || repeat('\u0000', 40000000) || '"}]}';
SELECT clock_timestamp() AS started \gset
SET statement_timeout = '200ms';
SELECT count(*) FROM large, import_rollouts(doc) WHERE shape = 'members';
SELECT count(*) FROM large, import_rollouts(doc) WHERE shape = 'array';
SELECT count(*) FROM large, import_rollouts(doc) WHERE shape = 'lines';
SELECT count(*) FROM large, import_rollouts(doc) WHERE shape = 'string';
RESET statement_timeout;
SELECT clock_timestamp() - :'started' < '10 seconds' AS soon;
