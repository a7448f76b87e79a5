"""Where compiled code runs: the CPU, or one CUDA device. What PyTorch is asked about a device is asked here."""
from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from mlgc import abi
from mlgc.errors import UsageError


def _empty_strided(sizes: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    return torch.empty_strided(sizes, strides, dtype=dtype)


def _empty_strided_cuda(sizes: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    return torch.empty_strided(sizes, strides, dtype=dtype, device="cuda")


@dataclasses.dataclass(frozen=True)
class Device:
    """`kind` is "cpu" or "cuda"; `index` is that of PyTorch, 0 of the CPU."""

    kind: str = "cpu"
    index: int = 0

    def __str__(self) -> str:
        return "the CPU" if self.kind == "cpu" else f"cuda:{self.index}"

    def torch_device(self) -> torch.device:
        return torch.device("cpu") if self.kind == "cpu" else torch.device(self.kind, self.index)

    def has(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor lies there."""
        found = tensor.device
        return found.type == self.kind and (self.kind == "cpu" or found.index == self.index)

    def compile_flags(self) -> list[str]:
        """Of `mlgc compile`, for this machine. nvcc's `native` has none of the instructions of 9.0 alone, by which products run."""
        if self.kind == "cpu":
            return ["--vector-bytes=native"]
        return ["--target=cuda", "--arch=sm_90a" if _capabilities() == ("9.0",) else "--arch=native"]

    def machine(self) -> str:
        """What tells machines apart for which code is compiled by these flags."""
        return _cpu_flags() if self.kind == "cpu" else " ".join(["cuda", *_capabilities()])

    def empty_strided(self) -> Callable[[Sequence[int], Sequence[int], torch.dtype], torch.Tensor]:
        """Makes tensors there, of the current device. What Inductor's code makes its outputs by: half the time of torch.empty_strided(),
        and no default device."""
        name, usual = ("_empty_strided_cpu", _empty_strided) if self.kind == "cpu" else ("_empty_strided_cuda", _empty_strided_cuda)
        made: Callable[[Sequence[int], Sequence[int], torch.dtype], torch.Tensor] = getattr(torch._C._dynamo.guards, name, usual)
        return made

    def stream(self) -> int:
        """The address of the current one; 0: the default one, or there are none."""
        return 0 if self.kind == "cpu" else int(torch._C._cuda_getCurrentRawStream(self.index))

    def place(self) -> tuple[Any, ...]:
        """`Place` of caller.cpp."""
        if self.kind == "cpu":
            return (abi.CPU, 0, "is_cpu", True, None, None, None, torch.uint8)
        several = torch.cuda.device_count() > 1
        return (abi.CUDA, self.index, "device", self.torch_device(), torch._C._cuda_getCurrentRawStream,
                torch._C._cuda_exchangeDevice if several else None, self._copy, torch.uint8)

    def _copy(self, tensor: torch.Tensor, address: int, count: int) -> None:
        """Queues a copy of so many bytes of the device into a tensor, which it fills."""
        source = torch._C._construct_storage_from_data_pointer(address, self.torch_device(), count)
        tensor.untyped_storage().copy_(source, non_blocking=True)


CPU = Device()


def named(text: str | torch.device | None) -> Device:
    """ "cpu", "cuda" (the current one) or "cuda:1"; None: the CPU. UsageError: another kind, or this PyTorch has no CUDA."""
    try:
        device = torch.device(text if text is not None else "cpu")
    except RuntimeError as error:
        raise UsageError(f"device is {text!r}: {error}") from None
    if device.type == "cpu":
        return CPU
    if device.type != "cuda":
        raise UsageError(f'device is {text!r}; it can be "cpu", "cuda" or "cuda:1"')
    require_cuda()
    return Device("cuda", device.index if device.index is not None else torch.cuda.current_device())


def require_cuda() -> None:
    """UsageError: PyTorch sees no GPU here."""
    if not torch.cuda.is_available():
        what = "PyTorch finds no GPU, or no driver for one" if torch.backends.cuda.is_built() else "this PyTorch is built without CUDA"
        raise UsageError(f"the device is cuda: {what}")


def of_tensors(values: Iterable[Any]) -> Device:
    """Where a graph of these values is compiled for: the device of the first tensor on a GPU, else the CPU."""
    for value in values:
        if isinstance(value, torch.Tensor) and value.device.type == "cuda":
            return Device("cuda", value.device.index or 0)
    return CPU


@functools.lru_cache(maxsize=1)
def _capabilities() -> tuple[str, ...]:
    """Compute capabilities of the GPUs of this machine."""
    found = {torch.cuda.get_device_capability(index) for index in range(torch.cuda.device_count())}
    return tuple(f"{major}.{minor}" for major, minor in sorted(found))


def _cpu_flags() -> str:
    """What tells processors apart."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next((line for line in file if line.startswith("flags")), "")
    except OSError:
        return ""
