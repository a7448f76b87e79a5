"""A check that raises."""
import torch


def f(x):
    if torch.isnan(x).any():
        raise ValueError("x has a NaN")
    return x.exp()


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
