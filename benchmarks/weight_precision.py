"""What storing weights in 8 bits costs: mean makespan of the shipped weights in float16 and in int8.

    python benchmarks/weight_precision.py

Greedy rollouts under 8 symmetries of 20 instances of each problem (seed 1234; 50 customers, 5 vehicles;
6 depots where there are several), and the sizes of the files.
"""

import tempfile
from pathlib import Path

import numpy as np

from minmaxvrp.policy import Policy
from minmaxvrp.policy.weights_file import save_weights
from minmaxvrp.problem.check import makespan
from minmaxvrp.problem.generate import uniform


def main() -> None:
    print("| weights | float16 | int8 | difference | float16 MB | int8 MB |")
    print("|---|---|---|---|---|---|")
    for name in Policy.available():
        depots = 6 if "md" in name else None
        instances = uniform(name.partition("-")[0], 50, 5, num_depots=depots, seed=1234, count=20)
        shipped, means, sizes = Policy.load(name), [], []
        with tempfile.TemporaryDirectory() as folder:
            for precision in ("float16", "int8"):
                path = Path(folder) / f"{precision}.safetensors"
                save_weights(path, shipped.network, shipped.provenance, precision)  # type: ignore[arg-type]
                found = Policy.load(path).construct(instances, symmetries=8, permutations=1)
                means.append(np.mean([makespan(i, s[0]) for i, s in zip(instances, found, strict=True)]))
                sizes.append(path.stat().st_size / 1e6)
        change = 100.0 * (means[1] / means[0] - 1.0)
        size = f"{sizes[0]:.1f} | {sizes[1]:.1f}"
        print(f"| {name} | {means[0]:.4f} | {means[1]:.4f} | {change:+.2f} % | {size} |", flush=True)


if __name__ == "__main__":
    main()
