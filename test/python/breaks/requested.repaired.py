"""A break that was left in."""
import torch


def f(x):
    y = x + 1
    return y * 2


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
