"""A sum of some elements."""
import torch


def f(x):
    y = x.exp()
    return y[y > 1].sum() / y.sum()


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
