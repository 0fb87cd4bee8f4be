-- import_rollouts: the rules of doc/import.md, on documents written for them.
\set QUIET 1
SET client_min_messages = warning;
BEGIN;
SELECT no_plan();

-- One line per rollout: task/attempt turns success reward status, error flags, warnings.
CREATE FUNCTION brief(doc text, format text DEFAULT 'auto', outcome text DEFAULT NULL, pattern text DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
SELECT string_agg(
	format('%s/%s turns=%s success=%s reward=%s status=%s errors=%s', coalesce(task_id, '-'), coalesce(attempt_id, '-'),
		   coalesce(turns(traj)::text, '-'), coalesce(success(traj)::text, '-'), coalesce(reward(traj)::text, '-'),
		   coalesce(status(traj), '-'),
		   (SELECT coalesce(string_agg(CASE s ->> 'error' WHEN 'true' THEN 'x' WHEN 'false' THEN '.' ELSE '?' END, ''), '')
			FROM jsonb_array_elements(traj::jsonb -> 'steps') s)), E'\n' ORDER BY ordinal)
FROM import_rollouts(doc, format, outcome => outcome, error_pattern => pattern)
$$;
CREATE FUNCTION warned(doc text, format text DEFAULT 'auto') RETURNS text LANGUAGE sql AS $$
SELECT string_agg(ordinal || ': ' || array_to_string(warnings, '; '), E'\n' ORDER BY ordinal) FROM import_rollouts(doc, format)
WHERE warnings <> '{}'
$$;
CREATE FUNCTION step(doc text, i int, format text DEFAULT 'auto') RETURNS jsonb LANGUAGE sql AS $$
SELECT traj::jsonb -> 'steps' -> i FROM import_rollouts(doc, format) WHERE ordinal = 1
$$;

-- canonical
SELECT is(brief('{"success": true, "reward": 2, "steps": [{"action": "a", "error": false}, {"action": "b"}]}'),
	'-/- turns=2 success=true reward=2 status=completed errors=.?', 'a bare trajectory');
SELECT is(brief('{"task_id": 7, "attempt_id": "x", "trajectory": {"reward": 0.5, "steps": []}, "meta": {"run": 3}}'),
	'7/x turns=0 success=false reward=0.5 status=- errors=', 'a trajectory with its keys');
SELECT is((SELECT meta ->> 'run' FROM import_rollouts('{"task_id": 7, "trajectory": {"reward": 0.5}, "meta": {"run": 3}}')), '3', 'meta is kept');
SELECT is(warned('{"trajectory": {"reward": 1, "steps": [{}]}, "task_id": 1}'), NULL, 'nothing to warn of');
SELECT results_eq($$SELECT warnings, meta - 'format' FROM import_rollouts((SELECT '{"trajectory": {"reward": 1, "steps": [{}]}, "meta": {"a": 1, "b": ["' || repeat('x', 262144) || '"], "c": 2}}'))$$,
	$$VALUES ('{"meta over 256 kB: \"b\" is left out"}'::text[], '{"a": 1, "c": 2}'::jsonb)$$, 'meta beyond what the server reads at once');
SELECT is(warned('[{"reward": 1, "steps": [{}], "status": "odd"}]'), '1: unknown status "odd" is left out', 'an unknown status is told');

-- which message is a turn, and what is its observation
SELECT is(step('{"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"},
	{"role": "assistant", "content": "both", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{\"a\":1}"}}, {"id": "2", "function": {"name": "g", "arguments": {"b": [1, 2.5]}}}]},
	{"role": "tool", "content": "one"}, {"role": "tool", "content": "two"}, {"role": "user", "content": "more"}, {"role": "assistant", "content": "end"}]}', 0),
	'{"action": "both\nf({\"a\":1})\ng({\"b\":[1,2.5]})", "observation": "one\ntwo\nmore", "error": false}', 'parallel calls share a turn; results and user text follow it');
SELECT is((SELECT traj::jsonb ->> 'prompt' FROM import_rollouts('[{"role": "system", "content": "S"}, {"role": "user", "content": [{"type": "text", "text": "U"}, {"type": "image_url", "image_url": {}}]}, {"role": "assistant", "content": "x"}]')),
	E'S\nU\n[image_url]', 'the prompt is what comes before the first turn');
SELECT is(brief('[{"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}]'),
	'-/- turns=1 success=- reward=- status=- errors=?', 'a call without a result has no verdict');
SELECT is(brief('[{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}, {"role": "tool", "content": "Error: no"}, {"role": "assistant", "content": "hm"},
	{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}, {"role": "tool", "is_error": false, "content": "Error, but no error"}]'),
	'-/- turns=3 success=- reward=- status=- errors=x..', 'text rule, no call, own flag');
SELECT is(brief('[[{"role": "assistant", "content": "a"}], [{"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]]'),
	E'-/- turns=1 success=- reward=- status=- errors=.\n-/- turns=1 success=- reward=- status=- errors=.', 'a list of conversations');
SELECT is(step('[{"role": "assistant", "content": "x", "usage": {"completion_tokens": 4}, "logprobs": {"content": [{"logprob": -0.5}, {"logprob": -0.25}]}}]', 0),
	'{"action": "x", "error": false, "tokens": 4, "logprob": -0.75}', 'tokens and log-probabilities of a message');

-- tau-bench
SELECT is(brief('[{"task_id": 3, "trial": 1, "reward": 1.0, "info": {}, "traj": [{"role": "system", "content": "p"}, {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
	{"role": "tool", "name": "f", "content": "Error: gone"}, {"role": "assistant", "content": "bye"}, {"role": "user", "content": "###STOP###"}]},
	{"task_id": 4, "trial": 0, "reward": 0.0, "info": {"error": "boom", "traceback": "t"}, "traj": []}]'),
	E'3/1 turns=2 success=true reward=1 status=completed errors=x.\n4/0 turns=0 success=- reward=0 status=infra_error errors=', 'tau-bench; a crash is no failure');
SELECT is(brief('[{"task_id": 3, "trial": 1, "reward": 0, "info": {}, "traj": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
	{"role": "tool", "content": "Error: gone"}]}]', pattern => '^nothing|G.NE$'), '3/1 turns=1 success=false reward=0 status=- errors=.', 'a pattern takes the place of the text rule');
SELECT is(brief('[{"task_id": 3, "trial": 1, "reward": 0, "info": {}, "traj": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
	{"role": "tool", "content": "all gone"}]}]', pattern => 'g.ne$'), '3/1 turns=1 success=false reward=0 status=- errors=x', 'and finds its own failures');

-- tau2-bench
SELECT is(brief('{"info": {"max_steps": 9, "agent_info": {"llm": "m"}}, "simulations": [
	{"task_id": "a", "trial": 0, "reward_info": {"reward": 0.0}, "termination_reason": "max_steps", "messages": [{"role": "assistant", "content": "hi"},
	 {"role": "user", "content": null, "tool_calls": [{"name": "u"}]}, {"role": "tool", "requestor": "user", "error": true, "content": "Error"},
	 {"role": "assistant", "tool_calls": [{"name": "f", "arguments": {"x": 1}}]}, {"role": "tool", "requestor": "assistant", "error": true, "content": "no"}]},
	{"task_id": "b", "trial": 0, "reward_info": {"reward": 1.0}, "termination_reason": "agent_stop", "messages": []},
	{"task_id": "c", "trial": 0, "reward_info": null, "termination_reason": "infrastructure_error", "messages": []},
	{"task_id": "d", "trial": 0, "reward_info": {"reward": 0.0}, "termination_reason": "too_many_errors", "messages": []}, 5]}'),
	E'a/0 turns=2 success=false reward=0 status=truncated errors=.x\nb/0 turns=- success=true reward=1 status=completed errors=\nc/0 turns=0 success=- reward=- status=infra_error errors=\nd/0 turns=0 success=false reward=0 status=agent_error errors=\n-/- turns=- success=- reward=- status=- errors=',
	'tau2-bench: the user''s own tools are no doing of the policy; success without turns leaves them unknown');
SELECT is((SELECT (meta ->> 'max_steps') || coalesce(budget(traj)::text, ' none') FROM import_rollouts('{"info": {"max_steps": 9}, "simulations": [{"task_id": "a", "trial": 0, "messages": [{"role": "assistant", "content": "x"}]}]}')),
	'9 none', 'a limit on messages is no budget of turns');

-- Inspect
SELECT is(brief('{"version": 2, "status": "success", "eval": {"model": "m", "config": {"message_limit": 50}}, "samples": [
	{"id": "s", "epoch": 2, "scores": {"first": {"value": "C"}, "second": {"value": 0.25}}, "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": [{"function": "bash", "arguments": {"cmd": "ls"}}]},
	 {"role": "tool", "content": "", "error": {"type": "timeout", "message": "late"}}]},
	{"id": "s", "epoch": 3, "scores": {"first": {"value": "P"}}, "limit": {"type": "message", "limit": 50}, "messages": [{"role": "assistant", "content": "x"}]},
	{"id": "s", "epoch": 4, "error": {"message": "docker"}, "messages": [{"role": "assistant", "content": "x"}]},
	{"id": "s", "epoch": 5, "scores": {"first": {"value": NaN}}, "messages": [{"role": "assistant", "content": "x"}]}]}'),
	E's/2 turns=1 success=true reward=1 status=completed errors=x\ns/3 turns=1 success=false reward=0.5 status=truncated errors=.\ns/4 turns=1 success=- reward=- status=infra_error errors=.\ns/5 turns=1 success=- reward=- status=completed errors=.', 'Inspect: scores, limits, crashes');
SELECT is(step('{"id": 1, "epoch": 1, "messages": [{"role": "assistant", "content": "", "tool_calls": [{"function": "bash", "arguments": {"cmd": "ls"}}]}, {"role": "tool", "content": "late", "error": {"type": "timeout"}}]}', 0),
	'{"action": "bash({\"cmd\":\"ls\"})", "observation": "late", "error": true, "error_kind": "timeout"}', 'a sample of an archive; the kind of its error');
SELECT is((SELECT meta -> 'scores' FROM import_rollouts('{"id": 1, "epoch": 1, "scores": {"a": {"value": "C"}, "b": {"value": {"x": 1}}}, "messages": []}')), '{"a": "C", "b": {"x": 1}}', 'all scores are in meta');
SELECT results_eq($$SELECT traj IS NULL, meta ->> 'part', meta ->> 'model', warnings FROM import_rollouts('{"version": 2, "status": "success", "eval": {"model": "m", "config": {}}}')$$,
	$$VALUES (true, 'header', 'm', '{}'::text[])$$, 'a header of an archive');
SELECT results_eq($$SELECT traj IS NULL, meta ->> 'part' FROM import_rollouts('[{"id": 1, "epoch": 1, "input": "q", "target": "a"}, {"id": 2, "epoch": 1, "input": "q", "target": "a"}]')$$, $$VALUES (true, 'summary')$$, 'a summary of an archive');
SELECT is(warned('{"version": 2, "eval": {"model": "m"}, "samples": []}'), '1: the log holds no samples', 'a log without samples');

-- ATIF, with Harbor's result
SELECT is(brief('{"schema_version": "ATIF-v1.6", "session_id": "z", "agent": {"name": "n"}, "steps": [{"step_id": 1, "source": "user", "message": "q"},
	{"step_id": 2, "source": "agent", "message": "old", "is_copied_context": true}, {"step_id": 3, "source": "agent", "message": "run", "tool_calls": [{"function_name": "sh", "arguments": {"c": "ls"}}],
	 "observation": {"results": [{"content": "[The command completed with exit code 2.]"}]}, "metrics": {"completion_tokens": 9, "logprobs": [-1, -2]}},
	{"step_id": 4, "source": "agent", "message": "done"}, {"step_id": 5, "source": "agent", "message": "auto", "llm_call_count": 0}]}',
	outcome => '{"task_name": "t", "trial_name": "t__1", "verifier_result": {"rewards": {"reward": 1}}, "exception_info": null}'),
	't/t__1 turns=2 success=true reward=1 status=completed errors=x.', 'ATIF: copied context and steps without a generation are no turns');
SELECT is(brief('{"schema_version": "ATIF-v1.6", "session_id": "z", "steps": [{"source": "agent", "message": "x"}]}', outcome => '{"task_name": "t", "exception_info": {"exception_type": "AgentTimeoutError"}}'),
	't/z turns=1 success=- reward=- status=truncated errors=.', 'a timeout truncates');
SELECT is(brief('{"schema_version": "ATIF-v1.6", "session_id": "z", "steps": [{"source": "agent", "message": "x"}]}', outcome => '{"task_name": "t", "verifier_result": {"rewards": {"reward": 0}}, "exception_info": {"exception_type": "DockerError"}}'),
	't/z turns=1 success=- reward=0 status=infra_error errors=.', 'another exception is the infrastructure''s');
SELECT is(warned('{"schema_version": "ATIF-v1.7", "session_id": "z", "continued_trajectory_ref": "next.json", "steps": []}'), '1: the run goes on in next.json', 'a continued run');

-- Terminal-Bench
SELECT is(brief('{"results": [{"task_id": "a", "trial_name": "a.1", "is_resolved": true, "failure_mode": "unset"}, {"task_id": "a", "trial_name": "a.2", "is_resolved": false, "failure_mode": "agent_timeout"},
	{"task_id": "b", "trial_name": "b.1", "is_resolved": null, "failure_mode": "unknown"}]}'),
	E'a/a.1 turns=- success=true reward=1 status=completed errors=\na/a.2 turns=- success=false reward=0 status=truncated errors=\nb/b.1 turns=- success=- reward=- status=infra_error errors=', 'Terminal-Bench');

-- SWE-agent and mini-swe-agent
SELECT is(brief('{"environment": "main", "history": [{"role": "system", "content": "S"}, {"role": "user", "content": "demo", "is_demo": true}, {"role": "user", "content": "task"}, {"role": "assistant", "content": "x"}],
	"trajectory": [{"action": "edit", "observation": "Your proposed edit has introduced new syntax error(s).", "thought": "t"}, {"action": "submit", "observation": "diff"}], "info": {"exit_status": "exit_cost"}}'),
	'-/- turns=2 success=- reward=- status=truncated errors=x.', 'SWE-agent');
SELECT is((SELECT traj::jsonb ->> 'prompt' FROM import_rollouts('{"history": [{"role": "system", "content": "S"}, {"role": "assistant", "content": "shown", "is_demo": true}, {"role": "user", "content": "task"}, {"role": "assistant", "content": "x"}]}')),
	E'S\nshown\ntask', 'demonstrations belong to the prompt');
SELECT is(brief('[{"role": "system", "content": "S"}, {"role": "user", "content": "go"}, {"role": "assistant", "content": "ls"}, {"role": "user", "content": "<returncode>1</returncode>\n<output>\n</output>"},
	{"role": "assistant", "content": "ok"}, {"role": "user", "content": "<returncode>0</returncode>"}, {"role": "assistant", "content": "two"}, {"role": "user", "content": "Please always provide EXACTLY ONE action in backticks"}]'),
	'-/- turns=3 success=- reward=- status=- errors=x.x', 'mini-swe-agent');
SELECT is(brief('{"trajectory_format": "mini-swe-agent-1.1", "instance_id": "i", "info": {"exit_status": "LimitsExceeded", "config": {"agent": {"step_limit": 1}}}, "messages": [{"role": "assistant", "content": "ls"}, {"role": "tool", "content": "x", "extra": {"returncode": 127}}]}'),
	'i/- turns=1 success=- reward=- status=truncated errors=x', 'mini-swe-agent 1.1: the recorded return code');

-- OpenHands
SELECT is(brief('{"instance_id": "i", "metadata": {"max_iterations": 9}, "test_result": {"report": {"resolved": false}}, "history": [
	{"source": "agent", "action": "system", "args": {"content": "S"}}, {"source": "user", "action": "message", "args": {"content": "task"}},
	{"source": "agent", "action": "run", "args": {"command": "a"}, "tool_call_metadata": {"model_response": {"id": "r1"}}}, {"source": "agent", "action": "run", "args": {"command": "b"}, "tool_call_metadata": {"model_response": {"id": "r1"}}},
	{"source": "agent", "observation": "run", "content": "out", "extras": {"metadata": {"exit_code": 1}}}, {"source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}},
	{"source": "agent", "action": "finish", "args": {"thought": "bye"}}]}'),
	'i/- turns=2 success=false reward=- status=completed errors=x.', 'OpenHands: calls of one response share a turn');
SELECT is(brief('{"issue": {"owner": "o", "repo": "r", "number": 4}, "success": true, "error": "Agent reached maximum iteration", "history": [[{"action": "message", "content": "task"}, {"observation": "null"}], [{"action": "run", "command": "ls"}, {"observation": "run", "content": "x", "exit_code": 0}]]}'),
	'o/r#4/- turns=1 success=true reward=- status=truncated errors=.', 'OpenHands: older pairs');

-- InterCode
SELECT is(brief('{"0": {"task_id": 0, "query": "q", "turn_history": {"actions": ["a", "b", "c"], "observations": ["Error", "1", "2"], "rewards": [0, 1.0, 0.5], "valid_action": [false, true, true]}, "summary": {"max_reward": 1.0, "turns_max": 3}},
	"1": {"task_id": 1, "query": "q", "turn_history": {"actions": ["a"], "observations": ["x"], "rewards": [0]}, "summary": {"max_reward": 0, "turns_max": 1}}, "2": {"note": 1}}'),
	E'0/- turns=3 success=true reward=1 status=completed errors=x..\n1/- turns=1 success=false reward=0 status=truncated errors=.\n-/- turns=- success=- reward=- status=- errors=', 'InterCode');
SELECT is((SELECT solved_at(traj) FROM import_rollouts('{"0": {"task_id": 0, "turn_history": {"actions": ["a", "b", "c"], "observations": ["", "", ""], "rewards": [0, 1, 0]}, "summary": {"max_reward": 1}}}')), 2::bigint, 'solved at the turn whose reward reached 1');

-- verifiers, verl, NeMo-Gym, BFCL
SELECT is(brief('{"problem_id": 2, "sample_id": 5, "reward": 1.5, "metrics": "{\"num_turns\": 2.0}", "prompt": "[{\"role\": \"user\", \"content\": \"q\"}]", "completion": "[{\"role\": \"assistant\", \"content\": \"\", \"tool_calls\": [\"{}\"]}, {\"role\": \"tool\", \"content\": \"ok\"}, {\"role\": \"assistant\", \"content\": \"a\"}]"}'),
	'2/5 turns=2 success=true reward=1.5 status=completed errors=..', 'verifiers: messages in strings');
SELECT is(brief('{"samples": [{"example_id": 1, "reward": 0, "completion": [{"role": "assistant", "content": "a"}]}, {"example_id": 1, "reward": 1, "completion": "text"}]}'),
	E'1/- turns=1 success=false reward=0 status=- errors=.\n1/- turns=1 success=true reward=1 status=completed errors=.', 'verifiers: raw rollouts');
SELECT is(warned('{"problem_id": 1, "reward": 0, "completion": "[{oops"}'), '1: messages in a string are no valid JSON; no turns are recorded, so their number is unknown', 'verifiers: a broken inner document');
SELECT is(brief('{"input": "p", "output": "one<|im_end|>\n<|im_start|>user\nres<|im_end|>\n<|im_start|>assistant\ntwo<|im_end|>", "score": 0.0, "step": 1}'), '-/- turns=2 success=false reward=0 status=- errors=??', 'verl: turns by the chat template');
SELECT is(brief('{"responses_create_params": {"input": [{"role": "user", "content": "q"}]}, "reward": 0.0, "truncated": true, "_ng_task_index": 1, "_ng_rollout_index": 2, "response": {"output": [
	{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "call"}]}, {"type": "function_call", "name": "f", "arguments": "{}"}, {"type": "function_call", "name": "g", "arguments": "{}"},
	{"type": "function_call_output", "output": "<returncode>0</returncode>"}, {"type": "function_call_output", "output": "<returncode>2</returncode>"},
	{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "b"}]}]}}'),
	'1/2 turns=3 success=false reward=0 status=truncated errors=x..', 'NeMo-Gym: items of one generation share a turn');
SELECT is(step('{"responses_create_params": {"input": "q"}, "reward": 1, "response": {"output": [{"type": "reasoning", "summary": []}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}], "generation_token_ids": [1, 2], "generation_log_probs": [-0.25, -0.5]}]}}', 0),
	'{"action": "a", "error": false, "tokens": 2, "logprob": -0.75}', 'NeMo-Gym: token log-probabilities are summed');
SELECT is(brief(E'{"id": "multi_turn_base_0", "result": [[[{"f": "{\\"a\\": 1}"}], "done"]], "output_token_count": [[5, 6]], "latency": [[1, 1]], "inference_log": [[{"role": "state_info"}], {"begin_of_turn_query": [{"role": "user", "content": "q"}], "step_0": [{"role": "tool", "content": ["{\\"error\\": \\"no\\"}"]}], "step_1": []}]}\n{"id": "multi_turn_base_1", "result": [["x"]], "latency": [[1]]}\n{"id": "multi_turn_base_2", "result": "Error during inference: x", "latency": 0}',
	outcome => E'{"accuracy": 0.5, "correct_count": 1, "total_count": 2}\n{"id": "multi_turn_base_1", "valid": false, "error": {"error_type": "multi_turn:execution_response_mismatch"}}'),
	E'multi_turn_base_0/- turns=2 success=true reward=1 status=completed errors=x.\nmulti_turn_base_1/- turns=1 success=false reward=0 status=completed errors=.\nmulti_turn_base_2/- turns=- success=- reward=- status=infra_error errors=', 'BFCL: the score file lists failures');
SELECT is(warned('{"id": "m", "result": [["x"]], "latency": [[1]]}'), '1: success is in the score file: give it as the outcome', 'BFCL without its score file');

-- mends
SELECT is(warned(E'{"task_id": "a", "reward": NaN}\n{"task_id": "b", "reward": -Infinity}\n{"task_id": "c", "reward": 1e999}'),
	E'1: NaN or infinite number read as null (1 times, from line 1); no turns are recorded, so their number is unknown\n2: NaN or infinite number read as null (1 times, from line 2); no turns are recorded, so their number is unknown\n3: number out of range read as null (1 times, from line 3); no turns are recorded, so their number is unknown', 'numbers that are none');
SELECT is(brief(E'{"task_id": "a", "reward": NaN}'), 'a/- turns=- success=- reward=- status=- errors=', 'a reward that is no number leaves the rollout unscored');
SELECT is(step('[{"role": "assistant", "content": "cut \ud83d end \u0000. whole \ud83d\ude00, written \\u0000"}]', 0) ->> 'action', E'cut \uFFFD end \uFFFD. whole \U0001F600, written \\u0000', 'half a pair and NUL become U+FFFD, nothing else does');
SELECT is(step(E'[{"role": "assistant", "content": "a\tb\x01"}]', 0) ->> 'action', E'a\tb\x01', 'raw control bytes are kept');
SELECT is(step(E'\uFEFF[{"role": "assistant", "content": "x", "\\u0000": NaN}]', 0) ->> 'action', 'x', 'a byte order mark, and NUL in a key');
SELECT is(brief('{"task_id": 123456789012345678901234567890, "reward": "1.0", "success": "True"}'), '1.2345678901234568e+29/- turns=- success=true reward=1 status=completed errors=', 'a huge integer, numbers and truths in strings');
SELECT is(warned('{"task_id": 123456789012345678901234567890, "reward": "1.0", "success": "True"}'),
	'1: integer beyond 64 bits read as a double (1 times, from line 1); the reward read from a string; success read from a string; no turns are recorded, so their number is unknown', 'each of them is told');
SELECT is(warned(E'{"info": {"note": NaN}, "simulations": [{"task_id": 1, "trial": 0, "messages": [{"role": "assistant", "content": "x"}]},\n{"task_id": 2, "trial": 0, "messages": [{"role": "assistant", "content": "\\u0000"}]}]}'),
	E'1: beside the rollouts: NaN or infinite number read as null (1 times, from line 1)\n2: NUL character read as U+FFFD (1 times, from line 2)', 'a mend is told with the rollout it lies in');
SELECT is(warned(E'{"0": {"task_id": 0, "turn_history": {"actions": ["a"], "observations": ["x"], "rewards": [0]}, "summary": {"max_reward": 0}},\n"1": {"task_id": 1, "turn_history": {"actions": ["\\ud800"], "observations": ["x"], "rewards": [0]}, "summary": {"max_reward": 0}}}'),
	'2: lone surrogate read as U+FFFD (1 times, from line 2)', 'also where the rollouts are members');
SELECT is(warned('{"task_id": "a", "trial": 0, "reward": 1, "steps": [{"logprobs": [-0.1, null], "completion_tokens": 3}, {"logprobs": ["NaN", -0.2]}, {"logprobs": [-0.5]}]}'),
	'1: turn 1: a log-probability missing for a token, so their sum is unknown; a log-probability in a string is not finite, read as null; turn 2: a log-probability missing for a token, so their sum is unknown', 'a missing log-probability is not taken for 0');
SELECT is(loglik(traj), NULL, 'nor is their sum known') FROM import_rollouts('{"task_id": "a", "trial": 0, "reward": 1, "steps": [{"logprobs": [-0.1, null]}]}');

-- torn, broken and empty
SELECT is(brief(E'{"task_id": "a", "trial": 0, "reward": 1.0}\n{"task_id": "a", "trial": 1, "rew'), E'a/0 turns=- success=true reward=1 status=completed errors=\n-/- turns=- success=- reward=- status=- errors=', 'a torn last line loses that line only');
SELECT matches(warned(E'{"task_id": "a", "trial": 0, "reward": 1.0, "steps": [{}]}\n{"task_id": "a", "trial": 1, "rew'), '^2: line 2: not valid JSON, torn: ', 'and is told');
SELECT matches(warned(E'{"task_id": "a", \n{"task_id": "b", "reward": 1, "steps": [{}]}'), '^1: line 1: not valid JSON, torn: ', 'a torn first line does not hide the next');
SELECT is(brief('[{"task_id": "a", "reward": 1}, {"task_id": "b", "rew'), E'a/- turns=- success=true reward=1 status=completed errors=\n-/- turns=- success=- reward=- status=- errors=', 'a torn array keeps its whole elements');
SELECT is(warned('[{"task_id": "a", "reward": 1, "steps": [{}]}'), '2: torn: the array of the document is not closed', 'also when it is torn between them');
SELECT is(warned(''), '1: the document is empty', 'nothing');
SELECT is(warned(E' \n '), '1: the document is empty', 'blanks');
SELECT is(warned('[]'), '1: the document holds no rollouts', 'an empty array');
SELECT matches(warned('<ROW>'), '^1: line 1: not valid JSON: ', 'no JSON');
SELECT is(warned('{"a": {"b": 1}}'), '1: no known format; name it in the argument format', 'an unknown format');
SELECT is(warned('[[0, 1], [2, 3]]'), '1: no known format; name it in the argument format', 'a table of numbers: one report');
SELECT is(brief('[7, {"task_id": "b", "reward": 1}]'), E'-/- turns=- success=- reward=- status=- errors=\nb/- turns=- success=true reward=1 status=completed errors=', 'a number among rollouts');
SELECT is(warned('12'), '1: expected an object', 'a number');
SELECT is(warned('[{"reward": 1, "steps": [{}]}, null]'), '2: expected an object', 'an element that is none');
SELECT is(warned(repeat('[', 3000)), '1: line 1: not valid JSON: nested deeper than 2048 levels', 'too deep');
SELECT is(brief('{"reward": 1, "steps": [{}]}{"reward": 0, "steps": [{}, {}]}'), E'-/- turns=1 success=true reward=1 status=completed errors=?\n-/- turns=2 success=false reward=0 status=- errors=??', 'values one after the other');
SELECT is(count(*), 0::bigint, 'NULL gives no rows') FROM import_rollouts(NULL);

SELECT is(warned(E'{"task_id": \n{oops}\n{"task_id": "b", "reward": 1, "steps": [{}]}\n{"task_id": "c", "reward": 1, "steps": [{}]}') ~ '^1: line 1: not valid JSON, torn: [^\n]*\n2: line 2: not valid JSON: [^\n]*$', true, 'each broken line is told, the others are read');
SELECT is(brief('[{oops}, {"task_id": "b", "reward": 1}]'), E'-/- turns=- success=- reward=- status=- errors=\nb/- turns=- success=true reward=1 status=completed errors=', 'a broken element loses only itself');
SELECT matches(warned('[{"role": "assistant", "content": "x"}, {"role": "us'), '^1: line 1: not valid JSON, torn: ', 'a torn conversation is no rollout');
SELECT is(warned('{"reward": 1, "steps": [{"logprob": -1e308}, {"logprob": -1e308}]}'), '1: invalid trajectory: steps[1].logprob: sum out of range', 'what the type rejects is told');
SELECT is(warned('{"a": 1}', 'inspect'), '1: neither a log nor a sample of Inspect', 'a format''s name does not make it so: inspect');
SELECT is(warned('{"a": 1}', 'openai'), '1: no turns are recorded, so their number is unknown', 'openai');
SELECT is(warned('{"a": 1}', 'intercode'), '1: a log without turn_history.actions', 'intercode');
SELECT is(warned('{"simulations": []}'), '1: the file holds no simulations', 'an empty tau2-bench file');
SELECT is(warned('{"samples": []}', 'verifiers'), '1: the file holds no samples', 'an empty verifiers file');
SELECT is(warned('{"results": []}', 'terminal-bench'), '1: the file holds no results', 'an empty Terminal-Bench file');
SELECT is(warned('{"a": 1, "reward": 0, "steps": [{}]}', 'canonical'), '1: unknown key "a"', 'an unknown key');
SELECT is(warned('{"input": "p", "output": "o", "score": 0, "num_turns": 6}'), '1: the dump counts several turns but its text does not part them', 'verl: turns that the text does not show');
SELECT is(warned('{"id": 1, "epoch": 1, "scores": {"a": {"value": {"x": 1}}}, "messages": []}'), '1: a score of several values is left to meta', 'Inspect: a score of several values');
SELECT is(warned('[{"role": "assistant", "content": "x"}, 5]'), '1: a message that is no object is left out', 'a message that is none');
SELECT is(warned('{"task_id": 1, "reward": "high", "steps": [5]}'), '1: the reward is no number; turn 1 is no object', 'a reward that is no number');
SELECT is(warned('{"reward": 1, "budget": 1.5, "success": "perhaps", "steps": [{}]}'), '1: the budget is no integer; success is neither true nor false', 'a budget that is no integer, a truth that is none');
SELECT is(brief('[{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}, {"role": "tool", "error": "False", "content": "Error in name only"}, {"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}, {"role": "tool", "error": "True", "content": ""}]'),
	'-/- turns=2 success=- reward=- status=- errors=.x', 'flags in strings');
SELECT is(warned('[{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}, {"role": "tool", "error": "False", "content": ""}]'), '1: an error flag read from a string', 'and they are told');

-- what the caller says
SELECT is(warned(E'{"task_id": "a", "trial": 0, "reward": 0, "steps": [{}], "termination_reason": "timeout"}\n{"task_id": "a", "trial": 0, "reward": 1, "steps": [{}]}\n{"task_id": "a", "trial": 1, "reward": 1, "steps": [{}]}'), '2: same task and attempt as ordinal 1', 'a retry is told');
SELECT results_eq($$SELECT task_id, attempt_id, budget(traj), reward(traj), status(traj) FROM import_rollouts('[{"role": "assistant", "content": "x"}]', task_id => 't', attempt_id => '9', budget => 1, reward => 0)$$,
	$$VALUES ('t', '9', 1::bigint, 0::float8, 'truncated')$$, 'the caller fills in what the document leaves open');
SELECT results_eq($$SELECT task_id, attempt_id, budget(traj), reward(traj) FROM import_rollouts('{"task_id": "d", "trial": 1, "reward": 1, "budget": 5}', task_id => 't', attempt_id => '9', budget => 1, reward => 0)$$,
	$$VALUES ('d', '1', 5::bigint, 1::float8)$$, 'and outranks nothing that it says');
SELECT is((SELECT string_agg(coalesce(success(traj)::text, '-'), ' ' ORDER BY ordinal) FROM import_rollouts(E'{"task_id": 1, "reward": 0.5}\n{"task_id": 2, "reward": 0.9999999}\n{"task_id": 3, "reward": null}')), 'false true -', 'success is a reward of 1, but for rounding');
SELECT is((SELECT string_agg(success(traj)::text, ' ' ORDER BY ordinal) FROM import_rollouts(E'{"task_id": 1, "reward": 0.5}\n{"task_id": 2, "reward": 0.4}\n{"task_id": 3, "reward": 0.6, "success": false}', success_threshold => 0.5)), 'true false true', 'a threshold outranks the format''s own word');
SELECT is((SELECT solved_at(traj) FROM import_rollouts('{"reward": 1, "solved_at": 9, "steps": [{}, {}]}')), 2::bigint, 'a turn that is not there cannot have solved it');
SELECT is(warned('{"reward": 1, "solved_at": 9, "budget": 0, "steps": [{"tokens": -1}]}'), '1: a budget of 0 turns is left out; a count of tokens is negative; solved at turn 9 of 1: left out', 'what the type would reject is mended');
SELECT is((SELECT string_agg(format, ' ' ORDER BY format) FROM rollout_formats()),
	'atif bfcl canonical inspect intercode mini-swe-agent nemo-gym openai openhands rows swe-agent tau-bench tau2-bench terminal-bench verifiers verl', 'the formats');

SELECT * FROM finish();
ROLLBACK;
