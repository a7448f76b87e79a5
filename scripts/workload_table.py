"""Named workloads: functions that return (model, what describes its inputs), and how one is built. What
scripts/bench_workloads.py and scripts/gpu_workloads.py share.
"""
import torch
from torch import nn


class Function(nn.Module):
    """A plain function of inputs, and of parameters behind them, as a module."""

    def __init__(self, function, *weights):
        super().__init__()
        self.function = function
        self.names = [f"weight{i}" for i in range(len(weights))]
        for name, weight in zip(self.names, weights):
            self.register_parameter(name, nn.Parameter(weight))

    def forward(self, *args):
        return self.function(*args, *(getattr(self, name) for name in self.names))


class Table(dict):
    def add(self, make):
        self[make.__name__] = make
        return make

    def build(self, name):
        """Seeded, so that every build has the same weights and inputs."""
        torch.manual_seed(1234)
        model, inputs = self[name]()
        return (model if isinstance(model, nn.Module) else Function(model)).eval(), inputs
