"""mlgc: an ML graph compiler, from Python.

    f = torch.compile(model, backend="mlgc")   # needs no import of this package where it is installed
    mlgc.ledger()                              # what was compiled, what runs in PyTorch, and why

docs/python.md has the whole of it. Names are loaded when they are first used: importing this package imports nothing else.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlgc.backend import mlgc_backend
    from mlgc.compiler import GraphRecord, ledger
    from mlgc.externals import ExternalCall, Segment, SegmentOp, SegmentValue
    from mlgc.errors import CompilationError, DriverNotFound, Error, ExecutionError, FallbackRefused, UsageError
    from mlgc.program import Benchmark, Program, Report, compile, grad, load
    from mlgc.settings import Options
    from mlgc.training import training_step

_HOMES = {"mlgc_backend": "backend", "GraphRecord": "compiler", "ledger": "compiler", "Options": "settings", "training_step": "training",
          **dict.fromkeys(["ExternalCall", "Segment", "SegmentOp", "SegmentValue"], "externals"),
         **dict.fromkeys(["Benchmark", "Program", "Report", "compile", "grad", "load"], "program"),
          **dict.fromkeys(["CompilationError", "DriverNotFound", "Error", "ExecutionError", "FallbackRefused", "UsageError"], "errors")}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mlgc' has no attribute {name!r}")
    return getattr(importlib.import_module(f"mlgc.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
