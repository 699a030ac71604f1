"""Presets and settings."""

import math

import pytest

from minmaxvrp.errors import InputError
from minmaxvrp.training import presets
from minmaxvrp.training.random_instances import Stream, draw_shape, generator
from minmaxvrp.training.train_config import from_dict, known_keys

from .small import small_config

# name: layers, learning rate, batch, epoch size x epochs, K, M, D, N: the paper's table of hyper-parameters
PAPER = {
    "mtsp50": (6, 1e-4, 256, 256_000 * 500, 60, (2, 10), (1, 1), (49, 49)),
    "mpdp50": (6, 1e-4, 256, 256_000 * 500, 60, (2, 10), (1, 1), (50, 50)),
    "mtsp100": (6, 1e-4, 256, 256_000 * 500, 60, (2, 10), (1, 1), (99, 99)),
    "mpdp100": (6, 1e-4, 256, 256_000 * 500, 60, (2, 10), (1, 1), (100, 100)),
    "mtsp200-f": (6, 1e-5, 64, 64_000 * 20, 60, (10, 20), (1, 1), (199, 199)),
    "mpdp200-f": (6, 1e-5, 64, 64_000 * 20, 60, (10, 20), (1, 1), (200, 200)),
    "mtsp500-f": (6, 1e-5, 16, 16_000 * 20, 60, (30, 50), (1, 1), (499, 499)),
    "mpdp500-f": (6, 1e-5, 16, 16_000 * 20, 60, (30, 50), (1, 1), (500, 500)),
    "mdvrp50": (6, 1e-4, 256, 256_000 * 500, 60, (2, 10), (2, 10), (50, 50)),
    "fmdvrp50": (6, 1e-4, 256, 256_000 * 500, 60, (2, 10), (2, 10), (50, 50)),
    "mdvrp100": (6, 1e-4, 256, 256_000 * 500, 60, (2, 10), (2, 10), (100, 100)),
    "fmdvrp100": (6, 1e-4, 256, 256_000 * 500, 60, (2, 10), (2, 10), (100, 100)),
    "mdvrp50-f": (6, 1e-5, 128, 128_000 * 20, 60, (3, 7), (8, 8), (50, 50)),
    "fmdvrp50-f": (6, 1e-5, 128, 128_000 * 20, 60, (3, 7), (8, 8), (50, 50)),
    "mdvrp100-f": (6, 1e-5, 128, 128_000 * 20, 60, (5, 10), (8, 8), (100, 100)),
    "fmdvrp100-f": (6, 1e-5, 128, 128_000 * 20, 60, (5, 10), (8, 8), (100, 100)),
}


@pytest.mark.parametrize("name", PAPER)
def test_the_sixteen_models_have_the_papers_settings(name: str) -> None:
    """Every cell of the paper's table, and nothing that goes beyond the paper."""
    config = presets.load(name)
    found = (
        config.network.num_layers,
        config.learning_rate,
        config.batch_size,
        config.batch_size * config.steps,
        config.rollouts,
        config.vehicles,
        config.depots,
        config.customers,
    )
    assert found == PAPER[name]
    assert config.schedule == "constant"
    assert config.baseline == "permutations"
    assert config.shapes == "batch"
    beyond = (config.imitates, config.normalise_advantage, config.clip_gradient, config.average_weights)
    assert not any(beyond)
    assert (config.network.embed, config.network.num_heads, config.network.tanh_clip) == (128, 8, 50.0)
    assert bool(config.start_from) == name.endswith("-f")


def test_every_preset_loads_and_says_what_it_is() -> None:
    """No preset is broken, each has one line about it."""
    assert len(presets.names()) >= 30
    for name in presets.names():
        presets.load(name)
        assert presets.about(name)


def test_a_run_to_fine_tune_starts_from_a_preset_of_the_same_network() -> None:
    """The default `start_from` of a fine-tuning is the default folder of the preset it builds on."""
    for name in presets.names():
        config = presets.load(name)
        if config.start_from:
            base = presets.load(config.start_from.removeprefix("runs/"))
            assert base.network.form == config.network.form
            assert base.network.return_to == config.network.return_to


def test_settings_override_a_preset() -> None:
    """Numbers, lists without brackets, text without quotation marks, keys of the network."""
    changes = [
        "steps=3",
        "customers=20,30",
        "network.embed=64",
        "schedule=cosine",
        "normalise_advantage=true",
    ]
    config = presets.load("mtsp50", changes)
    assert (config.steps, config.customers, config.network.embed) == (3, (20, 30), 64)
    assert (config.schedule, config.normalise_advantage) == ("cosine", True)
    assert presets.load("mtsp50", ["vehicles=4"]).vehicles == (4, 4)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("stepps=3", "unknown key 'stepps', expected one of seed"),
        ("network.width=3", "unknown key 'network.width'"),
        ("steps", "expected key=value"),
        ("steps=many", "steps = 'many', expected a whole number"),
        ("steps=0", "steps = 0, expected 1 or more"),
        ("schedule=linear", "expected one of constant, cosine"),
        ("customers=5,2", "expected two numbers of 1 or more, in order"),
        ("depots=2", r"depots = \[2, 2\], expected \[1, 1\]"),
        ("learning_rate=2", "learning_rate = 2.0"),
        ("normalise_advantage=1", "expected true or false"),
        ("trainable=context_head", "expected network.context_head = true"),
        ("network.encoder=pm", "expected one of pn"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_would_be_right(setting: str, words: str) -> None:
    """The message names the key, what it got and what it expected."""
    with pytest.raises(InputError, match=words):
        presets.load("mtsp50", [setting])


def test_an_unknown_preset_is_refused_with_the_list() -> None:
    """The message names the presets."""
    with pytest.raises(InputError, match=r"preset = 'mtsp51', expected one of .*mtsp50"):
        presets.load("mtsp51")


def test_a_config_survives_its_dictionary() -> None:
    """What is written to config.json gives the same config again."""
    config = presets.load("fmdvrp50-f")
    assert from_dict(config.to_dict(), "test") == config
    assert "network.embed" in known_keys()


def test_fleet_sizes_are_drawn_as_often_as_the_config_says() -> None:
    """1,000 draws of 2 to 5 vehicles: each within 20 % of what it should be, uniform and log."""
    expected = {
        "uniform": dict.fromkeys(range(2, 6), 0.25),
        "log": {m: math.log((m + 1) / m) / math.log(3) for m in range(2, 6)},
    }
    for way, shares in expected.items():
        config = small_config(vehicles=(2, 5), fleet_sizes=way)
        drawn = [draw_shape(config, generator(1, Stream.SHAPE, step)).num_vehicles for step in range(1000)]
        assert set(drawn) == set(shares)
        for vehicles, share in shares.items():
            assert drawn.count(vehicles) == pytest.approx(1000 * share, rel=0.2), (way, vehicles)
