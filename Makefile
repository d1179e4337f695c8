# Named tasks. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNNING := $(VENV)/.installed-to-run
STAMP := $(VENV)/.installed
OLDEST := $(shell sed -n 's/^requires-python = ">=\(.*\)"/\1/p' pyproject.toml)
version_of = $$($(1) -c 'import sys; print(*sys.version_info[:3], sep=".")')
is_new_enough = test "$$(printf '%s\n' $(OLDEST) "$(version_of)" | sort -V | head -1)" = $(OLDEST)
# An environment of another folder or an older Python is made again.
IS_USABLE = grep -qs "^command = .* $(CURDIR)/$(VENV)$$" $(VENV)/pyvenv.cfg && $(call is_new_enough,$(BIN)/python)
$(shell $(IS_USABLE) || rm -f $(RUNNING) $(STAMP))
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile
# Tests wait for other processes during a quarter of their time: three fill two processors.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) \* 3 / 2)
TESTS := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Every process would compile anew what is not kept beside the sources, each worker all tests too.
unexport PYTHONDONTWRITEBYTECODE

LOCK := uv pip compile --quiet --universal --python-version $(OLDEST) --generate-hashes --no-emit-index-url --custom-compile-command "make lock"
.DEFAULT_GOAL := help
SQL := dbt_project/models warehouse/rules warehouse/reading warehouse/simulation warehouse/fetch_schedule serving_api
.PHONY: help install demo demo-cluster docs clients pictures notebook images test slow coverage lint lint-sql lint-types lint-style format catalogue bench soak mutants audit lock clean

help: ## List the tasks
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1 -- \2/'

# Modules are compiled when they are first imported: most of what is installed never is.
$(RUNNING): requirements.txt pyproject.toml
	@$(call is_new_enough,$(PYTHON)) || { echo "Python $(OLDEST) or newer is needed; this is $(call version_of,$(PYTHON)):" \
	"make $(or $(MAKECMDGOALS),install) PYTHON=python$(OLDEST)"; exit 1; }
	@$(IS_USABLE) || { echo "Creating the environment in $(VENV)"; $(PYTHON) -m venv --clear $(VENV); }
	@echo "Downloading and installing packages (270 MB): some minutes"
	$(PIP) --require-hashes -r requirements.txt
	$(PIP) --no-build-isolation --editable .
	@touch $@

$(STAMP): $(RUNNING) requirements-dev.txt
	@echo "Downloading and installing development tools"
	$(PIP) --require-hashes -r requirements-dev.txt
	@touch $@

install: $(STAMP) ## Install everything into .venv, including development tools, and render changed models
	@echo "Rendering changed models"
	@$(BIN)/python -c "from orchestration.building.rendering import read_project; read_project()"

demo: $(RUNNING) ## Play a simulated month of two organizations: scrape, compute, publish, serve, ask (ARGS=--no-serve: without the desk)
	@echo "Starting the demo: about a minute on an idle machine"
	@$(BIN)/tracker demo $(ARGS)

demo-cluster: $(STAMP) ## Run two scraping, two computing and two serving machines with a lake (needs redis-server)
	$(BIN)/python -m tests.qa.cluster

docs: $(STAMP) ## Build the documentation site with search, the reference and dbt's pages: data/docs/site
	$(BIN)/python docs/site/build.py data/docs
	$(BIN)/python docs/site/models.py data/docs/site/dbt.html
	@echo "Read it, with search: $(BIN)/python -m http.server --bind 127.0.0.1 --directory data/docs/site 8008"

pictures: $(STAMP) ## Run the desk's stories in Chromium and save screenshots in docs/screenshots
	TRACKER_PICTURES=docs/screenshots $(BIN)/pytest -n 0 -q tests/browser/test_stories.py

notebook: $(STAMP) ## Open plots of the current publication of TRACKER_HOME in the browser (marimo)
	MARIMO_SKIP_UPDATE_CHECK=1 $(BIN)/marimo edit docs/notebooks/costs.py

clients: $(RUNNING) ## Build the API's clients for Python and TypeScript in data/clients (needs npm)
	@mkdir -p data/clients
	$(BIN)/python -c 'import json, runpy; print(json.dumps(runpy.run_path("docs/site/reference.py")["openapi"]()))' \
		>data/clients/openapi.json
	docs/clients/build data/clients

lint: $(STAMP) ## Run ruff, mypy, import-linter and sqruff
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint-sql lint-types lint-style

lint-sql:
	$(BIN)/sqruff --parsing-errors lint $(SQL)

lint-types:
	$(BIN)/mypy

lint-style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

format: $(STAMP) ## Fix what ruff and sqruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/sqruff fix $(SQL)

catalogue: $(STAMP) ## Generate files from the code: dbt's sources and counters, the list of tables, docs/reference
	$(BIN)/python -m warehouse.catalogue
	$(BIN)/python docs/site/reference.py

test: $(STAMP) ## Run linters and the quick tests: ten minutes
	@echo "Linters, types and the quick tests: about ten minutes; Ctrl-C stops"
	@log=$$(mktemp); $(MAKE) --no-print-directory lint >$$log 2>&1 & linters=$$!; \
	$(TESTS) --cost -m "not slow"; tests=$$?; \
	wait $$linters || { tests=1; cat $$log; echo "A linter failed: see above."; }; \
	rm -f $$log; exit $$tests

slow: $(STAMP) ## Run the tests marked slow: whole runs, browsers, killed processes
	@echo "The tests marked slow: about twenty minutes; Ctrl-C stops"
	$(TESTS) --cost -m slow

coverage: $(STAMP) ## Measure line coverage of all tests; takes 50% longer than they do
	$(TESTS) --cov --cov-report=term:skip-covered

bench: $(STAMP) ## Run the benchmarks; each is a ratio within one run
	$(BIN)/python -m tests.qa.benchmarks

soak: $(STAMP) ## Run full doses of random or repeated tests: kills, histories, mutants (MINUTES=, SEED=, ONLY=, STEADY=1)
	$(BIN)/python -m tests.qa.soak $(if $(MINUTES),--minutes $(MINUTES)) $(if $(STEADY),--steady) $(if $(ONLY),--only "$(ONLY)")

mutants: $(STAMP) ## Insert small faults one at a time, and report the share that tests notice (ONLY=, EACH= per module)
	$(BIN)/python -m tests.qa.mutants $(if $(EACH),--each $(EACH)) $(if $(ONLY),--only "$(ONLY)")

images: $(STAMP) ## Build the images in a Docker engine of their own and run the page's commands (root; docker.io, debootstrap)
	$(BIN)/python -m tests.qa.images

audit: $(STAMP) ## Compare the pinned versions with published advisories (pip-audit; needs the network)
	$(BIN)/python -m tests.qa.audit

lock: ## Pin the versions of the .in files (needs uv)
	$(LOCK) requirements.in -o requirements.txt
	$(LOCK) requirements-dev.in -o requirements-dev.txt
	$(LOCK) tests/clients/generator.in -o tests/clients/generator.txt

clean: ## Delete the environment, built documentation and clients, and the demo's data, nothing else
	rm -rf $(VENV) data/clients data/demo data/docs
