# Two commands: `make demo` solves an example, `make test` checks everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo serve docs test test-all lint figures clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[policy,web,excel,docs,dev]'
	touch $(READY)

demo: $(READY)
	$(BIN)/minmaxvrp solve examples/city.csv --vehicles 5 --time 10 --seed 1 --plot demo.png --out demo.json
	@echo "Picture: demo.png   Plan: demo.json"

serve: $(READY)
	$(BIN)/minmaxvrp serve

docs: $(READY)
	$(BIN)/mkdocs build --strict
	@echo "Documentation: site/index.html"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal

test-all: lint
	OMP_NUM_THREADS=1 MINMAXVRP_HYPOTHESIS=free $(BIN)/pytest -n auto --dist worksteal -m 'slow or not slow'

figures: $(READY)
	$(BIN)/minmaxvrp solve examples/city.csv --vehicles 5 --iterations 500000 --seed 1 --plot docs/figures/city.png

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
