"""Saves small modules as TorchScript for the import test: for each <name>.pt, scripted or traced, <name>.npz with what
make_models.py writes: the inputs of calls that follow each other on one copy of the model, PyTorch's results with the new
values of changed buffers behind them, and the same computed in f64.

Usage: make_scripts.py FOLDER. Needs torch.
"""

import copy
import dataclasses
import pathlib
import sys
import warnings
from typing import Dict, List, Optional, Tuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from make_models import Cnn


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 4))

    def forward(self, x):
        return F.softmax(self.layers(x), dim=-1)


class ResidualBlock(nn.Module):
    """As torchvision's, with everything in place that can be."""

    def __init__(self, channels: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 2 * channels, 3, stride, 1, bias=False)
        self.bn1, self.relu = nn.BatchNorm2d(2 * channels), nn.ReLU(inplace=True)
        self.conv2, self.bn2 = nn.Conv2d(2 * channels, 2 * channels, 3, 1, 1, bias=False), nn.BatchNorm2d(2 * channels)
        self.downsample = nn.Sequential(nn.Conv2d(channels, 2 * channels, 1, stride), nn.BatchNorm2d(2 * channels))
        for norm in (self.bn1, self.bn2, self.downsample[1]):
            norm.running_mean.uniform_(-1, 1)
            norm.running_var.uniform_(0.5, 2)

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x, mask: Optional[Tensor] = None):
        batch, length, dim = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = q @ k.transpose(-2, -1) / (dim // self.heads) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        y = torch.softmax(scores, -1) @ v
        return self.out(y.transpose(1, 2).reshape(batch, length, dim))


class TracedAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.kv = nn.Linear(8, 8), nn.Linear(8, 16)

    def forward(self, x):
        k, v = self.kv(x).chunk(2, -1)
        heads = [t.view(x.shape[0], -1, 2, x.shape[2] // 2).transpose(1, 2) for t in (self.q(x), k, v)]
        y = F.scaled_dot_product_attention(*heads, is_causal=True)
        return y.transpose(1, 2).reshape(x.shape)


class Sizes(nn.Module):
    """Traced, sizes go through tensors of rank 0."""

    def forward(self, x):
        half = x.shape[1] // 2
        y = x[:, :half] + x[:, half:2 * half]
        return y.reshape(x.shape[0] * half, -1), x.new_zeros(x.shape[0] + 1, half * 3 - 1)


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        if bool(y.sum() > 0):
            z = torch.relu(y) * 2
            count = 1
        else:
            z = torch.sigmoid(y)
            count = 2
            if bool(y.mean() < -1):
                z = z - 1
        return z, z.sum() * count


class BranchInPlace(nn.Module):
    def forward(self, x):
        y = x * 2
        if bool(x[0, 0] > 0):
            y.add_(1)
        return y - x


class Newton(nn.Module):
    def forward(self, a):
        x = a
        steps = 0
        while bool(((x * x - a).abs() > 1e-3).any()) and steps < 50:
            x = (x + a / x) * 0.5
            steps += 1
        return x, steps


class Recurrence(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(6, 4)

    def forward(self, x):
        state = torch.zeros(x.size(0), 4, dtype=x.dtype)
        states: List[Tensor] = []
        for step in range(x.size(1)):
            state = torch.tanh(self.cell(torch.cat([x[:, step], state], dim=1)))
            states.append(state)
        return torch.stack(states, dim=1), state


class LongLoop(nn.Module):
    """Too long to be written out."""

    def forward(self, x):
        for i in range(6000):
            x = x * 0.999 + i % 3
        return x


class Broken(nn.Module):
    """The end depends on the data from the third step on."""

    def forward(self, x):
        for i in range(6):
            x = x + 1
            if i >= 2:
                if bool(x.sum() > 12):
                    break
        return x


class Outputs(nn.Module):
    def forward(self, x) -> Tuple[Tensor, List[Tensor], Dict[str, Tensor], float]:
        first, second = x.split(2, dim=1)
        pair = {"sum": first + second, "difference": first - second}
        return x, [first.contiguous(), second.contiguous()], pair, 0.5


class RunningMean(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("average", torch.zeros(3))
        self.register_buffer("calls", torch.tensor(0))
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        self.average.mul_(0.9).add_(0.1 * x.mean(0))
        self.calls += 1
        return self.fc(x - self.average)


class Power(nn.Module):
    def forward(self, x, n: int):
        y = torch.ones_like(x)
        for _ in range(n):
            y = y * x
        return y + n


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.norm = nn.Embedding(11, 6), nn.LayerNorm(6)

    def forward(self, tokens):
        positions = torch.arange(tokens.size(1))
        return self.norm(self.table(tokens) + self.table(positions)).mean(1)


class Shared(nn.Module):
    """One tensor by two names, and a module that is called twice."""

    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(6, 6), nn.Linear(6, 6)
        self.decode.weight = self.encode.weight

    def forward(self, x):
        return self.decode(torch.tanh(self.encode(self.encode(x))))


class Masked(nn.Module):
    def forward(self, x):
        return x[x > 0].sum(), torch.where(x > 0, x, 0.0)


@dataclasses.dataclass
class Case:
    module: nn.Module
    calls: list  # of the inputs
    traced: bool = False
    types: tuple = ()  # of --input-type
    states: tuple = ()  # buffers that calls change, in the order of their first use


def real(*shape):
    return torch.randn(*shape)


def cases():
    return {
        "mlp": Case(Mlp(), [[real(3, 8)]], types=("x=[B]x8xf32",)),
        "mlp_traced": Case(Mlp(), [[real(3, 8)]], traced=True),
        "cnn": Case(Cnn(), [[real(2, 2, 8, 8)]], types=("x=[B]x2x8x8xf32",)),
        "residual": Case(ResidualBlock(3, 2), [[real(2, 3, 8, 8)]], types=("x=2x3x8x8xf32",)),
        "residual_traced": Case(ResidualBlock(3, 1), [[real(2, 3, 6, 6)]], traced=True),
        "attention": Case(Attention(8, 2), [[real(2, 5, 8)]], types=("x=[B]x[T]x8xf32",)),
        "attention_masked": Case(Attention(8, 2), [[real(2, 5, 8), torch.ones(5, 5).tril()]],
                                 types=("x=[B]x[T]x8xf32", "mask=[T]x[T]xf32")),
        "attention_traced": Case(TracedAttention(), [[real(2, 5, 8)]], traced=True),
        "sizes_traced": Case(Sizes(), [[real(3, 7)]], traced=True),
        "branch": Case(Branch(), [[real(3, 4)], [-real(3, 4).abs() * 9], [real(3, 4).abs() * 9]],
                       types=("x=3x4xf32",)),
        "branch_in_place": Case(BranchInPlace(), [[torch.ones(2, 2)], [-torch.ones(2, 2)]], types=("x=[B]x2xf32",)),
        "newton": Case(Newton(), [[torch.tensor([2.0, 9.0, 0.5])]], types=("a=[N]xf32",)),
        "recurrence": Case(Recurrence(), [[real(3, 4, 2)]], types=("x=[B]x4x2xf32",)),
        "long_loop": Case(LongLoop(), [[real(3)]], types=("x=3xf32",)),
        "broken_loop": Case(Broken(), [[torch.ones(2)], [torch.ones(2) * 9], [torch.ones(2) * -9]],
                            types=("x=2xf32",)),
        "outputs": Case(Outputs(), [[real(3, 4)]], types=("x=[B]x4xf32",)),
        "running_mean": Case(RunningMean(), [[real(5, 3)], [real(5, 3)]], types=("x=[B]x3xf32",),
                             states=("average", "calls")),
        "power": Case(Power(), [[real(3), torch.tensor(4)], [real(3), torch.tensor(0)]], types=("x=3xf32", "n=i64")),
        "embedder": Case(Embedder(), [[torch.tensor([[1, 5, 10], [0, 3, 2]])]], types=("tokens=[B]x[T]xi64",)),
        "shared": Case(Shared(), [[real(2, 6)]], types=("x=[B]x6xf32",)),
        "masked": Case(Masked(), [[real(4, 5)]], types=("x=4x5xf32",)),
    }


def flat(value):
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (int, float)):
        return [torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None)]
    return [tensor for item in (value.values() if isinstance(value, dict) else value) for tensor in flat(item)]


def as_double(value):
    return value.double() if value.is_floating_point() else value.clone()


def run(module, case, calls, to):
    """Results and states of each call; integers of rank 0 are Python's."""
    results = []
    for inputs in calls:
        given = [to(x) if x.dim() else int(x) for x in inputs]
        results.append([t.detach().clone() for t in flat(module(*given))]
                       + [getattr(module, name).detach().clone() for name in case.states])
    return results


def write(folder, name, case):
    module = case.module.eval()
    eager = run(copy.deepcopy(module), case, case.calls, torch.clone)
    judge = run(copy.deepcopy(module).double(), case, case.calls, as_double)
    arrays = {}
    for k, inputs in enumerate(case.calls):
        for kind, tensors in (("in", inputs), ("eager", eager[k]), ("judge", judge[k])):
            for i, tensor in enumerate(tensors):
                arrays[f"call{k}.{kind}{i}"] = tensor.numpy()
    np.savez(folder / f"{name}.npz", **arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripted = torch.jit.trace(module, tuple(case.calls[0])) if case.traced else torch.jit.script(module)
        scripted.save(str(folder / f"{name}.pt"))


def main(folder):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    made = cases()
    with torch.no_grad():
        for name, case in made.items():
            write(folder, name, case)
    return made


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
