"""Options of the backend, and what the environment says."""
from __future__ import annotations

import dataclasses
import logging
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from mlgc.errors import UsageError
from mlgc.externals import partition_flag, require_external

NUMERICS = ("exact", "like-eager", "fast")
FALLBACKS = ("allow", "warn", "error")
RECOMPUTE = ("none", "fast", "cheap", "reductions", "all", "pytorch")
LOG_TOPICS = ("graph", "partition", "code", "ops", "cache")

logger = logging.getLogger("mlgc")


@dataclasses.dataclass(frozen=True)
class Options:
    """What `torch.compile(…, options={…})` takes.

    numerics: how far results may be from those of single operators: "exact", "like-eager" (default), "fast".
    fallback: of nodes that run in PyTorch: "warn" (default) says so once for each graph, "allow" keeps it to the report,
        "error" raises FallbackRefused.
    cache_dir: compiled graphs are kept in its folder `torch`; default `$MLGC_CACHE`, else `~/.cache/mlgc`; "off": none is kept.
    report: a file to which the ledger is written as JSON, after each graph.
    registry: a registry file (docs/partition.md): only what it supports is compiled; with `externals`, which must have its target:
        everything is, and what it supports is computed by that target.
    externals: what computes segments of external targets, by name: a shared object, or a function (mlgc.load).
    fallback_random: random numbers come from PyTorch's generator, as without a compiler.
    threads: of compiled code; default torch.get_num_threads().
    recompute: what a backward graph may compute again instead of reading what forward has saved, as of `mlgc grad --recompute`:
        "none", "fast" (default), "cheap", "reductions", "all"; "pytorch" leaves the choice to PyTorch's partitioner.
    """

    numerics: str = "like-eager"
    fallback: str = "warn"
    cache_dir: str | os.PathLike[str] | None = None
    report: str | os.PathLike[str] | None = None
    registry: str | os.PathLike[str] | None = None
    externals: Mapping[str, Any] | None = None
    fallback_random: bool = False
    threads: int | None = None
    recompute: str = "fast"

    def __post_init__(self) -> None:
        for name, known in (("numerics", NUMERICS), ("fallback", FALLBACKS), ("recompute", RECOMPUTE)):
            if getattr(self, name) not in known:
                raise UsageError(f"options: {name} is {getattr(self, name)!r}; it can be {', '.join(map(repr, known))}")
        if self.externals and self.registry is None:
            raise UsageError("options: externals are given and no registry, which says what they compute")
        if self.externals:
            require_external(self.registry, self.externals)
        if self.threads is not None and (not isinstance(self.threads, int) or self.threads < 1):
            raise UsageError(f"options: threads is {self.threads!r}; it is a number from 1 on")

    @classmethod
    def of(cls, given: dict[str, Any] | None) -> Options:
        """UsageError: an option that does not exist, or a value that it cannot have."""
        names = [field.name for field in dataclasses.fields(cls)]
        unknown = [name for name in given or {} if name not in names]
        if unknown:
            raise UsageError(f"options: there is no option {unknown[0]!r}; there are {', '.join(names)}")
        return cls(**(given or {}))

    def partition_flags(self) -> list[str]:
        """Of `mlgc compile`: what makes segments of the registry's target."""
        return ["-O2", partition_flag(self.registry)] if self.externals and self.registry is not None else []

    def cache_folder(self) -> pathlib.Path | None:
        """The folder, made where it is missing. None: nothing is kept, or, with a warning, the folder is not this user's alone:
        what lies in it is loaded as code."""
        folder = self._named_cache_folder()
        if folder is None:
            return None
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            status = folder.stat()
        except OSError as error:
            logger.warning("the cache %s is not used: %s", folder, error.strerror)
            return None
        if status.st_uid != os.getuid() or status.st_mode & 0o022:
            logger.warning("the cache %s is not used: others may write to it (chmod 700, or name another by cache_dir)", folder)
            return None
        return folder

    def _named_cache_folder(self) -> pathlib.Path | None:
        chosen = self.cache_dir if self.cache_dir is not None else os.environ.get("MLGC_CACHE")
        if chosen is not None:
            return None if str(chosen) == "off" else pathlib.Path(chosen) / "torch"
        base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
        return pathlib.Path(base) / "mlgc/torch"


def log_topics() -> frozenset[str]:
    """What MLGC_LOG asks for: some of LOG_TOPICS, separated by commas. UsageError: another word."""
    topics = frozenset(filter(None, os.environ.get("MLGC_LOG", "").split(",")))
    for topic in sorted(topics):
        if topic not in LOG_TOPICS:
            raise UsageError(f"MLGC_LOG: there is no topic {topic!r}; there are {', '.join(LOG_TOPICS)}")
    return topics
