"""The time of day."""
import time

import torch


def f(x):
    y = x + 1
    begun = time.perf_counter()
    z = y * 2
    assert time.perf_counter() >= begun
    return z


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
