"""The attention operators that PyTorch chooses between on a GPU (flash, memory-efficient, cuDNN), as the one of the CPU, which the
driver imports, and, trained, as what that is decomposed into.

A dropout inside, or fewer heads of keys than of queries, leave the operator to PyTorch. What they give for their own backward
operators (sums of lengths, states of the generator) is not computed: those operators are decomposed, too.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

aten = torch.ops.aten

# Forward and backward, as decompositions.py has them for the CPU's operator.
Forward = Callable[..., tuple[torch.Tensor, torch.Tensor]]
Backward = Callable[..., tuple[torch.Tensor, torch.Tensor, torch.Tensor]]


def for_inference() -> dict[Any, Callable[..., Any]]:
    def forward(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, dropout_p: float, is_causal: bool, *,
                attn_mask: torch.Tensor | None, scale: float | None) -> tuple[torch.Tensor, torch.Tensor]:
        made: tuple[torch.Tensor, torch.Tensor] = aten._scaled_dot_product_flash_attention_for_cpu.default(
            query, key, value, dropout_p, is_causal, attn_mask=attn_mask, scale=scale)
        return made

    return _forward(forward)


def for_training(forward: Forward, backward: Backward) -> dict[Any, Callable[..., Any]]:
    return _forward(forward) | _backward(backward)


def _left_out(query: torch.Tensor, key: torch.Tensor, dropout_p: float) -> bool:
    return dropout_p > 0 or query.dim() != 4 or query.shape[1] != key.shape[1]


def _forward(compute: Forward) -> dict[Any, Callable[..., Any]]:
    def flash(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, dropout_p: float = 0.0, is_causal: bool = False,
              return_debug_mask: bool = False, *, scale: float | None = None) -> Any:
        if _left_out(query, key, dropout_p) or return_debug_mask:
            return NotImplemented
        out, logarithms = compute(query, key, value, dropout_p, is_causal, attn_mask=None, scale=scale)
        unused = query.new_empty((2,), dtype=torch.int64)
        return out, logarithms, None, None, query.shape[2], key.shape[2], unused, query.new_empty((), dtype=torch.int64), query.new_empty((0,))

    def efficient(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_bias: torch.Tensor | None, compute_log_sumexp: bool,
                  dropout_p: float = 0.0, is_causal: bool = False, *, scale: float | None = None) -> Any:
        if _left_out(query, key, dropout_p):
            return NotImplemented
        out, logarithms = compute(query, key, value, dropout_p, is_causal, attn_mask=attn_bias, scale=scale)
        return out, logarithms, query.new_empty((), dtype=torch.int64), query.new_empty((), dtype=torch.int64)

    def cudnn(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_bias: torch.Tensor | None, compute_log_sumexp: bool,
              dropout_p: float = 0.0, is_causal: bool = False, return_debug_mask: bool = False, *, scale: float | None = None) -> Any:
        if _left_out(query, key, dropout_p) or return_debug_mask:
            return NotImplemented
        out, logarithms = compute(query, key, value, dropout_p, is_causal, attn_mask=attn_bias, scale=scale)
        seed, offset = query.new_empty((), dtype=torch.int64), query.new_empty((), dtype=torch.int64)
        return out, logarithms, None, None, query.shape[2], key.shape[2], seed, offset, None

    return {aten._scaled_dot_product_flash_attention.default: flash, aten._scaled_dot_product_efficient_attention.default: efficient,
            aten._scaled_dot_product_cudnn_attention.default: cudnn}


def _backward(compute: Backward) -> dict[Any, Callable[..., Any]]:
    def flash(grad: torch.Tensor, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, out: torch.Tensor, logarithms: torch.Tensor,
              cum_seq_q: Any, cum_seq_k: Any, max_q: Any, max_k: Any, dropout_p: float, is_causal: bool, philox_seed: Any,
              philox_offset: Any, *, scale: float | None = None) -> Any:
        if _left_out(query, key, dropout_p):
            return NotImplemented
        return compute(grad, query, key, value, out, logarithms, dropout_p, is_causal, attn_mask=None, scale=scale)

    def efficient(grad: torch.Tensor, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_bias: torch.Tensor | None,
                  out: torch.Tensor, logarithms: torch.Tensor, philox_seed: Any, philox_offset: Any, dropout_p: float,
                  grad_input_mask: list[bool], is_causal: bool = False, *, scale: float | None = None) -> Any:
        # A gradient of the mask is another operator's.
        if _left_out(query, key, dropout_p) or (attn_bias is not None and grad_input_mask[3]):
            return NotImplemented
        return *compute(grad, query, key, value, out, logarithms, dropout_p, is_causal, attn_mask=attn_bias, scale=scale), None

    def cudnn(grad: torch.Tensor, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, out: torch.Tensor, logarithms: torch.Tensor,
              philox_seed: Any, philox_offset: Any, attn_bias: torch.Tensor | None, cum_seq_q: Any, cum_seq_k: Any, max_q: Any, max_k: Any,
              dropout_p: float, is_causal: bool, *, scale: float | None = None) -> Any:
        if _left_out(query, key, dropout_p):
            return NotImplemented
        return compute(grad, query, key, value, out, logarithms, dropout_p, is_causal, attn_mask=attn_bias, scale=scale)

    return {aten._scaled_dot_product_flash_attention_backward.default: flash,
            aten._scaled_dot_product_efficient_attention_backward.default: efficient,
            aten._scaled_dot_product_cudnn_attention_backward.default: cudnn}
