"""Convolutions of scripts/gpu_workloads.py: layers of ResNet-50 with bias and relu, channels last, and the model itself."""
import functools
import importlib

import torch
from torch import nn

# Images, channels, height and width, output channels, kernel, stride, groups.
LAYERS = {
    "conv_b64_64x56_3x3": (64, 64, 56, 64, 3, 1, 1),
    "conv_b64_128x28_3x3": (64, 128, 28, 128, 3, 1, 1),
    "conv_b64_256x14_3x3": (64, 256, 14, 256, 3, 1, 1),
    "conv_b64_512x7_3x3": (64, 512, 7, 512, 3, 1, 1),
    "conv_b64_128x56_3x3_s2": (64, 128, 56, 128, 3, 2, 1),
    "conv_b64_64x56_256_1x1": (64, 64, 56, 256, 1, 1, 1),
    "conv_b64_1024x14_256_1x1": (64, 1024, 14, 256, 1, 1, 1),
    "conv_b64_256x56_512_1x1_s2": (64, 256, 56, 512, 1, 2, 1),
    "conv_b64_3x224_64_7x7_s2": (64, 3, 224, 64, 7, 2, 1),
    "conv_b1_128x28_3x3": (1, 128, 28, 128, 3, 1, 1),
    "conv_b1_512x7_3x3": (1, 512, 7, 512, 3, 1, 1),
    "conv_b1_1024x14_256_1x1": (1, 1024, 14, 256, 1, 1, 1),
    "conv_b64_256x28_3x3_groups8": (64, 256, 28, 256, 3, 1, 8),
    "conv_b64_256x28_3x3_depthwise": (64, 256, 28, 256, 3, 1, 256),
}
MODELS = {"resnet50_bf16_b64": 64, "resnet50_bf16_b1": 1}


class Layer(nn.Module):
    """Of an input whose channels are contiguous; so is the result."""

    def __init__(self, channels, outputs, kernel, stride, groups):
        super().__init__()
        self.layer = nn.Sequential(nn.Conv2d(channels, outputs, kernel, stride, kernel // 2, groups=groups), nn.ReLU())
        self.layer.to(torch.bfloat16, memory_format=torch.channels_last)

    def forward(self, x):
        return self.layer(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)


def layer(name):
    images, channels, size, outputs, kernel, stride, groups = LAYERS[name]
    return Layer(channels, outputs, kernel, stride, groups), [((images, size, size, channels), torch.bfloat16)]


def torchvision_models():
    """Few workloads need torchvision. Where models are exported it may be of another PyTorch."""
    try:
        import model_sources
        model_sources.import_torchvision()
    except ImportError:
        pass  # models are only run here
    return importlib.import_module("torchvision.models")


class ResNet(nn.Module):
    """Weights of a few bits, so that a folder with them is compressed well; statistics that keep values in range."""

    def __init__(self):
        super().__init__()
        self.model = torchvision_models().resnet50()
        for parameter in self.model.parameters():
            parameter.data = torch.round(parameter.data * 64) / 64
        self.model.to(torch.bfloat16, memory_format=torch.channels_last)

    def forward(self, x):
        return self.model(x)


def resnet(name):
    return ResNet(), [((MODELS[name], 3, 224, 224), torch.bfloat16)]


WORKLOADS = {name: functools.partial(layer, name) for name in LAYERS} | {name: functools.partial(resnet, name) for name in MODELS}
