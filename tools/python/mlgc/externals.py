"""External targets: what computes the segments of a partitioned model (docs/partition.md), as shared objects or Python functions.

    def accel(segment: mlgc.Segment):          # called once for each segment of a program
        def run(call: mlgc.ExternalCall):      # called for each launch
            x, = call.inputs
            torch.relu(x, out=call.outputs[0])
        return run

    mlgc.load("model.mlgcx", externals={"accel": accel})

Tensors of a call are the model's own memory, without a copy: they are its as long as the call runs.
"""
from __future__ import annotations

import ctypes
import dataclasses
import json
import os
import pathlib
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p
from typing import Any, Union

import torch

from mlgc import abi
from mlgc.errors import ExecutionError, UsageError

TORCH_DTYPES = {"i1": torch.bool, "i8": torch.int8, "ui8": torch.uint8, "i16": torch.int16, "i32": torch.int32,
                "i64": torch.int64, "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
ROLES = ("temporary", "input", "output", "constant", "splat", "size")  # enum mlgc_value_role
_VERSION = 1  # MLGC_EXTERNAL_VERSION
_FAILED = 72  # MLGC_EXTERNAL_FAILED


class _Value(Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_int32), ("rank", c_int32), ("dims", POINTER(abi._DimInfo)), ("role", c_int32),
                ("number", c_int32), ("data", c_void_p)]


class _Attribute(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int32), ("list", c_int32), ("count", c_int32), ("first", c_int32),
                ("integers", POINTER(c_int64)), ("reals", POINTER(c_double)), ("texts", POINTER(c_char_p))]


class _Op(Structure):
    pass


class _Region(Structure):
    _fields_ = [("argument_count", c_int32), ("op_count", c_int32), ("yield_count", c_int32), ("arguments", POINTER(c_int32)),
                ("ops", POINTER(_Op)), ("yields", POINTER(c_int32))]


_Op._fields_ = [("name", c_char_p), ("location", c_char_p), ("operand_count", c_int32), ("result_count", c_int32),
                ("attribute_count", c_int32), ("region_count", c_int32), ("operands", POINTER(c_int32)), ("results", POINTER(c_int32)),
                ("attributes", POINTER(_Attribute)), ("regions", POINTER(_Region))]


class _Segment(Structure):
    _fields_ = [("struct_size", c_size_t), ("target", c_char_p), ("name", c_char_p), ("text", c_char_p), ("symbol_count", c_int32),
                ("value_count", c_int32), ("integer_count", c_int32), ("symbols", POINTER(c_char_p)), ("values", POINTER(_Value)),
                ("body", _Region)]


class _Call(Structure):
    _fields_ = [("struct_size", c_size_t), ("segment", POINTER(_Segment)), ("values", POINTER(abi.Tensor)), ("symbols", POINTER(c_int64)),
                ("integers", POINTER(c_int64)), ("stream", c_void_p), ("threads", c_int32), ("error", c_void_p), ("error_bytes", c_size_t)]


_Prepare = CFUNCTYPE(c_int32, c_void_p, POINTER(_Segment), POINTER(c_void_p), c_void_p, c_size_t)
_Run = CFUNCTYPE(c_int32, c_void_p, c_void_p, POINTER(_Call))
_Release = CFUNCTYPE(None, c_void_p, c_void_p)


class _Table(Structure):
    """mlgc_external. Functions are addresses, so that a table of a shared object is copied as it is."""

    _fields_ = [("struct_size", c_size_t), ("version", c_int32), ("flags", c_int32), ("target", c_char_p), ("user", c_void_p),
                ("prepare", c_void_p), ("call", c_void_p), ("release", c_void_p)]


@dataclasses.dataclass(frozen=True)
class SegmentValue:
    """A tensor of a segment. role: one of ROLES. dims: ints, or texts over symbols. data: of constants, their elements, as long as
    the program lives; of a splat (a constant whose sizes depend on symbols) its one element; else None."""

    name: str
    dtype: str
    dims: tuple[int | str, ...]
    role: str
    data: torch.Tensor | None


@dataclasses.dataclass(frozen=True)
class SegmentOp:
    """An op, as `mlgc ops NAME` describes it. operands, results: places in Segment.values.

    attributes: ints, floats, texts, or lists of these; an int that depends on sizes is a text here, and ExternalCall.attributes()
    has its value. regions: of loops and choices: (arguments, ops, yields) each.
    """

    name: str
    location: str
    operands: tuple[int, ...]
    results: tuple[int, ...]
    attributes: dict[str, Any]
    regions: tuple[tuple[tuple[int, ...], tuple[SegmentOp, ...], tuple[int, ...]], ...]
    _places: dict[str, tuple[int, int | None]] = dataclasses.field(repr=False, compare=False)  # of attributes with sizes


@dataclasses.dataclass(frozen=True)
class Segment:
    """What a target computes as a whole. inputs, outputs: places in `values`; ops stand in an order in which they can run."""

    target: str
    name: str
    text: str
    symbols: tuple[str, ...]
    values: tuple[SegmentValue, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    ops: tuple[SegmentOp, ...]


class ExternalCall:
    """One launch of a segment. Tensors are memory of the model: nothing may hold them when the call is over.

    values: by number; None for temporaries. inputs, outputs: those of them; outputs are to be written. symbols: sizes by name.
    threads: that may be used at the same time.
    """

    def __init__(self, segment: Segment, call: _Call) -> None:
        self.segment = segment
        self.values: list[torch.Tensor | None] = [_tensor(call.values[i]) for i in range(len(segment.values))]
        self.inputs = [self.values[i] for i in segment.inputs]
        self.outputs = [self.values[i] for i in segment.outputs]
        self.symbols = {name: call.symbols[i] for i, name in enumerate(segment.symbols)}
        self.threads: int = call.threads
        self._integers = call.integers

    def attributes(self, op: SegmentOp) -> dict[str, Any]:
        """Those of the op, with the sizes of this call."""
        found = dict(op.attributes)
        for name, (first, count) in op._places.items():
            found[name] = self._integers[first] if count is None else [self._integers[first + i] for i in range(count)]
        return found


# A shared object that exports `mlgc_external_NAME`, or a function that takes a segment and gives a function of calls.
External = Union[str, "os.PathLike[str]", Callable[[Segment], Callable[[ExternalCall], None]]]


def _memory(address: int | None, dtype: str, sizes: Sequence[int]) -> torch.Tensor:
    """A tensor on memory that somebody else owns."""
    torch_dtype = TORCH_DTYPES[dtype]
    count = 1
    for size in sizes:
        count *= size
    if count == 0:
        return torch.empty(tuple(sizes), dtype=torch_dtype, device="cpu")
    assert address is not None
    memory = (ctypes.c_char * (count * torch_dtype.itemsize)).from_address(address)
    return torch.frombuffer(memory, dtype=torch_dtype).view(tuple(sizes))


def _tensor(tensor: abi.Tensor) -> torch.Tensor | None:
    if not tensor.data:
        return None
    return _memory(tensor.data, abi.DTYPE_NAMES[tensor.dtype], [tensor.sizes[axis] for axis in range(tensor.rank)])


def _value(value: _Value) -> SegmentValue:
    dtype = abi.DTYPE_NAMES[value.dtype]
    dims = tuple(dim.text.decode() if dim.constant < 0 else dim.constant for dim in (value.dims[i] for i in range(value.rank)))
    role = ROLES[value.role]
    data = None
    if value.data:
        data = _memory(value.data, dtype, () if role == "splat" else [int(dim) for dim in dims])
    return SegmentValue(value.name.decode(), dtype, dims, role, data)


def _attribute(attribute: _Attribute) -> tuple[Any, tuple[int, int | None] | None]:
    """Its value, and where calls have it if it depends on sizes."""
    numbers = range(attribute.count)
    text = [attribute.texts[i].decode() if attribute.texts and attribute.texts[i] is not None else None for i in numbers]
    if attribute.kind == 0:
        values: list[Any] = [attribute.integers[i] if text[i] is None else text[i] for i in numbers]
    else:
        values = [attribute.reals[i] for i in numbers] if attribute.kind == 1 else text
    sized = attribute.kind == 0 and any(known is not None for known in text)
    place = (attribute.first, attribute.count if attribute.list else None) if sized else None
    return (values if attribute.list else values[0]), place


def _op(op: _Op) -> SegmentOp:
    attributes, places = {}, {}
    for i in range(op.attribute_count):
        name = op.attributes[i].name.decode()
        attributes[name], place = _attribute(op.attributes[i])
        if place is not None:
            places[name] = place
    return SegmentOp(op.name.decode(), op.location.decode(), tuple(op.operands[:op.operand_count]), tuple(op.results[:op.result_count]),
                     attributes, tuple(_region(op.regions[i]) for i in range(op.region_count)), places)


def _region(region: _Region) -> tuple[tuple[int, ...], tuple[SegmentOp, ...], tuple[int, ...]]:
    return (tuple(region.arguments[:region.argument_count]), tuple(_op(region.ops[i]) for i in range(region.op_count)),
            tuple(region.yields[:region.yield_count]))


def _segment(segment: _Segment) -> Segment:
    inputs, ops, outputs = _region(segment.body)
    return Segment(segment.target.decode(), segment.name.decode(), segment.text.decode(),
                   tuple(segment.symbols[i].decode() for i in range(segment.symbol_count)),
                   tuple(_value(segment.values[i]) for i in range(segment.value_count)), inputs, outputs, ops)


class _PythonTarget:
    """The table of a target that is a Python function."""

    def __init__(self, name: str, compile_segment: Callable[[Segment], Callable[[ExternalCall], None]]) -> None:
        self._compile = compile_segment
        self._prepared: dict[int, tuple[Segment, Callable[[ExternalCall], None]]] = {}
        self._functions = (_Prepare(self._prepare), _Run(self._run), _Release(self._release))  # called as long as this lives
        addresses = [ctypes.cast(function, c_void_p).value for function in self._functions]
        self.table = _Table(ctypes.sizeof(_Table), _VERSION, 0, name.encode(), None, *addresses)

    def _prepare(self, _: int, segment: Any, handle: Any, error: int, error_bytes: int) -> int:
        try:
            described = _segment(segment.contents)
            run = self._compile(described)
            if not callable(run):
                raise UsageError(f"the target gave {run!r} for segment {described.name}, which is no function of a call")
            number = len(self._prepared) + 1
            self._prepared[number] = (described, run)
            handle[0] = number
            return 0
        except BaseException as failure:  # nothing may go through C
            return _tell(failure, error, error_bytes)

    def _run(self, _: int, handle: int, call: Any) -> int:
        try:
            segment, run = self._prepared[handle]
            run(ExternalCall(segment, call.contents))
            return 0
        except BaseException as failure:
            return _tell(failure, call.contents.error, call.contents.error_bytes)

    def _release(self, _: int, handle: int) -> None:
        self._prepared.pop(handle, None)


def _tell(failure: BaseException, error: int, error_bytes: int) -> int:
    """Why, and where it was raised, to who called."""
    frames = traceback.extract_tb(failure.__traceback__)
    place = f" ({pathlib.Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    text = f"{type(failure).__name__}: {failure}{place}".encode()[:error_bytes - 1]
    ctypes.memmove(error, text + b"\0", len(text) + 1)
    return _FAILED


def tables(externals: Mapping[str, External]) -> Any:
    """A ctypes array of callback tables, which keeps alive what they call.

    UsageError: what is given is neither a file nor a function. ExecutionError: a shared object does not load, or has no table.
    """
    kept: list[Any] = []
    made = (_Table * len(externals))()
    for place, (name, given) in enumerate(externals.items()):
        if isinstance(given, (str, os.PathLike)):
            made[place] = _library_table(name, pathlib.Path(given), kept)
        elif callable(given):
            target = _PythonTarget(name, given)
            kept.append(target)
            made[place] = target.table
        else:
            raise UsageError(f"externals: {name!r} is {given!r}; give a shared object or a function")
    made.kept = kept  # type: ignore[attr-defined]  # they live as long as the array
    return made


def _library_table(name: str, path: pathlib.Path, kept: list[Any]) -> _Table:
    symbol = "mlgc_external_" + re.sub(r"[^A-Za-z0-9]", "_", name)
    try:
        library = ctypes.CDLL(str(path.resolve()))
        function = getattr(library, symbol)
    except (OSError, AttributeError) as error:
        raise ExecutionError(f"{path} cannot be loaded as external target {name!r}: {error}", 3) from None
    function.restype = POINTER(_Table)
    found = function()
    if not found or found.contents.struct_size < ctypes.sizeof(_Table) or found.contents.target != name.encode():
        raise ExecutionError(f"{path}: {symbol} gives no table of external target {name!r}", 3)
    kept.append(library)
    table = _Table()
    ctypes.memmove(ctypes.byref(table), found, ctypes.sizeof(_Table))
    table.struct_size = ctypes.sizeof(_Table)
    return table


def require_external(registry: str | os.PathLike[str] | None, externals: Mapping[str, External]) -> None:
    """UsageError: the registry cannot be read, or what computes its target is not given."""
    try:
        target = json.loads(pathlib.Path(str(registry)).read_text(encoding="utf-8")).get("target")
    except (OSError, ValueError, AttributeError) as error:
        raise UsageError(f"the registry {registry} cannot be read: {error}") from None
    if target not in externals:
        raise UsageError(f"the registry {registry} is of the target {target!r}; externals has {', '.join(map(repr, externals)) or 'none'}")


def partition_flag(registry: str | os.PathLike[str]) -> str:
    """Of `mlgc compile`, behind -O2."""
    path = str(os.fspath(registry))
    if not re.fullmatch(r"[\w./+-]+", path):  # as lib/pass/option_text.h reads it
        path = '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"--partition=registry={path}"
