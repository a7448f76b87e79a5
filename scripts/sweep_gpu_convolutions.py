"""A family of scripts/gpu_sweep.py: convolutions of many channels and sums, of sizes for the matrix unit of a GPU."""
import torch
import torch.nn.functional as F
from torch import nn

from sweep_workload import Case, by, family, weight

LEAST_PRODUCTS, MOST_PRODUCTS, MOST_RESULTS = 1e8, 4e10, 3e7


class Convolution(nn.Module):
    """Weights are (outputs, window, inputs) where channels are last, as the input is; a bias, an activation, what is added."""

    def __init__(self, shape, last, options, act):
        super().__init__()
        outputs, inputs, *window = shape
        terms = inputs
        for size in window:
            terms *= size
        stored = (outputs, *window, inputs) if last else shape
        self.weight, self.bias = weight(*stored, scale=terms ** -0.5), weight(outputs, scale=1.0)
        self.last, self.options, self.act = last, options, act

    def forward(self, x, residual=None):
        dims = x.dim() - 2
        first, last = (0, dims + 1, *range(1, dims + 1)), (0, *range(2, dims + 2), 1)
        w = self.weight.permute(first) if self.last else self.weight
        y = getattr(F, f"conv{dims}d")(x.permute(first) if self.last else x, w, self.bias, **self.options)
        y = self.act(y.permute(last) if self.last else y)
        return y if residual is None else y + residual


@family("convolutions of 1 to 3 dims for the matrix unit: channels last or first, stride, padding, dilation, groups, epilogues")
def convolution(draw):
    dims = draw.choice([1, 2, 2, 2, 2, 3])
    for _ in range(5000):
        groups = draw.choice([1, 1, 1, 1, 2, 4])
        step = draw.choice([8, 8, 8, 1])
        inputs, outputs = (-(-draw.size(8, 512) // (step * groups)) * step * groups for _ in range(2))
        kernel, stride, dilation = draw.choice([1, 1, 3, 3, 3, 5]), draw.choice([1, 1, 1, 2]), draw.choice([1, 1, 1, 2])
        padding = draw.choice([0, dilation * (kernel // 2)])
        batch, size = draw.size(1, 64), [draw.size(4, {1: 4096, 2: 112, 3: 24}[dims]) for _ in range(dims)]
        result = [(s + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1 for s in size]
        if min(result) < 1:
            continue
        results = batch * outputs
        for count in result:
            results *= count
        work = results * inputs // groups * kernel ** dims
        elements = batch * inputs
        for count in size:
            elements *= count
        if LEAST_PRODUCTS <= work <= MOST_PRODUCTS and max(results, elements) <= MOST_RESULTS:
            break
    else:
        raise ValueError("no convolution has the work wanted")
    last, added = draw.chance(0.7), draw.chance(0.3)
    word, act = draw.choice([("relu", torch.relu), ("gelu", F.gelu), ("none", nn.Identity())])
    words = f"{batch}x{inputs}x{by(size)} to {outputs}, kernel {kernel}, stride {stride}, padding {padding}"
    words += f", dilation {dilation}" * (dilation > 1) + f", groups {groups}" * (groups > 1) + ", channels last" * last
    words += f", {word}" * (word != "none") + ", residual" * added

    def build():
        options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        model = Convolution((outputs, inputs // groups, *[kernel] * dims), last, options, act)
        x = torch.randn(batch, *size, inputs) if last else torch.randn(batch, inputs, *size)
        shape = (batch, *result, outputs) if last else (batch, outputs, *result)
        return model, (x, torch.randn(shape)) if added else (x,)

    return Case(words, build)
