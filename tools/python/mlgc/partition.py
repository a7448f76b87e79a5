"""Where AOTAutograd's joint graph is cut into forward and backward: what forward saves, and what backward recomputes.

The driver decides by its own costs, a minimum cut over what kernels read and write (`mlgc explain saved`, docs/gradients.md).
Its decision becomes the tags by which PyTorch's partitioner knows activation checkpointing, and that partitioner makes the two
graphs: a node without a tag, one outside of what the driver imports, is cut as PyTorch cuts it.
"""
from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.fx
from functorch.compile import min_cut_rematerialization_partition
from torch.utils.checkpoint import CheckpointPolicy

from mlgc import driver, fx_json, segments
from mlgc.errors import CompilationError
from mlgc.settings import Options, logger

# Operators that draw from PyTorch's generator carry this tag; backward reads what forward has drawn.
RANDOM = torch.Tag.nondeterministic_seeded

Partitioner = Callable[..., tuple[torch.fx.GraphModule, torch.fx.GraphModule]]


def partitioner(options: Options) -> Partitioner:
    """What aot_autograd() takes as partition_fn."""
    if options.recompute == "pytorch":
        pytorchs: Partitioner = min_cut_rematerialization_partition
        return pytorchs

    def partition(joint: torch.fx.GraphModule, inputs: Sequence[Any], *, num_fwd_outputs: int,
                  **more: Any) -> tuple[torch.fx.GraphModule, torch.fx.GraphModule]:
        tagged = _tag(joint.graph, num_fwd_outputs, options.recompute)
        logger.debug("forward and backward are cut by %s", "mlgc" if tagged else "PyTorch")
        forward, backward = min_cut_rematerialization_partition(joint, inputs, num_fwd_outputs=num_fwd_outputs, **more)
        return forward, backward

    return partition


def _tag(graph: torch.fx.Graph, results: int, level: str) -> bool:
    """False: the driver does not import the whole graph."""
    try:
        decision = _decision(graph, results, level)
    except (segments.Unwritable, CompilationError) as error:
        logger.debug("the joint graph does not come in: %s", error)
        return False
    kept = {entry["node"] for entry in decision["saved"] if "node" in entry}
    again = {entry["node"] for entry in decision["recomputed"] if "node" in entry} - kept
    for node in graph.nodes:
        if node.meta.get("recompute") is not None:  # the user's own checkpointing
            continue
        if node.name in kept:
            node.meta["recompute"] = CheckpointPolicy.MUST_SAVE
        elif node.name in again and not draws(node):
            node.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE
    return True


def draws(node: segments.Node) -> bool:
    """Whether a node draws random numbers."""
    return isinstance(node.target, torch._ops.OpOverload) and RANDOM in node.target.tags


def _decision(graph: torch.fx.Graph, results: int, level: str) -> dict[str, Any]:
    """What `mlgc explain saved` says. The first `results` outputs of the graph are not gradients."""
    nodes, device = segments.computing(graph, set()), segments.device_of(graph)
    for node in nodes:
        if reason := segments.foreign_reason(node, device):
            raise segments.Unwritable(reason, node)
    computed = set(nodes)
    outputs = segments.result_nodes(graph)
    forward, backward = ([node for node in part if isinstance(node, torch.fx.Node) and node in computed]
                         for part in (outputs[:results], outputs[results:]))
    document = segments.write_judged(nodes, {}, device, [*forward, *backward])
    with tempfile.TemporaryDirectory(prefix="mlgc-") as folder:
        path = pathlib.Path(folder) / "joint.fx.json"
        path.write_text(fx_json.dumped(document), encoding="utf-8")
        return driver.run_json(["explain", "saved", str(path), f"--results={len(forward)}", f"--recompute={level}", "--format=json"])
