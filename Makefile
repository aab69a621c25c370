# Every command is a line or two here; the work is in Python. `make` alone lists them.
FITS = -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1
ifndef PYTHON
PYTHON := $(shell for p in python3.13 python3.12 python3.11 python3; do "$$p" $(FITS) && command -v "$$p" && break; done)
endif
STARTED := $(shell date +%s)
VENVS = $(PYTHON) -P local/venvs.py
RUN = PLACET_STARTED=$(STARTED) .venv/bin/python -m local

# What plays the demo agents and what tests take the example of the settings, whatever placet.toml is there.
test demo conformance cost proof-%: export PLACET_SETTINGS = placet.example.toml

.DEFAULT_GOAL := help
.PHONY: help python setup setup-tests setup-local check synth run stop demo differences browser test cost conformance rehearsal deploy doctor smoke

help: ## list the commands
	@sed -n 's/^\([a-z%-]*\):.*## /  make \1|/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

python:
	@$(or $(PYTHON),false) $(FITS) || { echo "placet: no Python 3.11, 3.12 or 3.13 with venv was found. Install one (Debian, Ubuntu: apt install python3-venv; macOS: brew install python@3.13) or name it: make run PYTHON=/path/to/python3.13" >&2; exit 1; }

setup: python ## install what the product needs into .venv
	@$(VENVS) product

setup-tests: python ## install what checks and tests need there, too
	@$(VENVS) product tests

setup-local: python
	@$(VENVS) product ministack steps agent

check: setup-tests ## ruff, mypy and import-linter
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports

synth: setup ## write the CloudFormation templates and assets into cdk.out
	@.venv/bin/python -m infra.synth

run: setup-local synth ## start everything on this machine, without an AWS account; Ctrl-C ends it
	@$(RUN) run

stop: ## end a `make run` that was left behind
	@$(RUN) stop

demo: setup-local synth ## play approvals from pause to execution, and prove what ran
	@$(RUN) demo

differences: setup ## print how the local mode differs from a deployment
	@$(RUN) differences

browser: ## install Chromium, through which the page tests look (Debian and Ubuntu, as root)
	@command -v chromium chromium-browser >/dev/null || { echo "setup: installing Chromium"; apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } \
	|| echo "setup: Chromium could not be installed; the tests that look at pages will fail until it is" >&2

test: setup-local synth check browser ## everything that can be tested on this machine
	@$(VENVS) conformance
	.venv/bin/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

cost: setup-local setup-tests ## what one approval costs, counted: units, invocations, transitions, mails
	@.venv/bin/python -m tests.proofs cost

proof-%: setup-local setup-tests ## one proof by its name: make proof-cost
	@.venv/bin/python -m tests.proofs $*

conformance: setup-local setup-tests synth ## two public suites against the local stack: agentbarrier and crashresume
	@$(VENVS) conformance
	@.venv/bin/python -m tests.conformance

rehearsal: setup-local setup-tests synth ## an empty local account: bootstrap, every deploy, a restore and a removal by the real CDK command line
	@.venv/bin/python -m tests.proofs rehearsal

deploy: setup ## deploy both stacks into the AWS account of your credentials; says first what changes, and asks: ARGS=--yes does not
	@.venv/bin/python -m infra.deploy $(ARGS)

doctor: setup ## look, read-only, whether that account is ready
	@.venv/bin/python -m infra.doctor

smoke: setup ## after a deploy: what only AWS can say, asked without harm, and cleaned up
	@.venv/bin/python -m infra.smoke
