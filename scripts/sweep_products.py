"""Families of scripts/sweep that are contractions: linear, matmul, einsum, convolutions, attention."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from sweep_workload import LEAST_WORK, MOST_WORK, Case, With, by, family, weight

WORK = {"least": LEAST_WORK, "most": MOST_WORK}


def activation(draw, share=0.5):
    if not draw.chance(share):
        return "", nn.Identity()
    name = draw.choice(["ReLU", "GELU", "SiLU", "Tanh", "Sigmoid", "Hardswish"])
    return f", {name.lower()}", getattr(nn, name)()


@family("nn.Linear of inputs with 1 to 4 dims, some of them transposed, with and without bias and activation")
def linear(draw):
    rows, inner, columns = draw.sizes((1, 4000), (1, 4000), (1, 4000), **WORK)
    lead = draw.choice([[rows], [rows], [1, rows], [max(1, rows // 7), 7], [2, max(1, rows // 6), 3]] + [[]] * (rows == 1))
    turned, bias, (word, act) = len(lead) > 1 and draw.chance(0.3), draw.chance(0.7), activation(draw)

    def build():
        layer = nn.Sequential(nn.Linear(inner, columns, bias=bias), act)
        shape = [*lead, inner]
        if not turned:
            return layer, (torch.randn(shape),)
        shape[-1], shape[-2] = shape[-2], shape[-1]

        class Turned(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = layer

            def forward(self, x):
                return self.layer(x.transpose(-1, -2))

        return Turned(), (torch.randn(shape),)

    dims = {0: [0]} if lead and lead[0] > 1 else None
    return Case(f"{by([*lead, inner])} to {columns}{', bias' * bias}{', input transposed' * turned}{word}", build, dims)


@family("torch.matmul: vectors, matrices, batches and their broadcasts, transposed and strided operands")
def matmul(draw):
    batch, m, k, n = draw.sizes((1, 64), (1, 2000), (1, 2000), (1, 2000), **WORK)
    kind = draw.choice(["2d", "batched", "broadcast", "vector", "heads", "sliced"])
    left, right = draw.chance(0.35), draw.chance(0.5)
    first = {"2d": [batch * m, k], "batched": [batch, m, k], "broadcast": [batch, m, k], "vector": [m * batch, k],
             "heads": [batch, m, k], "sliced": [2 * batch, m, k]}[kind]
    second = {"2d": [k, n], "batched": [batch, k, n], "broadcast": [k, n], "vector": [k], "heads": [batch, k, n],
              "sliced": [batch, k, n]}[kind]
    if kind == "vector":
        left = right = False
        first = draw.choice([first, [k, n]]) if k * n > 1e4 else first

    def call(a, b):
        if left:
            a = a.transpose(-1, -2)
        if right:
            b = b.transpose(-1, -2)
        if kind == "vector" and a.shape[-1] != b.shape[0]:
            return b @ a
        if kind == "sliced":
            a = a[::2]
        if kind == "heads":
            a = a.permute(1, 0, 2).contiguous().permute(1, 0, 2)
        return a @ b

    if left:
        first = [*first[:-2], first[-1], first[-2]]
    if right:
        second = [*second[:-2], second[-1], second[-2]]
    words = f"{kind} {by(first)}{' transposed' * left} by {by(second)}{' transposed' * right}"
    dims = {0: [0], 1: [0]} if kind == "batched" and batch > 1 else {0: [0]} if kind == "2d" and not left and batch * m > 1 else None
    return Case(words, lambda: (call, (torch.randn(first), torch.randn(second))), dims, integers=True)


EQUATIONS = ["bik,bkj->bij", "bka,bkc->ac", "bhqd,bhkd->bhqk", "bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd", "ij,kj->ik", "ki,kj->ij",
             "ijk,kl->ijl", "ijk,jl->ikl", "ijk,il->jkl", "ij,ij->i", "ij,ij->j", "i,j->ij", "bi,bj->bij", "bij,bj->bi", "ijk,ljk->il",
             "abc,cd,de->abe", "bnd,hde->bhne", "ijkl,lk->ij", "bchw,oc->bohw", "nctv,vw->nctw", "bij,bkj->bki"]


@family("torch.einsum of two or three operands, by a list of equations")
def einsum(draw):
    equation = draw.choice(EQUATIONS)
    operands, result = equation.split("->")
    operands = operands.split(",")
    labels = sorted(set(equation) & set("abcdefghijklmnopqrstuvwxyz"))
    product = len(operands) == 2 and set(result) != set(operands[0] + operands[1])

    def work(*sizes):
        of = dict(zip(labels, sizes))
        if len(operands) == 3:
            first = set(operands[0] + operands[1])
            return math.prod(of[c] for c in first) + math.prod(of[c] for c in (first - {"c"}) | set(operands[2]))
        return math.prod(sizes)

    sizes = draw.sizes(*[(1, {2: 3000, 3: 800, 4: 250}.get(len(labels), 100))] * len(labels), work=work,
                       **(WORK if product else {}))
    of = dict(zip(labels, sizes))
    shapes = [[of[c] for c in operand] for operand in operands]
    words = f"{equation}, " + " and ".join(map(by, shapes))
    shared = [number for number, operand in enumerate(operands) if operand[0] == "b"]
    dims = {number: [0] for number in shared} if shared and of["b"] > 1 else None
    return Case(words, lambda: (lambda *args: torch.einsum(equation, *args), tuple(torch.randn(s) for s in shapes)), dims)


def channels(draw, most, groups):
    a, b = draw.size(1, most), draw.size(1, most)
    return -(-a // groups) * groups, -(-b // groups) * groups


def convolution(draw, dims, transposed=False, depthwise=False):
    most, extents = {1: (256, 3000), 2: (128, 100), 3: (48, 32)}[dims]
    for _ in range(5000):
        batch = draw.size(1, 8)
        kernel = [draw.choice([1, 2, 3, 3, 3, 4, 5, 7])] * dims
        if dims > 1 and draw.chance(0.15):
            kernel[0] = 1
        groups = draw.choice([1, 1, 1, 2, 3, 4, 8])
        if depthwise:
            groups = inputs = draw.size(2, most * 4)
            outputs = inputs * draw.choice([1, 1, 1, 2, 3])
        else:
            inputs, outputs = channels(draw, most, groups)
        stride, dilation = draw.choice([1, 1, 1, 2, 2, 3]), draw.choice([1, 1, 1, 1, 2, 3]) if not transposed or draw.chance(0.2) else 1
        padding = [draw.choice([0, k // 2, (dilation * (k - 1)) // 2]) for k in kernel]
        extra = draw.randint(0, stride - 1) if transposed else 0
        size = [draw.size(1, extents)] * dims
        if draw.chance(0.4):
            size = [draw.size(max(1, size[0] // 2), size[0] * 2) for _ in size]
        reach = [dilation * (k - 1) for k in kernel]
        if transposed:
            result = [(s - 1) * stride - 2 * p + r + extra + 1 for s, p, r in zip(size, padding, reach)]
            work = batch * inputs * outputs // groups * math.prod(kernel) * math.prod(size)
        else:
            result = [(s + 2 * p - r - 1) // stride + 1 for s, p, r in zip(size, padding, reach)]
            work = batch * inputs * outputs // groups * math.prod(kernel) * math.prod(result)
        moved = batch * (inputs * math.prod(size) + outputs * math.prod(map(abs, result)))
        if min(result) > 0 and LEAST_WORK <= work <= MOST_WORK and moved <= 6e6:
            break
    else:
        raise ValueError("no convolution has the work wanted")
    mode = draw.choice(["zeros"] * 8 + ["reflect", "circular"]) if not transposed and min(s > p for s, p in zip(size, padding)) else "zeros"
    options = {"stride": stride, "padding": tuple(padding), "dilation": dilation, "groups": groups, "bias": draw.chance(0.7)}
    options |= {"output_padding": extra} if transposed else {"padding_mode": mode}
    norm, (word, act) = draw.chance(0.25), activation(draw, 0.4)
    words = f"{batch}x{inputs}x{by(size)} to {outputs}, kernel {by(kernel)}, stride {stride}, padding {by(padding)}"
    words += f", dilation {dilation}" * (dilation > 1) + f", groups {groups}" * (groups > 1 and not depthwise)
    words += f", output padding {extra}" * (extra > 0) + f", {mode}" * (mode != "zeros") + ", batch norm" * norm + word
    last = draw.chance(0.12) and dims == 2
    words += ", channels last" * last

    def build():
        make = getattr(nn, f"Conv{'Transpose' * transposed}{dims}d")
        layers = [make(inputs, outputs, kernel, **options)] + [getattr(nn, f"BatchNorm{dims}d")(outputs)] * norm + [act]
        model, x = nn.Sequential(*layers), torch.randn(batch, inputs, *size)
        if not last:
            return model, (x,)

        class Last(nn.Module):
            """The input has its channels last, as a permuted view."""

            def __init__(self):
                super().__init__()
                self.model = model

            def forward(self, x):
                return self.model(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)

        return Last(), (x.permute(0, 2, 3, 1).contiguous(),)

    return Case(words, build, {0: [0]} if batch > 1 else None)


@family("nn.Conv1d: kernel, stride, padding, dilation, groups, bias; batch norm and activation after some")
def conv1d(draw):
    return convolution(draw, 1)


@family("nn.Conv2d: the same, some kernels not square, some channels last")
def conv2d(draw):
    return convolution(draw, 2)


@family("nn.Conv3d: the same")
def conv3d(draw):
    return convolution(draw, 3)


@family("nn.ConvTranspose1d to 3d: the same, with output padding")
def conv_transpose(draw):
    return convolution(draw, draw.choice([1, 2, 2, 2, 3]), transposed=True)


@family("depthwise convolutions of 1 to 3 dims, multipliers 1 to 3")
def depthwise(draw):
    return convolution(draw, draw.choice([1, 2, 2, 2, 3]), depthwise=True)


class Attention(nn.Module):
    """Projections, heads, masks; `merged`: one matrix for queries, keys and values; `way`: as one operator or spelt out."""

    def __init__(self, heads, kept, size, merged, way, mask, layout):
        super().__init__()
        width = heads * size
        self.heads, self.kept, self.size, self.way, self.mask, self.layout = heads, kept, size, way, mask, layout
        outputs = [width, kept * size, kept * size]
        self.outputs = outputs
        self.parts = nn.ModuleList([nn.Linear(width, sum(outputs))] if merged else [nn.Linear(width, n) for n in outputs])
        self.out = nn.Linear(width, width)

    def forward(self, x, mask=None):
        if self.layout == "length first":
            x = x.transpose(0, 1)
        batch, length, width = x.shape
        parts = self.parts[0](x).split(self.outputs, -1) if len(self.parts) == 1 else [part(x) for part in self.parts]
        q, k, v = (part.view(batch, length, -1, self.size).transpose(1, 2) for part in parts)
        if self.kept != self.heads:
            k, v = (part.repeat_interleave(self.heads // self.kept, dim=1) for part in (k, v))
        if self.way == "sdpa":
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=self.mask == "causal")
        else:
            scores = q @ k.transpose(-2, -1) * self.size ** -0.5
            if self.mask == "causal":
                scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
            elif mask is not None:
                scores = scores.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else scores + mask
            mixed = torch.softmax(scores, -1) @ v
        mixed = self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return mixed.transpose(0, 1) if self.layout == "length first" else mixed


@family("attention: a block with projections (merged or not, grouped heads), or the operator alone; masks, layouts, spelt out or not")
def attention(draw):
    mask = draw.choice(["none", "none", "causal", "bool", "float"])
    way, size = draw.choice(["matmul", "sdpa"]), draw.choice([8, 16, 32, 32, 40, 64, 64, 80, 128, draw.size(4, 128)])
    batch, length, heads = draw.sizes((1, 8), (2, 700), (1, 16), least=LEAST_WORK, most=MOST_WORK,
                                      work=lambda b, n, h: b * n * (4 * (h * size) ** 2 + 2 * n * h * size))
    flexible = {0: [0]} if batch > 1 and mask in ("none", "causal") else None

    def mask_of(shape):
        return torch.rand(shape) < 0.8 if mask == "bool" else torch.randn(shape)

    if draw.chance(0.35):  # the operator alone
        keys = length if mask == "causal" or draw.chance(0.5) else draw.size(1, 700)
        rows = 1 if draw.chance(0.2) and mask != "causal" else length
        layout = draw.choice(["heads first", "heads in the middle"])
        shape = lambda n: (batch, heads, n, size) if layout == "heads first" else (batch, n, heads, size)

        def call(q, k, v, given=None):
            q, k, v = (x if layout == "heads first" else x.transpose(1, 2) for x in (q, k, v))
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=given, is_causal=mask == "causal")
            return out if layout == "heads first" else out.transpose(1, 2)

        def build():
            masks = [mask_of((rows, keys))] if mask in ("bool", "float") else []
            if mask == "bool":
                masks[0][:, 0] = True
            return call, (torch.randn(shape(rows)), torch.randn(shape(keys)), torch.randn(shape(keys)), *masks)

        words = f"operator, batch {batch}, {heads} heads of {size}, {rows} queries, {keys} keys, mask {mask}, {layout}"
        return Case(words, build, {0: [0], 1: [0], 2: [0]} if flexible else None)
    merged, layout = draw.chance(0.5), draw.choice(["batch first", "batch first", "length first"])
    kept = draw.choice([heads] * 3 + [n for n in (1, 2, 4) if heads % n == 0])

    def build():
        masks = [mask_of((batch, 1, 1, length) if mask == "bool" else (length, length))] if mask in ("bool", "float") else []
        if mask == "bool":
            masks[0][..., 0] = True
        shape = (batch, length, heads * size) if layout == "batch first" else (length, batch, heads * size)
        return Attention(heads, kept, size, merged, way, mask, layout), (torch.randn(shape), *masks)

    words = f"block, batch {batch}, length {length}, {heads} heads of {size}" + f" ({kept} of keys)" * (kept != heads)
    words += f", mask {mask}{', merged' * merged}, {way}, {layout}"
    if flexible:
        flexible = {0: [0 if layout == "batch first" else 1]}
    return Case(words, build, flexible)


@family("two products with a pointwise function or a softmax between: mlp, gated mlp, low rank, bilinear")
def mlp(draw):
    rows, width, hidden = draw.sizes((1, 2000), (2, 1500), (2, 3000), work=lambda r, w, h: 2 * r * w * h, **WORK)
    kind = draw.choice(["mlp", "gated", "low rank", "experts"])

    def build():
        if kind == "mlp":
            return nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width)), (torch.randn(rows, width),)
        if kind == "gated":
            function = lambda x, a, b, c: F.linear(F.silu(F.linear(x, a)) * F.linear(x, b), c)
            return With(function, weight(hidden, width), weight(hidden, width), weight(width, hidden)), (torch.randn(rows, width),)
        if kind == "low rank":
            function = lambda x, a, b: x + (x @ a) @ b
            return With(function, weight(width, max(1, hidden // 16)), weight(max(1, hidden // 16), width)), (torch.randn(rows, width),)
        function = lambda x, g, w: torch.einsum("re,reo->ro", torch.softmax(x @ g, -1), torch.einsum("ri,eoi->reo", x, w))
        return With(function, weight(width, 4), weight(4, max(1, hidden // 4), width)), (torch.randn(rows, width),)

    return Case(f"{kind}, {rows}x{width}, hidden {hidden}", build, {0: [0]} if rows > 1 else None)


