"""Writes small models as FX JSON for the import test: for each <name>.fx.json (with its weights) <name>.npz with what
make_models.py writes: the inputs of calls that follow each other on one copy of the graph, PyTorch's results with the new
values of changed tensors behind them, and the same computed in f64; and <name>.txt, what PyTorch's print_tabular() prints.

Usage: make_graphs.py FOLDER [NAME...]. Needs torch; without the package tabulate no <name>.txt is written.
"""

import contextlib
import copy
import dataclasses
import importlib.util
import io
import math
import operator
import pathlib
import sys
from collections import OrderedDict

import numpy as np
import torch
import functorch.experimental.control_flow as control_flow
import torch.fx
from torch import nn
from torch._higher_order_ops.scan import scan
from torch._decomp import core_aten_decompositions
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import export_fx  # noqa: E402
import exporting  # noqa: E402
from make_scripts import ResidualBlock  # noqa: E402


def real(*shape):
    return torch.randn(shape)


class Calls(nn.Module):
    """A function as a model: `run` gets the model, whose layers are by name, and the inputs."""

    def __init__(self, run, **layers):
        super().__init__()
        self.run = run
        for name, layer in layers.items():
            if isinstance(layer, (nn.Module, nn.Parameter)):
                setattr(self, name, layer)
            else:
                self.register_buffer(name, layer)

    def forward(self, x):
        return self.run(self, x)


class Pair(Calls):
    def forward(self, x, y):
        return self.run(self, x, y)


@dataclasses.dataclass
class Case:
    model: nn.Module
    calls: list
    shapes: dict | None = None  # of torch.export's Dims, by input
    draws: bool = False  # whether it draws random numbers, which follow from a last argument


def mlp():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 16, bias=False), nn.GELU("tanh"),
                         nn.LayerNorm(16), nn.Linear(16, 3), nn.LogSoftmax(dim=-1))


def convolutions():
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, "valid"), nn.BatchNorm2d(8), nn.Hardswish(inplace=True),
                         nn.Conv2d(8, 8, 3, padding="same", groups=4, padding_mode="zeros"), nn.GroupNorm(4, 8), nn.SiLU(),
                         nn.MaxPool2d(2, ceil_mode=True), nn.ConvTranspose2d(8, 4, 2, 2, bias=False), nn.LeakyReLU(0.2),
                         nn.Conv2d(4, 4, 3, padding=1, padding_mode="reflect"), nn.AvgPool2d(2, 1), nn.PReLU(),
                         nn.AdaptiveAvgPool2d((1, None)), nn.Flatten(1), nn.Softmax(1))


def picture_net():
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.GroupNorm(4, 8), nn.SiLU(), nn.MaxPool2d(2), nn.Flatten(1), nn.Linear(32, 5),
                         nn.Softmax(1))


def one_axis():
    return nn.Sequential(nn.Conv1d(2, 4, 3, dilation=2), nn.BatchNorm1d(4), nn.ELU(0.5), nn.MaxPool1d(2), nn.InstanceNorm1d(4),
                         nn.Upsample(scale_factor=2), nn.AvgPool1d(2), nn.AdaptiveAvgPool1d(3), nn.Unflatten(1, (2, 2)),
                         nn.Flatten(), nn.Softplus(), nn.Tanhshrink(), nn.Identity())


def residual(model, x):
    return model.net(x) + x.mean()


def functional(model, x):
    h = F.linear(x, model.w, bias=model.b)
    h = F.leaky_relu(h, negative_slope=0.1) * F.softmax(input=h, dim=1)
    h = F.layer_norm(h, [8]) + F.hardtanh(h, -0.5, 0.5) + F.elu(h, alpha=0.3) + F.softsign(h)
    return F.normalize(h, dim=-1), F.cosine_similarity(h, h.flip(0), dim=1), F.pad(h, (1, 2), value=0.5)


def keywords(model, x):
    h = torch.sum(input=x, dim=1, keepdim=True)
    return torch.cat(tensors=[h, x], dim=1), torch.clamp(input=x, min=-0.5, max=0.5), x.transpose(dim0=0, dim1=1)


def in_place(model, x):
    y = x.clone()
    y.add_(1.0)
    y.mul_(x).clamp_(min=-1)
    z = F.relu(y * 2, inplace=True)
    z = z.sub_(y)
    return y, torch.sigmoid_(z)


def iterated(model, x):
    h = x * 1.0
    h = operator.iadd(h, x)
    return operator.imul(h, 3)


def subscripts(model, x):
    row = x[1]
    return x[:, 1:3], x[..., 0], x[None, -1, :, 2], x[:, :, ::2], x[:2, model.index], row[model.index, 1], x[x[:, 0, 0] * 0 == 0]


def arithmetic(model, x):
    return (x + 1, 2 - x, x / 3, 1 / (x + 5), x // 2, x % 2, x**2, 2**x, -x, x @ x.T, abs(x), x > 0, (x >= 0) & (x < 1),
            ~(x != 0), x == x, math.pi * x)


def sizes(model, x):
    batch, length, dim = x.shape
    heads = x.view(batch, length, 2, dim // 2).transpose(1, 2)
    return heads.reshape(x.size(0) * 2, -1), x.new_zeros(batch, 2), x.new_ones((x.size(1), batch)) * 2, x.shape[1] + 1, x.numel()


def joined(model, x):
    flat = x.reshape(x.size(0) * x.size(1), x.size(2))
    return torch.cat([flat, flat.new_zeros(x.size(0), x.size(2))]).relu().sum(0), x.transpose(0, 1).flatten(1) + x.size(1)


def methods(model, x):
    return (x.float().mean(dim=-1, keepdim=True), x.double().sum(), x.permute(1, 0).contiguous(), x.unsqueeze(0).expand(3, -1, -1),
            x.masked_fill(x > 0, 0.0), x.type_as(model.index), x.to(torch.float64), x.chunk(2, dim=1)[1],
            x.split(1, 1)[2], x.split([1, 3], dim=1), x.repeat(2, 1), x.view(-1), x.norm(dim=1), x.var(1, unbiased=False),
            x.squeeze(0), x.T, x.dim() + x.ndim)


def named_results(model, x):
    best = torch.max(x, dim=1)
    ordered = x.sort(dim=-1, descending=True)
    return {"values": best.values, "indices": best.indices, "top": (x.topk(2)[0], ordered[1])}


def losses(model, x, y):
    target = y.argmax(1)
    return (F.cross_entropy(x, target, label_smoothing=0.1), model.loss(x, y), F.mse_loss(x, y, reduction="sum"),
            F.binary_cross_entropy_with_logits(x, torch.sigmoid(y)), F.smooth_l1_loss(x, y, reduction="none"))


def embeddings(model, x):
    h = model.table(x) + F.embedding(x, model.table.weight)
    return F.linear(h, model.table.weight).argmax(-1), F.one_hot(x, num_classes=11).sum(1)


def twice(model, x):
    return model.fc(torch.tanh(model.fc(x))) @ model.tied


def attend(model, x):
    mask = torch.zeros(5, 5).masked_fill(model.mask, float("-inf"))
    y, weights = model.attention(x, x, x, attn_mask=mask)
    z, none = model.attention(x, y, y, need_weights=False)
    return y + z, weights


def scaled(model, x):
    q, k, v = model.qkv(x).chunk(3, dim=-1)
    split = [t.unflatten(-1, (2, 4)).transpose(1, 2) for t in (q, k, v)]
    y = F.scaled_dot_product_attention(*split, is_causal=True)
    return torch.einsum("bhld,hde->ble", y, model.mix)


def draws(model, x):
    """What holds of all that is drawn."""
    one, rectified = F.gumbel_softmax(x, hard=True), F.rrelu(x, 0.25, 0.5, training=True)
    wide, noise, like = x.clone().uniform_(-3.0, -1.0), torch.normal(x * 0, x * 0), torch.randint_like(x, 3, 7)
    waits, coins = torch.zeros_like(x).exponential_(2.0), torch.zeros_like(x).bernoulli_(0.25)
    picked = torch.multinomial(x * 0 + 1, 4)
    kept = F.scaled_dot_product_attention(x * 0, x * 0 + 1, x * 0 + 1, dropout_p=0.5)
    return (one.sum(1).round(), (x > 0) * rectified, model.rectify(x), ((wide >= -3) & (wide <= -1)).all(), noise, (waits > 0).all(),
            ((like >= 3) & (like < 7)).all(), coins * (1 - coins), picked.sum(1), (kept * 2).round() - kept * 2)


def counted(model, x):
    model.count.add_(1)
    model.average.mul_(0.9).add_(x.mean(0), alpha=0.1)
    return x - model.average


def picture(model, x):
    return (F.interpolate(x, scale_factor=2, mode="nearest"), F.interpolate(x, size=(5, 7), mode="bilinear", align_corners=False),
            F.max_pool2d(x, 2, return_indices=True), F.avg_pool2d(x, 3, 1, 1, count_include_pad=False), F.unfold(x, 2),
            F.adaptive_avg_pool2d(x, (2, None)))


class Defaults(nn.Module):
    def forward(self, x, scale: float = 2.0, mask=None, sizes=(1, 2), flag=True):
        return x * scale if mask is None else x, sizes[1] + 1


class Numbers(nn.Module):
    def forward(self, x, n, t):
        return x * n + t, n * 2


def recurrent(m, x):
    y, (h, c) = m.lstm(x)
    z, last = m.gru(y.transpose(0, 1))
    w, _ = m.rnn(z.transpose(0, 1))
    alone, state = m.plain(x[0], x[0, :1, :2] * 0.5)  # a single sequence
    return w, last, h, c, alone, state


def norms(model, x):
    return (torch.linalg.norm(x), torch.linalg.norm(x, 1, dim=1), torch.linalg.norm(x[0], ord=3), torch.linalg.norm(x, dim=(0, 1)),
            torch.linalg.vector_norm(x, 1))


def shared_activation():
    act = nn.Tanh()
    return nn.Sequential(nn.Linear(4, 4), act, nn.Linear(4, 4), act)


class Leaf(torch.fx.Tracer):
    """Takes a Sequential for one module."""

    def is_leaf_module(self, module, path):
        return isinstance(module, nn.Sequential) or super().is_leaf_module(module, path)


def of_leaves(model):
    return torch.fx.GraphModule(model, Leaf().trace(model))


def unbatched(model, x):
    return model.one(x[0]), model.two(x), model.three(x.unsqueeze(0)), model.two(x.unsqueeze(1))


def read_row(model, x):
    dead = torch.celu(x)  # noqa: F841
    return F.celu(x, alpha=2.0)[1], x.chunk(2, 1)[1]


def from_the_end(model, x, y):
    n, joined = y.size(0), torch.cat([x, y])
    return joined[-n:], joined[:-n]


def pooled(model, x):
    y, positions = F.max_pool2d(x, 2, return_indices=True)
    return (F.max_unpool2d(y, positions, 2), F.max_unpool2d(y, positions, (2, 2), output_size=x.shape))


def bags(model, x):
    return (F.embedding_bag(x, model.table), F.embedding_bag(x, model.table, mode="sum"), F.threshold(model.table, 0.1, 2.0),
            F.embedding_bag(x.reshape(-1), model.table, torch.arange(0, 6, 2), mode="max"))


def cells(model, x):
    h, c = model.lstm(model.rnn(x))
    h, c = model.lstm(model.rnn(x * 2, model.rnn(x)), (h, c))
    return h, c, model.gru(h), model.gru(h[0]), model.gru(c, x)


def bag_modules(model, x):
    return model.bag(x), model.bag(x.reshape(-1), torch.arange(0, 6, 2)), model.bag(x, None, x.float() * 0.5)


def adaptive_maxima(model, x):
    y, positions = model.three(x)
    return model.one(x[0]), model.two(x), y, positions, F.adaptive_max_pool2d(x, (2, None))


def asserted(model, x):
    torch._assert(x.dim() == 2, "a matrix")
    torch._assert((x < 100).all(), "small numbers")
    return x + 1


class Gates(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.Linear(6, 16), nn.Linear(4, 2)

    def forward(self, x):
        state = x.new_zeros(x.shape[0], 4)
        for step in range(3):
            i, f, g, o = self.cell(torch.cat([x[:, step], state], 1)).chunk(4, 1)
            state = torch.sigmoid(f) * state + i.sigmoid() * g.tanh() * torch.sigmoid(o)
        return self.out(state)


def counted_by_data(m, x):
    """Results whose sizes were traced for other data, and what no elements give."""
    mask = x > 0
    found = torch._unique2((x*2).round(), True, True, True)
    return (x.repeat_interleave(m.repeats + mask[:, 0], 0), torch.repeat_interleave(m.repeats + mask[:, 1]),
            x.masked_select(mask), found[0], found[1], found[2], torch.searchsorted(m.repeats, 1.5),
            torch.searchsorted(m.repeats, x), x.masked_scatter(x > 9, x[:0]), x.masked_scatter(mask, x.abs()),
            torch.median(x[:0]), torch.median(x))


def of_aten(model, *inputs, mode="real"):
    model.eval()
    with torch.no_grad():
        return make_fx(model, core_aten_decompositions(), tracing_mode=mode)(*inputs)


def of_dynamo(function, *inputs):
    """The graph that Dynamo captures: operators that take functions take graphs there."""
    captured = []

    def keep(graph, _):
        captured.append(graph)
        return graph.forward

    torch._dynamo.reset()
    torch.compile(function, backend=keep, fullgraph=True)(*inputs)
    return captured[0]


def ranges(x):
    floats = [torch.arange(32.0), torch.arange(0, 9, 2.0), torch.arange(3, -2.5, -1.5)]
    return (torch.arange(0.0, 1.0, 0.1) + x, *(y + x[:1] for y in floats), torch.arange(0.5, 7.9, 2.2, dtype=torch.int64))


def branches(x):
    def positive(x):
        return torch.cond(x.max() > 1, lambda x: F.gelu(x) * x.shape[0], lambda x: x.sin(), (x,))

    return torch.cond(x.sum() > 0, positive, lambda x: x.reshape(-1).cos().view(x.shape), (x,)) + 1


def loops(x, y):
    steps, grown = torch.while_loop(lambda i, x: (i < 5) & (x.abs().sum() < 20), lambda i, x: (i + 1, x * 1.5), (torch.zeros((), dtype=torch.int64), x))
    last, products = scan(lambda h, row: (torch.tanh(h + row), h * row), y, grown)
    return steps, last, control_flow.map(lambda row, y: row.exp() + y, products, y)


def cases():
    batch = torch.export.Dim("batch", min=1, max=64)
    length = torch.export.Dim("length")
    encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu", norm_first=True)
    later = nn.TransformerEncoderLayer(8, 2, 16, batch_first=False)
    shared = nn.Parameter(real(4, 4))
    tied = Calls(twice, fc=nn.Linear(4, 4), tied=shared)
    tied.fc.weight = shared
    views = torch.arange(12.0).reshape(3, 4)
    made = {
        "mlp": Case(mlp(), [[real(5, 6)]]),
        "mlp_dynamic": Case(mlp(), [[real(5, 6)], [real(1, 6)]], {"input": {0: batch}}),
        "convolutions": Case(convolutions(), [[real(2, 3, 13, 13)]]),
        "one_axis": Case(one_axis(), [[real(2, 2, 21)]]),
        "resnet_block": Case(ResidualBlock(4, 2), [[real(2, 4, 9, 9)]]),
        "nested_modules": Case(Calls(residual, net=mlp()), [[real(5, 3, 6)]], None),
        "encoder_layer": Case(Calls(lambda m, x: m.layer(x), layer=encoder), [[real(2, 5, 8)]]),
        "encoder_stack": Case(Calls(lambda m, x: m.net(x, m.mask), net=nn.TransformerEncoder(later, 2, nn.LayerNorm(8)),
                                    mask=torch.ones(5, 5).triu(1).bool()), [[real(5, 2, 8)]]),
        "attention": Case(Calls(attend, attention=nn.MultiheadAttention(8, 2, batch_first=True), mask=torch.ones(5, 5).triu(1).bool()),
                          [[real(3, 5, 8)]]),
        "scaled_attention": Case(Calls(scaled, qkv=nn.Linear(8, 24), mix=nn.Parameter(real(2, 4, 8))),
                                 [[real(2, 5, 8)], [real(3, 1, 8)]], {"x": {0: batch, 1: length}}),
        "draws": Case(Calls(draws, rectify=nn.RReLU(0.25, 0.5)), [[real(4, 4)]], draws=True),
        "functional": Case(Calls(functional, w=nn.Parameter(real(8, 4)), b=real(8)), [[real(3, 4)]]),
        "keywords": Case(Calls(keywords), [[real(3, 4)]]),
        "in_place": Case(Calls(in_place), [[real(3, 4)]]),
        "in_place_operators": Case(Calls(iterated), [[real(3)]]),
        "subscripts": Case(Calls(subscripts, index=torch.tensor([2, 0])), [[real(3, 4, 5)]]),
        "arithmetic": Case(Calls(arithmetic), [[real(4, 4)]]),
        "sizes": Case(Calls(sizes), [[real(2, 3, 4)], [real(5, 7, 4)]], {"x": {0: batch, 1: length}}),
        "methods": Case(Calls(methods, index=torch.tensor([2])), [[real(2, 4)]]),
        "named_results": Case(Calls(named_results), [[real(3, 5)]]),
        "losses": Case(Pair(losses, loss=nn.L1Loss()), [[real(4, 3), real(4, 3)]]),
        "embeddings": Case(Calls(embeddings, table=nn.Embedding(11, 4)), [[torch.randint(11, (2, 3))]]),
        "tied": Case(tied, [[real(2, 4)]]),
        "views_of_one_storage": Case(Calls(lambda m, x: x @ m.a + m.b, a=views[:, 1:], b=views[0, :3]), [[real(2, 3)]]),
        "states": Case(Calls(counted, count=torch.tensor(0), average=torch.zeros(3)), [[real(4, 3)], [real(4, 3)]]),
        "pictures": Case(Calls(picture), [[real(2, 3, 4, 6)]]),
        "defaults": Case(Defaults(), [[real(3)]]),
        "numbers": Case(Numbers(), [[real(3), torch.tensor(4), torch.tensor(0.5, dtype=torch.float64)]]),
        "gates": Case(Gates(), [[real(2, 3, 2)], [real(4, 3, 2)]], {"x": {0: batch}}),
        "norms": Case(Calls(norms), [[real(3, 4)]]),
        "named_children": Case(of_leaves(Calls(lambda m, x: m.b(m.a(x)), b=shared_activation(),
                                               a=nn.Sequential(OrderedDict(w=nn.Linear(3, 4), act=nn.ReLU(), norm=nn.LayerNorm(4))))),
                               [[real(2, 3)]]),
        "unbatched": Case(Calls(unbatched, one=nn.InstanceNorm1d(5), two=nn.InstanceNorm2d(3, momentum=None),
                                three=nn.InstanceNorm3d(1)), [[real(3, 5, 4)]]),
        "read_row": Case(Calls(read_row), [[real(3, 4)]]),
        "from_the_end": Case(Pair(from_the_end), [[real(4, 3), real(2, 3)], [real(5, 3), real(6, 3)]],
                             {"x": {0: batch}, "y": {0: length}}),
        "pooled": Case(Calls(pooled), [[real(2, 3, 4, 6)]]),
        "bags": Case(Calls(bags, table=nn.Parameter(real(5, 3))), [[torch.randint(5, (2, 3))]]),
        "asserted": Case(Calls(asserted), [[real(3, 4)]]),
        "half": Case(Calls(lambda m, x: m.net(x.to(torch.bfloat16)).float(),
                           net=nn.Sequential(nn.Linear(4, 4), nn.ReLU()).to(torch.bfloat16)), [[real(2, 4)]]),
        "recurrent": Case(Calls(recurrent, lstm=nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True, proj_size=2),
                                gru=nn.GRU(4, 5), rnn=nn.RNN(5, 3, nonlinearity="relu", bias=False, batch_first=True),
                                plain=nn.RNN(3, 2)),
                          [[real(2, 6, 3)]]),
        "cells": Case(Calls(cells, rnn=nn.RNNCell(3, 4, nonlinearity="relu", bias=False), lstm=nn.LSTMCell(4, 5), gru=nn.GRUCell(5, 3)),
                      [[real(2, 3)]]),
        "modules_of_bags": Case(Calls(bag_modules, bag=nn.EmbeddingBag(7, 3, mode="sum", padding_idx=2)),
                                [[torch.randint(7, (2, 3))]]),
        "adaptive_maxima": Case(Calls(adaptive_maxima, one=nn.AdaptiveMaxPool1d(3), two=nn.AdaptiveMaxPool2d((2, None)),
                                      three=nn.AdaptiveMaxPool3d((2, 1, 3), return_indices=True)),
                                [[real(2, 3, 4, 6)]]),
        "aten": Case(of_aten(picture_net(), real(2, 3, 8, 8)), [[real(2, 3, 8, 8)]]),
        "aten_symbolic": Case(of_aten(Calls(joined), real(3, 5, 4), mode="symbolic"), [[real(3, 5, 4)], [real(2, 7, 6)]]),
        "aten_encoder": Case(of_aten(Calls(scaled, qkv=nn.Linear(8, 24), mix=nn.Parameter(real(2, 4, 8))), real(2, 5, 8)),
                             [[real(2, 5, 8)]]),
        "ranges": Case(of_aten(Calls(lambda model, x: ranges(x)), real(10)), [[real(10)]]),
        "branches": Case(of_dynamo(branches, real(4, 3)), [[real(4, 3).abs() * 2], [real(4, 3).abs() / 4], [-real(4, 3).abs()]]),
        "loops": Case(of_dynamo(loops, real(4, 3), real(3)), [[real(4, 3), real(3)], [real(4, 3) / 20, real(3)]]),
        "counted_by_data": Case(Calls(counted_by_data, repeats=torch.tensor([0, 1, 2, 5])), [[real(4, 3)], [real(4, 3)]]),
    }
    return made


def wide(value):
    return value.double() if value.is_floating_point() else value.clone()


def run(model, calls, names, to):
    """Results and states of each call; tensors of rank 0 are given as Python's numbers."""
    results = []
    for inputs in calls:
        given = [to(x) if x.dim() else x.item() for x in inputs]
        flat = [torch.as_tensor(value, dtype=torch.float64 if isinstance(value, float) else None)
                for value in exporting.flat_results(model(*given))]
        now = exporting.data_of(model)
        results.append([value.detach().clone() for value in [*flat, *(now[name] for name in names)]])
    return results


def write(folder, name, case):
    graph = export_fx.traced(case.model.eval())
    inputs = [x if x.dim() else x.item() for x in case.calls[0]]
    before = {path: tensor.clone() for path, tensor in exporting.data_of(graph).items()}
    made, arrays = export_fx.document(graph, exporting.Example(graph, tuple(inputs), {}, case.shapes), f"{name}.fx.safetensors")
    if arrays:
        export_fx.write_safetensors(folder / f"{name}.fx.safetensors", arrays)
    (folder / f"{name}.fx.json").write_text(export_fx.fx_json.dumped(made), encoding="utf-8")
    with_graphs = any(export_fx.fx_json.graph_of(node) is not None for node in graph.graph.nodes)
    # FX lists a graph inside as an attribute that the node reads.
    if importlib.util.find_spec("tabulate") and not with_graphs:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            graph.graph.print_tabular()
        (folder / f"{name}.txt").write_text(printed.getvalue(), encoding="utf-8")
    once = copy.deepcopy(graph)
    once(*(x.clone() if isinstance(x, torch.Tensor) else x for x in inputs))
    changed = [path for path in exporting.data_of(once) if not torch.equal(exporting.data_of(once)[path], before[path])]
    eager = run(copy.deepcopy(graph), case.calls, changed, torch.clone)
    try:
        # No mode sees into a graph inside.
        with contextlib.nullcontext() if with_graphs else exporting.InDouble():
            judge = run(copy.deepcopy(graph).double(), case.calls, changed, wide)
    except RuntimeError:  # f64 and a narrower float met
        judge = eager
    tensors = {}
    for k, given in enumerate(case.calls):
        for kind, values in (("in", given), ("eager", eager[k]), ("judge", judge[k])):
            for i, value in enumerate(values):
                tensors[f"call{k}.{kind}{i}"] = exporting.array(value)
        if case.draws:
            tensors[f"call{k}.in{len(given)}"] = np.array([7, 0])  # seed and offset
    np.savez(folder / f"{name}.npz", **tensors)


def main(folder, names=()):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    made = cases()
    with torch.no_grad():
        for name in names or made:
            write(folder, name, made[name])
    return {name: made[name] for name in names or made}


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
