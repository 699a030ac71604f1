"""Makes compiling cheaper and the code faster, for the process that fills the cache.

Most of the time that compiling takes is not LLVM's but numba's own, in Python. Two things took much of
it: a named tuple as an argument is taken apart into all its numbers (some two hundred for the arrays
of one search) at every call and put together again in every kernel; and what `a[i]` or `x + y` mean is
asked of dozens of candidates, for every place where it is written. In the compiled code it is asked of
every index whether it is below 0, which in the kernels none is. Like `whole`, which describes what happens
when it does, all this may cease to work with another version of numba.
"""

import gc
from typing import Any

import llvmlite.ir
import numba.core.cgutils
import numba.core.datamodel.models
import numba.core.datamodel.registry
import numba.core.lowering
import numba.core.types
import numba.np.arrayobj

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


class Reference(models.TupleModel):  # type: ignore[misc]
    """A named tuple that kernels hand on by its address: they only read it, so nothing needs a copy."""

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


def pass_by_reference() -> None:
    """From now on, kernels compiled in this process hand on named tuples by address."""
    registry.default_manager.register(types.NamedTuple, Reference)
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


def remember_calls() -> None:
    """From now on, find out once what an operator or function means for arguments of given types."""
    function: Any = types.BaseFunction
    resolve = function.get_call_type
    known: dict[Any, Any] = {}

    def resolve_once(self: Any, context: Any, args: Any, kws: Any) -> Any:
        key = self, context, tuple(args), tuple(kws.items())
        found = known.get(key)
        if found is None:
            found = known[key] = resolve(self, context, args, kws)
        return found

    function.get_call_type = resolve_once


def count_from_the_front() -> None:
    """From now on, an index below 0 is an error like one beyond the end, instead of counting from there.

    Kernels use none: the tests run them with bounds checked, and with this.
    """
    arrays: Any = numba.np.arrayobj

    def unchanged(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp)

    arrays.fix_integer_index = unchanged


def be_thrifty() -> None:
    """All of it, and no collection of garbage, of which there is little."""
    pass_by_reference()
    remember_calls()
    count_from_the_front()
    gc.disable()
