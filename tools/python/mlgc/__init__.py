"""mlgc: an ML graph compiler, from Python.

    f = torch.compile(model, backend="mlgc")   # needs no import of this package where it is installed
    mlgc.ledger()                              # what was compiled, what runs in PyTorch, and why

docs/python.md has the whole of it. Names are loaded when they are first used: importing this package imports nothing else.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlgc.artifact import synchronize
    from mlgc.backend import mlgc_backend
    from mlgc.builder import Builder
    from mlgc.comparing import compare_backends
    from mlgc.comparison_report import Comparison
    from mlgc.compiler import GraphRecord, ledger
    from mlgc.errors import CompilationError, CompilerNotFound, DriverNotFound, Error, ExecutionError, FallbackRefused, UnknownOp, UsageError
    from mlgc.externals import ExternalCall, Segment, SegmentOp, SegmentValue
    from mlgc.graph_breaks import breaks
    from mlgc.graph_function import Function, GraphError
    from mlgc.program import Program, compile, grad, load
    from mlgc.reports import Benchmark, Report
    from mlgc.settings import Options
    from mlgc.training import training_step

_HOMES = {"mlgc_backend": "backend", "synchronize": "artifact", "compare_backends": "comparing", "Comparison": "comparison_report", "Benchmark": "reports", "Report": "reports",
          "breaks": "graph_breaks", "Builder": "builder", "Function": "graph_function", "GraphError": "graph_function",
          "GraphRecord": "compiler", "ledger": "compiler", "Options": "settings", "training_step": "training",
          **dict.fromkeys(["ExternalCall", "Segment", "SegmentOp", "SegmentValue"], "externals"),
          **dict.fromkeys(["Program", "compile", "grad", "load"], "program"),
          **dict.fromkeys(["CompilationError", "CompilerNotFound", "DriverNotFound", "Error", "ExecutionError", "FallbackRefused", "UnknownOp", "UsageError"], "errors")}

# A list, since checkers of types read it.
__all__ = [
    "Benchmark", "Builder", "Comparison", "CompilationError", "CompilerNotFound", "DriverNotFound", "Error", "ExecutionError", "ExternalCall", "FallbackRefused",
    "Function", "GraphError", "GraphRecord", "Options", "Program", "Report", "Segment", "SegmentOp", "SegmentValue", "UnknownOp", "UsageError", "breaks", "compare_backends",
    "compile", "grad", "ledger", "load", "mlgc_backend", "synchronize", "training_step",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mlgc' has no attribute {name!r}")
    return getattr(importlib.import_module(f"mlgc.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
