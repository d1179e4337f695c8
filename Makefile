# Named tasks. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNNING := $(VENV)/.installed-to-run
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile
# Every process would compile anew what is not kept beside the sources, each worker all tests too.
unexport PYTHONDONTWRITEBYTECODE

LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "make lock"
.DEFAULT_GOAL := help
LINTED := data/linted
MODELS = pyproject.toml $(shell find dbt_project/models -name '*.sql')
QUERIES = pyproject.toml $(shell find warehouse/rules warehouse/reading warehouse/simulation -name '*.sql')
.PHONY: help install demo demo-cluster docs pictures notebook test coverage lint lint-sql lint-types lint-style format catalogue bench soak mutants lock clean

help: ## List the tasks
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1 -- \2/'

# Modules are compiled when they are first imported: most of what is installed never is.
$(RUNNING): requirements.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements.txt
	$(PIP) --no-build-isolation --editable .
	@touch $@

$(STAMP): $(RUNNING) requirements-dev.txt
	$(PIP) --require-hashes -r requirements-dev.txt
	@touch $@

install: $(STAMP) ## Install everything into .venv, the tools of development too

demo: $(RUNNING) ## A simulated month of two organizations: scrape, compute, publish, serve, ask
	$(BIN)/tracker demo

demo-cluster: $(STAMP) ## Two machines that scrape, two that compute a shard each, two that serve, a lake (needs redis-server)
	$(BIN)/python -m tests.cluster

docs: $(STAMP) ## The documentation as a site with search, the reference and dbt's own pages: data/docs/site
	$(BIN)/python docs/site/build.py data/docs
	$(BIN)/python docs/site/models.py data/docs/site/dbt.html
	@echo "Read it, with search: $(BIN)/python -m http.server --bind 127.0.0.1 --directory data/docs/site 8008"

pictures: $(STAMP) ## Play the stories of the desk in Chromium, and keep pictures of its pages in docs/screenshots
	TRACKER_PICTURES=docs/screenshots $(BIN)/pytest -n 0 -q tests/browser/test_stories.py

notebook: $(STAMP) ## Plots on the current publication of TRACKER_HOME, in the browser (marimo)
	MARIMO_SKIP_UPDATE_CHECK=1 $(BIN)/marimo edit docs/notebooks/costs.py

lint: $(STAMP) ## ruff, mypy, import-linter, sqlfluff; the two slow ones side by side
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint-sql lint-types lint-style

lint-sql: $(LINTED)/models $(LINTED)/queries

# Each has the time of its last success: files that are older need no second look. A clone has none.
$(LINTED)/models: $(MODELS)
	@mkdir -p $(LINTED) && touch $@.begun
	$(BIN)/sqlfluff lint --disable-progress-bar $(if $(filter pyproject.toml,$?),$(filter %.sql,$^),$?)
	@mv $@.begun $@

$(LINTED)/queries: $(QUERIES)
	@mkdir -p $(LINTED) && touch $@.begun
	$(BIN)/sqlfluff lint --disable-progress-bar --templater placeholder $(if $(filter pyproject.toml,$?),$(filter %.sql,$^),$?)
	@mv $@.begun $@

lint-types:
	$(BIN)/mypy

lint-style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

format: $(STAMP) ## Let ruff and sqlfluff mend what they can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/sqlfluff fix --disable-progress-bar dbt_project/models
	$(BIN)/sqlfluff fix --disable-progress-bar --templater placeholder warehouse/rules warehouse/reading warehouse/simulation

catalogue: $(STAMP) ## Write what follows from warehouse/catalogue: dbt's sources and counters, and the list of tables
	$(BIN)/python -m warehouse.catalogue

test: $(STAMP) ## Every check: linters beside the tests; files with few but long tests come first
	@log=$$(mktemp); $(MAKE) --no-print-directory lint >$$log 2>&1 & linters=$$!; \
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --cost; tests=$$?; \
	wait $$linters || { tests=1; cat $$log; echo "A linter failed: see above."; }; \
	rm -f $$log; exit $$tests

coverage: $(STAMP) ## Which lines tests reach; half as long again as the tests
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --cov --cov-report=term:skip-covered

bench: $(STAMP) ## The benchmarks, each a ratio taken in one run
	$(BIN)/python -m tests.benchmarks

soak: $(STAMP) ## Full doses of what is random or repeated: kills, histories, mutants (MINUTES=, SEED=, ONLY=, STEADY=1)
	$(BIN)/python -m tests.soak $(if $(MINUTES),--minutes $(MINUTES)) $(if $(STEADY),--steady) $(if $(ONLY),--only "$(ONLY)")

mutants: $(STAMP) ## Small faults put in one at a time: which share do tests notice? (ONLY=, EACH= of a module)
	$(BIN)/python -m tests.mutants $(if $(EACH),--each $(EACH)) $(if $(ONLY),--only "$(ONLY)")

lock: ## Pin what the .in files ask for (needs uv)
	$(LOCK) requirements.in -o requirements.txt
	$(LOCK) requirements-dev.in -o requirements-dev.txt
	$(LOCK) tests/clients/generator.in -o tests/clients/generator.txt

clean: ## Remove the environment and the demo's data
	rm -rf $(VENV) data
