-- The formats of import_rollouts: each has a name of its own, which the argument takes, and a description.
SELECT count(*) = count(DISTINCT format) AS distinct_names, bool_and(description <> '') AS described, count(*) FILTER (WHERE format IN ('tau-bench', 'inspect', 'atif', 'swe-agent')) AS known
FROM rollout_formats();
-- every name is taken, another is not
\set VERBOSITY terse
SELECT count(*) > 0 AS taken FROM rollout_formats() f, LATERAL import_rollouts('[]', f.format) r;
SELECT * FROM import_rollouts('[]', 'no such format');
