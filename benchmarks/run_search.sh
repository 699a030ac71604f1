#!/usr/bin/env bash
# The search alone on the published suites: the commands behind the table "Search" of docs/results.md.
# Usage: benchmarks/run_search.sh [SUITE…]   (all suites without a name; WORKERS=2 cores)
# Interrupted, the same command goes on. Then: python benchmarks/make_results.py
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=" $* "
bench() {
    if [[ $wanted == "  " || $wanted == *" $1 "* ]]; then
        minmaxvrp bench "$@" --method search --seed 0 --workers "${WORKERS:-2}" --out benchmarks/results/search.jsonl
    fi
}
bench mtsp50    --vehicles 3,5,7     --time 1
bench mtsp100   --vehicles 5,7,10    --time 3
bench mtsp200   --vehicles 10,15,20  --time 5
bench mtsp500   --vehicles 30,40,50  --time 10
bench mtsp1000  --vehicles 50,75,100 --time 20
bench mpdp50    --vehicles 3,5,7     --time 1
bench mpdp100   --vehicles 5,7,10    --time 3
bench mpdp200   --vehicles 10,15,20  --time 10
bench mpdp500   --vehicles 30,40,50  --time 20
bench mpdp1000  --vehicles 50,75,100 --time 30
bench mdvrp50   --vehicles 3,5,7     --time 2
bench mdvrp100  --vehicles 5,7,10    --time 5
bench fmdvrp50  --vehicles 3,5,7     --time 2
bench fmdvrp100 --vehicles 5,7,10    --time 5
