"""Every rollout of every problem is feasible and measured right."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from minmaxvrp.policy.rollout import Backend, roll_out, roll_out_torch, stepwise_log_probabilities
from minmaxvrp.policy.state import State
from minmaxvrp.policy.tokens import TokenMap, batch_of, unit_square
from minmaxvrp.problem.check import makespan, violations
from minmaxvrp.problem.instance import Instance

from .problems import KINDS, random_batch, random_instance, random_orders, small_network

NETWORKS = {kind: small_network(kind) for kind in KINDS}


def assert_feasible(instance: Instance, actions: torch.Tensor, expected: torch.Tensor) -> None:
    """Each rollout [K, T] passes the checker, and its makespan [K] is the checker's."""
    token_map = TokenMap.of(instance, NETWORKS[instance.problem].config.form)
    for row, length in zip(actions.numpy(), expected.tolist(), strict=True):
        solution = token_map.solution(row)
        assert violations(instance, solution) == []
        assert len(solution.routes) == instance.num_vehicles
        assert makespan(instance, solution) == pytest.approx(length, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("backend", ["torch", "compiled"])
@pytest.mark.parametrize("kind", list(KINDS))
@settings(max_examples=20)
@given(
    seed=st.integers(0, 10_000),
    customers=st.integers(1, 12),
    vehicles=st.integers(1, 7),
    depots=st.integers(2, 5),
    crowded=st.booleans(),
    sampled=st.booleans(),
)
def test_every_rollout_passes_check_with_the_states_makespan(
    kind: str,
    backend: Backend,
    seed: int,
    customers: int,
    vehicles: int,
    depots: int,
    crowded: bool,
    sampled: bool,
) -> None:
    """Sampled or greedy, few or many vehicles, points apart or identical: feasible, measured right."""
    instance = random_instance(kind, np.random.default_rng(seed), customers, vehicles, depots)
    points = (
        instance.coordinates.round() if crowded else instance.coordinates
    )  # the corners alone, or anywhere
    instance = replace(instance, coordinates=unit_square(points))
    token_map = TokenMap.of(instance, NETWORKS[kind].config.form)
    batch = batch_of([token_map])
    orders = random_orders(vehicles, 5, seed)
    encoded = NETWORKS[kind].encode(batch)
    drawn = seed if sampled else None
    rollouts = roll_out(NETWORKS[kind], batch, encoded, orders, sample_seed=drawn, backend=backend)
    assert_feasible(instance, rollouts.actions[0], rollouts.makespan[0])


@pytest.mark.parametrize("kind", list(KINDS))
def test_identical_points_give_finite_probabilities(kind: str) -> None:
    """With all points in one place the distance row is 0/0; it must count as 0, not as NaN."""
    network, batch = NETWORKS[kind], random_batch(kind, 2, 6, 3)
    batch.customers[:] = 0.5
    batch.depots[:] = 0.5
    rollouts = roll_out_torch(network, network(batch), random_orders(3, 4))
    log_p, length = stepwise_log_probabilities(network, network(batch), random_orders(3, 4), rollouts.actions)
    assert log_p.isfinite().all()
    assert (length == 0).all()


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("choices", [{}, {"context_head": True}, {"encoder": "pn-no-navigation"}])
def test_backends_choose_the_same_actions(kind: str, choices: dict[str, object]) -> None:
    """The compiled loop and the torch loop agree, greedy and sampled with the same numbers."""
    network, batch = small_network(kind, 3, **choices), random_batch(kind, 3, 10, 4)
    encoded, orders = network.encode(batch), random_orders(4, 17)
    for seed in (None, 5):
        ours = roll_out(network, batch, encoded, orders, sample_seed=seed, backend="compiled")
        reference = roll_out(network, batch, encoded, orders, sample_seed=seed, backend="torch")
        same = (ours.actions == reference.actions).all(dim=-1)
        assert same.float().mean() > 0.95  # a draw on the edge of two tokens may fall either way
        torch.testing.assert_close(ours.makespan[same], reference.makespan[same])


def test_sampling_follows_the_probabilities() -> None:
    """Over many draws the first action has the frequencies of the policy."""
    network, batch = NETWORKS["mtsp"], random_batch("mtsp", 1, 6, 2)
    cache = network(batch)
    orders = torch.tensor([[0, 1]]).repeat(4000, 1)
    first = roll_out_torch(network, cache, orders, 1).actions[0, :, 0]
    state = State.start(batch, orders[:1])
    expected = network.decoder.logits(cache, state.decisions).softmax(dim=-1)[0, 0].detach()
    found = torch.bincount(first, minlength=8) / 4000
    assert expected.max() < 0.9
    assert (found - expected).abs().max() < 0.03  # about four standard deviations


def test_sampling_repeats_with_its_seed() -> None:
    """Same seed, same samples; another seed, others."""
    network, batch = NETWORKS["fmdvrp"], random_batch("fmdvrp", 2, 9, 3)
    encoded, orders = network.encode(batch), random_orders(3, 4)
    runs = [roll_out(network, batch, encoded, orders, sample_seed=s).actions for s in (1, 1, 2)]
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


@pytest.mark.parametrize("backend", ["torch", "compiled"])
@pytest.mark.parametrize("return_to", ["start", "any"])
def test_start_depots_keep_their_number_of_vehicles(backend: Backend, return_to: str) -> None:
    """A depot whose vehicles have all started is no longer offered."""
    kind = "mdvrp" if return_to == "start" else "fmdvrp"
    rng = np.random.default_rng(4)
    instance = random_instance(kind, rng, 8, 4, 3, vehicles_per_depot=np.array([1, 0, 3]))
    batch = batch_of([TokenMap.of(instance, "multi")])
    network = NETWORKS[kind]
    rollouts = roll_out(
        network, batch, network.encode(batch), random_orders(4, 40), sample_seed=1, backend=backend
    )
    assert_feasible(instance, rollouts.actions[0], rollouts.makespan[0])


def test_step_leaves_the_state_as_it_was() -> None:
    """A step returns a new state and changes nothing of the old one."""
    batch = random_batch("mpdp", 2, 6, 2)
    state = State.start(batch, random_orders(2, 3))
    before = {name: value.clone() for name, value in vars(state).items() if isinstance(value, torch.Tensor)}
    after = state.step(state.allowed.int().argmax(dim=-1))
    assert after.steps == 1
    for name, value in before.items():
        assert torch.equal(getattr(state, name), value)


def test_a_route_never_closes_with_an_open_delivery() -> None:
    """Request 0 counts as well: after its pickup alone, closing is not allowed."""
    batch = random_batch("mpdp", 1, 6, 2)
    state = State.start(batch, torch.tensor([[0, 1]]))
    for request in range(3):
        picked = state.step(torch.tensor([[2 + request]]))
        assert not picked.allowed[0, 0, 0]
        assert picked.allowed[0, 0, 2 + 3 + request]
        assert picked.step(torch.tensor([[2 + 3 + request]])).allowed[0, 0, 0]


def test_the_left_feature_lags_one_step() -> None:
    """The reach of the customers left still counts the one just visited; the number left does not."""
    batch = random_batch("mtsp", 1, 4, 2)
    far = int(batch.reach[0].argmax())
    state = State.start(batch, torch.tensor([[0, 1]])).step(torch.tensor([[2 + far]]))
    assert state.features[0, 0, 1] == 0.75
    assert state.left_reach[0, 0] == batch.reach.max()
    other = (far + 1) % 4
    later = state.step(torch.tensor([[2 + other]]))
    assert later.left_reach[0, 0] == batch.reach[0, torch.arange(4) != far].max()


@pytest.mark.parametrize("backend", ["compiled", "torch"])
def test_a_low_temperature_draws_what_greedy_chooses(backend: Backend) -> None:
    """Near 0 every draw is the most likely token; at 1 draws differ from it."""
    network, batch = NETWORKS["mtsp"], random_batch("mtsp", 2, 9, 3)
    encoded, orders = network.encode(batch), random_orders(3, 16)
    greedy = roll_out(network, batch, encoded, orders, backend=backend).actions
    cold, warm = (
        roll_out(network, batch, encoded, orders, sample_seed=1, temperature=t, backend=backend).actions
        for t in (1e-4, 1.0)
    )
    assert (cold == greedy).all(dim=-1).float().mean() > 0.9  # near ties may fall either way
    assert (warm == greedy).all(dim=-1).float().mean() < 0.5
