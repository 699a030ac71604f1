"""Kernels pass named tuples by address, for the process that fills the cache (see `background`).

Most of the time that compiling takes is not LLVM's but numba's own, in Python. A named tuple as an argument
is taken apart into all its numbers (some two hundred for the arrays of one search) at every call and put
together again in every kernel: that took much of it.
"""

from typing import Any

import llvmlite.ir
import numba.core.cgutils
import numba.core.datamodel.models
import numba.core.datamodel.registry
import numba.core.lowering
import numba.core.types

ir: Any = llvmlite.ir
cgutils: Any = numba.core.cgutils
registry: Any = numba.core.datamodel.registry
models: Any = numba.core.datamodel.models
types: Any = numba.core.types


def _is_argument(value: Any) -> bool:
    """Whether this is a tuple just as the kernel was given it."""
    return isinstance(value, ir.instructions.LoadInstr) and isinstance(value.operands[0], ir.Argument)


def _place(builder: Any, value: Any) -> Any:
    """Where in memory a tuple is that the kernel was given, alone or inside another; None if it is new."""
    if _is_argument(value):
        return value.operands[0]
    if isinstance(value, ir.instructions.ExtractValue):
        outer = _place(builder, value.aggregate)
        if outer is not None:
            return cgutils.gep_inbounds(builder, outer, 0, *value.indices)
    return None


class TupleByAddress(models.TupleModel):  # type: ignore[misc]
    """A named tuple that kernels pass by its address: they only read it, so nothing needs a copy."""

    def get_argument_type(self) -> Any:
        """The address of the tuple."""
        return self.get_value_type().as_pointer()

    def as_argument(self, builder: Any, value: Any) -> Any:
        """The address that the caller was given itself, or that of a copy on its stack."""
        place = _place(builder, value)
        return cgutils.alloca_once_value(builder, value) if place is None else place

    def from_argument(self, builder: Any, value: Any) -> Any:
        """The tuple at an address."""
        for promise in ("noalias", "nonnull", "captures(none)"):
            value.add_attribute(promise)
        return builder.load(value)


def pass_tuples_by_address() -> None:
    """From now on, kernels compiled in this process pass named tuples by address."""
    registry.default_manager.register(types.NamedTuple, TupleByAddress)
    lower: Any = numba.core.lowering.Lower
    store, delete = lower.storevar, lower.delvar

    def store_unless_given(self: Any, value: Any, name: str, argidx: int | None = None) -> None:
        if _is_argument(value):
            address = value.operands[0]
            address.attributes.dereferenceable = self.context.get_abi_sizeof(value.type)
            if name not in self._singly_assigned_vars:
                self.varmap[name] = address  # the variable is where the caller has it
                return
        store(self, value, name, argidx)

    def delete_if_counted(self: Any, name: str) -> None:
        if self.context.enable_nrt:
            delete(self, name)
        elif name not in self._blk_local_varmap:  # it would only be overwritten with zeros
            self._singly_assigned_vars.discard(name)

    lower.storevar, lower.delvar = store_unless_given, delete_if_counted
