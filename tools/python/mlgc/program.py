"""Compiled functions on torch tensors.

Inputs are read where they lie; outputs are new tensors of torch. A function may be called from any number of threads; each
call in flight has a context of its own.
"""
from __future__ import annotations

import ctypes
import json
import math
import os
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

import torch

from mlgc import abi
from mlgc.errors import ExecutionError, UsageError

TORCH_DTYPES = {"i1": torch.bool, "i8": torch.int8, "ui8": torch.uint8, "i16": torch.int16, "i32": torch.int32,
                "i64": torch.int64, "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}


def _size_function(function: abi.Signature) -> Callable[..., list[tuple[int, ...]]] | None:
    """Sizes of the outputs from those of the symbols, by name; None where the call computes one."""
    names = list(function.symbols)
    text = []
    for value in function.outputs:
        dims = [str(dim).replace("floordiv", "//").replace("mod", "%") for dim in value.dims]
        text.append("(" + "".join(f"{dim}, " for dim in dims) + ")")
    if any("ceildiv" in dims for dims in text):
        return None
    try:
        return eval(f"lambda {', '.join(names)}: [{', '.join(text)}]", {"__builtins__": {}, "max": max, "min": min})
    except SyntaxError:
        return None


class Function:
    """One function of a compiled model on tensors. mlgc_run() checks what it is given.

    Precondition of call(): one contiguous CPU tensor of the right dtype and rank for each input.
    """

    def __init__(self, library: abi.Library, number: int, threads: int) -> None:
        self.signature = library.signatures[number]
        self._library = library
        self._number = number
        self._threads = threads
        self._idle: list[_Call] = []  # list.append and list.pop are atomic
        self._dtypes = [TORCH_DTYPES[value.dtype] for value in self.signature.outputs]
        self._sizes = _size_function(self.signature)
        # Where each symbol can be read from: input and axis.
        self._symbols: list[tuple[int, int] | None] = []
        for name in self.signature.symbols:
            self._symbols.append(next(((i, axis) for i, value in enumerate(self.signature.inputs)
                                       for axis, dim in enumerate(value.dims) if dim == name), None))
        self.dynamic = bool(self.signature.symbols)
        if None in self._symbols:
            self._sizes = None
        self._fixed = self._sizes() if self._sizes and not self.dynamic else None
        self._owner = os.getpid()

    def call(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Runs it and returns new tensors.

        ExecutionError: it refused, or a value was out of range; outputs that were begun are dropped.
        """
        if self._owner != os.getpid():  # after fork: contexts of the parent have lost their threads
            self._idle, self._owner = [], os.getpid()
        call = self._idle.pop() if self._idle else _Call(self._library, self._number, self.signature, self._threads)
        if self._fixed is not None:
            shapes = self._fixed
        elif self._sizes is not None:
            shapes = self._sizes(*[inputs[i].shape[axis] for i, axis in self._symbols])
        else:
            shapes = None
        for tensor, slot in zip(inputs, call.inputs):
            slot.data = tensor.data_ptr() or call.nothing
        if self.dynamic:
            call.describe_inputs(inputs)
        if shapes is None:
            return self._call_unknown(call)
        outputs = [torch.empty(shape, dtype=dtype) for shape, dtype in zip(shapes, self._dtypes)]
        for tensor, slot in zip(outputs, call.outputs):
            slot.data = tensor.data_ptr() or call.nothing
        if self.dynamic:
            call.describe_outputs(outputs)
        status = self._library.run(call.context, self._number, call.inputs, call.input_count, call.outputs, call.output_count)
        if status != 0:
            raise call.failure(status)
        self._idle.append(call)
        return outputs

    def _call_unknown(self, call: _Call) -> list[torch.Tensor]:
        """Sizes that only the call knows: the context lends the memory, which is copied."""
        for slot in call.outputs:
            slot.data = None
            slot.bytes = 0
        status = self._library.run(call.context, self._number, call.inputs, call.input_count, call.outputs, call.output_count)
        if status != 0:
            raise call.failure(status)
        outputs = []
        for slot, dtype in zip(call.outputs, self._dtypes):
            made = torch.empty([slot.sizes[axis] for axis in range(slot.rank)], dtype=dtype)
            if slot.bytes:
                ctypes.memmove(made.data_ptr(), slot.data, slot.bytes)
            self._library.release(call.context, slot.data)
            outputs.append(made)
        call.describe_outputs(outputs)
        self._idle.append(call)
        return outputs


class _Call:
    """A context and the descriptions of tensors that its calls pass, made once."""

    def __init__(self, library: abi.Library, number: int, signature: abi.Signature, threads: int) -> None:
        self._library = library
        self.context = library.context(threads)
        self.inputs = (abi.Tensor * len(signature.inputs))()
        self.outputs = (abi.Tensor * len(signature.outputs))()
        self.input_count, self.output_count = len(signature.inputs), len(signature.outputs)
        self._nothing = ctypes.create_string_buffer(64)
        self.nothing = ctypes.addressof(self._nothing)
        self._sizes = []
        for slot, value in [*zip(self.inputs, signature.inputs), *zip(self.outputs, signature.outputs)]:
            sizes = (ctypes.c_int64 * len(value.dims))(*[dim if isinstance(dim, int) else 0 for dim in value.dims])
            self._sizes.append(sizes)
            slot.struct_size = ctypes.sizeof(abi.Tensor)
            slot.dtype = abi.DTYPES[value.dtype]
            slot.rank = len(value.dims)
            slot.sizes = ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64))
            slot.bytes = math.prod(sizes) * TORCH_DTYPES[value.dtype].itemsize

    def __del__(self) -> None:
        self._library.destroy_context(self.context)

    def describe_inputs(self, inputs: Sequence[torch.Tensor]) -> None:
        self._describe(self.inputs, self._sizes, inputs)

    def describe_outputs(self, outputs: Sequence[torch.Tensor]) -> None:
        self._describe(self.outputs, self._sizes[self.input_count:], outputs)

    @staticmethod
    def _describe(slots: Any, sizes: Sequence[ctypes.Array], tensors: Sequence[torch.Tensor]) -> None:
        for slot, memory, tensor in zip(slots, sizes, tensors):
            memory[:] = tensor.shape
            slot.bytes = tensor.numel() * tensor.element_size()
            slot.sizes = ctypes.cast(memory, ctypes.POINTER(ctypes.c_int64))

    def failure(self, status: int) -> ExecutionError:
        return ExecutionError(self._library.error(self.context), status)


class Artifact:
    """A folder that `mlgc compile` wrote."""

    def __init__(self, folder: str | os.PathLike[str], threads: int | None = None) -> None:
        self.path = pathlib.Path(folder)
        try:
            self.manifest = json.loads((self.path / "manifest.json").read_text(encoding="utf-8"))
        except OSError as error:
            raise UsageError(f"{folder} is no compiled model: {error.strerror}: {error.filename}") from None
        weights = self.path / "weights.safetensors"
        self.library = abi.Library((self.path / "model.so").resolve(), self.manifest["unit"],
                                   weights.resolve() if weights.exists() else None)
        self.functions = [Function(self.library, number, threads or torch.get_num_threads())
                          for number in range(len(self.library.signatures))]

    def function(self, name: str) -> Function:
        """UsageError: there is none of that name."""
        for made in self.functions:
            if made.signature.name == name:
                return made
        raise UsageError(f"{self.path} has no function {name}; it has {', '.join(f.signature.name for f in self.functions)}")
