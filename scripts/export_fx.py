#!/usr/bin/env python3
"""Writes a graph of torch.fx for mlgc, with example inputs and what PyTorch computes on them.

    .venv/bin/python scripts/export_fx.py MODEL -o FILE.fx.json [--input …] [--dynamic …]

MODEL is what scripts/export takes: module:function, file.py:function, or an architecture such as torchvision:resnet18.
What the function returns is traced by torch.fx.symbolic_trace; a GraphModule (of make_fx, of a torch.compile backend, of a
tracer of your own) is written as it is.

Writes FILE.fx.json, FILE.fx.safetensors with parameters, buffers and constants, each tensor once, FILE.fx.in.npz (inputs by
name) and FILE.fx.torch.npz (results, as scripts/export writes them). docs/importing.md describes the format.

Examples:
    scripts/export_fx.py mymodels:build -o model.fx.json --input=x=2x8xf32
    scripts/export_fx.py mymodels:build -o model.fx.json --input=x=2x8xf32 --dynamic=x:0=batch:1:64
    mlgc import model.fx.json -o model.mlir
    mlgc import model.fx.json --fx-listing
    mlgc eval model.fx.json --input=@model.fx.in.npz --expect=@model.fx.torch.npz

Exit codes: 0 ok, 1 the model cannot be made or traced, 2 bad usage, 77 no PyTorch, or not the package of the model.
"""
import argparse
import inspect
import json
import pathlib
import re
import sys
import warnings

import repository_python

repository_python.use()
try:
    import torch
except ImportError as error:
    print(f"export_fx: skipped: {error}", file=sys.stderr)
    sys.exit(77)

import numpy as np
import torch.fx
from torch import nn

import exporting
import model_sources

sys.path.insert(0, str(repository_python.ROOT / "tools/python"))
from mlgc import fx_json  # noqa: E402
from mlgc.fx_json import encoded, plain, size, symbol_ranges, type_of  # noqa: E402

# Attributes that say how a module computes and are no arguments of its constructor.
MORE_ATTRIBUTES = {"TransformerEncoderLayer": ["activation_relu_or_gelu"], "TransformerEncoder": ["norm"],
                   "MultiheadAttention": ["_qkv_same_embed_dim", "bias_k"],
                   **dict.fromkeys(["LSTM", "GRU", "RNN"], ["mode", "hidden_size", "proj_size", "num_layers", "batch_first", "dropout",
                                                            "bidirectional", "_flat_weights_names"])}


# --- types


class Recorder(torch.fx.Interpreter):
    """Runs a graph and keeps the type of what each node gives."""

    def __init__(self, graph_module):
        super().__init__(graph_module)
        self.types = {}

    def run_node(self, node):
        result = super().run_node(node)
        self.types[node.name] = type_of(result)
        return result


def inputs_of(graph_module, example):
    """What each placeholder gets: its argument, or its default."""
    placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    given, keywords = list(example.args), dict(example.kwargs)
    values = []
    for node in placeholders:
        name = node.target.lstrip("*")
        if node.target.startswith("*"):
            raise TypeError(f"the model takes {node.target}; write its arguments out")
        if given:
            values.append(given.pop(0))
        elif name in keywords:
            values.append(keywords.pop(name))
        elif node.args:
            values.append(node.args[0])
        else:
            raise TypeError(f"input `{name}` has neither an example (--input={name}=…) nor a default")
    if given or keywords:
        raise TypeError(f"more inputs than the model has; it has {', '.join(node.target for node in placeholders)}")
    return placeholders, values


def symbolic_inputs(placeholders, values, shapes):
    """The inputs as fake tensors whose sizes are symbols where `shapes` says so, and the symbols by the names of its Dims."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    mode = FakeTensorMode(shape_env=ShapeEnv(duck_shape=False), allow_non_fake_inputs=True)
    made, first = [], {}
    for node, value in zip(placeholders, values, strict=True):
        if not isinstance(value, torch.Tensor):
            made.append(value)
            continue
        dims = shapes.get(node.target) or {}
        kinds = [DimDynamic.DYNAMIC if axis in dims else DimDynamic.STATIC for axis in range(value.dim())]
        fake = mode.from_tensor(value, symbolic_context=StatelessSymbolicContext(dynamic_sizes=kinds))
        made.append(fake)
        for axis, dim in dims.items():
            if dim.__name__ in first:
                torch._check(first[dim.__name__][0] == fake.shape[axis])
            else:
                first[dim.__name__] = (fake.shape[axis], dim)
    return mode, made, first


def record_types(graph_module, placeholders, values, shapes):
    """Types by node name, and the range of each symbol in them."""
    known = {node.name: fx_json.recorded_value(node) for node in graph_module.graph.nodes}
    if all(known[node.name] is not None for node in placeholders) and not shapes:
        return {name: type_of(value) for name, value in known.items()}, symbol_ranges(known.values())
    recorder = Recorder(exporting.copy.deepcopy(graph_module))
    if not shapes:
        with torch.no_grad():
            recorder.run(*exporting.pytree.tree_map(exporting.clone, values))
        return recorder.types, {}
    mode, fakes, symbols = symbolic_inputs(placeholders, values, shapes)
    with torch.no_grad(), mode:
        recorder.run(*fakes)
    ranges = {}
    for name, (symbol, dim) in symbols.items():
        written = size(symbol)
        if isinstance(written, int):
            raise ValueError(f"--dynamic: the model fixes size `{name}` to {written}")
        if (plain_symbol := re.match(r"Symbol\('(\w+)'", written["expr"])) is None:
            raise ValueError(f"--dynamic: the model fixes size `{name}` to an expression of others")
        ranges[plain_symbol[1]] = {"min": max(dim.min, 1)} | ({"max": dim.max} if dim.max < 2**31 else {})
    return recorder.types, ranges


# --- modules and tensors


def hyper_parameters(module):
    """How a module computes: the arguments of its constructor that it keeps, whether it has a bias, its mode, and the names
    of the modules in it, in their order."""
    kept = {"training": module.training,
            "children": encoded([name for name, child in module._modules.items() if child is not None])}
    names = [*inspect.signature(type(module).__init__).parameters][1:]
    for name in [*names, *MORE_ATTRIBUTES.get(type(module).__name__, [])]:
        value = getattr(module, name, None)
        if name != "bias" and hasattr(module, name) and not isinstance(value, torch.Tensor) and plain(value):
            kept[name] = encoded(value)
    for name, tensor in [*module._parameters.items(), *module._buffers.items()]:
        if tensor is None:
            kept[name] = None
    if isinstance(module, nn.RNNBase):
        kept["has_bias"] = module.bias
    elif "bias" in names or "bias" in module._parameters:
        kept["bias"] = getattr(module, "bias", None) is not None
    return kept


def modules_of(graph_module):
    """The modules that the graph calls, and those inside of them, by path."""
    called = sorted({node.target for node in graph_module.graph.nodes if node.op == "call_module"})
    found = {}
    for path in called:
        for inner, module in graph_module.get_submodule(path).named_modules(prefix=path, remove_duplicate=False):
            found[inner] = {"class": f"{type(module).__module__}.{type(module).__qualname__}",
                            "hyper": hyper_parameters(module)}
    return found


def tensor_at(root, path):
    """The tensor of a path, else None."""
    for name in path.split("."):
        root = getattr(root, name, None)
    return root if isinstance(root, torch.Tensor) else None


def tensors_of(graph_module, modules):
    """Tensors that the graph reads, by path; tied ones are one object."""
    paths = [node.target for node in graph_module.graph.nodes if node.op == "get_attr"]
    for path in modules:
        module = graph_module.get_submodule(path)
        paths += [f"{path}.{name}" for name, tensor in [*module._parameters.items(), *module._buffers.items()]
                  if tensor is not None]
    return {path: tensor for path in paths if (tensor := tensor_at(graph_module, path)) is not None}


def storages_of(tensors):
    """How each tensor lies in which array, and the arrays: whole storages where several views share one."""
    users = {}
    for path, tensor in tensors.items():
        views = users.setdefault(tensor.untyped_storage().data_ptr() or id(tensor), {})
        views.setdefault((tensor.dtype, tensor.shape, tensor.stride(), tensor.storage_offset()), []).append(path)
    described, arrays = {}, {}
    for views in users.values():
        for (dtype, shape, stride, offset), paths in views.items():
            tensor, name = tensors[paths[0]].detach(), paths[0]
            if len(views) > 1 and len({view[0] for view in views}) == 1:
                name = min(path for view in views.values() for path in view) + ".storage"
                storage = tensor.untyped_storage()
                tensor = torch.empty(0, dtype=dtype).set_(storage)
            else:
                tensor = tensor.contiguous()
                stride, offset = tensor.stride(), 0
            arrays[name] = tensor
            for path in paths:
                described[path] = {"data": name, "shape": list(shape), "stride": list(stride), "offset": offset,
                                   "dtype": str(dtype).removeprefix("torch.")}
    return {path: described[path] for path in tensors}, arrays


SAFETENSORS_DTYPES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
                      torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
                      torch.bool: "BOOL"}


def write_safetensors(path, arrays):
    """A file of https://github.com/huggingface/safetensors, whose data begin at a multiple of 64 bytes."""
    header, at = {}, 0
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].element_size(), item[0]))
    for name, tensor in ordered:
        if tensor.dtype not in SAFETENSORS_DTYPES:
            raise TypeError(f"tensor `{name}` has the element type {tensor.dtype}")
        header[name] = {"dtype": SAFETENSORS_DTYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [at, at + tensor.numel() * tensor.element_size()]}
        at = header[name]["data_offsets"][1]
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 64)
    with open(path, "wb") as out:
        out.write(len(text).to_bytes(8, "little") + text)
        for _, tensor in ordered:
            out.write(memoryview(tensor.reshape(-1).view(torch.uint8).numpy()) if tensor.numel() else b"")


# --- the graph


def traced(model):
    if isinstance(model, torch.fx.GraphModule):
        return model
    tracer = torch.fx.Tracer()
    tracer.record_stack_traces = True
    return torch.fx.GraphModule(model, tracer.trace(model))


def document(graph_module, example, weights_name):
    """The JSON of a graph, and the arrays that it refers to."""
    placeholders, values = inputs_of(graph_module, example)
    types, ranges = record_types(graph_module, placeholders, values, example.shapes)
    modules = modules_of(graph_module)
    tensors, arrays = storages_of(tensors_of(graph_module, modules))
    nodes = []
    for node in graph_module.graph.nodes:
        if fx_json.graph_of(node) is not None:  # written where it is read
            continue
        try:
            nodes.append(fx_json.node_record(node, types.get(node.name)))
        except TypeError as error:
            raise TypeError(f"node `{node.name}`: {error}") from None
    return fx_json.document(nodes, ranges, modules, tensors, weights_name if arrays else None), arrays


def input_arrays(graph_module, example):
    placeholders, values = inputs_of(graph_module, example)
    return {node.name: exporting.array(value) for node, value in zip(placeholders, values, strict=True)
            if isinstance(value, torch.Tensor) or (not node.args and isinstance(value, (bool, int, float)))}


def save(example, path):
    """Writes FILE.fx.json and the files beside it. The graph, and whether it ran in f64."""
    base = path.with_suffix("")
    with torch.no_grad():
        graph_module = traced(example.model)
    made, arrays = document(graph_module, example, f"{base.name}.safetensors")
    traced_example = exporting.dataclasses.replace(example, model=graph_module)
    eager, exact = exporting.eager_and_exact(traced_example, "functional")
    data = [(name, value, exact[1].get(name) if exact else None) for name, value in eager[1].items()]
    expected = exporting.expected_arrays(eager[0], exact[0] if exact else None, data)
    if arrays:
        write_safetensors(f"{base}.safetensors", arrays)
    path.write_text(fx_json.dumped(made), encoding="utf-8")
    np.savez(f"{base}.in.npz", **input_arrays(graph_module, example))
    np.savez(f"{base}.torch.npz", **expected)
    return graph_module, exact is not None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, metavar="FILE.fx.json")
    parser.add_argument("--input", action="append", default=[], metavar="[NAME=]SHAPExTYPE[=VALUE]",
                        help="an example input in the place of the model's own, as of scripts/export; repeatable")
    parser.add_argument("--dynamic", action="append", default=[], metavar="INPUT:AXIS=SYMBOL[:LEAST[:MOST]]",
                        help="a size that may vary, from 1 on where LEAST is left out; repeatable")
    options = parser.parse_args()
    if not options.output.name.endswith(".fx.json"):
        parser.error(f"{options.output}: the name must end in .fx.json")
    try:
        options.inputs = [model_sources.parse_input(text) for text in options.input]
        options.sizes = [model_sources.parse_dynamic(text) for text in options.dynamic]
    except ValueError as error:
        parser.error(str(error))
    return options


def main():
    options = arguments()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    try:
        source = options.model.partition(":")[0]
        named = source in model_sources.PACKAGES
        if named and (missing := model_sources.missing_packages()).get(source):
            print(f"export_fx: skipped: {missing[source]}; scripts/setup --zoo installs it", file=sys.stderr)
            return 77
        example = (model_sources.named_model if named else model_sources.own_model)(options.model)
        model_sources.replace_inputs(example, options.inputs)
        model_sources.make_dynamic(example, options.sizes)
        graph_module, in_double = save(example, options.output)
    except Exception as error:  # whatever a model or the tracer throws
        print(f"export_fx: error: {options.model}: {type(error).__name__}: {str(error).strip()}", file=sys.stderr)
        return 1
    base = options.output.with_suffix("")
    print(f"{options.output}: {len(graph_module.graph.nodes)} nodes; {base}.in.npz, {base}.torch.npz"
          + ("" if in_double else ", not in f64"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
