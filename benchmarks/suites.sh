# Sourced by run_search.sh and run_policy.sh: `bench METHOD SUITE OPTION…` for the suites named in $wanted, or all.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bench() {
    local method=$1
    shift
    if [[ -z $wanted || " $wanted " == *" $1 "* ]]; then
        minmaxvrp bench "$@" --method "$method" --seed 0 --workers "${WORKERS:-2}" \
            --out "benchmarks/results/$method.jsonl"
    fi
}
