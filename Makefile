EXTENSION = agentrl
EXTVERSION = 0.1.0
PG_CONFIG ?= pg_config

# These goals install what is missing, pg_config included, and then call make
# again for the build, so they must not need PGXS themselves.
OWN_GOALS = demo test bench

ifneq ($(filter $(OWN_GOALS),$(MAKECMDGOALS)),)

.PHONY: $(OWN_GOALS)
# make exports DATA; the shell's copy of it stands any quoting
demo:
	@export PG_CONFIG='$(PG_CONFIG)'; if [ -n "$$DATA" ]; then scripts/with-cluster demo/run "$$DATA"; \
	else scripts/with-cluster --demo demo/run; fi

test:
	@PG_CONFIG='$(PG_CONFIG)' scripts/with-cluster --test scripts/run-tests

bench:
	@PG_CONFIG='$(PG_CONFIG)' scripts/with-cluster --bench bench/run

else

MODULE_big = $(EXTENSION)
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c)))
INSTALL_SQL = $(sort $(wildcard src/install/*.sql))
DATA_built = src/$(EXTENSION)--$(EXTVERSION).sql
DATA = $(wildcard src/$(EXTENSION)--*--*.sql)
SCRIPTS = bin/agentrl-load bin/agentrl_files.py

REGRESS = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --inputdir=. --load-extension=$(EXTENSION) --encoding=UTF8
EXTRA_CLEAN = $(DATA_built) exports.txt exports.list results regression.diffs regression.out

# Results must have the same bits on every machine: no contraction of a * b + c.
# -O3 vectorises the resampling and is worth a tenth of an aggregate.
PG_CPPFLAGS = -Isrc
PG_CFLAGS = -std=gnu99 -O3 -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -Wno-clobbered -ffp-contract=off $(if $(WERROR),-Werror)
# jansson is linked statically.
SHLIB_LINK = -Wl,-Bstatic -ljansson -Wl,-Bdynamic
# All loaded libraries share their names with each other and with the server,
# which has a json_object() as jansson does: so the functions of SQL alone are shown.
SHLIB_EXPORTS = exports.txt

# Bitcode would need clang.
override with_llvm := no
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

$(DATA_built): $(INSTALL_SQL)
	cat $(INSTALL_SQL) > $@

$(OBJS): $(wildcard src/*.h src/*/*.h)

exports.txt: $(OBJS)
	{ echo Pg_magic_func; nm $(OBJS) | sed -n 's/.* T pg_finfo_\(.*\)/\1\npg_finfo_\1/p'; } > $@

.PHONY: format
format:
	clang-format -i $(wildcard src/*.[ch] src/*/*.[ch] demo/*.[ch] bench/*.c bench/*/*.[ch])

endif
