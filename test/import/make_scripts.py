"""Saves small modules as TorchScript for the import test: for each <name>.pt, scripted or traced, <name>.npz with what
make_models.py writes: the inputs of calls that follow each other on one copy of the model, PyTorch's results with the new
values of changed buffers behind them, and the same computed in f64.

Usage: make_scripts.py FOLDER. Needs torch.
"""

import copy
import dataclasses
import enum
import pathlib
import sys
import warnings
from typing import Dict, List, NamedTuple, Optional, Tuple

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


class CountedByData(nn.Module):
    def forward(self, x):
        mask = x > 0
        repeats = mask.sum(1)
        found, inverse, counts = torch._unique2(repeats, True, True, True)
        return (x.repeat_interleave(repeats, 0), torch.repeat_interleave(repeats), x.masked_select(mask), found, inverse, counts,
                torch.searchsorted(found, 1.5))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 4, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return y, h, c


class LstmStep(nn.Module):
    """With projections, and a state that comes and goes."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 6, proj_size=2, bias=False)

    def forward(self, x, h, c):
        y, state = self.lstm(x, (h, c))
        return y, state[0], state[1]


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.head = nn.GRU(3, 4, num_layers=2, dropout=0.5), nn.Linear(4, 2)

    def forward(self, x):
        y, h = self.gru(x)
        return self.head(y[-1]), h


class PlainRnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.RNN(3, 4, nonlinearity="relu"), nn.RNN(4, 3, bidirectional=True)

    def forward(self, x):
        return self.down(self.up(x)[0])[0]


class Moments(NamedTuple):
    mean: Tensor
    spread: Tensor
    count: int


def moments(x: Tensor) -> Moments:
    return Moments(x.mean(0), x.amax(0) - x.amin(0), x.size(0))


class NamedTuples(nn.Module):
    def forward(self, x):
        found = moments(x)
        if bool(found.spread.max() > 4):
            found = Moments(found.mean * 0, found.spread, found.count)
        return (x - found.mean) / (found.spread + 1), found.count


class Dicts(nn.Module):
    """Dicts that grow, are iterated over and asked for keys."""

    def forward(self, x):
        parts: Dict[str, Tensor] = {"first": x[:, 0]}
        for i, name in enumerate(["second", "third"]):
            parts[name] = x[:, i + 1] * (i + 2)
        if "second" in parts and "fourth" not in parts:
            parts["second"] = parts["second"] - 1
        total = torch.zeros_like(parts["first"])
        names = ""
        for name, part in parts.items():
            names += name[0]
            total = total + part
        return total * len(names), {name: part.exp() for name, part in parts.items()}


class Optionals(nn.Module):
    bias: Optional[Tensor]

    def __init__(self, bias: Optional[Tensor]):
        super().__init__()
        self.bias = bias

    def maybe(self, x, threshold: Optional[float]) -> Optional[Tensor]:
        return x if threshold is None or threshold > 1 else None

    def forward(self, x, scale: Optional[float] = None):
        y = self.maybe(x, scale)
        bias = self.bias
        if bias is not None:
            x = x + bias
        z = self.maybe(x, 0.5)
        if z is None:
            z = torch.zeros(1, 2, dtype=x.dtype)
        return x if y is None else x + y, z


class EarlyReturn(nn.Module):
    def forward(self, x):
        if x.dim() == 1:
            return x.sum()
        for i in range(x.size(1)):
            if bool(x[0, i] > 2):
                return x[:, i].sum() + i
        return x.sum() - 1


class Kind(enum.Enum):
    SUM = "sum"
    MEAN = "mean"


class Dispatch(nn.Module):
    def __init__(self, kind: Kind, activation: str):
        super().__init__()
        self.kind, self.activation = kind, activation

    def activate(self, x, name: str):
        if name == "relu":
            return torch.relu(x)
        elif name.startswith("tan"):
            return torch.tanh(x)
        raise ValueError(f"no activation {name}")

    def forward(self, x):
        x = self.activate(x, self.activation)
        if self.kind == Kind.SUM:
            return x.sum(-1)
        return x.mean(-1)


class Residuals(nn.Module):
    """Loops over a ModuleList and a ModuleDict, modules inside of modules."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(4, 4), nn.GELU()) for _ in range(3))
        self.heads = nn.ModuleDict({"label": nn.Linear(4, 3), "box": nn.Sequential(nn.Linear(4, 2), nn.Sigmoid())})

    def forward(self, x):
        for i, block in enumerate(self.blocks):
            x = x + block(x) / (i + 1)
        out: Dict[str, Tensor] = {}
        for name, head in self.heads.items():
            out[name] = head(x)
        return out


class Collatz(nn.Module):
    """A loop whose state is a tuple and an integer, with a branch on data inside."""

    def forward(self, n):
        x, steps, peak = n, 0, n
        while bool(x > 1):
            if bool(x % 2 == 0):
                x = x // 2
            else:
                x = 3 * x + 1
            peak = torch.maximum(peak, x)
            steps += 1
        return steps, peak


class Words(nn.Module):
    """Lists: comprehensions, slices, sorting, zip, reversed."""

    def forward(self, x):
        sizes = [2, 1, 3]
        pieces = torch.split(x, sizes, dim=1)
        scaled = [piece * size for piece, size in zip(pieces, sizes)]
        order = sorted(sizes)
        taken = scaled[::2] + [scaled[-2]]
        taken.reverse()
        first = taken.pop()
        taken.insert(0, first)
        return torch.cat(taken, dim=1) * order[0] + sum(sizes), max(sizes), torch.stack([s.sum() for s in scaled[1:]])


class InvertedResidual(nn.Module):
    """As torchvision's MobileNetV2."""

    def __init__(self, inputs: int, outputs: int, stride: int, expand: int):
        super().__init__()
        hidden = inputs * expand
        self.use_res_connect = stride == 1 and inputs == outputs
        self.conv = nn.Sequential(
            nn.Conv2d(inputs, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden),
            nn.ReLU6(inplace=True), nn.Conv2d(hidden, outputs, 1, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        if self.use_res_connect:
            return x + self.conv(x)
        return self.conv(x)


class MobileNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.Hardswish(), InvertedResidual(4, 4, 1, 2),
                                      InvertedResidual(4, 6, 2, 3), InvertedResidual(6, 6, 1, 2))
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(6, 5))

    def forward(self, x):
        x = self.features(x)
        x = F.adaptive_avg_pool2d(x, (1, 1))
        return self.classifier(torch.flatten(x, 1))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True),
                                  nn.MaxPool2d(3, 2, 1))
        self.layers = nn.Sequential(ResidualBlock(4, 1), ResidualBlock(8, 2))
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(16, 5)

    def forward(self, x):
        x = self.layers(self.stem(x))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x):
        return self.layer(x)


class Views(nn.Module):
    """Changes through views, and views of what changes."""

    def forward(self, x, y):
        x = x * 1
        x[0].add_(1)
        x[:, 1] = y
        flat = x.view(-1)
        row, column = x[1], x.t()[2]
        flat.mul_(2)
        x[1:, ::2] -= 3
        column[0] = 7
        pieces = x.unsqueeze(0).split(2, dim=2)
        x.transpose(0, 1)[0].zero_()
        return x, flat, row, column, pieces[1]


class InputViews(nn.Module):
    """A part of an input and of a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(3, 4))

    def forward(self, x, n: int):
        x[0].add_(1)
        self.cache[:, 1] = x.sum(1)
        self.cache.view(-1)[5:7].copy_(x[0, :2])
        return x * 1, self.cache * n


class BranchViews(nn.Module):
    """A branch on data changes a part of a tensor from outside; a view from before shows it."""

    def forward(self, x):
        x = x + 0
        row = x[1]
        last = x[:, -1]
        if bool(x.sum() > 0):
            row.mul_(10)
            x[0, 0] = last.sum()
        else:
            last.add_(1)
        return x, row, last


class AccumulateInLoop(nn.Module):
    """What a loop carries is changed in place step by step."""

    def forward(self, x):
        total = x * 2
        while bool(total.sum() < 50):
            total += x.abs() + 1
        total[0] = 0
        return total, x


class Draws(nn.Module):
    """What holds of all that is drawn."""

    def forward(self, x: Tensor):
        whole, noise = torch.empty(3000).random_(2, 5), torch.empty(3000).normal_(1.0, 2.0)
        coins, wide = torch.empty(3000).bernoulli_(0.25), torch.zeros_like(x).uniform_(-3.0, -1.0)
        order, like = torch.randperm(50), torch.randint_like(x, 3, 7)
        one = F.gumbel_softmax(x, hard=True)
        rectified, plain = F.rrelu(x, 0.25, 0.5, training=True), F.rrelu(x, 0.25, 0.5)
        picked = torch.multinomial(torch.arange(4).float(), 3).sort()[0]
        kept = F.scaled_dot_product_attention(x * 0, torch.ones_like(x), torch.ones_like(x), dropout_p=0.5)
        return (((whole == 2) | (whole == 3) | (whole == 4)).all(), (noise.mean() - 1).abs() < 0.2, (noise.std() - 2).abs() < 0.2,
                (coins.mean() - 0.25).abs() < 0.05, ((wide >= -3) & (wide <= -1)).all(), order.sort()[0],
                ((like >= 3) & (like < 7)).all(), one.sum(1).round(), torch.where(x > 0, rectified, torch.zeros_like(x)), plain,
                picked, ((kept * 2).round() - kept * 2).abs().amax() < 1e-5)


@dataclasses.dataclass
class Case:
    module: nn.Module
    calls: list  # of the inputs
    traced: bool = False
    types: tuple = ()  # of --input-type
    states: tuple = ()  # buffers that calls change, in the order of their first use
    inputs: tuple = ()  # numbers of the inputs that calls change
    draws: bool = False  # whether it draws random numbers, which follow from a last argument


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
        "lstm": Case(Lstm(), [[real(3, 4, 5)]], types=("x=[B]x[T]x5xf32",)),
        "lstm_step": Case(LstmStep(), [[real(4, 3, 3), real(1, 3, 2), real(1, 3, 6)]],
                          types=("x=[T]x[B]x3xf32", "h=1x[B]x2xf32", "c=1x[B]x6xf32")),
        "lstm_traced": Case(Lstm(), [[real(3, 4, 5)]], traced=True),
        "gru": Case(Gru(), [[real(4, 3, 3)]], types=("x=[T]x[B]x3xf32",)),
        "plain_rnn": Case(PlainRnn(), [[real(4, 2, 3)]], types=("x=4x[B]x3xf32",)),
        "named_tuples": Case(NamedTuples(), [[real(5, 3)], [real(5, 3) * 9]], types=("x=5x3xf32",)),
        "dicts": Case(Dicts(), [[real(4, 3)]], types=("x=[B]x3xf32",)),
        "optionals": Case(Optionals(None), [[real(4, 2)]], types=("x=[B]x2xf32",)),
        "optionals_given": Case(Optionals(real(2)), [[real(1, 2)]], types=("x=1x2xf32",)),
        "early_return": Case(EarlyReturn(), [[real(3, 4)], [real(3, 4) + 9], [torch.tensor([[0.0, 1, 5, 9]] * 3)]],
                             types=("x=3x4xf32",)),
        "dispatch": Case(Dispatch(Kind.SUM, "tanh"), [[real(3, 4)]], types=("x=[B]x4xf32",)),
        "residuals": Case(Residuals(), [[real(3, 4)]], types=("x=[B]x4xf32",)),
        "collatz": Case(Collatz(), [[torch.tensor([27])], [torch.tensor([1])]], types=("n=1xi64",)),
        "words": Case(Words(), [[real(2, 6)]], types=("x=[B]x6xf32",)),
        "mobilenet": Case(MobileNet(), [[real(2, 3, 16, 16)]], types=("x=[B]x3x16x16xf32",)),
        "resnet": Case(ResNet(), [[real(2, 3, 32, 32)]], types=("x=[B]x3x32x32xf32",)),
        "encoder": Case(Encoder(), [[real(2, 5, 8)]], types=("x=[B]x[T]x8xf32",)),
        "views": Case(Views(), [[real(3, 4), real(3)]], types=("x=3x4xf32", "y=3xf32")),
        "views_symbolic": Case(Views(), [[real(3, 4), real(3)]], types=("x=[B]x4xf32", "y=[B]xf32")),
        "input_views": Case(InputViews(), [[real(3, 4), torch.tensor(2)], [real(3, 4), torch.tensor(3)]],
                            types=("x=3x4xf32", "n=i64"), states=("cache",), inputs=(0,)),
        "branch_views": Case(BranchViews(), [[torch.ones(3, 2)], [-torch.ones(3, 2)]], types=("x=[B]x2xf32",)),
        "accumulate_in_loop": Case(AccumulateInLoop(), [[real(3)]], types=("x=[N]xf32",)),
        "masked": Case(Masked(), [[real(4, 5)]], types=("x=4x5xf32",)),
        "masked_symbols": Case(Masked(), [[real(4, 5)], [real(2, 3)]], types=("x=[u0]x[u2]xf32",)),
        "draws": Case(Draws(), [[real(4, 4)]], types=("x=[B]x4xf32",), draws=True),
        "counted_by_data": Case(CountedByData(), [[real(5, 3)], [real(2, 3)]], types=("x=[B]x3xf32",)),
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
                       + [getattr(module, name).detach().clone() for name in case.states]
                       + [given[i].detach().clone() for i in case.inputs])
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
        if case.draws:
            arrays[f"call{k}.in{len(inputs)}"] = np.array([7, 0])  # seed and offset
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
