# Everything runs in .venv, which the first target that needs it makes. PYTHON picks another interpreter.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow check format bench docs constraints clean

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

setup: $(READY) ## the environment, from pinned versions

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Moveset needs Python 3.11 or newer; this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: $(READY) ## a library, an audit, a character on a path, GLB, BVH, GIF and a report, in out/demo
	$(BIN)/moveset demo -o out/demo

test: $(READY) ## the tests, about five minutes
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-slow: $(READY) ## the long ones
	$(BIN)/python -m pytest -n $(JOBS) -m slow

check: $(READY) ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright --level error

format: $(READY) ## mend what can be mended by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY) ## speeds beside peers, errors, the audit of the data pack
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	$(BIN)/python benchmarks/run.py

constraints: ## resolve the newest versions that pyproject.toml admits
	rm -rf .venv-constraints && $(PYTHON) -m venv .venv-constraints
	.venv-constraints/bin/python -m pip install --quiet '.[dev]'
	{ sed -n '/^#/p' constraints.txt; .venv-constraints/bin/python -m pip freeze --exclude moveset; } > .venv-constraints/constraints.txt
	mv .venv-constraints/constraints.txt constraints.txt && rm -rf .venv-constraints

clean: ## all that was made, except the environment
	rm -rf out .pytest_cache .ruff_cache .hypothesis dist
