"""Which networks an item uses: shipped ones by name, or those that another item has trained."""

from pathlib import Path

from ...errors import InputError
from .catalogue import Item, item_names
from .runs import ResultsPlace


def trained_weights(item: Item, place: ResultsPlace) -> dict[str, str]:
    """Weights file (or shipped name) by the name that the item's `networks` gives it.

    Of several trainings of one run the longest counts. Raises `InputError` that names the command to run
    first.
    """
    found: dict[str, str] = {}
    for name, run in item.settings["networks"].items():
        weights = find_run(item, place, str(run))
        if weights is None:
            needed = item.settings.get("uses", item_names()[0])
            raise InputError(
                f"{item.name}: no network {run} in {place.folder / 'training'}, "
                f"expected `minmaxvrp paper {needed}` to have been run before"
            )
        found[str(name)] = weights
    return found


def find_run(item: Item, place: ResultsPlace, run: str) -> str | None:
    """The weights of a run of the item that this one uses, or a shipped name; None without any."""
    from ...policy import Policy

    if run in Policy.available():
        return run
    found = place.folder.glob(f"training/{item.settings.get('uses', '*')}-*/{run}/weights.safetensors")
    longest = sorted(found, key=_minutes)
    return str(longest[-1]) if longest else None


def _minutes(weights: Path) -> float:
    """CPU minutes that a network was trained for, by the name of the folder."""
    return float(weights.parents[1].name.removesuffix("-minutes").rpartition("-")[2])
