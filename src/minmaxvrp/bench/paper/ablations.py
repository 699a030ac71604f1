"""Networks trained at equal CPU time and compared: the ablations, the Equity-Transformer, the fine-tuning
ablation.

Every variant × problem × seed is a training run of its own in the item's folder: an interrupted command
goes on where it was. The trained networks are then methods of `bench` on the suite of their problem.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InternalError
from .. import published_figures
from ..measure import RunOptions
from ..methods import Decoding
from ..store import Measurement
from ..suites import named_suites, suite_cases
from .catalogue import Item
from .runs import ResultsPlace, measured_runs
from .table_rows import kept

if TYPE_CHECKING:
    from ...training.train_config import TrainConfig

PUBLISHED_NAMES = {
    "dpn": "DPN-x8aug-x16per",
    "without-pn-encoder": "without P&N encoder",
    "without-aps-loss": "without APS loss",
    "without-rotation-pe": "without rotation PE",
    "lr1e-4": "DPN-F(lr=1e-4)-x8aug-x16per",
    "lr1e-5": "DPN-F(lr=1e-5)-x8aug-x16per",
    "lr5e-6": "DPN-F(lr=5e-6)-x8aug-x16per",
    "lr1e-5-lp": "DPN-F(lr=1e-5+LP)-x8aug-x16per",
}
"""Names of the variants in the published figures."""


@dataclass(frozen=True)
class Trained:
    """One network of an item."""

    problem: str
    variant: str
    seed: int
    minutes: float
    """CPU time."""
    config: "TrainConfig"

    @property
    def run(self) -> str:
        """Name of its folder."""
        return f"{self.problem}-{self.variant}-seed{self.seed}"


def networks(item: Item) -> Iterator[Trained]:
    """Every network that the item trains."""
    from ...training import presets

    plan: dict[str, Any] = item.settings["training"]
    problems: dict[str, str] = item.settings.get("problems", {"mtsp": "mtsp100"})
    for problem, suite in problems.items():
        shape = named_suites()[suite]
        size = shape.size - 1 if problem == "mtsp" else shape.size  # customers
        for variant, preset in plan["variants"].items():
            for seed in plan["seeds"]:
                words = [s.replace("{size}", str(size)) for s in plan["settings"]]
                config = presets.load(preset.replace("{problem}", problem), [*words, f"seed={seed}"])
                yield Trained(problem, variant, seed, float(plan["minutes"]), config)


def train_all(item: Item, place: ResultsPlace) -> dict[str, Path]:
    """Train what is not trained yet; the weights file of each network by its run's name."""
    from ...training.checkpoint import list_checkpoints
    from ...training.loop import train

    found = {}
    for one in networks(item):
        folder = place.training(_folder_name(item, one))
        weights = folder / "weights.safetensors"
        spent = spent_minutes(folder)
        if spent < one.minutes:
            place.say(f"{one.run}: {spent:.1f} of {one.minutes:g} CPU minutes trained so far")
            begun = (folder / "config.json").exists() and bool(list_checkpoints(folder / "checkpoints"))
            train(one.config, folder, resume=begun, cpu_minutes=one.minutes, notice=place.say)
        if not weights.is_file():
            raise InternalError(f"{folder}: no weights after training")
        found[one.run] = weights
    return found


def spent_minutes(folder: Path) -> float:
    """CPU minutes of a run so far, by its log."""
    from ...training.run import read_log

    if not (folder / "log.jsonl").exists():
        return 0.0
    return max((entry.get("cpu_seconds", 0.0) for entry in read_log(folder)), default=0.0) / 60.0


def make(item: Item, place: ResultsPlace) -> str:
    """Train, measure, draw, and return the Markdown of the item."""
    weights = train_all(item, place)
    options: list[tuple[str, str]] = [(str(path), one) for one, path in weights.items()]
    if "zero_shot" in item.settings:
        options.append((str(item.settings["zero_shot"]), ""))
    plans = []
    for problem, suite in item.settings["problems"].items():
        cases = suite_cases(suite, (), item.settings["limit"])
        for policy, run in options:
            if not run or run.startswith(f"{problem}-"):
                # greedy rollouts as published: the shipped temperature is tuned for the shipped weights
                how = RunOptions("policy", policy=policy, decoding=Decoding(8, 16, 0.0), clock="cpu")
                plans.append((cases, how))
    measured_runs(item, place, plans)
    return show(item, place)


def show(item: Item, place: ResultsPlace) -> str:
    """A table with mean and spread over the seeds per problem, and the training curves."""
    from ...training.curves import draw_curves

    parts = []
    found = kept(item, place)
    for problem, suite in item.settings["problems"].items():
        here = [m for m in found if m.suite == suite]
        if not here:
            continue
        parts.append(f"### {suite}\n\n{_table(item, here)}")
        runs = sorted(place.folder.glob(f"training/{item.name}-*/{problem}-*"))
        runs = [run for run in runs if _has_validated(run)]
        if runs:
            target = place.folder / f"{item.name}-{problem}.svg"
            draw_curves(runs, target)
            parts.append(f"![training curves, {problem}]({target.name})\n")
    return "\n".join(parts)


def _table(item: Item, measurements: list[Measurement]) -> str:
    """One row per variant: mean over instances and seeds, half the range over the seeds, published means."""
    vehicles = sorted({m.vehicles for m in measurements})
    head = ["variant", "seeds", *(f"M={m}" for m in vehicles), *(f"paper M={m}" for m in vehicles)]
    lines = [head, ["---"] * len(head)]
    groups: dict[str, dict[int, dict[str, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    for m in measurements:
        variant, run = _variant(m)
        groups[variant][m.vehicles].setdefault(run, []).append(m.objective)
    for variant, columns in groups.items():
        seeds = max(len(runs) for runs in columns.values())
        ours = [_spread([statistics.fmean(v) for v in columns[m].values()]) for m in vehicles]
        lines.append([variant, str(seeds), *ours, *(_published(item, variant, m) for m in vehicles)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _spread(means: list[float]) -> str:
    if not means:
        return "–"
    around = f" ± {(max(means) - min(means)) / 2:.4f}" if len(means) > 1 else ""
    return f"{statistics.fmean(means):.4f}{around}"


def _published(item: Item, variant: str, vehicles: int) -> str:
    """The paper's figure of a variant; its ablations are of 100 nodes, M = 5 and 10."""
    table = "fine_tuning" if item.name == "fine-tuning" else "ablation"
    for row in published_figures.table_rows(table):
        value = row.objective.get(PUBLISHED_NAMES.get(variant, variant))
        if value is not None and row.vehicles == vehicles and row.problem == "mtsp":
            return f"{value:.4f} ({row.problem}{row.size})"
    return "–"


def _variant(m: Measurement) -> tuple[str, str]:
    """Variant and run of a measured network: by the name of its folder."""
    policy = (m.policy or "").partition(" ×")[0]
    path = Path(policy)
    if not path.suffix:
        return f"shipped {policy}, not fine-tuned", policy
    run = path.parent.name
    return run.partition("-")[2].rpartition("-seed")[0], run


def _folder_name(item: Item, one: Trained) -> str:
    return f"{item.name}-{one.minutes:g}-minutes/{one.run}"


def _has_validated(folder: Path) -> bool:
    from ...training.curves import validation_curves

    return bool(validation_curves(folder))
