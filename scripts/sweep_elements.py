"""Families of scripts/sweep that contract nothing: pointwise, reductions, norms, pooling, and what moves elements."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from sweep_workload import MOST_ELEMENTS, Case, With, by, family, weight


def places(draw, rank):
    """Some axes, in order; often the last, sometimes all."""
    kind = draw.random()
    if kind < 0.1:
        return list(range(rank))
    if kind < 0.35:
        return [rank - 1]
    return sorted(draw.sample(range(rank), draw.randint(1, max(1, rank - 1))))


def permuted(draw, rank, share=0.35):
    order = draw.permutation(rank) if rank > 1 and draw.chance(share) else list(range(rank))
    return order, f", permuted {by(order)}" * (order != list(range(rank)))


def first_dim(shape):
    return {0: [0]} if shape and shape[0] > 1 else None


UNARY = {"relu": torch.relu, "abs": torch.abs, "neg": torch.neg, "square": torch.square, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
         "exp": lambda x: torch.exp(x.clamp(-8, 4)), "gelu": F.gelu, "silu": F.silu, "erf": torch.erf, "sin": torch.sin, "cos": torch.cos,
         "log1p": lambda x: torch.log1p(x.abs()), "sqrt": lambda x: torch.sqrt(x.abs() + 0.1), "rsqrt": lambda x: torch.rsqrt(x.abs() + 1),
         "softplus": F.softplus, "hardswish": F.hardswish, "floor": torch.floor, "pow3": lambda x: x ** 3, "leaky_relu": F.leaky_relu,
         "reciprocal": lambda x: 1 / (x.abs() + 1), "clamp": lambda x: x.clamp(-1, 1), "atan": torch.atan, "elu": F.elu}
PLAIN = {"relu", "abs", "neg", "square", "clamp", "pow3"}
BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "maximum": torch.maximum, "minimum": torch.minimum,
          "where": lambda a, b: torch.where(a > b, a, b * 2), "div": lambda a, b: a / (b.abs() + 1),
          "lerp": lambda a, b: a + 0.3 * (b - a), "atan2": torch.atan2, "ge": lambda a, b: (a >= b).to(a.dtype)}
PLAIN_BINARY = ["add", "sub", "mul", "maximum", "minimum", "where", "ge"]


@family("chains of 1 to 6 pointwise functions of up to three inputs with broadcasts and transposes")
def pointwise(draw):
    rank = draw.choice([1, 2, 2, 3, 3, 4])
    shape = draw.shape(rank)
    count, integers = draw.randint(1, 3), draw.chance(0.25)
    shapes, orders, words = [shape], [list(range(rank))], [by(shape)]
    for _ in range(1, count):
        kept = [n if draw.chance(0.6) else 1 for n in shape]
        order, note = permuted(draw, rank, 0.3)
        cut = draw.randint(0, rank - 1) if draw.chance(0.3) and order == list(range(rank)) else 0
        kept = kept[cut:]
        order = order if not cut else list(range(rank - cut))
        stored = [0] * len(kept)
        for place, axis in enumerate(order):
            stored[axis] = kept[place]  # x.permute(order) has the shape `kept`
        shapes.append(stored)
        orders.append(order)
        words.append(by(stored) + note.replace(", ", " ") * (not cut))
    steps = []
    for number in range(draw.randint(max(1, count - 1), 6)):
        if number < count - 1:
            steps.append((draw.choice(PLAIN_BINARY if integers else list(BINARY)), number + 1))
        elif draw.chance(0.3):
            steps.append((draw.choice(PLAIN_BINARY if integers else ["add", "mul", "maximum", "lerp"]), 0))
        else:
            steps.append((draw.choice(sorted(PLAIN) if integers else list(UNARY)), None))

    def call(*args):
        args = [x.permute(order) for x, order in zip(args, orders)]
        out = args[0]
        for name, other in steps:
            out = UNARY[name](out) if other is None else BINARY[name](out, args[other])
        return out

    whole = shape[0] > 1 and orders[1:] == [list(range(len(s))) for s in shapes[1:]]
    dims = {n: [0] for n, s in enumerate(shapes) if len(s) == rank and s[0] == shape[0]} if whole else None
    return Case(f"{', '.join(words)}: {' '.join(name for name, _ in steps)}", lambda: (call, tuple(torch.randn(s) for s in shapes)), dims,
                integers=integers)


REDUCTIONS = {"sum": lambda x, d, k: x.sum(d, k), "mean": lambda x, d, k: x.mean(d, k), "amax": lambda x, d, k: x.amax(d, k),
              "amin": lambda x, d, k: x.amin(d, k), "var": lambda x, d, k: x.var(d, keepdim=k),
              "std": lambda x, d, k: x.std(d, keepdim=k, unbiased=False), "logsumexp": lambda x, d, k: torch.logsumexp(x, d, k),
              "norm": lambda x, d, k: torch.linalg.vector_norm(x, 2, d, k), "l1": lambda x, d, k: torch.linalg.vector_norm(x, 1, d, k),
              "prod": lambda x, d, k: (x * 0.1 + 1).prod(d[-1], k), "any": lambda x, d, k: (x > 1).any(d[-1], k),
              "all": lambda x, d, k: (x > -3).all(d[-1], k), "count": lambda x, d, k: (x > 0).sum(d, k),
              "sum of squares": lambda x, d, k: (x * x).sum(d, k), "sum of products": lambda x, d, k: (x * x.flip(0)).sum(d, k),
              "aminmax": lambda x, d, k: torch.aminmax(x, dim=d[-1], keepdim=k), "softmax weighted": lambda x, d, k: (x.sigmoid() * x).mean(d, k),
              "several": lambda x, d, k: (x.sum(d, k), x.amax(d, k), (x * x).mean(d, k))}
EXACT = ["sum", "amax", "amin", "any", "all", "count", "sum of squares", "aminmax"]


@family("sum, mean, max, min, product, variance, norm, logsumexp, any, all over any axes of any permutation")
def reduce_(draw):
    rank = draw.choice([1, 2, 2, 3, 3, 4, 5])
    shape = draw.shape(rank)
    order, note = permuted(draw, rank)
    axes, keep, integers = places(draw, rank), draw.chance(0.4), draw.chance(0.3)
    name = draw.choice(EXACT if integers else list(REDUCTIONS))
    act = draw.choice(["", "", "", "relu", "abs"])

    def call(x):
        x = x.permute(order)
        return REDUCTIONS[name](UNARY[act](x) if act else x, axes, keep)

    dims = first_dim(shape) if 0 not in [order[a] for a in axes] or name in ("sum", "amax", "mean") else None
    return Case(f"{name} of {act + ' ' if act else ''}{by(shape)}{note}, axes {axes}{', keepdim' * keep}",
                lambda: (call, (torch.randn(shape),)), dims, integers=integers)


@family("argmax, argmin, max and min with indices, over any axis of any permutation")
def argreduce(draw):
    rank = draw.choice([1, 2, 2, 3, 4])
    shape = draw.shape(rank)
    order, note = permuted(draw, rank)
    axis, keep = draw.randrange(rank), draw.chance(0.4)
    name = draw.choice(["argmax", "argmin", "max", "min", "argmax of all"])

    def call(x):
        x = x.permute(order)
        return torch.argmax(x) if name == "argmax of all" else getattr(torch, name)(x, axis, keep)

    return Case(f"{name} of {by(shape)}{note}, axis {axis}{', keepdim' * keep}", lambda: (call, (torch.randn(shape),)),
                first_dim(shape) if order[axis] else None, integers=True)


@family("layer, group, batch, instance and RMS norm, l2 normalisation, local response; residual or activation around some")
def norm(draw):
    kind = draw.choice(["layer", "layer", "rms", "group", "batch", "instance", "l2", "layer of two dims", "layer over channels", "local response"])
    after = draw.choice(["", "", "relu", "gelu", "add"])
    if kind in ("layer", "rms"):
        shape = draw.shape(draw.choice([2, 3, 3, 4]))
        while shape[-1] < 2:
            shape = draw.shape(draw.choice([2, 3]))
    else:
        shape = draw.sizes((1, 16), (2, 512), (1, 130), (1, 130))
    count = shape[1] if len(shape) > 1 else 1
    groups = draw.choice([g for g in (1, 2, 3, 4, 8, 16, 32) if count % g == 0])
    if kind == "instance" and shape[2] * shape[3] < 2:
        kind = "batch"
    axis = draw.randrange(len(shape))

    def build():
        x = torch.randn(shape)
        if kind == "rms":
            make = With(lambda x, w: x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * w, weight(shape[-1]))
        elif kind == "l2":
            make = With(lambda x: F.normalize(x, dim=axis))
        elif kind == "layer over channels":
            make = With(lambda x, w, b: F.layer_norm(x.permute(0, 2, 3, 1), (shape[1],), w, b).permute(0, 3, 1, 2), weight(shape[1]), weight(shape[1]))
        elif kind == "local response":
            make = nn.LocalResponseNorm(3)
        else:
            make = {"layer": lambda: nn.LayerNorm(shape[-1]), "layer of two dims": lambda: nn.LayerNorm(shape[2:]),
                    "group": lambda: nn.GroupNorm(groups, shape[1]), "batch": lambda: nn.BatchNorm2d(shape[1]),
                    "instance": lambda: nn.InstanceNorm2d(shape[1], affine=True)}[kind]()
        if not after:
            return make, (x,)
        with_act = {"relu": lambda y, x: F.relu(y), "gelu": lambda y, x: F.gelu(y), "add": lambda y, x: y + x}[after]

        class After(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = make

            def forward(self, x):
                return with_act(self.norm(x), x)

        return After(), (x,)

    words = f"{kind} {by(shape)}" + f", {groups} groups" * (kind == "group") + f", axis {axis}" * (kind == "l2") + (f", then {after}" if after else "")
    return Case(words, build, first_dim(shape) if kind != "l2" or axis else None)


@family("softmax, log_softmax, softmin and with temperature, mask or cross entropy, over any axis of any permutation")
def softmax(draw):
    rank = draw.choice([1, 2, 2, 3, 4])
    shape = draw.shape(rank)
    order, note = permuted(draw, rank)
    axis, kind = draw.choice([rank - 1, draw.randrange(rank)]), draw.choice(["softmax"] * 3 + ["log_softmax", "softmin", "scaled", "masked", "entropy"])

    def call(x, mask=None):
        x = x.permute(order)
        if kind == "masked":
            return torch.softmax(x.masked_fill(x > 1.5, float("-inf")), axis)
        if kind == "scaled":
            return torch.softmax(x * 0.125, axis)
        if kind == "entropy":
            return -(torch.softmax(x, axis) * torch.log_softmax(x, axis)).sum(axis)
        return {"softmax": torch.softmax, "log_softmax": torch.log_softmax, "softmin": F.softmin}[kind](x, axis)

    dims = first_dim(shape) if order[axis] else None
    # A line that is all masked would be NaN everywhere.
    kind = "softmax" if kind == "masked" and shape[order[axis]] < 64 else kind
    return Case(f"{kind} {by(shape)}{note}, axis {axis}", lambda: (call, (torch.randn(shape),)), dims)


@family("max, average, adaptive, lp and global pooling of 1 to 3 dims: kernel, stride, padding, dilation, ceil mode, indices")
def pool(draw):
    dims = draw.choice([1, 2, 2, 2, 3])
    kind = draw.choice(["max", "max", "avg", "avg", "adaptive avg", "adaptive max", "lp", "global", "max with indices"])
    low = {1: 8, 2: 6, 3: 4}[dims]
    shape = draw.sizes((1, 8), (1, 256), *[(low, {1: 4000, 2: 150, 3: 40}[dims])] * dims, least=2e4, most=2e6)
    kernel = draw.choice([2, 2, 3, 3, 4])
    stride, padding = draw.choice([kernel, 1, 2, 2, 3]), draw.choice([0, 0, kernel // 2])
    dilation, ceil = draw.choice([1, 1, 1, 2]) if (kernel - 1) * 2 < low else 1, draw.chance(0.2)
    outputs = [draw.randint(1, max(1, min(16, n))) for n in shape[2:]]
    counted = draw.chance(0.5)
    if kind == "global":
        return Case(f"global average {by(shape)}", lambda: (lambda x: x.mean(list(range(2, dims + 2))), (torch.randn(shape),)), first_dim(shape))

    def build():
        if kind.startswith("adaptive"):
            return getattr(nn, f"Adaptive{kind[9:].capitalize()}Pool{dims}d")(outputs), (torch.randn(shape),)
        if kind.startswith("max"):
            layer = getattr(nn, f"MaxPool{dims}d")(kernel, stride, padding, dilation, return_indices="indices" in kind, ceil_mode=ceil)
        elif kind == "avg":
            layer = getattr(nn, f"AvgPool{dims}d")(kernel, stride, padding, ceil_mode=ceil, count_include_pad=counted)
        else:
            layer = nn.LPPool2d(2, kernel, stride) if dims == 2 else nn.LPPool1d(2, kernel, stride) if dims == 1 else nn.AvgPool3d(kernel, stride)
        return layer, (torch.randn(shape),)

    words = f"{kind} {by(shape)}, " + (f"to {by(outputs)}" if kind.startswith("adaptive") else f"kernel {kernel}, stride {stride}")
    if not kind.startswith(("adaptive", "lp")):
        words += f", padding {padding}" * (padding > 0) + f", dilation {dilation}" * (dilation > 1 and kind.startswith("max")) + ", ceil" * ceil
    return Case(words, build, first_dim(shape))


def indices(high, *shape):
    return torch.randint(0, max(1, high), shape)


@family("embedding, index_select, gather, take_along_dim and indexing by tensors, on any axis")
def gather(draw):
    kind = draw.choice(["embedding", "embedding bag", "index_select", "gather", "take_along_dim", "rows", "columns", "pairs", "mask by row", "one hot"])
    if kind.startswith("embedding"):
        count, width = draw.sizes((2, 100000), (1, 512), most=2e7)
        batch, length = draw.sizes((1, 256), (1, 256), work=lambda b, n: b * n * width)
        if kind == "embedding":
            words = f"embedding of {batch}x{length} in {count}x{width}"
            return Case(words, lambda: (nn.Embedding(count, width), (indices(count, batch, length),)), {0: [0]} if batch > 1 else None)
        mode = draw.choice(["sum", "mean", "max"])
        return Case(f"embedding bag, {mode} of {batch}x{length} in {count}x{width}",
                    lambda: (nn.EmbeddingBag(count, width, mode=mode), (indices(count, batch, length),)), None, floats=False)
    rank = draw.choice([1, 2, 2, 3, 4])
    rank = max(2, rank) if kind in ("columns", "pairs", "mask by row") else rank
    shape = draw.shape(rank)
    axis = 0 if kind == "rows" else 1 if kind == "columns" else draw.randrange(rank)
    count = draw.size(1, max(1, 2 * shape[axis]))
    others = 1
    for place, n in enumerate(shape):
        others *= n if place != axis else 1
    count = max(1, min(count, int(MOST_ELEMENTS / others)))

    def build():
        x, index = torch.randn(shape), indices(shape[axis], count)
        if kind == "index_select":
            return lambda x, i: torch.index_select(x, axis, i), (x, index)
        if kind in ("gather", "take_along_dim"):
            wanted = [count if place == axis else n for place, n in enumerate(shape)]
            function = torch.gather if kind == "gather" else lambda x, axis, i: torch.take_along_dim(x, i, axis)
            return lambda x, i: function(x, axis, i), (x, indices(shape[axis], *wanted))
        if kind == "rows":
            return lambda x, i: x[i], (x, index)
        if kind == "columns":
            return lambda x, i: x[:, i], (x, index)
        if kind == "pairs":
            return lambda x, i, j: x[i, j], (x, indices(shape[0], 4 * count), indices(shape[1], 4 * count))
        if kind == "one hot":
            return lambda i: F.one_hot(i, 64).float(), (indices(64, max(400, min(20000, count * 50))),)
        return lambda x, m: torch.where(m[:, None], x.reshape(shape[0], -1), 0.5), (x, torch.rand(shape[0]) < 0.5)

    words = "one hot of 64" if kind == "one hot" else f"{kind} {by(shape)}, axis {axis}, {count}"
    return Case(words + f", {max(400, min(20000, count * 50))} indices" * (kind == "one hot"), build,
                {0: [0]} if shape[0] > 1 and axis and kind in ("index_select", "columns") else None, integers=kind in ("index_select", "rows"))


@family("scatter, scatter_add, scatter_reduce, index_add, index_copy, index_put, masked_scatter by where, bincount as one-hot sums")
def scatter(draw):
    kind = draw.choice(["scatter", "scatter_add", "scatter max", "scatter mean", "index_add", "index_copy", "index_put", "index_put accumulate",
                        "slice_scatter", "select_scatter", "segment sum"])
    rank = draw.choice([1, 2, 2, 3])
    rank = max(2, rank) if kind in ("segment sum", "select_scatter") else rank
    shape = draw.shape(rank, most=1e6)
    axis = draw.randrange(rank)
    if kind.startswith("index_put") or kind == "segment sum":
        axis = 0
    count = draw.size(1, max(1, shape[axis]))
    source = [count if place == axis else n for place, n in enumerate(shape)]

    def build():
        x, y, rows = torch.randn(shape), torch.randn(source), torch.randperm(shape[axis])[:count]
        full = torch.stack([torch.randperm(shape[axis])[:count] for _ in range(1)], 0).reshape([-1 if p == axis else 1 for p in range(rank)])
        full = full.expand(source).contiguous()
        if kind == "scatter":
            return lambda x, i, y: x.scatter(axis, i, y), (x, full, y)
        if kind == "scatter_add":
            return lambda x, i, y: x.scatter_add(axis, i, y), (x, indices(shape[axis], *source), y)
        if kind in ("scatter max", "scatter mean"):
            how = "amax" if kind == "scatter max" else "mean"
            return lambda x, i, y: x.scatter_reduce(axis, i, y, how), (x, indices(shape[axis], *source), y)
        if kind == "index_add":
            return lambda x, i, y: x.index_add(axis, i, y), (x, indices(shape[axis], count), y)
        if kind == "index_copy":
            return lambda x, i, y: x.index_copy(axis, i, y), (x, rows, y)
        if kind.startswith("index_put"):
            more = "accumulate" in kind
            return lambda x, i, y: torch.index_put(x, (i,), y, more), (x, indices(shape[0], count) if more else rows, y)
        if kind == "slice_scatter":
            return lambda x, y: torch.slice_scatter(x, y, axis, 0, count), (x, y)
        if kind == "select_scatter":
            return lambda x, y: torch.select_scatter(x, y, axis, shape[axis] // 2), (x, torch.randn([n for p, n in enumerate(shape) if p != axis]))
        groups = max(1, shape[0] // 8)
        return (lambda y, i: y.new_zeros([groups, *shape[1:]]).index_add(0, i, y)), (x, indices(groups, shape[0]))

    return Case(f"{kind} into {by(shape)}, axis {axis}, {count}", build, None, integers=kind in ("scatter", "scatter_add", "index_copy"))


@family("pad by constants, reflection, replication, around; crops; 1 to 3 padded dims")
def pad(draw):
    dims = draw.choice([1, 2, 2, 3])
    mode = draw.choice(["constant", "constant", "reflect", "replicate", "circular", "crop"])
    shape = draw.sizes((1, 8), (1, 128), *[(5, {1: 8000, 2: 300, 3: 60}[dims])] * dims)
    amounts = [draw.randint(0, 4) for _ in range(2 * dims)]
    if mode == "crop":
        amounts = [-draw.randint(0, 2) for _ in range(2 * dims)]
    value = draw.choice([0.0, 0.0, 1.5])
    relu = draw.chance(0.3)

    def call(x):
        y = F.pad(x, amounts, "constant", value) if mode in ("constant", "crop") else F.pad(x, amounts, mode)
        return F.relu(y) if relu else y

    return Case(f"{mode} {by(shape)} by {amounts}{', relu' * relu}", lambda: (call, (torch.randn(shape),)), first_dim(shape))


@family("cat and stack of 2 to 4 tensors, on any axis, permuted, after pointwise functions; splits that are joined again")
def cat(draw):
    rank, count = draw.choice([1, 2, 3, 3, 4]), draw.randint(2, 3)
    shape = draw.shape(rank, most=1e6)
    axis, kind = draw.randrange(rank), draw.choice(["cat", "cat", "stack", "pointwise", "permuted", "chunks", "rotate"])
    if kind in ("chunks", "rotate") and shape[axis] % 2:
        shape[axis] += 1
    others = [shape] + [[draw.size(1, 2 * n) if p == axis and kind != "stack" else n for p, n in enumerate(shape)] for _ in range(1, count)]
    if kind in ("chunks", "rotate"):
        others = [shape]

    def call(*args):
        if kind == "chunks":
            a, b = args[0].chunk(2, axis)
            return torch.cat([b * a.sigmoid(), a], axis)
        if kind == "rotate":
            a, b = args[0].chunk(2, axis)
            return args[0] * 0.5 + torch.cat([-b, a], axis)
        if kind == "stack":
            return torch.stack(args, axis)
        if kind == "pointwise":
            return torch.cat([x * (n + 1) for n, x in enumerate(args)], axis).relu()
        if kind == "permuted":
            return torch.cat(args, axis).transpose(0, -1).contiguous()
        return torch.cat(args, axis)

    dims = {n: [0] for n in range(len(others))} if axis and shape[0] > 1 else None
    return Case(f"{kind} of {', '.join(map(by, others))}, axis {axis}", lambda: (call, tuple(torch.randn(s) for s in others)), dims,
                integers=kind in ("cat", "stack", "permuted"))


@family("roll, flip, transpose copies, repeat, repeat_interleave, unfold, pixel shuffle, strided slices, triangles, diagonals, windows")
def move(draw):
    kind = draw.choice(["roll", "roll", "flip", "transpose", "transpose", "repeat", "repeat_interleave", "unfold", "pixel_shuffle",
                        "channel_shuffle", "slices", "tril", "windows", "diagonal", "fold"])
    rank = {"unfold": 4, "pixel_shuffle": 4, "channel_shuffle": 4, "windows": 4, "tril": 3, "diagonal": 3, "fold": 4}.get(kind, draw.choice([2, 2, 3, 4]))
    shape = draw.shape(rank, most=1e6)
    if rank == 4 and kind not in ("roll", "flip", "transpose", "repeat", "repeat_interleave", "slices"):
        shape = draw.sizes((1, 8), (1, 48), (8, 160), (8, 160), most=1e6)
        shape = [shape[0], 4 * -(-shape[1] // 4), shape[2] // 4 * 4, shape[3] // 4 * 4]
    order = draw.permutation(rank)
    while order == list(range(rank)) and rank > 1:
        order = draw.permutation(rank)
    axes = places(draw, rank)
    shifts = [draw.randint(-max(1, shape[a] // 2), max(1, shape[a] // 2)) for a in axes]
    times = [draw.choice([1, 1, 2, 3]) for _ in shape]
    step = draw.choice([2, 2, 3])
    axis = draw.randrange(rank)

    def call(x):
        if kind == "roll":
            return torch.roll(x, shifts, axes)
        if kind == "flip":
            return torch.flip(x, axes)
        if kind == "transpose":
            return x.permute(order).contiguous()
        if kind == "repeat":
            return x.repeat(times)
        if kind == "repeat_interleave":
            return x.repeat_interleave(step, axis)
        if kind == "unfold":
            return F.unfold(x, 3, padding=1, stride=step - 1)
        if kind == "fold":
            return F.fold(F.unfold(x, 3, padding=1), x.shape[2:], 3, padding=1)
        if kind == "pixel_shuffle":
            return F.pixel_shuffle(x, 2)
        if kind == "channel_shuffle":
            b, c, h, w = x.shape
            return x.view(b, 2, c // 2, h, w).transpose(1, 2).reshape(b, c, h, w)
        if kind == "slices":
            return x[(slice(None),) * axis + (slice(None, None, step),)] * 2
        if kind == "tril":
            return x.tril()
        if kind == "diagonal":
            return x.diagonal(dim1=-2, dim2=-1) + 1
        b, c, h, w = x.shape
        return x.view(b, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 3, 5, 1).reshape(-1, 16, c)

    more = {"roll": f", axes {axes} by {shifts}", "flip": f", axes {axes}", "transpose": f" to {by(order)}", "repeat": f", {by(times)}",
            "repeat_interleave": f", axis {axis}, {step}", "slices": f", axis {axis}, step {step}", "unfold": f", stride {step - 1}"}.get(kind, "")
    dims = first_dim(shape) if kind in ("roll", "flip", "transpose", "pixel_shuffle") and 0 not in axes else None
    return Case(f"{kind} {by(shape)}{more}", lambda: (call, (torch.randn(shape),)), dims, integers=kind in ("roll", "flip", "transpose"))


@family("interpolation: nearest, bilinear, area; up and down")
def resize(draw):
    shape = draw.sizes((1, 8), (1, 128), (4, 128), (4, 128), most=6e5)
    mode, scale = draw.choice(["nearest", "nearest", "bilinear", "bilinear corners", "area", "bicubic"]), draw.choice([2, 2, 3, 0.5, 1.7])
    size = [max(1, int(n * scale)) for n in shape[2:]]
    options = {"mode": mode.split()[0]} | ({"align_corners": mode.endswith("corners")} if mode.startswith("bi") else {})
    return Case(f"{mode} {by(shape)} to {by(size)}", lambda: (lambda x: F.interpolate(x, size, **options), (torch.randn(shape),)), first_dim(shape))


@family("cumulative sums, products and maxima, sort, argsort, top k (no share of the roof)")
def scan(draw):
    rank = draw.choice([1, 2, 2, 3])
    shape = draw.shape(rank, most=5e5)
    axis, kind = draw.randrange(rank), draw.choice(["cumsum", "cumsum", "cumprod", "cummax", "sort", "argsort", "topk", "logcumsumexp"])
    count = draw.size(1, min(64, shape[axis]))
    functions = {"cumsum": torch.cumsum, "cumprod": lambda x, d: torch.cumprod(x * 0.1 + 1, d), "cummax": torch.cummax, "sort": torch.sort,
                 "argsort": torch.argsort, "topk": lambda x, d: torch.topk(x, count, d), "logcumsumexp": torch.logcumsumexp}
    words = f"{kind} {by(shape)}, axis {axis}" + f", {count}" * (kind == "topk")

    def values():
        # Which of two equal elements comes first PyTorch leaves open.
        number = math.prod(shape)
        return torch.randperm(number).reshape(shape) * (6 / number) - 3 if kind in ("sort", "argsort", "topk") else torch.randn(shape)

    return Case(words, lambda: (lambda x: functions[kind](x, axis), (values(),)), first_dim(shape) if axis else None, roof=False,
                floats=kind in ("cumsum", "cumprod"))
