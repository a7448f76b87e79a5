"""The C ABI of compiled models (lib/runtime/mlgc.h) for ctypes: structures, and one shared object with what makes contexts.

No torch here. Calls are made by `_caller` (caller.cpp). Nothing links libtorch, so that one build serves every version of it.
"""
from __future__ import annotations

import ctypes
import dataclasses
import pathlib
from collections.abc import Callable
from ctypes import POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_size_t, c_void_p
from typing import Any

from mlgc.errors import ExecutionError

CPU, CUDA = range(2)  # enum mlgc_device_kind
I64_MAX = 2**63 - 1
# enum mlgc_dtype, by the names of the text form.
DTYPES = {"i1": 0, "i8": 1, "ui8": 2, "i16": 3, "i32": 4, "i64": 5, "f16": 6, "bf16": 7, "f32": 8, "f64": 9}
DTYPE_NAMES = {number: name for name, number in DTYPES.items()}


class Tensor(Structure):
    """mlgc_tensor: memory, described. Sizes in elements, `bytes` in bytes."""

    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("dtype", c_int32), ("device", c_int32),
                ("device_id", c_int32), ("rank", c_int32), ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("bytes", c_size_t)]


class _DimInfo(Structure):
    _fields_ = [("text", c_char_p), ("constant", c_int64)]


class _ValueInfo(Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_int32), ("rank", c_int32), ("dims", POINTER(_DimInfo)),
                ("alignment", c_int32), ("input", c_int32), ("in_place", c_int32)]


class _SymbolInfo(Structure):
    _fields_ = [("name", c_char_p), ("low", c_int64), ("high", c_int64)]


class _Signature(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("input_count", c_int32), ("output_count", c_int32),
                ("symbol_count", c_int32), ("constraint_count", c_int32), ("inputs", POINTER(_ValueInfo)),
                ("outputs", POINTER(_ValueInfo)), ("symbols", POINTER(_SymbolInfo)), ("constraints", POINTER(c_char_p))]


class _LaunchEvent(Structure):
    _fields_ = [("struct_size", c_size_t), ("function", c_char_p), ("kernel", c_char_p), ("number", c_int32),
                ("nanoseconds", c_int64), ("bytes", c_int64), ("flops", c_int64), ("target", c_char_p), ("operand_count", c_int32),
                ("written_count", c_int32), ("operands", POINTER(Tensor))]


_LogFunction = ctypes.CFUNCTYPE(None, c_void_p, POINTER(_LaunchEvent))


class _ContextOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_int32), ("measure_arena", c_int32), ("parallel_for", c_void_p),
                ("parallel_data", c_void_p), ("stream", c_void_p), ("log", _LogFunction), ("log_data", c_void_p),
                ("memory_limit", c_int64), ("allocate", c_void_p), ("give_back", c_void_p), ("allocator_data", c_void_p)]


class _ProgramOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("weights", c_void_p), ("weights_bytes", c_size_t), ("weights_path", c_char_p),
                ("vector_bytes", c_int32), ("externals", c_void_p), ("external_count", c_int32), ("device_id", c_int32),
                ("copy_weights", c_int32)]


@dataclasses.dataclass(frozen=True)
class Launch:
    """A launch that has ended; `bytes` and `flops` are None where they are not known.

    target: that computed a segment; None: a kernel ran. reads, writes: types of the tensors, as `3x8xf32`.
    """

    function: str
    kernel: str
    number: int
    nanoseconds: int
    bytes: int | None
    flops: int | None
    target: str | None
    reads: tuple[str, ...]
    writes: tuple[str, ...]


class _StateInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("dtype", c_int32), ("rank", c_int32), ("sizes", POINTER(c_int64)),
                ("bytes", c_size_t)]


@dataclasses.dataclass(frozen=True)
class State:
    """What a model keeps between calls, each context its own. `name` is without the @."""

    number: int
    name: str
    dtype: str
    sizes: tuple[int, ...]
    bytes: int


@dataclasses.dataclass(frozen=True)
class Value:
    """An input or output of a function.

    `dims` are ints, or texts over the function's symbols as the module writes them (`2*S + 1`); `updates` is the number of the
    input that an output is the new value of.
    """

    name: str
    dtype: str
    dims: tuple[int | str, ...]
    updates: int | None

    def type(self) -> str:
        """As the text form writes it: `[B]x784xf32`."""
        return "x".join([*(str(dim) if isinstance(dim, int) else f"[{dim}]" for dim in self.dims), self.dtype])


@dataclasses.dataclass(frozen=True)
class Signature:
    """What a function takes and gives. `symbols` maps the name of a size to its range; no upper end is None."""

    name: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    symbols: dict[str, tuple[int, int | None]]
    constraints: tuple[str, ...]


def _value(info: _ValueInfo) -> Value:
    dims = tuple(dim.text.decode() if dim.constant < 0 else dim.constant for dim in (info.dims[i] for i in range(info.rank)))
    return Value(info.name.decode(), DTYPE_NAMES[info.dtype], dims, info.input if info.input >= 0 else None)


def _signature(info: _Signature) -> Signature:
    symbols = {symbol.name.decode(): (symbol.low, None if symbol.high == I64_MAX else symbol.high)
               for symbol in (info.symbols[i] for i in range(info.symbol_count))}
    return Signature(info.name.decode(), tuple(_value(info.inputs[i]) for i in range(info.input_count)),
                     tuple(_value(info.outputs[i]) for i in range(info.output_count)), symbols,
                     tuple(info.constraints[i].decode() for i in range(info.constraint_count)))


def _operand_types(event: _LaunchEvent) -> tuple[str, ...]:
    tensors = [event.operands[i] for i in range(event.operand_count)]
    return tuple("x".join([*(str(tensor.sizes[axis]) for axis in range(tensor.rank)), DTYPE_NAMES[tensor.dtype]]) for tensor in tensors)


class Library:
    """The shared object of a compiled model with its program: weights mapped, shared by all threads.

    weights: the path of a safetensors file, or address and bytes of one that lives as long as this; None: it has none.
    externals: a ctypes array of callback tables (externals.tables()); None: the model has no segments of external targets.
    device: the number of the device that it runs on; 0 on a CPU.
    ExecutionError: it does not load on this machine, its weights or a table are missing, or a target refuses a segment.
    """

    def __init__(self, path: pathlib.Path, unit: str, weights: pathlib.Path | tuple[int, int] | None = None,
                 externals: Any = None, device: int = 0) -> None:
        self._library = ctypes.CDLL(str(path))  # RTLD_LOCAL: each model has a runtime of its own
        # For who calls them without ctypes.
        self.addresses = tuple(ctypes.cast(getattr(self._library, name), c_void_p).value
                               for name in ("mlgc_run", "mlgc_error", "mlgc_release", "mlgc_context_destroy", "mlgc_context_synchronize"))
        self._library.mlgc_error.restype = c_char_p
        self._library.mlgc_error.argtypes = [c_void_p]
        self._library.mlgc_function_signature.restype = POINTER(_Signature)
        self._library.mlgc_function_signature.argtypes = [c_void_p, c_int32]
        table = getattr(self._library, unit)
        table.restype = c_void_p
        address, size = weights if isinstance(weights, tuple) else (None, 0)
        options = _ProgramOptions(ctypes.sizeof(_ProgramOptions), address, size, str(weights).encode() if isinstance(weights, pathlib.Path)
                                  else None, 0, ctypes.cast(externals, c_void_p) if externals is not None else None,
                                  len(externals) if externals is not None else 0, device)
        self._kept: list[Any] = [externals]
        self._program = c_void_p()
        error = ctypes.create_string_buffer(1024)
        status = self._library.mlgc_program_create(c_void_p(table()), byref(options), byref(self._program), error,
                                                   c_size_t(len(error)))
        if status != 0:
            raise ExecutionError(error.value.decode(), status)
        count = self._library.mlgc_function_count(self._program)
        self.signatures = [_signature(self._library.mlgc_function_signature(self._program, i).contents) for i in range(count)]

    def context(self, threads: int, log: Callable[[Launch], None] | None = None, parallel_for: int = 0, stream: int = 0,
                allocator: tuple[int, int, int] | None = None) -> c_void_p:
        """A context with `threads` threads; one thread of the host uses it at a time. Who asked for it ends it. `log` is called on the
        thread that runs a function. `parallel_for`: the address of an mlgc_parallel_for that is given the number of threads as
        its data; 0: the context has threads of its own. `stream`: of the device; 0: the default one. `allocator`: addresses of `allocate`,
        `give_back` and their data."""
        options = _ContextOptions(struct_size=ctypes.sizeof(_ContextOptions), threads=threads, parallel_for=parallel_for,
                                  parallel_data=threads, stream=stream)
        if allocator is not None:
            options.allocate, options.give_back, options.allocator_data = allocator
        if log is not None:
            def tell(_: int, event: Any) -> None:
                found = event.contents
                types = _operand_types(found)
                first_written = len(types) - found.written_count
                log(Launch(found.function.decode(), found.kernel.decode(), found.number, found.nanoseconds,
                           found.bytes if found.bytes >= 0 else None, found.flops if found.flops >= 0 else None,
                           found.target.decode() if found.target else None, types[:first_written], types[first_written:]))
            options.log = _LogFunction(tell)
            self._kept.append(options.log)  # contexts hold a bare pointer to it
        made = c_void_p()
        error = ctypes.create_string_buffer(1024)
        status = self._library.mlgc_context_create(self._program, byref(options), byref(made), error, c_size_t(len(error)))
        if status != 0:
            raise ExecutionError(error.value.decode(), status)
        return made

    def states(self) -> list[State]:
        """All of the model, in the order of their numbers."""
        made = []
        for number in range(self._library.mlgc_state_count(self._program)):
            info = _StateInfo(ctypes.sizeof(_StateInfo))
            self._library.mlgc_state(self._program, number, byref(info))
            made.append(State(number, info.name.decode().removeprefix("@"), DTYPE_NAMES[info.dtype],
                              tuple(info.sizes[axis] for axis in range(info.rank)), info.bytes))
        return made

    def read_state(self, context: c_void_p, state: State, address: int) -> None:
        """Copies a state into `state.bytes` bytes of memory."""
        self._checked(context, self._library.mlgc_state_read(context, state.number, c_void_p(address), c_size_t(state.bytes)))

    def write_state(self, context: c_void_p, state: State, address: int) -> None:
        """Copies `state.bytes` bytes of memory into a state."""
        self._checked(context, self._library.mlgc_state_write(context, state.number, c_void_p(address), c_size_t(state.bytes)))

    def reset_states(self, context: c_void_p) -> None:
        """To what the weights file says."""
        self._checked(context, self._library.mlgc_states_reset(context))

    def _checked(self, context: c_void_p, status: int) -> None:
        if status != 0:
            raise ExecutionError(self._library.mlgc_error(context).decode(), status)
