"""What a workload must do at least: bytes that are read and written once, and operations; and how long a machine needs for these.

Counted while eager runs it: a contraction counts two operations a multiply-add, others what COSTS says for each element of the
result (of a reduction: of the input). An input or a weight counts the elements that are read of it, at most all: what views leave
out is not, and a gather reads what it gives. Results count once.
"""
from __future__ import annotations

import copy
import dataclasses
import json
import math
import subprocess
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

import exporting

COSTS = {"exp": 12, "exp2": 10, "expm1": 14, "log": 14, "log2": 14, "log1p": 16, "sin": 16, "cos": 16, "tan": 20, "tanh": 18, "sigmoid": 16,
         "erf": 20, "gelu": 22, "silu": 17, "softplus": 30, "elu": 14, "atan": 16, "atan2": 20, "pow": 3, "sqrt": 4, "rsqrt": 5, "div": 4,
         "reciprocal": 4, "hardswish": 5, "_softmax": 16, "_log_softmax": 16, "logsumexp": 15, "native_layer_norm": 7, "native_group_norm": 7,
         "_native_batch_norm_legit_no_training": 2, "native_batch_norm": 2, "var": 4, "std": 4, "linalg_vector_norm": 2, "lerp": 3,
         "upsample_bilinear2d": 8, "upsample_bicubic2d": 32, "grid_sampler_2d": 12}
REDUCTIONS = {"sum", "mean", "amax", "amin", "max", "min", "argmax", "argmin", "prod", "any", "all", "var", "std", "logsumexp", "aminmax",
              "linalg_vector_norm", "norm", "mse_loss", "smooth_l1_loss", "nll_loss_forward", "_embedding_bag", "index_add", "scatter_add",
              "scatter_reduce"}
PRODUCTS = {"mm": (0, 1), "bmm": (0, 1), "addmm": (1, 2), "baddbmm": (1, 2), "mv": (0, 1), "addmv": (1, 2), "dot": (0, 1)}
MOVES = {"clone", "_to_copy", "copy", "cat", "stack", "index", "index_select", "gather", "embedding", "constant_pad_nd", "flip", "roll", "repeat",
         "zeros", "ones", "full", "empty", "scatter", "arange", "new_zeros", "new_empty", "fill", "im2col", "contiguous", "slice_scatter",
         "select_scatter", "index_put", "index_copy", "tril", "triu", "zeros_like", "new_full", "scalar_tensor", "reflection_pad1d",
         "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d", "replication_pad3d", "upsample_nearest2d"}
GATHERS = {"index", "index_select", "gather", "embedding", "_embedding_bag"}  # their first tensor is read where the result is from


def tensors(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def distinct(x: torch.Tensor) -> int:
    """Elements in memory: an expanded size counts once."""
    return math.prod(n for n, stride in zip(x.shape, x.stride()) if stride != 0)


class Counter(TorchDispatchMode):
    def __init__(self, given: list[torch.Tensor]):
        super().__init__()
        self.whole = {x.untyped_storage().data_ptr(): x.untyped_storage().nbytes() for x in given}
        self.read: dict[int, float] = {}
        self.operations = 0.0

    def reads(self, x: torch.Tensor, count: int | None = None) -> None:
        place = x.untyped_storage().data_ptr()
        if place in self.whole:
            amount = (distinct(x) if count is None else min(count, distinct(x))) * x.element_size()
            self.read[place] = min(self.whole[place], self.read.get(place, 0) + amount)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.is_view:
            return result
        name = func._schema.name.split("::")[1].rstrip("_")
        inputs, outputs = tensors((args, kwargs)), tensors(result)
        gathered = name in GATHERS
        for number, x in enumerate(inputs):
            rows = inputs[1].numel() * x.shape[-1] if name == "_embedding_bag" else outputs[0].numel() if gathered else 0
            self.reads(x, rows if gathered and number == 0 else None)
        self.operations += self.work(name, inputs, outputs, args)
        return result

    @staticmethod
    def work(name: str, inputs: list[torch.Tensor], outputs: list[torch.Tensor], args: Any) -> float:
        if not outputs or not inputs or name in MOVES:
            return 0
        given, made = max(x.numel() for x in inputs), outputs[0].numel()
        if name in PRODUCTS:
            return 2.0 * made * inputs[PRODUCTS[name][0]].shape[-1]
        if name in ("convolution", "_convolution"):
            x, kernel, groups = inputs[0], inputs[1], args[8]
            each = made if not args[6] else x.numel()
            return 2.0 * each * math.prod(kernel.shape[2:]) * kernel.shape[1] if groups else 0
        if name == "convolution_backward":  # of the result, the input, the weight; which gradients are wanted: of input, weight, bias
            result, x, kernel = inputs[:3]
            each = result.numel() if not args[7] else x.numel()
            return 2.0 * each * math.prod(kernel.shape[2:]) * kernel.shape[1] * sum(args[10][:2])
        if "scaled_dot_product" in name:
            q, k, v = inputs[:3]
            causal = any(value is True for value in args)
            return (q.numel() // q.shape[-1]) * k.shape[-2] * (2.0 * q.shape[-1] + 2.0 * v.shape[-1] + COSTS["exp"]) * (0.5 if causal else 1)
        if "pool" in name:
            size = args[1] if len(args) > 1 else [1]
            return made * float(math.prod(size) if not name.startswith(("_adaptive", "adaptive")) else max(1, given // made))
        return float(COSTS.get(name, 1) * (given if name in REDUCTIONS else made))


def count(example: exporting.Example, level: str) -> tuple[float, float]:
    """Operations and bytes of a call."""
    example = dataclasses.replace(example, model=copy.deepcopy(example.model))  # in training it may change
    given = [*tensors(example.args), *example.model.parameters(), *example.model.buffers()]
    with Counter(given) as counter:
        results = tensors(exporting.results_of(example, level))
    for x in results:
        counter.reads(x)  # a result that is a view of an input
    written = sum(x.numel() * x.element_size() for x in results)
    return counter.operations, sum(counter.read.values()) + written


def measured(mlgc: str) -> dict[str, float]:
    """The machine's limits as `mlgc explain target --measure` finds them now."""
    done = subprocess.run([mlgc, "explain", "target", "--measure", "--format=json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"mlgc explain target --measure: exit code {done.returncode}: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    flops = found["clock_ghz"] * 1e9 * 2 * found["vector_bytes"] / 4 * found["fma_ports"]
    return {"flops": flops, **{name: found[name] for name in ("l2_bytes", "l3_bytes", "l2_gbs", "l3_gbs", "memory_gbs", "all_memory_gbs")}}


def best(limits: list[dict[str, float]]) -> dict[str, float]:
    return {name: max(one[name] for one in limits) for name in limits[0]}


def seconds(operations: float, moved: float, limits: dict[str, float], threads: int, element: int = 4) -> float:
    """The least time for so many operations and bytes: of the bytes what the L2 cache can hold comes at its rate, and so on outwards.
    8-byte elements go half as many to a vector."""
    left, longest = moved, 0.0
    for size, rate in ((limits["l2_bytes"] * threads, limits["l2_gbs"] * threads), (limits["l3_bytes"], limits["l3_gbs"] * threads),
                       (math.inf, limits["memory_gbs"] if threads == 1 else limits["all_memory_gbs"])):
        part = min(left, size)
        longest += part / (rate * 1e9)
        left -= part
    return max(operations / (limits["flops"] * threads * min(1, 4 / element)), longest)
