"""What a random workload of scripts/sweep is, and how its sizes are drawn.

The same family and seed are the same workload always: sizes come from a generator of their own, weights and inputs from torch's,
seeded before each build.
"""
from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

LEAST_WORK, MOST_WORK = 2e5, 1.5e8  # multiply-adds: eager takes from 20 us to 20 ms on one thread
LEAST_ELEMENTS, MOST_ELEMENTS = 2e4, 3e6  # of what is read or written once
HALVES = {"bf16": torch.bfloat16, "f16": torch.float16}
PRIMES = [n for n in range(2, 4000) if all(n % d for d in range(2, math.isqrt(n) + 1))]


class Draw(random.Random):
    scale = 1  # by how many times there is more work, and the first size may be larger, for a machine that is so much faster

    def size(self, low: int, high: int) -> int:
        """Log-uniform; often a prime or a multiple of 8 or 16, sometimes an end of the range."""
        value = max(low, min(high, round(math.exp(self.uniform(math.log(low), math.log(high + 0.999))))))
        kind = self.random()
        if kind < 0.2:
            value = max((p for p in PRIMES if p <= value), default=value)
        elif kind < 0.45:
            value = value // 16 * 16 or value // 8 * 8 or value
        elif kind < 0.52 and low == 1:
            value = 1
        return max(low, min(high, value))

    def sizes(self, *ranges: tuple[int, int], work: Callable[..., float] = lambda *sizes: math.prod(sizes),
              least: float = LEAST_ELEMENTS, most: float = MOST_ELEMENTS) -> list[int]:
        """A size of each range, so that the work of all is between the bounds."""
        (low, high), *others = ranges
        return self._between([(low, high * self.scale), *others], work, least * self.scale, most * self.scale)

    def _between(self, ranges: list[tuple[int, int]], work: Callable[..., float], least: float, most: float) -> list[int]:
        for _ in range(2000 * self.scale):
            found = [self.size(*bounds) for bounds in ranges]
            if least <= work(*found) <= most:
                return found
        raise ValueError(f"no sizes of {ranges} have work between {least:g} and {most:g}")

    def shape(self, rank: int, least: float = LEAST_ELEMENTS, most: float = MOST_ELEMENTS) -> list[int]:
        """Sizes of a tensor; its elements are log-uniform too."""
        least, most = least * self.scale, most * self.scale
        target = math.exp(self.uniform(math.log(least), math.log(most)))
        longest = round(min(most, 4 * target ** (1 / rank) if rank > 1 else most))
        return self._between([(1, longest)] * rank, lambda *sizes: math.prod(sizes), target / 2, target * 2)

    def chance(self, share: float) -> bool:
        return self.random() < share

    def permutation(self, rank: int) -> list[int]:
        return self.sample(range(rank), rank)


class Call(nn.Module):
    """A plain function of up to four inputs as a module; its names are those of torch.export's dynamic shapes."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.function = function
        self.parts = nn.ModuleList()

    def forward(self, a, b=None, c=None, d=None):
        given = [value for value in (a, b, c, d) if value is not None]
        return self.function(*given)


@dataclasses.dataclass
class Case:
    """What a family draws. `build` gives a module in f32 and its inputs.

    dims: sizes of inputs that may be dynamic, by number of the input: {0: [0]} is the first size of the first one; None: none may be.
    floats: bf16 is worth drawing. integers: the float inputs may be i64 instead. roof: whether what it must do can be counted.
    """

    words: str
    build: Callable[[], tuple[Any, tuple[Any, ...]]]
    dims: dict[int, list[int]] | None = None
    floats: bool = True
    integers: bool = False
    roof: bool = True


@dataclasses.dataclass
class Workload:
    family: str
    seed: int
    words: str
    dtype: str
    dynamic: bool
    case: Case
    training: bool = False  # the mean square of its results and gradients by all weights and inputs, in one graph

    @property
    def level(self) -> str:
        """Of exporting.LEVELS."""
        return "training" if self.training else "functional"

    def build(self) -> tuple[nn.Module, tuple[Any, ...], tuple[Any, ...] | None]:
        """The module, its inputs, and torch.export's dynamic shapes."""
        torch.manual_seed(self.seed)
        model, inputs = self.case.build()
        model = (model if isinstance(model, nn.Module) else Call(model)).train(self.training)
        if half := HALVES.get(self.dtype):
            model, inputs = model.to(half), tuple(v.to(half) if v.is_floating_point() else v for v in inputs)
        elif self.dtype == "i64":
            inputs = tuple((v * 10).round().long() if v.is_floating_point() else v for v in inputs)
        if self.training:
            inputs = tuple(v.requires_grad_() if v.is_floating_point() else v for v in inputs)
        if not self.dynamic:
            return model, inputs, None
        auto = torch.export.Dim.DYNAMIC
        return model, inputs, tuple({d: auto for d in self.case.dims.get(number, [])} or None for number in range(len(inputs)))


FAMILIES: dict[str, Callable[[Draw], Case]] = {}
ABOUT: dict[str, str] = {}


def family(about: str) -> Callable[[Callable[[Draw], Case]], Callable[[Draw], Case]]:
    def add(function: Callable[[Draw], Case]) -> Callable[[Draw], Case]:
        name = function.__name__.rstrip("_")
        FAMILIES[name], ABOUT[name] = function, about
        return function

    return add


def workload(name: str, seed: int, training: bool = False) -> Workload:
    draw = Draw(f"{name} {seed}")
    case = FAMILIES[name](draw)
    kind, moving = draw.random(), draw.random()
    dtype = "bf16" if case.floats and kind < 0.125 else "i64" if case.integers and kind > 0.85 and not training else "f32"
    dynamic = bool(case.dims) and moving < 0.25
    words = case.words + f", {dtype}" * (dtype != "f32") + ", dynamic" * dynamic + ", training" * training
    return Workload(name, seed, words, dtype, dynamic, case, training)


def by(shape) -> str:
    return "x".join(map(str, shape))


def weight(*shape: int, scale: float | None = None) -> nn.Parameter:
    return nn.Parameter(torch.randn(*shape) * (scale if scale is not None else shape[-1] ** -0.5))


class With(nn.Module):
    """A function of inputs, and of parameters after them."""

    def __init__(self, function: Callable[..., Any], *weights: nn.Parameter):
        super().__init__()
        self.function = function
        self.weights = nn.ParameterList(weights)

    def forward(self, a, b=None, c=None):
        given = [value for value in (a, b, c) if value is not None]
        return self.function(*given, *self.weights)
