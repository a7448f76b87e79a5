"""Finds the program `mlgc` and runs it."""
from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import types
from collections.abc import Iterator
from typing import Any

from mlgc.errors import CompilationError, CompilerNotFound, DriverNotFound, UsageError

# Messages of the diagnostics no-host-compiler, no-cuda-compiler and bad-host-compiler.
_NO_COMPILER = re.compile(r"no (C\+\+|CUDA) compiler was found|is not a usable (C\+\+|CUDA) compiler")
_PACKAGE = pathlib.Path(__file__).resolve().parent


def find() -> pathlib.Path:
    """The driver: MLGC of the environment, the one inside of this package, that of a build tree around it, that on PATH.

    DriverNotFound: none of these exists, or MLGC names none.
    """
    if named := os.environ.get("MLGC"):
        if not os.access(named, os.X_OK):
            raise DriverNotFound(f"MLGC={named} is no program")
        return pathlib.Path(named)
    trees = [*_PACKAGE.parents[2].glob("build/release/tools/mlgc/mlgc")] if len(_PACKAGE.parents) > 2 else []
    for candidate in (_PACKAGE / "bin/mlgc", *trees):
        if os.access(candidate, os.X_OK):
            return candidate
    if on_path := shutil.which("mlgc"):
        return pathlib.Path(on_path)
    raise DriverNotFound("there is no program `mlgc` in this package, in a build tree around it, or on PATH; "
                         "install the wheel, build the repository, or set MLGC to the program")


@functools.lru_cache(maxsize=4)
def _identity(path: pathlib.Path, size: int, modified: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def identity() -> str:
    """A hash of the driver: what another one has compiled is compiled again."""
    path = find().resolve()
    status = path.stat()
    return _identity(path, status.st_size, status.st_mtime_ns)


def run(arguments: list[str], cwd: str | os.PathLike[str] | None = None) -> str:
    """Runs `mlgc ARGUMENTS` and returns what it prints.

    CompilationError: it refused, with its first error as message; CompilerNotFound where it has no compiler. KeyboardInterrupt ends it too, with the host compiler; it leaves
    nothing half-written.
    """
    command = [str(find()), *arguments]
    process = None
    try:
        with _late_interrupt():
            process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        printed, said = process.communicate()
    except BaseException:
        if process is not None:
            _end(process)
        raise
    if process.returncode == 0:
        return printed
    said = said.strip()
    if process.returncode == 2:
        raise UsageError(said)
    message = first_error(said) or f"mlgc ended with code {process.returncode}"
    kind = CompilerNotFound if _NO_COMPILER.search(message) else CompilationError
    raise kind(message, process.returncode, said)


@contextlib.contextmanager
def _late_interrupt() -> Iterator[None]:
    """SIGINT takes effect at the end: a process that is being started is not lost. Python handles signals on the main thread only."""
    if threading.current_thread() is not threading.main_thread() or not callable(handler := signal.getsignal(signal.SIGINT)):
        yield
        return
    caught: list[tuple[int, types.FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: caught.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if caught:
        handler(*caught[0])


def _end(process: subprocess.Popen[str]) -> None:
    """By a signal on which the driver removes what it has begun and ends the compilers that it started."""
    process.terminate()
    try:
        process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def first_error(said: str) -> str:
    """The line of the first error among diagnostics; empty where there is none."""
    return next((line for line in said.splitlines() if ": error: " in line or line.startswith("error: ")), "")


def run_json(arguments: list[str]) -> dict[str, Any]:
    """As run(), of a command that prints JSON."""
    made: dict[str, Any] = json.loads(run(arguments))
    return made
