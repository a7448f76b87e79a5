"""Two returns, by two conditions at once."""
import torch


def f(x, limit):
    total = x.sum()
    return torch.where(torch.logical_and(total > 0, (x.abs() < limit).all()), x / total, x - 1)


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4), 5.0)
