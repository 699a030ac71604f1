"""The optional fields of an `Instance` as its constructors take them: lists where it holds arrays.

`instance.py` names them in its signatures, so that a type checker knows them; misspelt ones are caught here.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypedDict

from numpy.typing import ArrayLike

from ..errors import InputError
from .fleet import Vehicle


class InstanceFields(TypedDict, total=False):
    """See the fields of `Instance`."""

    pairs: ArrayLike
    return_to: str
    kind: str
    matrix: ArrayLike | None
    vehicles_per_depot: ArrayLike | None
    service: ArrayLike | None
    names: Sequence[str] | None
    name: str
    latlon: ArrayLike | None
    fleet: Sequence[Vehicle] | None
    allowed: Mapping[int, Sequence[int]] | None
    max_length: float | None
    unit: str
    speed: float | None
    kilometres: ArrayLike | None


def refuse_unknown(given: Iterable[str]) -> None:
    """Raise `InputError` for a keyword that is no field, with the one that was meant."""
    known = ("coordinates", "num_depots", "num_vehicles", *InstanceFields.__annotations__)
    for key in given:
        if key not in known:
            close = get_close_matches(key, known, 1)
            expected = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(known)}"
            raise InputError(f"{key!r} is no field of an instance: {expected}")
