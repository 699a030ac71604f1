"""Items that train networks: equal CPU time, resumed, compared, and used by the figures."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from minmaxvrp.bench.paper.catalogue import Item, find_item
from minmaxvrp.bench.paper.equal_training import networks
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
    settings: dict[str, object] = {
        "problems": {"mtsp": "mtsp8"},
        "vehicles": [2, 3],
        "limit": 2,
        "seconds": 0.01,
    }
    settings["training"] = training
    return replace(find_item("ablations"), settings=settings)


def test_the_first_steps_freeze_no_network() -> None:
    """The deepest joint encoder still has a gradient: without a warm-up its first step ends all learning."""
    from minmaxvrp.policy.network import Network
    from minmaxvrp.training.loop import explore
    from minmaxvrp.training.optimiser import Optimiser
    from minmaxvrp.training.random_instances import Pieces

    (one,) = (n for n in networks(find_item("ablations")) if n.run == "mpdp-without-pn-encoder-seed2")
    network = Network.initialised(one.config.network, one.config.seed)
    optimiser = Optimiser(network, one.config)
    norms = []
    for step in range(4):
        optimiser.zero_gradient()
        explore(network, one.config, step, 0, Pieces(one.config.batch_size, one.config.piece_size), 1.0)
        norms.append(optimiser.gradient_norm())
        optimiser.step(step)
    assert min(norms) > 1.0


@pytest.mark.slow
def test_networks_are_trained_measured_resumed_and_used(tmp_path: Path) -> None:
    """One training of moments serves the table, the heat map and the attention picture."""
    from minmaxvrp.bench.paper.equal_training import spent_minutes

    place = place_in(tmp_path)
    with pytest.raises(InputError, match="minmaxvrp paper ablations"):
        make(find_item("depot-position", quick=True), place)
    text = make(tiny(0.001), place)
    assert "| dpn | 1 |" in text
    assert "one seed does not tell whether by chance" in text
    assert "ablations-mtsp.svg" in text
    run = tmp_path / "training" / "ablations" / "mtsp-dpn-seed1"
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
    assert "CPU min | all tokens |" in text
    assert "| dpn, 0.00" in text
    assert "CPU min | customers to vehicles |" in text


def one_network(minutes: float, each: float = 1.0) -> Item:
    """The tiny DPN alone, in rounds of `each` minutes."""
    item = tiny(minutes)
    training = {**item.settings["training"], "variants": {"dpn": "mtsp-tiny"}, "round": each}
    return replace(item, settings={**item.settings, "training": training})


def test_a_network_is_trained_for_its_cpu_time_once(tmp_path: Path) -> None:
    """A second call finds it trained; more minutes train it further."""
    from minmaxvrp.bench.paper.equal_training import spent_minutes, train_all

    place = place_in(tmp_path)
    (weights,) = train_all(one_network(0.0005), place).values()
    before = weights.stat().st_mtime_ns
    assert spent_minutes(weights.parent) >= 0.0005
    assert train_all(one_network(0.0005), place) == {"mtsp-dpn-seed1": weights}
    assert weights.stat().st_mtime_ns == before
    longer = spent_minutes(weights.parent) + 0.0005
    train_all(one_network(longer), place)
    assert spent_minutes(weights.parent) >= longer


def test_a_log_without_its_checkpoints_begins_anew(tmp_path: Path) -> None:
    """As in a clone of the repository, where logs are committed and weights are not."""
    from minmaxvrp.bench.paper.equal_training import spent_minutes, train_all

    folder = tmp_path / "training" / "ablations" / "mtsp-dpn-seed1"
    folder.mkdir(parents=True)
    (folder / "log.jsonl").write_text('{"step": 7, "instances": 70, "cpu_seconds": 600.0}\n')
    assert spent_minutes(folder) == 0.0
    train_all(one_network(0.0005), place_in(tmp_path))
    assert 600.0 > 60.0 * spent_minutes(folder) > 0.0


def test_training_in_rounds_ends_at_the_minutes_asked() -> None:
    """The last round is shorter where they do not divide."""
    from minmaxvrp.bench.paper.equal_training import rounds

    assert rounds(5.0, 2.0) == [2.0, 4.0, 5.0]
    assert rounds(3.0, 1.0) == [1.0, 2.0, 3.0]
    assert rounds(0.5, 2.0) == [0.5]


def test_every_network_has_a_round_before_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And Ctrl-C, which `train` keeps to itself, ends the command, not only one network's round."""
    from minmaxvrp.bench.paper import equal_training
    from minmaxvrp.training import loop
    from minmaxvrp.training.checkpoint import Counters

    calls: list[tuple[str, float]] = []
    spent: dict[str, float] = {}

    def note(config: object, folder: Path, *, cpu_minutes: float, **others: object) -> loop.Outcome:
        calls.append((folder.name, cpu_minutes))
        spent[folder.name] = cpu_minutes
        return loop.Outcome(folder, Counters(), finished=False, interrupted=len(calls) == 5)

    monkeypatch.setattr(loop, "train", note)
    monkeypatch.setattr(equal_training, "warm_up", lambda config: None)
    monkeypatch.setattr(equal_training, "spent_minutes", lambda folder: spent.get(folder.name, 0.0))
    item = tiny(3.0)
    training = {**item.settings["training"], "round": 1.0}
    with pytest.raises(KeyboardInterrupt):
        equal_training.train_all(
            replace(item, settings={**item.settings, "training": training}), place_in(tmp_path)
        )
    names = ["mtsp-dpn-seed1", "mtsp-equity-transformer-seed1", "mtsp-without-rotation-pe-seed1"]
    assert calls == [*((name, 1.0) for name in names), *((name, 2.0) for name in names[:2])]


def test_the_verdict_weighs_the_difference_against_the_seeds() -> None:
    """0.5 points apart: more than seeds 0.1 apart, within those 2 apart; one seed decides nothing."""
    from minmaxvrp.bench.paper.ablations import VariantResult, verdict

    item = tiny(8.0)

    def said(first: list[float], other: list[float]) -> str:
        makespan = {2: [2.0]}
        return verdict(
            item,
            [
                VariantResult("dpn", makespan, first, 10, 8.0),
                VariantResult("equity-transformer", makespan, other, 10, 8.0),
            ],
        )

    assert "0.50 percentage points above dpn (more than what the seeds differ)" in said(
        [1.0, 1.1], [1.5, 1.6]
    )
    assert "within what the seeds differ" in said([0.0, 2.0], [0.5, 2.5])
    assert "percentage points below dpn (one seed does not tell" in said([1.0], [0.5])


def test_a_frozen_network_decides_nothing(tmp_path: Path) -> None:
    """Without a gradient in most steps: the order, the verdict and the summary leave its variant out."""
    from minmaxvrp.bench.paper.ablations import VariantResult, _beyond_the_seeds, order, verdict
    from minmaxvrp.bench.paper.training_curves import TrainingLog

    lines = [f'{{"cpu_seconds": {k}, "instances": {k}, "gradient_norm": {k // 3}.0}}' for k in range(5)]
    for name, kept in (("frozen", lines), ("learns", lines[2:])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")
    assert TrainingLog.read(tmp_path / "frozen").frozen
    assert not TrainingLog.read(tmp_path / "learns").frozen

    gaps = {"dpn": [1.0, 1.1], "without-rotation-pe": [2.0, 2.1], "without-pn-encoder": [80.0, 90.0]}
    results = [
        VariantResult(name, {}, gap, 10, 8.0, frozen=int(name.endswith("encoder")))
        for name, gap in gaps.items()
    ]
    said = order(tiny(8.0), "mtsp", results)
    assert "here dpn, without-rotation-pe; in" in said
    assert said.endswith(
        "Left out: without-pn-encoder: 1 of 2 networks had no gradient in most of the steps."
    )
    for text in (verdict(tiny(8.0), results), _beyond_the_seeds(results)):
        assert "without-rotation-pe is 1.0" in text
        assert "encoder" not in text


def test_the_order_of_the_variants_is_compared_with_the_paper_s() -> None:
    """Published for mtsp100 M=5: dpn before without-rotation-pe; none for the Equity-Transformer."""
    from minmaxvrp.bench.paper.ablations import VariantResult, order

    def said(dpn: float, sinusoidal: float) -> str:
        gaps = {"dpn": dpn, "without-rotation-pe": sinusoidal, "equity-transformer": 0.0}
        results = [VariantResult(name, {}, [gap], 10, 8.0) for name, gap in gaps.items()]
        return order(tiny(8.0), "mtsp", results)

    assert said(1.0, 2.0).startswith(
        "The paper's order is found: from best to worst here dpn, without-rotation"
    )
    assert said(2.0, 1.0).startswith(
        "The paper's order is not found: from best to worst here without-rotation"
    )


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
