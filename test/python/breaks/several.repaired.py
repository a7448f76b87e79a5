"""One break after another, in a function and in what it calls; no import of torch by that name."""
from torch import allclose, linspace
import torch


def damped(y):
    factor = torch.where(y.abs().max() > 1, 0.5, 2.0)
    return y * factor


def f(x):
    y = damped(x.sin() * 3)
    y = torch.where(torch.isclose(y, x).all(), y + 1, y)
    peak = y.max()
    return y - peak


def inputs():
    return (linspace(-1, 2, 12).reshape(3, 4),)
