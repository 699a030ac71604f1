"""Imitation and what the network is taught from them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from minmaxvrp.errors import InputError
from minmaxvrp.policy.network import Network
from minmaxvrp.policy.rollout import stepwise_log_probabilities
from minmaxvrp.policy.tokens import TokenMap
from minmaxvrp.problem import check
from minmaxvrp.training import labels
from minmaxvrp.training.batches import make_batch
from minmaxvrp.training.imitation import Imitation, match_routes, random_copies, write_actions
from minmaxvrp.training.labels import SHARD, label_folder, load_shard, make_shard, save_shard, shard_path
from minmaxvrp.training.loop import train
from minmaxvrp.training.random_instances import Pieces, make_instance
from minmaxvrp.training.run import read_log

from .small import FORMS, small_config
from .test_loop import assert_same_state


@pytest.mark.parametrize("form", FORMS)
def test_labels_are_feasible_rollouts_of_the_makespan_they_claim(form: str) -> None:
    """Every copy, order and direction drives the label's routes: checked by the state and by the checker."""
    config = small_config(form, imitation_orders=3, vehicles=[3, 3])
    shard = make_shard(config, 4)
    rng = np.random.default_rng(1)
    chosen = rng.permutation(SHARD)[:5]
    points = random_copies(shard.points[chosen], rng)
    orders, actions = write_actions(shard, chosen, points, config, rng)
    batch = make_batch(points, shard.shape, config.network)
    network = Network.initialised(config.network, 1)
    _, makespan = stepwise_log_probabilities(
        network, network(batch), torch.from_numpy(orders), torch.from_numpy(actions)
    )
    assert np.allclose(makespan.numpy(), shard.makespan[chosen][:, None], rtol=1e-5)
    for b, row in enumerate(chosen):
        instance = make_instance(shard.points[row], shard.shape, config.network)
        for k in range(3):
            solution = TokenMap.of(instance, config.network.form).solution(actions[b, k])
            assert check.violations(instance, solution) == []
            assert check.makespan(instance, solution) == pytest.approx(shard.makespan[row])


def test_a_vehicle_drives_the_same_route_in_every_order() -> None:
    """Vehicle v closes the same set of customers whenever its turn is."""
    config = small_config(imitation_orders=6, vehicles=[3, 3])
    shard = make_shard(config, 0)
    rng = np.random.default_rng(1)
    chosen = np.arange(4)
    orders, actions = write_actions(shard, chosen, shard.points[chosen], config, rng)
    for b in range(4):
        seen: dict[int, set[frozenset[int]]] = {}
        for k in range(6):
            stops = np.flatnonzero(actions[b, k] < 3)
            for turn, (first, last) in enumerate(zip([-1, *stops[:-1]], stops, strict=True)):
                route = frozenset(actions[b, k, first + 1 : last].tolist())
                assert actions[b, k, last] == orders[b, k, turn]
                seen.setdefault(int(orders[b, k, turn]), set()).add(route)
        assert all(len(routes) == 1 for routes in seen.values())


def test_routes_go_to_vehicles_by_angle_around_the_depot() -> None:
    """By hand: centres to the left, to the right and above the depot; an unused vehicle comes last."""
    points = np.array([[[0.5, 0.5], [0.1, 0.4], [0.9, 0.5], [0.5, 0.9]]])
    nodes = np.array([[0, 3, 0, 0, 0, 0, 1, 0, 0, 2, 0]])  # routes: above, none, left-below, right
    assert match_routes(nodes, points, 1, 4).tolist() == [[2, 3, 0, 1]]


def test_directions_are_turned_only_without_pairs() -> None:
    """With pairs the pickup must stay first; without, both directions occur."""
    for form, count in (("mpdp", 1), ("mtsp", 2)):
        config = small_config(form, imitation_orders=40, vehicles=[2, 2])
        shard = make_shard(config, 0)
        _, actions = write_actions(shard, np.array([0]), shard.points[:1], config, np.random.default_rng(1))
        found: dict[frozenset[int], set[tuple[int, ...]]] = {}
        for row in actions[0]:
            stops = np.flatnonzero(row < 2)
            for first, last in zip([-1, *stops[:-1]], stops, strict=True):
                route = tuple(row[first + 1 : last].tolist())
                found.setdefault(frozenset(route), set()).add(route)
        assert max(len(ways) for ways in found.values()) == count


def test_the_gradient_leads_to_more_likely_labels(tmp_path: Path) -> None:
    """A step against the gradient that imitating a piece leaves lowers the loss of that piece."""
    config = small_config(imitation_steps=1, imitation_orders=2, label_folder=str(tmp_path))
    for index in range(labels.ready_shards(config, 0)):
        save_shard(shard_path(label_folder(config), index), make_shard(config, index))
    network = Network.initialised(config.network, 2)
    learnt = Imitation(config, None).imitate(network, 0, 0, 0, Pieces(3, 3), 1.0)
    found = {n: p.grad.clone() for n, p in network.named_parameters() if p.grad is not None}
    small = learnt.loss
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name in found:
                parameter.sub_(found[name], alpha=1e-2)
    assert Imitation(config, None).imitate(network, 0, 0, 0, Pieces(3, 3), 1.0).loss < small


def test_a_shard_depends_on_its_number_alone_and_survives_the_disk(tmp_path: Path) -> None:
    """Made twice it is the same; read back it is the same; cut off it is not there and will be made again."""
    config = small_config("fmdvrp")
    one, two = make_shard(config, 3), make_shard(config, 3)
    path = shard_path(tmp_path, 3)
    save_shard(path, one)
    back = load_shard(path)
    assert back is not None
    for other in (two, back):
        assert one.shape == other.shape
        for field in ("points", "nodes", "makespan"):
            assert np.array_equal(getattr(one, field), getattr(other, field))
    path.write_bytes(path.read_bytes()[:200])
    assert load_shard(path) is None
    assert load_shard(shard_path(tmp_path, 99)) is None


def test_a_damaged_shard_is_made_again(tmp_path: Path) -> None:
    """The file is whole afterwards."""
    config = small_config(label_folder=str(tmp_path))
    path = shard_path(label_folder(config), 2)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"half a shard")
    made = labels.wait_for_shard(config, 2, None)
    back = load_shard(path)
    assert back is not None
    assert np.array_equal(back.nodes, made.nodes)


def test_runs_share_labels_only_when_they_ask_the_same() -> None:
    """The folder's name depends on what is solved and how well, not on how it is learnt."""
    config = small_config()
    assert label_folder(small_config(learning_rate=1e-2)) == label_folder(config)
    for change in ({"customers": [7, 8]}, {"label_iterations": 51}, {"seed": 2}, {"vehicles": [2, 4]}):
        assert label_folder(small_config(**change)) != label_folder(config)


def test_the_labels_in_use_grow_with_what_was_imitated() -> None:
    """By hand: batch 6 needs one shard; every 8 uses of 16 labels bring one more."""
    config = small_config(label_reuse=8)
    assert [labels.ready_shards(config, seen) for seen in (0, 127, 128, 1280)] == [1, 1, 2, 11]


def test_a_failing_worker_is_told(tmp_path: Path) -> None:
    """A folder that cannot be made stops the run with the reason."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    config = small_config(imitation_steps=2, label_folder=str(blocked))
    with pytest.raises(InputError, match=r"a label worker failed: .*cannot be made"):
        train(config, tmp_path / "run")


def test_imitation_resumes_to_the_same_bits_with_labels_made_in_between(tmp_path: Path) -> None:
    """Imitation steps among REINFORCE steps, cut and resumed with an empty label cache."""
    changes: dict[str, Any] = {
        "imitation_steps": 2,
        "imitation_share": 0.5,
        "shapes": "piece",
        "label_reuse": 1,
    }
    config = small_config(label_folder=str(tmp_path / "one"), **changes)
    train(config, tmp_path / "whole")
    other = small_config(label_folder=str(tmp_path / "two"), **changes)
    train(other, tmp_path / "cut", minutes=0.0)
    train(other, tmp_path / "cut", resume=True)
    assert_same_state(tmp_path / "whole", tmp_path / "cut")
    kinds = {entry.get("kind") for entry in read_log(tmp_path / "cut")}
    assert {"imitation", "reinforce"} <= kinds
