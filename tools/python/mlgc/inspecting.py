"""What is behind texts and explanations of a model: a file that the driver reads."""
from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
import weakref

from mlgc import driver
from mlgc.errors import UsageError
from mlgc.reports import Report

# What text() shows, and the driver's words for it.
TEXTS = {"graph": ["opt"], "optimised": ["opt", "-O2"], "fused": ["opt", "--to=fused"], "loops": ["opt", "--to=loops"],
         "plan": ["opt", "--to=plan"], "cpp": ["emit", "-o", "-"], "cuda": ["emit", "--target=cuda", "-o", "-"]}
SUBJECTS = ("fusion", "memory", "partition")


class Folder:
    """A temporary folder that goes with this object, or with the process that made it."""

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="mlgc-"))
        weakref.finalize(self, self._remove, self.path, os.getpid())

    @classmethod
    def of_files(cls, files: dict[str, bytes]) -> Folder:
        """With files by relative path, as packed() gives them."""
        made = cls()
        for name, content in files.items():
            path = made.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return made

    @staticmethod
    def packed(path: pathlib.Path, parent: pathlib.Path) -> dict[str, bytes]:
        """A file, or all files below a folder, by their paths relative to `parent`."""
        found = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
        return {str(file.relative_to(parent)): file.read_bytes() for file in found}

    @staticmethod
    def _remove(path: pathlib.Path, owner: int) -> None:
        if os.getpid() == owner:  # a fork leaves it alone
            shutil.rmtree(path, ignore_errors=True)


class Inspectable:
    """A model, or a function of one, that can be shown at each level of the compiler."""

    _flags: list[str]

    def _model(self) -> pathlib.Path:
        """What the driver reads. UsageError: there is none."""
        raise NotImplementedError

    def text(self, level: str = "graph", *flags: str) -> Report:
        """The program at a level of the compiler: "graph", "optimised", "fused", "loops", "plan", or as source: "cpp", "cuda".

        flags: more of `mlgc opt`, or of `mlgc emit`. UsageError: there is no such level, or no source.
        """
        if level not in TEXTS:
            raise UsageError(f"there is no level {level!r}; there are {', '.join(TEXTS)}")
        command, *fixed = TEXTS[level]
        return Report(driver.run([command, str(self._model()), *fixed, *self._flags, *flags]))

    def explain(self, subject: str, *flags: str) -> Report:
        """Why the compiler decides as it does, of "fusion", "memory" or "partition"; flags as of `mlgc explain SUBJECT`.

        UsageError: there is no such subject, or no source.
        """
        if subject not in SUBJECTS:
            raise UsageError(f"there is no subject {subject!r}; there are {', '.join(SUBJECTS)}")
        return Report(driver.run(["explain", subject, str(self._model()), *flags]))
