"""Items that train networks: equal CPU time, resumed, compared, and used by the figures."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from minmaxvrp.bench.paper.catalogue import Item, find_item
from minmaxvrp.bench.paper.make import make
from minmaxvrp.errors import InputError

from .test_paper import place_in

torch = pytest.importorskip("torch")

SMALL = [
    "customers=5",
    "vehicles=2",
    "steps=100",
    "batch_size=4",
    "piece_size=4",
    "rollouts=2",
    "network.num_layers=1",
    "network.embed=16",
    "network.hidden=16",
    "validate_every=1000",
    "validation_customers=5",
    "validation_vehicles=2",
    "validation_instances=2",
    "validation_reference=0",
    "checkpoint_every=1",
    "log_every=1",
]


def tiny(minutes: float) -> Item:
    """Two variants of a tiny network, trained for moments."""
    variants = {
        "dpn": "mtsp-tiny",
        "equity-transformer": "equity-transformer-mtsp50",
        "without-rotation-pe": "mtsp100-without-rotation-pe",
    }
    training = {"minutes": minutes, "seeds": [1], "variants": variants, "settings": SMALL}
    settings = {"problems": {"mtsp": "mtsp50"}, "limit": 1, "training": training}
    return replace(find_item("ablations"), settings=settings)


@pytest.mark.slow
def test_networks_are_trained_measured_resumed_and_used(tmp_path: Path) -> None:
    """One training of moments serves the table, the heat map and the attention picture."""
    from minmaxvrp.bench.paper.ablations import spent_minutes

    place = place_in(tmp_path)
    with pytest.raises(InputError, match="minmaxvrp paper ablations"):
        make(find_item("depot-position", quick=True), place)
    text = make(tiny(0.001), place)
    assert "| dpn | 1 |" in text
    assert "ablations-mtsp.svg" in text
    run = tmp_path / "training" / "ablations-0.001-minutes" / "mtsp-dpn-seed1"
    before = (run / "log.jsonl").read_bytes()
    assert spent_minutes(run) >= 0.001
    make(tiny(0.001), place)
    assert (run / "log.jsonl").read_bytes() == before

    heat = find_item("depot-position", quick=True)
    few = {"size": 8, "vehicles": 2, "blocks": 2, "per_block": 1, "seconds": 0.01}
    text = make(replace(heat, settings={**heat.settings, **few}), place)
    assert "| rotation |" in text
    assert "| sinusoidal |" in text
    assert (tmp_path / "depot-position.svg").is_file()

    scores = find_item("attention")
    networks = {"equity-transformer": "mtsp-equity-transformer-seed1", "dpn": "mtsp-dpn-seed1"}
    shape = {"size": 8, "vehicles": 3, "networks": networks}
    text = make(replace(scores, settings={**scores.settings, **shape}), place)
    assert "| equity-transformer | all tokens |" in text
    assert "| dpn | customers to vehicles |" in text


def test_a_network_is_trained_for_its_cpu_time_once(tmp_path: Path) -> None:
    """A second call finds it trained; another time limit is another run."""
    from minmaxvrp.bench.paper.ablations import spent_minutes, train_all

    item, place = tiny(0.0005), place_in(tmp_path)
    training = {**item.settings["training"], "variants": {"dpn": "mtsp-tiny"}}
    item = replace(item, settings={**item.settings, "training": training})
    (weights,) = train_all(item, place).values()
    before = weights.stat().st_mtime_ns
    assert spent_minutes(weights.parent) >= 0.0005
    assert train_all(item, place) == {"mtsp-dpn-seed1": weights}
    assert weights.stat().st_mtime_ns == before


def test_attention_after_the_softmax_sums_to_one(tmp_path: Path) -> None:
    """For every query, over the keys it sees."""
    from minmaxvrp.bench.paper.attention import scores

    item = find_item("attention")
    for raw, soft in scores(item, "mtsp").values():
        assert raw.shape == soft.shape
        np.testing.assert_allclose(soft.sum(-1).numpy(), 1.0, rtol=1e-4)


def test_training_speed_is_measured() -> None:
    """CPU seconds per instance of the smallest preset."""
    from minmaxvrp.bench.paper.times import seconds_per_instance

    assert seconds_per_instance("mtsp-tiny") > 0
