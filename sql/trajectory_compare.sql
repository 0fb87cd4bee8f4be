-- Equality, order and hashing of trajectories.
\set VERBOSITY terse
-- spelling is no difference, content is
SELECT '{"reward":1.0,"steps":[{"action":"\u0061"}]}'::trajectory = ' {"steps": [{"action": "a"}], "reward": 1e0} ' AS eq,
	'{"reward":-0.0}'::trajectory = '{"reward":0}' AS zero,
	'{}'::trajectory <> '{"steps":[]}' AS unknown_is_not_none,
	'{"steps":[{}]}'::trajectory <> '{"steps":[{"error":false}]}' AS unknown_is_not_false,
	'{"steps":[{"action":"ab","observation":"c"}]}'::trajectory <> '{"steps":[{"action":"a","observation":"bc"}]}' AS boundary,
	'{"steps":[{"action":"a"}]}'::trajectory <> '{"steps":[{"observation":"a"}]}' AS field,
	'{"steps":[{"tokens":0}]}'::trajectory <> '{"steps":[{}]}' AS zero_is_not_null;

-- field by field in canonical order, the absent first
CREATE TEMP TABLE ordered (place int, traj trajectory);
INSERT INTO ordered VALUES
(1, '{}'),
(2, '{"steps":[]}'),
(3, '{"steps":[{}]}'),
(4, '{"steps":[{},{}]}'),
(5, '{"steps":[{"error":false}]}'),
(6, '{"steps":[{"error":true}]}'),
(7, '{"steps":[{"action":""}]}'),
(8, '{"steps":[{"action":"a"}]}'),
(9, '{"steps":[{"action":"a","tokens":-0}]}'),
(10, '{"steps":[{"action":"a","tokens":2}]}'),
(11, '{"steps":[{"action":"a","tokens":10}]}'),
(12, '{"steps":[{"action":"aa"}]}'),
(13, '{"steps":[{"action":"b"}]}'),
(14, '{"prompt":"p"}'),
(15, '{"budget":2}'),
(16, '{"budget":10}'),
(17, '{"stop_reason":"x"}'),
(18, '{"status":"completed"}'),
(19, '{"status":"infra_error"}'),
(20, '{"reward":-1}'),
(21, '{"reward":0}'),
(22, '{"reward":0,"status":"truncated"}'),
(23, '{"reward":0.5}'),
(24, '{"success":false}'),
(25, '{"success":true}'),
(26, '{"success":true,"solved_at":2}');
SELECT bool_and(place = rank) AS in_order FROM (SELECT place, rank() OVER (ORDER BY traj) FROM ordered) x;
-- all operators agree with the places
SELECT count(*) AS pairs,
	bool_and((a.traj < b.traj) = (a.place < b.place)) AS lt, bool_and((a.traj <= b.traj) = (a.place <= b.place)) AS le,
	bool_and((a.traj = b.traj) = (a.place = b.place)) AS eq, bool_and((a.traj <> b.traj) = (a.place <> b.place)) AS ne,
	bool_and((a.traj >= b.traj) = (a.place >= b.place)) AS ge, bool_and((a.traj > b.traj) = (a.place > b.place)) AS gt,
	bool_and(trajectory_cmp(a.traj, b.traj) * sign(b.place - a.place) <= 0) AS cmp
FROM ordered a, ordered b;
-- hashes: distinct here, the same for the same content, and seed 0 as the server asks
SELECT count(DISTINCT trajectory_hash(traj)) AS hashes,
	bool_and(trajectory_hash(traj) = trajectory_hash(traj::text::trajectory)) AS stable,
	bool_and((trajectory_hash_extended(traj, 0) & 4294967295) = (trajectory_hash(traj)::bigint & 4294967295)) AS seed_0,
	bool_and(trajectory_hash_extended(traj, 1) <> trajectory_hash_extended(traj, 0)) AS seed_1
FROM ordered;

-- DISTINCT, GROUP BY, joins, each way to do them
CREATE TEMP TABLE twice AS SELECT place, traj FROM ordered, generate_series(1, 2);
ANALYZE twice;
SET enable_sort = off;
SELECT count(*) FROM (SELECT traj FROM twice GROUP BY traj HAVING count(*) = 2) x;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*) FROM (SELECT DISTINCT traj FROM twice) x;
RESET enable_hashagg;
SET enable_nestloop = off; SET enable_mergejoin = off;
SELECT count(*), bool_and(a.place = b.place) FROM twice a JOIN ordered b USING (traj);
RESET enable_mergejoin; SET enable_hashjoin = off;
SELECT count(*), bool_and(a.place = b.place) FROM twice a JOIN ordered b USING (traj);
RESET enable_nestloop; RESET enable_hashjoin;
CREATE UNIQUE INDEX ordered_traj ON ordered (traj);
INSERT INTO ordered VALUES (27, '{"budget": 10}');
CREATE INDEX ordered_hash ON ordered USING hash (traj);
SET enable_seqscan = off;
SELECT place FROM ordered WHERE traj = '{"budget": 10}';
RESET enable_seqscan;
CREATE TEMP TABLE parted (traj trajectory) PARTITION BY HASH (traj);
CREATE TEMP TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TEMP TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT traj FROM ordered;
SELECT count(*), (SELECT count(*) > 0 FROM parted_0) AS some_0, (SELECT count(*) > 0 FROM parted_1) AS some_1 FROM parted;
