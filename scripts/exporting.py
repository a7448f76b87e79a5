"""From a PyTorch model and example inputs to a .pt2 file and what PyTorch computes on these inputs; what scripts/export
and scripts/zoo share.

Guarantees
  - Results are in the order of the exported graph and flat: what a model returns in tuples, lists, dicts and dataclasses
    is taken out, None is left out.
  - Exporting leaves the model as it was.
  - Nothing is drawn here: same model and inputs, same file contents.
"""

import contextlib
import copy
import dataclasses
import json
import pathlib
import re
import sys

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils import _pytree as pytree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools/python"))
from mlgc.exporting import decompose, forward_as
from mlgc.precision import InDouble, widened

LEVELS = {
    "export": "as torch.export leaves it: in-place operators, no list of mutated buffers",
    "functional": "run_decompositions({}): high-level operators, functional",
    "core": "run_decompositions(): core ATen",
    "training": "loss and gradients in one graph of core ATen, of a model whose result is a loss, or of the mean square "
                "of its results",
}


@dataclasses.dataclass
class Example:
    """A model and what to call it with; `shapes` are torch.export's dynamic shapes by input name."""

    model: torch.nn.Module
    args: tuple = ()
    kwargs: dict = dataclasses.field(default_factory=dict)
    shapes: dict | None = None


def flat_results(value):
    """The tensors and numbers in what a model returned."""
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in flat_results(item)]
    if isinstance(value, dict):  # transformers' ModelOutput too
        return [leaf for item in value.values() for leaf in flat_results(item)]
    if dataclasses.is_dataclass(value):
        return [leaf for field in dataclasses.fields(value) for leaf in flat_results(getattr(value, field.name))]
    if isinstance(value, (torch.Tensor, bool, int, float)):
        return [value]
    raise TypeError(f"the model returns a {type(value).__name__}; let it return tensors")


def mean_square(results):
    floats = [value for value in results if isinstance(value, torch.Tensor) and value.is_floating_point()]
    if len(results) == 1 and floats and results[0].dim() == 0:
        return results[0]
    if not floats:
        raise TypeError("the model returns no floats, so it has no gradients")
    return sum((value * value).mean() for value in floats)


def export(example, level="functional", strict=False):
    """An ExportedProgram at one of LEVELS."""
    change = tuple
    # Decomposing a joint graph that holds the fused attention kernel gives wrong gradients.
    kernel = contextlib.nullcontext()
    if level == "training":
        change, kernel = mean_square, sdpa_kernel(SDPBackend.MATH)
    gradients = torch.enable_grad() if level == "training" else torch.no_grad()
    with forward_as(example.model, lambda result: change(flat_results(result))) as model, kernel, gradients:
        program = torch.export.export(model, example.args, example.kwargs, dynamic_shapes=example.shapes, strict=strict)
        if level == "export":
            return program
        if level == "training":
            from torch.export.experimental import _export_forward_backward

            return with_inputs_named(_export_forward_backward(program))
        return decompose(program, {} if level == "functional" else None)


def with_inputs_named(joint):
    """PyTorch 2.13 leaves names of its tracer, arg<number>_1, where the signature says which input a gradient belongs to, and cannot
    save such a program."""
    for spec in joint.graph_signature.output_specs:
        if spec.kind == torch.export.graph_signature.OutputKind.GRADIENT_TO_USER_INPUT:
            if number := re.fullmatch(r"arg(\d+)_1", spec.target):
                spec.target = joint.graph_signature.input_specs[int(number[1])].arg.name
    return joint


def data_of(model):
    """Buffers and parameters by name."""
    return dict(model.named_buffers(remove_duplicate=False)) | dict(model.named_parameters(remove_duplicate=False))


def changed_data(model, before):
    """New values of the buffers and parameters that are not what they were, by name."""
    return {name: value for name, value in data_of(model).items()
            if name in before and not torch.equal(value, before[name])}


def results_of(example, level):
    """Results in the order of the graph. Of a training step: the loss, and gradients by names of parameters and numbers of inputs."""
    if level != "training":
        with torch.no_grad():
            return flat_results(example.model(*example.args, **example.kwargs))
    inputs = enumerate(pytree.tree_leaves((example.args, example.kwargs)))
    wanted = {name: value for name, value in (*example.model.named_parameters(), *inputs)
              if isinstance(value, torch.Tensor) and value.requires_grad}
    with torch.enable_grad(), sdpa_kernel(SDPBackend.MATH):
        loss = mean_square(flat_results(example.model(*example.args, **example.kwargs)))
        gradients = torch.autograd.grad(loss, list(wanted.values()), allow_unused=True)
    return [loss.detach(), dict(zip(wanted, gradients, strict=True))]


def call(example, level):
    """results_of(), and what the model changed of itself by name."""
    before = {name: value.detach().clone() for name, value in data_of(example.model).items()}
    return results_of(example, level), changed_data(example.model, before)


def eager_and_exact(example, level):
    """What the model computes in its own dtypes and, where it can run in f64, in f64 (else None)."""
    own = dataclasses.replace(example, model=copy.deepcopy(example.model), args=pytree.tree_map(clone, example.args),
                              kwargs=pytree.tree_map(clone, example.kwargs))
    eager = call(own, level)
    default = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        wide = dataclasses.replace(example, model=copy.deepcopy(example.model).double(), args=widened(example.args),
                                   kwargs=widened(example.kwargs))
        with InDouble():
            exact = call(wide, level)
    except (RuntimeError, TypeError, NotImplementedError):  # f64 and a narrower float met
        return eager, None
    finally:
        torch.set_default_dtype(default)
    return eager, exact


def clone(value):
    return value.clone() if isinstance(value, torch.Tensor) else value


def graph_results(program, level, results):
    """Results in the order of the outputs of the graph."""
    if level != "training":
        return results
    loss, gradients = results
    kinds = torch.export.graph_signature.OutputKind
    ordered = []
    for spec in program.graph_signature.output_specs:
        if spec.kind == kinds.LOSS_OUTPUT:
            ordered.append(loss)
        elif spec.kind == kinds.GRADIENT_TO_PARAMETER:
            ordered.append(gradients[spec.target])
        elif spec.kind == kinds.GRADIENT_TO_USER_INPUT:
            ordered.append(gradients[program.graph_signature.user_inputs.index(spec.target)])
    return ordered


def input_arrays(program, example):
    """The graph's own names of inputs, in its order."""
    leaves = pytree.tree_leaves((example.args, example.kwargs))
    names = program.graph_signature.user_inputs
    if len(leaves) != len(names):
        raise TypeError(f"{len(leaves)} inputs, and the exported program has {len(names)}")
    return {name: array(value) for name, value in zip(names, leaves, strict=True)
            if isinstance(name, str) and isinstance(value, torch.Tensor)}


def array(value):
    """A number is a tensor of rank 0; numpy has no bf16, which f32 holds exactly."""
    if not isinstance(value, torch.Tensor):
        value = torch.tensor(value)
    value = value.detach()
    return (value.float() if value.dtype == torch.bfloat16 else value).contiguous().numpy().copy()


def expected_arrays(own, wide, data):
    """What `mlgc eval --expect` compares with: result<k> and the new value @name of what the model writes of itself, in f64, and in
    the model's own dtypes as NAME.eager; only in their own dtypes where the model cannot run in f64 (`wide` is None).

    `own` and `wide` are the results in order, `data` a triple (name, own, wide) for each tensor of the model that is written."""
    arrays = {}

    def add(name, own, wide):
        if isinstance(own, float) or (isinstance(own, torch.Tensor) and own.is_floating_point()):
            if wide is not None:
                arrays[name] = array(torch.as_tensor(wide).double())
                arrays[f"{name}.eager"] = array(own)
                return
        arrays[name] = array(own)

    for number, result in enumerate(own):
        add(f"result{number}", result, wide[number] if wide is not None else None)
    for name, own_value, wide_value in data:
        add(f"@{name}", own_value, wide_value)
    return arrays


def expected_of(program, example, level):
    """expected_arrays() of an exported program, and whether the model ran in f64."""
    eager, exact = eager_and_exact(example, level)
    signature, before = program.graph_signature, data_of(example.model)
    written = [*signature.buffers_to_mutate.values(), *signature.parameters_to_mutate.values()]
    data = [(name, *(values[1].get(name, before[name]) if values else None for values in (eager, exact)))
            for name in written]
    own, wide = (graph_results(program, level, values[0]) if values else None for values in (eager, exact))
    return expected_arrays(own, wide, data), exact is not None


def size_names(program, shapes):
    """What `shapes`, torch.export's dynamic shapes by input name, call the symbols of the program, by its own names of them."""
    names = {}
    for node in program.graph.nodes:
        if node.op != "placeholder" or node.name not in program.graph_signature.user_inputs:
            continue
        for axis, size in ((shapes or {}).get(node.name) or {}).items():
            symbol = getattr(getattr(node.meta["val"].shape[axis], "node", None), "expr", None)
            if getattr(symbol, "is_Symbol", False) and getattr(size, "__name__", "").isidentifier():
                names[str(symbol)] = size.__name__
    return names


def save_program(program, path, shapes=None):
    """Writes FILE.pt2. torch.export forgets what sizes are called: an extra file says it, which `mlgc import` reads."""
    names = size_names(program, shapes)
    torch.export.save(program, path, extra_files={"size_names.json": json.dumps(names)} if names else None)


def save(example, path, level="functional", strict=False):
    """Writes FILE.pt2, and beside it FILE.in.npz and FILE.torch.npz; whether the model ran in f64."""
    program = export(example, level, strict)
    expected, in_double = expected_of(program, example, level)
    save_program(program, path, example.shapes)
    np.savez(path.with_suffix(".in.npz"), **input_arrays(program, example))
    np.savez(path.with_suffix(".torch.npz"), **expected)
    return program, in_double
