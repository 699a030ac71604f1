"""Training and inference time on this machine beside the published ones, which are of a GPU.

Inference is measured through `bench`, one instance at a time on one core. Training time is that of a few
steps of the paper's preset, multiplied by what an epoch has; nobody trains for days here.
"""

import json
import time
from statistics import median
from typing import Any

from .. import published_figures
from ..suites import Case, suite_cases
from .catalogue import Item
from .runs import ResultsPlace, label, measured
from .table_rows import kept

STEPS = 2
"""Training steps that are timed, after one that is not."""


def cases(item: Item) -> list[Case]:
    """The first instances of each suite, with its number of vehicles."""
    limit = item.settings["limit"]
    return [c for s, m in item.settings["suites"].items() for c in suite_cases(s, (m,), limit)]


def make(item: Item, place: ResultsPlace) -> str:
    """Measure both and return the Markdown of the item."""
    from ...problem.files.atomic import write_text

    measured(item, place, cases(item))
    seconds = {}
    for preset in item.settings["presets"]:
        place.say(f"{item.name}: training steps of {preset}")
        seconds[preset] = seconds_per_instance(preset)
    place.folder.mkdir(parents=True, exist_ok=True)
    write_text(place.folder / "times-training.json", json.dumps(seconds, indent=2) + "\n")
    return show(item, place)


def seconds_per_instance(preset: str) -> float:
    """CPU seconds per instance of a training step with the paper's settings, one piece of a batch."""
    import torch

    from ...policy.network import Network
    from ...training import presets
    from ...training.loop import explore
    from ...training.optimiser import Optimiser
    from ...training.random_instances import Pieces

    config = presets.load(preset)
    network = Network.initialised(config.network, config.seed)
    optimiser = Optimiser(network, config)
    pieces = Pieces(config.piece_size, config.piece_size)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    began = 0.0
    for step in range(STEPS + 1):
        if step == 1:
            began = time.process_time()
        optimiser.zero_gradient()
        explore(network, config, step, 0, pieces, 1.0)
        optimiser.gradient_norm()
        optimiser.step(step)
    spent = time.process_time() - began
    torch.set_num_threads(before)
    return spent / (STEPS * config.piece_size)


def show(item: Item, place: ResultsPlace) -> str:
    """Two tables."""
    parts = []
    if found := kept(item, place):
        parts.append("### Inference\n\n" + _inference(found))
    path = place.folder / "times-training.json"
    if path.is_file():
        parts.append("### Training\n\n" + _training(item, json.loads(path.read_text(encoding="utf-8"))))
    return "\n".join(parts)


def _inference(measurements: list[Any]) -> str:
    head = [
        "suite",
        "M",
        "network",
        "ours, CPU s per instance (median)",
        "published for 100 instances (GPU, batch)",
    ]
    lines = [head, ["---"] * len(head)]
    groups: dict[tuple[str, int, str], list[Any]] = {}
    for m in measurements:
        groups.setdefault((m.suite, m.vehicles, label(m)), []).append(m)
    for (suite, vehicles, name), group in groups.items():
        row = published_figures.suite_row(group[0].problem, group[0].size, vehicles)
        theirs = {"×1 ×1": "DPN", "×8 ×1": "DPN-x8aug", "×8 ×16": "DPN-x8aug-x16per"}
        key = theirs.get(name.partition(" ")[2], "")
        said = row.time.get(key, "–") if row is not None else "–"
        usual = median(m.seconds for m in group)  # the first of a kind also loads its weights
        lines.append([suite, str(vehicles), name, f"{usual:.3f}", said])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _training(item: Item, seconds: dict[str, float]) -> str:
    head = ["preset", "ours: instances per CPU second", "ours: an epoch would take", "published epoch (GPU)"]
    lines = [head, ["---"] * len(head)]
    epoch = int(item.settings["epoch_instances"])
    for preset, each in seconds.items():
        theirs = item.settings["published_epoch_minutes"].get(preset)
        hours = f"{epoch * each / 3600:.1f} h of one core"
        lines.append([preset, f"{1 / each:.1f}", hours, f"{theirs} min" if theirs else "–"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
