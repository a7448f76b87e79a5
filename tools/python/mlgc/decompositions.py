"""What operators are decomposed into before a graph comes to mlgc.

Those that the driver does not know are decomposed as PyTorch does. The CPU's attention is decomposed here when it is trained:
PyTorch's own decomposition of the forward operator gives something else than the logarithms that the backward operator reads,
so that gradients would be wrong.
"""
from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F

from mlgc import cuda_attention, cuda_wide, driver, special_functions

aten = torch.ops.aten


# Known, where the number of pieces is; as slices they are known always.
_TAKEN_APART = {"aten.split.Tensor", "aten.unsafe_split.Tensor", "aten.split_with_sizes_copy.default", "aten.unbind_copy.int"}
# Beside those of core ATen: functional operators that PyTorch decomposes into known ones.
_BESIDE_CORE = (aten._addmm_activation.default, aten.bitwise_and.Scalar_Tensor, aten.bitwise_or.Scalar_Tensor,
                aten.bitwise_xor.Scalar_Tensor, aten.bucketize.Scalar, aten.copysign.Scalar, aten.remainder.Scalar_Tensor,
                aten.rrelu_with_noise_backward.default, aten.unbind_copy.int)


def of_unknown_operators() -> dict[Any, Callable[..., Any]]:
    """PyTorch's core decompositions of what the driver does not import, and those of Inductor's operators that Dynamo has used."""
    return _of_unknown_operators() | _of_inductor_operators() | cuda_wide.decompositions() | cuda_attention.for_inference()


def _of_inductor_operators() -> dict[Any, Callable[..., Any]]:
    """What Dynamo writes for `addcmul_`, `addcdiv_` and `add_` of tensors that scale, so in every optimiser. The operator exists once
    Dynamo has loaded it; without Inductor it rounds the product, too."""
    fma = getattr(torch.ops.prims, "fma", None)
    return {fma.default: lambda a, b, c: a * b + c} if fma is not None else {}


@functools.lru_cache(maxsize=1)
def _of_unknown_operators() -> dict[Any, Callable[..., Any]]:
    from torch._decomp import core_aten_decompositions, decomposition_table

    known = set(driver.run(["ops", "--aten"]).split()) - _TAKEN_APART
    pytorch = {**core_aten_decompositions(), **{overload: decomposition_table[overload] for overload in _BESIDE_CORE}}
    own = special_functions.decompositions() | {
        aten._transformer_encoder_layer_fwd.default: _transformer_encoder_layer, aten._cdist_backward.default: _cdist_backward,
        aten._pdist_forward.default: _pdist_forward, aten._pdist_backward.default: _pdist_backward,
        aten.masked_scatter_backward.default: _masked_scatter_backward, aten.fractional_max_pool2d.default: _fractional_max_pool,
        aten.fractional_max_pool3d.default: _fractional_max_pool,
        aten.fractional_max_pool2d_backward.default: _fractional_max_pool_backward,
        aten.fractional_max_pool3d_backward.default: _fractional_max_pool_backward}
    return {overload: how for overload, how in (pytorch | own).items() if str(overload).removeprefix("torch.ops.") not in known}


def _cdist_backward(grad: torch.Tensor, x1: torch.Tensor, x2: torch.Tensor, p: float, distances: torch.Tensor) -> torch.Tensor:
    """The cotangent of x1, [..., P, M], of those of the distances [..., P, R] to the rows of x2, [..., R, M]."""
    slope = _distance_slope(x1.unsqueeze(-2) - x2.unsqueeze(-3), distances.unsqueeze(-1), p)
    return (grad.unsqueeze(-1) * slope).sum(-2)


def _distance_slope(difference: torch.Tensor, distance: torch.Tensor, p: float) -> torch.Tensor:
    """The derivatives of p-norms [..., 1] by the elements of the differences [..., M] that they are of."""
    size, sign = difference.abs(), difference.sign()
    if p == 0:
        return torch.zeros_like(difference)
    if p == 1:
        return sign
    if p == math.inf:
        return torch.where(size == distance, sign, 0.0)
    slope = sign * (size / torch.where(distance == 0, 1.0, distance)).pow(p - 1)
    return torch.where((distance == 0) | ((difference == 0) & (p < 1)), 0.0, slope)


def _pdist_forward(x: torch.Tensor, p: float = 2) -> torch.Tensor:
    """Distances of the rows of x, [N, M], to those after them: [N * (N - 1) / 2]."""
    first, second = torch.triu_indices(x.shape[0], x.shape[0], 1, device=x.device).unbind(0)
    return torch.linalg.vector_norm(x[first] - x[second], p, -1)


def _pdist_backward(grad: torch.Tensor, x: torch.Tensor, p: float, distances: torch.Tensor) -> torch.Tensor:
    first, second = torch.triu_indices(x.shape[0], x.shape[0], 1, device=x.device).unbind(0)
    parts = grad.unsqueeze(-1) * _distance_slope(x[first] - x[second], distances.unsqueeze(-1), p)
    return torch.zeros_like(x).index_add(0, first, parts).index_add(0, second, parts, alpha=-1)


def _masked_scatter_backward(grad: torch.Tensor, mask: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
    """The cotangent of the source, of the given sizes: what stands where the mask is set, in order, then zeros."""
    grad, mask = torch.broadcast_tensors(grad, mask)
    grad, mask = grad.reshape(-1), mask.reshape(-1)
    count = math.prod(sizes)
    place = torch.where(mask, mask.cumsum(0) - 1, count)
    return grad.new_zeros(count + 1).scatter_add(0, place, torch.where(mask, grad, 0.0))[:count].view(sizes)


def _fractional_max_pool(x: torch.Tensor, kernel_size: Sequence[int], output_size: Sequence[int],
                         samples: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Of [batch,] channels and 2 or 3 axes: the largest of each window, and where it stands on its plane.

    samples: [batch, channels, axes], from 0 to 1: where windows begin.
    """
    axes = len(kernel_size)
    planes = x if x.dim() == axes + 2 else x.unsqueeze(0)
    place = torch.zeros((), dtype=torch.int64, device=x.device)  # of [batch, channels, outputs…, windows…]
    for axis, (size, kernel, count) in enumerate(zip(planes.shape[2:], kernel_size, output_size)):
        sample = samples[:planes.shape[0], :, axis if axes == 3 else axes - 1 - axis].unsqueeze(-1)
        begins = torch.full_like(sample, size - kernel).to(torch.int64)
        if count > 1:
            alpha = (torch.full((), size - kernel, dtype=x.dtype, device=x.device) / (count - 1))
            steps = torch.arange(count - 1, device=x.device).to(x.dtype)
            first = ((steps + sample) * alpha).to(torch.int64) - (sample * alpha).to(torch.int64)
            begins = torch.cat([first, begins], -1)
        inside = begins.unsqueeze(-1) + torch.arange(kernel, device=x.device)  # [batch, channels, count, kernel]
        shape = [*inside.shape[:2], *[1] * (2 * axes)]
        shape[2 + axis], shape[2 + axes + axis] = count, kernel
        place = place * size + inside.reshape(shape)
    flat = planes.reshape(*planes.shape[:2], -1)
    windows = place.reshape(*flat.shape[:2], *output_size, -1)
    values = flat.gather(2, windows.reshape(*flat.shape[:2], -1)).reshape(windows.shape)
    largest, at = values.max(-1, keepdim=True)
    found = windows.gather(-1, at).squeeze(-1)
    largest = largest.squeeze(-1)
    return (largest, found) if x.dim() == axes + 2 else (largest.squeeze(0), found.squeeze(0))


def _fractional_max_pool_backward(grad: torch.Tensor, x: torch.Tensor, kernel_size: Sequence[int], output_size: Sequence[int],
                                  indices: torch.Tensor) -> torch.Tensor:
    leading = x.shape[:x.dim() - len(kernel_size)]
    flat = grad.new_zeros([*leading, math.prod(x.shape[len(leading):])])
    return flat.scatter_add(-1, indices.reshape(*leading, -1), grad.reshape(*leading, -1)).reshape(x.shape)


def _transformer_encoder_layer(src: torch.Tensor, embed_dim: int, num_heads: int, qkv_weight: torch.Tensor,
                               qkv_bias: torch.Tensor, proj_weight: torch.Tensor, proj_bias: torch.Tensor, use_gelu: bool,
                               norm_first: bool, eps: float, norm_weight_1: torch.Tensor, norm_bias_1: torch.Tensor,
                               norm_weight_2: torch.Tensor, norm_bias_2: torch.Tensor, ffn_weight_1: torch.Tensor,
                               ffn_bias_1: torch.Tensor, ffn_weight_2: torch.Tensor, ffn_bias_2: torch.Tensor,
                               mask: torch.Tensor | None = None, mask_type: int | None = None) -> torch.Tensor:
    """The one operator that nn.TransformerEncoderLayer calls in eval mode: src is [batch, length, embed_dim].

    `mask` is of padding (mask_type 1: [batch, length], True is left out) or of pairs (0: [length, length]; 2: full).
    """
    batch, length, _ = src.shape

    def attention(x: torch.Tensor) -> torch.Tensor:
        heads = F.linear(x, qkv_weight, qkv_bias).view(batch, length, 3, num_heads, embed_dim // num_heads)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind(0)
        kept = None
        if mask is not None:
            left_out = mask.view(batch, 1, 1, length) if mask_type == 1 else mask
            kept = ~left_out if mask.dtype == torch.bool else left_out
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=kept)
        return F.linear(found.transpose(1, 2).reshape(batch, length, embed_dim), proj_weight, proj_bias)

    def feed_forward(x: torch.Tensor) -> torch.Tensor:
        inner = F.linear(x, ffn_weight_1, ffn_bias_1)
        return F.linear(F.gelu(inner) if use_gelu else F.relu(inner), ffn_weight_2, ffn_bias_2)

    def norm_1(x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, (embed_dim,), norm_weight_1, norm_bias_1, eps)

    def norm_2(x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, (embed_dim,), norm_weight_2, norm_bias_2, eps)

    if norm_first:
        src = src + attention(norm_1(src))
        return src + feed_forward(norm_2(src))
    src = norm_1(src + attention(src))
    return norm_2(src + feed_forward(src))


def _scores(query: torch.Tensor, key: torch.Tensor, is_causal: bool, mask: torch.Tensor | None, scale: float | None) -> torch.Tensor:
    """Products of queries and keys, scaled, with what is masked at -inf: [batch, heads, length of query, length of key]."""
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = torch.matmul(query, key.transpose(-2, -1)) * factor
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    if is_causal:
        kept = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()
        scores = scores.masked_fill(~kept, -math.inf)
    return scores


def _attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, dropout_p: float = 0.0, is_causal: bool = False, *,
               attn_mask: torch.Tensor | None = None, scale: float | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """The result [batch, heads, length, head size], and the logarithms of the sums of exponentials [batch, heads, length].

    In 16 bits both are computed in f32, as the operator does. A row that is masked as a whole gives 0.
    """
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = _scores(query.to(wide), key.to(wide), is_causal, attn_mask, scale)
    logarithms = torch.logsumexp(scores, -1)
    weights = torch.where(torch.isneginf(logarithms).unsqueeze(-1), 0.0, torch.exp(scores - logarithms.unsqueeze(-1)))
    # The operator lays heads next to each other for each position.
    result = torch.matmul(weights, value.to(wide)).to(query.dtype)
    return result.transpose(1, 2).contiguous().transpose(1, 2), logarithms


def _attention_backward(grad: torch.Tensor, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, out: torch.Tensor,
                        logarithms: torch.Tensor, dropout_p: float, is_causal: bool, *, attn_mask: torch.Tensor | None = None,
                        scale: float | None = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Cotangents of query, key and value."""
    wide = torch.promote_types(query.dtype, torch.float32)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = _scores(query.to(wide), key.to(wide), is_causal, attn_mask, scale)
    weights = torch.where(torch.isneginf(logarithms).unsqueeze(-1), 0.0, torch.exp(scores - logarithms.unsqueeze(-1)))
    cotangent = grad.to(wide)
    of_weights = torch.matmul(cotangent, value.to(wide).transpose(-2, -1))
    of_scores = weights * (of_weights - (cotangent * out.to(wide)).sum(-1, keepdim=True)) * factor
    return (torch.matmul(of_scores, key.to(wide)).to(query.dtype),
            torch.matmul(of_scores.transpose(-2, -1), query.to(wide)).to(key.dtype),
            torch.matmul(weights.transpose(-2, -1), cotangent).to(value.dtype))


_SAVING = {aten.log_sigmoid_forward.default, aten.nll_loss_forward.default, aten.nll_loss2d_forward.default}


def for_training() -> dict[Any, Callable[..., Any]]:
    """With those whose further results the backward graph reads, which importers do not give."""
    from torch._decomp import core_aten_decompositions

    saving = {overload: how for overload, how in core_aten_decompositions().items() if overload in _SAVING}
    attention = cuda_attention.for_training(_attention, _attention_backward)
    return of_unknown_operators() | saving | attention | {aten._scaled_dot_product_flash_attention_for_cpu.default: _attention,
                                     aten._scaled_dot_product_flash_attention_for_cpu_backward.default: _attention_backward}
