"""Two returns, by two conditions at once."""
import torch


def f(x, limit):
    total = x.sum()
    if total > 0 and bool((x.abs() < limit).all()):
        return x / total
    return x - 1


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4), 5.0)
