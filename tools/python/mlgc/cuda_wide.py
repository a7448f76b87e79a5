"""Operators that give f32 beside results of 16 bits on a GPU, where on the CPU, and as the driver has them, all are of 16 bits: means and
variances of norms, a softmax into f32. They compute in f32, and round what has 16 bits at the end, as PyTorch's kernels do."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

aten = torch.ops.aten


def decompositions() -> dict[Any, Callable[..., Any]]:
    """NotImplemented where the driver has the operator as it is."""
    return {aten.native_layer_norm.default: _layer_norm, aten._native_batch_norm_legit_functional.default: _batch_norm,
            aten._native_batch_norm_legit.no_stats: _batch_norm_without_statistics, aten._softmax.default: _softmax,
            aten._log_softmax.default: _log_softmax}


def _narrow_on_gpu(x: torch.Tensor) -> bool:
    return x.device.type == "cuda" and x.dtype in (torch.float16, torch.bfloat16)


def _wide(x: torch.Tensor | None) -> torch.Tensor | None:
    return None if x is None else x.to(torch.float32)


def _layer_norm(x: torch.Tensor, shape: Sequence[int], weight: torch.Tensor | None, bias: torch.Tensor | None, eps: float) -> Any:
    if not _narrow_on_gpu(x):
        return NotImplemented
    result, mean, deviation = aten.native_layer_norm.default(_wide(x), shape, _wide(weight), _wide(bias), eps)
    return result.to(x.dtype), mean, deviation


def _batch_norm(x: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None, running_mean: torch.Tensor,
                running_var: torch.Tensor, training: bool, momentum: float, eps: float) -> Any:
    if not _narrow_on_gpu(x):
        return NotImplemented
    result, mean, deviation, new_mean, new_var = aten._native_batch_norm_legit_functional.default(
        _wide(x), _wide(weight), _wide(bias), _wide(running_mean), _wide(running_var), training, momentum, eps)
    return result.to(x.dtype), mean, deviation, new_mean.to(running_mean.dtype), new_var.to(running_var.dtype)


def _batch_norm_without_statistics(x: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None, training: bool,
                                   momentum: float, eps: float) -> Any:
    if not _narrow_on_gpu(x):
        return NotImplemented
    result, mean, deviation = aten._native_batch_norm_legit.no_stats(_wide(x), _wide(weight), _wide(bias), training, momentum, eps)
    return result.to(x.dtype), mean, deviation


def _softmax(x: torch.Tensor, axis: int, half_to_float: bool) -> Any:
    return aten._softmax.default(_wide(x), axis, False) if half_to_float else NotImplemented


def _log_softmax(x: torch.Tensor, axis: int, half_to_float: bool) -> Any:
    return aten._log_softmax.default(_wide(x), axis, False) if half_to_float else NotImplemented
