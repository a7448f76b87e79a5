"""Models as programs: compiled whole, called, shown at each level, explained, measured, differentiated, saved and loaded.

    program = mlgc.compile(model, (x,))
    program(x), program.text("loops"), program.explain("fusion"), program.benchmark(), program.save("model.mlgcx")

Unlike torch.compile, which compiles what a call captures and leaves the rest to Python, a program is one graph of torch.export
with its weights: it runs where there is no PyTorch, too.
"""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import tempfile
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from mlgc import abi, devices, driver, exporting
from mlgc.artifact import Artifact, Function, States, random_key
from mlgc.errors import UsageError
from mlgc.externals import External, partition_flag, require_external
from mlgc.inspecting import Folder, Inspectable
from mlgc.reports import Benchmark
from mlgc.settings import NUMERICS

_STRUCTURE = "python.json"  # in an artefact, beside what the driver wrote


class Program(Inspectable):
    """A compiled function of tensors. Made by compile(), load(), grad() and training_step().

    Calls take tensors of the device that it was made for and return new ones, of a GPU in the order of PyTorch's current stream; a call does not record gradients (grad() compiles those). Any thread may
    call; a program with states, such as a training step, is called by one thread at a time, and others wait.
    """

    def __init__(self, artifact: Artifact, function: str | None, structure: exporting.Structure | None, threads: int | None,
                 source: pathlib.Path | None = None, flags: Sequence[str] = (),
                 folder: Folder | None = None) -> None:
        number = artifact.number_of(function) if function is not None else 0
        self._artifact = artifact
        self._structure = structure
        self._source = source
        self._threads = threads
        self._flags = list(flags)
        self._folder = folder  # lives as long as this
        self._function = Function(artifact.library, number, threads or torch.get_num_threads(), checked=True, device=artifact.device)
        self._call = self._function.call
        self._lock = threading.Lock() if self._function.states is not None else None
        count = len(self._function.signature.inputs)
        taken = count if structure is None else structure.taken.count(None)
        self._draws = count == taken + 1  # a random key behind the others
        self._positional = taken if structure is None else structure.positional

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles hold the artefact, the program's text and the values of its states; a copy has states of its own.
        Unpickling loads machine code: take pickles from people whom you trust, as ever."""
        parent = self._folder.path if self._folder is not None else self._artifact.path.parent
        files = Folder.packed(parent if self._folder is not None else self._artifact.path, parent)
        states = self._function.states.state_dict() if self._function.states is not None else None
        device = str(self._artifact.device.torch_device())
        return _unpacked, (files, str(self._artifact.path.relative_to(parent)), self.signature.name,
                           self._structure.dumped() if self._structure is not None else None, self._threads,
                           str(self._source.relative_to(parent)) if self._source is not None else None, self._flags, states,
                           self._artifact.externals, device)

    @property
    def signature(self) -> abi.Signature:
        """What the function takes and gives, as types of the text form."""
        return self._function.signature

    @property
    def states(self) -> States:
        """What it keeps between calls. UsageError: nothing."""
        if self._function.states is None:
            raise UsageError(f"{self!r} has no states")
        return self._function.states

    def __repr__(self) -> str:
        inputs = ", ".join(f"{value.name}: {value.type()}" for value in self.signature.inputs)
        outputs = ", ".join(f"{value.name}: {value.type()}" for value in self.signature.outputs)
        return f"mlgc.Program {self.signature.name}({inputs}) -> ({outputs})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result, with the structure that the model returns (a loaded program without one: a tensor, or a tuple).

        UsageError: arguments of another structure, dtype or device, or one that requires a gradient. ExecutionError: sizes that
        the program does not take, or values that it refuses.
        """
        if len(args) == self._positional and not kwargs:
            given = list(args)
        elif self._structure is not None:
            given = self._structure.tensors(args, kwargs)
        else:
            raise UsageError(f"{self!r} is called with {len(args)} arguments{' and keywords' if kwargs else ''}")
        if torch.is_grad_enabled():
            for tensor in given:
                if getattr(tensor, "requires_grad", False):
                    raise UsageError("an argument requires a gradient, and a program records none: call it under torch.no_grad(), "
                                     "or compile the gradient with mlgc.grad()")
        if self._draws:
            given.append(random_key(self._artifact.device))
        if self._lock is None:
            results = self._call(given)
        else:
            with self._lock:
                results = self._call(given)
        if self._structure is not None:
            return self._structure.result(results)
        return results[0] if len(results) == 1 else tuple(results)

    def save(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Writes the artefact to a folder, which it replaces where that is an older model; `mlgc run` and C programs take it too.

        UsageError: something else is there."""
        target = pathlib.Path(path)
        if target.exists() and not (target / "manifest.json").exists():
            raise UsageError(f"{target} exists and is no compiled model")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=target.parent) as made:
            whole = pathlib.Path(made) / "model"
            shutil.copytree(self._artifact.path, whole)
            if self._structure is not None:
                (whole / _STRUCTURE).write_text(self._structure.dumped(), encoding="utf-8")
            if target.exists():
                os.rename(target, pathlib.Path(made) / "old")
            os.rename(whole, target)
        return target

    def benchmark(self, against: Sequence[str] = ("eager",), sizes: dict[str, int | Sequence[int]] | None = None,
                  threads: int | Sequence[int] = 1, seconds: float = 0.3) -> Benchmark:
        """Times a call compiled, and in other systems (backends of `mlgc bench`: "eager", "inductor", "onnxruntime", …).

        sizes: of symbols, by name, one measurement for each; threads likewise. seconds: that each is timed for."""
        def listed(value: int | Sequence[int]) -> str:
            return ",".join(map(str, value if isinstance(value, Sequence) else [value]))

        dims = [f"--dim={name}={listed(value)}" for name, value in (sizes or {}).items()]
        missing = [name for name in self.signature.symbols if name not in (sizes or {})]
        if missing:
            raise UsageError(f"give sizes of {', '.join(missing)}: benchmark(sizes={{{missing[0]!r}: 8}})")
        device = self._artifact.device
        own, where = ("cpp", []) if device.kind == "cpu" else ("cuda", [f"--device={device}"])
        return Benchmark(driver.run_json(["bench", str(self._model()), f"--backends={','.join([own, *against])}", *where, f"--threads={listed(threads)}",
                                          f"--min-time={seconds}", "--format=json", *dims, *self._flags]))

    def _model(self) -> pathlib.Path:
        if self._source is None:
            raise UsageError(f"{self._artifact.path} holds compiled code alone; mlgc.compile() the model for its texts and measurements")
        return self._source


def _unpacked(files: dict[str, bytes], artifact: str, function: str, structure: str | None, threads: int | None, source: str | None,
              flags: list[str], states: dict[str, torch.Tensor] | None, externals: dict[str, External], device: str) -> Program:
    """What Program.__reduce__() packed."""
    folder = Folder.of_files(files)
    made = Program(Artifact(folder.path / artifact, externals, devices.named(device)), function,
                   exporting.Structure.loaded(structure) if structure is not None else None, threads,
                   folder.path / source if source is not None else None, flags, folder)
    if states is not None:
        made.states.load_state_dict(states)
    return made


def _numerics_flag(numerics: str) -> str:
    if numerics not in NUMERICS:
        raise UsageError(f"numerics is {numerics!r}; it can be {', '.join(map(repr, NUMERICS))}")
    return f"--numerics={numerics}"


def _exported(model: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any] | None,
              dynamic: Any) -> tuple[Folder, pathlib.Path, torch.export.ExportedProgram, exporting.Structure]:
    if isinstance(args, torch.Tensor):
        raise UsageError("example_inputs is a tensor; give a tuple of arguments: (x,)")
    folder = Folder()
    path = folder.path / "model.pt2"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"`isinstance\(treespec, LeafSpec\)` is deprecated")  # torch.export's own use of it
        program, structure = exporting.export(model, args, kwargs or {}, dynamic)
        torch.export.save(program, path)
    return folder, path, program, structure


def _compiled(source: pathlib.Path, flags: Sequence[str], device: devices.Device, externals: Mapping[str, Any] | None = None) -> Artifact:
    folder = source.with_suffix(".mlgcx")
    driver.run(["compile", str(source), "-o", str(folder), *device.compile_flags(), *flags])
    return Artifact(folder, externals, device)


def compile(model: Callable[..., Any], example_inputs: Sequence[Any], example_kwargs: dict[str, Any] | None = None, *,
            dynamic: Any = None, numerics: str = "like-eager", threads: int | None = None,
            registry: str | os.PathLike[str] | None = None, externals: Mapping[str, External] | None = None,
            device: str | torch.device | None = None) -> Program:
    """Compiles a module, or a function of tensors, whole.

    example_inputs, example_kwargs: arguments that it is traced with; what is not a tensor becomes a constant.
    dynamic: True lets every size vary that can; else `dynamic_shapes` of torch.export.export(). Without it sizes are those of
        the example.
    numerics: as of `mlgc compile`. threads: of a call; default torch.get_num_threads().
    registry: a registry file (docs/partition.md): its target, one of `externals` (as of load()), computes what it supports.
    device: what it runs on, "cpu", "cuda" (the current GPU) or "cuda:1"; without it that of the example and the model.

    Whatever torch.export raises where the model is not one graph (mlgc.breaks() says why). CompilationError: the driver refused.
    """
    chosen = _device_of(device, model, example_inputs, example_kwargs)
    folder, path, _, structure = _exported(model, example_inputs, example_kwargs, dynamic)
    flags = [_numerics_flag(numerics)]
    parted: list[str] = []
    if registry is not None:
        require_external(registry, externals or {})
        parted = ["-O2", partition_flag(registry)]
    return Program(_compiled(path, [*flags, *parted], chosen, externals), None, structure, threads, path, flags, folder)


def _device_of(given: str | torch.device | None, model: Any, args: Sequence[Any], kwargs: dict[str, Any] | None) -> devices.Device:
    """What is given; else where the example lies, or the model. UsageError: there is no such device."""
    if given is not None:
        return devices.named(given)
    weights = model.parameters() if isinstance(model, torch.nn.Module) else ()
    found = devices.of_tensors([*pytree.tree_leaves((tuple(args), kwargs)), *weights])
    if found.kind != "cpu":
        devices.require_cuda()
    return found


def of_source(source: pathlib.Path, function: str, numerics: str, threads: int | None, folder: Folder,
              device: str | torch.device | None = None) -> Program:
    """A function of a text that lies in `folder`, which lives as long as the program. CompilationError: the driver refused."""
    flags = [_numerics_flag(numerics)]
    return Program(_compiled(source, flags, devices.named(device)), function, None, threads, source, flags, folder)


def load(path: str | os.PathLike[str], *, function: str | None = None, threads: int | None = None,
         externals: Mapping[str, External] | None = None, device: str | torch.device | None = None) -> Program:
    """A compiled model, a folder or a single file, by Program.save() or `mlgc compile`. Loading it runs machine code: take
    models from people whom you trust.

    function: which; without it the only one, `forward` or `main`. UsageError, CompilationError: it is none, is damaged, or is for
    another machine; the message names the file and the field.
    externals: what computes the segments of a partitioned model, by target: a shared object (docs/running.md), or a function that is
        given an mlgc.Segment once, and gives a function of an mlgc.ExternalCall. ExecutionError: one is missing, or refuses a segment.
    device: which GPU a model of GPUs runs on; without it the current one.
    """
    driver.run(["run", str(path), "--list"])  # checks format, version, processor, files and hashes
    artifact = Artifact(path, externals, devices.named(device) if device is not None else None)
    names = [signature.name for signature in artifact.library.signatures]
    chosen = function or (names[0] if len(names) == 1 else next((name for name in ("forward", "main") if name in names), None))
    if chosen is None:
        raise UsageError(f"{path} has several functions: function= one of {', '.join(names)}")
    text = artifact.extra(_STRUCTURE)
    return Program(artifact, chosen, exporting.Structure.loaded(text) if text is not None else None, threads)


def grad(function: Callable[..., Any], example_inputs: Sequence[Any], example_kwargs: dict[str, Any] | None = None, *,
         wrt: Sequence[str] | None = None, dynamic: Any = None, numerics: str = "like-eager", threads: int | None = None,
         device: str | torch.device | None = None) -> Program:
    """Compiles a module or function together with its gradient. A call returns (result, gradients by name).

    The first result is differentiated: a scalar of floats. wrt: names of inputs and of parameters; without it all of floats. Others as of
    compile().
    """
    def flags(program: torch.export.ExportedProgram) -> list[str]:
        return [f"--of={program.graph_signature.user_outputs[0]}", *(["--wrt=" + ",".join(_value_names(program, wrt))] if wrt else [])]

    return compile_derived(function, example_inputs, example_kwargs, flags, dynamic, numerics, threads, device)


def _value_names(program: torch.export.ExportedProgram, names: Sequence[str]) -> list[str]:
    """Inputs by name, weights as @name."""
    signature = program.graph_signature
    weights = {*signature.inputs_to_parameters.values(), *signature.inputs_to_buffers.values()}
    for name in names:
        if name not in weights and name not in signature.user_inputs:
            raise UsageError(f"there is no input and no weight {name!r}; inputs are {', '.join(map(str, signature.user_inputs))}, weights "
                             f"{', '.join(sorted(weights)) or 'none'}")
    return ["@" + name if name in weights else name for name in names]


def compile_derived(model: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any] | None,
                    flags: Callable[[torch.export.ExportedProgram], list[str]], dynamic: Any, numerics: str,
                    threads: int | None, device: str | torch.device | None) -> Program:
    """Compiles what `mlgc grad FLAGS` makes of a model. Results beyond the model's own are gradients."""
    on = _device_of(device, model, args, kwargs)
    folder, path, program, structure = _exported(model, args, kwargs, dynamic)
    source = path.with_name("derived.mlir")
    driver.run(["grad", str(path), "-o", str(source), *flags(program)])
    chosen = [_numerics_flag(numerics)]
    artifact = _compiled(source, chosen, on)
    added = artifact.library.signatures[0].outputs[structure.given.count(None):]
    structure = dataclasses.replace(structure, gradients=tuple(value.name.removeprefix("d_") for value in added))
    return Program(artifact, None, structure, threads, source, chosen, folder)
