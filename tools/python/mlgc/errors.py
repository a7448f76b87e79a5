"""What this package raises. Each names what was at fault and what to do about it."""
from __future__ import annotations


class Error(Exception):
    """Base of all."""


class UsageError(Error):
    """A wrong option or argument of this package."""


class UnknownOp(UsageError, AttributeError):
    """A builder is asked for an op that the driver does not have, or that is none of graphs."""


class DriverNotFound(Error):
    """There is no `mlgc` program to compile with."""


class CompilationError(Error):
    """The driver refused a program.

    `code` is its exit code (1 bad input, 3 unsupported, 5 a limit, 70 a bug in mlgc); `diagnostics` its whole output, with
    the user's lines.
    """

    def __init__(self, message: str, code: int, diagnostics: str) -> None:
        super().__init__(message)
        self.code = code
        self.diagnostics = diagnostics


class CompilerNotFound(CompilationError):
    """The driver has no compiler for what it emits: no C++ compiler, or no nvcc for a GPU."""


class FallbackRefused(Error):
    """`fallback="error"`, and part of a graph would have run in PyTorch."""


class ExecutionError(Error, RuntimeError):
    """A compiled function refused a call: a size out of range, an index out of bounds, no memory.

    `status` is one of `enum mlgc_status` in mlgc.h.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status
