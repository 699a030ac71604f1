"""Where the policy's time goes: the torch loop step by step against the compiled rollouts.

    python benchmarks/policy_profile.py [--customers 49 --vehicles 5 --symmetries 8 --permutations 16]

One thread, CPU seconds, random weights of the published size. "Torch" rows are the stepwise loop of
`rollout.py` with its state; "compiled" rows time kernels of `policy/kernels/arithmetic.py` by repeating them.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

from minmaxvrp.jit import njit
from minmaxvrp.jit.simd import WIDTH, load, splat
from minmaxvrp.policy.batch import Batch
from minmaxvrp.policy.kernels.arithmetic import (
    BLOCK,
    argmax_token,
    distance_bias,
    dot_products,
    exponentiate,
    form_query,
    glimpse,
    weighted_mean,
)
from minmaxvrp.policy.kernels.rollout_arrays import empty_state, features, reset
from minmaxvrp.policy.kernels.rollouts import roll_out_compiled
from minmaxvrp.policy.kernels.tables import batch_arrays, precompute_tables
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy_config import PolicyConfig
from minmaxvrp.policy.rollout import roll_out_torch


@njit(cache=False)
def repeat_part(part: int, times: int, tables: Any, rules: Any, state: Any, vehicles: Any) -> None:
    embed, seen = tables.features.shape[1], tables.logits.shape[1] * BLOCK
    num_heads, num_tokens, depth = tables.values.shape[1:]
    scores = np.ones(seen * WIDTH, dtype=np.float32)
    query, out = np.ones(embed * WIDTH, dtype=np.float32), np.ones(embed * WIDTH, dtype=np.float32)
    numbers = np.ones((tables.features.shape[0], WIDTH), dtype=np.float32)
    rows, here = vehicles[:, 0].copy(), np.zeros((3, WIDTH), dtype=np.float32)
    chosen, square = np.zeros(WIDTH, dtype=np.float32), np.zeros(WIDTH * WIDTH, dtype=np.float32)
    keys, values, logits = tables.keys.reshape(-1), tables.values.reshape(-1), tables.logits.reshape(-1)
    num_blocks = tables.logits.shape[1]
    for _ in range(times):
        if part == 0:
            features(rules, 0, state, 1, numbers)
            form_query(tables, 0, rows, rows, rows, numbers, square, query)
        elif part == 1:
            for head in range(num_heads):
                start = head * num_blocks * depth * BLOCK
                dot_products(keys, start, num_blocks, depth, query, head * depth, scores)
        elif part == 2:
            for _head in range(num_heads):
                exponentiate(scores, num_tokens, load(query, 0))
        elif part == 3:
            for head in range(num_heads):
                start, total = head * depth * num_tokens, splat(np.float32(1.0))
                weighted_mean(values, start, num_tokens, depth, scores, total, out, head * depth)
        elif part == 4:
            dot_products(logits, 0, num_blocks, embed, query, 0, scores)
        elif part == 5:
            distance_bias(rules, 0, here[0], here[1], here[2], scores)
            argmax_token(rules, state.mask, state.start_mask, scores, chosen)
        else:
            glimpse(tables, rules, 0, state.mask, query, scores, out)


@njit(cache=False)
def begin_state(rules: Any, state: Any, vehicles: Any) -> None:
    reset(rules, 0, state, vehicles)


PARTS = ("query and features", "glimpse: scores", "glimpse: softmax", "glimpse: values", "logits",
         "distance bias, mask, best")  # fmt: skip


def cpu_seconds(work: Callable[[], Any], repeat: int = 3) -> float:
    best = np.inf
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return float(best)


def show(rows: list[tuple[str, float]], total: float) -> None:
    for name, seconds in rows:
        print(f"  {name:<44}{seconds * 1e3:10.1f} ms {seconds / total:6.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--customers", type=int, default=49)
    parser.add_argument("--vehicles", type=int, default=5)
    parser.add_argument("--symmetries", type=int, default=8)
    parser.add_argument("--permutations", type=int, default=16)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    copies, rollouts = asked.symmetries, asked.permutations
    network = Network.initialised(PolicyConfig(), 1).eval()
    generator = torch.Generator().manual_seed(0)
    places = torch.rand(copies, asked.customers + 1, 2, generator=generator)
    batch = Batch(places[:, :1], places[:, 1:], asked.vehicles)
    rng = np.random.default_rng(0)
    orders = np.stack([rng.permutation(asked.vehicles) for _ in range(rollouts)])
    with torch.inference_mode():
        encoded = network.encode(batch)
        encode = cpu_seconds(lambda: network.encode(batch))
        fold_torch = cpu_seconds(lambda: network.decoder.precompute(encoded, batch))
        cache = network.decoder.precompute(encoded, batch)
        permutations = torch.from_numpy(orders)
        loop = cpu_seconds(lambda: roll_out_torch(network, cache, permutations), 1)
        with profile(activities=[ProfilerActivity.CPU]) as trace:
            roll_out_torch(network, cache, permutations)
    size = f"{asked.customers} customers, {asked.vehicles} vehicles, {copies} × {rollouts} rollouts"
    total = encode + fold_torch + loop
    print(f"{size}\nTorch, step by step: {total * 1e3:.1f} ms")
    show([("encoder", encode), ("fold", fold_torch), ("rollouts", loop)], total)
    events = sorted(trace.key_averages(), key=lambda e: -e.self_cpu_time_total)
    whole = sum(e.self_cpu_time_total for e in events)
    print("  of the rollouts, by operation:")
    show([(f"  {e.key}", loop * e.self_cpu_time_total / whole) for e in events[:10]], total)

    tables, rules = precompute_tables(network.decoder, encoded, batch), batch_arrays(batch)
    roll_out_compiled(tables, rules, orders, threads=1)
    fold_time = cpu_seconds(lambda: (precompute_tables(network.decoder, encoded, batch), batch_arrays(batch)))
    compiled = cpu_seconds(lambda: roll_out_compiled(tables, rules, orders, threads=1))
    total = encode + fold_time + compiled
    print(f"Compiled: {total * 1e3:.1f} ms")
    show([("encoder", encode), ("fold", fold_time), ("rollouts", compiled)], total)
    vehicles = np.resize(orders, (WIDTH, asked.vehicles)).astype(np.int64)
    state = empty_state(rules, WIDTH)
    begin_state(rules, state, vehicles)
    steps = batch.num_steps * copies * -(-rollouts // WIDTH)
    times = max(3, int(2e6 / batch.num_tokens / 400))
    repeat_part(0, 1, tables, rules, state, vehicles)
    parts = []
    for number, name in enumerate(PARTS):
        spent = cpu_seconds(lambda number=number: repeat_part(number, times, tables, rules, state, vehicles))  # type: ignore[misc]
        parts.append((f"  {name}", spent / times * steps))
    parts.append(("  moves and the rest", max(compiled - sum(spent for _, spent in parts), 0.0)))
    print("  of the rollouts, by part:")
    show(parts, total)


if __name__ == "__main__":
    main()
