"""Which networks an item uses: shipped ones by name, or those that another item has trained."""

from pathlib import Path

from ...errors import InputError
from .catalogue import Item, item_names
from .runs import ResultsPlace
from .training_curves import TrainingLog


def trained_weights(item: Item, place: ResultsPlace) -> dict[str, str]:
    """Weights file (or shipped name) by the name that the item's `networks` gives it.

    Raises `InputError` that names the command to run first.
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
    weights = place.training(f"{item.settings.get('uses', '')}/{run}") / "weights.safetensors"
    return str(weights) if weights.is_file() else None


def trained_for(weights: str) -> str:
    """What a heading says of a network's training, such as `8 CPU min`; `shipped` for one by name."""
    folder = Path(weights).parent
    if not (folder / "log.jsonl").is_file():
        return "shipped"
    return f"{TrainingLog.read(folder).minutes:.2g} CPU min"
