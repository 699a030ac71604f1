"""Construct routes: greedy or sampled rollouts of B instances × K vehicle orders, without gradient.

`roll_out` uses the compiled loop of `kernels` on the CPU and the plain torch loop of this module
elsewhere; the torch loop is the reference that the compiled one is tested against. Nothing but the
chosen actions is kept. Comes after `network`; `policy` and training call it.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ..jit.cache import config
from .batch import Batch
from .decoder import DecoderCache
from .encoder import Encoded
from .kernels.rollouts import roll_out_compiled
from .kernels.tables import batch_arrays, is_supported, precompute_tables
from .network import Network
from .state import State

Backend = Literal["compiled", "torch"]
Seed = int | np.random.Generator


@dataclass(frozen=True, eq=False)
class Rollouts:
    """What B × K constructions chose."""

    actions: Tensor
    """int64 [B, K, T] tokens, see `batch`."""
    makespan: Tensor
    """float32 [B, K] on the batch's coordinates."""


def roll_out(
    network: Network,
    batch: Batch,
    encoded: Encoded,
    permutations: Tensor,
    *,
    sample_seed: Seed | None = None,
    temperature: float = 1.0,
    backend: Backend | None = None,
    threads: int | None = None,
) -> Rollouts:
    """Rollouts of encoded instances, one per vehicle order, on the batch's device.

    `permutations`: int64 [K, M] shared by all instances, or [B, K, M]. Greedy without `sample_seed`;
    with it (a number, or a generator that is advanced), every action is sampled from the policy, with one
    uniform number each, logits divided by `temperature`. `backend` by default the faster one for the
    device; both give the same rollouts up to rounding. `threads` of the compiled loop: one per core if
    not given.
    """
    if backend is None:
        compiled = batch.customers.device.type == "cpu" and not config.DISABLE_JIT
        backend = "compiled" if compiled and is_supported(network.decoder) else "torch"
    if backend == "torch":
        with torch.inference_mode():
            cache = network.decoder.precompute(encoded, batch)
        return roll_out_torch(network, cache, permutations, sample_seed, temperature)
    tables = precompute_tables(network.decoder, encoded, batch)
    done = roll_out_compiled(
        tables._replace(clip=tables.clip / temperature),
        batch_arrays(batch),
        permutations.cpu().numpy(),
        sample_seed=sample_seed,
        threads=threads,
    )
    device = batch.customers.device
    return Rollouts(
        torch.from_numpy(done.actions).long().to(device), torch.from_numpy(done.makespan).to(device)
    )


def roll_out_torch(
    network: Network,
    cache: DecoderCache,
    permutations: Tensor,
    sample_seed: Seed | None = None,
    temperature: float = 1.0,
) -> Rollouts:
    """The same, step by step in torch."""
    batch, chances = cache.batch, None
    if sample_seed is not None:
        shape = (batch.size, permutations.shape[-2], batch.num_steps)
        drawn = np.random.default_rng(sample_seed).random(shape, dtype=np.float32)
        chances = torch.from_numpy(drawn).to(permutations.device)  # [B, K, T]
    with torch.inference_mode():
        state = State.start(batch, permutations)
        chosen: list[Tensor] = []
        while not state.done:
            logits = network.decoder.logits(cache, state.decisions) / temperature  # [B, K, S]
            chance = None if chances is None else chances[..., state.steps]
            action = logits.argmax(dim=-1) if chance is None else _sample(logits, chance)
            chosen.append(action)
            state = state.step(action)
        actions, makespan = torch.stack(chosen, dim=-1), state.makespan
    return Rollouts(actions.clone(), makespan.clone())


def _sample(logits: Tensor, chance: Tensor) -> Tensor:
    """One token per row with the probabilities of `logits` [B, K, S], by uniform numbers [B, K]."""
    heaped = logits.softmax(dim=-1).cumsum(dim=-1)  # [B, K, S]
    level = chance * (1.0 - 1e-6) * heaped[..., -1]  # below the top, so that a token is always found
    return torch.searchsorted(heaped, level.unsqueeze(-1), right=True).squeeze(-1)


def stepwise_log_probabilities(
    network: Network, cache: DecoderCache, permutations: Tensor, actions: Tensor
) -> tuple[Tensor, Tensor]:
    """Log-probability of each action [B, K, T] and the makespan [B, K], one step at a time.

    The reference of `teacher_forcing`. Raises `ValueError` when an action is not allowed.
    """
    state = State.start(cache.batch, permutations)
    found = []
    for action in actions.unbind(dim=-1):
        decisions = state.decisions
        if not decisions.allowed.gather(2, action.unsqueeze(-1)).all():
            raise ValueError(f"an action of step {state.steps} is not allowed")
        log_p = network.decoder.logits(cache, decisions).log_softmax(dim=-1)
        found.append(log_p.gather(2, action.unsqueeze(-1)).squeeze(-1))
        state = state.step(action)
    return torch.stack(found, dim=-1), state.makespan
