"""Cancelling: a statement for every function of the extension that can take long, over inputs that make it take long, and how soon each
answers a cancel. For test/cancel.t and bench/cancel."""
import random
import re
import string
import subprocess
import time

# what aggregates are given, by name and type of the argument; g counts the rows
ARGUMENTS = {
    ("task", "smallint"): "(g / 64 % 30000)::smallint", ("task", "integer"): "(g / 64)::int", ("task", "bigint"): "g / 64", ("task", "text"): "'t' || g / 64",
    ("group_key", "bigint"): "g / 16", ("group_key", "text"): "'g' || g / 16",
    ("cluster", "bigint"): "g / 1000", ("cluster", "text"): "'c' || g / 1000", ("unit", "bigint"): "g / 16", ("unit", "text"): "'u' || g / 16",
    ("rollout", "bigint"): "g / 10", ("rollout", "text"): "'r' || g / 10",
    ("success", "boolean"): "h % 4 = 0", ("finished", "boolean"): "true", ("arm", "boolean"): "g % 2 = 0", ("error", "boolean"): "g % 3 = 0",
    ("turn", "bigint"): "1 + h % 20", ("turns", "bigint"): "1 + h % 20", ("length", "bigint"): "1 + h % 1000", ("checkpoint", "bigint"): "g % 100",
    ("budget", "bigint"): "20", ("planned", "bigint"): "20", ("t_max", "bigint"): "20", ("tokens", "bigint"): "7", ("remaining", "bigint"): "g % 20",
    ("value", "double precision"): "h / 1e6", ("reward", "double precision"): "h % 2", ("r_multi", "double precision"): "h / 1e9",
    ("r_single", "double precision"): "h / 1e8", ("logprob", "double precision"): "-1.5", ("ref_logprob", "double precision"): "-2",
    ("action", "text"): "'act'", ("observation", "text"): "'seen'", ("error_kind", "text"): "'k' || h % 9", ("state", "text"): "'s' || h % 50",
    ("traj", "trajectory"): "(SELECT t FROM trajectories WHERE name = 'short')",
}
ROWS = "(SELECT g, hashint8extended(g, 1) & 1048575 AS h FROM generate_series(0::bigint, {last}) g) q"
SETUP = string.Template("""
CREATE UNLOGGED TABLE documents (name text, doc text);
ALTER TABLE documents ALTER doc SET STORAGE external;
CREATE UNLOGGED TABLE words AS SELECT string_agg(md5(i::text), '' ORDER BY i) AS w FROM generate_series(1, 32768) i;
CREATE FUNCTION steps_text(turns int, states int) RETURNS text LANGUAGE sql AS $$$$
	SELECT string_agg(format('{"action":"a","observation":"o","error":%s,"error_kind":"k%s","state":"s%s","reward":0.5,"value":0.25,"tokens":7,"logprob":-1.5,"remaining":%s}',
		CASE WHEN i % 3 = 0 THEN 'false' ELSE 'true' END, i % 4, i % states, i), ',') FROM generate_series(1, turns) i $$$$;
INSERT INTO documents SELECT 'turns', format('{"success":true,"budget":1000000,"steps":[%s]}', steps_text($turns, 50));
INSERT INTO documents SELECT 'short', format('{"success":true,"budget":20,"steps":[%s]}', steps_text(20, 5));
INSERT INTO documents SELECT 'text', format('{"success":true,"budget":20,"prompt":"%s","steps":[{"error":true,"action":"%s"}]}', repeat(w, $text), repeat(w, $text)) FROM words;
INSERT INTO documents SELECT 'space', repeat(' ', $text * 2000000) || '{}';
INSERT INTO documents SELECT 'rollouts', (SELECT format('[%s]', string_agg(format('{"task_id":%s,"reward":1,"trial":0,"info":{},"traj":[{"role":"user","content":"%s"},{"role":"assistant","content":"%s"}]}',
	i, left(w, 2000), left(w, 1500)), ',')) FROM generate_series(1, $rows / 50) i) FROM words;
INSERT INTO documents SELECT 'messages', format('[{"task_id":1,"reward":1,"trial":0,"info":{},"traj":[%s]}]',
	string_agg('{"role":"user","content":"hello"},{"role":"assistant","content":"do it"}', ',')) FROM generate_series(1, $rows / 4);
CREATE UNLOGGED TABLE trajectories (name text, t trajectory);
INSERT INTO trajectories SELECT name, doc::trajectory FROM documents WHERE name IN ('short', 'turns', 'text');
CREATE UNLOGGED TABLE passes (name text, s pass_summary);
INSERT INTO passes SELECT 'tasks', pass_agg(g / 64, h % 4 = 0, 1 + h % 20) FROM $source;
INSERT INTO passes SELECT 'others', pass_agg(g / 64, h % 3 = 0, 1 + h % 20) FROM $source;
INSERT INTO passes SELECT 'budgets', pass_agg(g / 64, h % 4 = 0, 1 + h % 10, CASE WHEN g % 2 = 0 THEN 10 ELSE 20 END) FROM $source;
INSERT INTO passes SELECT 'cells', pass_agg(g % 1000, g % 3 = 0, g) FROM generate_series(1, 1000000) g;
INSERT INTO passes SELECT 'attempts', pass_agg(1, g % 3 = 0, g % 9 + 1) FROM generate_series(1, 4000) g;
INSERT INTO passes VALUES ('one', '$one'), ('one more', '$more');
CREATE UNLOGGED TABLE pairs AS SELECT 'many' AS name, paired_agg(g / 1000, g / 16, g % 2 = 0, h / 1e6) AS s FROM $source;
INSERT INTO pairs SELECT 'one', paired_agg(1::bigint, 1::bigint, g % 2 = 0, h / 1e6) FROM $source;
CREATE UNLOGGED TABLE matches AS SELECT 'many' AS name, length_matched_agg(g / 64, g % 2 = 0, 1 + h % 1000, h / 1e6) AS s FROM $source;
INSERT INTO matches SELECT 'one', length_matched_agg(1, g % 2 = 0, h, h / 1e6) FROM $source WHERE g < $rows / 10;
CREATE UNLOGGED TABLE runs AS SELECT dynamics_agg(g % 100, g / 100, h / 1e6, h / 1e7) AS s FROM $source;
CREATE UNLOGGED TABLE pools AS SELECT state_pool_agg(g / 100, g % 2 = 0, g / 10, 1 + g % 10, 10) AS s FROM $source;
CREATE UNLOGGED TABLE plans AS SELECT 'many' AS name, budget_plan_agg(g / 16, 1 + g % 10, 10) AS s FROM $source;
INSERT INTO plans SELECT 'one', budget_plan_agg(1, g, $rows) FROM generate_series(1, $rows / 20) g;
CREATE UNLOGGED TABLE audits AS SELECT 'many' AS name, budget_audit_agg(g / 16, g / 16, 2 * (1 + g / 16 % 10), 2, true, 1.0, 20) AS s FROM $source;
INSERT INTO audits SELECT 'one', budget_audit_agg(1, g, 1 + h, 9, true, 1.0, 2000000) FROM $source;
CREATE UNLOGGED TABLE recoveries AS SELECT 'many' AS name, recovery_agg(g / 8, t) AS s FROM trajectories, generate_series(0::bigint, $rows / 4) g WHERE name = 'short';
-- many kinds of episodes of one task: by their length, first turn and budget
INSERT INTO recoveries SELECT 'one', recovery_agg(1, with_outcome(t, budget => budget)) FROM generate_series(1000, 1200) budget, (SELECT trajectory_agg(i, NULL, NULL,
	i % (1 + length) <> 0, 'k' || length % 40, NULL, NULL, NULL, NULL, NULL, NULL, NULL) AS t FROM generate_series(1, $rows / 2000) length, generate_series(1, 1 + length) i GROUP BY length) q;
CREATE UNLOGGED TABLE names AS SELECT array_agg('task ' || i) AS tasks, array_agg(20) AS t_max FROM generate_series(1, $rows) i;
CREATE UNLOGGED TABLE numbers AS SELECT array_agg(i % 7 / 8.0::float8) AS r FROM generate_series(1, $rows * 5) i;
CREATE UNLOGGED TABLE groups AS SELECT array_agg(t) AS t FROM trajectories, generate_series(1, 3) WHERE name = 'turns';
CREATE UNLOGGED TABLE ice AS SELECT 'S' || repeat('F', 98) || E'\\n' || repeat(repeat('F', 99) || E'\\n', 97) || repeat('F', 98) || 'G' AS map;
""")


def setup(scale):
    """SQL that makes the inputs; those of scale 1 take some seconds."""
    rows = int(400000 * scale)
    return SETUP.substitute(rows=rows, source=ROWS.format(last=rows - 1), turns=min(int(300000 * scale), 900000), text=min(int(60 * scale), 200),
                            one=one_task(20000 * scale, 0), more=one_task(20000 * scale, 1))


def varint(value):
    parts = []
    while value >= 128:
        parts.append(value % 128 + 128)
        value //= 128
    return bytes(parts + [value])


def one_task(cells, part):
    """The text form of a pass_summary of one task with so many kinds of rollouts, each with a turn of its own."""
    cells = int(cells)
    turns = b"".join(b"\x10\x00" + varint(2 + part * cells + i) for i in range(cells))
    return "\\x" + (b"P\x01\x01" + varint(cells) + turns + b"\x01\x02" + varint(cells) + b"\x00\x01" * cells).hex()


def one(table, name, columns="s"):
    return f"(SELECT {columns} FROM {table} WHERE name = '{name}')"


TASKS, OTHERS = one("passes", "tasks"), one("passes", "others")
MANY_T = "(SELECT array_agg(x) FROM generate_series(1, 10000) x)"
SOME_T = "'{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20}'"
TURNS, TEXT = one("trajectories", "turns", "t"), one("trajectories", "text", "t")
WITHIN = "(SELECT array_agg(x) FROM generate_series(11, 1000, 11) x)"

# (the function, with as much of its arguments as tells it from others; what is special; an expression, or a row source for count(*))
SETS = [
    ("pass_tasks(pass_summary", "", f"pass_tasks({TASKS})"),
    ("pass_grid(pass_summary", "", f"pass_grid({TASKS}, '{{1,2,4,8,16}}', {SOME_T})"),
    ("pass_grid(pass_summary", "many cells, many T", f"pass_grid({one('passes', 'cells')}, '{{1}}', {MANY_T}, resamples => 0)"),
    ("pass_grid(pass_summary", "many K", f"pass_grid({one('passes', 'attempts')}, (SELECT array_agg(x) FROM generate_series(1, 3000) x), '{{5}}', resamples => 0)"),
    ("pass_grid(pass_summary", "many K and T", f"pass_grid({one('passes', 'attempts')}, (SELECT array_agg(x) FROM generate_series(1, 1000) x), '{{1,2,3,4,5,6,7,8,9}}', resamples => 0)"),
    ("pass_diff(pass_summary", "", f"pass_diff({TASKS}, {OTHERS}, '{{1,2,4,8}}', {SOME_T})"),
    ("pass_regressions(pass_summary", "", f"generate_series(1, 50) k, pass_regressions({TASKS}, {OTHERS}, k)"),
    ("pass_bracket(pass_summary", "", f"pass_bracket({one('passes', 'cells')}, '{{1,2}}', {MANY_T})"),
    ("pass_crossover(pass_summary", "", f"pass_crossover({TASKS}, {OTHERS}, 2, {SOME_T})"),
    ("pass_truncation_gap(pass_summary", "", f"pass_truncation_gap({one('passes', 'budgets')}, '{{1,2}}', '{{1,2,3,4,5,6,7,8,9,10}}')"),
    ("pass_power(pass_summary", "", f"pass_power({TASKS}, {OTHERS}, 2, 10, (SELECT array_agg(x) FROM generate_series(10, 1000) x), (SELECT array_agg(x) FROM generate_series(2, 64) x))"),
    ("paired_diff(paired_summary", "", f"paired_diff({one('pairs', 'many')})"),
    ("paired_diff(paired_summary", "one unit", f"paired_diff({one('pairs', 'one')})"),
    ("matched_states(state_pool", "", "matched_states((SELECT s FROM pools), 10, bins => 4)"),
    ("matched_states_report(state_pool", "", "matched_states_report((SELECT s FROM pools), 10, bins => 4)"),
    ("length_matched_diff(matched_summary", "", f"length_matched_diff({one('matches', 'many')})"),
    ("length_matched_diff(matched_summary", "one task", f"length_matched_diff({one('matches', 'one')})"),
    ("length_matched_pairs(matched_summary", "", f"length_matched_pairs({one('matches', 'many')})"),
    ("length_matched_pairs(matched_summary", "one task", f"length_matched_pairs({one('matches', 'one')})"),
    ("dynamics_report(dynamics_summary", "", "dynamics_report((SELECT s FROM runs))"),
    ("dynamics_slopes(dynamics_summary", "", "dynamics_slopes((SELECT s FROM runs))"),
    ("recovery_report(recovery_summary", "", f"recovery_report({one('recoveries', 'many')}, '{{1,2,3}}')"),
    ("recovery_report(recovery_summary", "one task, far horizons", f"recovery_report({one('recoveries', 'one')}, {WITHIN})"),
    ("recovery_by_depth(recovery_summary", "", f"recovery_by_depth({one('recoveries', 'many')}, 100, '{{1,2,3}}')"),
    ("recovery_by_kind(recovery_summary", "", f"recovery_by_kind({one('recoveries', 'one')}, {WITHIN})"),
    ("recovery_turns(recovery_summary", "", f"recovery_turns({one('recoveries', 'many')})"),
    ("recovery_diff(recovery_summary", "", f"recovery_diff({one('recoveries', 'many')}, {one('recoveries', 'many')}, '{{1,2,3}}')"),
    ("recovery_diff(recovery_summary", "one task, far horizons", f"recovery_diff({one('recoveries', 'one')}, {one('recoveries', 'one')}, {WITHIN})"),
    ("error_prefixes(bigint", "", f"error_prefixes(1, {TURNS})"),
    ("error_prefixes(text", "long texts", f"generate_series(1, 100), error_prefixes('1', {TEXT})"),
    ("budgetmix_plan(", "", "names, budgetmix_plan(tasks, 20)"),
    ("budgetmix_plan(", "stratified", "names, budgetmix_plan(tasks, 1000000, step => 1e-6, mode => 'stratified')"),
    ("budgetmix_plan_each(", "", "names, budgetmix_plan_each(tasks, t_max)"),
    ("budgetmix_cost(budget_plan", "", f"budgetmix_cost({one('plans', 'many')}, {TASKS})"),
    ("budgetmix_cost(budget_plan", "one task", f"budgetmix_cost({one('plans', 'one')}, {one('passes', 'one')})"),
    ("budgetmix_cost(text[]", "", f"names, budgetmix_cost(tasks, 20, earlier => NULL::pass_summary)"),
    ("budgetmix_cost_each(", "", "names, budgetmix_cost_each(tasks, t_max)"),
    ("budget_findings(budget_audit", "", f"budget_findings({one('audits', 'many')})"),
    ("budget_findings(budget_audit", "one group", f"budget_findings({one('audits', 'one')})"),
    ("frozenlake_q(text", "", "ice, frozenlake_q(map, 250)"),
    ("gae(trajectory", "", f"gae({TURNS})"),
    ("gigpo_advantages(trajectory[]", "", "groups, gigpo_advantages(t)"),
    ("steps(trajectory", "", f"steps({TURNS})"),
    ("import_rollouts(text", "", f"import_rollouts({one('documents', 'rollouts', 'doc')})"),
    ("import_rollouts(text", "one rollout", f"import_rollouts({one('documents', 'messages', 'doc')})"),
    ("rollout_formats(", "", "rollout_formats(), generate_series(1, 1000000)"),
]
VALUES = [
    ("pass_at(pass_summary", "", f"sum(pass_at({TASKS}, k)) FROM generate_series(1, 60) k"),
    ("pass_at(pass_summary", "one task", f"pass_at({one('passes', 'one')}, 1, 70000)"),
    ("pass_hat(pass_summary", "", f"sum(pass_hat({TASKS}, k)) FROM generate_series(1, 60) k"),
    ("pass_bound(pass_summary", "", f"sum(pass_bound({one('passes', 'cells')}, k)) FROM generate_series(1, 60) k"),
    ("pass_heatmap(pass_summary,bigint[]", "", f"pass_heatmap({one('passes', 'cells')}, '{{1,2,4}}', {MANY_T})"),
    ("pass_heatmap(pass_summary,pass_summary", "", f"pass_heatmap({TASKS}, {OTHERS}, '{{1,2,4}}', {SOME_T})"),
    ("rollup(pass_summary", "", "rollup(s) FROM passes WHERE name <> 'budgets'"),
    ("rollup(pass_summary", "one task of many cells", "rollup(s) FROM passes WHERE name LIKE 'one%'"),
    ("rollup(paired_summary", "", "rollup(s) FROM pairs, generate_series(1, 6)"),
    ("rollup(matched_summary", "", "rollup(s) FROM matches, generate_series(1, 6)"),
    ("rollup(dynamics_summary", "", "rollup(s) FROM runs, generate_series(1, 6)"),
    ("rollup(recovery_summary", "", "rollup(s) FROM recoveries, generate_series(1, 6)"),
    ("rollup(state_pool", "", "rollup(s) FROM pools, generate_series(1, 6)"),
    ("rollup(budget_plan", "", "rollup(s) FROM plans, generate_series(1, 6)"),
    ("rollup(budget_audit", "", "rollup(s) FROM audits, generate_series(1, 6)"),
    ("pass_summary_in(", "", f"s::text::pass_summary FROM passes WHERE name = 'cells'"),
    ("recovery_agg(bigint", "one long rollout", f"recovery_agg(g, {TURNS}) FROM generate_series(1::bigint, 20) g"),
    ("budget_audit_agg(bigint,bigint,trajectory", "a long prompt", f"budget_audit_agg(g, g, {TEXT}, 20) FROM generate_series(1::bigint, 20) g"),
    ("recovery_rate(recovery_summary", "", f"sum(recovery_rate({one('recoveries', 'one')}, g)) FROM generate_series(1, 20) g"),
    ("dynamics_diverged(dynamics_summary", "", "dynamics_diverged((SELECT s FROM runs))"),
    ("budget_assert(budget_audit", "", f"budget_assert({one('audits', 'many')})::text"),
    ("budgetmix_budgets(", "", "sum(array_length(budgetmix_budgets(2000000 + g, 1e-6), 1)) FROM generate_series(1, 60) g"),
    ("budgetmix_budget(bigint,integer,text", "stratified", "sum(budgetmix_budget(1, 7, 'task' || g, 2000000, 1e-6, mode => 'stratified')) FROM generate_series(1, 20) g"),
    ("grpo_advantage(", "", "count(a) FROM (SELECT grpo_advantage(x) OVER () AS a FROM numbers, unnest(r[1:400000]) x) q"),
    ("grpo_advantages(", "", "count(grpo_advantages(r)) FROM numbers, generate_series(1, 3)"),
    ("gae(double precision[]", "", "count(gae(r, r)) FROM numbers, generate_series(1, 3)"),
    ("trajectory_in(", "turns", f"count(doc::trajectory) FROM documents, generate_series(1, 3) WHERE name = 'turns'"),
    ("trajectory_in(", "texts", f"count(doc::trajectory) FROM documents, generate_series(1, 3) WHERE name = 'text'"),
    ("trajectory_in(", "white space", f"count(doc::trajectory) FROM documents WHERE name = 'space'"),
    ("trajectory_out(", "turns", f"count(trajectory_out(t)) FROM trajectories, generate_series(1, 3) WHERE name = 'turns'"),
    ("trajectory_out(", "texts", f"count(trajectory_out(t)) FROM trajectories, generate_series(1, 3) WHERE name = 'text'"),
    ("trajectory_send(", "", f"count(trajectory_send(t)) FROM trajectories, generate_series(1, 3)"),
    ("trajectory_cmp(", "", f"count(trajectory_cmp(t, t)) FROM trajectories, generate_series(1, 3)"),
    ("trajectory_eq(", "", f"count(t = t) FROM trajectories, generate_series(1, 3)"),
    ("truncate(trajectory", "", f"count(truncate(t, 1000000 - g)) FROM trajectories, generate_series(1, 3) g"),
    ("with_outcome(trajectory", "", f"count(with_outcome(t, reward => g)) FROM trajectories, generate_series(1, 3) g"),
    ("prompt(trajectory", "", f"count(prompt(t)) FROM trajectories, generate_series(1, 10) WHERE name = 'text'"),
    ("trajectory_agg(bigint,text,text,boolean)", "one rollout", "trajectory_agg(g, 'a', 'b', g % 3 = 0) FROM generate_series(1::bigint, 900000) g"),
    ("trajectory_agg(bigint,text,text,boolean)", "long texts", "trajectory_agg(g, w, repeat(w, 10), g % 3 = 0) FROM words, generate_series(1::bigint, 10) g"),
    ("trajectory_agg(bigint,text,text,boolean,", "one rollout", "trajectory_agg(g, 'a', 'b', true, 'k', 's', 1, 1, 1, -1, -1, 1) FROM generate_series(1::bigint, 900000) g"),
]
OF_THE_EXTENSION = """FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass WHERE e.extname = 'agentrl'"""


def signature(row):
    name, types = row
    return f"{name}({types})"


def aggregate_case(name, names, types, scale):
    arguments = ", ".join(ARGUMENTS[argument] for argument in zip(names.split(","), types.split(",")))
    rows = ROWS.format(last=int(300000 * scale) - 1)
    if name == "trajectory_agg":
        return f"SELECT count(t) FROM (SELECT {name}({arguments.replace(ARGUMENTS['turn', 'bigint'], '1 + g % 20', 1)}) AS t FROM {rows} GROUP BY g / 20) q"
    return f"SELECT {name}({arguments}) IS NULL FROM {rows}"


def cases(aggregates, scale):
    """(function, what is special, statement); aggregates are rows of name, argument names and types."""
    found = [(f"{name}({types})", "", aggregate_case(name, names, types, scale)) for name, names, types in aggregates if name != "rollup"]
    found += [(function, what, f"SELECT count(*) FROM {source}") for function, what, source in SETS]
    for function, what, expression in VALUES:
        value, source, rest = expression.rpartition(" FROM ")
        value, rest = (value, rest) if source else (rest, "")
        # no value is shown, nor turned into text for that
        found.append((function, what, f"SELECT ({value}) IS NULL{source}{rest}" if re.match(r"rollup|\w+_agg\(|s::", value)
                      else f"SELECT {value}{source}{rest}"))
    return found


class Session:
    """A psql that stays, and what its server process has used."""

    def __init__(self):
        self.process = subprocess.Popen(["psql", "-XqAt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        self.pid = int(self.ask("SELECT pg_backend_pid()")[0])
        self.ask("SET max_parallel_workers_per_gather = 0; SET jit = off; SET client_min_messages = warning")

    def send(self, script):
        self.process.stdin.write(script + ";\n\\echo answered\n")
        self.process.stdin.flush()

    def answer(self):
        lines = []
        for line in self.process.stdout:
            if line == "answered\n":
                return lines
            lines.append(line.rstrip("\n"))
        raise ConnectionError("psql ended: " + " ".join(lines))

    def ask(self, script):
        self.send(script)
        return self.answer()

    def seconds(self):
        """Processor time of the server process: neighbours on the machine do not count. The clock's, where that is not to be had."""
        try:
            with open(f"/proc/{self.pid}/schedstat") as file:
                return int(file.read().split()[0]) / 1e9
        except OSError:
            return time.monotonic()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Stop:
    """What became of a statement that was to be stopped."""

    def __init__(self, answer, delay, whole):
        text = " ".join(answer)
        self.hit = "canceling statement" in text
        self.delay = delay
        self.whole = whole
        self.error = "" if self.hit or "ERROR" not in text else text


def stop_statement(session, other, statement, after, by_timeout):
    """Runs a statement and stops it after so many seconds, by its own timeout or from another session; the delay is from there to the answer."""
    session.ask(f"SET statement_timeout = {max(1, round(after * 1000)) if by_timeout else 60000}")
    start = time.monotonic()
    session.send(statement)
    time.sleep(max(0, after - (time.monotonic() - start)))
    used = session.seconds()
    if not by_timeout:
        other.ask(f"SELECT pg_cancel_backend({session.pid})")
    answer = session.answer()
    stop = Stop(answer, session.seconds() - used, time.monotonic() - start)
    if not by_timeout:
        session.ask("SELECT 1")
    return stop


def stop_often(session, other, statement, times, longest, draw):
    """Stops at moments up to `longest` seconds, or to the statement's own end: evenly spread over their logarithm, and alternately by each way."""
    stops = []
    for i in range(times):
        after = longest * (0.002 / longest) ** draw.random() if longest > 0.002 else 0.002
        stop = stop_statement(session, other, statement, after, i % 2 == 0)
        stops.append(stop)
        if not stop.hit:
            longest = min(longest, stop.whole * 0.9)
    return stops


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def moments(seed):
    return random.Random(seed)
