"""The policy as users meet it: load weights by name or path, construct solutions for instances.

Every instance is rolled out under 8 symmetries × several vehicle orders; the candidates are measured with
the instance's true distance and the best distinct ones returned. Before it: `weights_file`; after it:
`solve`, which improves and checks the solutions.
"""

import copy
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Solution
from .network import Network
from .policy_config import PolicyConfig
from .rollout import Backend, roll_out
from .shipped_weights import find_policy, shipped_names
from .symmetry import NUM_SYMMETRIES, reflect, vehicle_orders, without_repeats
from .tokens import TokenMap, batch_of, form_of, misfit
from .weights_file import load_weights, read_header

MAX_MEMORY = 2**30
"""Default bytes that tables and temporaries of the chunks in work may take."""
MOST_WITH_NAVIGATION = 5_000
"""Above so many customers weights without the navigation part are preferred: its time grows with N²."""
WORKER_ROWS = 512
"""Tokens that a worker encodes at once: enough for large products, few enough to stay in its cache."""


class Policy:
    """A network with its weights, and where they come from."""

    def __init__(self, network: Network, name: str = "", provenance: dict[str, Any] | None = None) -> None:
        self.network = network.eval()
        self.name = name
        self.provenance = provenance or {}

    @property
    def config(self) -> PolicyConfig:
        """Sizes and choices of the network."""
        return self.network.config

    @classmethod
    def load(cls, name_or_path: str | Path, device: str = "cpu") -> "Policy":
        """The policy of that name (see `available`) or file.

        Raises `InputError` when there is none or the file cannot be used.
        """
        path = find_policy(name_or_path)
        network, header = load_weights(path, device)
        return cls(network, path.stem, header.provenance)

    @staticmethod
    def available() -> list[str]:
        """Names of the weights that come with the package."""
        return shipped_names()

    @classmethod
    def for_instance(cls, instance: Instance) -> "Policy | None":
        """The shipped policy made for this kind of instance and nearest to its size; None without one."""
        return _load_shipped(name) if (name := suited(instance)) is not None else None

    def misfit(self, instance: Instance) -> str | None:
        """Why this policy cannot serve `instance`, or None when it can."""
        return misfit(instance, self.config.form)

    def construct(
        self,
        instances: Iterable[Instance],
        *,
        symmetries: int = 8,
        permutations: int = 16,
        temperature: float = 0.0,
        sample: int = 1,
        seed: int = 0,
        top: int = 1,
        max_memory: int = MAX_MEMORY,
        backend: Backend | None = None,
        threads: int | None = None,
    ) -> list[list[Solution]]:
        """The best solutions of each instance, best first, at most `top` and all different.

        `symmetries` of the square (1 to 8) × `permutations` of the vehicles (the first is the identity,
        the rest shuffled by `seed`) are rolled out greedily; with a `temperature`, each `sample` times by
        drawing from the policy, its logits divided by it. Instances of equal shape share batches, cut to
        fit `max_memory` bytes. Unused vehicles have no route. Raises `InputError` for an instance that the
        policy cannot serve.
        """
        _at_least_one(permutations=permutations, sample=sample, top=top, max_memory=max_memory)
        if not temperature >= 0.0:
            raise InputError(f"temperature = {temperature}, expected 0 or more")
        if sample > 1 and temperature == 0.0:
            raise InputError(f"sample = {sample} with temperature = 0, expected a temperature above 0")
        if symmetries not in range(1, NUM_SYMMETRIES + 1):
            raise InputError(f"symmetries = {symmetries}, expected 1 to {NUM_SYMMETRIES}")
        token_maps = [TokenMap.of(instance, self.config.form) for instance in instances]
        groups: dict[tuple[object, ...], list[int]] = {}
        for index, token_map in enumerate(token_maps):
            groups.setdefault(token_map.shape, []).append(index)
        found: list[list[Solution]] = [[] for _ in token_maps]
        for members in groups.values():
            orders = vehicle_orders(token_maps[members[0]].instance.num_vehicles, permutations, seed)
            # greedy twice with one order gives the same routes twice; samples differ
            orders = np.repeat(orders, sample, axis=0) if temperature else without_repeats(orders)
            samples = np.random.default_rng([seed, 1]) if temperature else None
            copies = _Copies(self.network, symmetries, orders, samples, temperature or 1.0, backend, threads)
            chosen = copies.actions([token_maps[i] for i in members], max_memory)
            for index, actions in zip(members, chosen, strict=True):
                found[index] = best_distinct(token_maps[index], actions, top)
        return found


class _Copies:
    """Rolls out instances of one shape under all symmetries and vehicle orders."""

    def __init__(
        self,
        network: Network,
        symmetries: int,
        orders: NDArray[np.int64],
        samples: np.random.Generator | None,
        temperature: float,
        backend: Backend | None,
        threads: int | None,
    ) -> None:
        self.network = network
        self.symmetries = symmetries
        self.device = next(network.parameters()).device
        self.orders = torch.from_numpy(orders).to(self.device)
        self.samples = samples
        self.temperature = temperature
        self.backend = backend
        self.threads = threads

    def actions(self, token_maps: Sequence[TokenMap], max_memory: int) -> list[NDArray[np.int64]]:
        """All rollouts of each instance: int64 [symmetries·K, T] per instance."""
        copies = [(i, s) for i in range(len(token_maps)) for s in range(self.symmetries)]
        workers = min((self.threads or os.cpu_count() or 1) if self.device.type == "cpu" else 1, len(copies))
        space = int(max_memory // bytes_per_copy(self.network.config, token_maps[0], len(self.orders)))
        chunk = max(1, space // workers)
        if workers > 1:
            chunk = min(chunk, max(1, WORKER_ROWS // len(token_maps[0].nodes)), -(-len(copies) // workers))
        chunks = [copies[first : first + chunk] for first in range(0, len(copies), chunk)]
        parts: list[list[NDArray[np.int64]]] = [[] for _ in token_maps]
        for now, found in zip(chunks, self._roll_out_chunks(token_maps, chunks, workers), strict=True):
            for (i, _), actions in zip(now, found, strict=True):
                parts[i].append(actions)
        return [np.concatenate(part) for part in parts]

    def _roll_out_chunks(
        self, token_maps: Sequence[TokenMap], chunks: list[list[tuple[int, int]]], workers: int
    ) -> Iterator[NDArray[np.int64]]:
        """Roll out every chunk, in order, by one-thread workers side by side where there are several."""
        threads = self.threads if workers == 1 else 1

        def run(task: tuple[list[tuple[int, int]], np.random.Generator | None]) -> NDArray[np.int64]:
            return self._roll_out(token_maps, task[0], task[1], threads)

        tasks = [(chunk, self._chances(token_maps[0], len(chunk))) for chunk in chunks]
        if workers == 1:
            yield from map(run, tasks)
            return
        with _one_torch_thread(), ThreadPoolExecutor(workers) as pool:
            yield from pool.map(run, tasks)

    def _chances(self, token_map: TokenMap, num_copies: int) -> np.random.Generator | None:
        """A generator for the samples of the next copies, so that chunks and workers change nothing."""
        if self.samples is None:
            return None
        here = copy.deepcopy(self.samples)
        num_steps = batch_of([token_map]).num_steps
        self.samples.random((num_copies, len(self.orders), num_steps), dtype=np.float32)
        return here

    def _roll_out(
        self,
        token_maps: Sequence[TokenMap],
        copies: list[tuple[int, int]],
        samples: np.random.Generator | None,
        threads: int | None,
    ) -> NDArray[np.int64]:
        batch = batch_of([token_maps[i] for i, _ in copies], self.device)
        batch = replace(
            batch,
            depots=torch.stack([reflect(batch.depots[b], s) for b, (_, s) in enumerate(copies)]),
            customers=torch.stack([reflect(batch.customers[b], s) for b, (_, s) in enumerate(copies)]),
        )
        with torch.inference_mode():
            encoded = self.network.encode(batch)
        rollouts = roll_out(
            self.network,
            batch,
            encoded,
            self.orders,
            sample_seed=samples,
            temperature=self.temperature,
            backend=self.backend,
            threads=threads,
        )
        return rollouts.actions.cpu().numpy()


@contextmanager
def _one_torch_thread() -> Iterator[None]:
    """Let every thread compute by itself: two one-thread workers beat one two-thread worker."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def bytes_per_copy(config: PolicyConfig, token_map: TokenMap, num_rollouts: int) -> int:
    """Rough peak bytes of encoding and rolling out one symmetric copy of an instance."""
    customers, tokens = token_map.instance.num_customers, len(token_map.nodes)
    floats = tokens * (config.hidden + 12 * config.embed)  # the widest layer and the tables
    if config.form == "pairs" and config.encoder != "pn-no-navigation":
        floats += 5 * config.num_heads * customers * customers  # heterogeneous scores, twice
    floats += 4 * num_rollouts * tokens
    return 4 * floats


def best_distinct(token_map: TokenMap, actions: NDArray[np.int64], top: int) -> list[Solution]:
    """The `top` best different solutions among rollouts [R, T], shortest makespan first."""
    makespans = token_map.makespans(actions)
    found: list[Solution] = []
    seen: set[frozenset[tuple[int, ...]]] = set()
    for row in np.argsort(makespans, kind="stable"):
        solution = token_map.solution(actions[row]).without_empty()
        key = frozenset(route.nodes for route in solution.routes)
        if key in seen:
            continue
        seen.add(key)
        found.append(solution)
        if len(found) == top:
            break
    return found


def suited(instance: Instance) -> str | None:
    """Name of the shipped weights for this kind of instance, trained nearest to its size; None without any.

    Of several trained on its size, the first by name: those for fewer customers come first. Networks without
    the navigation part are for more than `MOST_WITH_NAVIGATION` customers, those with it for up to so many.
    """
    form, best = form_of(instance), (math.inf, "")
    if misfit(instance, form) is not None:
        return None
    many = instance.num_customers > MOST_WITH_NAVIGATION
    for name in Policy.available():
        header = read_header(find_policy(name))
        if header.config.form != form:
            continue
        other_rule = form == "multi" and header.config.return_to != instance.return_to
        other_part = (header.config.encoder == "pn-no-navigation") != many
        apart = _apart(instance.num_customers, header.provenance) + 100.0 * (other_rule + other_part)
        best = min(best, (apart, name))
    return best[1] or None


def _apart(size: int, provenance: Mapping[str, Any]) -> float:
    """How far a number of customers is from those trained on: 0 within them, else the ratio's logarithm."""
    least, most = provenance.get("training", {}).get("customers", (size, size))
    return math.log(max(least / size, size / most, 1.0))


@lru_cache(maxsize=4)
def _load_shipped(name: str) -> Policy:
    return Policy.load(name)


def _at_least_one(**values: int) -> None:
    for key, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"{key} = {value!r}, expected a whole number of 1 or more")
