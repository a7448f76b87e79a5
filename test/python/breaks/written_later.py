"""A message of a tensor that is changed in place afterwards."""
import torch


def f(x):
    y = x * 2
    print("before", y)
    y += 1
    return y


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
