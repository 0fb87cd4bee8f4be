-- frozenlake_q and frozenlake_min_turns: values by hand, bounds, bad maps.
\set ON_ERROR_STOP on
\pset pager off
BEGIN;
SELECT no_plan();

-- On "SFG", slippery: up and down may slip either way along the row, left and right
-- may slip off the map, which holds one in place.
--   one turn left, from F: right 1/3, up and down 1/3, left 0
--   two turns, g = 1/2: V1(S) = 0, V1(F) = 1/3
--     from S: right, up and down land on F once in three: (1/2)(1/3)/3 = 1/18; left 0 of it
--     from F: right 1/3 + (2/3)(1/2)(1/3) = 4/9; up 1/3 + (1/3)(1/2)(1/3) = 7/18; left (2/3)(1/2)(1/3) = 1/9
CREATE TEMP TABLE hand AS SELECT * FROM (VALUES
	(0, 0, 1::bigint, 'left', 0::float8), (0, 0, 1, 'down', 0), (0, 0, 1, 'right', 0), (0, 0, 1, 'up', 0),
	(0, 1, 1, 'left', 0), (0, 1, 1, 'down', 1 / 3.0), (0, 1, 1, 'right', 1 / 3.0), (0, 1, 1, 'up', 1 / 3.0),
	(0, 0, 2, 'left', 0), (0, 0, 2, 'down', 1 / 18.0), (0, 0, 2, 'right', 1 / 18.0), (0, 0, 2, 'up', 1 / 18.0),
	(0, 1, 2, 'left', 1 / 9.0), (0, 1, 2, 'down', 7 / 18.0), (0, 1, 2, 'right', 4 / 9.0), (0, 1, 2, 'up', 7 / 18.0))
	v(grid_row, grid_col, steps_left, action, q);
SELECT results_eq(
	$$SELECT grid_row, grid_col, steps_left, action, round(q::numeric, 14) FROM frozenlake_q('SFG', 2, 0.5)$$,
	$$SELECT grid_row, grid_col, steps_left, action, round(q::numeric, 14) FROM hand$$,
	'slippery, by hand, in the order of turns left, cell and move');

-- Without slipping the value of the best move is gamma ^ (moves to the goal - 1), once the turns suffice.
SELECT results_eq(
	$$SELECT grid_row, grid_col, steps_left, max(q) FROM frozenlake_q(E'SF\nHF\nGF', 4, 0.5, false) GROUP BY 1, 2, 3 ORDER BY 3, 1, 2$$,
	$$VALUES (0, 0, 1::bigint, 0::float8), (0, 1, 1, 0), (1, 1, 1, 0), (2, 1, 1, 1),
	         (0, 0, 2, 0), (0, 1, 2, 0), (1, 1, 2, 0.5), (2, 1, 2, 1),
	         (0, 0, 3, 0), (0, 1, 3, 0.25), (1, 1, 3, 0.5), (2, 1, 3, 1),
	         (0, 0, 4, 0.125), (0, 1, 4, 0.25), (1, 1, 4, 0.5), (2, 1, 4, 1)$$,
	'not slippery: a power of gamma; a map need not be square');
SELECT results_eq(
	$$SELECT action, q FROM frozenlake_q(E'SH\nFG', 1, slippery => false) WHERE grid_row = 1$$,
	$$VALUES ('left', 0::float8), ('down', 0), ('right', 1), ('up', 0)$$, 'the goal to the right');
SELECT is(max(q), 0::float8, 'gamma 0: only the goal at this very move counts') FROM frozenlake_q('SFG', 9, 0) WHERE grid_col = 0;
SELECT results_eq($$SELECT q FROM frozenlake_q('SFG', 3)$$, $$SELECT q FROM frozenlake_q('SFG', 3, 0.95, true)$$,
	'by default gamma is 0.95 and the ice slippery');
SELECT is(count(*), 2::bigint * 7 * 4, 'a row per turns left, move and cell that is no hole and no goal')
FROM frozenlake_q(E'SFF\nFHF\nFFG', 2);
SELECT is(count(*), 16::bigint, 'in the select list') FROM (SELECT frozenlake_q('SFG', 2)) s;
SELECT is(count(*), 16::bigint, 'an int and a count both serve as horizon') FROM frozenlake_q('SFG', 2::int);
SELECT is_empty($$SELECT * FROM frozenlake_q(NULL, 2) UNION ALL SELECT * FROM frozenlake_q('SFG', NULL)
	UNION ALL SELECT * FROM frozenlake_q('SFG', 2, NULL) UNION ALL SELECT * FROM frozenlake_q('SFG', 2, 1, NULL)$$, 'NULL: no rows');

-- the shortest way
SELECT results_eq(
	$$SELECT frozenlake_min_turns(m) FROM (VALUES (1, 'SG'), (2, 'SFG'), (3, E'SF\nHF\nGF'), (4, E'SFFF\nFHFH\nFFFH\nHFFG'),
		(5, E'SFFFFFFF\nFFFFFFFF\nFFFHFFFF\nFFFFFHFF\nFFFHFFFF\nFHHFFFHF\nFHFFHFHF\nFFFHFFFG'), (6, 'SHG'), (7, E'GF\nFS'),
		(8, E'S\nG\n')) v(i, m) ORDER BY i$$,
	$$VALUES (1::bigint), (2), (4), (6), (14), (NULL), (2), (1)$$, 'min_turns: the shortest way, null where none is');
SELECT is(frozenlake_min_turns(NULL), NULL, 'min_turns of NULL');
SELECT is(frozenlake_min_turns('S' || repeat('F', 9998) || 'G'), 9999::bigint, 'the largest map, one row');
SELECT is(frozenlake_min_turns('S' || repeat(E'\nF', 9998) || E'\nG'), 9999::bigint, 'and one column');

-- Nothing is worth anything before the shortest way has had its turns, and all is from there on.
SELECT is(min(steps_left) FILTER (WHERE q > 0), frozenlake_min_turns(E'SFFF\nFHFH\nFFFH\nHFFG'), 'the shortest way is the first turn with a chance')
FROM frozenlake_q(E'SFFF\nFHFH\nFFFH\nHFFG', 20) WHERE grid_row = 0 AND grid_col = 0;
-- a way of 6 moves has probability 3^-6, and there are few such ways
SELECT ok(max(q) < 0.02, 'but no policy reaches that bound on slippery ice')
FROM frozenlake_q(E'SFFF\nFHFH\nFFFH\nHFFG', 6, 1) WHERE grid_row = 0 AND grid_col = 0 AND steps_left = 6;

-- what is no map
CREATE TEMP TABLE bad (map text, detail text);
INSERT INTO bad VALUES
	('', 'There is no start (S).'), (E'\n', 'There is no start (S).'), ('FG', 'There is no start (S).'), ('SF', 'There is no goal (G).'),
	('SSG', 'There is more than one start (S).'), (E'SG\nGF', 'There is more than one goal (G).'),
	(E'SFG\nFF', 'Row 1 is 2 wide, row 0 is 3.'), (E'SG\n\nFF', 'Row 1 is 0 wide, row 0 is 2.'), (E'SG\nFF\n\n', 'Row 2 is 0 wide, row 0 is 2.'),
	('SxG', 'Row 0 has something other than S, F, H and G at column 1.'), ('sFG', 'Row 0 has something other than S, F, H and G at column 0.'),
	(E'SFG\nFFé', 'Row 1 is 4 wide, row 0 is 3.'), (E'SF\nFé', 'Row 1 is 3 wide, row 0 is 2.'), (E'SF\r\nFG', 'Row 0 has something other than S, F, H and G at column 2.'),
	('S F G', 'Row 0 has something other than S, F, H and G at column 1.');
CREATE FUNCTION complaint(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; detail text; state text;
BEGIN
	EXECUTE query;
	RETURN 'no error';
EXCEPTION WHEN others THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, state = RETURNED_SQLSTATE;
	RETURN state || ' ' || message || coalesce(' | ' || nullif(detail, ''), '');
END $$;
SELECT is(complaint(format('SELECT %s', replace(call, '?', quote_literal(map)))), '22023 invalid FrozenLake map | ' || detail,
          format('%s of %s', call, translate(map, E'\n\r', '/')))
FROM bad, unnest('{frozenlake_min_turns(?), "count(*) FROM frozenlake_q(?, 1)"}'::text[]) call;
SELECT is(complaint(query), message, query) FROM (VALUES
	($$SELECT frozenlake_min_turns('S' || repeat('F', 9999) || 'G')$$, '54000 a FrozenLake map must not have more than 10000 cells'),
	($$SELECT frozenlake_min_turns(repeat('F', 1000000))$$, '54000 a FrozenLake map must not have more than 10000 cells'),
	($$SELECT frozenlake_min_turns(rpad('SG', 200, 'F') || repeat(E'\n' || repeat('F', 200), 50))$$, '54000 a FrozenLake map must not have more than 10000 cells'),
	($$SELECT frozenlake_q('SFG', 0)$$, '22023 horizon must be at least 1, not 0'),
	($$SELECT frozenlake_q('SFG', -5)$$, '22023 horizon must be at least 1, not -5'),
	($$SELECT frozenlake_q('SFG', 10001)$$, '54000 horizon must not be greater than 10000'),
	($$SELECT frozenlake_q('SFG', 9223372036854775807)$$, '54000 horizon must not be greater than 10000'),
	($$SELECT frozenlake_q('SFG', 1, -0.1)$$, '22023 gamma must be between 0 and 1, not -0.1'),
	($$SELECT frozenlake_q('SFG', 1, 1.5)$$, '22023 gamma must be between 0 and 1, not 1.5'),
	($$SELECT frozenlake_q('SFG', 1, 'NaN')$$, '22023 gamma must be between 0 and 1, not NaN'),
	($$SELECT frozenlake_q('SFG', 1, '-Infinity')$$, '22023 gamma must be between 0 and 1, not -Infinity'),
	($$SELECT frozenlake_q(rpad('SG', 100, 'F') || repeat(E'\n' || repeat('F', 100), 99), 251)$$,
	 '54000 a table of move values must not have more than 10000000 rows | 10000 cells, 4 moves and a horizon of 251 would give 10040000.'))
	v(query, message);

SELECT * FROM finish();
ROLLBACK;
