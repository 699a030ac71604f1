"""Names with numbers in them, sorted as people do: MS3 before MS11, mtsp50 before mtsp100."""

import re


def natural_key(name: str) -> tuple[int | str, ...]:
    """Key for `sorted`: texts and numbers in turn, so that texts meet texts and numbers numbers."""
    parts = re.split(r"(\d+)", name)
    return tuple(int(part) if k % 2 else part for k, part in enumerate(parts))
