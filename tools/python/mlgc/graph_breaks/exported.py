"""torch.export in the words of the table of classes: what an export leaves out of the program, and why one fails.

An export runs the model's Python. What that writes, reads from the system or stores in the model happens then, and is no part of the
program: such calls are heard here, with the line that makes them. Not heard are functions that the model's file has imported by their own name
(`from time import time`), and changes of containers.
"""
from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
import itertools
import logging
import random
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from mlgc.graph_breaks import capture, classes
from mlgc.graph_breaks.capture import RawBreak
from mlgc.graph_breaks.repair import Finding, explain
from mlgc.graph_breaks.source import Place
from mlgc.graph_breaks.subject import Subject

# Functions whose calls an export leaves out, or whose value it fixes: what has them, and their names.
_HEARD: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (builtins, ("print", "open", "input")), (warnings, ("warn",)),
    (logging.Logger, ("debug", "info", "warning", "error", "exception", "critical", "log")),
    (time, ("time", "perf_counter", "monotonic", "process_time", "sleep")),
    (random, ("random", "uniform", "randint", "randrange", "choice", "shuffle", "gauss")))


def dropped(model: torch.nn.Module, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Finding]:
    """The side effects of a call of the model, each place once; the call is made with a copy of the model, where it can be copied, and
    what it prints is not shown. A call that raises: those before that."""
    code = inspect.unwrap(model.forward).__code__
    places: dict[Place, str] = {}
    with contextlib.ExitStack() as stack:
        for owner, names in _HEARD:
            for name in names:
                original = getattr(owner, name)
                title = classes.LOGGED if owner is logging.Logger else f"{name}() is called"

                def heard(*args: Any, _original: Callable[..., Any] = original, _title: str = title, **kwargs: Any) -> Any:
                    if (place := _caller(code)) is not None:
                        places.setdefault(place, _title)
                    return _original(*args, **kwargs)

                stack.enter_context(_replaced(owner, name, functools.update_wrapper(heard, original)))
        set_attribute = torch.nn.Module.__setattr__

        def attribute_set(self: torch.nn.Module, name: str, value: Any) -> None:
            if not isinstance(value, (torch.Tensor, torch.nn.Module)) and (place := _caller(code, direct=True)) is not None:
                places.setdefault(place, classes.ATTRIBUTE_SET)
            set_attribute(self, name, value)

        stack.enter_context(_replaced(torch.nn.Module, "__setattr__", attribute_set))
        stack.enter_context(capture.quiet())
        stack.enter_context(contextlib.suppress(Exception))  # the export says what is wrong
        with torch.no_grad():
            Subject(model, tuple(args), dict(kwargs)).eager()
    return [_explained(RawBreak("", title, "", [], "", place, "", "")) for place, title in places.items()]


def _explained(raw: RawBreak) -> Finding:
    made = explain(raw)
    if made.kind.exported:
        made.cure = classes.words(made.kind.exported, made.site, made.line)
    return made


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _caller(code: types.CodeType, direct: bool = False) -> Place | None:
    """The innermost line of the user's that is running, where that is a part of a call of `code`. direct: it calls the heard function
    itself."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and not capture.of_user(frame.f_code.co_filename):
        frame = None if direct else frame.f_back
    if frame is None:
        return None
    line, _, column, end_column = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    place = Place(frame.f_code.co_filename, line or frame.f_lineno, frame.f_code.co_name, column, end_column)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return place if frame is not None else None


def failure(error: BaseException, model: torch.nn.Module) -> Finding | None:
    """Why an export failed, where a class of the table other than the last has it; None: none does."""
    raw = capture.raw_break(error)
    if raw.place is not None and not raw.place.file.endswith(".py"):
        raw.place = None
    made = _explained(raw)
    if made.kind is classes.CLASSES[-1]:
        return None
    if made.site is None or made.kind.name == "generator":  # it is the function as a whole
        code = inspect.unwrap(model.forward).__code__
        raw.place = Place(code.co_filename, code.co_firstlineno, code.co_name)
        made = _explained(raw)
    return made
