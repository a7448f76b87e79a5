"""A message of a logger."""
import logging

import torch

log = logging.getLogger("model")


def f(x):
    y = x + 1
    log.info("mean is %s",
             y.mean())
    return y * 2


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
