"""Models of scripts/gpu_workloads.py that are more than a layer: transformers, and a U-Net with channels last."""
import functools

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    """A layer of a transformer, norms first as in GPT-2 or behind the sums as in BERT."""

    def __init__(self, width, heads, causal=True, norms_first=True):
        super().__init__()
        self.heads, self.causal, self.norms_first = heads, causal, norms_first
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def mix(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))

    def think(self, x):
        return self.down(F.gelu(self.up(x)))

    def forward(self, x):
        if self.norms_first:
            x = x + self.mix(self.norm1(x))
            return x + self.think(self.norm2(x))
        x = self.norm1(x + self.mix(x))
        return self.norm2(x + self.think(x))


class GPT2(nn.Module):
    def __init__(self, width=768, heads=12, layers=12, words=50257, context=1024):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Bert(nn.Module):
    """BERT base: what its encoder makes of each token, and the pooled first one."""

    def __init__(self, width=768, heads=12, layers=12, words=50257, context=512):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(context, width)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(Block(width, heads, causal=False, norms_first=False) for _ in range(layers))
        self.pool = nn.Linear(width, width)

    def forward(self, tokens):
        x = self.norm(self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device)))
        for block in self.blocks:
            x = block(x)
        return x, torch.tanh(self.pool(x[:, 0]))


class ViT(nn.Module):
    """ViT-S/16: 196 patches and a token for the class."""

    def __init__(self, width=384, heads=6, layers=12, classes=1000):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.kind, self.places = nn.Parameter(torch.zeros(1, 1, width)), nn.Parameter(torch.randn(1, 197, width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, heads, causal=False) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.kind.expand(x.shape[0], -1, -1), x], 1) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


def two_convolutions(channels, outputs):
    return nn.Sequential(nn.Conv2d(channels, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
                         nn.Conv2d(outputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class UNet(nn.Module):
    """Weights of a few bits, so that a folder with them is compressed well."""

    def __init__(self, channels=(32, 64, 128, 256), classes=2):
        super().__init__()
        self.down = nn.ModuleList(map(two_convolutions, (3, *channels), channels))
        self.up = nn.ModuleList(nn.ConvTranspose2d(below, above, 2, 2) for above, below in zip(channels, channels[1:]))
        self.join = nn.ModuleList(two_convolutions(2 * above, above) for above in channels[:-1])
        self.head = nn.Conv2d(channels[0], classes, 1)
        for parameter in self.parameters():
            parameter.data = torch.round(parameter.data * 64) / 64
        self.to(torch.bfloat16, memory_format=torch.channels_last)

    def forward(self, x):
        kept = []
        for i, layers in enumerate(self.down):
            x = layers(F.max_pool2d(x, 2) if i > 0 else x)
            kept.append(x)
        for i in reversed(range(len(self.up))):
            x = self.join[i](torch.cat([self.up[i](x), kept[i]], 1))
        return self.head(x)


def transformer(make, shape, dtype=torch.int64):
    return make().to(torch.bfloat16), [(shape, dtype)]


def block():
    return Block(2048, 16).to(torch.bfloat16), [((8, 1024, 2048), torch.bfloat16)]


def unet():
    return UNet(), [((4, 3, 512, 512), torch.bfloat16)]


# Their weights are inputs.
TRANSFORMERS = {
    "block_bf16_8x1024x2048": block,
    "gpt2_bf16_8x512": functools.partial(transformer, GPT2, (8, 512)),
    "gpt2_bf16_1x16": functools.partial(transformer, GPT2, (1, 16)),
    "bert_bf16_32x128": functools.partial(transformer, Bert, (32, 128)),
    "vit_s_bf16_64x224": functools.partial(transformer, ViT, (64, 3, 224, 224), torch.bfloat16),
}
WORKLOADS = {**TRANSFORMERS, "unet_bf16_4x512": unet}
