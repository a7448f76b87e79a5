"""Attention as models hold it, for the import test: PyTorch's layers and function with each kind of mask, which core ATen
takes apart, and written by hand with two products and a softmax.

`-O2` makes one scaled_dot_product_attention of each, unless the weights are a result as well.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

BATCH, QUERIES, KEYS = (torch.export.Dim(name, max=most) for name, most in (("batch", 64), ("queries", 32), ("keys", 32)))
INF = float("inf")


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *operands):
        return self.function(*operands)


class Attention(nn.Module):
    """nn.MultiheadAttention: queries and masks come in, keys are values."""

    def __init__(self, weights=False):
        super().__init__()
        self.inner, self.weights = nn.MultiheadAttention(8, 2, batch_first=True), weights

    def forward(self, x, y, mask=None):
        values, weights = self.inner(x, y, y, attn_mask=mask, need_weights=self.weights)
        return (values, weights) if self.weights else values


def scores(q, k):
    return q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])


def masked(q, k, v, mask):
    return torch.softmax(scores(q, k).masked_fill(mask == 0, -INF), -1) @ v


def causal(q, k, v):
    n = q.shape[-2]
    return torch.softmax(scores(q, k).masked_fill(~torch.tril(torch.ones(n, n, dtype=torch.bool)), -INF), -1) @ v


def heads(x, y):
    """Two heads of 4, as a layer splits them."""
    q, k = (t.view(t.shape[0], t.shape[1], 2, 4).transpose(1, 2) for t in (x, y))
    return (torch.softmax(scores(q, k), -1) @ k).transpose(1, 2).reshape(x.shape)


def batches(q, k, v, mask):
    return torch.bmm(torch.softmax(torch.baddbmm(mask, q, k.transpose(1, 2), alpha=0.25), -1), v)


def einsum(q, k, v):
    weights = torch.softmax(torch.einsum("bhqd,bhkd->bhqk", q, k)*0.5, -1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, v)


def cases(Case):
    attend = F.scaled_dot_product_attention
    q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 7)
    # A query that sees nothing: zeros of a safe softmax, NaN of a plain one.
    shown = torch.rand(2, 1, 5, 6) > 0.3
    shown[0, 0, 2] = False
    added = torch.randn(5, 6).masked_fill(torch.rand(5, 6) > 0.8, -INF)
    added[1] = -INF
    small = [t[:1, :, :3] for t in (q, k, v)]
    sizes = tuple({0: BATCH, 2: n} for n in (QUERIES, KEYS, KEYS))

    def one(name, function, *operands, shapes=None, **more):
        # Exporters hand varying operands over as one tuple.
        return Case(f"attention_{name}", Function(function), operands, (shapes,) if shapes else None, core=True,
                    left={"scaled_dot_product_attention": 1, "softmax": 0}, **more)

    yield one("plain", attend, q, k, v, shapes=sizes, more_calls=[small])
    yield one("shown", attend, q, k, v, shown)
    yield one("added", attend, q, k, v, added)
    yield one("scaled", lambda q, k, v: attend(q, k, v, scale=0.3), q, k, v)
    yield one("causal", lambda q, k, v: attend(q, k, v, is_causal=True), q, k, v)
    yield one("grouped", lambda q, k, v: attend(q, k, v, enable_gqa=True), torch.randn(2, 6, 5, 4), k, v)
    yield one("flat", attend, q[0], k[0], v[0])
    yield one("by_hand", lambda q, k, v: torch.softmax(scores(q, k), -1) @ v, q, k, v, shapes=sizes, more_calls=[small])
    yield one("by_hand_scaled", lambda q, k, v: torch.softmax((q*0.25) @ k.mT, -1) @ v, q, k, v)
    yield one("by_hand_added", lambda q, k, v, m: torch.softmax(scores(q, k) + m, -1) @ v, q, k, v, added)
    yield one("by_hand_shown", masked, q, k, v, shown)
    yield one("by_hand_causal", causal, q, q, q)
    yield one("by_hand_heads", heads, torch.randn(2, 5, 8), torch.randn(2, 6, 8))
    yield one("by_hand_batches", batches, q[0], k[0], v[0], torch.randn(3, 5, 6))
    x, y = torch.randn(3, 5, 8), torch.randn(3, 6, 8)
    recovered = {"scaled_dot_product_attention": 1, "softmax": 0}
    yield Case("attention_layer", nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (x,),
               ({0: BATCH, 1: QUERIES},), core=True, more_calls=[(torch.randn(1, 1, 8),)], left=recovered)
    yield Case("attention_heads", Attention(), (x, y), core=True, left=recovered)
    yield Case("attention_heads_hidden", Attention(), (x, y, torch.rand(5, 6) > 0.7), core=True, left=recovered)
    yield Case("attention_heads_added", Attention(), (x, y, torch.randn(5, 6)), core=True, left=recovered)
    yield Case("attention_weights", Attention(weights=True), (x, y, torch.randn(5, 6)), core=True,
               left={"scaled_dot_product_attention": 0, "softmax": 1})
    # Core ATen spells the products as `bmm`; an `einsum` that stays one is not looked into.
    yield Case("attention_einsum", Function(einsum), (q, k, v), core=True)
    yield Case("attention_safe", Function(lambda x: torch.ops.aten._safe_softmax(x, -1)), (added,), left={"softmax": 1})
