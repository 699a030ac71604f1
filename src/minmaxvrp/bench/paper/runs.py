"""An experiment's measurements: its cases by every contender, through the runner and the store of `bench`.

Between `catalogue` (what) and the modules that show it (`result_tables`, `speed`, `times`, …).
"""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...problem.files.atomic import write_text
from ..measure import RunOptions, measure_all
from ..store import Measurement, Store
from ..suites import Case
from .catalogue import Item

ProgressBar = Callable[[str, int], AbstractContextManager[Callable[[Measurement], None]]]
"""Called with a title and a number of instances: what to call with each measurement."""

BenchRun = tuple[Sequence[Case], RunOptions]


@dataclass(frozen=True)
class ResultsPlace:
    """Where an item's results are kept and what it may read."""

    folder: Path
    """One file of measurements per item, a folder of training runs, pictures."""
    data: Path
    """Public instances: folders mtsp_set1 and mtsp_lib."""
    progress: ProgressBar
    say: Callable[[str], None]
    committed: Path = Path("benchmarks/results")
    """Results of `bench` that are committed: tables take rows from those that `experiments.toml` names."""

    def results(self, item: Item) -> Path:
        """The item's measurements: whole and quick runs share a file, as their lines say what they are."""
        return self.folder / f"{item.name}.jsonl"

    def note_run(self, item: Item, anew: bool = False, ended: bool = True) -> None:
        """Keep for the page with which command the item was made, and whether it came to its end.

        `anew`: nothing of earlier runs is left.
        """
        made = {} if anew else self._made(item)
        runs = [c for c in made.get("commands", ()) if not _covered(c, item.command)] + [item.command]
        open_ended = [c for c in made.get("interrupted", ()) if c != item.command]
        open_ended += [] if ended else [item.command]
        made |= {"commands": list(dict.fromkeys(runs)), "interrupted": open_ended}
        text = json.dumps({k: v for k, v in made.items() if v}, indent=2, ensure_ascii=False)
        write_text(self.folder / f"{item.name}.made.json", text + "\n")

    def commands(self, item: Item) -> list[str]:
        """The commands that have made the item, from first to last."""
        return list(self._made(item).get("commands", ()))

    def interrupted(self, item: Item) -> list[str]:
        """Those of the commands that have not come to their end yet."""
        return list(self._made(item).get("interrupted", ()))

    def remark(self, item: Item) -> str:
        """What the person who ran it adds for the page, such as what else ran on the machine."""
        return str(self._made(item).get("remark", ""))

    def _made(self, item: Item) -> dict[str, Any]:
        path = self.folder / f"{item.name}.made.json"
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return found

    def training(self, run: str) -> Path:
        """The folder of a training run."""
        return self.folder / "training" / run


def _covered(command: str, later: str) -> bool:
    """Whether a later command has made all of an earlier one: the same with no fewer instances."""
    (words, limit), (later_words, later_limit) = _limited(command), _limited(later)
    return words == later_words and limit is not None and later_limit is not None and limit < later_limit


def _limited(command: str) -> tuple[str, int | None]:
    """A command without its number of instances, and that number; None: those of the item."""
    found = re.search(r" --limit (\d+)", command)
    return (command.replace(found[0], ""), int(found[1])) if found else (command, None)


def measured(
    item: Item, place: ResultsPlace, cases: Sequence[Case], weights: dict[str, str] | None = None
) -> list[Measurement]:
    """The cases by every contender that knows them; what is in the store is not done again.

    Case by case: when it is interrupted, all contenders have been measured on the same instances.
    `weights` are files of networks by the name in `trained`; a contender without its file is left out.
    """
    runs: list[BenchRun] = []
    for case in sorted(cases, key=lambda case: case.index):
        for contender in item.contenders:
            policy = (weights or {}).get(contender.trained, "") if contender.trained else "auto"
            if policy and contender.knows(case.instance.problem):
                runs += [([case], options) for options in contender.options(policy, item.most_seconds)]
    return measured_runs(item, place, runs)


def measured_runs(item: Item, place: ResultsPlace, runs: Sequence[BenchRun]) -> list[Measurement]:
    """Several runs with the same workers, kept in the item's file."""
    with (
        Store(place.results(item)) as store,
        place.progress(item.name, sum(len(cases) for cases, _ in runs)) as step,
    ):
        return measure_all(runs, store, step)


def title(options: RunOptions) -> str:
    """Such as `search 1 s` or `policy ×8 ×16`."""
    if options.method == "policy":
        return f"policy ×{options.decoding.symmetries} ×{options.decoding.permutations}"
    return options.method if options.method == "greedy" else f"{options.method} {options.seconds:g} s"


def label(m: Measurement) -> str:
    """What a measurement's method is called in tables and pictures."""
    if m.method == "policy":
        policy = m.policy or ""
        name, _, rest = policy.partition(" ×")
        how = f" ×{rest.split(' temperature')[0]}" if rest else " ×8 ×16, drawn"
        return ("network" if name == "auto" else f"network {_network_name(name)}") + how
    if m.method == "greedy":
        return "greedy"
    return f"{NAMES.get(m.method, m.method)}, {m.time:g} s"


NAMES = {
    "search": "search",
    "policy+search": "network + search",
    "lkh": "LKH-3",
    "pyvrp": "PyVRP",
    "hga": "HGA",
    "cross": "CROSS",
    "ortools": "OR-Tools",
}
"""What methods are called in tables and pictures."""


def _network_name(policy: str) -> str:
    """A trained network by its run's folder, a shipped one by its name."""
    path = Path(policy)
    return path.parent.name if path.suffix else policy
