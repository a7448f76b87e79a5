"""Graphs made from Python: values, operators, functions that are evaluated, differentiated and compiled.

    b = mlgc.Builder("f")
    x, w = b.input("x", ("B", 3)), b.input("w", (3, 4))
    f = b.function(b.relu(x @ w))
    print(f)
    f(torch.ones(2, 3), torch.ones(3, 4))

Ops are those of the driver's table (op_table.py). Nothing is checked here: the driver infers types, once for each function, and says what
is wrong at the line of Python that it is wrong in.
"""
from __future__ import annotations

import functools
import inspect
import itertools
import numbers
import os
import sys
from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, NoReturn

from mlgc import graph_function, op_table
from mlgc.errors import UnknownOp, UsageError
from mlgc.graph_function import Function, Place, Source

_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _place_of_caller() -> Place:
    """The innermost line of Python outside of this package, with its column."""
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _OWN_FOLDER:
        frame = frame.f_back
    positions = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None, None, None, None))
    file = frame.f_code.co_filename
    if os.path.isabs(file) and not (near := os.path.relpath(file)).startswith(".."):
        file = near
    return Place(file, positions[0] or frame.f_lineno, (positions[2] or 0) + 1)


class Value:
    """A value of a graph under construction. Operators and methods make ops: `x + 1`, `x @ w`, `x[:, 0]`, `x.sum(dim=[0])`.

    Of `//` and `%`, signs are Python's. Comparisons give values of i1, and `==` too, so values are equal for Python when they are one.
    """

    __slots__ = ("_builder", "name")

    def __init__(self, builder: Builder, name: str) -> None:
        self._builder = builder
        self.name = name  # without the %

    @property
    def type(self) -> str:
        """`tensor<[B]x4xf32>`: what the driver infers. GraphError: something that it is computed from is wrong."""
        return self._builder._type_of(self.name)

    @property
    def dims(self) -> tuple[int | str, ...]:
        """Sizes: ints, or expressions over named sizes."""
        return graph_function.dims_of(self.type)

    @property
    def dtype(self) -> str:
        """`f32`."""
        return graph_function.dtype_of(self.type)

    def __repr__(self) -> str:
        try:
            return f"%{self.name}: {self.type}"
        except graph_function.GraphError as error:
            return f"%{self.name} (no type: {error})"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return functools.partial(getattr(self._builder, name), self)

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *op_table.computing()])

    __hash__ = object.__hash__
    __array_ufunc__ = None  # numpy's numbers leave operators to this

    def __bool__(self) -> NoReturn:
        raise TypeError(f"%{self.name} has no value yet, so Python cannot branch on it; where(condition, a, b) chooses by element")

    def __iter__(self) -> NoReturn:
        raise TypeError(f"%{self.name} has no value yet, so Python cannot go through it; x[0] takes one position")

    def _op(self, name: str, other: Any) -> Any:
        if not isinstance(other, (Value, numbers.Real)):
            return NotImplemented
        return self._builder._call(name, (self, other), {})

    def _reversed(self, name: str, other: Any) -> Any:
        """A number on the left of an op that has it on its right alone: as a constant of the same type of element."""
        if not isinstance(other, numbers.Real):
            return NotImplemented
        return self._builder._call(name, (self._builder.constant(other, self.dtype), self), {})

    def __add__(self, other: Any) -> Any:
        return self._op("add", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._op("sub", other)

    def __rsub__(self, other: Any) -> Any:
        return self._reversed("sub", other)

    def __mul__(self, other: Any) -> Any:
        return self._op("mul", other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._op("div", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._reversed("div", other)

    def __floordiv__(self, other: Any) -> Any:
        return self._op("floor_divide", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._reversed("floor_divide", other)

    def __mod__(self, other: Any) -> Any:
        return self._op("remainder", other)

    def __rmod__(self, other: Any) -> Any:
        return self._reversed("remainder", other)

    def __pow__(self, other: Any) -> Any:
        return self._op("pow", other)

    def __rpow__(self, other: Any) -> Any:
        return self._reversed("pow", other)

    def __matmul__(self, other: Any) -> Any:
        return self._op("matmul", other) if isinstance(other, Value) else NotImplemented

    def __eq__(self, other: object) -> Any:
        return self._op("eq", other)

    def __ne__(self, other: object) -> Any:
        return self._op("ne", other)

    def __lt__(self, other: Any) -> Any:
        return self._op("lt", other)

    def __le__(self, other: Any) -> Any:
        return self._op("le", other)

    def __gt__(self, other: Any) -> Any:
        return self._op("gt", other)

    def __ge__(self, other: Any) -> Any:
        return self._op("ge", other)

    def __and__(self, other: Any) -> Any:
        return self._op("bitwise_and", other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return self._op("bitwise_or", other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        return self._op("bitwise_xor", other)

    __rxor__ = __xor__

    def __lshift__(self, other: Any) -> Any:
        return self._op("bitwise_left_shift", other)

    def __rshift__(self, other: Any) -> Any:
        return self._op("bitwise_right_shift", other)

    def __invert__(self) -> Any:
        return self._builder._call("bitwise_not", (self,), {})

    def __neg__(self) -> Any:
        return self._builder._call("neg", (self,), {})

    def __abs__(self) -> Any:
        return self._builder._call("abs", (self,), {})

    def __getitem__(self, key: Any) -> Value:
        """Positions, slices, None for a new axis, `...`, and values of integers that pick positions, as in PyTorch. Ends of slices may be
        expressions over sizes: `x[:"S - 1"]`."""
        parts: list[Any] = list(key) if isinstance(key, tuple) else [key]
        whole = [part for part in parts if part is not None and part is not Ellipsis]
        if sum(part is Ellipsis for part in parts) > 1:
            raise IndexError("... stands once in an index")
        made, axis, picked = self, 0, []
        for number, part in enumerate(parts):
            if isinstance(part, EllipsisType):
                behind = sum(later is not None for later in parts[number + 1:])
                rank = len(self.dims) if behind or number + 1 < len(parts) else 0
                axis += max(rank - len(whole), 0)
            elif part is None:
                made, axis = made._builder._call("unsqueeze", (made,), {"dim": axis}), axis + 1
            elif isinstance(part, slice):
                ends = {name: end for name, end in (("start", part.start), ("end", part.stop), ("step", part.step)) if end is not None}
                made, axis = made._builder._call("slice", (made,), {"dim": axis, **ends}) if ends else made, axis + 1
            elif isinstance(part, Value):
                picked.append((axis, part))
                axis += 1
            else:
                made = made._builder._call("select", (made,), {"dim": axis, "index": part})
        if picked:
            made = made._builder._call("index", (made, *(value for _, value in picked)), {"positions": [place for place, _ in picked]})
        return made


class Builder:
    """Makes a graph, op by op. Every op of the table that computes is a method: its operands, then its attributes by keyword.

    name: of the function. where: constraints on sizes, such as "1 <= B <= 64", "B mod 8 == 0".
    `b.OP(…, name="h")` calls the result %h; `types=` states what cannot be inferred. help(b.OP) describes an op.
    UsageError: the name is no name.
    """

    def __init__(self, name: str = "f", where: str | Sequence[str] = ()) -> None:
        if not name.isidentifier():
            raise UsageError(f"{name!r} is no name of a function; write letters, digits and _")
        self.name = name
        self._source = Source(name, [where] if isinstance(where, str) else list(where))
        self._types: dict[str, str] = {}  # as far as they are known, by name
        self._places: dict[str, Place] = {}  # of all values
        self._unnamed = 0
        self._install()

    @classmethod
    def _install(cls) -> None:
        """Methods of all ops of the table that have none yet."""
        for name, op in op_table.computing().items():
            if name not in vars(cls):
                setattr(cls, name, _method(op))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """UnknownOp: the driver has no such op, and says which it has."""
        if name.startswith("_"):
            raise AttributeError(name)
        known = op_table.table().get(name)
        if known is not None:
            raise UnknownOp(f"`{name}` is no op of graphs that a builder makes: {known.summary}")
        raise UnknownOp(graph_function.refusal(["ops", name]))

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *op_table.computing()])

    def input(self, name: str, shape: Sequence[int | str] = (), dtype: Any = "f32") -> Value:
        """A further argument of the function.

        shape: sizes, and for those that vary names, "B", or expressions over names, "2*B + 1". dtype: "f32", or torch.float32.
        UsageError: another value has this name.
        """
        sizes = [str(size) if not isinstance(size, str) else f"[{size}]" for size in shape]
        made, place = self._named(name), _place_of_caller()
        self._types[name] = f"tensor<{'x'.join([*sizes, op_table.dtype_text(dtype)])}>"
        self._source.inputs.append(graph_function.Input(name, self._types[name], place))
        return made

    def constant(self, value: Any, dtype: Any = None, *, name: str | None = None) -> Value:
        """A value that stands in the text: a number, nested lists of numbers, an array or a CPU tensor.

        dtype: without it that of the array or tensor; f32 of floats, i64 of integers, i1 of bools.
        """
        made: Value = self._emit("constant", [], {"value": graph_function.constant_text(value, dtype)}, 1, name)
        return made

    def size(self, expression: str | int, *, name: str | None = None) -> Value:
        """A size as a value, tensor<i64>: `b.size("B*S")`."""
        made: Value = self._emit("dim", [], {"value": f"[{expression}]"}, 1, name)
        return made

    def function(self, *results: Value, **named: Value) -> Function:
        """The function of all inputs that returns these values; by keyword, with names of their own.

        GraphError: something is wrong, at the line of Python that made it. The builder can be used further.
        """
        values = [*results, *named.values()]
        if not values:
            raise UsageError("a function returns something: b.function(y)")
        for value in values:
            if not isinstance(value, Value) or value._builder is not self:
                raise UsageError(f"{value!r} is no value of this builder")
        source = self._source.returning([value.name for value in values], [*(value.name for value in results), *named], _place_of_caller())
        text = source.checked()
        self._types |= source.types_by_name(text)
        return Function(text, self.name)

    def _call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        op = op_table.table()[name]
        given = op.signature.bind(*args, **kwargs).arguments
        operands: list[Value] = []
        attributes: dict[str, str] = {}
        missing = ""
        for operand in op.operands:
            for value in given.get(operand.name, ()) if operand.variadic else [given.get(operand.name)]:
                number = next((attribute for attribute in op.attributes if attribute.instead_of == operand.name), None)
                if value is None:
                    missing = operand.name
                elif isinstance(value, Value):
                    if value._builder is not self:
                        raise UsageError(f"%{value.name} is a value of another builder")
                    if missing:
                        raise TypeError(f"{name}: {operand.name} is given, and {missing}, which stands before it, is not")
                    operands.append(value)
                elif number is not None:
                    attributes[number.name] = op_table.attribute_text(number, value)
                else:
                    raise TypeError(f"{name}: {operand.name} is a value of the graph; a {type(value).__name__} is given, which b.constant() makes one of")
        for attribute in op.attributes:
            if attribute.name in given and given[attribute.name] is not None and not any(o.name == attribute.name for o in op.operands):
                attributes[attribute.name] = op_table.attribute_text(attribute, given[attribute.name])
        types = given.get("types") or []
        return self._emit(name, operands, attributes, op.results or 1, given.get("name"), [types] if isinstance(types, str) else types)

    def _emit(self, op: str, operands: Sequence[Value], attributes: dict[str, str], results: int, name: str | None,
              types: Sequence[str] = ()) -> Any:
        made = [self._named(name if name is None or results == 1 else f"{name}_{number}") for number in range(results)]
        self._source.steps.append(graph_function.Step([value.name for value in made], op, [value.name for value in operands], attributes,
                                                      list(types), _place_of_caller()))
        return made[0] if results == 1 else tuple(made)

    def _named(self, name: str | None) -> Value:
        if name is None:
            name = str(self._unnamed)
            self._unnamed += 1
        if (place := self._places.get(name)) is not None:
            raise UsageError(f"there is a value %{name} already, of {place.file}:{place.line}")
        self._places[name] = _place_of_caller()
        return Value(self, name)

    def _type_of(self, name: str) -> str:
        if name not in self._types:
            source = self._source.returning([name], [name], self._places[name])
            self._types |= source.types_by_name(source.checked())
        return self._types[name]


def _method(op: op_table.Op) -> Callable[..., Any]:
    def call(self: Builder, *args: Any, **kwargs: Any) -> Any:
        return self._call(op.name, args, kwargs)

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    call.__name__, call.__qualname__, call.__doc__ = op.name, f"Builder.{op.name}", op.documentation
    call.__signature__ = op.signature.replace(parameters=[own, *op.signature.parameters.values()])  # type: ignore[attr-defined]
    return call
