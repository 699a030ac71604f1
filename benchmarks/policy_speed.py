"""Speed and memory of the policy against the authors' program, and of very large instances.

    python benchmarks/policy_speed.py                  # the comparison, about a minute on two free cores
    python benchmarks/policy_speed.py --single         # what the kernels for one rollout are worth
    python benchmarks/policy_speed.py --large 10000    # one rollout of N customers without navigation
    python benchmarks/policy_speed.py --large 100000 --steps 2000

Random weights of the published size (128 wide, 6 layers, 8 heads, hidden 512): speed does not depend on their
values. Every case runs in a process of its own, so that peak memory is its own. On a machine that others use
as well, the column "CPU s / cores" says what free cores would give.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np
import torch

from minmaxvrp import Instance
from minmaxvrp.policy.batch import Batch
from minmaxvrp.policy.kernels import rollouts
from minmaxvrp.policy.kernels.rollout_arrays import GREEDY, RolloutTask, empty_state
from minmaxvrp.policy.kernels.single import new_single_workspace, roll_out_single
from minmaxvrp.policy.kernels.tables import batch_arrays, precompute_tables
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy import Policy
from minmaxvrp.policy.policy_config import PolicyConfig
from minmaxvrp.problem.generate import uniform

CASES = {  # customers, vehicles, instances, authors' seconds on two cores (8 symmetries × 16 permutations)
    "mTSP50": (49, 5, 1, 0.26),
    "mTSP100": (99, 7, 1, 0.57),
    "mTSP200": (199, 15, 1, 1.25),
    "mTSP500": (499, 40, 1, 5.8),
    "mTSP1000": (999, 75, 1, 16.2),
    "mTSP50 × 100": (49, 5, 100, 8.3),
    "mTSP100 × 100": (99, 7, 100, 28.6),
}

SINGLE_CASES = {  # problem, customers, vehicles, depots, encoder
    "mTSP50": ("mtsp", 50, 5, None, "pn"),
    "mTSP100": ("mtsp", 100, 7, None, "pn"),
    "mPDP100": ("mpdp", 100, 7, None, "pn"),
    "MDVRP100": ("mdvrp", 100, 7, 8, "pn"),
    "mTSP1000": ("mtsp", 1000, 50, None, "pn"),
    "mTSP1000, large-scale variant": ("mtsp", 1000, 50, None, "pn-no-navigation"),
}


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str, repeat: int) -> dict[str, float]:
    """Best wall and CPU seconds of `construct` with 8 symmetries × 16 permutations, and peak memory."""
    customers, vehicles, count, _ = CASES[name]
    rng = np.random.default_rng(0)
    policy = Policy(Network.initialised(PolicyConfig(), 1))
    policy.construct([Instance.mtsp(rng.random(2), rng.random((20, 2)), vehicles)])  # compile or load
    before = megabytes()
    instances = [Instance.mtsp(rng.random(2), rng.random((customers, 2)), vehicles) for _ in range(count)]
    wall = cpu = np.inf
    for _ in range(repeat):
        start, used = time.perf_counter(), time.process_time()
        policy.construct(instances)
        wall, cpu = min(wall, time.perf_counter() - start), min(cpu, time.process_time() - used)
    return {"wall": wall, "cpu": cpu, "before": before, "peak": megabytes()}


def compare(repeat: int) -> None:
    cores = os.cpu_count() or 1
    print(f"{cores} cores, load {os.getloadavg()[0]:.1f}; best of {repeat}")
    print("| case | vehicles | wall s | CPU s | CPU s / cores | authors s | ratio (wall) | ratio (CPU) | "
          "memory MB | of which before the instance |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, (_, vehicles, _, authors) in CASES.items():
        command = [sys.executable, __file__, "--case", name, "--repeat", str(repeat)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        row = json.loads(done.stdout)
        share, wall = row["cpu"] / cores, row["wall"]
        print(
            f"| {name} | {vehicles} | {wall:.3f} | {row['cpu']:.3f} | {share:.3f} | {authors} | "
            f"{authors / wall:.1f} | {authors / share:.1f} | {row['peak']:.0f} | {row['before']:.0f} |",
            flush=True,
        )


def large(customers: int, vehicles: int, steps: int | None) -> None:
    """One greedy rollout of the variant without navigation; with `steps`, a prefix of it."""
    network = Network.initialised(PolicyConfig(encoder="pn-no-navigation"), 1).eval()
    generator = torch.Generator().manual_seed(0)

    def random_batch(size: int) -> Batch:
        places = torch.rand(1, size + 1, 2, generator=generator)
        return Batch(places[:, :1], places[:, 1:], vehicles)

    def roll(batch: Batch, num_steps: int) -> tuple[float, float, float, float]:
        start = time.perf_counter()
        with torch.inference_mode():
            encoded = network.encode(batch)
        encode = time.perf_counter() - start
        tables, rules = precompute_tables(network.decoder, encoded, batch), batch_arrays(batch)
        folded = time.perf_counter() - start - encode
        start, used = time.perf_counter(), time.process_time()
        orders = np.arange(vehicles, dtype=np.int64).reshape(1, 1, -1)
        actions, nothing = np.zeros((1, 1, num_steps), np.int32), np.zeros((1, 1, 0), np.float32)
        task = RolloutTask(orders, GREEDY, nothing, actions, np.zeros((1, 1), np.float32), nothing)
        state, room = empty_state(rules, 1), new_single_workspace(tables)
        failed = roll_out_single(tables, rules, task, state, room, orders[0].copy(), 0, 0)
        assert failed < 0
        return encode, folded, time.perf_counter() - start, time.process_time() - used

    roll(random_batch(30), 30)  # compile or load
    before, whole = megabytes(), customers + vehicles
    count = min(steps or whole, whole)
    encode, folded, decode, cpu = roll(random_batch(customers), count)
    print(f"N = {customers}, M = {vehicles}, one rollout, load {os.getloadavg()[0]:.1f}")
    print(f"encode {encode:.2f} s, fold {folded:.2f} s, {count} of {whole} steps {decode:.1f} s")
    note = " (extrapolated from a prefix)" if count < whole else ""
    for what, seconds in (("wall", decode), ("CPU", cpu)):
        per_step = seconds / count
        print(f"{what}: {per_step * 1e3:.3f} ms per step, {per_step * whole:.0f} s for all steps{note}")
    print(f"memory: peak {megabytes():.0f} MB, of which {before:.0f} MB before the instance")


def compare_single(repeat: int) -> None:
    """CPU time of ×1 construction, one greedy rollout per instance, with and without `kernels/single.py`."""
    print("| case | encoder | with ms | without ms | ratio |")
    print("|---|---|---|---|---|")
    for name, (problem, customers, vehicles, depots, encoder) in SINGLE_CASES.items():
        form = {"mtsp": "single", "mpdp": "pairs"}.get(problem, "multi")
        policy = Policy(Network.initialised(PolicyConfig(form=form, encoder=encoder), 1))  # type: ignore[arg-type]
        instances = uniform(problem, customers, vehicles, num_depots=depots, seed=0, count=2)
        found = []
        for most in (rollouts.MOST_SINGLE, 0):
            before, rollouts.MOST_SINGLE, best = rollouts.MOST_SINGLE, most, np.inf
            for _ in range(repeat + 1):  # the first one compiles or loads
                start = time.process_time()
                policy.construct(instances, symmetries=1, permutations=1, threads=1)
                best = min(best, time.process_time() - start)
            rollouts.MOST_SINGLE = before
            found.append(1e3 * best / len(instances))
        print(
            f"| {name} | {encoder} | {found[0]:.1f} | {found[1]:.1f} | {found[1] / found[0]:.2f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=CASES, help="measure one case, print JSON")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--single", action="store_true", help="what the kernels for one rollout are worth")
    parser.add_argument("--large", type=int, metavar="N")
    parser.add_argument("--vehicles", type=int, default=500)
    parser.add_argument("--steps", type=int, help="a prefix of so many steps")
    asked = parser.parse_args()
    if asked.single:
        compare_single(asked.repeat)
    elif asked.case:
        print(json.dumps(measure(asked.case, asked.repeat)))
    elif asked.large:
        large(asked.large, asked.vehicles, asked.steps)
    else:
        compare(asked.repeat)


if __name__ == "__main__":
    main()
