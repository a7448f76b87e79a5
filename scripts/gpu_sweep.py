"""Random workloads of scripts/sweep that move memory, and products, of sizes and dtypes for a GPU. `FAMILY.SEED` names one, always the same.
"""
from __future__ import annotations

import random
from typing import Any

import torch
from torch import nn

import gpu_sweep_products  # noqa: F401  registers its family
import sweep_elements  # noqa: F401  registers its families
import sweep_gpu_convolutions  # noqa: F401
import sweep_products  # noqa: F401  likewise
import sweep_workload

FAMILIES = ["pointwise", "reduce", "argreduce", "norm", "softmax", "gather", "pad", "cat", "move", "scan", "convolution", "attention"]
SCALE = 32  # times the work of a workload for one thread of a CPU: results of some megabytes to some hundred
DTYPES = ["f32", "f32", "bf16", "bf16", "f16"]
PRODUCTS = "products"  # of FAMILIES where it is asked for
OF_MATRIX_UNIT = {PRODUCTS, "convolution", "attention"}  # families of which only 16-bit floats are of interest


def names_one(name: str) -> bool:
    return "." in name


def seeds(text: str) -> range:
    first, last = map(int, text.split(":"))
    return range(first, last)


def names(numbers: range, families: list[str]) -> list[str]:
    return [f"{family}.{seed}" for family in families for seed in numbers]


def build(name: str) -> tuple[nn.Module, tuple[Any, ...], str]:
    """The module, its inputs in memory of the host, and what it is, in words."""
    family, seed = name.split(".")
    draw = sweep_workload.Draw(f"gpu {family} {seed}")
    draw.scale = SCALE
    case = sweep_workload.FAMILIES[family](draw)
    dtype = random.Random(f"dtype {name}").choice(DTYPES[2:] if family in OF_MATRIX_UNIT else DTYPES) if case.floats else "f32"
    model, inputs, _ = sweep_workload.Workload(family, int(seed), case.words, dtype, False, case).build()
    return model, inputs, f"{case.words}, {dtype}"


class WeightsAsInputs(nn.Module):
    """Calls a model with its parameters and buffers given after its inputs: an emitted folder then has no weights."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = [model]  # no part of this module
        self.names = list(weights_of(model))

    def forward(self, *args):
        count = len(args) - len(self.names)
        return torch.func.functional_call(self.model[0], dict(zip(self.names, args[count:])), args[:count])


def weights_of(model: nn.Module) -> dict[str, torch.Tensor]:
    return {**dict(model.named_parameters()), **dict(model.named_buffers())}
