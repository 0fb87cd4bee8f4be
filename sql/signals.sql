-- Process signals: figures that can be had by hand.

-- rewards 1, 0, 0 and none: mean 1/3, standard deviation (of the sample) sqrt(1/3); so 2/3 and -1/3 over it
SELECT reward, round(grpo_advantage(reward) OVER ()::numeric, 6) AS advantage, grpo_advantage(reward, 'none') OVER () - (reward - 1 / 3.0) AS none
FROM (VALUES (1.0::float8), (0), (0), (NULL)) v(reward) ORDER BY reward, advantage;
SELECT round(2 / 3.0 / sqrt(1 / 3.0), 6) AS by_hand, grpo_advantages('{1,0,0,NULL}', 'none') AS none;
-- all alike: nothing is taught
SELECT grpo_advantages('{0.5,0.5}'), grpo_advantages('{0.5}') AS one, grpo_advantages('{NULL}') AS unscored, grpo_advantages('{}') AS empty;

-- gamma .5, lambda 1, no critic: the returns 1 + .5 * 1 and 1. With lambda 0 the errors of one step: 1 + .5 * v2 - v1, 1 - v2
-- A value of 8 after the end of one turn without any: .5 * 8
SELECT gae('{1,1}'::float8[], '{0,0}', 0.5, 1) AS returns, gae('{1,1}'::float8[], '{0.25,0.5}', 0.5, 0) AS one_step, gae('{0}'::float8[], '{0}', 0.5, 1, 8) AS bootstrapped;
SELECT turn, reward, value, advantage, return_ FROM gae('{"steps":[{"reward":1,"value":0.25},{"reward":1,"value":0.5}]}'::trajectory, 0.5, 0);

-- Two rollouts of two turns that begin alike, rewards 1 and 0. Episodes: mean .5, so .5 and -.5. Returns of the first turns, with
-- gamma .5: .5 and 0, so .25 and -.25 in the group of their state; the second turns stand alone.
SELECT rollout, turn, reward, step_return, episode_advantage, step_advantage, advantage, group_size
FROM gigpo_advantages(ARRAY['{"reward":1,"steps":[{"state":"start"},{"state":"door"}]}', '{"reward":0,"steps":[{"state":"start"},{"state":"wall"}]}']::trajectory[], 0.5, 1, 'none');

-- mistakes
SELECT grpo_advantages('{1,0}', 'variance');
SELECT grpo_advantages('{1,NaN}');
SELECT gae('{1}'::float8[], '{1,2}');
SELECT gae('{1}'::float8[], '{1}', 2);
