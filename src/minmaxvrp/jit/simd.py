"""SIMD: a vector of sixteen float32 numbers as one value inside compiled code.

Numba has no vector type and does not vectorise across rollouts by itself; here is one, with the few
operations that the kernels of `policy` need, made with numba's public means of extension. LLVM maps a value
to one 512-bit register, two of 256 bits or four of 128 bits, so the same source runs on every processor.
Arrays are flat float32 arrays; nothing checks bounds.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import models
from numba.extending import overload as numba_overload
from numba.extending import register_model as numba_register_model
from numba.np.arrayobj import make_array

WIDTH = 16
"""Numbers in a vector."""

Vector = Any
"""A `Float32x16` in the signature of a kernel; Python never sees one."""


def _intrinsic(function: Callable[..., Any]) -> Any:
    """Numba's `intrinsic`; callers leave the first argument, the typing context, out."""
    return numba_intrinsic(function)


class Float32x16(types.Type):
    """The numba type of sixteen float32 numbers."""

    def __init__(self) -> None:
        super().__init__(name="Float32x16")


FLOAT32X16 = Float32x16()
_FLOATS = ir.VectorType(ir.FloatType(), WIDTH)
_WORDS = ir.VectorType(ir.IntType(32), WIDTH)


class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, _FLOATS)  # type: ignore[no-untyped-call]


numba_register_model(Float32x16)(_VectorModel)


def _constant(value: float) -> Any:
    return ir.Constant(_FLOATS, [value] * WIDTH)


def _words(value: int) -> Any:
    return ir.Constant(_WORDS, [value] * WIDTH)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = make_array(array_type)(context, builder, array).data  # type: ignore[no-untyped-call]
    return builder.bitcast(builder.gep(data, [index]), _FLOATS.as_pointer())


def _read(builder: Any, pointer: Any) -> Any:
    value = builder.load(pointer)
    value.align = 4
    return value


def _write(builder: Any, value: Any, pointer: Any) -> None:
    builder.store(value, pointer).align = 4


def _spread(builder: Any, number: Any) -> Any:
    empty = ir.Constant(_FLOATS, ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, empty, _words(0))


def _call(builder: Any, name: str, *values: Any) -> Any:
    """LLVM's own elementwise function `name` of one to three vectors."""
    kind = ir.FunctionType(_FLOATS, [_FLOATS] * len(values))
    symbol = f"llvm.{name}.v{WIDTH}f32"
    function = cgutils.get_or_insert_function(builder.module, kind, symbol)  # type: ignore[no-untyped-call]
    return builder.call(function, list(values))


@_intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """`array[index : index + 16]`."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _read(builder, _address(context, builder, signature.args[0], values[0], values[1]))

    return FLOAT32X16(array, types.intp), generate


@_intrinsic
def store(typing: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write `vector` to `array[index : index + 16]`."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        _write(builder, values[2], _address(context, builder, signature.args[0], values[0], values[1]))
        return context.get_dummy_value()

    return types.void(array, types.intp, FLOAT32X16), generate


@_intrinsic
def splat(typing: Any, number: Any) -> Any:
    """The same number sixteen times."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _spread(builder, values[0])

    return FLOAT32X16(types.float32), generate


@_intrinsic
def fma(typing: Any, total: Any, number: Any, vector: Any) -> Any:
    """`total + number * vector` for one number, rounded once: the instruction that does the work."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _call(builder, "fma", _spread(builder, values[1]), values[2], values[0])

    return FLOAT32X16(FLOAT32X16, types.float32, FLOAT32X16), generate


@_intrinsic
def fma_at(typing: Any, total: Any, array: Any, index: Any, vector: Any) -> Any:
    """`total + array[index] * vector`, rounded once: one instruction, which reads the number itself."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array_type = signature.args[1]
        data = make_array(array_type)(context, builder, values[1]).data  # type: ignore[no-untyped-call]
        number = builder.load(builder.gep(data, [values[2]]))
        return _call(builder, "fma", _spread(builder, number), values[3], values[0])

    return FLOAT32X16(FLOAT32X16, array, types.intp, FLOAT32X16), generate


@_intrinsic
def fma_vectors(typing: Any, total: Any, a: Any, b: Any) -> Any:
    """`total + a * b` element by element, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _call(builder, "fma", values[1], values[2], values[0])

    return FLOAT32X16(FLOAT32X16, FLOAT32X16, FLOAT32X16), generate


@_intrinsic
def add_halves(typing: Any, a: Any, b: Any) -> Any:
    """`a[i] + a[i + 8]` for i < 8, then the same of `b`."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        half = WIDTH // 2
        low = [*range(half), *range(WIDTH, WIDTH + half)]
        first, second = (ir.Constant(_WORDS, [i + shift for i in low]) for shift in (0, half))
        lower = builder.shuffle_vector(values[0], values[1], first)
        return builder.fadd(lower, builder.shuffle_vector(values[0], values[1], second))

    return FLOAT32X16(FLOAT32X16, FLOAT32X16), generate


def _elementwise(build: Callable[[Any, Any], Any], arity: int) -> Any:
    """An intrinsic of `arity` vectors whose code is `build(builder, values)`."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return build(builder, values)

    def one(typing: Any, a: Any) -> Any:
        return FLOAT32X16(FLOAT32X16), generate

    def two(typing: Any, a: Any, b: Any) -> Any:
        return FLOAT32X16(FLOAT32X16, FLOAT32X16), generate

    def four(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        return FLOAT32X16(FLOAT32X16, FLOAT32X16, FLOAT32X16, FLOAT32X16), generate

    return numba_intrinsic({1: one, 2: two, 4: four}[arity])


def _maximum(builder: Any, values: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", values[0], values[1]), values[0], values[1])


def _select_greater(builder: Any, values: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", values[0], values[1]), values[2], values[3])


POLYNOMIAL = (1.32764718e-3, 9.67554133e-3, 5.55071327e-2, 0.240221197, 0.693146967, 1.00000007)
"""Of 2^f for f in [-1/2, 1/2], highest power first; the minimax one, relative error 7.5e-8."""


def _exp2(builder: Any, values: Any) -> Any:
    """2^x for x <= 126: split x = n + f, a polynomial in f, then n into the exponent bits."""
    x = _maximum(builder, (values[0], _constant(-126.0)))
    magic = _constant(12582912.0)  # 1.5 * 2^23: adding it leaves round(x) in the lowest bits
    shifted = builder.fadd(x, magic)
    fraction = builder.fsub(x, builder.fsub(shifted, magic))
    result = _constant(POLYNOMIAL[0])
    for coefficient in POLYNOMIAL[1:]:
        result = _call(builder, "fma", result, fraction, _constant(coefficient))
    exponent = builder.shl(builder.bitcast(shifted, _WORDS), _words(23))
    return builder.bitcast(builder.add(builder.bitcast(result, _WORDS), exponent), _FLOATS)


add = _elementwise(lambda b, v: b.fadd(v[0], v[1]), 2)
subtract = _elementwise(lambda b, v: b.fsub(v[0], v[1]), 2)
multiply = _elementwise(lambda b, v: b.fmul(v[0], v[1]), 2)
divide = _elementwise(lambda b, v: b.fdiv(v[0], v[1]), 2)
sqrt = _elementwise(lambda b, v: _call(b, "sqrt", v[0]), 1)
exp2 = _elementwise(_exp2, 1)
maximum = _elementwise(_maximum, 2)
select_greater = _elementwise(_select_greater, 4)
"""`select_greater(a, b, x, y)`: x where a > b, else y."""


def _overload(symbol: Any, function: Any) -> None:
    """Let the operator `symbol` of two vectors mean the intrinsic `function`."""

    def compiled(a: Any, b: Any) -> Any:
        return function(a, b)

    def typed(a: Any, b: Any) -> Any:
        return compiled if isinstance(a, Float32x16) and isinstance(b, Float32x16) else None

    numba_overload(symbol)(typed)


_overload(operator.add, add)
_overload(operator.sub, subtract)
_overload(operator.mul, multiply)
_overload(operator.truediv, divide)


@_intrinsic
def transpose(typing: Any, source: Any, start: Any, stride: Any, target: Any, place: Any) -> Any:
    """Turn sixteen rows of sixteen numbers: `target[place + 16 c + r] = source[start + stride r + c]`."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array, first, step, out, begin = values
        rows = []
        for r in range(WIDTH):
            index = builder.add(first, builder.mul(step, ir.Constant(step.type, r)))
            rows.append(_read(builder, _address(context, builder, signature.args[0], array, index)))
        for bit in (1, 2, 4, 8):  # after each round, blocks of 2·bit rows and columns are turned
            turned = list(rows)
            for r in range(WIDTH):
                if not r & bit:
                    low, high = rows[r], rows[r | bit]
                    even = [c if not c & bit else WIDTH + (c ^ bit) for c in range(WIDTH)]
                    odd = [c | bit if not c & bit else WIDTH + c for c in range(WIDTH)]
                    turned[r] = builder.shuffle_vector(low, high, ir.Constant(_WORDS, even))
                    turned[r | bit] = builder.shuffle_vector(low, high, ir.Constant(_WORDS, odd))
            rows = turned
        for c in range(WIDTH):
            index = builder.add(begin, ir.Constant(begin.type, WIDTH * c))
            _write(builder, rows[c], _address(context, builder, signature.args[3], out, index))
        return context.get_dummy_value()

    return types.void(source, types.intp, types.intp, target, types.intp), generate
