#!/usr/bin/env bash
# The shipped networks alone, 8 symmetries × 16 permutations, drawn at temperature 30 / N (pairs: 60 / N):
# the tables "Policy" of docs/results.md.
# Usage: benchmarks/run_policy.sh [SUITE…]   (all suites without a name; WORKERS=2 cores)
set -euo pipefail
wanted=$*
source "$(dirname "$0")/suites.sh"
bench policy mtsp50   --vehicles 3,5,7
bench policy mtsp100  --vehicles 5,7,10
bench policy mpdp50   --vehicles 3,5,7
bench policy mdvrp50  --vehicles 3,5,7
bench policy fmdvrp50 --vehicles 3,5,7
