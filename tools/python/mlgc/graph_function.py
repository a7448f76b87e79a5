"""Functions of graphs in the text form: written, checked by the driver, evaluated, differentiated, compiled."""
from __future__ import annotations

import dataclasses
import functools
import json
import linecache
import pathlib
import re
import subprocess
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mlgc import driver, op_table
from mlgc.errors import CompilationError, UsageError
from mlgc.inspecting import Folder, Inspectable
from mlgc.reports import Report

if TYPE_CHECKING:
    from mlgc.program import Program

BACKENDS = ("interp", "cpp", "torch")
LONG_CONSTANT = 64  # constants of more elements are written as bytes


@dataclasses.dataclass(frozen=True)
class Place:
    """In Python; lines and columns from 1."""

    file: str
    line: int
    column: int

    def text(self) -> str:
        return f"loc({op_table.string_text(self.file)}:{self.line}:{self.column})"


class GraphError(CompilationError):
    """The driver refuses a graph. `place` is the line of Python at fault, None where there is none."""

    def __init__(self, message: str, code: int, diagnostics: str, place: Place | None) -> None:
        super().__init__(message, code, diagnostics)
        self.place = place


def refusal(arguments: list[str]) -> str:
    """What the driver says to words that it refuses."""
    done = subprocess.run([str(driver.find()), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.stderr.strip().removeprefix("mlgc: error: ").replace("\nmlgc: note: ", "; ")


# --- what is written


@dataclasses.dataclass(frozen=True)
class Input:
    """An argument; `type` as the text form writes it."""

    name: str
    type: str
    place: Place


@dataclasses.dataclass(frozen=True)
class Step:
    """An op: names of its results and operands without %, attributes as texts, types where they are stated."""

    results: list[str]
    op: str
    operands: list[str]
    attributes: dict[str, str]
    types: list[str]
    place: Place

    def text(self) -> str:
        operands = "".join(f" %{name}" if number == 0 else f", %{name}" for number, name in enumerate(self.operands))
        attributes = ", ".join(f"{name} = {value}" for name, value in self.attributes.items())
        stated = f" : {', '.join(self.types)}" if self.types else ""
        return (f"{', '.join(f'%{name}' for name in self.results)} = {self.op}{operands}{f' {{{attributes}}}' if attributes else ''}{stated} "
                f"{self.place.text()}")


@dataclasses.dataclass
class Source:
    """A function, an item a line, so that a line of its text is an item."""

    name: str
    where: list[str]
    inputs: list[Input] = dataclasses.field(default_factory=list)
    steps: list[Step] = dataclasses.field(default_factory=list)
    returned: list[str] = dataclasses.field(default_factory=list)
    result_names: list[str] = dataclasses.field(default_factory=list)
    place: Place | None = None

    def returning(self, values: list[str], names: list[str], place: Place) -> Source:
        """A copy that ends here, with the steps that these values need and all inputs."""
        needed, kept = set(values), []
        for step in reversed(self.steps):
            if needed.intersection(step.results):
                needed.update(step.operands)
                kept.append(step)
        return dataclasses.replace(self, inputs=[*self.inputs], steps=kept[::-1], returned=values, result_names=names, place=place)

    def lines(self) -> list[tuple[str, Place | None]]:
        """Of the text, each with where it comes from."""
        assert self.place is not None
        made: list[tuple[str, Place | None]] = [(f"func @{self.name}(", self.place)]
        made += [(f"  %{value.name}: {value.type}{',' if value is not self.inputs[-1] else ''}", value.place) for value in self.inputs]
        where = f" where {', '.join(self.where)}" if self.where else ""
        named = any(name != value for name, value in zip(self.result_names, self.returned))  # else they are called as the values
        names = f" attributes {{result_names = [{', '.join(map(op_table.string_text, self.result_names))}]}}" if named else ""
        made.append((f"){where}{names} {{", self.place))
        made += [(f"  {step.text()}", step.place) for step in self.steps]
        returned = "".join(f" %{name}" if number == 0 else f", %{name}" for number, name in enumerate(self.returned))
        return [*made, (f"  return{returned} {self.place.text()}", self.place), (f"}} {self.place.text()}", self.place)]

    def checked(self) -> str:
        """The text as the driver prints it, with types and places. GraphError."""
        lines = self.lines()
        text = "".join(f"{line}\n" for line, _ in lines)
        done = subprocess.run([str(driver.find()), "opt", "-", "--locations", "--diagnostics=json"], input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise _graph_error(done, [place for _, place in lines])
        return done.stdout

    def types_by_name(self, text: str) -> dict[str, str]:
        """Of the results of all steps, from what checked() gives."""
        found = types_in(text)
        return {name: kind for step, kinds in zip(self.steps, found, strict=True) for name, kind in zip(step.results, kinds, strict=True)}


def _graph_error(done: subprocess.CompletedProcess[str], places: Sequence[Place | None]) -> GraphError:
    """The first error, where it happened in Python."""
    try:
        found = next(entry for entry in json.loads(done.stderr)["diagnostics"] if entry["severity"] == "error")
    except (ValueError, KeyError, StopIteration):
        return GraphError(done.stderr.strip() or f"mlgc ended with code {done.returncode}", done.returncode, done.stderr, None)
    place = None
    if "line" in found:
        place = Place(found["file"], found["line"], found["column"])
        if found["file"] == "<stdin>" and 1 <= found["line"] <= len(places):
            place = places[found["line"] - 1]
    lines = [f"{f'{place.file}:{place.line}:{place.column}: ' if place is not None else ''}error: {found['message']}"]
    if place is not None and (code := linecache.getline(place.file, place.line).rstrip()):
        lines += [f"  {code}", f"  {' ' * (place.column - 1)}^"]
    lines += [f"remedy: {found['remedy']}"] if found.get("remedy") else []
    lines += [f"note: {note['message']}" for note in found.get("notes", ())]
    text = "\n".join(lines)
    return GraphError(text, done.returncode, text, place)


_TYPE = r"tensor<[^>]*>"
_STATED = re.compile(rf": ({_TYPE}(?:, {_TYPE})*)(?: where .*)?(?: loc\(.*\))?$")


def types_in(text: str) -> list[list[str]]:
    """Types of the results of each op of a printed function without regions, in order."""
    return [re.findall(_TYPE, found[1]) for line in text.splitlines() if line.lstrip().startswith("%") and (found := _STATED.search(line))]


def dims_of(kind: str) -> tuple[int | str, ...]:
    """Sizes of a `tensor<2x[B + 1]xf32>`: ints, and texts over symbols."""
    found = re.findall(r"(\d+)x|\[([^\]]*)\]x", kind)
    return tuple(int(number) if number else text for number, text in found)


def dtype_of(kind: str) -> str:
    """`f32` of a `tensor<2x[B]xf32>`."""
    return kind.removesuffix(">").rpartition("x")[2].removeprefix("tensor<")


def constant_text(value: Any, dtype: Any) -> str:
    """`dense<[1.0, 2.0]> : tensor<2xf32>`. UsageError: no array can be made of it."""
    import numpy

    if type(value).__module__.startswith("torch"):
        import torch

        dtype = dtype or str(value.dtype)
        value = (value.detach().float() if value.dtype == torch.bfloat16 else value.detach()).numpy()
    try:
        array = numpy.asarray(value)
    except ValueError as error:
        raise UsageError(f"{value!r} is not a constant: {error}") from None
    plain = isinstance(value, (bool, int, float, list, tuple))
    kind = op_table.dtype_text(dtype if dtype is not None else "f32" if plain and array.dtype.kind == "f" else array.dtype.name)
    if array.size > LONG_CONSTANT:
        body = '"0x' + _packed(array, kind).hex().upper() + '"'
    else:
        body = _elements(array.tolist(), kind)
    return f"dense<{body}> : tensor<{'x'.join([*map(str, array.shape), kind])}>"


_NUMPY = {"i8": "int8", "ui8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16", "f32": "float32", "f64": "float64"}


def _packed(array: Any, kind: str) -> bytes:
    """As the text form reads bytes: elements after each other, eight of i1 in a byte."""
    if kind == "bf16":
        import torch

        return bytes(torch.from_numpy(array.astype("float32")).bfloat16().view(torch.int16).contiguous().numpy().tobytes())
    if kind == "i1":
        import numpy

        return bytes(numpy.packbits(array.astype(bool).ravel(), bitorder="little").tobytes())
    return bytes(array.astype(_NUMPY[kind]).tobytes())


def _elements(value: Any, kind: str) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_elements(item, kind) for item in value) + "]"
    if kind == "i1":
        return "true" if value else "false"
    return op_table.float_text(value, kind) if kind.startswith(("f", "bf")) else str(int(value))


# --- functions


class Function(Inspectable):
    """A function of a graph. Printed, it is its text; called, it computes. `inputs` and `outputs` are pairs of name and type.

    Made by Builder.function() and grad().
    """

    def __init__(self, text: str, name: str) -> None:
        """text: a module that the driver has printed, with this function."""
        self._folder = Folder()
        self._path = self._folder.path / f"{name}.mlir"
        self._path.write_text(text, encoding="utf-8")
        self.name = name
        self._flags: list[str] = []
        self._programs: dict[tuple[Any, ...], Program] = {}
        lines = text.splitlines()
        head = next(line for line in lines if f"func @{name}(" in line)
        returned = next(line for line in lines[lines.index(head):] if line.lstrip().startswith("return")).partition(" loc(")[0]
        arguments, _, rest = head.partition(f"@{name}(")[2].partition(")")
        self.inputs = [(found[1], found[2]) for found in re.finditer(rf"%([\w.]+): ({_TYPE})", arguments)]
        named = re.search(r"result_names = \[(.*?)\]", rest)
        names = json.loads(f"[{named[1]}]") if named else [f"result{i}" if value.isdigit() else value
                                                           for i, value in enumerate(re.findall(r"%([\w.]+)", returned))]
        types = re.findall(_TYPE, rest.partition(" where ")[0].partition(" attributes ")[0])
        self.outputs = list(zip(names, types, strict=True))

    @functools.cached_property
    def _printed(self) -> str:
        return driver.run(["opt", str(self._path)])

    def __str__(self) -> str:
        return self._printed

    def _repr_html_(self) -> str:
        return Report(self._printed)._repr_html_()

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(f"{name}: {kind}" for name, kind in values) for values in (self.inputs, self.outputs))
        return f"mlgc.Function {self.name}({inputs}) -> ({outputs})"

    def _model(self) -> pathlib.Path:
        return self._path

    def __call__(self, *args: Any, backend: str = "interp") -> Any:
        """The results on CPU tensors, arrays or numbers, in the order of the inputs: a tensor, or a tuple of them.

        backend: "interp", the interpreter; "cpp", compiled at the first call; "torch", op by op in PyTorch.
        UsageError: the number of arguments, or the backend, is wrong. CompilationError: the driver refuses sizes or values.
        """
        import torch

        if backend not in BACKENDS:
            raise UsageError(f"there is no backend {backend!r}; there are {', '.join(BACKENDS)}")
        if len(args) != len(self.inputs):
            raise UsageError(f"{self!r} is called with {len(args)} arguments")
        given = [self._tensor(value, kind) for value, (_, kind) in zip(args, self.inputs)]
        if backend == "cpp":
            with torch.no_grad():
                return self.compile()(*given)
        return self._evaluated(given, backend)

    @staticmethod
    def _tensor(value: Any, kind: str) -> Any:
        import torch

        from mlgc.externals import TORCH_DTYPES

        return value if isinstance(value, torch.Tensor) else torch.as_tensor(value, dtype=TORCH_DTYPES[dtype_of(kind)])

    def _evaluated(self, given: Sequence[Any], backend: str) -> Any:
        import numpy
        import torch

        from mlgc.agreement import array_of
        from mlgc.externals import TORCH_DTYPES

        folder = Folder()
        path, name = self._path, self.name
        if any(dtype_of(kind) == "bf16" for _, kind in self.outputs):
            path, name = folder.path / "widened.mlir", f"{self.name}_widened"
            path.write_text(self._widened(name), encoding="utf-8")
        numpy.savez(folder.path / "in.npz", **{name: array_of(value) for (name, _), value in zip(self.inputs, given)})
        inputs = [f"--input=@{folder.path / 'in.npz'}"] if given else []
        driver.run(["eval", str(path), f"--function={name}", *inputs, f"--output=@{folder.path / 'out.npz'}", f"--backend={backend}"])
        with numpy.load(folder.path / "out.npz") as file:
            arrays = [file[name] for name in file.files]
        results = [torch.from_numpy(array).to(TORCH_DTYPES[dtype_of(kind)]) for array, (_, kind) in zip(arrays, self.outputs, strict=True)]
        return results[0] if len(results) == 1 else tuple(results)

    def _widened(self, name: str) -> str:
        """The module with a further function, whose results of bf16 are in f32: numpy has no bf16."""
        arguments = ", ".join(f"%{value}: {kind}" for value, kind in self.inputs)
        where = re.search(rf"func @{self.name}\(.*?( where .*?)?(?: attributes \{{.*)? \{{$", self._printed, re.MULTILINE)
        results = [f"%r{number}" for number in range(len(self.outputs))]
        lines = [f"  func @{name}({arguments}){where[1] or '' if where else ''} {{",
                 f"    {', '.join(results)} = call @{self.name}{''.join(f', %{value}' for value, _ in self.inputs)}"]
        for number, (_, kind) in enumerate(self.outputs):
            if dtype_of(kind) == "bf16":
                lines.append(f"    %w{number} = cast %r{number} {{dtype = f32}}")
                results[number] = f"%w{number}"
        return self._printed.rstrip().removesuffix("}") + "\n".join([*lines, f"    return {', '.join(results)}", "  }", "}", ""])

    def grad(self, wrt: Sequence[str] | None = None, of: Sequence[str] | None = None, *, seed: bool = False) -> Function:
        """The function that returns its results, and after them gradients, called d_NAME.

        wrt: names of inputs; without it all of floats. of: names of results to differentiate; without it the only one of floats. These are
        scalars; with `seed`, of any shape, and what the chain rule begins with is a further input for each, g_NAME.
        UsageError: there is nothing of a name. CompilationError: something has no gradient.
        """
        flags = [*([f"--wrt={','.join(wrt)}"] if wrt is not None else []), *([f"--of={','.join(of)}"] if of is not None else []),
                 *(["--seed"] if seed else [])]
        return Function(driver.run(["grad", str(self._path), *flags]), f"{self.name}_grad")

    def compile(self, *, numerics: str = "like-eager", threads: int | None = None, device: str | None = None) -> Program:
        """As a program: called, saved, measured. numerics and threads as of mlgc.compile(); device: without it the CPU."""
        from mlgc import program

        key = (numerics, threads, device)
        if key not in self._programs:
            self._programs[key] = program.of_source(self._path, self.name, numerics, threads, self._folder, device)
        return self._programs[key]
