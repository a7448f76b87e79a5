"""Whole networks that scripts/bench-networks measures: each function returns (model, example inputs), with random weights.

ResNet, MobileNet, the vision transformer and ConvNeXt are torchvision's, GPT-2 and BERT transformers', in the sizes that they were published in.
"""
from __future__ import annotations

import importlib
import importlib.util

import torch
from torch import nn

import model_sources
from workload_table import Table

NETWORKS = Table()
network = NETWORKS.add


def pictures(name, **options):
    return model_sources.torchvision_model(name, options), (torch.randn(1, 3, 224, 224),)


class Hidden(nn.Module):
    """Of a model of transformers the last hidden state, or the logits, of tokens."""

    def __init__(self, model, result):
        super().__init__()
        self.model, self.result = model, result

    def forward(self, tokens):
        return getattr(self.model(input_ids=tokens), self.result)


@network
def resnet18():
    return pictures("resnet18")


@network
def mobilenet_v3_large():
    return pictures("mobilenet_v3_large")


@network
def convnext_tiny():
    return pictures("convnext_tiny")


@network
def vit_small():
    """ViT-S/16."""
    return pictures("vit_b_16", constructor="VisionTransformer", image_size=224, patch_size=16, num_layers=12, num_heads=6, hidden_dim=384,
                    mlp_dim=1536)


def transformers_package():
    """It imports torchvision, where that is installed."""
    if importlib.util.find_spec("torchvision") is not None:
        model_sources.import_torchvision()
    return importlib.import_module("transformers")


@network
def bert_base():
    transformers = transformers_package()

    model = transformers.BertModel(transformers.BertConfig())
    return Hidden(model, "last_hidden_state"), (torch.randint(0, 30522, (1, 128)),)


@network
def gpt2_small():
    transformers = transformers_package()

    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(use_cache=False))
    return Hidden(model, "logits"), (torch.randint(0, 50257, (1, 128)),)


class Double(nn.Sequential):
    """Two convolutions of 3 by 3."""

    def __init__(self, before, after):
        super().__init__(nn.Conv2d(before, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU(),
                         nn.Conv2d(after, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU())


class UNet(nn.Module):
    """After Ronneberger et al. 2015, with padding: each level halves the image and doubles the channels; columns of the way down are joined
    to those of the way up."""

    def __init__(self, first, levels, classes):
        super().__init__()
        widths = [first << level for level in range(levels)]
        self.down = nn.ModuleList(Double(before, after) for before, after in zip([3, *widths], widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * width, width, 2, stride=2) for width in widths[-2::-1])
        self.joined = nn.ModuleList(Double(2 * width, width) for width in widths[-2::-1])
        self.last = nn.Conv2d(first, classes, 1)

    def forward(self, x):
        left = []
        for number, level in enumerate(self.down):
            x = level(nn.functional.max_pool2d(x, 2) if number else x)
            left.append(x)
        for up, joined, other in zip(self.up, self.joined, left[-2::-1]):
            x = joined(torch.cat((other, up(x)), 1))
        return self.last(x)


@network
def unet():
    return UNet(16, 5, 4), (torch.randn(1, 3, 256, 256),)


@network
def unet_small():
    """Less than a millisecond of work: what a call costs, and tests of the script."""
    return UNet(8, 3, 4), (torch.randn(1, 3, 32, 32),)


def build(name):
    """Batch norms and scales are moved off what initialisation leaves them at: nothing folds that would not in a trained network."""
    model, inputs = NETWORKS.build(name)
    model_sources.shake(model, torch.Generator().manual_seed(model_sources.SEED))
    return model, inputs
