# What a fresh machine needs: Python 3.11 or newer, make, and the way to the package registry.
# Every target sets up what it needs. More words for a command: make up ARGS="--port 8001"

PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
UV := .venv-uv/bin/uv
UV_VERSION := 0.13.8
export UV_PROJECT_ENVIRONMENT := .venv

.PHONY: up demo ready test check messages bench looks clean

up: .venv/.runs
	@$(BIN)/python manage.py up $(ARGS)

# A club to look at, beside what is kept otherwise.
demo: export KINGSCORE_DATA = data-demo
demo: export KINGSCORE_DATABASE_URL =
demo: .venv/.runs
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py seed_demo --once
	@$(BIN)/python manage.py up $(ARGS)

# For whoever runs it without the right to write here, as deploy/systemd does: what `up` would write
# beside the program is there. The settings want a folder, which is thrown away.
ready: .venv/.runs
	@data=$$(mktemp -d) && KINGSCORE_DATA=$$data $(BIN)/python manage.py compile_translations; \
		status=$$?; rm -rf "$$data"; exit $$status
	@$(UV) sync --frozen --inexact --no-dev --quiet --compile-bytecode
	@$(BIN)/python -m compileall -q kingscore tournaments

test: .venv/.tests
	@$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder $(ARGS)

# One target each, so that make --keep-going check shows all that is wrong at once.
CHECKS := format lint types imports templates project migrations translations api deploy
.PHONY: $(CHECKS)
check: $(CHECKS)
$(CHECKS): .venv/.tests
format: ; $(BIN)/ruff format --check .
lint: ; $(BIN)/ruff check .
types: ; $(BIN)/mypy
imports: ; $(BIN)/lint-imports
templates: ; $(BIN)/djlint templates --lint --quiet
project: ; $(BIN)/python manage.py check
migrations: ; $(BIN)/python manage.py makemigrations --check --dry-run
translations: ; $(BIN)/python manage.py collect_messages --check
api: ; $(BIN)/python manage.py write_openapi --check
deploy:
	$(BIN)/hadolint deploy/Dockerfile
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec deploy/*.yaml

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
	rm -rf .venv .venv-uv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
	find locale -name '*.mo' -delete

# Each stamp is as old as the last installation: nothing is installed again until the lock changes.
# What only developers need stays out of a machine that just runs the site.
.venv/.runs: uv.lock $(UV)
	@$(UV) sync --frozen --inexact --no-dev --quiet
	@touch $@

.venv/.tests: uv.lock $(UV)
	@$(UV) sync --frozen --quiet
	@touch .venv/.runs $@

# In a place of its own: uv removes from .venv what the lock does not name, itself among it.
$(UV): Makefile
	@echo "Setting up the environment; this happens once."
	@$(PYTHON) -m venv .venv-uv
	@.venv-uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@
