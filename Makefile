# Everything runs in .venv, which the first target that needs it makes. PYTHON picks another interpreter.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
JOBS ?= 2
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# PyPI's torch for Linux is a CUDA build of several GB: the CPU build comes from a wheel that pip knows of, else from
# torch's own index. CUDA=1 takes PyPI's.
TORCH := $(shell sed -n 's/^torch==.*/&+cpu/p' constraints.txt)
TORCH_INDEX := https://download.pytorch.org/whl/cpu

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow check format bench docs constraints clean

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

setup: $(READY) ## the environment, from pinned versions

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Moveset needs Python 3.11 or newer; this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
ifeq ($(CUDA)$(shell uname -s),Linux)
	$(PIP) $(TORCH) 2>/dev/null || $(PIP) $(TORCH) --extra-index-url $(TORCH_INDEX)
endif
	$(PIP) --editable '.[dev]'
	touch $@

demo: $(READY) ## audit, library, motion matching, a trained controller, GLB, BVH, GIF and a report, in out/demo
	$(BIN)/moveset demo -o out/demo

test: $(READY) ## the tests, five to ten minutes
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
	$(PIP) --editable '.[dev,bench]'
	$(BIN)/python benchmarks/run.py

constraints: ## resolve the newest versions that pyproject.toml admits
	rm -rf .venv-constraints && $(PYTHON) -m venv .venv-constraints
	.venv-constraints/bin/python -m pip install --quiet $(TORCH) 2>/dev/null || .venv-constraints/bin/python -m pip install --quiet $(TORCH) --extra-index-url $(TORCH_INDEX)
	.venv-constraints/bin/python -m pip install --quiet '.[dev]'
	{ sed -n '/^#/p' constraints.txt; .venv-constraints/bin/python -m pip freeze --exclude moveset | sed 's/+cpu$$//'; } > .venv-constraints/constraints.txt
	mv .venv-constraints/constraints.txt constraints.txt && rm -rf .venv-constraints

clean: ## all that was made, except the environment
	rm -rf out .pytest_cache .ruff_cache .hypothesis dist
