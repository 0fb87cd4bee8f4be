SELECT coalesce(string_agg(wrapped('Here: ' || line), E'\n' ORDER BY place), '') AS lines
FROM seen WHERE section = :'section' \gset
\echo :lines
