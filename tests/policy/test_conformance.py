"""The network is the same function as the published programs: their vectors agree to 1e-5."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from minmaxvrp.policy.batch import Batch
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.published_weights import network_from_published
from minmaxvrp.policy.rollout import Backend, roll_out, stepwise_log_probabilities
from minmaxvrp.policy.teacher_forcing import forced_log_probabilities

Vectors = dict[str, NDArray[Any]]
RETURN_TO = {"mtsp": "start", "mpdp": "start", "mdvrp": "start", "fmdvrp": "any"}
TOLERANCE = 1e-5


def assert_close(ours: torch.Tensor, expected: NDArray[Any]) -> None:
    """Fail unless both agree to 1e-5 everywhere."""
    np.testing.assert_allclose(ours.detach().numpy(), expected, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.fixture(params=[(p, case) for p in RETURN_TO for case in ("wide", "idle")], ids="-".join)
def case(
    request: pytest.FixtureRequest, conformance: Callable[[str], Path]
) -> tuple[Network, Batch, Vectors]:
    """One case of one problem: our network with its weights, the instances, the expected vectors."""
    problem, name = request.param
    with np.load(conformance(problem), allow_pickle=False) as file:
        weights = {
            key.removeprefix("weights/"): file[key] for key in file.files if key.startswith("weights/")
        }
        vectors = {key.removeprefix(f"{name}/"): file[key] for key in file.files if key.startswith(name)}
    network = network_from_published(weights, RETURN_TO[problem])  # type: ignore[arg-type]
    batch = Batch(
        torch.from_numpy(vectors["depots"]),
        torch.from_numpy(vectors["customers"]),
        int(vectors["vehicles"]),
        form=network.config.form,
        return_to=network.config.return_to,
    )
    return network, batch, vectors


def test_encoder_outputs_agree(case: tuple[Network, Batch, Vectors]) -> None:
    """Embeddings of vehicles and nodes equal the published encoder's."""
    network, batch, vectors = case
    encoded = network.encode(batch)
    if "encoder/all" in vectors:
        expected_nodes = vectors["encoder/all"]
        expected_vehicles = expected_nodes[:, : batch.num_vehicles]
    else:
        expected_nodes, expected_vehicles = vectors["encoder/nodes"], vectors["encoder/vehicles"]
    assert_close(encoded.nodes, expected_nodes)
    assert_close(encoded.vehicles, expected_vehicles)


@pytest.mark.parametrize("kind", ["sampled", "greedy"])
def test_stepwise_log_probabilities_and_makespans_agree(
    case: tuple[Network, Batch, Vectors], kind: str
) -> None:
    """Each published action has the published log-probability, and the routes the same makespan."""
    network, batch, vectors = case
    permutations = torch.from_numpy(vectors["permutations"])
    actions = torch.from_numpy(vectors[f"{kind}_actions"])
    log_p, makespan = stepwise_log_probabilities(network, network(batch), permutations, actions)
    exclude = vectors.get(f"{kind}_exclude", np.zeros(actions.shape, dtype=bool))
    counted = torch.from_numpy(~exclude.astype(bool))
    assert_close(log_p[counted], vectors[f"{kind}_logp"][counted.numpy()])
    assert_close(makespan, vectors[f"{kind}_makespan"])


@pytest.mark.parametrize("kind", ["sampled", "greedy"])
def test_replayed_log_probabilities_agree(case: tuple[Network, Batch, Vectors], kind: str) -> None:
    """The one-pass replay gives each published action the published log-probability."""
    network, batch, vectors = case
    permutations = torch.from_numpy(vectors["permutations"])
    actions = torch.from_numpy(vectors[f"{kind}_actions"])
    log_p = forced_log_probabilities(network, network(batch), permutations, actions)
    exclude = vectors.get(f"{kind}_exclude", np.zeros(actions.shape, dtype=bool))
    counted = torch.from_numpy(~exclude.astype(bool))
    assert_close(log_p[counted], vectors[f"{kind}_logp"][counted.numpy()])


@pytest.mark.parametrize("backend", ["torch", "compiled"])
def test_greedy_actions_agree(case: tuple[Network, Batch, Vectors], backend: Backend) -> None:
    """Our greedy rollouts choose the published actions wherever no excluded cell led them astray."""
    network, batch, vectors = case
    permutations = torch.from_numpy(vectors["permutations"])
    rollouts = roll_out(network, batch, network.encode(batch), permutations, backend=backend)
    expected = vectors["greedy_actions"]
    exclude = vectors.get("greedy_exclude", np.zeros(expected.shape, dtype=bool))
    counted = ~exclude.astype(bool).any(axis=-1)
    assert counted.any()
    np.testing.assert_array_equal(rollouts.actions.numpy()[counted], expected[counted])
    assert_close(rollouts.makespan[torch.from_numpy(counted)], vectors["greedy_makespan"][counted])
