"""How a case is run through `torch.compile(backend="mlgc")` and compared with eager: what scripts/backend-models and scripts/zoo
share.

A case is a function run(wrap, wide, near): its flat results as wrap(function) computes them; with `wide` in f64; with `near` on
near(x) in the place of each input, parameter and buffer x: compiled code takes all of these as inputs.
"""
import contextlib
import copy
import os

import repository_python

repository_python.use()
import agreement  # noqa: E402
import backend_verdicts  # noqa: E402


def widened(tree):
    import torch
    from torch.utils import _pytree as pytree

    def wide(leaf):
        if isinstance(leaf, torch.nn.Module):
            return leaf.double()
        leaf = leaf.detach().clone().double() if leaf.is_floating_point() else leaf.clone()
        return leaf

    return pytree.tree_map_only((torch.Tensor, torch.nn.Module), wide, tree)


def computed(module, args, kwargs, wrap, train):
    """Flat results, and with `train` the gradients of the sum of their mean squares by parameters and inputs, and the module's buffers
    after the call."""
    import exporting
    import torch
    from torch.utils import _pytree as pytree

    args, kwargs = pytree.tree_map_only(torch.Tensor, lambda x: x.detach().clone().requires_grad_(train and x.is_floating_point()), (args, kwargs))
    with contextlib.nullcontext() if train else torch.no_grad():
        results = [x for x in exporting.flat_results(wrap(module)(*args, **kwargs)) if isinstance(x, torch.Tensor)]
    if not train:
        return results
    of_module = isinstance(module, torch.nn.Module)
    wanted = [x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor) and x.requires_grad]
    wanted += [x for x in module.parameters() if x.requires_grad] if of_module else []
    floats = [x for x in results if x.requires_grad]
    gradients = torch.autograd.grad(sum((x * x).mean() for x in floats if x.numel()), wanted, allow_unused=True) if floats else []
    states = list(module.buffers()) if of_module else []
    return [x.detach() for x in results] + [x for x in gradients if x is not None] + [x.clone() for x in states]


def case_of(module, args, kwargs, train):
    """run(wrap, wide, near) of a module or function with these arguments; each run is of a copy."""
    import torch
    from torch.utils import _pytree as pytree

    def run(wrap, wide, near=None):
        chosen = copy.deepcopy((module, args, kwargs)) if isinstance(module, torch.nn.Module) else (module, args, kwargs)
        if near is not None and isinstance(module, torch.nn.Module):
            with torch.no_grad():
                for x in [*chosen[0].parameters(), *chosen[0].buffers()]:
                    x.copy_(near(x))
        if near is not None:
            chosen = (chosen[0], *pytree.tree_map_only(torch.Tensor, near, chosen[1:]))
        return computed(*(widened(chosen) if wide else chosen), wrap, train)

    return run


def without_dropout(model):
    """Sets to 0 what share of values, layers and paths the modules of a model drop at random."""
    from torch.nn.modules.dropout import _DropoutNd

    for module in model.modules():
        for holder in filter(None, (module, getattr(module, "config", None))):
            for name, value in list(vars(holder).items()):
                if isinstance(value, float) and "drop" in name:
                    setattr(holder, name, 0.0)
        if isinstance(module, _DropoutNd) or type(module).__name__ == "StochasticDepth":
            module.p = 0.0
    return model


def draws(run):
    """Whether the results of a case depend on PyTorch's generator."""
    import torch

    found = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        found.append(run(lambda call: call, False))
    return any(a.shape != b.shape or not torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(*found, strict=True))


class Neighbours:
    """near(x) of each input, the same for a second run on the same inputs."""

    def __init__(self, near):
        self._near = near
        self._made = []

    def first(self, x):
        self._made.append(self._near(x))
        return self._made[-1]

    def again(self, _):
        return self._made.pop(0)


def outcome_of(run, drawn=False, neighbours=True, report=None):
    """The record of a case: backend_verdicts.verdict() of it, or why there is none. Of what is `drawn` at random only shapes are
    compared; with `neighbours` what differs is compared again with the error that eager has near its inputs. `report` is the
    backend's option."""
    import exporting
    import mlgc
    import torch
    from mlgc.backend import mlgc_backend

    with contextlib.redirect_stderr(open(os.devnull, "w")):
        try:
            eager = run(lambda call: call, False)
        except Exception as error:
            return {"outcome": "not compared", "reason": backend_verdicts.first_line(error)}

        def exactly(near=None):
            torch.set_default_dtype(torch.float64)
            try:
                with exporting.InDouble():
                    return run(lambda call: call, True, near)
            finally:
                torch.set_default_dtype(torch.float32)

        try:
            exact = exactly()
        except Exception:
            exact = eager
        torch._dynamo.reset()
        before = len(mlgc.ledger())
        options = {"fallback": "allow", "threads": 1, "report": report}
        wrap = lambda backend: lambda call: torch.compile(call, backend=backend, **({"options": options} if backend is mlgc_backend else {}))
        try:
            with backend_verdicts.capture_watched() as breaks:
                results = run(wrap(mlgc_backend), False)
        except Exception as error:
            torch._dynamo.reset()
            try:  # does PyTorch bring it to a compiler at all?
                run(wrap("aot_eager"), False)
            except Exception:
                return {"outcome": "not compared", "reason": "it fails with aot_eager, too"}
            return {"outcome": "failed", "reason": backend_verdicts.first_line(error)}
        records = mlgc.ledger()[before:]
        found = backend_verdicts.verdict(results, eager, exact, records, breaks, drawn)
        if found["outcome"] == "differs" and neighbours:
            if [x.shape for x in results] != [x.shape for x in eager]:
                torch._dynamo.reset()
                if [x.shape for x in results] == [x.shape for x in run(wrap("aot_eager"), False)]:
                    return {"outcome": "not compared", "reason": "aot_eager gives other shapes than eager, too"}

            def on_neighbours(near):
                neighbours = Neighbours(near)
                return run(lambda call: call, False, neighbours.first), exactly(neighbours.again)

            worst = agreement.worst_of_neighbours(on_neighbours, eager, exact)
            found = backend_verdicts.verdict(results, worst, exact, records, breaks, drawn)
        return found | {"graphs": len(records), "nodes": sum(record.nodes for record in records),
                        "outside_nodes": sum(len(record.outside) for record in records),
                        "compile_seconds": round(sum(record.seconds for record in records), 2)}
