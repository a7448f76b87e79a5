"""A loop until a value is reached."""
import torch


def f(x):
    while x.abs().sum() < 100:
        x = x * 2
    return x


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
