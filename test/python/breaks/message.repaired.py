"""Messages with shapes and values."""
import torch

torch._dynamo.config.reorderable_logging_functions.add(print)


def f(x):
    y = x * 2
    print("shape", f"{y.shape}", "mean", f"{y.mean()}")
    z = y.tanh()
    print(f"largest {z.max():.3f}")
    peak = z.max()
    print("peak", f"{peak}")
    return z / peak


def inputs():
    return (torch.linspace(-1, 2, 12).reshape(3, 4),)
