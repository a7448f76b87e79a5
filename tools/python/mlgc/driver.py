"""Finds the program `mlgc` and runs it."""
from __future__ import annotations

import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

from mlgc.errors import CompilationError, DriverNotFound, UsageError

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

    CompilationError: it refused, with its first error as message. KeyboardInterrupt ends it too; it leaves nothing half-written.
    """
    done = subprocess.run([str(find()), *arguments], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.strip()
    if done.returncode == 2:
        raise UsageError(said)
    raise CompilationError(first_error(said) or f"mlgc ended with code {done.returncode}", done.returncode, said)


def first_error(said: str) -> str:
    """The line of the first error among diagnostics; empty where there is none."""
    return next((line for line in said.splitlines() if ": error: " in line or line.startswith("error: ")), "")


def run_json(arguments: list[str]) -> dict:
    """As run(), of a command that prints JSON."""
    return json.loads(run(arguments))
