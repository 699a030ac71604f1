"""Compiled kernels of training against torch, bfloat16 against float32: CPU milliseconds, one thread.

    OMP_NUM_THREADS=1 python benchmarks/training_kernels.py             # replay and attention of one piece
    OMP_NUM_THREADS=1 python benchmarks/training_kernels.py --products  # float32 against bfloat16

One piece: 16 instances of 60 customers, 6 vehicles, K = 24, 8 heads of 16; the shortest of several runs. The
products run in processes of their own, because torch's bfloat16 ends the process on some virtual machines (an
illegal instruction, where the machine has AMX but hides its description); with
ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 it does without AMX.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from unittest import mock

import torch
import torch.nn.functional as F

from minmaxvrp.policy.batch import Batch
from minmaxvrp.policy.decoder import TABLES
from minmaxvrp.policy.layers import Attention, HeterogeneousAttention
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy_config import Form, PolicyConfig
from minmaxvrp.policy.rollout import roll_out
from minmaxvrp.policy.teacher_forcing import backpropagate

SIZE, CUSTOMERS, VEHICLES, ROLLOUTS = 16, 60, 6, 24
FORMS: tuple[Form, ...] = ("single", "pairs", "multi")


def milliseconds(call: Callable[[], object], rounds: int = 5) -> float:
    """CPU time of the fastest of some calls, after one that is not counted."""
    call()
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        spent.append(time.process_time() - start)
    return 1e3 * min(spent)


def replay(form: Form) -> tuple[float, float]:
    """The teacher-forced pass and its gradient: torch, compiled."""
    multi = form == "multi"
    config = PolicyConfig(form=form, masked_glimpse=True, start_context=multi)
    network, generator = Network.initialised(config, 1), torch.Generator().manual_seed(1)
    depots = torch.rand(SIZE, 6 if multi else 1, 2, generator=generator)
    customers = torch.rand(SIZE, CUSTOMERS, 2, generator=generator)
    batch = Batch(depots, customers, VEHICLES, form)
    orders = torch.stack([torch.randperm(VEHICLES, generator=generator) for _ in range(ROLLOUTS)])
    with torch.no_grad():
        encoded = network.encode(batch)
        cache = network.decoder.precompute(encoded, batch)
    actions = roll_out(network, batch, encoded, orders, sample_seed=3, threads=1).actions
    cache = replace(cache, **{name: getattr(cache, name).detach() for name in TABLES})
    weight = torch.randn(SIZE, ROLLOUTS, 1, generator=generator) / 400
    slow = milliseconds(lambda: backpropagate(network, cache, orders, actions, weight, "torch"))
    return slow, milliseconds(lambda: backpropagate(network, cache, orders, actions, weight, "compiled"))


def attention(form: Form) -> tuple[float, float]:
    """Customers among themselves, projections included, forward and backward: torch, compiled."""
    config = PolicyConfig(form=form)
    layer = HeterogeneousAttention(config) if form == "pairs" else Attention(config)
    x = torch.randn(SIZE, CUSTOMERS, config.embed).requires_grad_()

    def both() -> None:
        out = layer(x, CUSTOMERS // 2) if form == "pairs" else layer(x, x)
        out.backward(torch.ones_like(out))

    fast = milliseconds(both)
    with mock.patch("minmaxvrp.policy.layers.is_fused", return_value=False):
        return milliseconds(both), fast


def products(half: bool) -> None:
    """Linear layers of 960 rows, forward and backward."""
    kind = torch.bfloat16 if half else torch.float32
    for width, out in ((128, 128), (128, 384), (128, 512), (512, 128)):
        x = torch.randn(960, width).to(kind).requires_grad_()
        weight = torch.randn(out, width).to(kind).requires_grad_()

        def both(x: torch.Tensor = x, weight: torch.Tensor = weight) -> None:
            found = F.linear(x, weight)
            torch.autograd.grad(found, (x, weight), torch.ones_like(found))

        print(f"  960 × {width} × {out}: {milliseconds(both, 50):.2f} ms", flush=True)


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--products", action="store_true")
    parser.add_argument("--one", choices=["float32", "bfloat16"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.one:
        products(arguments.one == "bfloat16")
        return
    if arguments.products:
        cases = (("float32", None), ("bfloat16", None), ("bfloat16", "AVX512_CORE_BF16"))
        for name, limit in cases:
            print(name, "" if limit is None else f"with ONEDNN_MAX_CPU_ISA={limit}", flush=True)
            extra = {} if limit is None else {"ONEDNN_MAX_CPU_ISA": limit}
            done = subprocess.run([sys.executable, __file__, "--one", name], env=os.environ | extra)
            if done.returncode:
                print(f"  ended with code {done.returncode}", flush=True)
        return
    print("| what | torch, ms | compiled, ms | ratio |\n| --- | --- | --- | --- |")
    for form in FORMS:
        for name, measure in (("replay", replay), ("attention", attention)):
            slow, fast = measure(form)
            print(f"| {name}, {form} | {slow:.1f} | {fast:.1f} | {slow / fast:.2f} |", flush=True)


if __name__ == "__main__":
    main()
