# make demo, make test, make check: each sets up what it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: help demo test check format setup bench clean
.DEFAULT_GOAL := help

help: ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(STAMP) ## a virtual environment with everything in it

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all,dev]'
	@touch $@

demo: $(STAMP) ## score the embedded invoices: no network, no key
	$(BIN)/fieldwise demo

test: $(STAMP) ## every test, doctest, example and code block of the docs
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

check: $(STAMP) ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: $(STAMP) ## write it the way check wants it
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP) ## side by side with peers, as ratios
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python benchmarks/fields.py

clean: ## remove what was built
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
