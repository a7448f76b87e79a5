"""A branch on a value, with arithmetic on both sides."""
import torch


def f(x):
    y = x * 2
    # Keeps the sign of the sum.
    y = torch.where(y.sum() > 0, y + 1, y - 1)
    return y.relu()


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
