#!/usr/bin/env bash
# The search alone on the published suites: the commands behind the table "Search" of docs/results.md.
# Usage: benchmarks/run_search.sh [SUITE…]   (all suites without a name; WORKERS=2 cores)
# Interrupted, the same command goes on. Then: python benchmarks/make_results.py
set -euo pipefail
wanted=$*
source "$(dirname "$0")/suites.sh"
bench search mtsp50    --vehicles 3,5,7     --time 1
bench search mtsp100   --vehicles 5,7,10    --time 3
bench search mtsp200   --vehicles 10,15,20  --time 5
bench search mtsp500   --vehicles 30,40,50  --time 10
bench search mtsp1000  --vehicles 50,75,100 --time 20
bench search mpdp50    --vehicles 3,5,7     --time 1
bench search mpdp100   --vehicles 5,7,10    --time 3
bench search mpdp200   --vehicles 10,15,20  --time 10
bench search mpdp500   --vehicles 30,40,50  --time 20
bench search mpdp1000  --vehicles 50,75,100 --time 30
bench search mdvrp50   --vehicles 3,5,7     --time 2
bench search mdvrp100  --vehicles 5,7,10    --time 5
bench search fmdvrp50  --vehicles 3,5,7     --time 2
bench search fmdvrp100 --vehicles 5,7,10    --time 5
