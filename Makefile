# `make run` needs Python 3.11+ only; `make test` also installs Debian packages when run as root.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
GOAL   ?= 打开微信，找到张三，发送消息"明天下午两点开会"
# as a variable of the shell it may hold quotes of any kind
export GOAL

.PHONY: run test test-slow exams coverage check docs bench serve setup setup-dev clean

run: setup ## carry out a goal on the built-in simulated phone: make run GOAL='…'
	@$(BIN)/deskhand run "$$GOAL"

serve: $(VENV)/serve.stamp ## the HTTP API until Ctrl-C: docs/server.md
	@$(BIN)/deskhand serve

# Six processes with browsers, displays and phones on two cores: what fails there is told, and counts if it fails alone too.
test: setup-dev check ## lint, types, architecture, then the rest of the suite
	$(BIN)/pytest -n 6 --dist loadfile -m "not slow and not exam" --ignore tests/test_architecture.py || { [ $$? -eq 1 ] && \
	  echo "FAILED beside the others (above). Once more, alone:" && $(BIN)/pytest --last-failed -m "not slow and not exam"; }

test-slow: setup-dev ## the long suites: hijacked models, the canary secret, settling against films
	$(BIN)/pytest -m "slow and not exam"

exams: setup-dev ## goals on real web, desktop and phone programs, judged by their state, three times each: docs/exams.md
	tests/exams/install
	$(BIN)/pytest -m exam -s tests/exams

coverage: setup-dev ## the suite once more, slower, with the share of the code that it runs
	$(BIN)/pytest -n 3 --dist loadfile -m "not exam" --cov --cov-report=term:skip-covered --cov-fail-under=90

check: setup-dev ## format, lint, strict types, house rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/pytest -q tests/test_architecture.py

docs: setup-dev ## write docs/settings.md anew
	env -u XDG_DATA_HOME $(BIN)/python -m tests.settings.settings_page

bench: setup-dev
	$(BIN)/deskhand bench

setup: $(VENV)/run.stamp
setup-dev: $(VENV)/dev.stamp

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Deskhand needs Python 3.11 or newer; this is $$($(PYTHON) --version). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing: install python3-venv."; exit 1; }

$(VENV)/run.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Deskhand into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/serve.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Deskhand and its server into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[server,models]'
	@touch $@ $(VENV)/run.stamp

$(VENV)/dev.stamp: pyproject.toml tests/apt-packages.txt | $(VENV)/bin/python
	@tests/install-apt-packages
	@echo "Installing Deskhand and its test tools into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/run.stamp $(VENV)/serve.stamp

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis bench/out
