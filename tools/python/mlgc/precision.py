"""Running what is written for f32 in f64, as a reference for how far results may be from exact ones."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode


class InDouble(TorchDispatchMode):
    """What asks for a narrower float gets f64."""

    NARROW = (torch.float32, torch.float16, torch.bfloat16)

    def __torch_dispatch__(self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None) -> Any:
        def widen(value: torch.dtype) -> torch.dtype:
            return torch.float64 if value in self.NARROW else value

        def wide(tree: Any) -> Any:
            return pytree.tree_map_only(torch.dtype, widen, tree)

        return func(*wide(args), **wide(kwargs or {}))


def widened(tree: Any) -> Any:
    """A tree with its floating tensors in f64."""
    return pytree.tree_map_only(torch.Tensor, lambda v: v.double() if v.is_floating_point() else v, tree)
