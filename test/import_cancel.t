#!/usr/bin/env python3
"""import_rollouts on a long document of each format and shape: it ends in time, with memory in proportion; cancelled at many moments, it ends at once and gives its memory back.

Arguments name some of the documents alone."""
import json
import os
import select
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import done, ok, same, sql, use_database  # noqa: E402

SIZE = 8 << 20
DEADLINE = 60  # seconds for a whole document; what is quadratic takes much longer
DELAY = 1  # seconds to cancel; 0.1 on a machine at rest
KEPT = 60 << 10  # kB that a session may keep
PER_BYTE, BESIDE = 100, 200 << 10  # memory at its peak: bytes per byte of the document, kB beside it


def fill(item, separator=","):
    """As many items as make a document of SIZE."""
    text = item if isinstance(item, str) else json.dumps(item)
    return separator.join([text] * (SIZE // (len(text) + len(separator)) + 1))


def documents():
    call = {"function": {"name": "f", "arguments": "{}"}}
    turn = {"role": "assistant", "content": "a", "tool_calls": [call]}
    result = {"role": "tool", "content": "Error: no"}
    talk = json.dumps(turn) + "," + json.dumps(result)
    wide = '{"a": [' + ",".join("1" * 500000) + "]}"
    yield "canonical", '{"reward": 1, "steps": [' + fill({"action": "a", "observation": "b"}) + "]}"
    yield "canonical meta", '{"trajectory": {"reward": 1}, "meta": {"a": [' + fill({"b": [1, 2.5]}) + "]}}"
    yield "canonical meta, many keys", '{"trajectory": {"reward": 1}, "meta": {' + ",".join(f'"{i}": {{"b": 2.5}}' for i in range(SIZE // 20)) + "}}"
    yield "atif", '{"schema_version": "ATIF-v1.6", "steps": [' + fill(
        {"source": "agent", "message": "m", "tool_calls": [{"function_name": "f", "arguments": {"a": 1}}],
         "observation": {"results": [{"content": "r"}]}}) + "]}"
    yield "atif calls", '{"schema_version": "ATIF-v1.6", "steps": [{"source": "agent", "tool_calls": [' + fill(
        {"function_name": "f"}) + "]}]}"
    yield "atif results", '{"schema_version": "ATIF-v1.6", "steps": [{"source": "agent", "observation": {"results": [' + fill(
        {"content": "r"}) + "]}}]}"
    yield "tau2-bench", '{"info": {"agent_info": {"llm": ' + wide + '}}, "simulations": [' + fill(
        {"task_id": 1, "trial": 0, "messages": [turn, result]}) + "]}"
    yield "tau-bench", '{"task_id": 1, "reward": 1, "traj": [' + fill(talk) + "]}"
    yield "inspect", '{"version": 2, "eval": {"task_args": ' + wide + '}, "samples": [' + fill(
        {"id": 1, "epoch": 1, "messages": [turn, result], "scores": {"s": {"value": "C"}}}) + "]}"
    yield "inspect scores", '{"id": 1, "epoch": 1, "messages": [], "scores": {' + ",".join(
        f'"{i}": {{"value": {i}}}' for i in range(SIZE // 24)) + "}}"
    yield "intercode", '{"turn_history": {"actions": [' + fill('"a"') + '], "observations": [' + fill('"o"') + '], "rewards": [' + fill("0") + "]}}"
    yield "mini-swe-agent", '{"trajectory_format": "mini-swe-agent", "messages": [' + fill(
        '{"role": "assistant", "content": "a"}, {"role": "user", "content": "<returncode>1</returncode>"}') + "]}"
    yield "swe-agent", '{"trajectory": [' + fill({"action": "a", "observation": "o", "thought": "t"}) + "]}"
    yield "nemo-gym", '{"responses_create_params": {"input": "q"}, "reward": 1, "response": {"output": [' + fill(
        '{"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}, {"type": "function_call_output", "call_id": "1", "output": "o"}') + "]}}"
    yield "nemo-gym calls", '{"responses_create_params": {"input": "q"}, "reward": 1, "response": {"output": [' + fill(
        {"type": "function_call", "name": "f", "arguments": "{}"}) + "]}}"
    yield "openhands", '{"instance_id": "x", "git_patch": "", "history": [' + fill(
        {"action": "run", "source": "agent", "args": {"command": "ls"}, "tool_call_metadata": {"model_response": {"id": "r"}}}) + "]}"
    yield "verifiers", '{"samples": [' + fill({"example_id": 1, "reward": 1, "completion": [turn, result]}) + "]}"
    yield "verifiers in a string", json.dumps({"example_id": 1, "reward": 1, "completion": "[" + fill(talk) + "]"})
    yield "bfcl", '{"id": "x", "latency": 1, "result": [' + fill("[]") + '], "inference_log": [' + fill('{"begin_of_turn_query": 1}') + "]}"
    yield "bfcl steps", '{"id": "x", "latency": 1, "result": [[' + fill('[{"f": "{}"}]') + ']], "inference_log": [{"begin_of_turn_query": [], "step_0": [' + fill(
        {"role": "tool", "content": ["r"]}) + "]}]}"
    yield "terminal-bench", '{"results": [' + fill({"task_id": "a", "trial_name": "b", "is_resolved": True}) + "]}"
    yield "verl", json.dumps({"input": "q", "output": "<|im_start|>assistant\n" * (SIZE // 22), "score": 1})
    yield "openai", '{"messages": [' + fill(talk) + "]}"
    yield "openai parts", '{"messages": [{"role": "assistant", "content": [' + fill({"type": "text", "text": "t"}) + "]}]}"
    yield "openai calls", '{"messages": [{"role": "assistant", "tool_calls": [' + fill(call) + "]}]}"
    yield "openai, no messages", '{"messages": [{"role": "user", "content": "x"},' + fill("1") + "]}"
    yield "rows", fill({"task_id": 1, "trial": 1, "reward": 1}, "\n")
    yield "rows in an array", "[" + fill({"task_id": 1, "trial": 1, "reward": 1}) + "]"
    yield "log-probabilities", '{"reward": 1, "steps": [{"logprobs": [' + fill("-0.5") + "]}]}"
    yield "turns", '{"reward": 1, "steps": [' + fill("{}") + "]}"
    yield "deep", '{"reward": 1, "z": [' + fill("[" * 2000 + "]" * 2000) + "]}"
    yield "empty arrays", '{"reward": 1, "z": [' + fill("[]") + "]}"
    yield "keys", '{"reward": 1, "z": {' + ",".join(f'"k{i}": 1' for i in range(SIZE // 13)) + "}}"
    yield "one key again and again", '{"reward": 1' + fill(',"reward": 1', "") + "}"
    yield "a long text", json.dumps({"reward": 1, "steps": [{"action": "a" * 4 * SIZE}]})
    yield "escapes", '{"reward": 1, "steps": [{"action": "' + "\\\\" * SIZE + '"}]}'
    yield "half characters", '{"reward": 1, "steps": [{"action": "' + "\\ud800" * (SIZE // 6) + '"}]}'
    yield "digits", '{"reward": 1, "z": ' + "1" * 4 * SIZE + "}"
    yield "blanks", '{"reward": 1,' + "\n" * 4 * SIZE + '"steps": [{}]}'
    yield "torn lines", fill('{"reward": 1, "steps": [', "\n")
    yield "values of no format", "[" + fill("1") + "]"


class Session:
    """A psql whose statements can be waited for."""

    def __init__(self):
        self.psql = subprocess.Popen(["psql", "-XqAt", "-v", "VERBOSITY=terse"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.pid = int(self.run("SELECT pg_backend_pid();"))

    def start(self, script):
        self.psql.stdin.write(f"{script}\n\\echo the end\n".encode())
        self.psql.stdin.flush()

    def wait(self):
        out, until = b"", time.monotonic() + 2 * DEADLINE
        while not out.endswith(b"the end\n"):
            if not select.select([self.psql.stdout], [], [], max(0, until - time.monotonic()))[0]:
                ok(False, "a statement ends", out.decode())
                print("Bail out! A statement cannot be cancelled")
                os._exit(1)
            out += os.read(self.psql.stdout.fileno(), 65536)
        return out[:-len(b"the end\n")].decode().strip()

    def run(self, script):
        self.start(script)
        return self.wait()

    def memory(self, what):
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(what + ":"))

    def close(self):
        self.psql.stdin.close()
        self.psql.wait()


def copy_form(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def cancelled_at(moment, by_timeout):
    """Seconds from the request to the end of the statement; None when it ended before."""
    session.run(f"SET statement_timeout = {int(moment * 1000) if by_timeout else 0};")
    begin = time.monotonic()
    session.start(query)
    if not by_timeout:
        time.sleep(moment)
        begin = time.monotonic() - moment
        other.run(f"SELECT pg_cancel_backend({session.pid});")
    out = session.wait()
    return time.monotonic() - begin - moment if "canceling statement" in out else None


use_database("agentrl_import_cancel")
sql("CREATE TABLE docs (name text PRIMARY KEY, doc text); ALTER TABLE docs ALTER doc SET STORAGE EXTERNAL")
other = Session()
delays = []
chosen = sys.argv[1:]
for name, document in documents():
    if chosen and name not in chosen:
        continue
    sql(f"COPY docs FROM STDIN;\n{name}\t{copy_form(document)}\n\\.\n")
    query = f"SELECT count(*) > 0 FROM docs, import_rollouts(doc) WHERE name = '{name}';"
    session = Session()
    session.run("SELECT count(*) FROM import_rollouts('{\"reward\": 1}');")
    before = session.memory("RssAnon")
    begin = time.monotonic()
    out = session.run(f"SET statement_timeout = '{DEADLINE}s'; {query}")
    whole = time.monotonic() - begin
    peak = session.memory("VmHWM")
    most = PER_BYTE * len(document) // 1024 + BESIDE
    ok(out == "t" and peak < most, f"{name}: {len(document) >> 20} MB are imported", f"{whole} s, {peak} kB of {most}\n{out}")
    moments = [(whole * i / 5, i % 2 == 1) for i in range(5)]
    mine = [d for d in (cancelled_at(max(0.001, m), by_timeout) for m, by_timeout in moments) if d is not None]
    ok(max(mine, default=0) < DELAY, f"{name}: cancelled at once", mine)
    same(session.run("SET statement_timeout = 0; SELECT count(*) FROM import_rollouts('{\"reward\": 1}');"), "1", f"{name}: the session goes on")
    kept = session.memory("RssAnon") - before
    ok(kept < KEPT, f"{name}: its memory is given back", f"{kept} kB")
    print(f"# {whole:.2f} s, {peak >> 10} MB, {kept} kB kept, {len(mine)} cancels, at most {max(mine, default=0) * 1000:.0f} ms")
    delays += mine
    session.close()
    sql("TRUNCATE docs")
ok(len(delays) > (1 if chosen else 50), "most statements were still running", len(delays))
delays.sort()
print(f"# {len(delays)} cancels: 99th percentile {delays[len(delays) * 99 // 100] * 1000:.0f} ms, longest {delays[-1] * 1000:.0f} ms")
other.close()
done()
