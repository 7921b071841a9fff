# Every chore has a name: `make core`, `make lint`. PYTHON says which environment is meant: `make PYTHON=.venv/bin/python core`.
PYTHON ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,python3)
LOWEST := .venv-lowest

.PHONY: help app lint types imports spelling core tests browser floors lowest site serve wheels benchmarks

help:            ## say what there is
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/: *.*## */\t/' | expand -t 14

app:             ## start the dashboard
	$(PYTHON) -m streamlit run app.py --server.fileWatcherType auto

lint: types imports spelling   ## style, types, contracts and spelling: all that is checked before the tests
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types:           ## mypy, strict
	$(PYTHON) -m mypy -n auto

imports:         ## who may import whom
	$(PYTHON) -c "from importlinter.cli import lint_imports_command; lint_imports_command()"

spelling:        ## codespell
	$(PYTHON) -m codespell_lib

core:            ## the quick tests of the library, under a minute
	$(PYTHON) -m pytest -n auto -q -m "core and not slow"

tests:           ## all tests, with coverage
	$(PYTHON) -m pytest -n auto --cov

browser:         ## the tests that need Chromium
	$(PYTHON) -m pytest -n auto -m browser

floors:          ## after `make tests`: is enough of it covered?
	$(PYTHON) -m coverage report --include "ldpcore/*" --fail-under 96
	$(PYTHON) -m coverage report --include "ldpui/*,pages/*" --fail-under 96

lowest:          ## the library's tests against the lowest versions that it promises to work with
	python3 -m venv --clear $(LOWEST)
	$(LOWEST)/bin/pip install -q pytest pytest-xdist hypothesis ./ldpcore $$($(LOWEST)/bin/python scripts/lowest.py)
	$(LOWEST)/bin/pip list
	$(LOWEST)/bin/python -m pytest -n auto -q -m core

site:            ## the documents as a site, warnings as errors
	$(PYTHON) -m mkdocs build --strict

serve:           ## the documents, while they are written
	$(PYTHON) -m mkdocs serve

wheels:          ## both wheels, into dist/
	$(PYTHON) -m hatchling build -t wheel -d dist
	cd ldpcore && $(abspath $(PYTHON)) -m hatchling build -t wheel -d ../dist

benchmarks:      ## measure, and write docs/benchmarks.md
	$(PYTHON) -m benchmarks --write docs/benchmarks.md
