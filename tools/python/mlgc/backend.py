"""`torch.compile(model, backend="mlgc")`.

Dynamo's graph goes through AOTAutograd, which makes it functional, splits training into a forward and a backward graph, and
hands over ATen operators; operators that the driver does not know are decomposed as PyTorch does. See docs/python.md.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.fx
from torch._dynamo.backends.common import aot_autograd

from mlgc import decompositions, partition, specialising
from mlgc.compiler import compile_graph
from mlgc.errors import UsageError
from mlgc.settings import Options


def mlgc_backend(graph_module: torch.fx.GraphModule, example_inputs: Sequence[Any], *, options: dict[str, Any] | None = None,
                 mode: str | None = None) -> Callable[..., Any]:
    """The backend that the entry point `torch_dynamo_backends` names. Options: mlgc.Options.

    UsageError: an option or a mode that does not exist. FallbackRefused: `fallback="error"`, and part of a graph would run in PyTorch.
    """
    if mode not in (None, "default"):
        raise UsageError(f"mode={mode!r}: this backend has no modes; options={{\"numerics\": …}} says how exact results are")
    chosen = Options.of(options)

    specialised = specialising.specialise(example_inputs)

    def compiler(kind: str) -> Callable[..., Any]:
        return lambda graph, _: compile_graph(graph, kind, chosen, specialised)

    trained = torch.is_grad_enabled() and any(isinstance(value, torch.Tensor) and value.requires_grad for value in example_inputs)
    backend = aot_autograd(fw_compiler=compiler("forward"), bw_compiler=compiler("backward"),
                           inference_compiler=compiler("inference"),
                           decompositions=decompositions.for_training() if trained else decompositions.of_unknown_operators(),
                           partition_fn=partition.partitioner(chosen))
    return backend(graph_module, example_inputs)
