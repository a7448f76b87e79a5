"""Compiled functions on torch tensors.

Inputs are read where they lie; outputs are new tensors of torch. A function may be called from any number of threads; each
call in flight has a context of its own, on a GPU one of the current stream.
"""
from __future__ import annotations

import ctypes
import dataclasses
import functools
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import struct
import weakref
import zipfile
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn

import torch

from mlgc import abi, devices, driver
from mlgc.errors import DriverNotFound, ExecutionError, UsageError
from mlgc.externals import TORCH_DTYPES, tables as external_tables


@functools.lru_cache(maxsize=1)
def _caller() -> ModuleType:
    """The compiled part of this package: inside of it, or in the build tree of the driver."""
    beside = driver.find().resolve().parents[1] / "python"
    for folder in (pathlib.Path(__file__).parent, beside):
        path = folder / "_caller.abi3.so"
        if path.exists():
            loader = importlib.machinery.ExtensionFileLoader("mlgc._caller", str(path))
            spec = importlib.util.spec_from_loader("mlgc._caller", loader)
            assert spec is not None
            module = importlib.util.module_from_spec(spec)
            loader.exec_module(module)
            return module
    raise DriverNotFound(f"there is no _caller.abi3.so in this package, nor in {beside}; install the wheel, or build the repository "
                         "with the headers of Python (Debian: python3-dev)")


@functools.lru_cache(maxsize=1)
def _openmp() -> tuple[int, int] | None:
    """Addresses of GOMP_parallel and omp_get_thread_num in the OpenMP runtime that torch computes with; None: it has none."""
    path = pathlib.Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
    try:
        library = ctypes.CDLL(str(path), mode=os.RTLD_NOLOAD)  # looked up in what it depends on, too
        functions = library.GOMP_parallel, library.omp_get_thread_num
    except (OSError, AttributeError):
        return None
    parallel, thread_number = (ctypes.cast(function, ctypes.c_void_p).value or 0 for function in functions)
    return parallel, thread_number


def _shared_threads(threads: int, device: devices.Device) -> int:
    """The address of an mlgc_parallel_for on PyTorch's threads; 0: the context has its own. OpenMP ends and starts threads where
    regions want other numbers of them by turns, so only contexts with as many threads as PyTorch share."""
    if device.kind != "cpu":
        return 0
    found = _openmp()
    shared = threads > 1 and threads == torch.get_num_threads() and found is not None
    return int(_caller().openmp_threads(*found)) if shared and found is not None else 0


@dataclasses.dataclass(frozen=True)
class InputLayout:
    """How the tensors of an input lie. `order`: axes from the slowest; the function takes them in this order, row-major.

    `strides`: what they are known to be, for an order that is not that of the axes. `lazy`: a sign may be pending
    (torch.Tensor.is_neg).
    """

    order: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    lazy: bool = False


_CONTIGUOUS, _STRIDED, _ARRANGED = range(3)  # enum Taken of caller.cpp


class Function:
    """One function of a compiled model on tensors.

    inputs, outputs: how tensors lie, and orders of axes from the slowest; None: all row-major. The tensors that call() is
    given are those before they are brought into that order, and so are those that it returns.
    checked: dtypes, devices and sizes are looked at in each call. Without, the caller vouches for them.
    log: told of each launch of a kernel when it has ended. Where there are `states`, one call runs at a time, and on a GPU all run on
        the stream of the first.
    """

    def __init__(self, library: abi.Library, number: int, threads: int, inputs: Sequence[InputLayout] | None = None,
                 outputs: Sequence[tuple[int, ...]] | None = None, checked: bool = False,
                 log: Callable[[abi.Launch], None] | None = None, device: devices.Device = devices.CPU) -> None:
        signature = self.signature = library.signatures[number]
        self.device = device
        symbols = [_place_of(name, signature.inputs) for name in signature.symbols]
        placed = [place for place in symbols if place is not None]
        sizes = _size_function(signature) if signature.symbols and len(placed) == len(symbols) else None
        late = sizes is None and any(isinstance(dim, str) for value in signature.outputs for dim in value.dims)
        # States live in a context: a model that has some has one, and calls must not overlap.
        on_stream = device.stream()
        kept = library.context(threads, log, _shared_threads(threads, device), on_stream) if library.states() else None
        self.states = States(library, kept) if kept is not None else None

        def context(stream: int, frame: int) -> int:
            if kept is not None and stream != on_stream:
                raise UsageError(f"{signature.name} has states, so it runs on the stream that was current when it was made; another one is")
            made = kept or library.context(threads, log, _shared_threads(threads, device), stream,
                                           None if device.kind == "cpu" else (*_caller().allocator(), frame))
            return int(made.value or 0)

        native = _caller().Function(
            library.addresses, device.place(), number, context,
            [_described_input(value, layout) for value, layout in zip(signature.inputs, inputs or [InputLayout()] * len(signature.inputs))],
            [(*_described(value), tuple(order), TORCH_DTYPES[value.dtype])
             for value, order in zip(signature.outputs, outputs or [()] * len(signature.outputs))],
            placed, sizes, late, checked, self._refuse, ExecutionError,
            (torch.Tensor.data_ptr, torch.Tensor.is_contiguous, torch.Tensor.stride, device.empty_strided()))
        # Takes a list of tensors, returns a list of tensors. ExecutionError: it refused, or a value was out of range; outputs
        # that were begun are dropped.
        self.call: Callable[[list[torch.Tensor]], list[torch.Tensor]] = native.call
        # Waits for the device. ExecutionError: an earlier call failed there, which no call has reported.
        self.synchronize: Callable[[], None] = native.synchronize
        if device.kind != "cpu":
            _on_devices.add(self)

    def _refuse(self, number: int, given: Any) -> NoReturn:
        value = self.signature.inputs[number]
        wanted = f"input {number} (`{value.name}`) of {self.signature.name} is a tensor<{value.type()}> on {self.device}"
        if not isinstance(given, torch.Tensor):
            raise UsageError(f"{wanted}; a {type(given).__name__} is given")
        found = f"a tensor of {given.dtype}, sizes {tuple(given.shape)}, on {given.device} is given"
        elsewhere = not self.device.has(given)
        remedy = f"; give {value.name}.to({str(self.device.torch_device())!r})" if elsewhere else f"; give {value.name}.to({TORCH_DTYPES[value.dtype]})" if given.dtype != TORCH_DTYPES[value.dtype] else ""
        raise UsageError(f"{wanted}; {found}{remedy}")


def _place_of(symbol: str, inputs: Sequence[abi.Value]) -> tuple[int, int] | None:
    """Input and axis that a symbol can be read from."""
    return next(((i, axis) for i, value in enumerate(inputs) for axis, dim in enumerate(value.dims) if dim == symbol), None)


def _size_function(function: abi.Signature) -> Callable[..., tuple[tuple[int, ...], ...]] | None:
    """Sizes of the outputs from those of the symbols, by position; None where the call computes one."""
    text = []
    for value in function.outputs:
        dims = [str(dim).replace("floordiv", "//").replace("mod", "%") for dim in value.dims]
        text.append("(" + "".join(f"{dim}, " for dim in dims) + ")")
    if any("ceildiv" in dims for dims in text):
        return None
    code = f"lambda {', '.join(function.symbols)}: ({''.join(f'{dims}, ' for dims in text)})"
    try:
        made: Callable[..., tuple[tuple[int, ...], ...]] = eval(code, {"__builtins__": {}, "max": max, "min": min})
        return made
    except SyntaxError:
        return None


def _described(value: abi.Value) -> tuple[int, int, tuple[int, ...]]:
    """Its dtype in the C ABI, bytes of an element, and sizes, 0 for those that vary."""
    return abi.DTYPES[value.dtype], TORCH_DTYPES[value.dtype].itemsize, tuple(dim if isinstance(dim, int) else 0 for dim in value.dims)


def _described_input(value: abi.Value, layout: InputLayout) -> tuple[Any, ...]:
    axes = tuple(range(len(value.dims)))
    order = layout.order or axes

    def arrange(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.permute(order).resolve_neg().contiguous()

    taken = _ARRANGED if layout.lazy or (order != axes and layout.strides is None) else _STRIDED if order != axes else _CONTIGUOUS
    return (*_described(value), taken, layout.strides, arrange if order != axes or layout.lazy else _contiguous, TORCH_DTYPES[value.dtype])


def _contiguous(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.resolve_neg().contiguous()


class States:
    """What a model keeps between calls: weights that it trains, running statistics. By name, without @."""

    def __init__(self, library: abi.Library, context: Any) -> None:
        self._library = library
        self._context = context
        self._states = {state.name: state for state in library.states()}

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Copies of all."""
        made = {}
        for name, state in self._states.items():
            made[name] = torch.empty(state.sizes, dtype=TORCH_DTYPES[state.dtype], device="cpu")
            self._library.read_state(self._context, state, made[name].data_ptr())
        return made

    def load_state_dict(self, values: Mapping[str, torch.Tensor]) -> None:
        """Replaces those that are given. UsageError: there is none of a name, or it has another dtype or other sizes; then
        none is replaced."""
        ready = []
        for name, value in values.items():
            state = self._states.get(name)
            if state is None:
                raise UsageError(f"there is no state {name!r}; there are {', '.join(self._states)}")
            if value.dtype != TORCH_DTYPES[state.dtype] or tuple(value.shape) != state.sizes:
                raise UsageError(f"state {name!r} is a tensor of {TORCH_DTYPES[state.dtype]}, sizes {state.sizes}; one of {value.dtype}, sizes "
                                 f"{tuple(value.shape)} is given")
            ready.append((state, value.detach().cpu().contiguous()))
        for state, tensor in ready:
            self._library.write_state(self._context, state, tensor.data_ptr())

    def reset(self) -> None:
        """All to what they were when the model was compiled."""
        self._library.reset_states(self._context)


class Artifact:
    """What `mlgc compile` wrote: a folder or a single file. UsageError: it is neither.

    externals: what computes the segments of external targets, by name (externals.tables()).
    device: which GPU it runs on; None: the current one, of a model of GPUs.
    """

    def __init__(self, path: str | os.PathLike[str], externals: Mapping[str, Any] | None = None,
                 device: devices.Device | None = None) -> None:
        self.path = pathlib.Path(path)
        self.externals = dict(externals or {})
        self._externals = external_tables(externals) if externals else None
        self._wanted = device
        try:
            if self.path.is_dir():
                self._open_folder()
            else:
                self._open_file()
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise UsageError(f"{path} is no compiled model: {error}") from None

    def _open_folder(self) -> None:
        self.manifest = json.loads((self.path / "manifest.json").read_text(encoding="utf-8"))
        self.device = self._device()
        weights = self.path / "weights.safetensors"
        self.library = abi.Library((self.path / "model.so").resolve(), self.manifest["unit"],
                                   weights.resolve() if weights.exists() else None, self._externals, self.device.index)

    def _open_file(self) -> None:
        """A zip archive of stored members: the shared object is loaded out of memory, weights are used where they lie in the file."""
        with zipfile.ZipFile(self.path) as archive, open(self.path, "rb") as file:
            self.manifest = json.loads(archive.read("manifest.json"))
            self.device = self._device()
            self._mapped = torch.from_file(str(self.path), shared=False, size=os.path.getsize(self.path), dtype=torch.uint8)
            weights = None
            if "weights.safetensors" in archive.namelist():
                member = archive.getinfo("weights.safetensors")
                file.seek(member.header_offset + 26)
                name_bytes, extra_bytes = struct.unpack("<HH", file.read(4))
                weights = (self._mapped.data_ptr() + member.header_offset + 30 + name_bytes + extra_bytes, member.file_size)
            descriptor = os.memfd_create("mlgc-model", os.MFD_CLOEXEC)  # stays open: the loader knows objects by their path
            with open(descriptor, "wb", closefd=False) as code:
                code.write(archive.read("model.so"))
            self.library = abi.Library(pathlib.Path(f"/proc/self/fd/{descriptor}"), self.manifest["unit"], weights, self._externals,
                                       self.device.index)

    def _device(self) -> devices.Device:
        """UsageError: another kind was asked for, or there is no GPU."""
        kind = "cuda" if self.manifest.get("target") == "cuda" else "cpu"
        if self._wanted is not None and self._wanted.kind != kind:
            raise UsageError(f"{self.path} is compiled for {'GPUs' if kind == 'cuda' else 'the CPU'}, and {self._wanted} is asked for")
        return self._wanted or devices.named(kind)

    def extra(self, name: str) -> str | None:
        """The text of a file that lies beside the driver's; None: there is none."""
        path = self.path / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    def number_of(self, name: str) -> int:
        """UsageError: there is no function of that name."""
        names = [signature.name for signature in self.library.signatures]
        if name not in names:
            raise UsageError(f"{self.path} has no function {name}; it has {', '.join(names)}")
        return names.index(name)


# Functions on devices, whose failures synchronize() finds.
_on_devices: weakref.WeakSet[Function] = weakref.WeakSet()


def synchronize() -> None:
    """Waits until the GPUs have done all that compiled code queued.

    ExecutionError: a call failed there, and none has reported it: an index out of bounds, a division by zero.
    """
    failures = []
    for function in list(_on_devices):
        try:
            function.synchronize()
        except ExecutionError as error:
            failures.append(error)
    if failures:
        raise failures[0]


def random_key(device: devices.Device = devices.CPU) -> torch.Tensor:
    """A seed out of the device's generator, so that torch.manual_seed decides what is drawn, and the offset 0."""
    key = torch.zeros(2, dtype=torch.int64, device=device.torch_device())
    key[0].random_()
    return key
