#!/usr/bin/env python3
"""Compares samples with PyTorch: inputs and weights are drawn here, PyTorch computes the reference, and
`mlgc eval --expect` judges.

usage: test/samples/torch_reference.py --mlgc FILE --work FOLDER SAMPLE.mlir...

Prints a JSON object: of each sample that has a reference below, what differs; empty where it agrees.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy
import torch
import torch.nn.functional as F

torch.manual_seed(0)
REFERENCES = {}


class Reference:
    """`inputs` and `weights` are tensors by name, `compute` maps both to results by name. With `grad`, flags of
    `mlgc grad`, the function is the one that it makes of the sample."""

    def __init__(self, compute, inputs, weights=None, flags=(), grad=()):
        self.compute, self.inputs, self.weights, self.flags, self.grad = compute, inputs, weights or {}, flags, grad


def reference(name, inputs, weights=None, flags=(), grad=()):
    def register(compute):
        REFERENCES[name] = Reference(compute, inputs, weights, flags, grad)
        return compute
    return register


def randn(*shape):
    return torch.randn(*shape)


@reference("expression", {"x": torch.tensor(0.5), "y": torch.tensor(2.0)})
def expression(x, y):
    return {"z": (x + y) * torch.sin(x)}


def gradients(of, values):
    """What `of` makes of these values, results by name, and the gradients of the first one, by name d_<name>."""
    with torch.enable_grad():
        leaves = {name: value.clone().requires_grad_() for name, value in values.items()}
        results = of(leaves)
        found = torch.autograd.grad(next(iter(results.values())), list(leaves.values()))
    return {name: value.detach() for name, value in [*results.items(), *zip((f"d_{name}" for name in leaves), found)]}


@reference("expression_gradient", {"x": torch.tensor(0.5), "y": torch.tensor(2.0)})
def expression_gradient(x, y):
    return gradients(lambda v: {"z": (v["x"] + v["y"]) * torch.sin(v["x"])}, {"x": x, "y": y})


@reference("if", {"c": torch.tensor(False), "x": randn(3), "y": randn(3)})
def choose(c, x, y):
    return {"first": x + y if c else x - y, "second": x if c else y}


@reference("while_newton", {"a": torch.tensor(2.0, dtype=torch.float64)})
def newton(a):
    root, steps = a.clone(), 0
    while abs(root * root - a) > 1e-12:
        root, steps = (root + a / root) * 0.5, steps + 1
    return {"root": root, "steps": torch.tensor(steps)}


@reference("while_collatz", {"n": torch.tensor(27)})
def collatz(n):
    value, steps = int(n), 0
    while value > 1:
        value, steps = value // 2 if value % 2 == 0 else 3 * value + 1, steps + 1
    return {"steps": torch.tensor(steps)}


@reference("scan", {"h0": randn(4), "xs": randn(5, 4)})
def scan(h0, xs):
    states = []
    for x in xs:
        h0 = torch.tanh(x + h0)
        states.append(h0)
    return {"h": h0, "hs": torch.stack(states)}


@reference("dynamic_batch", {"x": randn(8, 3), "mean": randn(3), "scale": randn(3)})
def dynamic_batch(x, mean, scale):
    return {"y": (x - mean) * scale}


@reference("derived_weights", {"x": randn(2, 4)},
           {"gamma": torch.rand(4), "beta": torch.rand(4), "mean": torch.rand(4), "variance": torch.rand(4) + 0.5})
def derived_weights(x, gamma, beta, mean, variance):
    scale = gamma * torch.rsqrt(variance + 1e-5)
    return {"y": x * scale + (beta - mean * scale)}


@reference("casts", {"x": torch.tensor([1, -2, 3, 300], dtype=torch.int32), "h": torch.full((4,), 0.5).half()})
def casts(x, h):
    total = x.float() + h.float()
    return {"sum": total, "byte": x.to(torch.int8), "bool": x.bool(), "rounded": total.bfloat16().float()}


@reference("fused_region", {"x": randn(2, 4), "gate": randn(2, 4)})
def fused_region(x, gate):
    return {"y": torch.relu(x * torch.sigmoid(gate))}


@reference("broadcast", {"x": randn(2, 3, 4), "row": randn(4), "column": randn(3, 1), "one": randn(())})
def broadcast(x, row, column, one):
    return {"result0": (x + row) * column - one}


@reference("activations", {"x": torch.tensor([-3.0, -1, -0.5, 0, 0.5, 1, 3])})
def activations(x):
    return {"relu": F.relu(x), "leaky": F.leaky_relu(x, 0.1), "gelu": F.gelu(x, approximate="tanh"), "silu": F.silu(x),
            "softplus": F.softplus(x)}


@reference("masks", {"x": torch.tensor([0.5, -2.0, float("nan"), 1.0, 7.0])})
def masks(x):
    bad = (x.abs() > 1) | x.isnan()
    return {"y": x.masked_fill(bad, 0.0), "bad": bad}


@reference("integers", {"a": torch.tensor([7, -7, 2147483647, 10], dtype=torch.int32),
                        "b": torch.tensor([2, 2, 1, -3], dtype=torch.int32)})
def integers(a, b):
    return {"sum": a + b, "floor": torch.div(a, b, rounding_mode="floor"),
            "trunc": torch.div(a, b, rounding_mode="trunc"), "rest": torch.remainder(a, b), "bits": a ^ b}


@reference("loop_nest", {"a": randn(2, 3), "b": randn(3)})
def loop_nest(a, b):
    return {"y": a + b}


@reference("loop_matmul", {"a": randn(2, 3), "b": randn(3, 2)})
def loop_matmul(a, b):
    return {"c": a @ b}


@reference("mandelbrot", {"re": torch.tensor([-2.0, -0.5, 0.3, 1]), "im": torch.tensor([0.0, 0.5, 0.5, 1])})
def mandelbrot(re, im):
    x, y, age = torch.zeros(4), torch.zeros(4), torch.zeros(4, dtype=torch.int64)
    for _ in range(20):
        inside = x * x + y * y <= 4
        x, y = x * x - y * y + re, x * y * 2 + im
        age += inside
    return {"age": age}


@reference("gelu_by_parts", {"x": randn(5)})
def gelu_by_parts(x):
    return {"whole": F.gelu(x), "parts": F.gelu(x)}


@reference("horner", {"x": torch.tensor([0.0, 1, 2]), "coefficients": torch.tensor([1.0, 2, 3])})
def horner(x, coefficients):
    return {"y": coefficients[0] + coefficients[1] * x + coefficients[2] * x * x}


@reference("mixed_precision", {"a": randn(4).half(), "b": randn(4).half(), "t": torch.tensor(0.25)})
def mixed_precision(a, b, t):
    return {"blended": (a.float() + (b.float() - a.float()) * t).half(), "narrow": a + b}


@reference("logic", {"a": torch.tensor([False, True, True, True]), "b": torch.tensor([False, False, True, True]),
                     "carry": torch.tensor([True, False, False, True])})
def logic(a, b, carry):
    return {"sum": a ^ b ^ carry, "out": (a & b) | ((a ^ b) & carry)}


@reference("mlp", {"x": randn(3, 8)}, {"fc0.weight": randn(16, 8), "fc0.bias": randn(16), "fc1.weight": randn(4, 16),
                                       "fc1.bias": randn(4)})
def mlp(x, **w):
    hidden = F.relu(F.linear(x, w["fc0.weight"], w["fc0.bias"]))
    return {"logits": F.linear(hidden, w["fc1.weight"], w["fc1.bias"])}


@reference("mlp_gradient", {"x": randn(3, 8), "target": torch.tensor([2, 0, -100])},
           {"fc0.weight": randn(16, 8), "fc0.bias": randn(16), "fc1.weight": randn(4, 16), "fc1.bias": randn(4)})
def mlp_gradient(x, target, **w):
    def compute(v):
        hidden = F.relu(F.linear(v["x"], v["fc0.weight"], v["fc0.bias"]))
        logits = F.linear(hidden, v["fc1.weight"], v["fc1.bias"])
        return {"loss": F.cross_entropy(logits, target), "logits": logits}

    return gradients(compute, {"x": x, **w})


@reference("conv_net", {"image": randn(2, 1, 8, 8)}, {"conv.weight": randn(4, 1, 3, 3), "conv.bias": randn(4),
                                                      "head.weight": randn(10, 64), "head.bias": randn(10)})
def conv_net(image, **w):
    pooled = F.max_pool2d(F.relu(F.conv2d(image, w["conv.weight"], w["conv.bias"], padding=1)), 2)
    return {"logits": F.linear(pooled.reshape(2, 64), w["head.weight"], w["head.bias"])}


@reference("residual_block", {"x": randn(2, 3, 5, 6)},
           {"conv1.weight": randn(3, 3, 3, 3) / 5, "bn1.mean": randn(3), "bn1.var": torch.rand(3) + 0.5,
            "bn1.weight": randn(3), "bn1.bias": randn(3), "conv2.weight": randn(3, 3, 3, 3) / 5})
def residual_block(x, **w):
    first = F.conv2d(x, w["conv1.weight"], padding=1)
    first = F.relu(F.batch_norm(first, w["bn1.mean"], w["bn1.var"], w["bn1.weight"], w["bn1.bias"]))
    return {"y": F.relu(F.conv2d(first, w["conv2.weight"], padding=1) + x)}


HEADS = {"q": randn(2, 2, 5, 4), "k": randn(2, 2, 5, 4), "v": randn(2, 2, 5, 4)}


@reference("attention", HEADS)
def attention(q, k, v):
    return {"y": F.scaled_dot_product_attention(q, k, v)}


@reference("causal_attention", HEADS)
def causal_attention(q, k, v):
    return {"y": F.scaled_dot_product_attention(q, k, v, is_causal=True)}


@reference("layer_norm", {"x": randn(3, 8), "weight": randn(8), "bias": randn(8)})
def layer_norm(x, weight, bias):
    y = F.layer_norm(x, [8], weight, bias)
    return {"whole": y, "parts": y}


@reference("softmax_cross_entropy", {"logits": randn(4, 10), "target": torch.tensor([0, 3, 9, 1])})
def softmax_cross_entropy(logits, target):
    loss = F.cross_entropy(logits, target)
    return {"spelled": loss, "whole": loss}


@reference("embedding", {"tokens": torch.tensor([[1, 0, 11], [3, 3, 2]])}, {"table": randn(12, 4)})
def embedding(tokens, table):
    return {"y": F.embedding(tokens, table)}


@reference("gather_scatter", {"x": randn(2, 3), "at": torch.tensor([[2, 0, 0], [1, 1, 2]]),
                              "rows": torch.tensor([1, 0])})
def gather_scatter(x, at, rows):
    return {"gathered": x.gather(1, at), "histogram": torch.zeros(2, 3).scatter_add(1, at, x), "selected": x[rows]}


@reference("pooling", {"x": randn(1, 2, 6, 7)})
def pooling(x):
    return {"largest": F.max_pool2d(x, 2), "average": F.avg_pool2d(x, 2), "global": F.adaptive_avg_pool2d(x, 1)}


@reference("derived_dims", {"x": randn(3, 4)})
def derived_dims(x):
    return {"doubled": torch.cat([x, x]), "flat": x.reshape(-1), "turned": x.T.contiguous()}


@reference("reductions", {"x": randn(3, 5)})
def reductions(x):
    largest, where = x.max(1)
    return {"sum": x.sum(1), "mean": x.mean(0, keepdim=True), "largest": largest, "where": where, "norm": x.norm()}


@reference("sort_topk", {"x": torch.tensor([3.0, 1, 2, 5, 4, 0])})
def sort_topk(x):
    order, best = x.sort(), x.topk(2)
    return {"sorted": order.values, "from": order.indices, "best": best.values, "at": best.indices}


@reference("segments", {"x": randn(3, 8)}, {"w": randn(8, 4)})
def segments(x, w):
    h = torch.relu(x) @ w
    return {"y": torch.softmax(h + torch.exp(h), -1)}


class Quantised(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return torch.round(w.clamp(-1, 1) * 4) / 4

    @staticmethod
    def backward(ctx, g):
        return g * (ctx.saved_tensors[0].abs() <= 1)


@reference("straight_through", {"x": randn(4, 3), "w": randn(2, 3), "target": randn(4, 2)}, flags=["--function=loss_grad"],
           grad=["--function=loss", "--wrt=x,w"])
def straight_through(x, w, target):
    with torch.enable_grad():
        x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
        loss = F.mse_loss(F.linear(x, Quantised.apply(w)), target)
        d_x, d_w = torch.autograd.grad(loss, [x, w])
    return {"loss": loss.detach(), "d_x": d_x, "d_w": d_w}


@reference("graph", {"x": torch.tensor(0.5), "y": torch.tensor(2.0)})
def graph(x, y):
    return {"z": 6 * ((x + y) * torch.sin(x))}


@reference("block", {"x": randn(3, 8)}, {"fc1.weight": randn(16, 8), "fc1.bias": randn(16), "fc2.weight": randn(8, 16)})
def block(x, **w):
    return {"y": F.relu(F.linear(F.relu(F.linear(x, w["fc1.weight"], w["fc1.bias"])), w["fc2.weight"]) + x)}


@reference("fusion", {"x": randn(3, 256)},
           {"up.weight": randn(512, 256) / 16, "up.bias": randn(512), "down.weight": randn(256, 512) / 20})
def fusion(x, **w):
    hidden = F.linear(x, w["up.weight"], w["up.bias"])
    return {"y": F.linear(hidden * torch.sigmoid(hidden), w["down.weight"]), "mean": x.mean(1), "largest": x.amax(1)}


def archive(path, tensors):
    numpy.savez(path, **{name: tensor.numpy() for name, tensor in tensors.items()})


def compare(sample, found, options):
    """What differs, or nothing."""
    with torch.no_grad():
        expected = found.compute(**found.inputs, **found.weights)
    program = sample
    if found.grad:
        program = options.work / f"{sample.stem}-grad.mlir"
        subprocess.run([options.mlgc, "grad", sample, *found.grad, "-o", program], check=True)
    command = [options.mlgc, "eval", program, *found.flags]
    for what, tensors in (("input", found.inputs), ("expect", expected), ("weights", found.weights)):
        if tensors:
            path = options.work / f"{sample.stem}-{what}.npz"
            archive(path, tensors)
            command.append(f"--{what}={'' if what == 'weights' else '@'}{path}")
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}" if done.returncode != 0 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("--mlgc", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("samples", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    differences = {str(sample): compare(sample, found, options) for sample in options.samples
                   if (found := REFERENCES.get(sample.stem)) is not None}
    print(json.dumps(differences))
    return 0


if __name__ == "__main__":
    sys.exit(main())
