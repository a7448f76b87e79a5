"""What Dynamo makes of a call: the graphs that it captures, what mlgc does with each, and every break between them.

torch._dynamo.explain() knows the breaks that end a graph. Those before which there was nothing to compile, in loops, in `try`, in
functions that Dynamo leaves to Python as a whole, it only logs: here each is taken where it is logged, with its place.
"""
from __future__ import annotations

import contextlib
import dataclasses
import inspect
import io
import logging
import pathlib
import re
import sys
import sysconfig
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import torch._dynamo
import torch.fx
from torch._dynamo import exc as dynamo_errors
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

from mlgc.backend import mlgc_backend
from mlgc.compiler import GraphRecord, ledger
from mlgc.graph_breaks.source import Place


def _names_of(path: str | pathlib.Path) -> tuple[str, str]:
    """A folder as it is named, and where links lead to: code objects have either."""
    return str(path), str(pathlib.Path(path).resolve())


_PACKAGES = (*_names_of(pathlib.Path(__file__).parents[1]), *_names_of(pathlib.Path(torch.__file__).parent))
_INSTALLED = tuple({path for name in ("purelib", "platlib") for path in _names_of(sysconfig.get_paths()[name])})
_STANDARD = tuple({path for name in ("stdlib", "platstdlib") for path in _names_of(sysconfig.get_paths()[name])})
# PyTorch draws, so that numbers are those of eager; what stays outside is in the report.
OPTIONS = {"fallback": "allow", "fallback_random": True}


@dataclasses.dataclass
class RawBreak:
    """A break as Dynamo words it. `title` is the first line of its message, `text` its explanation, `hints` its own advice."""

    exception: str
    title: str
    text: str
    hints: list[str]
    number: str  # GB0059, by Dynamo's registry; empty: it has none
    place: Place | None  # None: no line of the user's is known
    library: str  # the place inside of a library that a line of the user's leads to; empty: it is the line itself
    consequence: str  # what runs in Python beside the line itself
    count: int = 1


@dataclasses.dataclass
class Piece:
    """A graph that was captured: operations as Dynamo counts them, the lines that they come from, what mlgc did with them."""

    ops: int
    file: str
    first: int
    last: int
    records: list[GraphRecord]
    graph: torch.fx.Graph = dataclasses.field(repr=False)


@dataclasses.dataclass
class Observation:
    """A call under torch.compile. error: what was raised in place of a result; printed: what the call wrote."""

    pieces: list[Piece]
    breaks: list[RawBreak]
    result: Any = None
    error: Exception | None = None
    printed: str = ""


def in_torch(file: str) -> bool:
    return file.startswith(_PACKAGES) or "<eval_with_key>" in file


def installed(file: str) -> bool:
    """Whether a file belongs to an installed package or to Python: not the user's to change."""
    return in_torch(file) or file.startswith((*_INSTALLED, *_STANDARD, "<frozen"))


def of_user(file: str) -> bool:
    """Whether a file holds code that somebody wrote to be compiled: neither PyTorch's, nor Python's own."""
    standard = file.startswith((*_STANDARD, "<frozen")) and not file.startswith(_INSTALLED)
    return not in_torch(file) and not standard


@contextlib.contextmanager
def quiet() -> Iterator[io.StringIO]:
    """What is printed goes into the text that this gives; warnings, those of Dynamo about breaks too, and errors are not shown."""
    heard = io.StringIO()
    logger = logging.getLogger("torch._dynamo")
    level = logger.level
    with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logger.setLevel(logging.CRITICAL)
        try:
            yield heard
        finally:
            logger.setLevel(level)


def observe(call: Callable[[], Any], function: Callable[..., Any], backend: str = "mlgc", fullgraph: bool = False) -> Observation:
    """Runs `call` with `function`, which it calls, compiled. backend: "mlgc", or "eager", which compiles nothing.

    `call` takes the compiled function."""
    seen = Observation([], [])

    def compiler(graph_module: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        before = len(ledger())
        compiled = mlgc_backend(graph_module, inputs, options=OPTIONS) if backend == "mlgc" else graph_module.forward
        nodes = [node for node in graph_module.graph.nodes if node.op not in ("placeholder", "output", "get_attr")]
        frames = [frame for node in nodes if (frame := _user_frame_of(node)) is not None]
        file = frames[0][0] if frames else ""
        lines = [line for name, line in frames if name == file]
        seen.pieces.append(Piece(len(nodes), file, min(lines, default=0), max(lines, default=0), ledger()[before:], graph_module.graph))
        return compiled

    def found(error: Exception, reason: str) -> None:
        made = raw_break(error, reason)
        for old in seen.breaks:
            if old.place == made.place and old.title == made.title:
                old.count += 1
                return
            if made.library and old.place is not None and made.place is not None and (old.place.file, old.place.line) == (
                    made.place.file, made.place.line):
                return  # Python runs the line already, and what it calls breaks again
        seen.breaks.append(made)

    torch._dynamo.reset()
    with quiet() as heard, _logged_breaks(found):
        try:
            seen.result = materialised(call(torch.compile(function, backend=compiler, fullgraph=fullgraph)))
        except Exception as error:  # whatever the function or the compiler raises
            seen.error = error
            # what Dynamo could not do, and did not log
            if isinstance(error, dynamo_errors.TorchDynamoException) and not getattr(error, "logged", False):
                found(error, "")
    seen.printed = heard.getvalue()
    torch._dynamo.reset()
    return seen


def materialised(result: Any) -> Any:
    """A generator as the list of what it gives: its code runs when that is asked for."""
    return list(result) if inspect.isgenerator(result) else result


@contextlib.contextmanager
def _logged_breaks(found: Callable[[Exception, str], None]) -> Iterator[None]:
    """`found` is called with the exception behind each break, and with what Dynamo says of what it does about it."""
    original = InstructionTranslatorBase.log_graph_break

    def log_graph_break(self: Any, code_options: Any, reason: str, exc: Exception) -> None:
        if not exc.logged if hasattr(exc, "logged") else True:
            found(exc, reason)
        original(self, code_options, reason, exc)

    InstructionTranslatorBase.log_graph_break = log_graph_break
    try:
        yield
    finally:
        InstructionTranslatorBase.log_graph_break = original


_MEANWHILE = "*** While handling this graph break, another graph break occurred: ***"


def raw_break(error: BaseException, reason: str = "") -> RawBreak:
    """The break that an exception of Dynamo or of torch.export stands for; reason: what Dynamo says of what it does about it."""
    message = str(getattr(error, "msg", error)).strip()
    message = message.split("Got graph break/error:", 1)[-1].strip()
    root, _, later = message.partition(_MEANWHILE)
    title = root.strip().splitlines()[0] if root.strip() else type(error).__name__
    number = re.search(r"/gb/(gb\d{4})", root)
    place, library = _place_of(error)
    name = place.function if place is not None else "it"
    consequence = ""
    if "graph break in loop" in later:
        consequence = f"it stands in a loop, so Python runs all of `{name}`"
    elif reason.startswith("Failed to handle graph break gracefully"):
        consequence = f"Dynamo cannot continue after it, so Python runs all of `{name}`"
    elif "cannot resume from" in reason:
        consequence = f"Dynamo cannot continue after it, so Python runs the rest of `{name}`"
    return RawBreak(type(error).__name__, title, _paragraph(root, "Explanation"), _paragraphs(root, "Hint"),
                    number[1].upper() if number else "", place, library, consequence)


def _paragraphs(message: str, name: str) -> list[str]:
    found = re.findall(rf"^  {name}: (.*(?:\n    .*)*)", message, re.MULTILINE)
    return [re.sub(r"\s*\n\s*", " ", text).strip() for text in found]


def _paragraph(message: str, name: str) -> str:
    return next(iter(_paragraphs(message, name)), "")


def _place_of(error: BaseException) -> tuple[Place | None, str]:
    """The innermost line of the user's, and where in a library it leads to; empty: nowhere."""
    frames = list(getattr(error, "real_stack", None) or [])
    if not frames:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__)]
    own = [frame for frame in frames if of_user(frame.filename)]
    if not getattr(error, "real_stack", None):
        frames = own  # a traceback ends inside of the compiler, whatever it was about
    inner = frames[-1] if frames else None
    library = f"{inner.filename}:{inner.lineno} in {inner.name}" if inner is not None and (not own or own[-1] is not inner) else ""
    if own:
        frame = own[-1]
        return Place(frame.filename, frame.lineno or 0, original_name(frame.name), frame.colno, frame.end_colno), library
    running: types.FrameType | None = sys._getframe()
    while running is not None and running.f_code is not observe.__code__:
        if of_user(running.f_code.co_filename):
            return Place(running.f_code.co_filename, running.f_lineno, original_name(running.f_code.co_name)), library
        running = running.f_back
    return None, library


def original_name(name: str) -> str:
    """Of a function that Dynamo made for what comes after a break: of the function that it is a part of."""
    found = re.fullmatch(r"(?:torch_dynamo_resume_in_)(.+)_at_\d+", name)
    return original_name(found[1]) if found else name


_FRAME = re.compile(r'^\s*File "([^"]*)", line (\d+)', re.MULTILINE)


def _user_frame_of(node: torch.fx.Node) -> tuple[str, int] | None:
    own = [(file, int(line)) for file, line in _FRAME.findall(node.stack_trace or "") if of_user(file)]
    return own[-1] if own else None
