-- Prints a view under its caption; report.html shows it too.
SELECT wrapped(obj_description(:'view'::regclass)) AS caption \gset
INSERT INTO shown (section, name) VALUES (:'section', :'view');
\echo :caption
TABLE :view;
