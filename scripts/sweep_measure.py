"""One workload of scripts/sweep: exported, compiled, judged, and timed beside other systems."""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
import subprocess
import time
import zipfile
from typing import Any

import numpy
import torch
from torch.utils import _pytree as pytree

import exporting
import sweep_roof
from agreement import array_of, differences, worst_of_neighbours
from mlgc.measuring import ratio, rounds, summary
from sweep_peers import Lost, Peer, ending, run
from sweep_workload import Workload

BLOCK_SECONDS = 0.002
SLOW = 0.5  # of the best peer's speed: measured again, alone
AGAIN = 3
TUNE_SECONDS = 0.2  # for each version of a model


def identity(path: str | os.PathLike[str]) -> str:
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:16]


def short(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__


def errors_of(text: str) -> str:
    lines = text.strip().splitlines()
    return next((line for line in lines if "error" in line), lines[0] if lines else "")[:300]


def nests_of(kernel: dict[str, Any]) -> list[dict[str, Any]]:
    """For each innermost loop the strategies around it; where none applied, why the first one did not."""
    reasons = {}
    for decision in kernel["decisions"]:
        for other in decision["others"]:
            if not other["matches"]:
                reasons.setdefault(decision["loop"], f"{other['strategy']}: {other['reason']}")
    found, path = [], []
    loops = kernel["loops"]
    for number, loop in enumerate(loops):
        path = [*path[:loop["depth"]], loop]
        if number + 1 < len(loops) and loops[number + 1]["depth"] > loop["depth"]:
            continue
        nest: dict[str, Any] = {"loop": loop["loop"], "strategies": list(dict.fromkeys(one["strategy"] for one in path if "strategy" in one))}
        if not nest["strategies"]:
            nest["reason"] = next((reasons[one["loop"]] for one in reversed(path) if one["loop"] in reasons), "")
        found.append(nest)
    return found


def decisions_of(mlgc: str, model: pathlib.Path, dims: dict[str, int], limit: float) -> list[dict[str, Any]]:
    """What the schedule made of each kernel, and the seconds that it predicts; [] where it cannot be said."""
    command = [mlgc, "explain", "schedule", str(model), "--format=json", *(f"--dim={name}={size}" for name, size in dims.items())]
    try:
        code, out, _ = run(command, limit)
    except subprocess.TimeoutExpired:
        return []
    if code != 0:
        return []
    return [{"kernel": kernel["function"], "seconds": kernel["seconds"], "bound": kernel["bound"], "nests": nests_of(kernel),
             "undone": [step.get("step", "") for step in kernel["undone"]]} for kernel in json.loads(out)["kernels"]]


def tuned(mlgc: str, prepared: Prepared, threads: int, limit: float) -> dict[str, Any]:
    """Seconds of all kernels in a call by default, and with the best candidate that was measured for each."""
    decisions = prepared.folder / f"decisions.{threads}.json"
    command = [mlgc, "tune", str(prepared.model), f"--input=@{prepared.folder / 'inputs.npz'}", f"--threads={threads}",
               f"--min-time={TUNE_SECONDS}", "-o", str(decisions)]
    try:
        code, _, err = run(command, limit)
    except subprocess.TimeoutExpired:
        return {"failed": f"not tuned in {limit:g} s"}
    if code != 0:
        return {"failed": f"{ending(code)}: {errors_of(err)}"}
    found: dict[str, Any] = {"default": 0.0, "best": 0.0, "kernels": []}
    for kernel in json.loads(decisions.read_text(encoding="utf-8"))["kernels"]:
        if "default" not in kernel["seconds"]:
            continue  # it was not launched
        best = min(kernel["seconds"], key=kernel["seconds"].get)
        found["default"] += kernel["seconds"]["default"]
        found["best"] += kernel["seconds"][best]
        if best != "default":
            found["kernels"].append({"kernel": kernel["kernel"], "best": best, "default": kernel["seconds"]["default"],
                                     "seconds": kernel["seconds"][best]})
    return found


class Prepared:
    """What a workload needs on disk and to be judged, made once for all numbers of threads. Its failures are reasons in `failed`."""

    def __init__(self, workload: Workload, compilers: dict[str, str], folder: pathlib.Path, limit: float):
        self.folder, self.failed, self.requests = folder, {}, {}
        self.compile: dict[str, float] = {}
        self.dims: dict[str, int] = {}  # sizes of the symbols
        self.model, self.level = folder / "model.pt2", workload.level
        self.operations = self.bytes = None
        self.element = 8 if workload.dtype == "i64" else 4
        try:
            model, inputs, shapes = workload.build()
            self.inputs, self.example = inputs, exporting.Example(model, inputs, shapes=shapes)
            self.program = exporting.export(self.example, self.level)
            self.eager, self.exact = self.computed(self.example)
            if workload.case.roof:
                self.operations, self.bytes = sweep_roof.count(self.example, self.level)
            torch.export.save(self.program, self.model)
        except Exception as error:  # whatever PyTorch throws
            self.failed["export"] = short(error)
            return
        names = [name for name in self.program.graph_signature.user_inputs if isinstance(name, str)]
        given = {name: array_of(x) for name, x in zip(names, inputs, strict=True)}
        numpy.savez(folder / "inputs.npz", **given)
        for name, mlgc in compilers.items():
            try:
                self.compiled(name, mlgc, limit)
            except subprocess.TimeoutExpired:
                self.failed[name] = f"not compiled in {limit:g} s"
            except RuntimeError as error:
                self.failed[name] = str(error)

    def compiled(self, name: str, mlgc: str, limit: float) -> None:
        artifact, start = self.folder / f"{name}.mlgcx", time.perf_counter()
        code, _, err = run([mlgc, "compile", str(self.model), "-o", str(artifact), "--vector-bytes=native"], limit,
                           env=dict(os.environ, MLGC_CACHE="off"))
        if code != 0:
            raise RuntimeError(f"{ending(code)}: {errors_of(err)}")
        self.compile[name] = time.perf_counter() - start
        manifest = json.loads((artifact / "manifest.json").read_text(encoding="utf-8"))
        function = manifest["functions"][0]
        self.requests[name] = {"artifact": str(artifact), "symbol": manifest["unit"], "function": function["name"],
                               "outputs": sum("updates" not in one for one in function["outputs"])}
        for entry, x in zip(function["inputs"], self.inputs):
            self.dims |= {dim: size for dim, size in zip(entry["dims"], x.shape) if dim.isidentifier()}

    def computed(self, example: exporting.Example) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Eager's results and those of f64, in the order of the graph."""
        (own, _), exact = exporting.eager_and_exact(example, self.level)
        eager = exporting.graph_results(self.program, self.level, own)
        if exact is None:
            return eager, [value.double() if value.is_floating_point() else value for value in eager]
        return eager, exporting.graph_results(self.program, self.level, exact[0])

    def neighbours(self) -> list[torch.Tensor]:
        """Eager's results as wrong as they are on any of some inputs within an ulp."""
        def compute(near):
            return self.computed(exporting.Example(self.example.model, pytree.tree_map_only(torch.Tensor, near, self.example.args)))

        return worst_of_neighbours(compute, self.eager, self.exact)


def values_of(path: pathlib.Path, eager: list[torch.Tensor]) -> list[numpy.ndarray]:
    """A system's results in eager's types. ValueError: they have others, or other shapes."""
    with numpy.load(path) as file:
        found = [file[f"result{number}"] for number in range(len(file.files))]
    if len(found) != len(eager):
        raise ValueError(f"{len(found)} results, and eager has {len(eager)}")
    for number, (value, wanted) in enumerate(zip(found, eager)):
        if wanted.dtype == torch.bfloat16 and value.dtype == numpy.float32:
            found[number] = value = array_of(torch.from_numpy(value).bfloat16())
        like = array_of(wanted)
        if value.shape != like.shape:
            raise ValueError(f"result {number} has shape {list(value.shape)}, eager's {list(like.shape)}")
        if value.dtype != like.dtype:
            if value.dtype.kind not in "iu" or like.dtype.kind not in "iu":
                raise ValueError(f"result {number} is {value.dtype}, eager's {like.dtype}")
            found[number] = value.astype(like.dtype)  # narrower indices
    return found


def judged(mlgc: str, prepared: Prepared, results: dict[str, list[numpy.ndarray]]) -> dict[str, str]:
    """Verdicts of the systems that do not agree."""
    def verdicts(systems: list[str], eager: list[torch.Tensor]) -> dict[str, str]:
        values = [value for name in systems for value in results[name]]
        exact, own = ([array_of(x) for x in tensors] * len(systems) for tensors in (prepared.exact, eager))
        each = len(prepared.eager)
        found: dict[str, str] = {}
        for number, verdict in sorted(differences(mlgc, values, exact, own).items()):
            found.setdefault(systems[number // each], verdict)
        return found

    found = verdicts(list(results), prepared.eager)
    if found:  # what eager's error is on these very inputs is a matter of luck
        found = verdicts(list(found), prepared.neighbours())
    return found


def timed(peers: list[Peer], seconds: float, failed: dict[str, str], needed: set[str]) -> dict[str, list[Any]]:
    """Blocks by name; a peer that is lost drops out, and rounds begin again. Lost: one of `needed` is."""
    left = list(peers)
    while left:
        try:
            found = rounds(left, seconds, BLOCK_SECONDS)
            return {peer.name: blocks for peer, blocks in zip(left, found)}
        except Lost as lost:
            failed[lost.system] = lost.reason
            if lost.system in needed:
                raise
            left = [peer for peer in left if peer.name != lost.system]
    return {}


def speed_of(blocks: dict[str, list[Any]], own: str, peers: list[str]) -> dict[str, Any] | None:
    """The best peer's time over that of `own`."""
    if own not in blocks or not peers:
        return None
    best = min(peers, key=lambda name: summary(blocks[name])["median"])
    return {"peer": best, **{key: value for key, value in ratio(blocks[best], blocks[own]).items() if key in ("median", "low", "high", "rounds")}}


def measure(workload: Workload, prepared: Prepared, threads: int, compilers: dict[str, str], peers: dict[str, Peer], seconds: float,
            limit: float) -> dict[str, Any]:
    """A row. `compilers` are paths of mlgc by name, the first of which judges; `peers` the others and these, by name."""
    first = next(iter(compilers))
    row: dict[str, Any] = {"family": workload.family, "seed": workload.seed, "words": workload.words, "threads": threads,
                           "dtype": workload.dtype, "element": prepared.element, "operations": prepared.operations,
                           "bytes": prepared.bytes, "compile": dict(prepared.compile), "failed": dict(prepared.failed), "differs": {},
                           "seconds": {}, "speed": {}, "eager": {}, "again": {}}
    if "export" in prepared.failed:
        return row
    ready, results, asked = [], {}, []
    for name, peer in peers.items():
        if name in prepared.failed:
            continue
        try:
            peer.send(do="prepare", model=str(prepared.model), inputs=str(prepared.folder / "inputs.npz"),
                      results=str(prepared.folder / f"{name}.{threads}.npz"), **prepared.requests.get(name, {}))
            asked.append(peer)
        except Lost as lost:
            row["failed"][name] = lost.reason
    for peer in asked:  # they prepare at the same time
        try:
            peer.receive()
            results[peer.name] = values_of(prepared.folder / f"{peer.name}.{threads}.npz", prepared.eager)
            ready.append(peer)
        except Lost as lost:
            row["failed"][peer.name] = lost.reason
        except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
            row["differs"][peer.name] = str(error)
    if results:
        try:
            row["differs"] |= judged(compilers[first], prepared, results)
        except RuntimeError as error:
            row["failed"][first] = f"cannot judge: {short(error)}"
    blocks = timed(ready, seconds, row["failed"], set())
    row["seconds"] = {name: summary(found)["median"] for name, found in blocks.items()}
    good = [name for name in blocks if name not in compilers and name not in row["differs"]]
    for name in compilers:
        if name in row["differs"]:
            continue
        if (speed := speed_of(blocks, name, good)) is None:
            continue
        row["speed"][name] = speed
        if "eager" in blocks:
            row["eager"][name] = ratio(blocks["eager"], blocks[name])["median"]
    if row["speed"].get(first, {}).get("median", 1) < SLOW:
        pair = [peer for peer in ready if peer.name in blocks and peer.name in (*compilers, row["speed"][first]["peer"])]
        again: dict[str, list[dict[str, Any]]] = {}
        try:
            for _ in range(AGAIN):
                found = timed(pair, seconds, row["failed"], {peer.name for peer in pair})
                for name in row["speed"]:
                    again.setdefault(name, []).append(speed_of(found, name, [row["speed"][first]["peer"]]))
            row["again"] = {name: [one["median"] for one in values] for name, values in again.items()}
            for name, values in again.items():
                row["speed"][name] = sorted(values, key=lambda one: one["median"])[AGAIN // 2]
        except Lost:
            pass  # the reason is in the row; what was measured before counts
    row["decisions"] = decisions_of(compilers[first], prepared.model, prepared.dims, limit)
    return row
