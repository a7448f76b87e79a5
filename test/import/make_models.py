"""Exports small models for the import test: for each <name>.pt2 in the form that run_decompositions({}) gives,
<name>.core.pt2 in core ATen where the case asks for it, and <name>.npz with, for the calls k = 0, 1, … that follow each
other on one copy of the model, so that each starts from the buffers which the one before left,

    call<k>.in0, …     inputs
    call<k>.eager0, …  PyTorch's outputs in the models' own dtypes, followed by the new values of mutated buffers
    call<k>.judge0, …  the same computed in f64

Usage: make_models.py FOLDER [PART PARTS]. With a part (0, 1, …) of so many: the files of this part of the cases. Needs torch.
scripts/model_exports.py runs it, once for all tests.
"""

import copy
import dataclasses
import pathlib
import re
import sys
import warnings

import numpy as np
import torch
from torch import nn
from torch._higher_order_ops.map import map as map_over
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
import attention_models  # noqa: E402
import composite_models  # noqa: E402
import demo_networks  # noqa: E402
import training_models  # noqa: E402

BATCH = torch.export.Dim("batch")


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc0, self.fc1 = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x):
        return torch.softmax(self.fc1(torch.relu(self.fc0(x))), dim=-1)


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 4, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(4)
        self.pool, self.drop, self.fc = nn.MaxPool2d(2), nn.Dropout(0.5), nn.Linear(16, 3)
        self.norm.running_mean.uniform_(-1, 1)
        self.norm.running_var.uniform_(0.5, 2)

    def forward(self, x):
        return self.fc(self.drop(torch.flatten(self.pool(torch.relu(self.norm(self.conv(x)))), 1)))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(6, 6), nn.Linear(6, 6)
        self.decode.weight = self.encode.weight

    def forward(self, x):
        return self.decode(torch.tanh(self.encode(x)))


class StridedBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("column", torch.arange(12.0).view(3, 4)[:, 1])
        self.register_buffer("transposed", torch.arange(6.0).view(2, 3).t())

    def forward(self, x):
        return x * self.column + 1, x - self.transposed[0, 0]


class HiddenBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor([1.0, -2.0, 3.0]), persistent=False)

    def forward(self, x):
        return x * self.scale


class Heads(nn.Module):
    """Types that hold for sizes from 1, from 2 and from 0 on only."""

    def forward(self, x, y, z):
        return x - x[:, :1], y[:2] * 2.0, torch.cat([z, z])


class Numbers(nn.Module):
    def forward(self, x, n):
        return (x + 1) * 2 - 0.5, 3 - x, n * 2 + 1, n + 0.5, n < 2, torch.where(n > 0, x, 0.0), x // 2, x**2


class Pieces(nn.Module):
    def forward(self, x):
        a, b, c = torch.chunk(x, 3, dim=-1)
        d, e = torch.split(x, [2, 4], dim=1)
        return a + b * c, torch.cat([e, d], dim=1), x[:, 1:5:2], x[:, 2].unsqueeze(-1), x.topk(2, sorted=False)[0].sum(-1)


class Ema(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("average", torch.zeros(3))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x):
        self.average.mul_(0.9).add_(x.mean(0), alpha=0.1)
        self.calls.add_(1)
        return x - self.average


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTM(3, 4, 2, batch_first=True), nn.GRU(8, 3, bidirectional=True, batch_first=True)

    def forward(self, x):
        y, (h, _) = self.lstm(x)
        return self.gru(torch.cat([y, y.flip(1)], -1))[0], h


class Bf16(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4).bfloat16())

    def forward(self, x):
        return x * self.weight, (x.bfloat16() * self.weight).float()


class Shapes(nn.Module):
    def forward(self, x, y):
        flat = x.reshape(x.shape[0] * x.shape[1], x.shape[2])
        return flat + y, flat.sum() * x.shape[0], x.permute(2, 0, 1).contiguous(), x.transpose(0, 1).mean(-1)


class Random(nn.Module):
    """What is drawn is PyTorch's own business; what holds of every draw is compared."""

    def forward(self, x):
        u, v, n = torch.rand_like(x), torch.rand_like(x), torch.randn(5000)
        inside = ((u >= 0) & (u < 1)).all()
        kept = nn.functional.dropout(x, 0.5, training=True)
        whole = torch.randint(3, 7, (50,))
        return (
            inside, (u != v).any(), (n.mean().abs() < 0.1) & ((n.std() - 1).abs() < 0.1), ((kept == 0) | (kept == 2 * x)).all(),
            torch.bernoulli(torch.zeros_like(x)), torch.bernoulli(torch.ones_like(x)), ((whole >= 3) & (whole < 7)).all(),
        )


class Distributions(nn.Module):
    """How often each of some 5,000 numbers is below a point, against its distribution function: 0.03 are four deviations."""

    @staticmethod
    def fits(values, *points):
        return torch.stack([((values < point).float().mean() - share).abs() < 0.03 for point, share in points]).all()

    def forward(self, x):
        empty = torch.empty(5000)
        uniform, normal = empty.clone().uniform_(-1.0, 3.0), empty.clone().normal_(2.0, 3.0)
        exponential, cauchy = empty.clone().exponential_(2.0), empty.clone().cauchy_(1.0, 2.0)
        logarithms, trials = empty.clone().log_normal_(0.5, 0.25).log(), empty.clone().geometric_(0.25)
        means = torch.arange(5000.0)
        around = torch.normal(means, 2.0) - means
        scaled = torch.normal(1.0, means + 1) / (means + 1)
        both = (torch.normal(means, means + 1) - means) / (means + 1)
        coins = empty.clone().bernoulli_(0.25)
        uneven = empty.clone().bernoulli_(torch.full((5000,), 0.75))
        whole, half = torch.zeros(5000, dtype=torch.int64).geometric_(0.25), torch.randn(5000, dtype=torch.float16)
        quartiles = ((-0.6744898, 0.25), (0.0, 0.5), (0.6744898, 0.75))
        return (
            self.fits(uniform, (-1.0, 0.0), (0.0, 0.25), (2.0, 0.75), (3.0, 1.0)),
            self.fits(normal, *((2 + 3 * point, share) for point, share in quartiles)),
            self.fits(exponential, (0.0, 0.0), (0.14384104, 0.25), (0.34657359, 0.5), (0.69314718, 0.75)), (exponential > 0).all(),
            self.fits(cauchy, (-1.0, 0.25), (1.0, 0.5), (3.0, 0.75)),
            self.fits(logarithms, *((0.5 + 0.25 * point, share) for point, share in quartiles)),
            self.fits(trials, (1.0, 0.0), (1.5, 0.25), (2.5, 0.4375), (3.5, 0.578125)), (trials == trials.round()).all(),
            self.fits(around, *((2 * point, share) for point, share in quartiles)),
            self.fits(scaled, *quartiles), self.fits(both, *quartiles),
            self.fits(coins, (0.5, 0.75)), self.fits(uneven, (0.5, 0.25)), self.fits(empty.clone().bernoulli_(), (0.5, 0.5)),
            ((coins == 0) | (coins == 1)).all(),
            self.fits(whole, (1.0, 0.0), (1.5, 0.25), (2.5, 0.4375), (3.5, 0.578125)), self.fits(half, *quartiles),
        )


class Choices(nn.Module):
    """Whole numbers, orders and classes at random, and functions of torch.nn.functional that draw inside."""

    def forward(self, x):
        like, dice = torch.randint_like(x, 3, 7), torch.randint(6, (6000,))
        filled = torch.empty(6000).random_(5)
        order = torch.randperm(200)
        rectified = nn.functional.rrelu(x, 0.25, 0.5, training=True)
        slope = torch.where(x > 0, 0.25, rectified / x)
        one, soft = (nn.functional.gumbel_softmax(x, tau=0.5, hard=hard) for hard in (True, False))
        logits = torch.tensor([0.1, 0.2, 0.3, 0.4]).log().expand(5000, 4)
        picked = nn.functional.gumbel_softmax(logits, hard=True).mean(0)
        weights = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.0, 1.0, 0.0, 1.0]])
        some, many = torch.multinomial(weights, 2), torch.multinomial(weights, 5000, replacement=True)
        shares = torch.stack([(many[0] == i).float().mean() for i in range(4)])
        queries, keys, values = torch.zeros(1, 2, 3, 4), torch.ones(1, 2, 2000, 4), torch.ones(1, 2, 2000, 1)
        attended = nn.functional.scaled_dot_product_attention(queries, keys, values, dropout_p=0.5)
        mask = torch.arange(6).view(2, 3) < 3  # the second query sees nothing
        hidden = nn.functional.scaled_dot_product_attention(torch.ones(2, 4), torch.ones(3, 4), torch.ones(3, 4), attn_mask=mask, dropout_p=0.5)
        return (
            ((like >= 3) & (like < 7)).all(), ((filled >= 0) & (filled < 5) & (filled == filled.round())).all(),
            torch.stack([((dice == i).float().mean() - 1 / 6).abs() < 0.03 for i in range(6)]).all(),
            (order.sort()[0] == torch.arange(200)).all(), (order != torch.arange(200)).any(),
            ((slope > 0.2499) & (slope < 0.5001)).all(), torch.where(x > 0, rectified, torch.zeros_like(x)),
            nn.functional.rrelu(x, 0.25, 0.5), ((one == 1) | (one.abs() < 1e-6)).all(), one.sum(1).round(), soft.sum(1).round(),
            ((picked - torch.tensor([0.1, 0.2, 0.3, 0.4])).abs() < 0.03).all(),
            ((shares - torch.tensor([0.1, 0.2, 0.3, 0.4])).abs() < 0.03).all(),
            (some[0, 0] != some[0, 1]), some[1].sum(), (many[1] % 2 == 1).all(),
            ((attended - 1).abs() < 0.15).all(), (attended != 1).any(), hidden[1],
        )


class InPlace(nn.Module):
    """Changes of tensors through views of them, and what other views then read."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))
        self.register_buffer("table", torch.arange(12.0).view(4, 3))
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("var", torch.ones(3))

    def forward(self, x, y):
        z = x * 2
        row, flat, across = z[0], z.view(-1), z.t()
        row.add_(1).mul_(2)
        across[1].sub_(y[0])
        z[:, 2:].zero_()
        flat[1::4].copy_(flat[0::4])
        kept = z.clone().relu_()
        self.table[1].add_(x.sum(0))
        self.table.transpose(0, 1)[2].fill_(7.0)
        self.seen.add_(self.table.permute(1, 0).unsqueeze(0)[0, 1, 0])
        y.mul_(2)
        normal = nn.functional.batch_norm(x, self.mean, self.var, training=True)
        return z, row + 1, flat[:3] * across[0, 0], kept, self.table[1] * 1, normal + self.mean


class PutBack(nn.Module):
    """What a mask selects goes back to where it came from; a number of f64 keeps its digits."""

    def forward(self, x, mask, rows):
        kept = x[mask]
        back = torch.zeros_like(x).index_put((mask,), kept * 2, accumulate=True)
        some = x.index_put((rows,), torch.arange(6).reshape(2, 3).to(x))
        return back, some, torch.ops.aten.fill.Scalar(x.double(), 0.1)


class Conditional(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        by_data = torch.cond(x.sum() > 0, lambda x: (self.fc(x), x + 1), lambda x: (x - 1, x * 2), (x,))
        by_size = torch.cond(x.shape[0] > 3, lambda x: torch.cond(x.mean() > 0, lambda x: x * 2, torch.neg, (x,)), torch.tanh, (x,))
        return *by_data, by_size


class Loops(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(3, 3)

    def forward(self, x, h):
        count, y = while_loop(lambda i, y: (i < 6) & (y.sum() < 40), lambda i, y: (i + 1, torch.relu(self.step(y)) + y), (torch.tensor(0), x))
        last, steps = scan(lambda c, s: (torch.tanh(self.step(c) + s), c * s), h, x)
        return count, y, last, steps, map_over(lambda row, h: row @ h * row.sum(), x, h)


class Regions(nn.Module):
    """Weights and inputs are exact in bf16, and so are the products and sums that they give."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(torch.randint(-4, 5, parameter.shape) / 4)

    def forward(self, x):
        with torch.no_grad():
            y = self.fc(x)
            with torch.enable_grad():
                w = y * x
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = self.fc(x).relu()
        return y + x + w, z.float() - y


class Autocast(nn.Module):
    """Regions in 16 bits, in 32 bits inside of them, and what PyTorch keeps or brings back to 32 bits; changes in place."""

    def __init__(self):
        super().__init__()
        self.fc, self.norm, self.conv = nn.Linear(8, 8), nn.LayerNorm(8), nn.Conv1d(2, 4, 3)

    def forward(self, x):
        with torch.no_grad():
            start = x * 0.5
            start.mul_(2).relu_()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.norm(self.fc(x))
            y = torch.relu(y) @ x.transpose(0, 1)
            loss = nn.functional.mse_loss(y, torch.softmax(y, -1))
            wide = torch.cat([y, x[:, :4].float()], 1)
            with torch.autocast("cpu", enabled=False):
                exact = self.fc(x)
            mapped = self.conv(start.reshape(1, 2, -1))
            y += 1
        return y.float(), loss, wide, exact, mapped.float(), start


class Arguments(nn.Module):
    """Python numbers: fixed, given with each call, taken out of a tensor, computed from sizes."""

    def forward(self, x, n, fixed, flag):
        scale = 1 / torch.sym_float(x.shape[0])
        return (x * n + fixed) * scale if flag else x, torch.arange(n), x[:, :1].expand(-1, n), x.sum() / (x.shape[0] + 0.5)


class Items(nn.Module):
    def forward(self, x, count, shift, factor):
        n = count.item()
        torch._check(n >= 0)
        torch._check(n <= x.shape[0])
        k = shift.item()
        return x[:n].sum(0) + n, torch.zeros(n + 1, 2), x * (2 * k + 1) - k, x * factor.item(), x * (n & 2) - (n | 1)


class Assertions(nn.Module):
    """About sizes from data, about values, and in a branch."""

    def forward(self, x, count):
        n = count.item()
        torch._check(n >= 2)
        torch._check(n <= x.shape[0])
        torch._check(n % 2 == 0)
        torch._check(x.sum().item() > 0)
        torch._assert_async(torch.isfinite(x).all(), "all are finite")
        return x[:n] * 2


class Sampling(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(7, 3, mode="mean")
        self.register_buffer("forgotten", torch.zeros(3))

    def forward(self, x, grid, indices, offsets):
        size = nn.functional.interpolate
        place = (indices[:1] % 5).view(1, 1, 1, 1).expand(2, 3, 1, 6)
        return (
            nn.functional.grid_sample(x, grid, padding_mode="border", align_corners=False),
            self.bag(indices, offsets), size(x, size=(7, 5), mode="bilinear"), size(x, scale_factor=2.0, mode="nearest"),
            size(x, size=(3, 4), mode="bicubic", antialias=True), torch.histc(x, 6, -1.0, 1.0), torch.cummax(x, 3)[0],
            torch.zeros(2, 3, 5, 6, dtype=x.dtype).copy_(x[:, :, :1]), torch.linspace(0.0, 1.0, 7), torch.tril_indices(3, 4),
            torch.take_along_dim(x, place, 2), x.scatter_reduce(2, place, x[:, :, 1:2] * 3, "amax"),
        )


class Composites(nn.Module):
    """What exporters leave whole at the functional level."""

    def forward(self, x, n):
        grid = torch.zeros(2, 3, dtype=x.dtype)
        grid[0, :2] = n[0]
        pad, blocks = nn.functional.pad, nn.functional.unfold
        return (
            n.type_as(x), grid, torch.zeros_like(n).zero_() + torch.eye(3, dtype=n.dtype), pad(x, (1, -1, 0, 2), value=0.5),
            pad(x, (1, 2, 2, 0), "reflect"), pad(x, (1, 2, 2, 0), "replicate"), pad(x, (1, 2, 0, 0), "circular"),
            blocks(x, (2, 3), dilation=(1, 2), padding=(1, 0), stride=(2, 1)), blocks(x[0], 2),
            torch.diff(x, n=2, dim=1), torch.diff(n, prepend=n[:1]), torch.diff(x > 0), torch.min(x, x[:1]),
            torch.max(n, n[:1]), torch.multiply(x, n[1]), x.repeat_interleave(2, dim=1, output_size=6),
            nn.functional.fold(blocks(x, (2, 3), padding=(1, 0), stride=(2, 1)), (5, 6), (2, 3), padding=(1, 0), stride=(2, 1)),
            nn.functional.fold(blocks(x[0], 2, dilation=3), (5, 6), 2, dilation=3),
            nn.functional.fold(blocks(x, 3, dilation=2, padding=2, stride=(3, 2)), (5, 6), 3, dilation=2, padding=2, stride=(3, 2)),
            *torch.meshgrid(n, n[:2], indexing="ij"), *torch.meshgrid(n, n[:2], indexing="xy"),
            nn.functional.adaptive_avg_pool3d(x, (2, 1, 4)), nn.functional.adaptive_avg_pool3d(x[None], 1),
            nn.functional.adaptive_avg_pool1d(x[0], 4), torch._weight_norm(x, x[:, :1, :1, :1], 0),
            torch._weight_norm(x, x[:1, :, :1, :1], 1), torch._weight_norm(x, x[0, 0, 0, 0], -1), *torch.meshgrid(n, n[:2]),
        )


class Positions(nn.Module):
    def forward(self, x):
        at = torch.nonzero(x > 0)
        return at, x[at[:, 0]].sum(0), x[x < 0.5], x[x[:, 0] > 0]


class Bounds(nn.Module):
    """Slices whose bounds are data and may be negative or out of range, and others that are checked."""

    def forward(self, x, bounds):
        n = bounds[0].item()
        torch._check(n >= 0)
        return *torch.tensor_split(x, bounds), x[:n].sum(0), x[n:].sum(0), x[:, ::2][n:]


class Chosen(nn.Module):
    """What masks, sorted orders and views of positions choose."""

    def forward(self, x, mask):
        middle = x.median(1)
        kept = torch.masked_select(x, mask)
        found, inverse, counts = torch.unique((x*2).round(), return_inverse=True, return_counts=True)
        pooled, at = nn.functional.adaptive_max_pool2d(x[None, None], (2, 3), return_indices=True)
        return (middle.values, middle.indices, x.kthvalue(2, 0)[0], kept, found, inverse, counts, pooled, at,
                torch.masked_scatter(x, mask, x.flip(0)), torch.as_strided_scatter(x, x[0, :4].view(2, 2), (2, 2), (1, 7), 2),
                torch.diagonal_scatter(x, x[:, 0], 1), x.index_fill(1, torch.tensor([0, -1]), 2.0))


class Instances(nn.Module):
    """Running statistics that ATen's schema does not say are changed."""

    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm1d(3, momentum=0.25, affine=True, track_running_stats=True)

    def forward(self, x):
        return self.norm(x)


@dataclasses.dataclass
class Case:
    name: str
    model: nn.Module
    inputs: tuple  # to export with; the first call
    shapes: tuple | None = None
    core: bool = False  # whether to export in core ATen too
    raw: bool = False  # whether to save what torch.export gives as it is, too: operators may change tensors in place
    more_calls: list = dataclasses.field(default_factory=list)  # inputs
    where: tuple = ()  # constraints that the imported text states
    gone: str = ""  # an op of the imported text that passes must leave none of
    draws: bool = False  # whether it draws random numbers, which follow from a last argument
    training: bool = False  # whether the program is that of loss and gradients
    left: dict = dataclasses.field(default_factory=dict)  # by op: how many of them the text after passes has


def cases():
    """New ones at the end: all draw from one stream of numbers, and those in front keep theirs."""
    rows = ({0: BATCH},)
    yield Case("mlp_static", Mlp(), (torch.randn(5, 8),), core=True)
    yield Case("mlp_dynamic", Mlp(), (torch.randn(5, 8),), rows, core=True, more_calls=[(torch.randn(1, 8),)])
    yield Case("mlp_least_two", Mlp(), (torch.randn(5, 8),), ({0: torch.export.Dim("n", min=2, max=64)},),
               more_calls=[(torch.randn(n, 8),) for n in (1, 64)], where=("B <= 64",))
    yield Case("cnn", Cnn(), (torch.randn(3, 2, 8, 8),), rows, core=True, raw=True, gone="batch_norm")
    yield Case("tied", Tied(), (torch.randn(2, 6),))
    yield Case("strided_buffer", StridedBuffer(), (torch.randn(3),))
    yield Case("hidden_buffer", HiddenBuffer(), (torch.randn(4, 3),), rows)
    yield Case("numbers", Numbers(), (torch.randn(4), torch.arange(4)), rows * 2, core=True)
    yield Case("pieces", Pieces(), (torch.randn(3, 6),), rows, core=True)
    yield Case("ema", Ema(), (torch.randn(5, 3),), rows, core=True, raw=True, more_calls=[(torch.randn(n, 3),) for n in (5, 2)])
    yield Case("recurrent", Recurrent(), (torch.randn(5, 4, 3),), rows, raw=True, more_calls=[(torch.randn(2, 4, 3),)])
    yield Case("bf16", Bf16(), (torch.randn(4),))
    yield Case("random", Random(), (torch.randn(4, 3),), rows, core=True, draws=True)
    yield Case("in_place", InPlace(), (torch.randn(5, 3), torch.randn(2)), raw=True, more_calls=[(torch.randn(5, 3), torch.randn(2))])
    yield Case("conditional", Conditional(), (torch.randn(3, 4).abs(),), rows, core=True,
               more_calls=[(-torch.ones(5, 4),), (torch.ones(4, 4),)])
    yield Case("loops", Loops(), (torch.randn(5, 3), torch.randn(3)), rows + (None,), core=True,
               more_calls=[(torch.full((2, 3), 20.0), torch.randn(3))])
    yield Case("regions", Regions(), (torch.randint(-3, 4, (2, 4)).float(),), core=True, raw=True)
    yield Case("arguments", Arguments(), (torch.randn(3, 2), 4, 0.5, True), rows + (torch.export.Dim.DYNAMIC, None, None),
               core=True, more_calls=[(torch.randn(5, 2), n, 0.5, True) for n in (1, 7)])
    yield Case("items", Items(), (torch.randn(5, 2), torch.tensor(3), torch.tensor([2]), torch.tensor(0.25)), core=True, raw=True,
               more_calls=[(torch.randn(5, 2), torch.tensor(0), torch.tensor([-3]), torch.tensor(-1.5))])
    yield Case("sampling", Sampling(),
               (torch.randn(2, 3, 5, 6), torch.rand(2, 4, 3, 2) * 2.4 - 1.2, torch.tensor([3, 1, 4, 1, 5, 6]),
                torch.tensor([0, 2, 2])), core=True)
    yield Case("heads", Heads(), (torch.randn(3, 5), torch.randn(7), torch.randn(4)), ({0: BATCH, 1: torch.export.Dim("s")},
               {0: torch.export.Dim("t")}, {0: torch.export.Dim("u")}), core=True,
               more_calls=[(torch.randn(0, 1), torch.randn(2), torch.randn(0))], where=("1 <= S", "2 <= B1"))
    yield Case("composites", Composites(), (torch.randn(2, 3, 5, 6), torch.arange(3)))
    yield Case("positions", Positions(), (torch.randn(4, 3),), rows)
    yield Case("bounds", Bounds(), (torch.randn(5, 3), torch.tensor([2, 4])), core=True,
               more_calls=[(torch.randn(5, 3), torch.tensor(bounds)) for bounds in ([3, -1], [5, 1], [0, 9])])
    yield Case("chosen", Chosen(), (torch.randn(5, 6), torch.rand(5, 6) < 0.5))
    yield Case("instances", Instances().train(), (torch.randn(2, 3, 4),), core=True, raw=True, more_calls=[(torch.randn(2, 3, 4),)])
    masks = torch.tensor([[True, False, True]]*4), torch.tensor([False, True, True, False])
    yield Case("put_back", PutBack(), (torch.randn(4, 3), *masks), core=True,
               more_calls=[(torch.randn(4, 3), ~masks[0], ~masks[1])])
    # Terms of one sign: where they cancel, the order of a sum decides.
    yield Case("shapes", Shapes(), (torch.randn(3, 4, 5).abs(), torch.randn(5)), rows + (None,), core=True)
    yield Case("resnet", demo_networks.make_resnet(widths=(8, 12, 16, 24), classes=10), (torch.randn(2, 3, 40, 40),), rows,
               core=True, more_calls=[(torch.randn(1, 3, 40, 40),)], gone="batch_norm")
    tokens = [(torch.randint(demo_networks.TOKENS, size),)
              for size in ((3, 7), (1, 1), (1, 5), (4, 1), (demo_networks.LARGEST_BATCH, demo_networks.LONGEST))]
    yield Case("encoder", demo_networks.make_encoder(), tokens[0], demo_networks.encoder_shapes(), core=True,
               more_calls=tokens[1:],
               where=(f"1 <= S <= {demo_networks.LONGEST}", f"1 <= B <= {demo_networks.LARGEST_BATCH}"),
               left={"scaled_dot_product_attention": 2, "softmax": 0})
    yield from attention_models.cases(Case)
    yield from training_models.cases(Case)
    yield Case("centred", demo_networks.make_centred(), (torch.randn(5, 8),), rows, core=True,
               more_calls=[(torch.randn(n, 8),) for n in (5, 1)])
    yield Case("assertions", Assertions(), (torch.rand(6, 3), torch.tensor(4)), rows + (None,), core=True, raw=True,
               more_calls=[(torch.rand(9, 3), torch.tensor(2))])
    yield Case("autocast", Autocast(), (torch.randn(4, 8),), core=True, raw=True)
    yield Case("distributions", Distributions(), (torch.randn(4, 3),), core=True, raw=True, draws=True)
    yield Case("choices", Choices(), (torch.randn(4, 3),), rows, core=True, raw=True, draws=True)
    yield from composite_models.cases(Case)


def run(model, inputs):
    """Outputs, then the buffers that changed, in the order in which they were registered, then the inputs that changed."""
    before = {name: value.clone() for name, value in model.named_buffers()}
    given_inputs = inputs
    inputs = copy.deepcopy(inputs)
    if model.training:
        outputs = tuple(training_models.run(model, inputs))
    else:
        with torch.no_grad():
            outputs = model(*inputs)
    outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
    changed = [value for name, value in model.named_buffers() if not torch.equal(value, before[name])]
    changed += [now for was, now in zip(given_inputs, inputs, strict=True)
                if isinstance(was, torch.Tensor) and not torch.equal(was, now)]
    return outputs + changed


def double(value):
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def given(case, inputs):
    """What a call gives to the imported function: numbers that the export fixed are none of its arguments."""
    return [torch.as_tensor(value).numpy() for i, value in enumerate(inputs)
            if isinstance(value, torch.Tensor) or (case.shapes and case.shapes[i] is not None)]


# By the model's name: why single elements may be up to twice what is allowed in f32. Whether they are
# depends on the processor, by which PyTorch chooses its kernels. What differs are sums of many terms, each of them within
# some ulp; eager's own error, of which twice is allowed, is the largest of a few elements and sometimes happens to be small.
ROUNDING = {
    "attention_causal": "the gradient of a row with one score is a difference of two sums of products that are equal",
    "encoder": "its gradients are compiled sums over a batch in f32",
    "recurrent": "the gradient of a bias is summed up step by step",
    "resnet": "21 layers of convolutions, whose gradients are sums over the batch in f32",
    "train_encoder": "gradients of weights are compiled sums over the batch in f32",
}


def is_rounding(name, reports):
    """Whether all that check_import reports of results that do not agree is what ROUNDING admits of the model."""

    def is_near(report):
        error, allowed = (re.search(rf"^  {word} +(?:max )?([\d.e+-]+)", report, re.MULTILINE)
                          for word in ("absolute error", "allowed"))
        return bool(error and allowed) and float(error[1]) <= 2 * float(allowed[1])

    return name in ROUNDING and bool(reports) and all(map(is_near, reports))


def wrong_results(output):
    """The reports of results that do not agree."""
    blocks = re.split(r"^(?=call\d)", output.split("=== after passes")[-1], flags=re.MULTILINE)[1:]
    return [block for block in blocks if ": agrees" not in block.splitlines()[0]]


def further(judge, values):
    """The value whose largest error is larger; NaN and infinities as the first one has them."""
    errors = [(value.double() - judge).abs().nan_to_num(0, 0, 0).max() if value.numel() else 0 for value in values]
    return values[0] if errors[0] >= errors[1] else values[1]


def export(case, folder):
    """Writes <name>.pt2 and the other forms that the case asks for."""
    model = case.model
    if case.training:
        program = training_models.export(copy.deepcopy(model), case.inputs, case.shapes)
    else:
        program = torch.export.export(model, case.inputs, dynamic_shapes=case.shapes)
    torch.export.save(program if case.training else program.run_decompositions({}), folder / f"{case.name}.pt2")
    if case.raw:
        torch.export.save(program, folder / f"{case.name}.raw.pt2")
    if case.core:
        torch.export.save(program.run_decompositions(), folder / f"{case.name}.core.pt2")


def prepare():
    warnings.filterwarnings("ignore")
    torch.manual_seed(0)
    torch.set_num_threads(1)


def cases_by_name():
    """All cases, with the same weights and inputs in every process."""
    prepare()
    made = {case.name: case for case in cases()}
    for case in made.values():
        case.model.train(case.training)
    return made


def arrays_of(case):
    """What <name>.npz holds.

    Which kernels PyTorch takes, and with that its rounding, depends on the processor: eager's result is the one with
    oneDNN or the one without, whichever is further from the judge.
    """
    model, arrays = case.model, {}
    eager_model, plain_model, judge_model = copy.deepcopy(model), copy.deepcopy(model), copy.deepcopy(model).double()
    for number, inputs in enumerate([case.inputs, *case.more_calls]):
        call = f"call{number}."
        arrays |= {f"{call}in{i}": value for i, value in enumerate(given(case, inputs))}
        if case.draws:
            arrays[f"{call}in{len(inputs)}"] = np.array([7, 0])  # seed and offset
        with torch.random.fork_rng(), torch.backends.mkldnn.flags(enabled=False):
            plain = run(plain_model, inputs)
        eager = run(eager_model, inputs)
        # A model that rounds on purpose is not judged by one that does not.
        judge = eager if case.name in ("bf16", "regions") else run(judge_model, [double(v) for v in inputs])
        if judge is not eager:
            eager = [further(j, pair) if j.is_floating_point() else pair[0]
                     for j, *pair in zip(judge, eager, plain, strict=True)]
        for i, (value, exact) in enumerate(zip(eager, judge, strict=True)):
            arrays[f"{call}eager{i}"] = value.numpy().copy()
            exact = double(exact) if value.is_floating_point() else exact.to(value.dtype)
            arrays[f"{call}judge{i}"] = exact.numpy().copy()
    return arrays


def main(folder, part=0, parts=1):
    """Writes the files of each `parts`-th case from `part` on: processes share them out."""
    for case in list(cases_by_name().values())[part::parts]:
        torch.manual_seed(0)  # what a case draws does not depend on those before it
        export(case, folder)
        np.savez(folder / f"{case.name}.npz", **arrays_of(case))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:]))
