#!/usr/bin/env python3
"""Large summaries, which are merged several at a time: the same value as from the rows, and the same errors."""
from tap import done, has, ok, psql, raw_type, same, sql, use_database

use_database("agentrl_large_merge")
# 12 parts of 30,000 rows. The keys of parts 0 to 8 lie anywhere, those of 9 to 11 follow one another.
sql("""
CREATE TABLE samples (id int, part int, key bigint, name text, arm bool, success bool, turns int, value float8, remark text);
INSERT INTO samples
SELECT i, part, key, 'task ' || key, h / 20000 % 2 = 0, CASE WHEN h / 7 % 11 > 0 THEN h / 20000 % 3 = 0 END, 1 + h / 60000 % 20,
       CASE WHEN h / 7 % 31 > 0 THEN h / 1e9 - 0.5 END, 'unit ' || h / 3 % 50
FROM (SELECT i, i % 12 AS part, h, CASE WHEN i % 12 < 9 THEN h % 20000 ELSE (i % 12 - 9) * 15000 + h % 15000 END AS key
      FROM (SELECT i, hashint8extended(i, 11) & 1073741823 AS h FROM generate_series(1, 360000) i) d) e;
ANALYZE samples;
""")
SERIAL = "SET max_parallel_workers_per_gather = 0;"
LARGE = 64 * 1024

for aggregate, bytes_of in (
        ("pass_agg(key, success, turns)", "pass_summary_send"),
        ("pass_agg(name, success, turns)", "pass_summary_send"),
        ("paired_agg(key, arm, value)", "paired_summary_send"),
        ("paired_agg(name, remark, arm, value)", "paired_summary_send"),
        ("length_matched_agg(name, arm, turns, value)", "matched_summary_send"),
        ("dynamics_agg(turns, key, value, value)", "dynamics_summary_send")):
    sql(f"{SERIAL} DROP TABLE IF EXISTS parts; CREATE TABLE parts AS SELECT part, {aggregate} AS s FROM samples GROUP BY part")
    ok(int(sql(f"SELECT min(length({bytes_of}(s))) FROM parts")) > LARGE, f"{aggregate}: every part is large")

    def same_value(merged, rows, what):
        same(sql(f"{SERIAL} SELECT md5(({merged})::text)"), sql(f"{SERIAL} SELECT md5(({rows})::text)"), f"{aggregate}: {what}")

    def from_rows(where):
        return f"SELECT {aggregate} FROM samples WHERE {where}"

    for where in ("part < 2", "part < 8", "part < 12", "part >= 9", "part = 4"):
        same_value(f"SELECT rollup(s ORDER BY part) FROM parts WHERE {where}", from_rows(where), f"rollup of {where}")
    same_value("SELECT rollup(s ORDER BY part DESC) FROM parts", from_rows("true"), "rollup in descending order")
    same_value("SELECT rollup(s) FROM (SELECT s FROM parts WHERE part < 3 UNION ALL SELECT s FROM parts WHERE part < 3) q",
               f"SELECT {aggregate} FROM (SELECT * FROM samples WHERE part < 3 UNION ALL SELECT * FROM samples WHERE part < 3) q",
               "each value twice")
    small = "id < 40 AND part = 11"
    for before, after in ((3, 5), (0, 4)):
        same_value(f"""SELECT rollup(s ORDER BY n) FROM (SELECT part AS n, s FROM parts WHERE part < {after}
                       UNION ALL SELECT {before} - 0.5, {aggregate} FROM samples WHERE {small}) q""",
                   from_rows(f"part < {after} OR {small}"), f"a small value after {before} large ones")
    same_value("SELECT rollup(s) FROM (SELECT rollup(s) AS s FROM parts GROUP BY part % 3) q", from_rows("true"), "rollup of rollups")
    same(sql(f"""{SERIAL} SELECT bool_and(s::text = (SELECT rollup(p.s)::text FROM parts p WHERE p.part BETWEEN q.part - 2 AND q.part))
                 FROM (SELECT part, rollup(s) OVER (ORDER BY part ROWS 2 PRECEDING) AS s FROM parts) q"""), "t", f"{aggregate}: a moving window")
    same(sql(f"""{SERIAL} SELECT string_agg(md5(s::text), ' ' ORDER BY part) FROM
                 (SELECT part, rollup(s) OVER (ORDER BY part) AS s FROM parts WHERE part < 5) q"""),
         sql(f"""{SERIAL} SELECT string_agg(md5(s::text), ' ' ORDER BY n)
                 FROM generate_series(0, 4) n, LATERAL (SELECT {aggregate} AS s FROM samples WHERE part <= n) q"""),
         f"{aggregate}: a growing window")

# errors
sql(f"""{SERIAL} DROP TABLE parts;
CREATE TABLE parts AS SELECT part, pass_agg(key, success, turns) AS numbers, pass_agg(name, success, turns) AS texts,
    state_pool_agg(key, arm, id, turns, 20) AS by_number, state_pool_agg(key, arm, 'r' || id, turns, 20) AS by_text
FROM samples WHERE part < 3 GROUP BY part""")
for first, second in (("numbers", "texts"), ("texts", "numbers")):
    failed = psql(f"SELECT rollup(s) FROM (SELECT {first} AS s FROM parts UNION ALL SELECT {second} FROM parts) q")[1]
    has(failed, "cannot combine a pass_summary keyed by", f"{first} and {second}: an error")
    has(failed, "Cast the keys to text on both sides.", f"{first} and {second}: and its hint")
for first, second in (("by_number", "by_text"), ("by_text", "by_number")):
    has(psql(f"SELECT rollup(s) FROM (SELECT {first} AS s FROM parts UNION ALL SELECT {second} FROM parts) q")[1],
        "a state_pool cannot hold both bigint rollouts and text rollouts", f"{first} and {second}: an error")

# a damaged value after three others
sql(raw_type("pass_summary") + """
CREATE FUNCTION merged(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	RETURN length(rollup(s)::text) FROM (SELECT numbers AS s FROM parts UNION ALL SELECT bytes::text::raw::pass_summary) q;
EXCEPTION WHEN data_corrupted THEN RETURN SQLERRM; END $$;
""")
same(sql("SELECT merged(substr(pass_summary_send(numbers), 1, 70000)) FROM parts WHERE part = 1"), "invalid value of type pass_summary",
     "a value that ends too early among large ones is an error")
outcomes = sql("""SELECT merged(set_byte(b, at, get_byte(b, at) # 255)) AS m, count(*)
                  FROM (SELECT pass_summary_send(numbers) AS b FROM parts WHERE part = 1) p, generate_series(3, 900, 23) at GROUP BY 1""")
has(outcomes, "invalid value of type pass_summary", "so is one with a wrong byte")
for line in outcomes.split("\n"):
    ok(line.startswith("invalid value") or line.split("|")[0].isdigit(), f"or it is another value: {line}")
done()
