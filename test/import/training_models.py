"""Training graphs for the import test: loss and gradients as outputs, statistics of the batch as new states."""

import torch
import torch.export.experimental
from torch import nn


class WithLoss(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, target):
        return nn.functional.cross_entropy(self.network(x), target)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.layer(self.embed(x)).mean(1))


class Upsampled(nn.Module):
    def __init__(self):
        super().__init__()
        self.transposed = nn.ConvTranspose2d(2, 4, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.norm, self.out = nn.GroupNorm(2, 4), nn.Conv2d(4, 3, 3, stride=2, dilation=2)

    def forward(self, x):
        larger = nn.functional.interpolate(self.norm(self.transposed(x)), scale_factor=2, mode="bilinear")
        return self.out(larger).square().mean((2, 3))


def cnn():
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, stride=2, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3, padding=1, groups=2),
        nn.GELU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(4, 3))


def sequence():
    return nn.Sequential(nn.Conv1d(2, 4, 3, padding=1, bias=False), nn.Tanh(), nn.Flatten(), nn.Linear(20, 3))


def cases(case):
    rows = ({0: torch.export.Dim("batch")},) * 2
    classes = torch.tensor([0, 1, 2])
    mlp = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))
    yield case("train_mlp", WithLoss(mlp), (torch.randn(3, 4), classes), rows, training=True,
               more_calls=[(torch.randn(5, 4), torch.tensor([2, 2, 0, 1, 0]))])
    yield case("train_cnn", WithLoss(cnn()), (torch.randn(3, 2, 8, 8), classes), training=True)
    yield case("train_sequence", WithLoss(sequence()), (torch.randn(3, 2, 5), classes), rows, training=True)
    yield case("train_upsampled", WithLoss(Upsampled()), (torch.randn(3, 2, 4, 5), classes), training=True)
    yield case("train_encoder", WithLoss(Encoder()), (torch.randint(10, (3, 5)), classes), training=True)


def export(model, inputs, shapes):
    """The program that gives the loss and the gradient of every parameter. Attention goes through the kernel whose decomposition
    has right gradients."""
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        program = torch.export.export(model, inputs, dynamic_shapes=shapes)
        return torch.export.experimental._export_forward_backward(program)


def run(model, inputs):
    """Loss and gradients, in the order of the parameters."""
    model.zero_grad()
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        loss = model(*inputs)
        loss.backward()
    return [loss.detach()] + [parameter.grad.clone() for parameter in model.parameters()]
