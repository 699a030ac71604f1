"""The compiled rollouts are the network's: they agree with the published vectors and with the torch loop."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from minmaxvrp.errors import InternalError
from minmaxvrp.policy.batch import Batch
from minmaxvrp.policy.encoder import Encoded
from minmaxvrp.policy.kernels.group import roll_out_group
from minmaxvrp.policy.kernels.rollouts import CompiledRollouts, roll_out_compiled
from minmaxvrp.policy.kernels.single import roll_out_single
from minmaxvrp.policy.kernels.tables import batch_arrays, precompute_tables
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.policy_config import Form, PolicyConfig
from minmaxvrp.policy.published_weights import network_from_published
from minmaxvrp.policy.state import State

Vectors = dict[str, NDArray[Any]]
RETURN_TO = {"mtsp": "start", "mpdp": "start", "mdvrp": "start", "fmdvrp": "any"}
TOLERANCE = 1e-5


def compiled(
    network: Network, encoded: Encoded, batch: Batch, orders: Any, **options: Any
) -> CompiledRollouts:
    """Precompute the tables and roll out."""
    return roll_out_compiled(
        precompute_tables(network.decoder, encoded, batch), batch_arrays(batch), np.asarray(orders), **options
    )


def tiny_network(form: Form, seed: int, **fields: Any) -> Network:
    """A small random network whose logits are spread, but not so far that the tanh saturates."""
    sizes = {"embed": 32, "num_layers": 1, "num_heads": 4, "hidden": 16}
    config = PolicyConfig(form=form, **(sizes | fields))
    network = Network.initialised(config, seed)
    with torch.no_grad():
        network.decoder.out.weight *= 0.3
    return network.eval()


def random_batch(form: Form, size: int, num_customers: int, num_vehicles: int, seed: int) -> Batch:
    """Random instances; three depots where the form has several."""
    generator = torch.Generator().manual_seed(seed)
    return Batch(
        torch.rand(size, 3 if form == "multi" else 1, 2, generator=generator),
        torch.rand(size, num_customers, 2, generator=generator),
        num_vehicles,
        form=form,
    )


def shuffled(num_rollouts: int, num_vehicles: int, seed: int) -> NDArray[np.int64]:
    """Vehicle orders [K, M]."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(num_vehicles) for _ in range(num_rollouts)])


@pytest.fixture(params=[(p, case) for p in RETURN_TO for case in ("wide", "idle")], ids="-".join)
def published(
    request: pytest.FixtureRequest, conformance: Callable[[str], Path]
) -> tuple[Network, Batch, Encoded, Vectors]:
    """One published case: network, instances, the encoder's output and what the rollouts must give."""
    problem, name = request.param
    with np.load(conformance(problem), allow_pickle=False) as file:
        weights = {k.removeprefix("weights/"): file[k] for k in file.files if k.startswith("weights/")}
        vectors = {k.removeprefix(f"{name}/"): file[k] for k in file.files if k.startswith(name)}
    network = network_from_published(weights, RETURN_TO[problem])  # type: ignore[arg-type]
    depots, customers = torch.from_numpy(vectors["depots"]), torch.from_numpy(vectors["customers"])
    config, num_vehicles = network.config, int(vectors["vehicles"])
    batch = Batch(depots, customers, num_vehicles, form=config.form, return_to=config.return_to)
    nodes = torch.from_numpy(vectors["encoder/all" if "encoder/all" in vectors else "encoder/nodes"])
    vehicles = nodes[:, :num_vehicles]
    if "encoder/vehicles" in vectors:
        vehicles = torch.from_numpy(vectors["encoder/vehicles"])
    return network, batch, Encoded(vehicles, nodes), vectors


@pytest.mark.parametrize("kind", ["sampled", "greedy"])
def test_published_actions_have_the_published_log_probabilities(
    published: tuple[Network, Batch, Encoded, Vectors], kind: str
) -> None:
    """Replayed actions agree in log-probability and makespan to 1e-5."""
    network, batch, encoded, vectors = published
    actions = vectors[f"{kind}_actions"]
    orders = vectors["permutations"]
    found = compiled(network, encoded, batch, orders, given=actions, log_probability=True)
    assert found.log_probability is not None
    counted = ~vectors.get(f"{kind}_exclude", np.zeros(actions.shape, dtype=bool))
    expected = vectors[f"{kind}_logp"]
    np.testing.assert_allclose(found.log_probability[counted], expected[counted], atol=TOLERANCE)
    np.testing.assert_allclose(found.makespan, vectors[f"{kind}_makespan"], atol=TOLERANCE)


def test_greedy_rollouts_are_the_published_ones(published: tuple[Network, Batch, Encoded, Vectors]) -> None:
    """Greedy decoding from the published embeddings chooses the published actions."""
    network, batch, encoded, vectors = published
    found = compiled(network, encoded, batch, vectors["permutations"])
    expected = vectors["greedy_actions"]
    counted = ~vectors.get("greedy_exclude", np.zeros(expected.shape, dtype=bool)).any(axis=-1)
    np.testing.assert_array_equal(found.actions[counted], expected[counted])
    np.testing.assert_allclose(found.makespan[counted], vectors["greedy_makespan"][counted], atol=TOLERANCE)


def assert_equals_torch_loop(network: Network, batch: Batch, orders: NDArray[np.int64], seed: int) -> None:
    """Fail unless rollouts are legal, greedy ones best, and all probabilities those of the torch loop."""
    with torch.inference_mode():
        encoded = network.encode(batch)
        cache = network.decoder.precompute(encoded, batch)
        greedy = compiled(network, encoded, batch, orders, log_probability=True)
        sampled = compiled(network, encoded, batch, orders, sample_seed=seed, log_probability=True)
        for found, is_greedy in ((greedy, True), (sampled, False)):
            state = State.start(batch, torch.from_numpy(orders))
            for step in range(batch.num_steps):
                log_p = network.decoder.logits(cache, state.decisions).log_softmax(dim=-1)  # [B, K, S]
                action = torch.from_numpy(found.actions[..., step].astype(np.int64))
                chosen = log_p.gather(2, action.unsqueeze(-1)).squeeze(-1).numpy()
                assert found.log_probability is not None
                np.testing.assert_allclose(found.log_probability[..., step], chosen, atol=2e-4)
                if is_greedy:  # ties, as between identical points, may go either way
                    np.testing.assert_allclose(chosen, log_p.amax(dim=-1).numpy(), atol=2e-4)
                state = state.step(action)
            assert state.done
            np.testing.assert_allclose(found.makespan, state.makespan.numpy(), atol=TOLERANCE)
        replayed = compiled(network, encoded, batch, orders, given=sampled.actions, log_probability=True)
        np.testing.assert_array_equal(replayed.log_probability, sampled.log_probability)


@settings(max_examples=25)
@given(
    form=st.sampled_from(["single", "pairs", "multi"]),
    half=st.integers(1, 9),
    num_vehicles=st.integers(1, 12),
    num_rollouts=st.integers(1, 19),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans()),
    seed=st.integers(0, 1000),
)
def test_rollouts_equal_the_torch_loop(
    form: Form, half: int, num_vehicles: int, num_rollouts: int, flags: tuple[bool, ...], seed: int
) -> None:
    """Any size and rule gives the same rollouts: more vehicles than customers, identical points, limits."""
    anywhere, one_point, limited, alone = flags
    batch = random_batch(form, 2, 2 * half, num_vehicles, seed)
    if one_point:
        batch = replace(batch, customers=batch.depots[:, :1].expand(-1, 2 * half, -1).contiguous())
    if form == "multi":
        limits = torch.tensor([[num_vehicles // 2, 0, (num_vehicles + 1) // 2]] * 2) if limited else None
        batch = replace(batch, return_to="any" if anywhere else "start", vehicles_per_depot=limits)
    network = tiny_network(form, seed, num_heads=2 if alone else 4)
    assert_equals_torch_loop(network, batch, shuffled(num_rollouts, num_vehicles, seed), seed)


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ("single", {"context_head": True}),
        ("single", {"context_head": True, "num_heads": 2}),
        ("single", {"encoder": "equity", "position": "sinusoidal", "depot_token": True}),
        ("single", {"distance_bias": False, "tanh_clip": 10.0}),
        ("pairs", {"encoder": "equity", "position": "sinusoidal", "depot_token": True, "num_heads": 2}),
        ("multi", {"encoder": "pn-no-navigation"}),
        ("multi", {"start_context": True}),
        ("multi", {"start_context": True, "context_head": True, "num_heads": 2}),
        ("single", {"masked_glimpse": True}),
        ("pairs", {"masked_glimpse": True}),
        ("pairs", {"masked_glimpse": True, "num_heads": 2}),
        ("multi", {"masked_glimpse": True, "start_context": True, "num_heads": 2}),
        (
            "pairs",
            {"masked_glimpse": True, "encoder": "equity", "position": "sinusoidal", "depot_token": True},
        ),
    ],
)
def test_variants_equal_the_torch_loop(form: Form, fields: dict[str, Any]) -> None:
    """Context head, start depot, masked glimpse, extra token, no distance bias, another clip: as torch."""
    batch = random_batch(form, 2, 14, 3, 5)
    assert_equals_torch_loop(tiny_network(form, 5, **fields), batch, shuffled(5, 3, 5), 5)


def test_threads_and_company_do_not_change_a_rollout() -> None:
    """One thread or three, alone or in a batch, a sampled rollout with the same chances is the same."""
    batch = random_batch("single", 3, 21, 4, 7)
    network, orders = tiny_network("single", 7), shuffled(18, 4, 7)
    with torch.inference_mode():
        encoded = network.encode(batch)
    one, three = (compiled(network, encoded, batch, orders, sample_seed=3, threads=t) for t in (1, 3))
    np.testing.assert_array_equal(one.actions, three.actions)
    other = compiled(network, encoded, batch, orders, sample_seed=4)
    assert (one.actions != other.actions).any()
    alone = Batch(batch.depots[1:2], batch.customers[1:2], 4)
    part = Encoded(encoded.vehicles[1:2], encoded.nodes[1:2])
    greedy = compiled(network, encoded, batch, orders), compiled(network, part, alone, orders)
    np.testing.assert_array_equal(greedy[0].actions[1], greedy[1].actions[0])


@pytest.mark.parametrize(("size", "num_rollouts"), [(1, 8000), (2000, 4)], ids=["together", "alone"])
def test_samples_follow_the_policy(size: int, num_rollouts: int) -> None:
    """The first token of 8,000 sampled rollouts has the frequencies that their log-probabilities say."""
    one = random_batch("single", 1, 6, 2, 11)
    batch = Batch(one.depots.expand(size, -1, -1), one.customers.expand(size, -1, -1), 2)
    network = tiny_network("single", 11, tanh_clip=3.0, num_heads=2)
    orders = np.tile([[0, 1]], (num_rollouts, 1))
    with torch.inference_mode():
        encoded = network.encode(batch)
    found = compiled(network, encoded, batch, orders, sample_seed=1, log_probability=True)
    assert found.log_probability is not None
    first, chance = found.actions[..., 0].ravel(), np.exp(found.log_probability[..., 0].ravel())
    for token in np.unique(first):
        expected = float(chance[first == token][0])
        assert np.mean(first == token) == pytest.approx(expected, abs=4 * math.sqrt(expected / 8000))
    assert sum(chance[first == t][0] for t in np.unique(first)) == pytest.approx(1.0, abs=0.02)


def test_each_instance_may_have_its_own_orders() -> None:
    """Orders [B, K, M] are used instance by instance."""
    batch = random_batch("single", 2, 9, 4, 13)
    network = tiny_network("single", 13)
    with torch.inference_mode():
        encoded = network.encode(batch)
    orders = np.stack([shuffled(3, 4, 1), shuffled(3, 4, 2)])
    both = compiled(network, encoded, batch, orders)
    for b in range(2):
        shared_orders = compiled(network, encoded, batch, orders[b])
        np.testing.assert_array_equal(both.actions[b], shared_orders.actions[b])


def test_a_forbidden_token_is_refused_in_replay() -> None:
    """Visiting a customer twice, or a token that does not exist, raises and names the step."""
    batch = random_batch("single", 1, 5, 2, 17)
    network = tiny_network("single", 17)
    with torch.inference_mode():
        encoded = network.encode(batch)
    legal = compiled(network, encoded, batch, [[0, 1]]).actions
    for wrong in (legal[0, 0, 0], 7, -1):
        actions = legal.copy()
        actions[0, 0, 1] = wrong
        with pytest.raises(ValueError, match="step 1 of instance 0"):
            compiled(network, encoded, batch, [[0, 1]], given=actions)


def test_weights_that_are_not_numbers_raise() -> None:
    """A network full of NaN is an error, not a crash or a made-up route."""
    batch = random_batch("single", 1, 5, 2, 19)
    network = tiny_network("single", 19)
    with torch.inference_mode():
        encoded = network.encode(batch)
    broken = Encoded(encoded.vehicles * float("nan"), encoded.nodes * float("nan"))
    for options in ({}, {"sample_seed": 1}):
        with pytest.raises(InternalError, match="finite"):
            compiled(network, broken, batch, [[0, 1]], **options)


def test_an_embedding_that_does_not_fit_is_refused() -> None:
    """The kernels read sixteen numbers at a time; another size is an error, not a wrong answer."""
    batch = random_batch("single", 1, 5, 2, 23)
    network = Network.initialised(PolicyConfig(embed=24, num_layers=1, num_heads=4, hidden=16), 23)
    with torch.inference_mode(), pytest.raises(ValueError, match="multiple of 16"):
        precompute_tables(network.decoder, network.encode(batch), batch)


def test_one_compilation_serves_every_problem() -> None:
    """All forms hand the kernels the same types, so that each is compiled once."""
    for form in ("single", "pairs", "multi"):
        batch = random_batch(form, 2, 6, 3, 29)
        choices = {"context_head": form == "single", "start_context": form == "multi"}
        network = tiny_network(form, 29, num_heads=2, **choices)
        with torch.inference_mode():
            encoded = network.encode(batch)
        for count in (3, 17):
            compiled(network, encoded, batch, shuffled(count, 3, 1), sample_seed=1)
            compiled(network, encoded, batch, np.tile(np.arange(3), (count, 1)), log_probability=True)
    assert len(roll_out_group.signatures) == len(roll_out_single.signatures) == 1  # type: ignore[attr-defined]
