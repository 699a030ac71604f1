#!/usr/bin/env bash
# Multi-depot yardsticks on the first instances of each row: long searches from five seeds, and OR-Tools.
# Behind the tables "Against long runs" and "Against OR-Tools" of docs/results.md.
# Usage: benchmarks/run_multi_depot.sh [SUITE…]   (WORKERS=2 cores, LIMIT=20 instances, SECONDS_EACH=60)
# All of it takes 24 hours of one core: name suites, or lower the limit.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=${LIMIT:-20}
each=${SECONDS_EACH:-60}
if [[ $# == 0 ]]; then set -- mdvrp50 mdvrp100 fmdvrp50 fmdvrp100; fi
for suite in "$@"; do
    common=("$suite" --limit "$limit" --time "$each" --workers "${WORKERS:-2}")
    for seed in 1 2 3 4 5; do
        minmaxvrp bench "${common[@]}" --method search --seed "$seed" --out benchmarks/results/long.jsonl
    done
    minmaxvrp bench "${common[@]}" --method ortools --seed 0 --out benchmarks/results/ortools.jsonl
done
