EXTENSION = agentrl
EXTVERSION = 0.1.0
PG_CONFIG ?= pg_config
# The folder of this file: a build may take place in another one, with VPATH.
SOURCE := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))

# These goals install what is missing, pg_config included, and then call make
# again for the build, so they must not need PGXS themselves.
OWN_GOALS = demo test bench
OWN_GOALS += test-matrix

ifneq ($(filter $(OWN_GOALS),$(MAKECMDGOALS)),)

.PHONY: $(OWN_GOALS)
# make exports DATA; the shell's copy of it stands any quoting
demo:
	@export PG_CONFIG='$(PG_CONFIG)'; if [ -n "$$DATA" ]; then '$(SOURCE)/scripts/with-cluster' demo/run "$$DATA"; \
	else '$(SOURCE)/scripts/with-cluster' --demo demo/run; fi

test:
	@PG_CONFIG='$(PG_CONFIG)' '$(SOURCE)/scripts/with-cluster' --test scripts/run-tests

test-matrix:
	@'$(SOURCE)/scripts/test-matrix' $(VERSIONS)

bench:
	@PG_CONFIG='$(PG_CONFIG)' '$(SOURCE)/scripts/with-cluster' --bench bench/run

else

MODULE_big = $(EXTENSION)
OBJS = $(patsubst $(SOURCE)/%.c,%.o,$(sort $(wildcard $(SOURCE)/src/*.c $(SOURCE)/src/*/*.c)))
INSTALL_SQL = $(sort $(wildcard $(SOURCE)/src/install/*.sql))
DATA_built = src/$(EXTENSION)--$(EXTVERSION).sql
DATA = $(patsubst $(SOURCE)/%,%,$(wildcard $(SOURCE)/src/$(EXTENSION)--*--*.sql))
SCRIPTS = bin/agentrl-load bin/agentrl_files.py

REGRESS = $(patsubst $(SOURCE)/sql/%.sql,%,$(sort $(wildcard $(SOURCE)/sql/*.sql)))
REGRESS_OPTS = --inputdir='$(SOURCE)' --load-extension=$(EXTENSION) --encoding=UTF8
EXTRA_CLEAN = $(DATA_built) exports.txt exports.list results regression.diffs regression.out

# Results must have the same bits on every machine: no contraction of a * b + c.
# -O3 vectorises the resampling and is worth a tenth of an aggregate.
OPTIMIZE ?= -O3
PG_CPPFLAGS = -I$(SOURCE)/src
PG_CFLAGS = -std=gnu99 $(OPTIMIZE) -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -Wno-clobbered -ffp-contract=off $(if $(WERROR),-Werror)
# jansson is linked statically.
SHLIB_LINK = -Wl,-Bstatic -ljansson -Wl,-Bdynamic
# All loaded libraries share their names with each other and with the server,
# which has a json_object() as jansson does: so the functions of SQL alone are shown.
SHLIB_EXPORTS = exports.txt

# Bitcode would need clang.
override with_llvm := no
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq ($(PGXS),)
$(error $(PG_CONFIG) does not say where PostgreSQL is: install its development files (on Debian postgresql-server-dev-N), or set PG_CONFIG to the path of its pg_config)
endif
ifneq ($(SOURCE),.)
ifneq ($(wildcard $(addprefix $(SOURCE)/,$(EXTENSION).so exports.txt $(DATA_built) src/*.o src/*/*.o)),)
$(error $(SOURCE) holds a build of its own, which would be taken for the one of this folder: run make clean there)
endif
VPATH ?= $(SOURCE)
$(shell mkdir -p $(sort $(dir $(OBJS))))
endif
include $(PGXS)

$(DATA_built): $(INSTALL_SQL)
	cat $(INSTALL_SQL) > $@

$(OBJS): $(wildcard $(SOURCE)/src/*.h $(SOURCE)/src/*/*.h)

exports.txt: $(OBJS)
	{ echo Pg_magic_func; nm $(OBJS) | sed -n 's/.* T pg_finfo_\(.*\)/\1\npg_finfo_\1/p'; } > $@

.PHONY: format
format:
	clang-format -i $(wildcard $(addprefix $(SOURCE)/,src/*.[ch] src/*/*.[ch] demo/*.[ch] bench/*.c bench/*/*.[ch]))

endif
