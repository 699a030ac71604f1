"""A part of an item: some of its methods, suites, instances or budgets, or another time of training.

Between `catalogue` (the whole item) and `make`: the options of `minmaxvrp paper`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ...errors import InputError
from .catalogue import TIMELESS, Item

TRAINING = "training"
"""Kind of the items whose networks are what is compared."""


@dataclass(frozen=True)
class Narrowing:
    """What of an item is wanted; empty or None: all of it."""

    methods: tuple[str, ...] = ()
    """Of `bench`, or variants of a network where the item trains them."""
    suites: tuple[str, ...] = ()
    limit: int | None = None
    """Instances of each suite and number of vehicles."""
    seconds: float | None = None
    """The one budget per instance of all methods that have one, instead of the item's."""
    minutes: float | None = None
    """CPU minutes of training of each network, instead of the item's."""

    @property
    def words(self) -> tuple[str, ...]:
        """As options of the command."""
        named = (
            ("--method", ",".join(self.methods)),
            ("--suite", ",".join(self.suites)),
            ("--limit", self.limit),
            ("--seconds", self.seconds),
            ("--minutes", self.minutes),
        )
        return tuple(
            f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in named
            if value not in ("", None)
        )


def narrowed(item: Item, wanted: Narrowing) -> Item:
    """That part of the item; raises `InputError` with the list for an unknown method or suite.

    The same for an option that the item has no use for.
    """
    _check_numbers(item, wanted)
    settings: dict[str, Any] = dict(item.settings)
    contenders = item.contenders
    if wanted.methods:
        _check_names(item, "method", "methods", wanted.methods, method_names(item))
        contenders = tuple(c for c in contenders if c.method in wanted.methods)
        if item.kind == TRAINING:
            settings["training"] = _chosen_variants(item, wanted.methods)
    if wanted.suites:
        _check_names(item, "suite", "suites", wanted.suites, suite_names(item))
        settings |= _chosen_suites(item, wanted.suites)
    if wanted.limit is not None:
        settings["limit"] = wanted.limit
    if wanted.seconds is not None:
        contenders = tuple(
            c if c.method in TIMELESS else replace(c, seconds=(wanted.seconds,)) for c in contenders
        )
        settings.pop("most_seconds", None)
    if wanted.minutes is not None:
        settings["training"] = settings["training"] | {"minutes": wanted.minutes}
    return replace(item, contenders=contenders, settings=settings, options=wanted.words)


def method_names(item: Item) -> list[str]:
    """The methods of an item; where it trains networks to compare them, their variants."""
    if item.kind == TRAINING:
        return list(item.settings["training"]["variants"])
    return list(dict.fromkeys(contender.method for contender in item.contenders))


def _chosen_variants(item: Item, wanted: tuple[str, ...]) -> dict[str, Any]:
    """The settings of training with those variants alone."""
    plan: dict[str, Any] = item.settings["training"]
    variants = {name: preset for name, preset in plan["variants"].items() if name in wanted}
    return plan | {"variants": variants}


def suite_names(item: Item) -> list[str]:
    """The suites of an item, as its results call them."""
    settings = item.settings
    names = [*settings.get("suites", ()), *settings.get("problems", {}).values()]
    names += [f"mtsp{settings['size']}-{name}" for name in settings.get("distributions", ())]
    names += [f"mtsp{size}" for size, _ in settings.get("shapes", ())]
    return list(dict.fromkeys(names))


def _chosen_suites(item: Item, wanted: tuple[str, ...]) -> dict[str, Any]:
    """The settings that name suites, with those of `wanted` alone."""
    found: dict[str, Any] = {}
    for key in ("suites", "problems", "distributions", "shapes"):
        value = item.settings.get(key)
        if key == "problems" and value:
            found[key] = {problem: suite for problem, suite in value.items() if suite in wanted}
        elif key == "distributions" and value:
            found[key] = [name for name in value if f"mtsp{item.settings['size']}-{name}" in wanted]
        elif key == "shapes" and value:
            found[key] = [shape for shape in value if f"mtsp{shape[0]}" in wanted]
        elif isinstance(value, dict):
            found[key] = {suite: vehicles for suite, vehicles in value.items() if suite in wanted}
        elif value:
            found[key] = [suite for suite in value if suite in wanted]
    return found


def _check_names(item: Item, noun: str, nouns: str, wanted: Iterable[str], known: Iterable[str]) -> None:
    names = list(known)
    for name in wanted:
        if name not in names:
            none = f"none, as {item.name} has no {nouns} to choose from"
            expected = f"one of {', '.join(names)}" if names else none
            raise InputError(f"{item.name}: {noun} = {name!r}, expected {expected}")


def _check_numbers(item: Item, wanted: Narrowing) -> None:
    uses = (
        ("limit", wanted.limit, "limit" in item.settings),
        ("seconds", wanted.seconds, bool(item.contenders)),
        ("minutes", wanted.minutes, "training" in item.settings),
    )
    for name, value, used in uses:
        if value is not None and not used:
            why = f"expected none, as {item.name} has no use for it"
            raise InputError(f"{item.name}: --{name} = {value:g}, {why}")
        if value is not None and not 0 < value < float("inf"):
            raise InputError(f"{item.name}: --{name} = {value:g}, expected a number above 0")
