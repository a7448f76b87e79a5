"""torch.export, made to give what the driver reads, and the way from a call in Python to tensors and back."""
from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.export import Dim, ExportedProgram
from torch.utils import _pytree as pytree

from mlgc.errors import UsageError


@contextlib.contextmanager
def forward_replaced(model: torch.nn.Module, forward: Callable[..., Any]) -> Iterator[torch.nn.Module]:
    """Calls of `model` call `forward`; names of weights stay."""
    own = vars(model).get("forward")
    model.forward = forward
    try:
        yield model
    finally:
        if own is None:
            del model.forward
        else:
            model.forward = own


def forward_as(model: torch.nn.Module, change: Callable[[Any], Any]) -> contextlib.AbstractContextManager[torch.nn.Module]:
    """Calls of `model` return change(result); arguments and the names of weights stay."""
    original = model.forward

    @functools.wraps(original)
    def forward(*args: Any, **kwargs: Any) -> Any:
        return change(original(*args, **kwargs))

    return forward_replaced(model, forward)


def reshape_views(program: ExportedProgram) -> None:
    """A recorded `view` may assume strides that only the traced kernel gives, and then not survive decomposition."""
    for node in program.graph.nodes:
        if node.op == "call_function" and node.target is torch.ops.aten.view.default:
            node.target = torch.ops.aten.reshape.default
    program.graph_module.recompile()


def decompose(program: ExportedProgram, table: dict[Any, Any] | None) -> ExportedProgram:
    """ExportedProgram.run_decompositions(table), where recorded views need it with reshapes in their place."""
    made: ExportedProgram
    try:
        made = program.run_decompositions(table)
    except (RuntimeError, ValueError) as error:
        if "view" not in str(error):
            raise
        reshape_views(program)
        made = program.run_decompositions(table)
    return made


@dataclasses.dataclass(frozen=True)
class Structure:
    """What a call of Python looks like to a function of tensors.

    inputs: the tree of (args, kwargs). taken: by leaf, None where it is a tensor that the function takes, else a list of the
    constant that tracing fixed. outputs: the tree of the result. given: by leaf, None where it is the function's next
    result, else a list of the constant. gradients: names of the results behind these, which come as a second result, a dict.
    """

    inputs: pytree.TreeSpec
    taken: tuple[list[Any] | None, ...]
    outputs: pytree.TreeSpec
    given: tuple[list[Any] | None, ...]
    gradients: tuple[str, ...] = ()

    @functools.cached_property
    def _lone(self) -> bool:
        return self.outputs.is_leaf() and self.given == (None,) and not self.gradients

    @property
    def positional(self) -> int | None:
        """How many tensors args are, where they are tensors alone and there are no kwargs; else None."""
        plain = pytree.tree_structure((tuple([0] * len(self.taken)), {}))
        return len(self.taken) if self.inputs == plain and not any(self.taken) else None

    def tensors(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """What the function takes. UsageError: another structure, or another constant."""
        leaves, spec = pytree.tree_flatten((tuple(args), kwargs))
        if spec != self.inputs:
            raise UsageError(f"the arguments are not those of the example: {_outline(spec)} for {_outline(self.inputs)}")
        for number, (leaf, taken) in enumerate(zip(leaves, self.taken)):
            if taken is not None and leaf != taken[0]:
                raise UsageError(f"argument {number} is {leaf!r}; it was {taken[0]!r} in the example, which the program has fixed")
        return [leaf for leaf, taken in zip(leaves, self.taken) if taken is None]

    def result(self, tensors: Sequence[torch.Tensor]) -> Any:
        """What the call returns, of the function's results."""
        if self._lone:
            return tensors[0]
        left = iter(tensors)
        result = pytree.tree_unflatten([next(left) if known is None else known[0] for known in self.given], self.outputs)
        return (result, dict(zip(self.gradients, left))) if self.gradients else result

    def dumped(self) -> str:
        """As JSON. UsageError: a type of the tree, or a constant, has no form in a file."""
        try:
            return json.dumps({"version": 1, "inputs": pytree.treespec_dumps(self.inputs), "taken": self.taken,
                               "outputs": pytree.treespec_dumps(self.outputs), "given": self.given, "gradients": self.gradients})
        except (NotImplementedError, TypeError) as error:
            raise UsageError(f"the structure of arguments and results cannot be written: {error}") from None

    @classmethod
    def loaded(cls, text: str) -> Structure:
        """Of what dumped() gives. UsageError: it has another version."""
        record = json.loads(text)
        if record["version"] != 1:
            raise UsageError(f"the structure of arguments has version {record['version']}; this package reads 1: compile the model again")
        return cls(pytree.treespec_loads(record["inputs"]), tuple(record["taken"]), pytree.treespec_loads(record["outputs"]),
                   tuple(record["given"]), tuple(record["gradients"]))


def _outline(spec: pytree.TreeSpec) -> str:
    args, kwargs = pytree.tree_unflatten(["*"] * spec.num_leaves, spec)
    return "(" + ", ".join([*map(str, args), *(f"{name}={value}" for name, value in kwargs.items())]) + ")"


def export(model: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any],
           dynamic: bool | dict[str, Any] | Sequence[Any] | None) -> tuple[ExportedProgram, Structure]:
    """The functional program of a module or function, and the structure of its calls.

    dynamic: True lets every size vary that can; anything else is torch.export's `dynamic_shapes`.
    UsageError: it returns something that is neither a tensor nor a constant. Whatever torch.export raises.
    """
    module = model if isinstance(model, torch.nn.Module) else torch.nn.Module()
    if module is not model:
        module.forward = model
    results: list[tuple[pytree.TreeSpec, tuple[list[Any] | None, ...]]] = []

    def flat(result: Any) -> tuple[torch.Tensor, ...]:
        leaves, spec = pytree.tree_flatten(result)
        for leaf in leaves:
            if not isinstance(leaf, (torch.Tensor, bool, int, float, str, type(None))):
                raise UsageError(f"the model returns a {type(leaf).__name__}; let it return tensors, or register the type with "
                                 "torch.export.register_dataclass")
        results.append((spec, tuple(None if isinstance(leaf, torch.Tensor) else [leaf] for leaf in leaves)))
        return tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))

    shapes: Any = dynamic if not isinstance(dynamic, bool) else None
    if dynamic is True:
        by_name = dict(inspect.signature(module.forward).bind(*args, **kwargs).arguments)
        shapes = pytree.tree_map(lambda leaf: dict.fromkeys(range(leaf.dim()), Dim.AUTO) if isinstance(leaf, torch.Tensor) else None, by_name)
    with forward_as(module, flat), torch.no_grad():
        program = decompose(torch.export.export(module, tuple(args), kwargs, dynamic_shapes=shapes, strict=False), {})
    leaves, inputs = pytree.tree_flatten((tuple(args), kwargs))
    taken = tuple(None if isinstance(leaf, torch.Tensor) else [leaf] for leaf in leaves)
    return program, Structure(inputs, taken, *results[-1])
