#!/usr/bin/env bash
# Ways of training mTSP, five minutes of one core each: "Recipes at equal processor time" of docs/research/training-log.md.
# Usage: CORE=0 benchmarks/recipes.sh [RECIPE…]   (all without a name; on two cores two calls)
# The core is shared by the trainer, its label worker (no label is taken from an earlier run) and validation.
# On a machine that has not trained yet run one recipe first and delete it: compiling would count.
set -euo pipefail
cd "$(dirname "$0")/.."
export OMP_NUM_THREADS=1
wanted=$*
recipe() {
    local name=$1 out=runs/recipes/$1
    shift
    if [[ -n $wanted && " $wanted " != *" $name "* ]]; then return; fi
    taskset -c "${CORE:-0}" minmaxvrp train --preset mtsp-cpu --set schedule=constant --set average_weights=0.98 \
        --set imitation_steps=110 --set steps=400 --set validate_every=20 --set validation_reference=0 \
        --set "label_folder=$out/labels" "$@" --minutes 5 --out "$out"
    taskset -c "${CORE:-0}" minmaxvrp evaluate "$out/weights.safetensors" --suite mtsp50 --vehicles 3,5,7 \
        --set-seed 1234 --limit 60 --json > "$out/mtsp50.json"
    taskset -c "${CORE:-0}" minmaxvrp evaluate "$out/weights.safetensors" --suite mtsp100 --vehicles 5,7,10 \
        --set-seed 1234 --limit 20 --json > "$out/mtsp100.json"
}
recipe half            # 110 steps of imitation, then REINFORCE; the others change one thing of it
recipe half-seed2      --set seed=2
recipe imitation       --set imitation_steps=220
recipe reinforce       --set imitation_steps=0
recipe share30         --set imitation_share=0.3
recipe labels100       --set label_iterations=100
recipe labels10000     --set label_iterations=10000
recipe rollouts8       --set rollouts=8
recipe rollouts60      --set rollouts=60
recipe batch16         --set batch_size=16 --set imitation_batch=16 --set imitation_steps=440 --set steps=1600
recipe layers3         --set network.num_layers=3
recipe rate1e-4        --set learning_rate=1e-4
recipe rate1e-3        --set learning_rate=1e-3
recipe size49          --set customers=49
recipe size49-m5       --set customers=49 --set vehicles=5
