"""Chooses the engine for a name, and loads no other."""

from ..errors import InputError
from .engine import ENGINES, Engine, Notice, num_cores, tell_if_crowded


def make_engine(
    name: str = "processes",
    workers: int | None = None,
    address: str | None = None,
    notice: Notice = lambda text: None,
) -> Engine:
    """The engine of that name with so many workers (all cores without a number).

    `address` is that of a Ray cluster. `notice` hears of more workers than cores. Raises `InputError` for an
    unknown name, for an address that the engine has no use for, and where Ray or its cluster is missing.
    """
    if workers is not None and workers < 1:
        raise InputError(f"workers = {workers}, expected 1 or more")
    if name not in ENGINES:
        raise InputError(f"engine = {name!r}, expected one of {', '.join(ENGINES)}")
    if name == "ray":
        from .ray_engine import RayEngine

        return RayEngine(workers, address, notice)
    from .process_engine import ProcessEngine

    if address is not None:
        raise InputError(f"address = {address!r} with engine = 'processes', expected engine = 'ray'")
    if workers is not None:
        tell_if_crowded(workers, notice)
    return ProcessEngine(workers or num_cores())
