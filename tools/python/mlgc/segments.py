"""Graphs of AOTAutograd as FX JSON, cut into the parts that mlgc compiles and the nodes that PyTorch runs.

A graph is functional and of ATen operators; parameters are inputs. What becomes of it here:

  - Sizes: a node that computes a symbolic size is no node of a document. Where one is read, it is written as an expression
    over the sizes of the document's inputs.
  - Layouts: an input whose elements are dense but not in row-major order (a transposed weight, channels last) comes in as the
    row-major tensor that its memory is, and is permuted inside. The same of outputs.
  - Control flow: a graph that a node takes is written where the node reads it, with nodes and sizes of its own.
  - Parts: the driver says which nodes come in and cuts them into convex segments (`mlgc explain import`).
"""
from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sympy
import torch
import torch.fx
from torch.utils import _pytree as pytree
from torch.utils._sympy import functions as torch_sympy

from mlgc import devices, fx_json
from mlgc.devices import Device

Node = torch.fx.Node


def value_of(node: Node) -> Any:
    """What tracing recorded that a node gives."""
    return fx_json.recorded_value(node)


def device_of(graph: torch.fx.Graph) -> Device:
    """Where the graph is compiled for: a GPU where one of its tensors is there, the first."""
    return devices.of_tensors(item for node in graph.nodes for item in pytree.tree_leaves(value_of(node)))


def is_size(node: Node) -> bool:
    """Whether a node gives a number that follows from the sizes of inputs (or one that tracing fixed)."""
    value = value_of(node)
    return isinstance(value, (torch.SymInt, torch.SymFloat, int, float)) and not isinstance(value, bool) and not depends_on_data(value)


def depends_on_data(value: Any) -> bool:
    """Whether a number is known only in a run: it was read out of a tensor, or follows from one that was."""
    if not isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return False
    return not value.node.expr.free_symbols <= value.node.shape_env.backed_var_to_val.keys()


def expression(value: float | torch.SymInt | torch.SymFloat) -> sympy.Expr:
    """A size as sympy's expression."""
    return sympy.sympify(value.node.expr if isinstance(value, (torch.SymInt, torch.SymFloat)) else value)


def memory_order(shape: Sequence[Any], strides: Sequence[Any]) -> tuple[int, ...] | None:
    """Axes from the slowest to the fastest of a tensor without gaps or overlaps; None where it has some, or where that
    depends on sizes that are not known."""
    sizes, steps = [expression(size) for size in shape], [expression(stride) for stride in strides]
    if any(size == 0 for size in sizes):
        return tuple(range(len(sizes)))
    left = [axis for axis in range(len(sizes)) if sizes[axis] != 1]
    order: list[int] = []  # from the fastest
    step = sympy.Integer(1)
    while left:
        axis = next((axis for axis in reversed(left) if sympy.expand(steps[axis] - step) == 0), None)
        if axis is None:
            return None
        left.remove(axis)
        order.append(axis)
        step = step * sizes[axis]
    order.reverse()
    if order == sorted(order):
        return tuple(range(len(sizes)))
    # Axes of size 1 lie anywhere: slowest.
    return tuple([axis for axis in range(len(sizes)) if sizes[axis] == 1] + order)


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a tensor that crosses into or out of a segment lies. `order` None: it is copied into row-major order."""

    order: tuple[int, ...] | None
    rank: int

    @property
    def row_major(self) -> bool:
        """Whether it is stored, or copied, in the order of its axes."""
        return self.order is None or self.order == tuple(range(self.rank))

    @property
    def inverse(self) -> tuple[int, ...]:
        """The place of each axis in `order`."""
        assert self.order is not None
        return tuple(self.order.index(axis) for axis in range(self.rank))

    @property
    def slowest_first(self) -> tuple[int, ...]:
        """The axes in the order of memory."""
        return self.order if self.order is not None else tuple(range(self.rank))


def layout_of(node: Node) -> Layout:
    """How the tensor that a node gives lies."""
    fake = value_of(node)
    return Layout(memory_order(fake.shape, fake.stride()), fake.dim())


class Unwritable(TypeError):
    """A node has no form in a document."""


class _SizeWriter:
    """Sizes as nodes of a document, over those of its inputs."""

    def __init__(self, nodes: list[dict[str, Any]]) -> None:
        self._nodes = nodes
        self._symbols: dict[sympy.Symbol, tuple[str, int]] = {}
        self._written: dict[sympy.Expr, Any] = {}

    def offer(self, name: str, shape: Sequence[Any]) -> None:
        """An input whose sizes can be read."""
        for axis, size in enumerate(shape):
            expr = expression(size)
            if expr.is_Symbol:
                self._symbols.setdefault(expr, (name, axis))

    def offer_number(self, name: str, expr: sympy.Expr) -> None:
        """An input that is a size itself."""
        self._written.setdefault(expr, {"node": name})

    def missing(self, symbols: Iterable[sympy.Symbol]) -> list[sympy.Symbol]:
        """Those that no input has, sorted by name."""
        return sorted((symbol for symbol in symbols if symbol not in self._symbols), key=str)

    def carry(self, name: str, symbol: sympy.Symbol) -> None:
        """Another input whose first size is the symbol."""
        self._symbols[symbol] = (name, 0)

    def write(self, expr: sympy.Expr) -> Any:
        """As an argument: a number, or a reference to the node that computes it.

        Unwritable: its symbol is not there, or one of its functions has no form.
        """
        if expr.is_Integer:
            return int(expr)
        if expr.is_number and expr.is_real:
            return {"float": repr(float(expr))}
        if expr not in self._written:
            self._written[expr] = self._node(expr)
        return self._written[expr]

    def _node(self, expr: sympy.Expr) -> Any:
        if expr.is_Symbol:
            if expr not in self._symbols:
                raise Unwritable(f"no input has the size `{expr}`")
            name, axis = self._symbols[expr]
            return self._add("aten::sym_size.int", [{"node": name}, axis], expr)
        if isinstance(expr, (sympy.Add, sympy.Mul)):
            target = "operator.add" if isinstance(expr, sympy.Add) else "operator.mul"
            whole = self.write(expr.args[0])
            for i in range(1, len(expr.args)):
                whole = self._add(target, [whole, self.write(expr.args[i])], expr.func(*expr.args[:i + 1]))
            return whole
        if isinstance(expr, sympy.Pow) and expr.exp.is_Integer and int(expr.exp) > 1:
            return self.write(sympy.Mul(*[expr.base] * int(expr.exp), evaluate=False))
        for kind, target in _FUNCTIONS:
            if isinstance(expr, kind):
                return self._add(target, [self.write(part) for part in expr.args], expr)
        raise Unwritable(f"the size `{expr}` has no form")

    def _add(self, target: str, args: list[Any], expr: sympy.Expr) -> Any:
        name = f"size_{len(self._written)}_{len(self._nodes)}"
        whole = isinstance(expr, _ROUNDING_FUNCTIONS) or not any(expr.has(kind) for kind in _REAL_FUNCTIONS)
        meta = {"number": "int", "value": {"expr": sympy.srepr(expr)}} if whole else {"number": "float"}
        self._nodes.append({"op": "call_function", "name": name, "target": target, "args": args, "kwargs": [], "meta": meta})
        return {"node": name}


_REAL_FUNCTIONS = (torch_sympy.IntTrueDiv, torch_sympy.FloatTrueDiv, torch_sympy.ToFloat, torch_sympy.FloatPow,
                   torch_sympy.OpaqueUnaryFn_sqrt)
_ROUNDING_FUNCTIONS = (torch_sympy.TruncToInt, torch_sympy.FloorToInt, torch_sympy.CeilToInt)
# torch's functions of sizes, and what FX calls them.
_FUNCTIONS = ((torch_sympy.FloorDiv, "operator.floordiv"), (torch_sympy.Mod, "operator.mod"), (torch_sympy.PythonMod, "operator.mod"),
              (torch_sympy.IntTrueDiv, "operator.truediv"), (torch_sympy.FloatTrueDiv, "operator.truediv"),
              (torch_sympy.ToFloat, "builtins.float"), (torch_sympy.FloatPow, "operator.pow"),
              (torch_sympy.OpaqueUnaryFn_sqrt, "math.sqrt"), (torch_sympy.TruncToInt, "builtins.int"),
              (torch_sympy.FloorToInt, "math.floor"), (torch_sympy.CeilToInt, "math.ceil"), (torch_sympy.Max, "builtins.max"),
              (torch_sympy.Min, "builtins.min"))


@dataclasses.dataclass
class Segment:
    """Nodes that mlgc computes together: a document, and what crosses into and out of it."""

    nodes: list[Node]
    inputs: list[Node]
    outputs: list[Node]
    layouts: dict[Node, Layout]  # of inputs and outputs
    # Sizes that no input has: each comes in as a tensor of that size and 0, which has no elements, after the inputs.
    carried: list[sympy.Symbol]
    document: dict[str, Any]


@dataclasses.dataclass
class Outside:
    """A node that PyTorch runs, and why."""

    node: Node
    reason: str
    place: str = ""


def operands_of(node: Node) -> list[Node]:
    """The tensors and other values that a node reads; sizes left out, and graphs where they are written with the node."""
    graphs = fx_json.takes_graphs(node)
    return [operand for operand in node.all_input_nodes if not is_size(operand) and not (graphs and fx_json.graph_of(operand))]


def bodies_of(node: Node) -> list[torch.fx.GraphModule]:
    """The graphs that are written with a node."""
    if not fx_json.takes_graphs(node):
        return []
    return [body for operand in node.all_input_nodes if (body := fx_json.graph_of(operand)) is not None]


def _body_records(body: torch.fx.GraphModule) -> list[dict[str, Any]]:
    """The nodes of a graph inside of another, whose sizes are those of its own inputs. Unwritable as of write_segment()."""
    records: list[dict[str, Any]] = []
    sizes = _SizeWriter(records)
    graph = body.graph
    for node in graph.nodes:
        value = value_of(node)
        if node.op != "placeholder":
            continue
        if isinstance(value, torch.Tensor):
            sizes.offer(node.name, value.shape)
        elif is_size(node):
            sizes.offer_number(node.name, expression(value))
        records.append(fx_json.node_record(node, fx_json.type_of(value)))
    spell = _speller(sizes)
    for node in graph.nodes:
        if node.op == "output" or (node.op == "call_function" and not is_size(node)):
            records.append(_record(node, spell))
    return records


def _speller(sizes: _SizeWriter) -> Callable[[Node], Any]:
    """The form of a node that others refer to."""

    def spell(node: Node) -> Any:
        if is_size(node):
            return sizes.write(expression(value_of(node)))
        body = fx_json.graph_of(node)
        return {"node": node.name} if body is None else {"graph": _body_records(body)}

    return spell


def _record(node: Node, spell: Callable[[Node], Any]) -> dict[str, Any]:
    """The entry of a node. Unwritable: an argument has no form; its `args[1]` is the node."""
    try:
        return fx_json.node_record(node, fx_json.type_of(value_of(node)), spell)
    except TypeError as error:
        raise Unwritable(error.args[0], node) from None


def inputs_of(nodes: Sequence[Node]) -> list[Node]:
    """What the nodes read of others, each once, in the order of its first use."""
    inside = set(nodes)
    return list(dict.fromkeys(operand for node in nodes for operand in operands_of(node) if operand not in inside))


def result_nodes(graph: torch.fx.Graph) -> list[Any]:
    """What the graph returns: nodes, and constants."""
    output = next(node for node in reversed(graph.nodes) if node.op == "output")
    return list(output.args[0]) if isinstance(output.args[0], (list, tuple)) else [output.args[0]]


def _view_of(node: Node) -> list[Node]:
    """The nodes that make a tensor out of another's memory, from the last: a view, or one of several with what gives them; then the
    one whose memory it is. Empty: it has memory of its own."""
    if not isinstance(value_of(node), torch.Tensor):
        return []
    source = getitem_source(node)
    made = node if source is None else source
    if not (isinstance(made.target, torch._ops.OpOverload) and made.target.is_view):
        return []
    base = made.args[0]
    assert isinstance(base, Node)
    return [node, base] if source is None else [node, made, base]


def free_views(graph: torch.fx.Graph) -> list[Node]:
    """Views that PyTorch makes of what is there already, in order: results of the graph, and what lies between them and their
    base, where the base is an input or a result itself, or where the strides of the view have gaps or overlaps.

    They cost nothing and have the strides that PyTorch expects; computed, they would be copies.
    """
    results = {node for node in result_nodes(graph) if isinstance(node, Node)}
    found: set[Node] = set()
    for result in results:
        chain = []
        node = result
        while step := _view_of(node):
            chain += step[:-1]
            node = step[-1]
        known = node.op in ("placeholder", "get_attr") or node in results
        if chain and (known or layout_of(result).order is None):
            found.update(chain)
    return [node for node in graph.nodes if node in found]


def needed_outside(nodes: Sequence[Node], views: set[Node]) -> list[Node]:
    """Those of the nodes whose results others read, in order. `views` are made anew outside, of what is no view itself; those that
    others compute with are computed, too, and read their operands like any node."""
    inside = set(nodes)

    def only_made_anew(node: Node) -> bool:
        return node in views and all(user.op == "output" or only_made_anew(user) for user in node.users)

    def read_by(node: Node, user: Node) -> bool:
        if node not in views:
            return user not in inside or user in views
        return user not in inside and user.op != "output" and not only_made_anew(user)

    return [node for node in nodes if any(read_by(node, user) for user in node.users)]


def write_segment(nodes: Sequence[Node], views: set[Node]) -> Segment:
    """The document of these nodes; `views` are those that free_views() gives.

    Unwritable: an argument or a type of one of the nodes has no form; its `args[1]` is the node."""
    inputs = inputs_of(nodes)
    outputs = [node for node in needed_outside(nodes, views) if isinstance(value_of(node), torch.Tensor)]
    records: list[dict[str, Any]] = []
    layouts = {node: layout_of(node) for node in [*inputs, *outputs]}
    sizes = _SizeWriter(records)
    _write_inputs(inputs, layouts, records, sizes)
    carried = _write_carriers([*inputs, *nodes], records, sizes)
    spell = _speller(sizes)
    for node in nodes:
        records.append(_record(node, spell))
    results = []
    for node in outputs:
        if layouts[node].row_major:
            results.append({"node": node.name})
            continue
        order = layouts[node].slowest_first
        name = node.name + "_stored"
        shape = [value_of(node).shape[axis] for axis in order]
        records.append({"op": "call_function", "name": name, "target": "aten::permute.default",
                        "args": [{"node": node.name}, {"list": list(order)}], "kwargs": [],
                        "meta": {"shape": [fx_json.size(size) for size in shape], "dtype": fx_json.type_of(value_of(node))["dtype"]}})
        results.append({"node": name})
    records.append({"op": "output", "name": "output", "target": "output", "args": [{"tuple": results}], "kwargs": [],
                    "meta": None})
    return Segment(list(nodes), inputs, outputs, layouts, carried, _document(records, [*inputs, *nodes]))


def _document(records: list[dict[str, Any]], nodes: Iterable[Node]) -> dict[str, Any]:
    """With what holds in every call of the sizes that the nodes give."""
    values = [value_of(node) for node in nodes]
    return fx_json.document(records, fx_json.symbol_ranges(values, guarded=True), constraints=fx_json.guarded_relations(values))


def _symbols_of(nodes: Iterable[Node]) -> set[sympy.Symbol]:
    """Symbols in what the nodes give, and in the sizes that they are given."""
    found: set[sympy.Symbol] = set()
    for node in nodes:
        for given in [node, *filter(is_size, node.all_input_nodes)]:
            for value in pytree.tree_leaves(value_of(given)):
                numbers = value.shape if isinstance(value, torch.Tensor) else [value]
                for number in numbers:
                    if isinstance(number, (torch.SymInt, torch.SymFloat)) and not depends_on_data(number):
                        found |= expression(number).free_symbols
    return found


def _write_inputs(inputs: Sequence[Node], layouts: dict[Node, Layout], records: list[dict[str, Any]], sizes: _SizeWriter) -> None:
    """One placeholder for each, in order; those that lie otherwise than in row-major order are permuted after all of these."""
    permuted = []
    for node in inputs:
        layout, name, recorded = layouts[node], node.name, fx_json.type_of(value_of(node))
        if not layout.row_major:
            name += "_stored"
            permuted.append({"op": "call_function", "name": node.name, "target": "aten::permute.default",
                             "args": [{"node": name}, {"list": list(layout.inverse)}], "kwargs": [], "meta": recorded})
            recorded = recorded | {"shape": [recorded["shape"][axis] for axis in layout.slowest_first]}
        records.append({"op": "placeholder", "name": name, "target": name, "args": [], "kwargs": [], "meta": recorded})
        shape = value_of(node).shape
        sizes.offer(name, shape if layout.row_major else [shape[axis] for axis in layout.slowest_first])
    records += permuted


def _write_carriers(nodes: Iterable[Node], records: list[dict[str, Any]], sizes: _SizeWriter) -> list[sympy.Symbol]:
    """Inputs after the others for the symbols that none of these has; gives the symbols."""
    missing = sizes.missing(_symbols_of(nodes))
    at = sum(record["op"] == "placeholder" for record in records)
    for number, symbol in enumerate(missing):
        name = f"size_of_{symbol}"
        records.insert(at + number, {"op": "placeholder", "name": name, "target": name, "args": [], "kwargs": [],
                                     "meta": {"shape": [{"expr": sympy.srepr(symbol)}, 0], "dtype": "bool"}})
        sizes.carry(name, symbol)
    return missing


# Element types that cross into compiled code.
DTYPES = {torch.bool, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
          torch.float64}


def foreign_value(value: Any, device: Device, inside: bool = False) -> str:
    """Why a value cannot be one of a segment for `device`; empty: it can. `inside` of a graph that a node takes, a number may depend
    on data."""
    if isinstance(value, (list, tuple)):
        return next((reason for item in value if (reason := foreign_value(item, device, inside))), "")
    if isinstance(value, (torch.SymInt, torch.SymFloat)) or (inside and isinstance(value, torch.SymBool)):
        return "a number that only a run can tell" if depends_on_data(value) and not inside else ""
    if value is None or isinstance(value, (int, float)):
        return ""
    if not isinstance(value, torch.Tensor):
        return f"it gives a {type(value).__name__}"
    if not device.has(value):
        return f"a tensor on {value.device}: the graph is compiled for {device}"
    if value.layout != torch.strided:
        return f"a tensor of the layout {value.layout}"
    if value.is_quantized:
        return "a quantised tensor"
    if value.dtype not in DTYPES:
        return f"a tensor of {value.dtype}"
    return "a size that only a run can tell" if any(map(depends_on_data, value.shape)) else ""


def computing(graph: torch.fx.Graph, views: set[Node]) -> list[Node]:
    """The nodes that compute: no inputs, no output, no sizes, no attributes, no views and no numbers that nobody else reads."""
    left_out: set[Node] = set()
    for node in reversed(graph.nodes):
        if (node in views or (node.op == "call_function" and depends_on_data(value_of(node)))) and all(user in left_out or user.op == "output" for user in node.users):
            left_out.add(node)
    return [node for node in graph.nodes if node.op not in ("placeholder", "output", "get_attr") and not is_size(node) and
            node not in left_out]


def foreign_reason(node: Node, device: Device, inside: bool = False) -> str:
    """Why a node cannot be part of any document, whatever its operator; empty: it can. As of foreign_value()."""
    if node.op != "call_function":
        return f"a {node.op} of `{node.target}`"
    if reason := foreign_value(_read_results(node), device, inside):
        return reason
    for body in bodies_of(node):
        for part in body.graph.nodes:
            if part.op == "placeholder":
                reason = foreign_value(value_of(part), device, inside=True)
            else:
                named = part.op == "output" or is_size(part) or fx_json.graph_of(part) is not None
                reason = "" if named else foreign_reason(part, device, inside=True)
            if reason:
                return f"inside, `{part.name}`: {reason}"
    for operand in operands_of(node):
        if operand.op == "get_attr" and not isinstance(value_of(operand), torch.Tensor):
            return "it takes a graph or an object"
        if value_of(operand) is None:
            return f"operand `{operand.name}`: it is no tensor"
        if reason := foreign_value(_read_results(operand), device, inside):
            return f"operand `{operand.name}`: {reason}"
    return ""


def _read_results(node: Node) -> Any:
    """What a node gives; of one that takes graphs, what others read of it: it may carry numbers that nobody asks for."""
    value = value_of(node)
    if not fx_json.takes_graphs(node) or any(getitem_source(user) is not node for user in node.users):
        return value
    return [value[user.args[1]] for user in node.users]


def getitem_source(node: Node) -> Node | None:
    """Of a node that takes one result of another: that one."""
    source = node.args[0] if node.op == "call_function" and node.target is operator.getitem else None
    return source if isinstance(source, Node) else None


def keep_results_together(parts: Iterable[list[Node]]) -> list[list[Node]]:
    """Single results go to the part of the node that gives them."""
    home: dict[Node, list[Node]] = {}
    made: list[list[Node]] = []
    for part in parts:
        kept: list[Node] = []
        made.append(kept)
        for node in part:
            source = getitem_source(node)
            target = home[source] if source is not None and source in home else kept
            target.append(node)
            home[node] = target
    return [part for part in made if part]


def write_judged(nodes: Sequence[Node], foreign: dict[Node, str], device: Device, results: Sequence[Node] = ()) -> dict[str, Any]:
    """The whole graph for `mlgc explain`, with these results: a foreign node is written as a call of an unknown function.

    Unwritable as of write_segment().
    """
    inside = set(nodes)
    records: list[dict[str, Any]] = []
    sizes = _SizeWriter(records)
    inputs = inputs_of(nodes)
    unknown = {node for node in inputs if foreign_value(value_of(node), device) or not isinstance(value_of(node), torch.Tensor)}
    known = [node for node in inputs if node not in unknown]
    _write_inputs(known, dict.fromkeys(known, Layout(None, 0)), records, sizes)
    _write_carriers([*known, *(node for node in nodes if node not in foreign)], records, sizes)

    known_form = _speller(sizes)

    def spell(node: Node) -> Any:
        if node in unknown:
            raise Unwritable(f"operand `{node.name}`: {foreign_value(value_of(node), device) or 'it is no tensor'}")
        return known_form(node)

    for node in nodes:
        recorded = None if foreign_value(value_of(node), device) else fx_json.type_of(value_of(node))
        if node in foreign:
            operands = [{"node": operand.name} for operand in operands_of(node) if operand in inside]
            records.append({"op": "call_function", "name": node.name, "target": "outside.call", "args": operands, "kwargs": [],
                            "meta": recorded})
            continue
        records.append(_record(node, spell))
    records.append({"op": "output", "name": "output", "target": "output", "args": [{"tuple": [{"node": node.name} for node in results]}],
                    "kwargs": [], "meta": None})
    return _document(records, inputs)
