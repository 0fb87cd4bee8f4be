#!/usr/bin/env python3
"""What chosen or odd inputs can cost: keys that were made to collide, tasks of many cells, results of many rows, grids of many cells."""
from tap import done, has, ok, psql, rows, same, sql, use_database

use_database("agentrl_limits")

# Keys that the hash of releases before 1.0 took to one number: lower half = upper half x 0x9e3779b1. 40,000 of them took 21 s, and four times as
# long for twice as many; a hash that nobody can foresee needs none.
sql("SET statement_timeout = '30s'; CREATE TABLE collide AS SELECT (g << 32) | ((g * x'9e3779b1'::bigint) & x'ffffffff'::bigint) AS key FROM generate_series(200000::bigint, 1, -1) g")
same(sql("SET statement_timeout = '30s'; SELECT count(*) FROM pass_tasks((SELECT pass_agg(key, true, 1) FROM collide))"), "200000", "numbers made to collide")
same(sql("SET statement_timeout = '30s'; SELECT sum(attempts), count(*) FROM pass_tasks((SELECT pass_agg(key, true, 1) FROM (SELECT key FROM collide, generate_series(1, 3) ORDER BY key % 97) q))"),
     "600000|200000", "and in no order")

# One task with many distinct turns: the time was quadratic in them, and in those of a value that is merged
sql("""SET statement_timeout = '60s';
CREATE TABLE many AS SELECT n, pass_agg(1, g % 2 = 0, g) AS s FROM (VALUES (1, 1, 600000), (2, 300001, 900000)) v(n, low, high), generate_series(low, high) g GROUP BY n""")
same(sql("SET statement_timeout = '30s'; SELECT sum(attempts), sum(solved), min(first_solved_at) FROM many, pass_tasks(s)"), "1200000|600000|2", "600,000 turns of a task")
same(sql("SET statement_timeout = '30s'; SELECT attempts, solved FROM pass_tasks((SELECT rollup(s) FROM many))"), "1200000|600000", "merged")
same(sql("SET statement_timeout = '30s'; SELECT (SELECT rollup(s) FROM many)::text = (SELECT pass_agg(1, g % 2 = 0, g) FROM (SELECT generate_series(1, 600000) g UNION ALL SELECT generate_series(300001, 900000)) q)::text"),
     "t", "and the same as of the rows")
# the same ids again and again, few and many, in runs and alone: each is counted once
same(sql("""SELECT bool_and(solved = wanted) FROM (SELECT t AS task, count(*) AS wanted FROM generate_series(1, 200000) g, LATERAL (SELECT (g * 7919::bigint % 13)::text AS t) q GROUP BY 1) w
 JOIN (SELECT * FROM pass_tasks((SELECT pass_agg((g * 7919::bigint % 13), true, 1 + g * 31::bigint % 3001) FROM generate_series(1, 200000) g))) p USING (task)"""), "t", "counts of a large task")
WINDOW = "SELECT pass_agg(1, true, 1 + g * 31 % 401) OVER (ORDER BY g) AS s, g FROM generate_series(1, 1500) g"
same(sql(f"SELECT count(*) FROM ({WINDOW}) w WHERE g % 50 = 0 AND s::text <> (SELECT pass_agg(1, true, 1 + h * 31 % 401) FROM generate_series(1, w.g) h)::text"), "0",
     "a window's states stay usable")

# A grid of 10,000 T over a million cells: the columns of a cell were looked for one after the other
same(sql("""SET statement_timeout = '30s'; SELECT count(*), max(pass) FROM pass_grid((SELECT pass_agg(g % 1000, g % 3 = 0, g) FROM generate_series(1, 300000) g), '{1}',
 (SELECT array_agg(t) FROM generate_series(1, 10000) t), resamples => 0)""").split("|")[0], "10000", "a grid of 10,000 T over 300,000 cells")


def peak(script):
    """By how many megabytes a session's memory grew at the most."""
    look = "SELECT split_part(line, ':', 2) FROM regexp_split_to_table(pg_read_file('/proc/' || pg_backend_pid() || '/status'), E'\\n') line WHERE line LIKE 'VmHWM%'"
    out = sql(f"SET max_parallel_workers_per_gather = 0; SET work_mem = '4MB'; SELECT count(*) FROM warm; {look};\n{script};\n{look}").splitlines()
    return (int(out[-1].split()[0]) - int(out[1].split()[0])) // 1024


# Nothing may grow with each row of a result. The summary takes 4 MB, and is read into memory once.
sql("CREATE TABLE warm AS SELECT 1 AS one; CREATE TABLE tasks AS SELECT pass_agg(g, true, 1) AS s FROM generate_series(1, 2000000) g")
grown = peak("SELECT count(*) FROM tasks, pass_tasks(s)")
ok(grown < 60, "pass_tasks of 2,000,000 tasks", f"{grown} MB; a leak of 128 bytes a row would be 250")
sql("CREATE TABLE grid AS SELECT pass_agg(1, true, 1) AS s")
grown = peak("SELECT count(*) FROM grid, pass_grid(s, (SELECT array_agg(g) FROM generate_series(1, 316) g), (SELECT array_agg(g) FROM generate_series(1, 316) g), resamples => 0)")
ok(grown < 60, "pass_grid of 99,856 cells", f"{grown} MB")

# A sample keeps a value per task and cell: bounded
sql("CREATE TABLE wide AS SELECT pass_agg(g % 30000, g % 13 < 5, g % 1999 + 1) AS s FROM generate_series(1, 60000) g")
out, errors = psql("SELECT count(*) FROM wide, pass_grid(s, '{1}', (SELECT array_agg(t) FROM generate_series(1, 6000) t), method => 'bca', resamples => 100)")
has(errors, "resampling so many tasks and cells would take more than 1 GB", "more is refused")
has(errors, "It keeps a value for each task in each of 6000 cells.", "with the size")
has(errors, "Ask for fewer cells at once, or give resamples => 0.", "and what to do")
same(sql("SELECT count(*) FROM wide, pass_grid(s, '{1}', (SELECT array_agg(t) FROM generate_series(1, 6000) t), resamples => 0)"), "6000", "without resampling it is not needed")

# 20,001 tasks took .3 s where 20,000 took 9 s: bands cost the same however many the tasks
sql("CREATE TABLE cliff AS SELECT n, pass_agg(g % n, g * 7919::bigint % 13 < 5, g % 20 + 1) AS s FROM (VALUES (19000), (20001)) v(n), generate_series(1, n * 4) g GROUP BY n")
same(rows("SET statement_timeout = '20s'; SELECT n, max(method), min(method), bool_and(band_low < ci_low) FROM cliff, pass_grid(s, '{1,2,4}', (SELECT array_agg(t) FROM generate_series(1, 20) t)) GROUP BY n ORDER BY n"),
     [["19000", "beta", "beta", "t"], ["20001", "beta", "beta", "t"]], "one method on both sides of 20,000 tasks")

# numbers at the ends of what a confidence can be
for confidence in ("0.01", "0.9999999999"):
    for method in ("auto", "t", "bca", "percentile"):
        same(sql(f"""SELECT bool_and(ci_low BETWEEN 0 AND 1 AND ci_high BETWEEN ci_low AND 1 AND band_low BETWEEN 0 AND 1 AND band_high BETWEEN band_low AND 1)
 FROM pass_grid((SELECT pass_agg(g % 50, g * 7919 % 13 < 4 + g % 5, g % 9 + 1) FROM generate_series(1, 1000) g), '{{1,20}}', '{{1,5,1000000000,9223372036854775807}}',
  confidence => {confidence}, method => '{method}', resamples => 200)"""), "t", f"confidence {confidence}, method {method}: bounds are numbers in order")
for confidence in ("0.99999999999999994", "0.9999999999999999", "1e-300", "1e-17", "0.99999999999"):
    out, errors = psql(f"SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{{1}}', confidence => {confidence})")
    has(errors, "confidence must be between 0.01 and 0.9999999999, not ", f"confidence {confidence} is refused")
for resamples in (1, 99, -1, 10000001):
    out, errors = psql(f"SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{{1}}', resamples => {resamples})")
    has(errors, f"resamples must be 0, or between 100 and 10000000, not {resamples}", f"resamples {resamples} are refused")
    has(errors, "The quantiles of fewer say nothing; with 0 nothing is resampled.", "and the error says why")
done()
