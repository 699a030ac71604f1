"""What people hand to `solve`, looked at before anything is computed: errors that say what to write."""

import numbers
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from .errors import InputError
from .problem.instance import Instance
from .problem.solution import Solution
from .result import Then

Notice = Callable[[str], None]
"""Hears in one line what had to be left out, or takes long."""

LEAST = {"seed": 0, "workers": 1}


def check_arguments(instance: Any, start: Any, then: Any, **numbers_given: Any) -> None:
    """Raise `InputError` for what is no instance, no plan, no rule or no whole number."""
    if not isinstance(instance, Instance):
        raise InputError(f"instance: got {_kind(instance)}, expected an Instance (Instance.mtsp, files.read)")
    if start is not None:
        starts = [start] if isinstance(start, Solution) else start
        if not isinstance(starts, Sequence) or not all(isinstance(one, Solution) for one in starts):
            expected = "expected a Solution, such as Solution.of([[1, 2], [3]]), or several"
            raise InputError(f"start: got {_kind(start)}, {expected}")
    if then not in get_args(Then):
        close = get_close_matches(str(then), get_args(Then), 1)
        meant = f": did you mean {close[0]!r}?" if close else ""
        raise InputError(f"then = {then!r}, expected balance, total or none{meant}")
    for name, value in numbers_given.items():
        least = LEAST[name]
        if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
            raise InputError(f"{name} = {value!r}, expected a whole number of {least} or more")


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"


def ignore_notice(text: str) -> None:
    """Stands for `notice` where nobody wants to hear any."""
