"""A message in a loop, which Dynamo would write with other words."""
import torch


def f(x):
    for step in range(2):
        x = x.sin()
        print(step, end=" ")
    return x


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
