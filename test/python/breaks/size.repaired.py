"""A number that is a size."""
import math

import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x):
    count = int((x > 0).sum())
    return x.flatten()[:count] * math.pi


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
