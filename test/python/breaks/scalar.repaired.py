"""A number that only meets tensors."""
import torch as T


def f(x):
    largest = x.abs().max()
    step = 2 * largest / 127
    return T.round(x / step) * step


def inputs():
    return (T.linspace(-1, 2, 12).reshape(3, 4),)
