#!/usr/bin/env bash
# The shipped networks alone, 8 symmetries × 16 permutations: the tables "Policy" of docs/results.md.
# Usage: benchmarks/run_policy.sh [SUITE…]   (all suites without a name; WORKERS=2 cores)
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=" $* "
bench() {
    if [[ $wanted == "  " || $wanted == *" $1 "* ]]; then
        minmaxvrp bench "$@" --method policy --seed 0 --workers "${WORKERS:-2}" --out benchmarks/results/policy.jsonl
    fi
}
bench mtsp50   --vehicles 3,5,7
bench mtsp100  --vehicles 5,7,10
bench mpdp50   --vehicles 3,5,7
bench mdvrp50  --vehicles 3,5,7
bench fmdvrp50 --vehicles 3,5,7
