"""Training speed and memory against the authors' program: K = 60, M = 5, 6 layers of 128, batch 64.

    python benchmarks/training_speed.py                 # all cases, a few minutes on two free cores
    python benchmarks/training_speed.py mTSP50          # one case
    python benchmarks/training_speed.py --profile       # where the time of one mTSP50 step goes

Whole steps as `minmaxvrp train` does them: draw, encode, sample, replay, back-propagate, Adam. Each case runs
as one process with two threads and as two processes with one thread. On a machine that others use as well,
"per CPU" (both cores at the speed of the processor time spent) says what free cores would give.
"""

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

from minmaxvrp.training.presets import load

CASES = {  # preset, settings, the authors' instances/s on two cores
    "mTSP50": ("mtsp50", ["batch_size=64"], 15.8),
    "mTSP100": ("mtsp100", ["batch_size=64"], 6.8),
    "mPDP50": ("mpdp50", ["batch_size=64"], 13.3),
    "MDVRP50": ("mdvrp50", ["batch_size=64", "depots=6"], 12.2),
    "FMDVRP50": ("fmdvrp50", ["batch_size=64", "depots=6"], 11.3),
    "mTSP50 imitation": ("mtsp50", ["imitation_steps=1000", "imitation_batch=128"], None),
    "mTSP50 imitation, 8 orders": (
        "mtsp50",
        ["imitation_steps=1000", "imitation_batch=128", "imitation_orders=8"],
        None,
    ),
}
WARM, STEPS = 1, 3


def work(case: str, profile: bool) -> None:
    """Train a few steps in this process and print the speed as JSON."""
    import torch

    from minmaxvrp.policy.network import Network
    from minmaxvrp.training.checkpoint import Counters
    from minmaxvrp.training.imitation import Imitation
    from minmaxvrp.training.loop import _one_step
    from minmaxvrp.training.optimiser import Optimiser
    from minmaxvrp.training.parallel import ProcessGroup

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    preset, settings, _ = CASES[case]
    folder = os.environ["LABELS"]
    config = load(preset, [*settings, "vehicles=5", f"label_folder={folder}", "label_iterations=100"])
    team = ProcessGroup.join()
    network = Network.initialised(config.network, 1)
    optimiser, progress = Optimiser(network, config), Counters()
    labels = Imitation(config, None) if config.imitates else None

    def step() -> None:
        _one_step(network, optimiser, config, progress, team, labels)
        optimiser.step(progress.step)

    for _ in range(WARM):
        step()
    if profile:
        from torch.profiler import ProfilerActivity
        from torch.profiler import profile as record

        spent = phases(step)
        print("| phase | share of a step |\n| --- | --- |")
        for name, seconds in spent.items():
            print(f"| {name} | {100 * seconds / sum(spent.values()):.0f} % |")
        with record(activities=[ProfilerActivity.CPU]) as found:
            step()
        print(
            found.key_averages().table(sort_by="self_cpu_time_total", row_limit=20, max_name_column_width=60)
        )
        return
    team.agree(True)
    start, used = time.perf_counter(), time.process_time()
    for _ in range(STEPS):
        step()
    wall, cpu = time.perf_counter() - start, time.process_time() - used
    count = STEPS * (config.imitation_batch if config.imitates else config.batch_size)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    found = {"speed": count / wall, "cpu": cpu / count, "gigabytes": peak}
    print(json.dumps(found))
    team.leave()


def phases(step: Callable[[], None]) -> dict[str, float]:
    """Seconds of one REINFORCE step by what they are spent on."""
    import torch

    from minmaxvrp.policy.network import Network
    from minmaxvrp.training import reinforce

    seconds: dict[str, float] = dict.fromkeys(("encoder", "sampling", "replay", "encoder's gradient"), 0.0)

    def timed(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **named: Any) -> Any:
            start = time.perf_counter()
            result = call(*args, **named)
            seconds[name] += time.perf_counter() - start
            return result

        return run

    backward = torch.autograd.backward
    last = timed("encoder's gradient", backward)
    with (
        mock.patch.object(Network, "encode", timed("encoder", Network.encode)),
        mock.patch.object(reinforce, "roll_out", timed("sampling", reinforce.roll_out)),
        mock.patch.object(reinforce, "backpropagate", timed("replay", reinforce.backpropagate)),
        # the chunks of a replay go back one tensor at a time, the encoder with all its tables at once
        mock.patch.object(torch.autograd, "backward", lambda t, g: (last if len(t) > 1 else backward)(t, g)),
    ):
        start = time.perf_counter()
        step()
        whole = time.perf_counter() - start
    seconds["replay"] -= seconds["encoder's gradient"]
    return seconds | {"drawing, Adam and the rest": whole - sum(seconds.values())}


def measure(case: str, processes: int, labels: str, extra: tuple[str, ...] = ()) -> list[dict[str, float]]:
    """The result of each process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(processes),
        "OMP_NUM_THREADS": str(2 // processes),
        "OMP_WAIT_POLICY": "PASSIVE",
        "LABELS": labels,
    }
    running = [
        subprocess.Popen(
            [sys.executable, __file__, "--work", case, *extra],
            env=os.environ | shared | {"RANK": str(rank)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(processes)
    ]
    printed = [process.communicate()[0] for process in running]
    if extra:
        print(printed[0])
        return []
    return [json.loads(text.splitlines()[-1]) for text in printed]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", help=", ".join(CASES))
    parser.add_argument("--work", metavar="CASE", help=argparse.SUPPRESS)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.work, arguments.profile)
        return
    with tempfile.TemporaryDirectory() as labels:
        if arguments.profile:
            measure((arguments.cases or ["mTSP50"])[0], 1, labels, ("--profile",))
            return
        print("| case | processes × threads | instances/s | per CPU | authors | ratio | GB per process |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for case in arguments.cases or CASES:
            authors = CASES[case][2]
            for processes in (1, 2):
                found = measure(case, processes, labels)
                speed = found[0]["speed"]
                free = 2.0 / sum(one["cpu"] for one in found)
                ratio = "" if authors is None else f"{free / authors:.1f}"
                peak = max(one["gigabytes"] for one in found)
                print(
                    f"| {case} | {processes} × {2 // processes} | {speed:.1f} | {free:.1f} | {authors or ''} "
                    f"| {ratio} | {peak:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
