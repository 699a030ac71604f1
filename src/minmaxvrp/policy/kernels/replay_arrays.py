"""Tables, steps and scratch of the compiled `replay` as plain arrays; `compiled_replay` makes them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit.simd import WIDTH
from .arithmetic import BLOCK
from .rollout_arrays import Floats, Indices


class ReplayTables(NamedTuple):
    """The decoder's tables (see `DecoderCache`), or their gradients; float32, rows of E numbers."""

    fixed: Floats
    """[B, E]."""
    at_node: Floats
    """[B, S, E]."""
    by_vehicle: Floats
    """[B, M, E], or with the depots' rows and one of zeros behind."""
    glimpse_key: Floats
    """[B, S, E]."""
    glimpse_value: Floats
    """[B, S, E]."""
    logit_key: Floats
    """[B, S, E]."""
    feature_weight: Floats
    """[F, E]; as a gradient [B, F, E]."""
    distance_scalar: Floats
    """[1]; as a gradient [B]."""


class Steps(NamedTuple):
    """All steps of B × K rollouts, T filled up to a multiple of sixteen; float32 unless said otherwise."""

    x: Floats
    """[B, S] coordinates of the tokens."""
    y: Floats
    """[B, S]."""
    nearest: Floats
    """[B, S] one over the distance to the farthest token; 0 where all lie on one point."""
    current: Indices
    """int64 [B, K, T]."""
    vehicle: Indices
    """int64 [B, K, T] row of `by_vehicle`."""
    start: Indices
    """int64 [B, K, T] row of `by_vehicle` for the start depot; [B, K, 0] without."""
    features: Floats
    """[B, K, T, F]."""
    depots: Floats
    """[B, K, G, T] 0 for a depot token that may be chosen, else FORBIDDEN."""
    customers: Floats
    """[B, K, T] 0, or FORBIDDEN where a start depot is chosen first."""
    start_nearness: Floats
    """[B, K, G, T] nearness of the depots where a start is chosen, else 0; [B, K, 0, T] without."""
    chosen: Floats
    """[B, K, T] the action."""
    visit: Indices
    """int64 [B, K, N] the step that visits each customer."""
    weight: Floats
    """[B, K, T] what each log-probability counts in the loss."""


class Choices(NamedTuple):
    """What does not change from one instance to the next."""

    clip: float
    num_pairs: int
    chooses_start: bool
    """Whether a vehicle first chooses the depot it starts from."""
    hides_visited: bool
    """Whether the glimpse sees only the customers left."""
    biased: bool
    """Whether there is a distance bias."""


class StepVectors(NamedTuple):
    """E numbers for each of sixteen steps, in both orders."""

    across: Floats
    """[E · 16] a SIMD vector per component."""
    along: Floats
    """[16 · E] a row per step."""


class ReplayWorkspace(NamedTuple):
    """Scratch of one instance after the other, float32 unless said otherwise; C = S in whole blocks."""

    rows: Indices
    """int64 [C] where the tokens' rows of E numbers begin: customers, open depots, other depots."""
    mask: Floats
    """[C, 16] 0 or FORBIDDEN."""
    near: Floats
    """[C, 16] nearness."""
    scores: Floats
    """[C, 16] scores, then their gradient."""
    slopes: Floats
    """[C, 16] gradient of the attention's scores."""
    weights: Floats
    """[H, C · 16] of the attention."""
    query: StepVectors
    glimpse: StepVectors
    grad_glimpse: StepVectors
    """Gradient along the glimpse."""
    grad_query: StepVectors
    """Gradient along the query."""
    square: Floats
    """[16, 16] for transposing."""
    x: Floats
    """[16] coordinates of the current token."""
    y: Floats
    """[16]."""
    nearest: Floats
    """[16] as in `Steps`; 0 where a start depot is chosen."""
    step: Floats
    """[16] number of the step."""
    result: Floats
    """[16] scratch for one number of each step."""


def new_replay_workspace(num_tokens: int, embed: int) -> ReplayWorkspace:
    """Scratch for instances of so many tokens."""
    room = -(-num_tokens // BLOCK) * BLOCK

    def floats(*shape: int) -> NDArray[np.float32]:
        return np.empty(shape, dtype=np.float32)

    def vectors_of_steps() -> StepVectors:
        return StepVectors(floats(embed * WIDTH), floats(embed * WIDTH))

    vectors = room * WIDTH
    return ReplayWorkspace(
        rows=np.zeros(room, dtype=np.int64),
        mask=floats(vectors),
        near=floats(vectors),
        scores=floats(vectors),
        slopes=floats(vectors),
        weights=floats(embed // WIDTH, vectors),
        query=vectors_of_steps(),
        glimpse=vectors_of_steps(),
        grad_glimpse=vectors_of_steps(),
        grad_query=vectors_of_steps(),
        square=floats(WIDTH * WIDTH),
        x=floats(WIDTH),
        y=floats(WIDTH),
        nearest=floats(WIDTH),
        step=floats(WIDTH),
        result=floats(WIDTH),
    )
