"""One break after another, in a function and in what it calls; no import of torch by that name."""
from torch import allclose, linspace


def damped(y):
    factor = 0.5 if y.abs().max() > 1 else 2.0
    return y * factor


def f(x):
    y = damped(x.sin() * 3)
    if allclose(y, x):
        y = y + 1
    peak = y.max().item()
    return y - peak


def inputs():
    return (linspace(-1, 2, 12).reshape(3, 4),)
