# The two commands of the README, and the short loop for daily work. Everything happens in .venv.
PYTHON ?= python3
BIN := .venv/bin
# The slowest are named: what takes over five seconds without need is halved or moved to the nightly ones.
SLOWEST := --durations=50 --durations-min=2
# Two processes, each with whole files, so that what a file's tests share is made once.
TESTS := $(BIN)/python tests/support/offline.py -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder $(SLOWEST)
# uv installs in a fifth of pip's time; pip stays for where uv cannot be had or finds less. uv does not read
# pip's own settings: it is given the folder of wheels, and else the build of torch without CUDA.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt
FOR_UV := $(if $(PIP_FIND_LINKS),UV_FIND_LINKS=$(PIP_FIND_LINKS),UV_TORCH_BACKEND=cpu)
install = $(PIP) uv && $(FOR_UV) $(UV) $(1) || $(PIP) $(1)

# Modules stay compiled: each of the thousand processes that tests start would compile them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test suite nightly wheel check lint types docstrings contracts house style compiled format docs programs golden golden-check clean

demo: .venv/demo
	$(BIN)/corpus-agent --store .demo/store index sample_corpus
	$(BIN)/corpus-agent --store .demo/store ask --llm none "How long can the sourdough starter stay in the fridge without being fed?"
	$(BIN)/corpus-agent --store .demo/store ask --llm none "How many months' notice does the tenant have to give?"

# The wheel's empty environment is made beside the tests: its installation is one process.
test: lint compiled
	@$(MAKE) --no-print-directory --jobs=2 suite wheel

suite:
	$(TESTS) -m "not nightly"

# The long tail, before an issue is resolved: crashes by the hundred, browsers, installers, fuzzing.
nightly: .venv/test compiled
	@$(MAKE) --no-print-directory wheel
	$(TESTS) -m nightly

wheel: .venv/test
	$(BIN)/python tests/support/wheel_check.py

# The loop of daily work, about a minute on two cores: all that reads the code, and the tests not marked slow.
check: lint compiled
	$(TESTS) -m "not slow and not nightly"

# Format, lint, types, import contracts, docstrings against signatures: seconds, two at a time.
lint: .venv/test
	@$(MAKE) --no-print-directory --jobs=2 --output-sync types docstrings contracts style house

types: ; $(BIN)/mypy
docstrings: ; $(BIN)/pydoclint corpus_agent indexer
contracts: ; $(BIN)/lint-imports
# Lines and modules of each room, words of the documents: the ceilings of pyproject.toml.
house: ; $(BIN)/python tests/support/house.py
style:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

compiled: .venv/test
	$(BIN)/python -m compileall -q corpus_agent indexer tests/support

format: .venv/test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# What documentation is generated from the program itself: transcript, help, JSON keys.
docs: .venv/test
	$(BIN)/python docs/generate.py
	-$(BIN)/python docs/screenshots.py

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "corpus-agent needs Python 3.11 or newer; run: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/demo: .venv/bin/python pyproject.toml constraints.txt
	@$(call install,-e .)
	touch $@

.venv/test: .venv/bin/python pyproject.toml constraints.txt
	@$(call install,-e '.[dev]')
	touch .venv/demo $@

# What the program does today, file by file: `golden` records it, `golden-check` names each difference.
# GOLDEN=--quick leaves out what takes long; GOLDEN=read takes one part.
golden: .venv/test
	$(BIN)/python -m benchmarks.golden take $(GOLDEN)

golden-check: .venv/test
	$(BIN)/python -m benchmarks.golden check $(GOLDEN)

# What tests drive besides: a browser for the pages, shells for the completions. Without one its
# tests are skipped and say so.
PROGRAMS := chromium zsh fish
programs:
	@missing=$$(for one in $(PROGRAMS); do command -v $$one >/dev/null || echo $$one; done); \
	test -z "$$missing" || { \
	  test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } || \
	  echo "Not installed, so that their tests will be skipped:" $$missing

clean:
	rm -rf .venv .demo dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
