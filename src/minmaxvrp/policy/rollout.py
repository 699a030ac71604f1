"""Construct step by step: greedy or sampled rollouts of B instances × K vehicle orders.

The plain torch loop: the reference that the compiled loop is tested against, and the one used on CUDA.
Nothing but the chosen actions is kept. Comes after `model`; `construct` and training call it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from .decoder import DecoderCache
from .model import Network
from .state import State


@dataclass(frozen=True, eq=False)
class Rollouts:
    """What B × K constructions chose."""

    actions: Tensor
    """int64 [B, K, T] tokens, see `batch`."""
    makespan: Tensor
    """float32 [B, K] on the batch's coordinates."""


def construct_routes(
    network: Network, cache: DecoderCache, permutations: Tensor, generator: torch.Generator | None = None
) -> Rollouts:
    """Rollouts of the encoded instances, one per vehicle order.

    `permutations`: int64 [K, M] or [B, K, M]. Greedy without `generator`; with it, every action is
    sampled from the policy. Takes no gradient.
    """
    with torch.inference_mode():
        state = State.start(cache.batch, permutations)
        chosen: list[Tensor] = []
        while not state.done:
            logits = network.decoder.logits(cache, state.decisions)  # [B, K, S]
            action = logits.argmax(dim=-1) if generator is None else _sample(logits, generator)
            chosen.append(action)
            state = state.step(action)
        actions, makespan = torch.stack(chosen, dim=-1), state.makespan
    return Rollouts(actions.clone(), makespan.clone())


def _sample(logits: Tensor, generator: torch.Generator) -> Tensor:
    """One token per row with the probabilities of `logits` [B, K, S]: the argmax of a Gumbel race."""
    waiting = torch.empty_like(logits).exponential_(generator=generator)
    return (logits - waiting.log()).argmax(dim=-1)


def stepwise_log_probabilities(
    network: Network, cache: DecoderCache, permutations: Tensor, actions: Tensor
) -> tuple[Tensor, Tensor]:
    """Log-probability of each action [B, K, T] and the makespan [B, K], one step at a time.

    The reference of `replay`. Raises `ValueError` when an action is not allowed.
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
