# A fresh machine needs Python 3.11 or newer, make, and access to the package registry.
# Every target installs its needs. Arguments for a command: make up ARGS="--port 8001"

PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
UV := .venv-uv/bin/uv
UV_VERSION := 0.13.8
export UV_PROJECT_ENVIRONMENT := .venv
# Otherwise uv takes the Python that it likes best, which the user of the service may not be able to read.
export UV_PYTHON := $(PYTHON)
# Images for containers often set it: each of dozens of programs would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: up demo ready litestream test test-slow test-all test-clients clients test-second-database check messages bench looks clean

up: .venv/.runs
	@$(BIN)/python manage.py up $(ARGS)

# A sample club, separate from other data.
demo: export KINGSCORE_DATA = data-demo
demo: export KINGSCORE_DATABASE_URL =
demo: .venv/.runs
	@mkdir -p -m 700 $(KINGSCORE_DATA)
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py seed_demo --once
	@$(BIN)/python manage.py up $(ARGS)

# For users without the right to write here, as in deploy/systemd: writes the files that `up` would
# write beside the program. The settings need a folder, which is deleted.
# The service has a user of its own, who may not read a Python in root's home.
ready: .venv/.runs
	@data=$$(mktemp -d) && KINGSCORE_DATA=$$data $(BIN)/python manage.py compile_translations; \
		status=$$?; rm -rf "$$data"; exit $$status
	@$(UV) sync --frozen --inexact --no-dev --quiet --compile-bytecode
	@$(BIN)/python -m compileall -q kingscore tournaments
	@[ "$$(id -u)" != 0 ] || { user=$$(id -un kingscore 2>/dev/null || echo nobody); \
		setpriv --reuid $$user --regid $$(id -g $$user) --init-groups sh -c '$(BIN)/python -c ""' 2>/dev/null; } || { \
		echo >&2 "The user of the service cannot run $$(readlink -f $(BIN)/python): make ready PYTHON=/usr/bin/python3"; exit 1; }

# For KINGSCORE_COPY_TO. Once there, it is kept as new as the lock.
litestream: $(UV)
	@$(UV) sync --frozen --inexact --no-dev --quiet --extra copy

# Where a process of the tests dies, xdist starts another one and then waits for ever.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# With arguments, only what they name. Without, the races run beside it on a PostgreSQL that is
# thrown away: they wait more than they work.
test: .venv/.tests
ifneq ($(strip $(ARGS)),)
	@$(PYTEST) -m "not slow and not clients" $(ARGS)
else
	@log=$$(mktemp); $(BIN)/python -m tests.postgres >$$log 2>&1 & races=$$!; trap "kill $$races" INT TERM; \
		$(PYTEST) -m "not slow and not clients"; quick=$$?; \
		wait $$races; races=$$?; \
		[ $$races = 0 ] && echo "Races on PostgreSQL: $$(tail -n 1 $$log)" || cat $$log; \
		rm $$log; exit $$((quick | races))
endif

test-slow: .venv/.tests
	@$(PYTEST) -m slow $(ARGS)

test-all: .venv/.tests
	@$(PYTEST) -m "not clients" $(ARGS)

# One by one: each generator has a processor for itself.
test-clients: clients
	@$(BIN)/python -m pytest -m clients tests/clients $(ARGS)

# Clients to install, a wheel for Python and a package for npm, in dist/clients/.
clients: export PATH := $(CURDIR)/.venv-clients/bin:$(CURDIR)/tests/clients/node_modules/.bin:$(PATH)
clients: .venv/.tests .venv-clients/.done tests/clients/node_modules/.done
	@rm -rf dist/clients && mkdir -p dist && cp -r deploy/clients dist/clients
	@sed -i "s/0\.0\.0/$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)/" dist/clients/*/p*.*
	@$(BIN)/python manage.py spectacular --format openapi-json --file dist/clients/openapi.json
	@openapi-python-client generate --path dist/clients/openapi.json --meta none \
		--config tests/clients/openapi-python-client.yaml --output-path dist/clients/python/kingscore_client
	@mv dist/clients/python/connection.py dist/clients/python/kingscore_client/
	@touch dist/clients/python/kingscore_client/py.typed
	@$(UV) build --quiet --wheel --out-dir dist/clients dist/clients/python
	@openapi-typescript dist/clients/openapi.json -o dist/clients/npm/schema.d.ts --default-non-nullable=false
	@ln -s ../../../tests/clients/node_modules dist/clients/npm/node_modules
	@tsc --project dist/clients/npm
	@npm pack --silent --pack-destination dist/clients ./dist/clients/npm

# Name a database of PostgreSQL in KINGSCORE_DATABASE_URL.
WALK := tests/web/test_access.py::test_visitor_gets_what_the_table_says_and_nothing_refused_is_written[owner]
SECOND_DATABASE := tests/models tests/queries tests/faults/test_outages.py tests/services/backups \
	--ignore tests/services/backups/test_on_one_database.py \
	"$(WALK)"
test-second-database: .venv/.tests
	@$(PYTEST) $(SECOND_DATABASE) $(ARGS)

# One target each, so that make --keep-going check shows all that is wrong at once.
CHECKS := format lint types imports templates lines project migrations translations size deploy
.PHONY: $(CHECKS)
check: $(CHECKS)
$(CHECKS): .venv/.tests
format: ; $(BIN)/ruff format --check .
lint: ; $(BIN)/ruff check .
types: ; $(BIN)/mypy
imports: ; $(BIN)/lint-imports
templates: ; $(BIN)/djlint templates --lint --quiet
lines: ; @! LC_ALL=C.UTF-8 grep -rnE '.{161}' static/*.css static/*.js templates
project: ; $(BIN)/python manage.py check
migrations: ; $(BIN)/python manage.py makemigrations --check --dry-run
translations: ; $(BIN)/python manage.py collect_messages --check
size: ; @$(BIN)/python -m benchmarks.size $(ARGS)
deploy:
	$(BIN)/hadolint deploy/Dockerfile
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec deploy/compose*.yaml

messages: .venv/.tests
	$(BIN)/python manage.py collect_messages
	$(BIN)/python manage.py compile_translations

bench: .venv/.tests
	@$(BIN)/python -m benchmarks $(ARGS)

looks: .venv/.tests
	@$(BIN)/python -m docs.looks.architecture
	@$(BIN)/python -m docs.looks.shots $(ARGS)

# The games in data/ stay.
clean:
	rm -rf dist .venv .venv-uv .venv-clients tests/clients/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
	find locale -name '*.mo' -delete

# Each stamp is as old as the last installation: nothing is installed again until the lock changes.
# A machine that only runs the site gets no development packages.
.venv/.runs: uv.lock $(UV)
	@$(UV) sync --frozen --inexact --no-dev --quiet $(if $(wildcard $(BIN)/litestream),--extra copy)
	@touch $@

.venv/.tests: uv.lock $(UV)
	@$(UV) sync --frozen --quiet
	@touch .venv/.runs $@

# Node.js comes with it, for the generators of TypeScript.
.venv-clients/.done: uv.lock $(UV)
	@UV_PROJECT_ENVIRONMENT=.venv-clients $(UV) sync --frozen --only-group clients --quiet
	@touch $@

tests/clients/node_modules/.done: tests/clients/package-lock.json .venv-clients/.done
	@PATH="$(CURDIR)/.venv-clients/bin:$$PATH" npm ci --prefix tests/clients --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# In a folder of its own: uv removes packages from .venv that the lock does not name, such as itself.
$(UV): Makefile
	@echo "Setting up the environment; this happens once."
	@$(PYTHON) -m venv .venv-uv
	@.venv-uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@
