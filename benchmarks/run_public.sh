#!/usr/bin/env bash
# The search on the public instance files, a tenth of a second per customer: the tables "Public instances".
# Usage: benchmarks/run_public.sh [FOLDER…]   (DATA and BEST say where the files are, WORKERS=2 cores)
set -euo pipefail
cd "$(dirname "$0")/.."
data=${DATA:-../shared/data}
best=${BEST:-../shared/figures/best_known.csv}
if [[ $# == 0 ]]; then set -- mtsp_set1 mtsp_lib minmax_mdvrp; fi
for folder in "$@"; do
    minmaxvrp bench "$data/$folder" --best "$best" --time-per-customer 0.1 --method search --seed 0 \
        --workers "${WORKERS:-2}" --out benchmarks/results/public.jsonl
done
