#!/usr/bin/env bash
# The samples behind docs/paper.md: about 90 CPU minutes of one core. Interrupt it at any time: the same command goes on where it was.
# Usage: benchmarks/run_paper.sh [DATA]   (DATA: folder of the public instances; without it SetI and mTSPLib are left out)
# Larger samples: the same commands with a larger --limit or --minutes; what was measured or trained before is not done again.
# Not among them: minmaxvrp paper fine-tuning --minutes 2 --limit 10 --out benchmarks/results/paper
set -euo pipefail
cd "$(dirname "$0")/.."
export OMP_NUM_THREADS=1
paper() { minmaxvrp paper "$@" --out benchmarks/results/paper > /dev/null; }
paper ablations --minutes 1.5 --limit 30
paper depot-position --quick
paper attention
paper plans --quick
paper table1 --method policy --limit 32
paper table1 --method lkh,pyvrp,ortools --suite mtsp50,mtsp100 --limit 2 --seconds 3
paper table1 --method hga --suite mtsp50,mtsp100 --limit 2 --seconds 3
paper table1 --method pyvrp,ortools --suite mpdp50,mpdp100 --limit 2 --seconds 3
paper table2 --method policy --suite mtsp200,mpdp200 --limit 3
paper table2 --method policy --suite mtsp500,mtsp1000,mpdp500,mpdp1000 --limit 1
paper table2 --method search --suite mpdp500 --limit 7 --seconds 10
paper table2 --method search --suite mpdp1000 --limit 14 --seconds 10
paper table4 --method cross,pyvrp --limit 1 --seconds 3
paper table4 --method policy --suite mdvrp100,fmdvrp100 --limit 5
paper distributions --limit 5 --seconds 1
paper very-large --quick
paper very-large --method greedy,search --limit 1 --seconds 20
paper times --limit 3
for seconds in 0.03 0.1 0.3 1; do
    paper speed --method search --seconds $seconds
done
for seconds in 0.3 1; do
    paper speed --method greedy,policy,policy+search,lkh,pyvrp,hga,cross,ortools --seconds $seconds
done
paper speed --method search,policy+search,lkh,pyvrp,hga,cross,ortools --suite mtsp100,mdvrp100 --seconds 3
paper speed --method search,policy+search,pyvrp,ortools --suite mpdp100 --limit 6 --seconds 3
paper speed --method search,policy+search,lkh,pyvrp,hga,cross,ortools --suite fmdvrp100,mtsp200 --limit 5 --seconds 3
paper speed --method search,policy+search,lkh,pyvrp,hga,cross,ortools --suite mtsp100,mtsp200,fmdvrp100 --limit 3 --seconds 10
paper speed --method search,policy+search,pyvrp,hga,cross,ortools --suite mdvrp100 --limit 3 --seconds 10
paper speed --method search,policy+search,pyvrp,ortools --suite mpdp100 --limit 3 --seconds 10
if [[ $# -gt 0 ]]; then
    paper set1 --quick --data "$1"
    paper mtsplib --quick --data "$1"
fi
minmaxvrp paper page --out benchmarks/results/paper
