"""The function or module that is looked at, called again and again with the same arguments: in eager, in f64, compiled."""
from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
import random
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._dynamo.exc import TorchDynamoException
from torch.utils import _pytree as pytree

from mlgc import agreement, driver
from mlgc.errors import UsageError
from mlgc.graph_breaks import capture
from mlgc.graph_breaks.source import Place
from mlgc.precision import InDouble, widened

_SEED = 0


@dataclasses.dataclass
class Outcome:
    """What a call gave: the leaves of its result, then the tensors among its arguments as the call left them, and what it printed."""

    leaves: list[Any]
    structure: Any
    printed: str


class Subject:
    """Each call has copies of the arguments and of the module, and draws the same random numbers.

    UsageError: it cannot be called, or the arguments do not fit.
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not callable(function):
            raise UsageError(f"{function!r} is no function and no module")
        # Of torch.compile: what it compiles.
        function = getattr(function, "_orig_mod", getattr(function, "_torchdynamo_orig_callable", function))
        self.function = function
        self._args = args
        self._kwargs = kwargs
        entry = inspect.unwrap(function.forward if isinstance(function, torch.nn.Module) else function)
        self.code = getattr(entry, "__code__", None)
        try:
            bound = inspect.signature(entry).bind(*args, **kwargs).arguments
        except TypeError as error:
            raise UsageError(f"{self.name}: {error}") from None
        except ValueError:  # a builtin has no signature
            bound = {}
        self.tensors = {name for name, value in bound.items() if isinstance(value, torch.Tensor)}

    @property
    def name(self) -> str:
        if isinstance(self.function, torch.nn.Module):
            return type(self.function).__name__
        return getattr(self.function, "__qualname__", None) or type(self.function).__name__

    @property
    def place(self) -> Place | None:
        """Where its code begins."""
        return Place(self.code.co_filename, self.code.co_firstlineno, self.code.co_name) if self.code is not None else None

    def known_tensors(self, place: Place) -> set[str]:
        """Parameters of the function at a place that are tensors in this call."""
        own = self.code is not None and place.function == self.code.co_name and place.file.endswith(self.code.co_filename)
        return self.tensors if own else set()

    def eager(self) -> Outcome | None:
        """None: a part of it that is always compiled, as the functions of torch.cond, is not. UsageError: the call raises, with its line."""
        with self._call() as call, capture.quiet() as heard:
            try:
                result = call(None)
            except TorchDynamoException:
                return None
            except Exception as error:  # whatever the user's code raises
                said = str(error).strip().partition("\n")[0]
                raise UsageError(f"{self.name} raises {type(error).__name__}{_place_in(error)}: {said}") from error
            return self._outcome(result, call, heard.getvalue())

    def exact(self) -> Outcome | None:
        """In f64; None: it does not run so."""
        default = torch.get_default_dtype()
        with self._call(wide=True) as call, capture.quiet() as heard:
            try:
                torch.set_default_dtype(torch.float64)
                with InDouble():
                    return self._outcome(call(None), call, heard.getvalue())
            except Exception:  # noqa: BLE001  code for narrower floats may fail in any way
                return None
            finally:
                torch.set_default_dtype(default)

    def observe(self, backend: str = "mlgc", fullgraph: bool = False) -> tuple[capture.Observation, Outcome | None]:
        """A call under torch.compile; no outcome: it raised."""
        with self._call() as call:
            seen = capture.observe(call, call.function, backend, fullgraph)
            return seen, None if seen.error is not None else self._outcome(seen.result, call, seen.printed)

    @contextlib.contextmanager
    def _call(self, wide: bool = False) -> Iterator[_Call]:
        function, args, kwargs = self._copied_function(wide), _copied(self._args), _copied(self._kwargs)
        if wide:
            args, kwargs = widened(args), widened(kwargs)
        state = random.getstate()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(_SEED)
            random.seed(_SEED)
            try:
                yield _Call(function, args, kwargs)
            finally:
                random.setstate(state)

    def _copied_function(self, wide: bool) -> Callable[..., Any]:
        owner = getattr(self.function, "__self__", self.function)
        if not isinstance(owner, torch.nn.Module):
            return self.function
        try:
            made = copy.deepcopy(owner)
        except Exception:  # noqa: BLE001  what cannot be copied is used as it is
            made = owner
        if wide and made is not owner:
            made = made.double()
        return made if owner is self.function else getattr(made, self.function.__name__)

    @staticmethod
    def _outcome(result: Any, call: _Call, printed: str) -> Outcome:
        leaves, structure = pytree.tree_flatten(capture.materialised(result))
        given = [leaf for leaf in pytree.tree_leaves((call.args, call.kwargs)) if isinstance(leaf, torch.Tensor)]
        return Outcome([*leaves, *given], structure, printed)


@dataclasses.dataclass
class _Call:
    function: Callable[..., Any]
    args: Any
    kwargs: Any

    def __call__(self, function: Callable[..., Any] | None) -> Any:
        """With another function in place of its own."""
        return capture.materialised((self.function if function is None else function)(*self.args, **self.kwargs))


def _copied(tree: Any) -> Any:
    def copied(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return leaf.detach().clone(memory_format=torch.preserve_format).requires_grad_(leaf.requires_grad)
        try:
            return copy.deepcopy(leaf)
        except Exception:  # noqa: BLE001  as of modules
            return leaf

    return pytree.tree_map(copied, tree)


def _place_in(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if capture.of_user(frame.filename)]
    return f" at {Place(frames[-1].filename, frames[-1].lineno or 0)}" if frames else ""


def disagreement(found: Outcome, eager: Outcome, exact: Outcome | None) -> str:
    """How results differ from those of eager by more than the driver allows; empty: they agree."""
    if found.structure != eager.structure or len(found.leaves) != len(eager.leaves):
        return f"the result has another structure: {found.structure} for {eager.structure}"
    numbers: list[int] = []
    for number, (a, b) in enumerate(zip(found.leaves, eager.leaves)):
        if not isinstance(b, torch.Tensor):
            if isinstance(a, torch.Tensor) or (a != b and not (isinstance(b, float) and torch.isclose(torch.tensor(a), torch.tensor(b),
                                                                                                     equal_nan=True))):
                return f"result {number} is {a!r} for {b!r}"
            continue
        if not isinstance(a, torch.Tensor) or (a.dtype, a.shape) != (b.dtype, b.shape):
            kind = f"{a.dtype} {tuple(a.shape)}" if isinstance(a, torch.Tensor) else f"a {type(a).__name__}"
            return f"result {number} is {kind} for {b.dtype} {tuple(b.shape)}"
        if b.is_complex() or b.is_sparse or b.is_quantized:
            if not torch.allclose(a, b, equal_nan=True):
                return f"result {number} differs"
            continue
        numbers.append(number)

    def arrays(outcome: Outcome, wide: bool = False) -> list[Any]:
        tensors = [outcome.leaves[number].detach() for number in numbers]
        return [(tensor.double() if wide and tensor.is_floating_point() else tensor.float() if tensor.dtype == torch.bfloat16 else tensor)
                .contiguous().numpy() for tensor in tensors]

    reference = exact if exact is not None and [getattr(leaf, "shape", None) for leaf in exact.leaves] == [
        getattr(leaf, "shape", None) for leaf in eager.leaves] else eager
    verdicts = agreement.differences(driver.find(), arrays(found), arrays(reference, wide=True), arrays(eager))
    return "; ".join(f"result {numbers[at]} {verdict}" for at, verdict in verdicts.items())
