-- Prints a view under its caption; report.html shows it too.
INSERT INTO shown (section, name, caption)
SELECT :'section', :'view', replace(obj_description(:'view'::regclass), '{maps}', (SELECT count(*)::text FROM lab_maps));
SELECT wrapped(caption) AS caption FROM shown WHERE name = :'view' \gset
\echo :caption
TABLE :view;
