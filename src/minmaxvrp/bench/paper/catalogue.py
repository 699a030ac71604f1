"""What can be made: the items of `experiments.toml`, each a table or figure of the paper.

First on the walk of `minmaxvrp paper`: `find_item` gives the settings, whole or quick; `runs` gives what
`bench` measures.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from ...errors import InputError
from ..measure import RunOptions
from ..methods import USUAL_DECODING, Decoding

TIMELESS = ("greedy", "policy")
"""Methods that no budget changes."""


@dataclass(frozen=True)
class Contender:
    """One method of `bench` in an experiment, with one or more budgets."""

    method: str
    seconds: tuple[float, ...] = (1.0,)
    decoding: tuple[int, int] = (8, 16)
    temperature: float | None = None
    problems: tuple[str, ...] = ()
    """Those that it knows; empty for all."""
    trained: str = ""
    """Network that an item has trained, instead of the shipped one."""

    def knows(self, problem: str) -> bool:
        """Whether it can solve the problem."""
        return not self.problems or problem in self.problems

    def options(self, policy: str = "auto", most: float | None = None) -> list[RunOptions]:
        """One for each budget up to `most` seconds, on the CPU's clock; the shortest if all are longer."""
        decoding = USUAL_DECODING
        if self.method == "policy":
            decoding = Decoding(*self.decoding, self.temperature)
        times = [s for s in self.seconds if most is None or s <= most]
        if not times:
            times = [self.seconds[0] if self.method in TIMELESS or most is None else most]
        return [RunOptions(self.method, s, policy=policy, decoding=decoding, clock="cpu") for s in times]


@dataclass(frozen=True)
class Item:
    """A table or figure and how it is made."""

    name: str
    about: str
    paper: str
    """Where it is in the paper."""
    kind: str
    minutes: float
    """On one idle core."""
    quick: bool = False
    note: str = ""
    contenders: tuple[Contender, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What only its kind knows."""
    options: tuple[str, ...] = ()
    """Of the command, where it is a part of the item."""

    @property
    def most_seconds(self) -> float | None:
        """The largest budget per instance; None: all."""
        return self.settings.get("most_seconds")

    @property
    def command(self) -> str:
        """What makes it."""
        words = ["minmaxvrp paper", self.name, *(["--quick"] if self.quick else [])]
        return " ".join([*words, *self.options])


def item_names() -> list[str]:
    """All items, in the order of the file."""
    return list(_document())


def find_item(name: str, quick: bool = False) -> Item:
    """The item of that name, whole or quick; raises `InputError` with the list for an unknown one."""
    if name not in _document():
        raise InputError(f"table or figure = {name!r}, expected one of {', '.join(item_names())}, or page")
    values = dict(_document()[name])
    small = values.pop("quick", {})
    minutes = values.pop("quick_minutes") if quick else values["minutes"]
    values.pop("quick_minutes", None)
    if quick:
        training = values.get("training", {}) | small.get("training", {})
        values |= small | ({"training": training} if training else {})
    values["minutes"] = minutes
    found = tuple(_contender(entry) for entry in values.pop("contenders", ()))
    known = {key: values.pop(key) for key in ("about", "paper", "kind", "minutes")}
    return Item(name, **known, quick=quick, note=values.pop("note", ""), contenders=found, settings=values)


def items(quick: bool = False) -> Iterable[Item]:
    """Every item."""
    return [find_item(name, quick) for name in item_names()]


def _contender(entry: Mapping[str, Any]) -> Contender:
    values: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in entry.items()}
    return Contender(**values)


@cache
def _document() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("experiments.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
