"""Graphs of torch.fx as FX JSON, the format that `mlgc import` reads (docs/importing.md, "FX JSON, version 1").

What scripts/export_fx.py and the backend of torch.compile share: how Python's values, targets, sizes and types are spelt, and
the record of a node. Nothing here runs a model.
"""
from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
import torch.fx
from torch.fx.node import _get_qualified_name
from torch.utils import _pytree as pytree

VERSION = 1


def named(node: torch.fx.Node) -> Any:
    """The form of a node that is referred to: its name, or the graph that it names."""
    body = graph_of(node)
    return {"node": node.name} if body is None else {"graph": body_records(body)}


def encoded(value: Any, spell: Callable[[torch.fx.Node], Any] = named) -> Any:
    """A Python value as JSON: what JSON has no word for is an object of one member that says its kind.

    `spell` gives the form of a node that is referred to. TypeError: there is no form for it.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, torch.fx.Node):
        return spell(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return {"float": repr(value)}
    if isinstance(value, complex):
        return {"complex": [repr(value.real), repr(value.imag)]}
    if isinstance(value, torch.Size) or type(value) is tuple:
        return {"tuple": [encoded(item, spell) for item in value]}
    if isinstance(value, tuple):
        raise TypeError(f"an argument is a {type(value).__name__}")
    if isinstance(value, list):
        return {"list": [encoded(item, spell) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[encoded(key, spell), encoded(item, spell)] for key, item in value.items()]}
    if isinstance(value, slice):
        return {"slice": [encoded(part, spell) for part in (value.start, value.stop, value.step)]}
    if value is Ellipsis:
        return {"ellipsis": True}
    for kind, name in ((torch.dtype, "dtype"), (torch.memory_format, "memory_format"), (torch.layout, "layout")):
        if isinstance(value, kind):
            return {name: str(value).removeprefix("torch.")}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    raise TypeError(f"an argument is a {type(value).__name__}")


def plain(value: Any) -> bool:
    """Whether a value is one of those that encoded() takes, all the way down."""
    try:
        encoded(value)
    except TypeError:
        return False
    return True


def qualified(node: torch.fx.Node) -> str:
    """The target of a node: `torch.nn.functional.relu`, `aten::relu.default`, the name of a method, or a path."""
    if node.op != "call_function":
        return str(node.target)
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target.name() if "." in node.target.name() else f"{node.target.name()}.default"
    if isinstance(node.target, torch._ops.OpOverloadPacket):
        return str(node.target._qualified_op_name)
    name = _get_qualified_name(node.target)  # type: ignore[arg-type]  # call_function has no str
    if name.startswith("_operator."):
        name = name[1:]
    return name if "." in name else f"builtins.{name}"


# --- types


def size(value: int | torch.SymInt) -> int | dict[str, str]:
    """A size: a number, or for a symbolic one sympy's own spelling of its expression."""
    if isinstance(value, torch.SymInt):
        import sympy

        expression = sympy.sympify(value.node.expr)
        return int(expression) if expression.is_Integer else {"expr": sympy.srepr(expression)}
    return int(value)


def type_of(value: Any) -> Any:
    """What is recorded of a value: {shape, dtype} of a tensor, a list for several, {number} of a number."""
    if isinstance(value, torch.Tensor):
        return {"shape": [size(dim) for dim in value.shape], "dtype": str(value.dtype).removeprefix("torch.")}
    if isinstance(value, (list, tuple)):
        return [type_of(item) for item in value]
    if isinstance(value, (bool, torch.SymBool)):
        return {"number": "bool"}
    if isinstance(value, torch.SymInt):
        return {"number": "int", "value": size(value)}
    if isinstance(value, int):
        return {"number": "int"}
    if isinstance(value, (float, torch.SymFloat)):
        return {"number": "float"}
    return None


def recorded_value(node: torch.fx.Node) -> Any:
    """What a trace recorded that a node gives: a fake tensor, a symbolic size, a tuple of these; None where nothing is known."""
    return node.meta.get("val", node.meta.get("example_value"))


def _symbolic_sizes(values: Any) -> Iterator[torch.SymInt]:
    for value in pytree.tree_leaves(list(values)):
        sizes: Iterable[Any] = value.shape if isinstance(value, torch.Tensor) else ()
        yield from (dim for dim in sizes if isinstance(dim, torch.SymInt))


def symbol_ranges(values: Any, guarded: bool = False) -> dict[str, dict[str, int]]:
    """Bounds of the symbols in the sizes of these values. Tracing takes sizes of 2 or more; that is a bound only where calls are
    `guarded`, as Dynamo guards them. Other bounds hold in every call."""
    ranges: dict[str, dict[str, int]] = {}
    for dim in _symbolic_sizes(values):
        for symbol in dim.node.expr.free_symbols:
            bounds = dim.node.shape_env.var_to_range.get(symbol)
            least = int(bounds.lower) if bounds is not None and bounds.lower.is_Integer else 0
            ranges[str(symbol)] = {"min": max(least, 0) if guarded or least > 2 else 1}
            if bounds is not None and bounds.upper.is_Integer and int(bounds.upper) < 2**62:
                ranges[str(symbol)]["max"] = int(bounds.upper)
    return ranges


def guarded_relations(values: Any) -> list[list[Any]]:
    """What Dynamo has guarded between the sizes of these values, and so holds in every call: `constraints` of a document."""
    import sympy
    from torch.utils._sympy import functions

    names = {sympy.Equality: "==", sympy.LessThan: "<=", sympy.StrictLessThan: "<", sympy.GreaterThan: ">=", sympy.StrictGreaterThan: ">"}
    forms = (sympy.Integer, sympy.Symbol, sympy.Add, sympy.Mul, functions.FloorDiv, functions.Mod, functions.PythonMod, functions.Max,
             functions.Min)
    known: set[Any] = set()
    environments: dict[int, Any] = {}
    for dim in _symbolic_sizes(values):
        known |= dim.node.expr.free_symbols
        environments[id(dim.node.shape_env)] = dim.node.shape_env
    found: dict[str, list[Any]] = {}
    for environment in environments.values():
        for guard in environment.guards:
            relation = guard.expr
            if type(relation) not in names or not relation.free_symbols <= known:
                continue
            if all(isinstance(part, forms) for side in relation.args for part in sympy.preorder_traversal(side)):
                left, right = (int(side) if side.is_Integer else {"expr": sympy.srepr(side)} for side in relation.args)
                found.setdefault(sympy.srepr(relation), [left, names[type(relation)], right])
    return list(found.values())


# --- nodes

# Higher-order operators that the driver imports with the graphs that they take.
WITH_GRAPHS = {"cond", "while_loop", "scan", "map_impl", "invoke_subgraph", "invoke_quant_packed"}


def takes_graphs(node: torch.fx.Node) -> bool:
    """Whether a node is a call of such an operator."""
    return isinstance(node.target, torch._ops.HigherOrderOperator) and node.target.name() in WITH_GRAPHS


def graph_of(node: torch.fx.Node) -> torch.fx.GraphModule | None:
    """Of a node that names a graph inside of its own: that graph."""
    found: Any = node.graph.owning_module if node.op == "get_attr" else None
    for name in str(node.target).split("."):
        found = getattr(found, name, None)
    return found if isinstance(found, torch.fx.GraphModule) else None


_FRAME = re.compile(r'^\s*File "([^"]*)", line \d+')


def user_frame(trace: str | None) -> str:
    """The innermost frame of a stack trace outside of torch, with its line of source; empty where there is none."""
    lines = (trace or "").splitlines()
    found = ""
    for number, line in enumerate(lines):
        frame = _FRAME.match(line)
        if frame is None or "/torch/" in frame[1]:
            continue
        found = line.strip()
        if number + 1 < len(lines) and _FRAME.match(lines[number + 1]) is None:
            found += "\n    " + lines[number + 1].strip()
    return found


def module_path(node: torch.fx.Node) -> str:
    """The module whose code a node comes from."""
    stack = node.meta.get("nn_module_stack") or {}
    last = [*stack.values()][-1] if stack else ("",)
    return last[0] if isinstance(last, tuple) else ""


def node_record(node: torch.fx.Node, recorded: Any,
                spell: Callable[[torch.fx.Node], Any] = named) -> dict[str, Any]:
    """The entry of a node in `nodes`; `recorded` is what type_of() says of what it gives, `spell` as of encoded().

    TypeError: an argument has no form in FX JSON.
    """
    record = {"op": node.op, "name": node.name, "target": qualified(node),
              "args": [encoded(value, spell) for value in node.args],
              "kwargs": [[name, encoded(value, spell)] for name, value in node.kwargs.items()], "meta": recorded}
    # FX prints the function object, whose address is another each time.
    if str(node.target) != record["target"]:
        record["printed"] = str(node.target)
    if stack := user_frame(node.stack_trace):
        record["stack"] = stack
    if path := module_path(node):
        record["module"] = path
    return record


def body_records(graph_module: torch.fx.GraphModule) -> list[dict[str, Any]]:
    """The nodes of a graph inside of another as entries of `nodes`; graphs are written where they are read.

    TypeError: an argument has no form in FX JSON.
    """
    return [node_record(node, type_of(recorded_value(node))) for node in graph_module.graph.nodes if graph_of(node) is None]


def document(nodes: list[dict[str, Any]], symbols: dict[str, dict[str, int]], modules: dict[str, Any] | None = None,
             tensors: dict[str, Any] | None = None, weights: str | None = None,
             constraints: list[list[Any]] | None = None) -> dict[str, Any]:
    """The whole file; `weights` names the .safetensors file beside it, `constraints` are as guarded_relations() gives them."""
    made = {"format": "mlgc-fx", "version": VERSION, "torch": torch.__version__.split("+")[0], "symbols": symbols,
            "constraints": constraints or [], "nodes": nodes, "modules": modules or {}, "tensors": tensors or {}}
    return made | ({"weights": weights} if weights else {})


def dumped(made: dict[str, Any]) -> str:
    """JSON with a line for each node, module and tensor."""
    lines = []
    for key, value in made.items():
        if isinstance(value, list) and value:
            text = "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]"
        elif isinstance(value, dict) and value:
            entries = (f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in value.items())
            text = "{\n  " + ",\n  ".join(entries) + "\n }"
        else:
            text = json.dumps(value)
        lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
