"""numpy arrays inside a pickle, as lists of numbers: stand-ins for what numpy's pickles name.

Nothing of numpy is called with what the file says; `pickled` hands these to its unpickler.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

KINDS = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1")


class DamagedArray(Exception):
    """The description of an array and its bytes do not fit."""


class Dtype:
    """Stands for `numpy.dtype`: plain numbers only."""

    def __init__(self, code: Any, *_: Any) -> None:
        """As numpy pickles it: `f8`, then copy and align."""
        if code not in KINDS:
            raise DamagedArray
        self.code, self.order = code, "="

    def __setstate__(self, state: Any) -> None:
        """The order of the bytes is the second entry."""
        self.order = state[1] if state[1] in ("<", ">", "=", "|") else "<"

    def numbers(self, shape: Any, data: Any, fortran: bool = False) -> Any:
        """The numbers in `data` as nested lists of `shape`."""
        if not isinstance(data, bytes | bytearray) or not isinstance(shape, tuple):
            raise DamagedArray
        if not all(isinstance(n, int) and 0 <= n < 2**40 for n in shape) or len(shape) > 4:
            raise DamagedArray
        kind = np.dtype(self.code).newbyteorder(self.order)
        if math.prod(shape) * kind.itemsize != len(data):
            raise DamagedArray
        return np.frombuffer(data, kind).reshape(shape, order="F" if fortran else "C").tolist()


class UnpickledArray(list[Any]):
    """Stands for `numpy.ndarray`."""

    def __setstate__(self, state: Any) -> None:
        """Version, shape, dtype, whether in Fortran order, bytes."""
        _, shape, kind, fortran, data = state
        if not isinstance(kind, Dtype) or not shape:
            raise DamagedArray
        self[:] = kind.numbers(shape, data, bool(fortran))


def _reconstruct(*_: Any) -> UnpickledArray:
    return UnpickledArray()


def _from_buffer(data: Any, kind: Any, shape: Any, order: Any, *_: Any) -> UnpickledArray:
    if not isinstance(kind, Dtype) or not shape:
        raise DamagedArray
    return UnpickledArray(kind.numbers(shape, data, order == "F"))


def _scalar(kind: Any, data: Any) -> Any:
    if not isinstance(kind, Dtype):
        raise DamagedArray
    return kind.numbers((), data)


def _encode(text: Any, encoding: Any) -> bytes:
    if encoding not in ("latin1", "latin-1") or not isinstance(text, str):
        raise DamagedArray
    return text.encode("latin1")


STAND_INS: dict[tuple[str, str], Callable[..., Any]] = {
    ("numpy", "ndarray"): UnpickledArray,
    ("numpy", "dtype"): Dtype,
    ("_codecs", "encode"): _encode,
    **{
        (f"numpy.{core}.{module}", name): stand_in
        for core in ("core", "_core")
        for module, name, stand_in in (
            ("multiarray", "_reconstruct", _reconstruct),
            ("multiarray", "scalar", _scalar),
            ("numeric", "_frombuffer", _from_buffer),
        )
    },
}
"""What numpy's pickles name, and what answers instead."""
