-- Comparison of summaries by their bytes: one set of functions for all types

-- pass_summary

CREATE FUNCTION summary_eq(pass_summary, pass_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ne(pass_summary, pass_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_lt(pass_summary, pass_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_le(pass_summary, pass_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_gt(pass_summary, pass_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ge(pass_summary, pass_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_cmp(pass_summary, pass_summary) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash(pass_summary) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash_extended(pass_summary, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION summary_eq(pass_summary, pass_summary) IS 'implementation of = operator';
COMMENT ON FUNCTION summary_ne(pass_summary, pass_summary) IS 'implementation of <> operator';
COMMENT ON FUNCTION summary_lt(pass_summary, pass_summary) IS 'implementation of < operator';
COMMENT ON FUNCTION summary_le(pass_summary, pass_summary) IS 'implementation of <= operator';
COMMENT ON FUNCTION summary_gt(pass_summary, pass_summary) IS 'implementation of > operator';
COMMENT ON FUNCTION summary_ge(pass_summary, pass_summary) IS 'implementation of >= operator';
COMMENT ON FUNCTION summary_cmp(pass_summary, pass_summary) IS 'less-equal-greater';
COMMENT ON FUNCTION summary_hash(pass_summary) IS 'hash';
COMMENT ON FUNCTION summary_hash_extended(pass_summary, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = pass_summary, RIGHTARG = pass_summary, FUNCTION = summary_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = pass_summary, RIGHTARG = pass_summary, FUNCTION = summary_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = pass_summary, RIGHTARG = pass_summary, FUNCTION = summary_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = pass_summary, RIGHTARG = pass_summary, FUNCTION = summary_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = pass_summary, RIGHTARG = pass_summary, FUNCTION = summary_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = pass_summary, RIGHTARG = pass_summary, FUNCTION = summary_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (pass_summary, pass_summary) IS 'same content';
COMMENT ON OPERATOR <> (pass_summary, pass_summary) IS 'not the same content';
COMMENT ON OPERATOR < (pass_summary, pass_summary) IS 'before, in an order by bytes';
COMMENT ON OPERATOR <= (pass_summary, pass_summary) IS 'not after, in an order by bytes';
COMMENT ON OPERATOR > (pass_summary, pass_summary) IS 'after, in an order by bytes';
COMMENT ON OPERATOR >= (pass_summary, pass_summary) IS 'not before, in an order by bytes';

CREATE OPERATOR CLASS pass_summary_ops DEFAULT FOR TYPE pass_summary USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 summary_cmp(pass_summary, pass_summary);
CREATE OPERATOR CLASS pass_summary_ops DEFAULT FOR TYPE pass_summary USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 summary_hash(pass_summary),
	FUNCTION 2 summary_hash_extended(pass_summary, bigint);
COMMENT ON OPERATOR CLASS pass_summary_ops USING btree IS 'summaries by their bytes';
COMMENT ON OPERATOR CLASS pass_summary_ops USING hash IS 'summaries by their bytes';

-- paired_summary

CREATE FUNCTION summary_eq(paired_summary, paired_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ne(paired_summary, paired_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_lt(paired_summary, paired_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_le(paired_summary, paired_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_gt(paired_summary, paired_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ge(paired_summary, paired_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_cmp(paired_summary, paired_summary) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash(paired_summary) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash_extended(paired_summary, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION summary_eq(paired_summary, paired_summary) IS 'implementation of = operator';
COMMENT ON FUNCTION summary_ne(paired_summary, paired_summary) IS 'implementation of <> operator';
COMMENT ON FUNCTION summary_lt(paired_summary, paired_summary) IS 'implementation of < operator';
COMMENT ON FUNCTION summary_le(paired_summary, paired_summary) IS 'implementation of <= operator';
COMMENT ON FUNCTION summary_gt(paired_summary, paired_summary) IS 'implementation of > operator';
COMMENT ON FUNCTION summary_ge(paired_summary, paired_summary) IS 'implementation of >= operator';
COMMENT ON FUNCTION summary_cmp(paired_summary, paired_summary) IS 'less-equal-greater';
COMMENT ON FUNCTION summary_hash(paired_summary) IS 'hash';
COMMENT ON FUNCTION summary_hash_extended(paired_summary, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = paired_summary, RIGHTARG = paired_summary, FUNCTION = summary_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = paired_summary, RIGHTARG = paired_summary, FUNCTION = summary_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = paired_summary, RIGHTARG = paired_summary, FUNCTION = summary_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = paired_summary, RIGHTARG = paired_summary, FUNCTION = summary_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = paired_summary, RIGHTARG = paired_summary, FUNCTION = summary_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = paired_summary, RIGHTARG = paired_summary, FUNCTION = summary_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (paired_summary, paired_summary) IS 'same content';
COMMENT ON OPERATOR <> (paired_summary, paired_summary) IS 'not the same content';
COMMENT ON OPERATOR < (paired_summary, paired_summary) IS 'before, in an order by bytes';
COMMENT ON OPERATOR <= (paired_summary, paired_summary) IS 'not after, in an order by bytes';
COMMENT ON OPERATOR > (paired_summary, paired_summary) IS 'after, in an order by bytes';
COMMENT ON OPERATOR >= (paired_summary, paired_summary) IS 'not before, in an order by bytes';

CREATE OPERATOR CLASS paired_summary_ops DEFAULT FOR TYPE paired_summary USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 summary_cmp(paired_summary, paired_summary);
CREATE OPERATOR CLASS paired_summary_ops DEFAULT FOR TYPE paired_summary USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 summary_hash(paired_summary),
	FUNCTION 2 summary_hash_extended(paired_summary, bigint);
COMMENT ON OPERATOR CLASS paired_summary_ops USING btree IS 'summaries by their bytes';
COMMENT ON OPERATOR CLASS paired_summary_ops USING hash IS 'summaries by their bytes';

-- state_pool

CREATE FUNCTION summary_eq(state_pool, state_pool) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ne(state_pool, state_pool) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_lt(state_pool, state_pool) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_le(state_pool, state_pool) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_gt(state_pool, state_pool) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ge(state_pool, state_pool) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_cmp(state_pool, state_pool) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash(state_pool) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash_extended(state_pool, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION summary_eq(state_pool, state_pool) IS 'implementation of = operator';
COMMENT ON FUNCTION summary_ne(state_pool, state_pool) IS 'implementation of <> operator';
COMMENT ON FUNCTION summary_lt(state_pool, state_pool) IS 'implementation of < operator';
COMMENT ON FUNCTION summary_le(state_pool, state_pool) IS 'implementation of <= operator';
COMMENT ON FUNCTION summary_gt(state_pool, state_pool) IS 'implementation of > operator';
COMMENT ON FUNCTION summary_ge(state_pool, state_pool) IS 'implementation of >= operator';
COMMENT ON FUNCTION summary_cmp(state_pool, state_pool) IS 'less-equal-greater';
COMMENT ON FUNCTION summary_hash(state_pool) IS 'hash';
COMMENT ON FUNCTION summary_hash_extended(state_pool, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = state_pool, RIGHTARG = state_pool, FUNCTION = summary_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = state_pool, RIGHTARG = state_pool, FUNCTION = summary_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = state_pool, RIGHTARG = state_pool, FUNCTION = summary_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = state_pool, RIGHTARG = state_pool, FUNCTION = summary_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = state_pool, RIGHTARG = state_pool, FUNCTION = summary_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = state_pool, RIGHTARG = state_pool, FUNCTION = summary_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (state_pool, state_pool) IS 'same content';
COMMENT ON OPERATOR <> (state_pool, state_pool) IS 'not the same content';
COMMENT ON OPERATOR < (state_pool, state_pool) IS 'before, in an order by bytes';
COMMENT ON OPERATOR <= (state_pool, state_pool) IS 'not after, in an order by bytes';
COMMENT ON OPERATOR > (state_pool, state_pool) IS 'after, in an order by bytes';
COMMENT ON OPERATOR >= (state_pool, state_pool) IS 'not before, in an order by bytes';

CREATE OPERATOR CLASS state_pool_ops DEFAULT FOR TYPE state_pool USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 summary_cmp(state_pool, state_pool);
CREATE OPERATOR CLASS state_pool_ops DEFAULT FOR TYPE state_pool USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 summary_hash(state_pool),
	FUNCTION 2 summary_hash_extended(state_pool, bigint);
COMMENT ON OPERATOR CLASS state_pool_ops USING btree IS 'summaries by their bytes';
COMMENT ON OPERATOR CLASS state_pool_ops USING hash IS 'summaries by their bytes';

-- recovery_summary

CREATE FUNCTION summary_eq(recovery_summary, recovery_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ne(recovery_summary, recovery_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_lt(recovery_summary, recovery_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_le(recovery_summary, recovery_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_gt(recovery_summary, recovery_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ge(recovery_summary, recovery_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_cmp(recovery_summary, recovery_summary) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash(recovery_summary) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash_extended(recovery_summary, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION summary_eq(recovery_summary, recovery_summary) IS 'implementation of = operator';
COMMENT ON FUNCTION summary_ne(recovery_summary, recovery_summary) IS 'implementation of <> operator';
COMMENT ON FUNCTION summary_lt(recovery_summary, recovery_summary) IS 'implementation of < operator';
COMMENT ON FUNCTION summary_le(recovery_summary, recovery_summary) IS 'implementation of <= operator';
COMMENT ON FUNCTION summary_gt(recovery_summary, recovery_summary) IS 'implementation of > operator';
COMMENT ON FUNCTION summary_ge(recovery_summary, recovery_summary) IS 'implementation of >= operator';
COMMENT ON FUNCTION summary_cmp(recovery_summary, recovery_summary) IS 'less-equal-greater';
COMMENT ON FUNCTION summary_hash(recovery_summary) IS 'hash';
COMMENT ON FUNCTION summary_hash_extended(recovery_summary, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = recovery_summary, RIGHTARG = recovery_summary, FUNCTION = summary_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = recovery_summary, RIGHTARG = recovery_summary, FUNCTION = summary_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = recovery_summary, RIGHTARG = recovery_summary, FUNCTION = summary_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = recovery_summary, RIGHTARG = recovery_summary, FUNCTION = summary_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = recovery_summary, RIGHTARG = recovery_summary, FUNCTION = summary_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = recovery_summary, RIGHTARG = recovery_summary, FUNCTION = summary_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (recovery_summary, recovery_summary) IS 'same content';
COMMENT ON OPERATOR <> (recovery_summary, recovery_summary) IS 'not the same content';
COMMENT ON OPERATOR < (recovery_summary, recovery_summary) IS 'before, in an order by bytes';
COMMENT ON OPERATOR <= (recovery_summary, recovery_summary) IS 'not after, in an order by bytes';
COMMENT ON OPERATOR > (recovery_summary, recovery_summary) IS 'after, in an order by bytes';
COMMENT ON OPERATOR >= (recovery_summary, recovery_summary) IS 'not before, in an order by bytes';

CREATE OPERATOR CLASS recovery_summary_ops DEFAULT FOR TYPE recovery_summary USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 summary_cmp(recovery_summary, recovery_summary);
CREATE OPERATOR CLASS recovery_summary_ops DEFAULT FOR TYPE recovery_summary USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 summary_hash(recovery_summary),
	FUNCTION 2 summary_hash_extended(recovery_summary, bigint);
COMMENT ON OPERATOR CLASS recovery_summary_ops USING btree IS 'summaries by their bytes';
COMMENT ON OPERATOR CLASS recovery_summary_ops USING hash IS 'summaries by their bytes';

-- matched_summary

CREATE FUNCTION summary_eq(matched_summary, matched_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ne(matched_summary, matched_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_lt(matched_summary, matched_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_le(matched_summary, matched_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_gt(matched_summary, matched_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ge(matched_summary, matched_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_cmp(matched_summary, matched_summary) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash(matched_summary) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash_extended(matched_summary, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION summary_eq(matched_summary, matched_summary) IS 'implementation of = operator';
COMMENT ON FUNCTION summary_ne(matched_summary, matched_summary) IS 'implementation of <> operator';
COMMENT ON FUNCTION summary_lt(matched_summary, matched_summary) IS 'implementation of < operator';
COMMENT ON FUNCTION summary_le(matched_summary, matched_summary) IS 'implementation of <= operator';
COMMENT ON FUNCTION summary_gt(matched_summary, matched_summary) IS 'implementation of > operator';
COMMENT ON FUNCTION summary_ge(matched_summary, matched_summary) IS 'implementation of >= operator';
COMMENT ON FUNCTION summary_cmp(matched_summary, matched_summary) IS 'less-equal-greater';
COMMENT ON FUNCTION summary_hash(matched_summary) IS 'hash';
COMMENT ON FUNCTION summary_hash_extended(matched_summary, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = matched_summary, RIGHTARG = matched_summary, FUNCTION = summary_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = matched_summary, RIGHTARG = matched_summary, FUNCTION = summary_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = matched_summary, RIGHTARG = matched_summary, FUNCTION = summary_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = matched_summary, RIGHTARG = matched_summary, FUNCTION = summary_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = matched_summary, RIGHTARG = matched_summary, FUNCTION = summary_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = matched_summary, RIGHTARG = matched_summary, FUNCTION = summary_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (matched_summary, matched_summary) IS 'same content';
COMMENT ON OPERATOR <> (matched_summary, matched_summary) IS 'not the same content';
COMMENT ON OPERATOR < (matched_summary, matched_summary) IS 'before, in an order by bytes';
COMMENT ON OPERATOR <= (matched_summary, matched_summary) IS 'not after, in an order by bytes';
COMMENT ON OPERATOR > (matched_summary, matched_summary) IS 'after, in an order by bytes';
COMMENT ON OPERATOR >= (matched_summary, matched_summary) IS 'not before, in an order by bytes';

CREATE OPERATOR CLASS matched_summary_ops DEFAULT FOR TYPE matched_summary USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 summary_cmp(matched_summary, matched_summary);
CREATE OPERATOR CLASS matched_summary_ops DEFAULT FOR TYPE matched_summary USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 summary_hash(matched_summary),
	FUNCTION 2 summary_hash_extended(matched_summary, bigint);
COMMENT ON OPERATOR CLASS matched_summary_ops USING btree IS 'summaries by their bytes';
COMMENT ON OPERATOR CLASS matched_summary_ops USING hash IS 'summaries by their bytes';

-- dynamics_summary

CREATE FUNCTION summary_eq(dynamics_summary, dynamics_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ne(dynamics_summary, dynamics_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_lt(dynamics_summary, dynamics_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_le(dynamics_summary, dynamics_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_gt(dynamics_summary, dynamics_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ge(dynamics_summary, dynamics_summary) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_cmp(dynamics_summary, dynamics_summary) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash(dynamics_summary) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash_extended(dynamics_summary, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION summary_eq(dynamics_summary, dynamics_summary) IS 'implementation of = operator';
COMMENT ON FUNCTION summary_ne(dynamics_summary, dynamics_summary) IS 'implementation of <> operator';
COMMENT ON FUNCTION summary_lt(dynamics_summary, dynamics_summary) IS 'implementation of < operator';
COMMENT ON FUNCTION summary_le(dynamics_summary, dynamics_summary) IS 'implementation of <= operator';
COMMENT ON FUNCTION summary_gt(dynamics_summary, dynamics_summary) IS 'implementation of > operator';
COMMENT ON FUNCTION summary_ge(dynamics_summary, dynamics_summary) IS 'implementation of >= operator';
COMMENT ON FUNCTION summary_cmp(dynamics_summary, dynamics_summary) IS 'less-equal-greater';
COMMENT ON FUNCTION summary_hash(dynamics_summary) IS 'hash';
COMMENT ON FUNCTION summary_hash_extended(dynamics_summary, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = dynamics_summary, RIGHTARG = dynamics_summary, FUNCTION = summary_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = dynamics_summary, RIGHTARG = dynamics_summary, FUNCTION = summary_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = dynamics_summary, RIGHTARG = dynamics_summary, FUNCTION = summary_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = dynamics_summary, RIGHTARG = dynamics_summary, FUNCTION = summary_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = dynamics_summary, RIGHTARG = dynamics_summary, FUNCTION = summary_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = dynamics_summary, RIGHTARG = dynamics_summary, FUNCTION = summary_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (dynamics_summary, dynamics_summary) IS 'same content';
COMMENT ON OPERATOR <> (dynamics_summary, dynamics_summary) IS 'not the same content';
COMMENT ON OPERATOR < (dynamics_summary, dynamics_summary) IS 'before, in an order by bytes';
COMMENT ON OPERATOR <= (dynamics_summary, dynamics_summary) IS 'not after, in an order by bytes';
COMMENT ON OPERATOR > (dynamics_summary, dynamics_summary) IS 'after, in an order by bytes';
COMMENT ON OPERATOR >= (dynamics_summary, dynamics_summary) IS 'not before, in an order by bytes';

CREATE OPERATOR CLASS dynamics_summary_ops DEFAULT FOR TYPE dynamics_summary USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 summary_cmp(dynamics_summary, dynamics_summary);
CREATE OPERATOR CLASS dynamics_summary_ops DEFAULT FOR TYPE dynamics_summary USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 summary_hash(dynamics_summary),
	FUNCTION 2 summary_hash_extended(dynamics_summary, bigint);
COMMENT ON OPERATOR CLASS dynamics_summary_ops USING btree IS 'summaries by their bytes';
COMMENT ON OPERATOR CLASS dynamics_summary_ops USING hash IS 'summaries by their bytes';

-- budget_plan

CREATE FUNCTION summary_eq(budget_plan, budget_plan) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ne(budget_plan, budget_plan) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_lt(budget_plan, budget_plan) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_le(budget_plan, budget_plan) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_gt(budget_plan, budget_plan) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ge(budget_plan, budget_plan) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_cmp(budget_plan, budget_plan) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash(budget_plan) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash_extended(budget_plan, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION summary_eq(budget_plan, budget_plan) IS 'implementation of = operator';
COMMENT ON FUNCTION summary_ne(budget_plan, budget_plan) IS 'implementation of <> operator';
COMMENT ON FUNCTION summary_lt(budget_plan, budget_plan) IS 'implementation of < operator';
COMMENT ON FUNCTION summary_le(budget_plan, budget_plan) IS 'implementation of <= operator';
COMMENT ON FUNCTION summary_gt(budget_plan, budget_plan) IS 'implementation of > operator';
COMMENT ON FUNCTION summary_ge(budget_plan, budget_plan) IS 'implementation of >= operator';
COMMENT ON FUNCTION summary_cmp(budget_plan, budget_plan) IS 'less-equal-greater';
COMMENT ON FUNCTION summary_hash(budget_plan) IS 'hash';
COMMENT ON FUNCTION summary_hash_extended(budget_plan, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = budget_plan, RIGHTARG = budget_plan, FUNCTION = summary_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = budget_plan, RIGHTARG = budget_plan, FUNCTION = summary_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = budget_plan, RIGHTARG = budget_plan, FUNCTION = summary_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = budget_plan, RIGHTARG = budget_plan, FUNCTION = summary_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = budget_plan, RIGHTARG = budget_plan, FUNCTION = summary_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = budget_plan, RIGHTARG = budget_plan, FUNCTION = summary_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (budget_plan, budget_plan) IS 'same content';
COMMENT ON OPERATOR <> (budget_plan, budget_plan) IS 'not the same content';
COMMENT ON OPERATOR < (budget_plan, budget_plan) IS 'before, in an order by bytes';
COMMENT ON OPERATOR <= (budget_plan, budget_plan) IS 'not after, in an order by bytes';
COMMENT ON OPERATOR > (budget_plan, budget_plan) IS 'after, in an order by bytes';
COMMENT ON OPERATOR >= (budget_plan, budget_plan) IS 'not before, in an order by bytes';

CREATE OPERATOR CLASS budget_plan_ops DEFAULT FOR TYPE budget_plan USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 summary_cmp(budget_plan, budget_plan);
CREATE OPERATOR CLASS budget_plan_ops DEFAULT FOR TYPE budget_plan USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 summary_hash(budget_plan),
	FUNCTION 2 summary_hash_extended(budget_plan, bigint);
COMMENT ON OPERATOR CLASS budget_plan_ops USING btree IS 'summaries by their bytes';
COMMENT ON OPERATOR CLASS budget_plan_ops USING hash IS 'summaries by their bytes';

-- budget_audit

CREATE FUNCTION summary_eq(budget_audit, budget_audit) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ne(budget_audit, budget_audit) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_lt(budget_audit, budget_audit) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_le(budget_audit, budget_audit) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_gt(budget_audit, budget_audit) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_ge(budget_audit, budget_audit) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_cmp(budget_audit, budget_audit) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash(budget_audit) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION summary_hash_extended(budget_audit, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION summary_eq(budget_audit, budget_audit) IS 'implementation of = operator';
COMMENT ON FUNCTION summary_ne(budget_audit, budget_audit) IS 'implementation of <> operator';
COMMENT ON FUNCTION summary_lt(budget_audit, budget_audit) IS 'implementation of < operator';
COMMENT ON FUNCTION summary_le(budget_audit, budget_audit) IS 'implementation of <= operator';
COMMENT ON FUNCTION summary_gt(budget_audit, budget_audit) IS 'implementation of > operator';
COMMENT ON FUNCTION summary_ge(budget_audit, budget_audit) IS 'implementation of >= operator';
COMMENT ON FUNCTION summary_cmp(budget_audit, budget_audit) IS 'less-equal-greater';
COMMENT ON FUNCTION summary_hash(budget_audit) IS 'hash';
COMMENT ON FUNCTION summary_hash_extended(budget_audit, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = budget_audit, RIGHTARG = budget_audit, FUNCTION = summary_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = budget_audit, RIGHTARG = budget_audit, FUNCTION = summary_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = budget_audit, RIGHTARG = budget_audit, FUNCTION = summary_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = budget_audit, RIGHTARG = budget_audit, FUNCTION = summary_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = budget_audit, RIGHTARG = budget_audit, FUNCTION = summary_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = budget_audit, RIGHTARG = budget_audit, FUNCTION = summary_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR = (budget_audit, budget_audit) IS 'same content';
COMMENT ON OPERATOR <> (budget_audit, budget_audit) IS 'not the same content';
COMMENT ON OPERATOR < (budget_audit, budget_audit) IS 'before, in an order by bytes';
COMMENT ON OPERATOR <= (budget_audit, budget_audit) IS 'not after, in an order by bytes';
COMMENT ON OPERATOR > (budget_audit, budget_audit) IS 'after, in an order by bytes';
COMMENT ON OPERATOR >= (budget_audit, budget_audit) IS 'not before, in an order by bytes';

CREATE OPERATOR CLASS budget_audit_ops DEFAULT FOR TYPE budget_audit USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 summary_cmp(budget_audit, budget_audit);
CREATE OPERATOR CLASS budget_audit_ops DEFAULT FOR TYPE budget_audit USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 summary_hash(budget_audit),
	FUNCTION 2 summary_hash_extended(budget_audit, bigint);
COMMENT ON OPERATOR CLASS budget_audit_ops USING btree IS 'summaries by their bytes';
COMMENT ON OPERATOR CLASS budget_audit_ops USING hash IS 'summaries by their bytes';
