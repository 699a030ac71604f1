"""Networks trained at equal CPU time and compared: the ablations, the Equity-Transformer, the fine-tuning
ablation.

`equal_training` trains them; they are then methods of `bench` on the suite of their problem, beside a short
search on the same instances.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from ...problem.generate import published_set
from .. import published_figures
from ..measure import RunOptions
from ..methods import Decoding
from ..store import Measurement
from ..suites import PUBLISHED_SEED, Case, named_suites, suite_cases
from .catalogue import Item
from .equal_training import train_all
from .runs import BenchRun, ResultsPlace, measured_runs
from .table_rows import kept
from .training_curves import TrainingLog, draw_curves

NOT_TUNED = "shipped {}, not fine-tuned"
PUBLISHED_NAMES = {
    "ablation": {
        "dpn": "DPN-x8aug-x16per",
        "without-pn-encoder": "without P&N encoder",
        "without-aps-loss": "without APS loss",
        "without-rotation-pe": "without rotation PE",
    },
    "fine_tuning": {
        "lr1e-4": "DPN-F(lr=1e-4)-x8aug-x16per",
        "lr1e-5": "DPN-F(lr=1e-5)-x8aug-x16per",
        "lr5e-6": "DPN-F(lr=5e-6)-x8aug-x16per",
        "lr1e-5-lp": "DPN-F(lr=1e-5+LP)-x8aug-x16per",
        NOT_TUNED.format("mtsp"): "DPN-100-x8aug-x16per",
    },
}
"""Names of the variants in the published figures, by table."""


def make(item: Item, place: ResultsPlace) -> str:
    """Train, measure, draw, and return the Markdown of the item."""
    weights = train_all(item, place)
    options: list[tuple[str, str]] = [(str(path), one) for one, path in weights.items()]
    if "zero_shot" in item.settings:
        options.append((str(item.settings["zero_shot"]), ""))
    plans: list[BenchRun] = []
    for problem, suite in item.settings["problems"].items():
        cases = evaluation_cases(item, problem, suite)
        for policy, run in options:
            if not run or run.startswith(f"{problem}-"):
                # greedy rollouts as published: the shipped temperature is tuned for the shipped weights
                how = RunOptions("policy", policy=policy, decoding=Decoding(8, 16, 0.0), clock="cpu")
                plans.append((cases, how))
        plans.append((cases, RunOptions("search", float(item.settings["seconds"]), clock="cpu")))
    measured_runs(item, place, plans)
    return show(item, place)


def evaluation_cases(item: Item, problem: str, suite: str) -> list[Case]:
    """The first instances of a suite, or of a size without published figures for the item's vehicles."""
    limit = int(item.settings["limit"])
    if suite in named_suites():
        return suite_cases(suite, (), limit)
    size = int(suite.removeprefix(problem))
    found = []
    for count in item.settings["vehicles"]:
        drawn = published_set(problem, size, count, seed=PUBLISHED_SEED)[:limit]
        found += [Case(suite, size, k, "", PUBLISHED_SEED, instance) for k, instance in enumerate(drawn)]
    return found


def show(item: Item, place: ResultsPlace) -> str:
    """For each problem what came out in words, a table with the spread over the seeds, the curves."""
    parts = []
    for problem, suite in item.settings["problems"].items():
        logs = training_logs(item, place, problem)
        results = problem_results(item, place, problem)
        if not results:
            continue
        said = " ".join(filter(None, (order(item, problem, results), verdict(item, results))))
        parts.append(f"### {suite}\n\n{said}\n\n{_table(item, problem, results)}")
        if any(log.points for log in logs.values()):
            target = place.folder / f"{item.name}-{problem}.svg"
            draw_curves({run: log for run, log in logs.items() if log.points}, target)
            parts.append(f"![training curves, {problem}]({target.name})\n")
    return "\n".join(parts)


def training_logs(item: Item, place: ResultsPlace, problem: str) -> dict[str, TrainingLog]:
    """Of the problem's runs, by name."""
    runs = sorted(place.folder.glob(f"training/{item.name}/{problem}-*"))
    return {run.name: TrainingLog.read(run) for run in runs if (run / "log.jsonl").is_file()}


def problem_results(item: Item, place: ResultsPlace, problem: str) -> "list[VariantResult]":
    """What the variants reached on the problem's suite, from what is kept."""
    here = [m for m in kept(item, place) if m.suite == item.settings["problems"][problem]]
    return collect(item, here, training_logs(item, place, problem)) if here else []


def orders(item: Item, place: ResultsPlace) -> dict[str, str]:
    """By suite, with the time of training: whether the paper's order is found."""
    found = {}
    for problem, suite in item.settings["problems"].items():
        results = problem_results(item, place, problem)
        if results and (said := order(item, problem, results)):
            where = f"{suite}, {results[0].minutes:.2g} CPU minutes a network"
            found[where] = f"{said} {_beyond_the_seeds(results)}"
    return found


def _beyond_the_seeds(results: "Sequence[VariantResult]") -> str:
    """Which variants differ from the first by more than the seeds do."""
    first, others = results[0], [other for other in results[1:] if other.gap and not other.frozen]
    apart = {other.variant: fmean(other.gap) - fmean(first.gap) for other in others}
    said = [
        f"{other.variant} is {abs(apart[other.variant]):.1f} percentage points "
        f"{'worse' if apart[other.variant] > 0 else 'better'} than {first.variant}"
        for other in others
        if abs(apart[other.variant]) > _half_range(other.gap) + _half_range(first.gap)
    ]
    if not said:
        return f"No variant differs from {first.variant} by more than the seeds do."
    rest = "; the others differ by less than the seeds do" if len(said) < len(others) else ""
    return f"By more than the seeds differ, {', '.join(said)}{rest}."


@dataclass(frozen=True)
class VariantResult:
    """What one variant's networks reached on the test instances."""

    variant: str
    makespan: dict[int, list[float]]
    """By number of vehicles: the mean of each seed's network."""
    gap: list[float]
    """Of each seed's network: mean percent above the search on the same instances."""
    instances: int = 0
    """Seen in training, mean over the seeds."""
    minutes: float = 0.0
    """CPU minutes of training, mean over the seeds."""
    frozen: int = 0
    """Networks that have learnt nothing: what the variant is worth cannot be told."""


def collect(
    item: Item, measurements: Sequence[Measurement], logs: "Mapping[str, TrainingLog]"
) -> list[VariantResult]:
    """The variants in the item's order, networks that were not trained here last."""
    search = {(m.vehicles, m.index): m.objective for m in measurements if m.method == "search"}
    runs: dict[str, dict[str, list[Measurement]]] = defaultdict(lambda: defaultdict(list))
    for m in measurements:
        if m.method == "policy":
            variant, run = _variant(m)
            runs[variant][run].append(m)
    order = list(item.settings["training"]["variants"])
    found = []
    for variant in sorted(runs, key=lambda v: order.index(v) if v in order else len(order)):
        makespan: dict[int, list[float]] = defaultdict(list)
        for group in runs[variant].values():
            for vehicles in sorted({m.vehicles for m in group}):
                makespan[vehicles].append(fmean(m.objective for m in group if m.vehicles == vehicles))
        gaps = [gap for group in runs[variant].values() if (gap := _gap(group, search)) is not None]
        seen = [logs[run] for run in runs[variant] if run in logs]
        instances = round(fmean(log.instances for log in seen)) if seen else 0
        minutes = fmean(log.minutes for log in seen) if seen else 0.0
        frozen = sum(log.frozen for log in seen)
        found.append(VariantResult(variant, dict(makespan), gaps, instances, minutes, frozen))
    return found


def _gap(group: Sequence[Measurement], search: Mapping[tuple[int, int], float]) -> float | None:
    both = [100.0 * (m.objective / search[k] - 1.0) for m in group if (k := (m.vehicles, m.index)) in search]
    return fmean(both) if both else None


def verdict(item: Item, results: Sequence[VariantResult]) -> str:
    """Whether the first variant is the best by more than the seeds differ, as plain sentences."""
    first = results[0]
    if first.variant != next(iter(item.settings["training"]["variants"])) or not first.gap:
        return ""
    seeds = min(len(r.gap) for r in results if r.minutes)
    words = [f"At {first.minutes:.3g} CPU minutes a network, {_count(seeds, 'seed')} each:"]
    for other in results[1:]:
        if not other.gap or other.frozen:
            continue
        apart = fmean(other.gap) - fmean(first.gap)
        noise = _half_range(other.gap) + _half_range(first.gap)
        if seeds < 2 and other.minutes:
            says = "one seed does not tell whether by chance"
        elif abs(apart) <= noise:
            says = "within what the seeds differ"
        else:
            says = "more than what the seeds differ"
        words.append(
            f"{other.variant} is {abs(apart):.2f} percentage points "
            f"{'above' if apart > 0 else 'below'} {first.variant} "
            f"({says});"
        )
    return " ".join(words).rstrip(";") + "."


def order(item: Item, problem: str, results: Sequence[VariantResult]) -> str:
    """Whether the variants come in the paper's order, as a sentence; empty where it printed none."""
    columns = _published_columns(item, problem)
    if not columns:
        return ""
    where, figures = next(iter(columns.items()))
    here = [r for r in results if r.variant in figures and r.gap and not r.frozen]
    ours = [r.variant for r in sorted(here, key=lambda r: fmean(r.gap))]
    theirs = sorted(ours, key=lambda variant: float(figures[variant]))
    found = "The paper's order is found" if ours == theirs else "The paper's order is not found"
    if len(ours) < 2:
        return ""
    frozen = [
        f"{r.variant}: {r.frozen} of {_count(len(r.gap), 'network')} had no gradient in most of the steps"
        for r in results
        if r.frozen
    ]
    left_out = f" Left out: {'; '.join(frozen)}." if frozen else ""
    return (
        f"{found}: from best to worst here {', '.join(ours)}; in the paper ({where}) {', '.join(theirs)}."
        f"{left_out}"
    )


def _half_range(values: Sequence[float]) -> float:
    return (max(values) - min(values)) / 2 if values else 0.0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _table(item: Item, problem: str, results: Sequence[VariantResult]) -> str:
    """One row per variant: what it saw, mean over instances and seeds, published means."""
    vehicles = sorted({m for r in results for m in r.makespan})
    columns = _published_columns(item, problem)
    head = ["variant", "seeds", "instances seen", "instances per CPU second"]
    head += [*(f"M={m}" for m in vehicles), "above the search, %", *(f"paper: {c}" for c in columns)]
    lines = [head, ["---"] * len(head)]
    for r in results:
        speed = f"{r.instances / r.minutes / 60:.0f}" if r.minutes else "–"
        seeds = str(len(r.gap)) if r.minutes else "–"
        seeds += f", {r.frozen} frozen" if r.frozen else ""
        line = [r.variant, seeds, f"{r.instances:,}" if r.instances else "–", speed]
        line += [_spread(r.makespan.get(m, []), 4) for m in vehicles]
        line += [_spread(r.gap, 2), *(figures.get(r.variant, "–") for figures in columns.values())]
        lines.append(line)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _published_columns(item: Item, problem: str) -> dict[str, dict[str, str]]:
    """The paper's figures of the variants, by suite and number of vehicles."""
    table = "fine_tuning" if item.name == "fine-tuning" else "ablation"
    return {
        f"{row.problem}{row.size} M={row.vehicles}": {
            variant: f"{row.objective[name]:.4f}"
            for variant, name in PUBLISHED_NAMES[table].items()
            if name in row.objective
        }
        for row in published_figures.table_rows(table)
        if row.problem == problem
    }


def _spread(means: Sequence[float], digits: int) -> str:
    """Mean, and half the range over the seeds."""
    if not means:
        return "–"
    around = f" ± {_half_range(means):.{digits}f}" if len(means) > 1 else ""
    return f"{fmean(means):.{digits}f}{around}"


def _variant(m: Measurement) -> tuple[str, str]:
    """Variant and run of a measured network: by the name of its folder."""
    policy = (m.policy or "").partition(" ×")[0]
    path = Path(policy)
    if not path.suffix:
        return NOT_TUNED.format(policy), policy
    run = path.parent.name
    return run.partition("-")[2].rpartition("-seed")[0], run
