"""Tensors that a graph inside of another holds itself, as `x + torch.tensor(2.0)` in a branch: they are passed to it."""
from __future__ import annotations

import collections

import torch
import torch.fx

from mlgc import fx_json

# Which argument lists the values that all graphs of an operator take after their own.
_CAPTURED = {"cond": 3, "while_loop": 3, "scan": 3, "map_impl": 2}


def pass_constants(graph_module: torch.fx.GraphModule) -> None:
    """Makes the tensors that graphs inside hold attributes of this graph, and passes them. A graph that several nodes take stays as it
    is."""
    users = collections.Counter(id(fx_json.graph_of(node)) for node in graph_module.graph.nodes for _ in node.users
                                if fx_json.graph_of(node) is not None)
    for node in list(graph_module.graph.nodes):
        place = _CAPTURED.get(node.target.name()) if fx_json.takes_graphs(node) else None
        bodies = [body for operand in node.all_input_nodes if (body := fx_json.graph_of(operand)) is not None]
        for body in bodies:
            pass_constants(body)
        if place is None or place >= len(node.args) or any(users[id(body)] > 1 for body in bodies):
            continue
        for number, body in enumerate(bodies):
            for constant in [inside for inside in body.graph.nodes if inside.op == "get_attr" and fx_json.graph_of(inside) is None]:
                _pass(graph_module, node, place, bodies, number, constant)
        for body in bodies:
            body.recompile()
    graph_module.recompile()


def _pass(outer: torch.fx.GraphModule, node: torch.fx.Node, place: int, bodies: list[torch.fx.GraphModule], number: int,
          constant: torch.fx.Node) -> None:
    """Passes one tensor, which the body of this number reads, to all of them."""
    body = bodies[number]
    name = f"_passed_{node.name}_{number}_{str(constant.target).replace('.', '_')}"
    tensor: object = body
    for part in str(constant.target).split("."):
        tensor = getattr(tensor, part)
    assert isinstance(tensor, torch.Tensor)
    outer.register_buffer(name, tensor, persistent=False)
    with outer.graph.inserting_before(node):
        given = outer.graph.get_attr(name)
    given.meta["val"] = constant.meta["val"]
    captured = node.args[place]
    assert isinstance(captured, (list, tuple))
    node.update_arg(place, (*captured, given) if isinstance(captured, tuple) else [*captured, given])
    for other in bodies:
        with other.graph.inserting_before(next(inside for inside in other.graph.nodes if inside.op != "placeholder")):
            taken = other.graph.placeholder(name)
        taken.meta["val"] = constant.meta["val"]
        if other is body:
            constant.replace_all_uses_with(taken)
            other.graph.erase_node(constant)
