"""Workloads of docs/performance.md: each function returns (model, example inputs), seeded.

    .venv/bin/python scripts/bench-workloads -o FOLDER [NAME ...]     exports them; `mlgc bench FOLDER/NAME.pt2` measures one
"""
import functools
import math

import torch
import torch.nn.functional as F
from torch import nn

import training_workloads
from workload_table import Table

WORKLOADS = Table()
workload, build = WORKLOADS.add, WORKLOADS.build


# --- pointwise


def chain(x):
    t = torch.relu(x * 2 + 1)
    t = (t * 0.5 - x).abs()
    t = torch.minimum(t, x * x) + 0.25
    return t * (t + 1) - x


@workload
def chain_64k():
    return chain, (torch.randn(256, 256),)


@workload
def chain_1m():
    return chain, (torch.randn(1024, 1024),)


@workload
def chain_16m():
    return chain, (torch.randn(4096, 4096),)


@workload
def gelu_bias_residual():
    return lambda x, b, r: F.gelu(x + b) + r, (torch.randn(2048, 3072), torch.randn(3072), torch.randn(2048, 3072))


@workload
def siblings():
    def function(x):
        s, c, e = x.sin(), x.cos(), x.exp()
        return s + c, s.sum(-1), c.sum(-1), e.sum(-1)

    return function, (torch.randn(1024, 1024),)


# --- rows


@workload
def softmax():
    return lambda x: torch.softmax(x, dim=-1), (torch.randn(4096, 1024),)


class AddNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.uniform_(self.norm.bias, -0.2, 0.2)

    def forward(self, x, y):
        return self.norm(x + y)


@workload
def layernorm_residual():
    return AddNorm(768), (torch.randn(4096, 768), torch.randn(4096, 768))


@workload
def rmsnorm_gate():
    """RMS norm and the gate of SwiGLU, without their matrix products."""

    def function(x, gain, gate, up):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * gain + F.silu(gate) * up

    return function, (torch.randn(1024, 1024), torch.rand(1024) + 0.5, torch.randn(1024, 1024), torch.randn(1024, 1024))


class RmsSwiglu(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(size) + 0.5)
        self.gate, self.up = nn.Linear(size, hidden, bias=False), nn.Linear(size, hidden, bias=False)
        self.down = nn.Linear(hidden, size, bias=False)

    def forward(self, x):
        h = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.gain
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


@workload
def rmsnorm_swiglu():
    return RmsSwiglu(512, 1376), (torch.randn(256, 512),)


# --- reductions


@workload
def column_sum():
    return lambda x: x.sum(0), (torch.randn(4096, 1024),)


@workload
def mean_var():
    return lambda x: (x.mean(dim=(0, 2)), x.var(dim=(0, 2))), (torch.randn(64, 128, 512),)


@workload
def reductions():
    def function(x):
        return x.mean(-1), x.var(-1), x.mean((0, 2)), x.var((0, 2)), x.sum(0), x.amax(1)

    return function, (torch.randn(64, 128, 512),)


# --- moving elements


@workload
def transpose_broadcast():
    return lambda x, b, c: x.t() + b * c, (torch.randn(2048, 2048), torch.randn(2048), torch.randn(2048, 1))


@workload
def gather():
    return lambda table, at: F.embedding(at, table), (torch.randn(8192, 768), torch.randint(0, 8192, (4096,)))


@workload
def cumsum():
    return lambda x: torch.cumsum(x, -1), (torch.randn(1024, 1024),)


@workload
def group_norm_silu():
    norm = nn.GroupNorm(32, 256)
    nn.init.uniform_(norm.weight, 0.5, 1.5)
    return nn.Sequential(norm, nn.SiLU()), (torch.randn(4, 256, 32, 32),)


# --- products


def mlp(*sizes):
    layers = [layer for pair in zip(sizes, sizes[1:]) for layer in (nn.Linear(*pair), nn.ReLU())]
    return nn.Sequential(*layers[:-1])


@workload
def mlp_b1():
    return mlp(784, 512, 10), (torch.randn(1, 784),)


@workload
def mlp_b32():
    return mlp(784, 512, 10), (torch.randn(32, 784),)


@workload
def mlp_b512():
    return mlp(784, 512, 10), (torch.randn(512, 784),)


@workload
def mlp_wide():
    return mlp(1024, 4096, 1024), (torch.randn(64, 1024),)


@workload
def linear_relu():
    return nn.Sequential(nn.Linear(128, 64), nn.ReLU()), (torch.randn(32, 128),)


@workload
def matmul_bias_relu_512():
    return lambda a, b, c: torch.relu(a @ b + c), (torch.randn(512, 512), torch.randn(512, 512), torch.randn(512))


class Head(nn.Module):
    """Attention of one head whose three projections are layers of their own."""

    def __init__(self, width, each):
        super().__init__()
        self.queries, self.keys, self.values = (nn.Linear(width, each, bias=False) for _ in range(3))

    def forward(self, x):
        queries, keys, values = self.queries(x), self.keys(x), self.values(x)
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
        return torch.softmax(scores, dim=-1) @ values


@workload
def attention_head():
    return Head(256, 64), (torch.randn(4, 256, 256),)


# --- networks: those whose training steps are measured, as they infer; whole ones are in bench_networks.py


def inferring(make):
    model, example, *_ = make()
    return model, (example,)


for made in (training_workloads.small_cnn, training_workloads.resnet_block, training_workloads.encoder_layer,
             training_workloads.gpt2_2layer, training_workloads.gru_unrolled):
    WORKLOADS[made.__name__] = functools.partial(inferring, made)
