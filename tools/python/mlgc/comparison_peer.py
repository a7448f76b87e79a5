"""One backend of a comparison (comparing.py), in a process of its own, so that its first call is cold.

    python -m mlgc.comparison_peer

Questions come as lines of JSON on standard input; each is answered by a line on standard output, {"reason": …} where it cannot:

    {"do": "prepare", "make": "module:make", "sizes": {…}, "backend": …, "training": …, "dynamic": …, "threads": …,
     "results": "out.pt", "reference": …}
        imports torch, makes the model, calls it once, and saves its results; with `reference` those in f64, too
    {"do": "block", "calls": 10}
        one call that is not timed, then so many that are
    {"do": "point", "sizes": {…}}
        the same model, called once with what make() gives for other sizes
"""
from __future__ import annotations

import contextlib
import copy
import difflib
import importlib
import importlib.util
import json
import os
import pathlib
import pickle
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from mlgc import measuring
from mlgc.errors import UsageError

SEED = 0  # of make(), and of what training steps begin their backward pass with


def loaded(spec: str) -> Callable[..., Any]:
    """The function that `module:name`, `file.py:name` or, by value, `file.pickle:` means. UsageError: there is none."""
    home, _, name = spec.rpartition(":")
    if not home:
        raise UsageError(f"{spec!r} names no function: write package.module:make or file.py:make")
    if home.endswith(".pickle"):
        with open(home, "rb") as file:
            made: Callable[..., Any] = pickle.load(file)
        return made
    if home.endswith(".py"):
        if not pathlib.Path(home).is_file():
            raise UsageError(f"there is no file {home}")
        found = importlib.util.spec_from_file_location(pathlib.Path(home).stem, home)
        assert found is not None and found.loader is not None
        module = importlib.util.module_from_spec(found)
        sys.modules[found.name] = module
        sys.path.insert(0, str(pathlib.Path(home).resolve().parent))
        found.loader.exec_module(module)
    else:
        try:
            module = importlib.import_module(home)
        except ModuleNotFoundError as error:
            if error.name is not None and not f"{home}.".startswith(f"{error.name}."):
                raise
            raise UsageError(f"there is no module {error.name}; modules are found from the current folder and PYTHONPATH") from None
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            raise UsageError(f"{home} has no {name}; its functions are "
                             f"{', '.join(n for n, v in vars(module).items() if callable(v) and not n.startswith('_')) or 'none'}")
        value = getattr(value, part)
    if not callable(value):
        raise UsageError(f"{spec} is a {type(value).__name__}, not a function that makes a model and its inputs")
    function: Callable[..., Any] = value
    return function


class Case:
    """A model, or a function, with its arguments."""

    def __init__(self, make: Callable[..., Any], sizes: dict[str, Any], training: bool) -> None:
        import torch

        torch.manual_seed(SEED)
        made = make(**sizes)
        if not isinstance(made, tuple) or len(made) not in (2, 3) or not callable(made[0]):
            raise UsageError(f"make({', '.join(f'{n}={v!r}' for n, v in sizes.items())}) returns a {type(made).__name__}; it returns (model, "
                             "inputs), the inputs a tensor, a tuple of arguments or a dict of keywords, or (model, args, kwargs)")
        self.model: Callable[..., Any] = made[0]
        inputs = made[1]
        self.args: tuple[Any, ...] = () if isinstance(inputs, dict) else tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
        self.kwargs: dict[str, Any] = made[2] if len(made) == 3 else inputs if isinstance(inputs, dict) else {}
        self.training = training

    def with_inputs(self, change: Callable[[Any], Any]) -> Case:
        """The same model with change(tensor) in the place of each input; those that require gradients still do."""
        import torch
        from torch.utils import _pytree as pytree

        def each(leaf: Any) -> Any:
            return change(leaf.detach()).requires_grad_(leaf.requires_grad) if isinstance(leaf, torch.Tensor) else leaf

        made = copy.copy(self)
        made.args, made.kwargs = pytree.tree_map(each, (self.args, self.kwargs))
        return made

    def exact(self) -> Case:
        """A copy that computes in f64."""
        import torch

        made = self.with_inputs(lambda x: x.double() if x.is_floating_point() else x.clone())
        made.model = copy.deepcopy(self.model).double() if isinstance(self.model, torch.nn.Module) else self.model
        return made

    def same_model(self, other: Case) -> bool:
        """Whether both have equal weights and differ in inputs alone."""
        import torch

        if not isinstance(self.model, torch.nn.Module) or not isinstance(other.model, torch.nn.Module):
            return self.model is other.model
        own, theirs = self.model.state_dict(), other.model.state_dict()
        return (repr(self.model) == repr(other.model) and own.keys() == theirs.keys() and
                all(own[name].shape == theirs[name].shape and torch.equal(own[name], theirs[name]) for name in own))

    def step(self, model: Callable[..., Any] | None = None) -> Callable[[], list[Any]]:
        """A call of the model, or of what was compiled of it: its tensors, and where it is trained gradients after them."""
        import torch
        from torch.utils import _pytree as pytree

        call, args, kwargs = self.model if model is None else model, self.args, self.kwargs

        def tensors(result: Any) -> list[torch.Tensor]:
            return [torch.as_tensor(leaf) for leaf in pytree.tree_leaves(result) if isinstance(leaf, (torch.Tensor, bool, int, float))]

        if not self.training:
            def infer() -> list[Any]:
                with torch.no_grad():
                    return tensors(call(*args, **kwargs))
            return infer
        leaves = [leaf for _, leaf in self.trained()]
        if not leaves:
            raise UsageError("a training step differentiates, and neither a parameter nor an input of the model requires a gradient")

        def train() -> list[Any]:
            results = tensors(call(*args, **kwargs))
            ends = [result for result in results if result.requires_grad]
            if not ends:
                raise UsageError("no result of the model depends on what requires a gradient")
            return [*results, *torch.autograd.grad(ends, leaves, [self._cotangent(end) for end in ends], allow_unused=True)]

        return train

    def trained(self) -> list[tuple[str, Any]]:
        """What gradients are taken of, by name."""
        import torch
        from torch.utils import _pytree as pytree

        named = list(self.model.named_parameters()) if isinstance(self.model, torch.nn.Module) else []
        inputs = [leaf for leaf in pytree.tree_leaves((self.args, self.kwargs)) if isinstance(leaf, torch.Tensor)]
        return [(name, leaf) for name, leaf in [*named, *((f"input {number}", leaf) for number, leaf in enumerate(inputs))] if leaf.requires_grad]

    def _cotangent(self, result: Any) -> Any:
        """What the backward pass of a result begins with: 1 of a scalar, else numbers that are the same in every process."""
        import torch

        if result.dim() == 0:
            return torch.ones_like(result)
        key = tuple(result.shape)
        kept: dict[Any, torch.Tensor] = self.__dict__.setdefault("_cotangents", {})
        if key not in kept:
            kept[key] = torch.randn(key, generator=torch.Generator().manual_seed(SEED))
        return kept[key].to(result.dtype)


def compiled(model: Callable[..., Any], backend: str, dynamic: bool) -> Callable[..., Any]:
    """UsageError: there is no such backend."""
    import torch

    if backend == "eager":
        return model
    chosen: Any = backend
    if backend == "mlgc":
        from mlgc.backend import mlgc_backend as chosen  # known without being installed, too
    elif ":" in backend:
        chosen = loaded(backend)
    elif backend not in (known := torch._dynamo.list_backends(None)):
        near = difflib.get_close_matches(backend, ["eager", "mlgc", *known], 1)
        raise UsageError(f"there is no backend {backend!r}; {f'did you mean {near[0]!r}? ' if near else ''}"
                         "torch._dynamo.list_backends(None) lists them, and module:function names one of your own")
    made: Callable[..., Any] = torch.compile(model, backend=chosen, dynamic=True if dynamic else None)
    return made


# --- what Dynamo did


def capture_record() -> dict[str, Any]:
    """Graphs, graph breaks and recompilations up to here, and the seconds that they took."""
    import torch._dynamo.utils as dynamo

    if "torch._dynamo.eval_frame" not in sys.modules:
        return {"graphs": 0, "graph_breaks": [], "recompilations": [], "capture": 0.0, "compile": 0.0}
    spent = dynamo.calculate_time_spent()
    backend = spent.get("backend_compile", 0.0)
    metrics = dynamo.get_compilation_metrics()
    breaks: dict[tuple[Any, ...], dict[str, Any]] = {}
    for found in filter(lambda found: found.graph_break, dynamo.graph_break_reasons):
        frame = found.user_stack[-1] if found.user_stack else None
        place = {} if frame is None else {"function": frame.name, "file": frame.filename, "line": frame.lineno}
        entry = breaks.setdefault((found.reason, *place.values()), {"reason": _break_text(found.reason), "count": 0, **place})
        entry["count"] += 1
    again = [{"reason": entry.recompile_reason.partition(": ")[2] or entry.recompile_reason, "function": entry.co_name,
              "file": entry.co_filename, "line": entry.co_firstlineno} for entry in metrics if entry.recompile_reason]
    return {"graphs": dynamo.counters["stats"]["unique_graphs"], "graph_breaks": [*breaks.values()], "recompilations": again,
            "capture": max(spent.get("entire_frame_compile", 0.0) - backend, 0.0),
            "compile": backend + spent.get("entire_backward_compile", 0.0)}


def _break_text(reason: str) -> str:
    """What Dynamo could not do, and with what, in a line."""
    if reason.startswith("generic_jump"):
        return f"a branch that depends on a tensor's value ({reason.partition(' ')[2]})"
    title = reason.splitlines()[0].strip()
    context = next((line.partition(":")[2].strip() for line in reason.splitlines() if "Developer debug context:" in line), "")
    return f"{title}: {context}" if context else title


def _fallbacks(backend: str) -> list[str]:
    if backend != "mlgc":
        return []
    from mlgc.compiler import ledger

    outside = [entry for record in ledger() for entry in record.outside]
    if not outside:
        return []
    reasons = dict.fromkeys(f"{entry['target']}: {entry['reason']}" for entry in outside)
    more = f"; and {len(reasons) - 4} more" if len(reasons) > 4 else ""
    return [f"{len(outside)} of {sum(record.nodes for record in ledger())} nodes run in PyTorch: {'; '.join([*reasons][:4])}{more}"]


# --- questions


class Peer:
    """Answers to questions: each method takes one, and gives the answer. Exceptions are whatever the model or its backend raises."""

    def __init__(self) -> None:
        self._request: dict[str, Any] = {}
        self._make: Callable[..., Any] = loaded
        self._call: Callable[[], list[Any]] = list

    def prepare(self, request: dict[str, Any]) -> dict[str, Any]:
        """Seconds of importing torch, of make() and of the first call; what Dynamo captured; notes. Results are in the file."""
        self._request = request
        begun = time.perf_counter()
        import torch

        imported = time.perf_counter() - begun
        torch.set_num_threads(request["threads"])
        begun = time.perf_counter()
        self._make = loaded(request["make"])
        self._case = Case(self._make, request["sizes"], request["training"])
        made = time.perf_counter() - begun
        pristine = self._case.with_inputs(torch.clone)
        if request["reference"] and isinstance(pristine.model, torch.nn.Module):
            pristine.model = copy.deepcopy(pristine.model)
        if request["backend"] != "eager":
            begun = time.perf_counter()
            import torch._dynamo.utils

            imported += time.perf_counter() - begun
            torch._dynamo.utils.set_compilation_metrics_limit(100_000)
        begun = time.perf_counter()
        self._compiled = compiled(self._case.model, request["backend"], request["dynamic"])
        self._call = self._case.step(self._compiled)
        results = self._call()
        first = time.perf_counter() - begun
        saved: dict[str, Any] = {"results": results, "names": self._names(results)}
        notes = _fallbacks(request["backend"])
        if request["reference"]:
            try:
                saved |= dict(zip(("exact", "eager"), _judged(pristine, results)))
            except Exception as error:  # whatever the model raises in f64
                notes.append(f"it does not run in f64 ({reason_of(error)}), so results are compared with eager's alone")
        _save(saved, request["results"])
        return {"version": f"torch {torch.__version__}", "import_torch": imported, "make": made, "first_call": first, "notes": notes,
                **(capture_record() if request["backend"] != "eager" else {})}

    def _names(self, results: Sequence[Any]) -> list[str]:
        gradients = [f"gradient of {name}" for name, _ in self._case.trained()] if self._request["training"] else []
        return [*(f"output {number}" for number in range(len(results) - len(gradients))), *gradients]

    def block(self, request: dict[str, Any]) -> dict[str, Any]:
        found = measuring.timed(self._call, request["calls"])
        return {"seconds": found.seconds, "disturbed": found.disturbed}

    def point(self, request: dict[str, Any]) -> dict[str, Any]:
        """Seconds of the first call with other sizes, and what Dynamo captured up to here; or the reason why there are none."""
        case = Case(self._make, request["sizes"], self._request["training"])
        if not case.same_model(self._case):
            return {"reason": "make() gives another model for each of these"}
        case.model = self._case.model
        step = case.step(self._compiled)
        begun = time.perf_counter()
        step()
        return {"first_call": time.perf_counter() - begun, **(capture_record() if self._request["backend"] != "eager" else {})}


def _judged(pristine: Case, own: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Results in f64, and eager's, as wrong as they are on neighbours of the inputs."""
    from mlgc import agreement, precision

    def exactly(change: Callable[[Any], Any]) -> list[Any]:
        with precision.InDouble():  # type: ignore[no-untyped-call]  # torch's constructor
            found = _dense(pristine.with_inputs(change).exact().step()(), own)
        return [value.double() if value.is_floating_point() else value for value in found]

    def plainly(change: Callable[[Any], Any]) -> list[Any]:
        case = pristine.with_inputs(change)
        with contextlib.suppress(Exception):  # what cannot be copied keeps no state
            case.model = copy.deepcopy(case.model)
        return _dense(case.step()(), own)

    exact = exactly(lambda x: x)
    return exact, agreement.worst_of_neighbours(lambda near: (plainly(near), exactly(near)), _dense(own, own), exact)


def _dense(values: Sequence[Any], like: Sequence[Any]) -> list[Any]:
    """Without gradients that are None, of those that `like` has."""
    return [value.detach() for value, other in zip(values, like, strict=True) if other is not None]


def _save(saved: dict[str, Any], path: str) -> None:
    """For numpy, which has no bf16 and no gradients that are None."""
    import numpy

    from mlgc import agreement

    kept = [(name, value) for name, value in zip(saved["names"], saved["results"], strict=True) if value is not None]
    arrays = {f"result{number}": agreement.array_of(value) for number, (_, value) in enumerate(kept)}
    for key in ("exact", "eager"):
        for number, value in enumerate(saved.get(key, ())):
            arrays[f"{key}{number}"] = agreement.array_of(value)
    numpy.savez(path, names=numpy.array([name for name, _ in kept], dtype=str), **arrays)


def reason_of(error: BaseException) -> str:
    """Why a backend failed, in a line: the first exception of those that led to another, and its first line."""
    while not isinstance(error, UsageError) and (cause := error.__cause__) is not None:
        error = cause
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else ""
    if isinstance(error, UsageError):
        return text
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"{sys.executable} has no `{error.name.split('.')[0]}`: install it there, or leave this backend out"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def main() -> int:
    # What libraries print is no answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")
    peer = Peer()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(peer, request["do"])(request)
        except Exception as error:  # whatever a backend raises is its row's reason
            answer = {"reason": reason_of(error), "usage": isinstance(error, UsageError)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
