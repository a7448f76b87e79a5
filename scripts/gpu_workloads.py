"""Workloads of docs/performance.md for GPUs: each function returns (model, shapes and dtypes of its inputs), seeded; the first
dim of an input that has several is `N` of the exported program, so that it is exported small.

    .venv/bin/python scripts/cuda-bench export -o FOLDER      writes them as CUDA
    scripts/cuda-bench run FOLDER                             measures them, on a machine with a GPU
"""
import functools

import torch
import torch.nn.functional as F
from torch import nn

import gpu_convolutions
import gpu_models
from workload_table import Function, Table

F32, BF16, F16 = torch.float32, torch.bfloat16, torch.float16
WORKLOADS = Table()
# Rows, columns and terms of products of two inputs, `nt` where the second one has its columns as rows.
PRODUCTS = {
    "product_bf16_8192_nt": (BF16, 8192, 8192, 8192),
    "product_bf16_4096_nn": (BF16, 4096, 4096, 4096),
    "product_f16_4096_nt": (F16, 4096, 4096, 4096),
    "product_bf16_4096x1024x1024_nt": (BF16, 4096, 1024, 1024),
    "product_bf16_4096x4096x1024_nt": (BF16, 4096, 4096, 1024),
    "product_bf16_1x4096x4096_nt": (BF16, 1, 4096, 4096),
    "product_bf16_2x4096x4096_nt": (BF16, 2, 4096, 4096),
    "product_bf16_8x4096x4096_nt": (BF16, 8, 4096, 4096),
    "product_bf16_16x4096x4096_nt": (BF16, 16, 4096, 4096),
    "product_bf16_128x4096x4096_nt": (BF16, 128, 4096, 4096),
    "product_bf16_1000x777x333_nn": (BF16, 1000, 777, 333),
    "product_f32_4096_nt": (F32, 4096, 4096, 4096),
    "product_f32_2048_nn": (F32, 2048, 2048, 2048),
    "product_f32_4096x1024x1024_nt": (F32, 4096, 1024, 1024),
    "product_f32_64x4096x4096_nt": (F32, 64, 4096, 4096),
    "product_f32_1000x777x333_nn": (F32, 1000, 777, 333),
}
# Queries, keys and values: batch, heads, length, head; heads of keys and values; what is masked.
ATTENTION = {
    "attention_bf16_4x16x4096x64": (BF16, (4, 16, 4096, 64), 16, ""),
    "attention_bf16_4x16x4096x64_causal": (BF16, (4, 16, 4096, 64), 16, "causal"),
    "attention_bf16_16x16x1024x64": (BF16, (16, 16, 1024, 64), 16, ""),
    "attention_bf16_8x12x512x64_causal": (BF16, (8, 12, 512, 64), 12, "causal"),
    "attention_bf16_8x16x2048x128": (BF16, (8, 16, 2048, 128), 16, ""),
    "attention_bf16_8x16x2048x128_causal": (BF16, (8, 16, 2048, 128), 16, "causal"),
    "attention_f16_2x16x8192x128": (F16, (2, 16, 8192, 128), 16, ""),
    "attention_bf16_4x32x2048x128_grouped": (BF16, (4, 32, 2048, 128), 8, "causal"),
    "attention_f16_8x16x1000x64_mask": (F16, (8, 16, 1000, 64), 16, "mask"),
    "attention_bf16_16x32x1x128_cache4096": (BF16, (16, 32, 1, 128), 32, "cache"),
}
MODELS = {*gpu_models.TRANSFORMERS}  # their weights are inputs
# Blocks of 256 threads of small kernels: one, one a multiprocessor, four a multiprocessor.
SMALL = {f"small_kernels_{blocks}_f32": blocks for blocks in (1, 132, 528)}
STATIC = {"transpose_add_f32", "dependent_kernels_f32", *SMALL, "skinny_layers_bf16", "products_f16_32x512x512x64",
          "linear_gelu_bf16_4096x4096x1024", *ATTENTION, *gpu_models.WORKLOADS,
          *PRODUCTS, *gpu_convolutions.WORKLOADS}  # exported at full size: no dim of their inputs is free
KERNELS = dict.fromkeys(("dependent_kernels_f32", *SMALL), 200)  # of small workloads that are many: each needs the one before
workload, build = WORKLOADS.add, WORKLOADS.build


def rms_norm_swiglu(x, gate, weight):
    wide = x.to(torch.promote_types(x.dtype, F32))
    normal = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
    return F.silu(normal.to(x.dtype) * weight) * gate


class LayerNormResidual(nn.Module):
    def __init__(self, width, dtype):
        super().__init__()
        self.norm = nn.LayerNorm(width, dtype=dtype)

    def forward(self, x, residual):
        both = x + residual
        return self.norm(both), both


@workload
def chain_f32():
    return Function(lambda x: torch.relu(x * 2 + 1).sigmoid() * x), [((65536, 1024), F32)]


@workload
def bias_gelu_residual_bf16():
    return (Function(lambda x, r, b: F.gelu(x + b) + r, torch.randn(4096).to(BF16)),
            [((16384, 4096), BF16), ((16384, 4096), BF16)])


@workload
def softmax_bf16():
    return Function(lambda x: torch.softmax(x, -1)), [((16384, 4096), BF16)]


@workload
def softmax_f32():
    return Function(lambda x: torch.softmax(x, -1)), [((4096, 50257), F32)]


@workload
def layernorm_residual_bf16():
    return LayerNormResidual(4096, BF16), [((16384, 4096), BF16), ((16384, 4096), BF16)]


@workload
def rmsnorm_swiglu_bf16():
    return Function(rms_norm_swiglu, torch.randn(4096).to(BF16)), [((16384, 4096), BF16), ((16384, 4096), BF16)]


@workload
def siblings_f32():
    return Function(lambda x: (x.sin(), x.cos(), x.exp(), x.sum(-1))), [((16384, 4096), F32)]


@workload
def colsum_f32():
    return Function(lambda x: (x * x).sum(0)), [((65536, 1024), F32)]


@workload
def dependent_kernels_f32():
    """Of rows, then of columns, and so on: statistics and what they scale are a kernel each."""
    def steps(x):
        for _ in range(100):
            x = F.layer_norm(x.t(), (128,))
        return x
    return Function(steps), [((128, 128), F32)]


def small_kernels(blocks):
    """Each thread has four elements. One that is fused with the next would compute each element twice."""
    def steps(x):
        for _ in range(200):
            x = torch.relu(x + 0.5 * x.roll(1, 0))
        return x
    return Function(steps), [((1024 * blocks,), F32)]


WORKLOADS.update({name: functools.partial(small_kernels, blocks) for name, blocks in SMALL.items()})


@workload
def transpose_add_f32():
    return Function(lambda x, y: x.t() + y), [((8192, 8192), F32), ((8192, 8192), F32)]


@workload
def skinny_layers_bf16():
    """Of 16 rows: each product waits for the one before, and for its own 8 MB of factors."""
    def layers(x, *factors):
        for up, down in zip(factors[::2], factors[1::2]):
            x = x + F.linear(F.relu(F.linear(x, up)) / 32, down) / 64
        return x
    return Function(layers), [((16, 1024), BF16)] + [((4096, 1024), BF16), ((1024, 4096), BF16)] * 12


@workload
def linear_relu_f32():
    return Function(lambda x, w, b: F.relu(F.linear(x, w, b)), torch.randn(1024, 1024) / 32, torch.randn(1024)), [
        ((4096, 1024), F32)]


@workload
def products_f16_32x512x512x64():
    return Function(torch.matmul), [((32, 512, 64), F16), ((32, 64, 512), F16)]


@workload
def linear_gelu_bf16_4096x4096x1024():
    return Function(lambda x, w, b: F.gelu(F.linear(x, w, b))), [((4096, 1024), BF16), ((4096, 1024), BF16), ((4096,), BF16)]


def product(name):
    dtype, rows, columns, terms = PRODUCTS[name]
    if name.endswith("_nt"):
        return Function(F.linear), [((rows, terms), dtype), ((columns, terms), dtype)]
    return Function(torch.matmul), [((rows, terms), dtype), ((terms, columns), dtype)]


WORKLOADS.update({name: functools.partial(product, name) for name in PRODUCTS})


def sample(shape, dtype, device="cpu"):
    if dtype == torch.int64:
        return torch.randint(0, 50257, shape, device=device)
    return torch.randn(shape, device=device).to(dtype)


def attention(name):
    dtype, shape, heads, masked = ATTENTION[name]
    batch, _, length, head = shape
    keys = (batch, heads, 4096 if masked == "cache" else length, head)
    options = {"is_causal": masked == "causal", "enable_gqa": heads != shape[1]}
    if masked == "mask":
        return (Function(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m > -1)),
                [(shape, dtype), (keys, dtype), (keys, dtype), ((length, length), dtype)])
    return (Function(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options)),
            [(shape, dtype), (keys, dtype), (keys, dtype)])


WORKLOADS.update({name: functools.partial(attention, name) for name in ATTENTION})
WORKLOADS.update(gpu_convolutions.WORKLOADS)
WORKLOADS.update(gpu_models.WORKLOADS)
