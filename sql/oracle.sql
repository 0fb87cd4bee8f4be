-- Exact values on small lakes.

-- the goal is one move to the right: with gamma .5 that is worth 1, a turn spent elsewhere first halves it
SELECT grid_row, grid_col, steps_left, action, q FROM frozenlake_q('SG', 2, 0.5, false);
-- on slippery ice each move goes to either side of where it is meant to, one time in three: all but left may reach the goal at once
SELECT action, round(q::numeric, 6) AS q FROM frozenlake_q('SG', 1);
SELECT frozenlake_min_turns('SG') AS one, frozenlake_min_turns(E'SF\nHG') AS two, frozenlake_min_turns('SHG') AS no_way;
SELECT count(*) FROM frozenlake_q(E'SF\nHG', 3);

-- mistakes
SELECT frozenlake_min_turns('SF');
SELECT frozenlake_min_turns(E'SF\nG');
SELECT frozenlake_min_turns('SXG');
SELECT * FROM frozenlake_q('SG', 0);
SELECT * FROM frozenlake_q('SG', 1, 2);
