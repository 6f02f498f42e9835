# `make demo` and `make test` do all set-up themselves: they need Python 3.11 or newer and nothing else.

PYTHON ?= python3
VENV ?= .venv
# Another release of DuckDB, for instance DUCKDB=1.5.*; by default the newest that pyproject.toml admits.
DUCKDB ?=
# What else to test with, for instance EXTRAS=spark, which is large.
EXTRAS ?=
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test lint bench clean named

demo: $(VENV)/.demo
	$(BIN)/nwol-sql demo demo --force

test: $(VENV)/.test
	$(BIN)/python -m pytest

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/sqlfluff lint --processes 2 sql

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "nwol-sql needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Name another with make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[excel]'
	@touch $@

# What is named is installed, whatever was there before.
$(VENV)/.test: pyproject.toml $(if $(DUCKDB)$(EXTRAS),named) | $(BIN)/python
	$(PIP) install --editable '.[test$(EXTRAS:%=,%)]' $(if $(DUCKDB),'duckdb==$(DUCKDB)')
	@touch $@

$(VENV)/.bench: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[bench]'
	@touch $@

$(VENV)/.lint: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[lint]'
	@touch $@
