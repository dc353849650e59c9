# Every target makes the environment it needs and can be run again at any time.
PYTHON ?= python3

SOURCES := $(shell find src -type f -not -name '*.pyc') pyproject.toml meson.build meson.options
PIP := bin/python -m pip --disable-pip-version-check -q

.PHONY: help demo test test-slow test-minimum test-sdist bench clean

help:
	@echo "make demo          the main job on the built-in digits, with pictures in demo-output/"
	@echo "make test          lint, type stubs and all quick tests"
	@echo "make test-slow     the quick tests with many more examples, and the Monte-Carlo checks"
	@echo "make test-minimum  the quick tests with the oldest dependencies that are declared"
	@echo "make test-sdist    build a source distribution, install it, run the demo from it"
	@echo "make bench         asv suites, each benchmark once (see benchmarks/README.md)"
	@echo "make clean         remove the environments and what was built"

demo: .venv-demo/installed
	.venv-demo/bin/python -m smartsvm demo

test: .venv-test/installed
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .
	PATH="$(CURDIR)/.venv-test/bin:$$PATH" cython-lint src  # it calls pycodestyle by name
	.venv-test/bin/python -m mypy.stubtest --mypy-config-file pyproject.toml smartsvm._mst
	.venv-test/bin/python -m pytest -m "not slow"

test-slow: .venv-test/installed
	HYPOTHESIS_PROFILE=thorough .venv-test/bin/python -m pytest

test-minimum:
	$(PYTHON) -m venv --clear .venv-minimum
	.venv-minimum/$(PIP) install -U pip
	.venv-minimum/$(PIP) install '.[test]' $$($(PYTHON) -c "import tomllib; \
	  project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
	  print(*(name.replace('>=', '==') for name in project['dependencies']))")
	.venv-minimum/bin/python -m pytest -m "not slow"

test-sdist:
	$(PYTHON) -m venv --clear .venv-sdist
	.venv-sdist/$(PIP) install -U pip build
	rm -rf dist
	.venv-sdist/bin/python -m build --sdist -o dist .
	.venv-sdist/$(PIP) install "$$(ls dist/*.tar.gz)[plot]"
	cd .venv-sdist && bin/python -m smartsvm demo

bench: .venv-bench/installed
	.venv-bench/bin/asv --config benchmarks/asv.conf.json machine --yes
	.venv-bench/bin/asv --config benchmarks/asv.conf.json run --python=same --quick --show-stderr

.venv-demo/installed: EXTRA := plot
.venv-test/installed: EXTRA := test
.venv-bench/installed: EXTRA := bench
.venv-%/installed: $(SOURCES)
	test -x .venv-$*/bin/python || $(PYTHON) -m venv .venv-$*
	.venv-$*/$(PIP) install -U pip
	.venv-$*/$(PIP) install '.[$(EXTRA)]'
	touch $@

clean:
	rm -rf .venv-* build dist demo-output .asv
