#!/usr/bin/env python3
"""A small transformer that guesses the next character of a text; it is trained by train_text.c.

    python3 char_transformer.py text.pt2

writes the model with its first weights, drawn from a fixed seed. It comes from PyTorch rather than as .mlir text because
of these: a text names weights, and has no values of them. The batch is dynamic; the number of characters that are seen
at once is not.
"""
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Attention to what stands before, then an MLP, each added to what came in, which it reads normalised."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.queries_keys_values, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x):
        batch, length, width = x.shape
        q, k, v = self.queries_keys_values(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attention(self.first_norm(x))
        return x + self.down(functional.gelu(self.up(self.second_norm(x))))


class CharTransformer(nn.Module):
    """Characters [batch, length] to scores [batch, vocabulary, length]: classes are axis 1, where a loss looks for them."""

    def __init__(self, vocabulary=128, length=32, width=64, heads=4, layers=2):
        super().__init__()
        self.characters, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.scores = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, text):
        x = self.characters(text) + self.places.weight
        return self.scores(self.norm(self.blocks(x))).transpose(1, 2)


def export(model, path, example):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(model, (example,), dynamic_shapes=({0: torch.export.Dim("batch")},)), path)


def main(path):
    torch.manual_seed(0)
    export(CharTransformer(), path, torch.zeros(16, 32, dtype=torch.int64))


if __name__ == "__main__":
    main(sys.argv[1])
