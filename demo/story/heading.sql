\echo
SELECT repeat('=', 98) || E'\n' || wrapped(place || '. ' || title) || E'\n' || coalesce(E'\n' || wrapped('The paper: ' || paper) || E'\n', '')
	AS heading FROM section WHERE name = :'section' \gset
\echo :heading
