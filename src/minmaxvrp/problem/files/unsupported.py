"""What a format has no place for: an error, or a warning that says which option reading it back needs.

Called first by the writers of CSV, TSPLIB, benchmark text files and GeoJSON.
"""

import warnings
from collections.abc import Collection
from pathlib import Path

from ...errors import InputError
from ..distance import Distance
from ..instance import Instance
from .source import FormatWarning

FLEET = ("a fleet", "allowed vehicles")
"""What formats of the literature lack."""


def refuse(path: Path, instance: Instance, kinds: Collection[Distance], lacks: Collection[str]) -> None:
    """Raise `InputError` when `instance` has a field of `lacks` or a distance outside `kinds`."""
    present = {
        "pairs": len(instance.pairs) > 0,
        "service": instance.service is not None and bool(instance.service.any()),
        "vehicles_per_depot": instance.vehicles_per_depot is not None and instance.num_depots > 1,
        "several depots": instance.num_depots > 1,
        "a fleet": instance.fleet is not None,
        "allowed vehicles": instance.allowed is not None,
    }
    for what in lacks:
        if present[what]:
            raise InputError(f"{path}: this format cannot hold {what}; write .json")
    if instance.kind not in kinds:
        raise InputError(f"{path}: this format cannot hold distance = {instance.kind.value!r}; write .json")


def rule_to_tell(instance: Instance) -> str | None:
    """The rule of where routes end, where a format without it would take another."""
    if instance.return_to == "start" or (instance.return_to == "any" and instance.num_depots == 1):
        return None
    return instance.return_to


def remind(path: Path, **options: object) -> None:
    """Warn that reading the file back needs these options, as the format has no place for them."""
    given = ", ".join(f"{key}={value!r}" for key, value in options.items() if value is not None)
    if given:
        warnings.warn(
            f"{path}: this format has no place for {given}: give it when reading", FormatWarning, stacklevel=3
        )


def lose(path: Path, instance: Instance, *fields: str) -> None:
    """Warn about fields that the format drops."""
    for key in fields:
        value = getattr(instance, key)
        if value is not None and len(value):
            warnings.warn(
                f"{path}: this format has no place for {key}: not written", FormatWarning, stacklevel=3
            )
