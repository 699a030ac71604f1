#!/usr/bin/env bash
# The samples behind docs/paper.md: about 45 CPU minutes of one core. Interrupt it at any time: the same command goes on where it was.
# Usage: benchmarks/run_paper.sh [DATA]   (DATA: folder of the public instances; without it SetI and mTSPLib are left out)
# Networks of the ablations take longer and come first: minmaxvrp paper ablations --suite mtsp15 --minutes 8 --out benchmarks/results/paper
set -euo pipefail
cd "$(dirname "$0")/.."
export OMP_NUM_THREADS=1
paper() { minmaxvrp paper "$@" --out benchmarks/results/paper > /dev/null; }
paper table2 --method policy --suite mtsp200,mpdp200 --limit 10
paper table2 --method policy --suite mtsp500 --limit 3
paper table2 --method policy --suite mtsp1000 --limit 2
paper table1 --method lkh,hga,pyvrp,ortools --seconds 3 --limit 3
paper table4 --method cross,pyvrp --seconds 3 --limit 3
paper fine-tuning --minutes 2 --limit 10
paper distributions --limit 10 --seconds 1
paper very-large --method greedy,search --suite mtsp50000,mtsp100000 --limit 1 --seconds 60
paper times --limit 10
for suite in mpdp100 fmdvrp100 mtsp200; do
    paper speed --suite $suite --method search,policy+search,lkh,pyvrp,hga,cross,ortools --seconds 3
done
if [[ $# -gt 0 ]]; then
    paper set1 --quick --data "$1"
    paper mtsplib --quick --data "$1"
fi
minmaxvrp paper page --out benchmarks/results/paper
