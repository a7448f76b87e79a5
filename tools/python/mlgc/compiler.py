"""From a graph of AOTAutograd to a callable: parts, artefacts, the cache, the ledger.

The second call runs no compiler, and no Python for each operator of a segment.
"""
from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.fx

from mlgc import abi, cache, control_flow, devices, driver, fx_json, partition, segments
from mlgc.errors import CompilationError, CompilerNotFound, FallbackRefused
from mlgc.artifact import Artifact, Function, InputLayout, random_key
from mlgc.segments import Node, Outside, Segment
from mlgc.settings import Options, log_topics, logger


@dataclasses.dataclass
class GraphRecord:
    """One compiled graph in the ledger. Seconds are wall time."""

    number: int
    kind: str  # "forward", "backward", "inference"
    nodes: int
    segments: list[int] = dataclasses.field(default_factory=list)  # how many nodes each has
    outside: list[dict[str, str]] = dataclasses.field(default_factory=list)
    cached: bool = False
    seconds: float = 0.0
    # Why Dynamo captured the code again: the guard that failed. Empty at the first capture, and for backward graphs, which come
    # with a forward one.
    recompiled: str = ""
    # Inputs of segments whose memory has gaps or overlaps: each call copies them.
    copied: list[str] = dataclasses.field(default_factory=list)
    # Sizes that were fixed since the trace leaves them few values: `s0 is 28: 8*(s0//4) == 56`.
    specialised: list[str] = dataclasses.field(default_factory=list)


_ledger: list[GraphRecord] = []


def ledger() -> list[GraphRecord]:
    """What was compiled in this process, in order."""
    return list(_ledger)


def compile_graph(graph_module: torch.fx.GraphModule, kind: str, options: Options,
                  specialised: Sequence[str] = ()) -> Callable[[list[Any]], list[Any]]:
    """A callable that takes the graph's inputs as one list, which it empties, and returns its outputs. `specialised` is for the ledger.

    FallbackRefused, CompilationError: as the options say.
    """
    begun = time.perf_counter()
    topics = log_topics()
    control_flow.pass_constants(graph_module)
    graph = graph_module.graph
    views = segments.free_views(graph)
    nodes = segments.computing(graph, set(views))
    record = GraphRecord(len(_ledger), kind, len(nodes), recompiled="" if kind == "backward" else _recompilation_reason(),
                         specialised=list(specialised))
    if "graph" in topics:
        _print_graph(graph_module, record)
    parts = _Compilation(graph, nodes, set(views), options, record).run()
    record.segments = [len(part.segment.nodes) for part in parts if isinstance(part, CompiledSegment)]
    record.outside = [{"node": part.node.name, "target": fx_json.qualified(part.node), "reason": part.reason, "place": part.place}
                      for part in parts if isinstance(part, Outside)]
    record.seconds = time.perf_counter() - begun
    _ledger.append(record)
    _report(record, options, topics)
    return _whole_graph_runner(graph_module.graph, parts, views) or Runner(graph_module, parts, views)


def _recompilation_reason() -> str:
    """What Dynamo says of the capture in progress."""
    metrics = getattr(torch._dynamo.utils.get_metrics_context(), "_metrics", {})
    return str(metrics.get("recompile_reason") or "")


@dataclasses.dataclass
class CompiledSegment:
    """A segment with its function."""

    segment: Segment
    function: Function
    draws: bool  # takes a random key after its inputs


Part = CompiledSegment | Outside


class _Compilation:
    """One graph on its way to parts."""

    def __init__(self, graph: torch.fx.Graph, nodes: list[Node], views: set[Node], options: Options, record: GraphRecord) -> None:
        self._nodes = nodes
        self._views = views
        self._options = options
        self._record = record
        self._folder = options.cache_folder()
        self._device = segments.device_of(graph)
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    def run(self) -> list[Part]:
        try:
            return self._parts()
        finally:
            if self._scratch is not None:
                self._scratch.cleanup()

    def _parts(self) -> list[Part]:
        foreign = {node: reason for node in self._nodes if (reason := self._foreign(node))}
        if not foreign and self._nodes and (self._options.registry is None or self._options.externals):
            try:
                return self._compiled([segments.write_segment(self._nodes, self._views)])
            except CompilerNotFound:  # nothing would compile
                raise
            except (segments.Unwritable, CompilationError) as error:
                logger.debug("graph %d is not one segment: %s", self._record.number, error)
        return self._cut(foreign)

    def _foreign(self, node: Node) -> str:
        if reason := segments.foreign_reason(node, self._device):
            return reason
        return "it draws random numbers, and fallback_random is set" if self._options.fallback_random and partition.draws(node) else ""

    def _cut(self, foreign: dict[Node, str]) -> list[Part]:
        """Outside nodes and segments, in an order in which they can run."""
        while True:
            try:
                verdicts = self._verdicts(foreign)
                break
            except segments.Unwritable as error:  # its node has no form
                if len(error.args) < 2:
                    raise
                foreign[error.args[1]] = error.args[0]
        by_name = {node.name: node for node in self._nodes}
        groups = []
        for part in verdicts["parts"]:
            outside = {entry["node"]: entry for entry in part.get("outside", [])}
            # What computes sizes is in the document alone.
            groups.append(([by_name[name] for name in part.get("nodes", outside) if name in by_name], outside))
        homes = segments.keep_results_together([group for group, _ in groups])
        reasons = {name: entry for _, outside in groups for name, entry in outside.items()}
        parts: list[Segment | Outside] = []
        for group in homes:
            if group[0].name in reasons:
                for node in group:
                    entry = reasons.get(node.name, {"reason": "one result of a node outside"})
                    place = f"{entry['file']}:{entry['line']}" if "file" in entry else ""
                    parts.append(Outside(node, foreign.get(node, entry["reason"]), place))
                continue
            try:
                parts.append(segments.write_segment(group, self._views))
            except segments.Unwritable as error:
                at = error.args[1].name if len(error.args) > 1 else ""
                parts += _refused(group, f"{error.args[0]}{' (' + at + ')' if at else ''}")
        try:
            return self._compiled(parts)
        except CompilerNotFound:
            raise
        except CompilationError as error:
            if sum(isinstance(part, Segment) for part in parts) == 1:
                return [run for part in parts for run in (_refused(part.nodes, str(error)) if isinstance(part, Segment) else [part])]
            return self._compiled(self._without_refused(parts))

    def _without_refused(self, parts: list[Segment | Outside]) -> list[Segment | Outside]:
        """The segments of one artefact stand or fall together: those that are refused alone run outside."""
        kept: list[Segment | Outside] = []
        for part in parts:
            if isinstance(part, Segment):
                try:
                    self._artifact([part])
                except CompilationError as error:
                    kept += _refused(part.nodes, str(error))
                    continue
            kept.append(part)
        return kept

    def _verdicts(self, foreign: dict[Node, str]) -> dict[str, Any]:
        """What `mlgc explain import` says of the whole graph; foreign nodes are written as calls that it does not know."""
        document = segments.write_judged(self._nodes, foreign, self._device)
        path = self._scratch_folder() / "judged.fx.json"
        path.write_text(fx_json.dumped(document), encoding="utf-8")
        registry = ["--registry", str(self._options.registry)] if self._options.registry is not None and not self._options.externals else []
        return driver.run_json(["explain", "import", str(path), "--format=json", *registry])

    def _scratch_folder(self) -> pathlib.Path:
        if self._scratch is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="mlgc-")
        return pathlib.Path(self._scratch.name)

    def _compiled(self, parts: Sequence[Segment | Outside]) -> list[Part]:
        """The same parts with all segments compiled, as functions of one artefact. CompilationError: one is refused."""
        chosen = [part for part in parts if isinstance(part, Segment)]
        if not chosen:
            return [part for part in parts if isinstance(part, Outside)]
        library = self._artifact(chosen).library
        numbers = {id(segment): number for number, segment in enumerate(chosen)}
        return [self._function(part, library, numbers[id(part)]) if isinstance(part, Segment) else part for part in parts]

    def _artifact(self, chosen: Sequence[Segment]) -> Artifact:
        """One with a function for each segment, in order: from the cache, or compiled."""
        key = content_key([segment.document for segment in chosen], self._options, self._device)
        folder = self._folder
        place = (folder or self._scratch_folder()) / key
        found = folder is not None and cache.intact(place)
        if not found:
            self._build([fx_json.dumped(segment.document) for segment in chosen], place)
            if folder is not None:
                cache.trim(folder, place)
        self._record.cached = found
        if "code" in log_topics():
            sources = self._sources([fx_json.dumped(segment.document) for segment in chosen], self._scratch_folder())
            target = ["--target=cuda"] if self._device.kind == "cuda" else []
            code = driver.run(["emit", *sources, *target, "-o", "-", f"--numerics={self._options.numerics}"])
            print(f"mlgc: code: graph {self._record.number}\n{code}", file=sys.stderr)
        if "cache" in log_topics():
            print(f"mlgc: cache: graph {self._record.number}: {'found' if found else 'made'} {key[:12]}", file=sys.stderr)
        return Artifact(place / "model.mlgcx", self._options.externals, self._device)

    def _function(self, segment: Segment, library: abi.Library, number: int) -> CompiledSegment:
        inputs = [_input_layout(node, segment.layouts[node]) for node in segment.inputs]
        self._record.copied += [node.name for node in segment.inputs if segment.layouts[node].order is None]
        added = len(library.signatures[number].inputs) - len(inputs)  # carried sizes, then a key where it draws
        function = Function(library, number, self._options.threads or torch.get_num_threads(), inputs + [InputLayout()] * added,
                            [segment.layouts[node].order or () for node in segment.outputs], log=self._launch_log(),
                            device=self._device)
        return CompiledSegment(segment, function, added > len(segment.carried))

    def _launch_log(self) -> Callable[[abi.Launch], None] | None:
        if "ops" not in log_topics():
            return None
        number = self._record.number

        def log(launch: abi.Launch) -> None:
            time = max(launch.nanoseconds, 1)
            size = f", {launch.bytes} bytes ({launch.bytes / time:.2f} GB/s)" if launch.bytes is not None else ""
            work = f", {launch.flops} FLOP ({launch.flops / time:.2f} GFLOP/s)" if launch.flops is not None else ""
            by = f" by {launch.target}" if launch.target is not None else ""
            print(f"mlgc: ops: graph {number}: {launch.kernel}{by}: {launch.nanoseconds / 1e3:.1f} us{size}{work}; "
                  f"{', '.join(launch.reads)} -> {', '.join(launch.writes)}", file=sys.stderr)

        return log

    @staticmethod
    def _sources(texts: Sequence[str], folder: pathlib.Path) -> list[str]:
        """Files with these texts; their names are those of the functions where there are several."""
        paths = [folder / f"segment_{number}.fx.json" for number in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text, encoding="utf-8")
        return [str(path) for path in paths]

    def _build(self, texts: Sequence[str], place: pathlib.Path) -> None:
        """Appears whole, by a rename."""
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=place.parent) as made:
            driver.run(["compile", *self._sources(texts, pathlib.Path(made)), "-o", str(pathlib.Path(made) / "model.mlgcx"),
                        f"--numerics={self._options.numerics}", *self._device.compile_flags(), *self._options.partition_flags()])
            try:
                os.rename(made, place)
            except OSError:
                if not (place / "model.mlgcx/manifest.json").exists():  # another process was not first
                    shutil.rmtree(place, ignore_errors=True)
                    os.rename(made, place)
            pathlib.Path(made).mkdir(exist_ok=True)  # for TemporaryDirectory to remove


def _refused(nodes: Sequence[Node], reason: str) -> list[Outside]:
    return [Outside(node, f"its segment was refused: {reason}") for node in nodes]


def content_key(documents: Sequence[dict[str, Any]], options: Options, device: devices.Device = devices.CPU) -> str:
    """Of documents as far as code depends on them: no names of nodes, no places, no modules."""
    content: dict[str, Any] = {"graphs": [_content(document) for document in documents], "numerics": options.numerics,
                               "driver": driver.identity(), "flags": device.machine()}
    if options.externals and options.registry is not None:
        content["registry"] = pathlib.Path(options.registry).read_text(encoding="utf-8")
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _content(document: dict[str, Any]) -> dict[str, Any]:
    return {"nodes": _nodes_content(document["nodes"]), "symbols": document["symbols"], "constraints": document["constraints"]}


def _nodes_content(nodes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """With numbers in the place of names; a graph inside has numbers of its own."""
    names: dict[str, int] = {}

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            if set(value) == {"node"}:
                return {"node": names[value["node"]]}
            if set(value) == {"device"}:  # the code for all of a kind is the same
                return {"device": str(value["device"]).partition(":")[0]}
            if set(value) == {"graph"}:
                return {"graph": _nodes_content(value["graph"])}
            return {name: plain(item) for name, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, list) else value

    content = []
    for node in nodes:
        record = {name: plain(node[name]) for name in ("op", "args", "kwargs", "meta")}
        if node["op"] == "call_function":
            record["target"] = node["target"]
        names[node["name"]] = len(names)
        content.append(record)
    return content


class Runner:
    """Runs the parts of a graph in order. Callable with a list of inputs, which it empties."""

    def __init__(self, graph_module: torch.fx.GraphModule, parts: Sequence[Part], views: Sequence[Node]) -> None:
        self._boxed_call = True  # AOTAutograd asks for it; of the object, so that wrappers copy it
        self._graph_module = graph_module
        graph = graph_module.graph
        self._placeholders = [node for node in graph.nodes if node.op == "placeholder"]
        self._attributes = [node for node in graph.nodes if node.op == "get_attr"]
        self._outputs = segments.result_nodes(graph)
        self._views = [_outside_runner(node) for node in views]
        self._parts = [_part_runner(part) for part in parts]
        self._symbols = _SymbolReader(self._placeholders)
        self._drop = self._last_uses(parts, views)

    def _last_uses(self, parts: Sequence[Part], views: Sequence[Node]) -> list[list[Node]]:
        """By part: the values that no later part reads."""
        kept = {node for node in self._outputs if isinstance(node, Node)}
        kept.update(operand for view in views for operand in view.all_input_nodes)
        drop: list[list[Node]] = [[] for _ in parts]
        for number in range(len(parts) - 1, -1, -1):
            part = parts[number]
            read = part.segment.inputs if isinstance(part, CompiledSegment) else part.node.all_input_nodes
            for node in dict.fromkeys(read):
                if node not in kept:
                    kept.add(node)
                    drop[number].append(node)
        return drop

    def __call__(self, args: list[Any]) -> list[Any]:
        values: dict[Node, Any] = dict(zip(self._placeholders, args))
        args.clear()
        for node in self._attributes:
            values[node] = _attribute(self._graph_module, node.target)
        sizes = self._symbols.read(values)
        for part, drop in zip(self._parts, self._drop):
            part(values, sizes)
            for node in drop:
                values.pop(node, None)
        for view in self._views:
            view(values, sizes)
        return [self._result(node, values, sizes) for node in self._outputs]

    @staticmethod
    def _result(node: Any, values: dict[Node, Any], sizes: dict[Any, int]) -> Any:
        if not isinstance(node, Node):
            return node
        return size_value(node, sizes) if node not in values and segments.is_size(node) else values[node]


def _whole_graph_runner(graph: torch.fx.Graph, parts: Sequence[Part],
                        views: Sequence[Node]) -> Callable[[list[Any]], list[Any]] | None:
    """As Runner, of a graph that is one segment whose inputs are the graph's and whose outputs its results: a call and little else.
    None: it is not."""
    if len(parts) != 1 or views or not isinstance(parts[0], CompiledSegment) or "ops" in log_topics():
        return None
    segment, function, call = parts[0].segment, parts[0].function, parts[0].function.call
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    results = segments.result_nodes(graph)
    if parts[0].draws or segment.carried or not set(segment.inputs) <= set(placeholders) or results != segment.outputs:
        return None
    positions = [placeholders.index(node) for node in segment.inputs]
    if positions == list(range(len(placeholders))):
        def run(args: list[Any]) -> list[Any]:
            results = call(args)
            args.clear()
            return results
    else:
        def run(args: list[Any]) -> list[Any]:
            given = [args[i] for i in positions]
            args.clear()
            return call(given)
    run._boxed_call = True  # type: ignore[attr-defined]
    run._function = function  # type: ignore[attr-defined]  # for synchronize(), which finds those that are alive
    return run


class _SymbolReader:
    """The values of symbolic sizes in a call."""

    def __init__(self, placeholders: Sequence[Node]) -> None:
        self._of_number: list[tuple[Any, Node]] = []
        self._of_tensor: list[tuple[Any, Node, int]] = []
        known = set()
        for node in placeholders:
            value = segments.value_of(node)
            if isinstance(value, torch.SymInt):
                expr = segments.expression(value)
                if expr.is_Symbol and expr not in known:
                    known.add(expr)
                    self._of_number.append((expr, node))
        for node in placeholders:
            value = segments.value_of(node)
            for axis, size in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
                expr = segments.expression(size)
                if expr.is_Symbol and expr not in known:
                    known.add(expr)
                    self._of_tensor.append((expr, node, axis))

    def read(self, values: dict[Node, Any]) -> dict[Any, int]:
        """By symbol, of the inputs of a call."""
        sizes = {symbol: int(values[node]) for symbol, node in self._of_number}
        for symbol, node, axis in self._of_tensor:
            sizes[symbol] = values[node].shape[axis]
        return sizes


def size_value(node: Node, sizes: dict[Any, int]) -> int | float:
    """What a node that computes a size gives, for these sizes."""
    value = segments.value_of(node)
    number = segments.expression(value).xreplace(sizes)
    return float(number) if isinstance(value, (torch.SymFloat, float)) else int(number)


def _attribute(root: Any, path: str) -> Any:
    for name in path.split("."):
        root = getattr(root, name)
    return root


def _part_runner(part: Part) -> Callable[[dict[Node, Any], dict[Any, int]], None]:
    return _segment_runner(part) if isinstance(part, CompiledSegment) else _outside_runner(part.node)


def _outside_runner(node: Node) -> Callable[[dict[Node, Any], dict[Any, int]], None]:
    def run(values: dict[Node, Any], sizes: dict[Any, int]) -> None:
        def look_up(operand: Node) -> Any:
            return values[operand] if operand in values else size_value(operand, sizes)

        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), look_up)
        if isinstance(node.target, str):  # a method
            values[node] = getattr(args[0], node.target)(*args[1:], **kwargs)
        else:
            values[node] = node.target(*args, **kwargs)

    return run


def _input_layout(node: Node, layout: segments.Layout) -> InputLayout:
    value = segments.value_of(node)
    strides = value.stride()
    known = all(isinstance(number, int) for number in (*value.shape, *strides))
    return InputLayout(None if layout.row_major else layout.order, strides if known else None, value.is_neg())


def _segment_runner(part: CompiledSegment) -> Callable[[dict[Node, Any], dict[Any, int]], None]:
    segment, call, draws = part.segment, part.function.call, part.draws
    names = [value.name for value in part.function.signature.inputs]
    shown = "ops" in log_topics()

    def run(values: dict[Node, Any], sizes: dict[Any, int]) -> None:
        given = [values[node] for node in segment.inputs]
        given += [torch.empty((sizes[symbol], 0), dtype=torch.bool) for symbol in segment.carried]
        if draws:
            given.append(random_key(part.function.device))
        if shown:
            print("mlgc: ops: " + ", ".join(f"{name}: {[*tensor.shape]}" for name, tensor in zip(names, given)), file=sys.stderr)
        values.update(zip(segment.outputs, call(given)))

    return run


def _print_graph(graph_module: torch.fx.GraphModule, record: GraphRecord) -> None:
    print(f"mlgc: graph {record.number} ({record.kind}), {record.nodes} nodes", file=sys.stderr)
    rows = [["opcode", "name", "target", "args", "kwargs"]]
    rows += [[node.op, node.name, str(node.target), str(node.args), str(node.kwargs)] for node in graph_module.graph.nodes]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip(), file=sys.stderr)
    print(graph_module.code.strip(), file=sys.stderr)


def _report(record: GraphRecord, options: Options, topics: frozenset[str]) -> None:
    if record.recompiled:
        logger.info("graph %d is a recompilation: %s", record.number, record.recompiled)
    if "partition" in topics:
        if record.recompiled:
            print(f"mlgc: graph {record.number} is a recompilation: {record.recompiled}", file=sys.stderr)
        print(f"mlgc: graph {record.number} ({record.kind}): {len(record.segments)} segments of {record.segments} nodes, "
              f"{len(record.outside)} outside", file=sys.stderr)
        for text in record.specialised:
            print(f"  {text}", file=sys.stderr)
        for name in record.copied:
            print(f"  {name}  is copied in each call: its memory has gaps or overlaps", file=sys.stderr)
        for entry in record.outside:
            print(f"  {entry['node']}  {entry['target']}  {entry['place']}  {entry['reason']}", file=sys.stderr)
    if options.report is not None:
        text = json.dumps({"version": 1, "graphs": [dataclasses.asdict(entry) for entry in _ledger]}, indent=1)
        target = pathlib.Path(options.report)
        with tempfile.NamedTemporaryFile("w", dir=target.parent or ".", delete=False, encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(file.name, target)
    if not record.outside or options.fallback == "allow":
        return
    listed = "; ".join(f"{entry['target']}{' at ' + entry['place'] if entry['place'] else ''}: {entry['reason']}"
                       for entry in record.outside[:8])
    more = f"; and {len(record.outside) - 8} more" if len(record.outside) > 8 else ""
    message = f"{len(record.outside)} of {record.nodes} nodes of the {record.kind} graph run in PyTorch: {listed}{more}"
    if options.fallback == "error":
        raise FallbackRefused(message + '; options={"fallback": "allow"} lets them')
    logger.warning(message)
