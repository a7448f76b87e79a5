"""A training step by XLA: the exported model, operator by operator in jax.numpy, behind jax.jit of jax.value_and_grad.

Has the operators that scripts/training_workloads.py exports to; another one is an error that names it.
"""
import operator
import sys
import time

import jax
import jax.numpy as jnp
import torch
from jax import lax

import training_workloads


def numbers(value, count):
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    return value * count if len(value) == 1 else value


def linear(x, weight, bias=None):
    y = x @ weight.T
    return y if bias is None else y + bias


def conv2d(x, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    y = lax.conv_general_dilated(x, weight, numbers(stride, 2), [(p, p) for p in numbers(padding, 2)],
                                 rhs_dilation=numbers(dilation, 2), feature_group_count=groups)
    return y if bias is None else y + bias[:, None, None]


def max_pool2d(x, kernel, stride=(), padding=(0, 0)):
    pads = [(0, 0), (0, 0), *((p, p) for p in numbers(padding, 2))]
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, *numbers(kernel, 2)), (1, 1, *numbers(stride or kernel, 2)), pads)


def batch_norm(x, weight, bias, _mean, _var, training, _momentum, eps, _cudnn):
    assert training, "only of the batch"
    axes = (0, *range(2, x.ndim))
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    shape = (1, -1, *(1,) * (x.ndim - 2))
    return (x - mean) * lax.rsqrt(var + eps) * weight.reshape(shape) + bias.reshape(shape)


def layer_norm(x, shape, weight=None, bias=None, eps=1e-5, _cudnn=True):
    axes = tuple(range(-len(shape), 0))
    y = (x - x.mean(axes, keepdims=True)) * lax.rsqrt(x.var(axes, keepdims=True) + eps)
    return y * (1 if weight is None else weight) + (0 if bias is None else bias)


def attention(q, k, v, mask=None, dropout=0.0, is_causal=False):
    assert mask is None and dropout == 0
    scores = q @ jnp.swapaxes(k, -2, -1) / q.shape[-1] ** 0.5
    if is_causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    return jax.nn.softmax(scores, -1) @ v


def cross_entropy(scores, target):
    return -jnp.take_along_axis(jax.nn.log_softmax(scores, 1), target[:, None], 1).mean()


def flatten(x, first=0, last=-1):
    first, last = first % x.ndim, last % x.ndim
    return x.reshape(*x.shape[:first], -1, *x.shape[last + 1:])


def part(x, dim=0, start=None, end=None, step=1):
    return lax.slice_in_dim(x, start or 0, min(end if end is not None else x.shape[dim], x.shape[dim]), step, dim)


OPERATORS = {
    "linear.default": linear, "conv2d.default": conv2d, "max_pool2d.default": max_pool2d, "batch_norm.default": batch_norm,
    "layer_norm.default": layer_norm, "scaled_dot_product_attention.default": attention,
    "cross_entropy_loss.default": cross_entropy, "flatten.using_ints": flatten, "slice.Tensor": part,
    "relu.default": jax.nn.relu, "sigmoid.default": jax.nn.sigmoid, "tanh.default": jnp.tanh,
    "gelu.default": lambda x, approximate="none": jax.nn.gelu(x, approximate=approximate == "tanh"),
    "add.Tensor": operator.add, "add_.Tensor": operator.add, "mul.Tensor": operator.mul, "matmul.default": operator.matmul,
    "rsub.Scalar": lambda x, number: number - x, "t.default": jnp.transpose,
    "transpose.int": jnp.swapaxes, "permute.default": jnp.transpose, "view.default": jnp.reshape,
    "reshape.default": jnp.reshape, "unbind.int": lambda x, dim=0: list(jnp.moveaxis(x, dim, 0)),
    "chunk.default": lambda x, count, dim=0: jnp.split(x, count, dim),
    "embedding.default": lambda table, at: table[at],
    "new_zeros.default": lambda x, size, pin_memory=False: jnp.zeros(size, x.dtype),
}


def interpret(program, tensors, inputs):
    """What the graph returns; `tensors` are parameters and buffers by name."""
    signature, values, given = program.graph_signature, {}, iter(inputs)
    names = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    for node in program.graph.nodes:
        if node.op == "placeholder":
            values[node] = tensors[names[node.name]] if node.name in names else next(given)
        elif node.op == "output":
            return values[node.args[0][-1]]
        else:
            name = str(node.target).removeprefix("aten.")
            call = operator.getitem if node.target is operator.getitem else OPERATORS.get(name)
            if call is None:
                raise NotImplementedError(f"{node.target} is no operator of bench_xla.py")
            args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), values.get)
            values[node] = call(*args, **kwargs)
    return None


def prepare(request, _threads):
    """As the functions of bench_peers.py that prepare: start, a call, the version."""
    sys.setrecursionlimit(10000)
    start = time.perf_counter()
    model, x, target, loss = training_workloads.build(request["workload"])
    program = torch.export.load(request["model"])
    losses = {"cross_entropy": cross_entropy, "mse": lambda y, wanted: ((y - wanted) ** 2).mean(), None: None}
    weights = {name: jnp.asarray(value.detach().numpy()) for name, value in model.named_parameters()}
    buffers = {name: jnp.asarray(value.numpy()) for name, value in model.named_buffers()}
    x, target = jnp.asarray(x.numpy()), jnp.asarray(target.numpy())

    def of_weights(weights, x, target):
        tensors = {**weights, **buffers}
        if loss is None:
            return interpret(program, tensors, [x, target])
        return losses[loss](interpret(program, tensors, [x]), target)

    step = jax.jit(jax.value_and_grad(of_weights)).lower(weights, x, target).compile()

    def call():
        value, gradients = jax.block_until_ready(step(weights, x, target))
        return [value, *(gradients[name] for name in weights)]

    return start, call, f"jax {jax.__version__}"
