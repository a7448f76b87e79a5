"""Compiled graphs that are kept: a folder of entries by the hash of their content, each with an artefact `model.mlgcx`.

What lies in the folder is loaded as code: an entry is compared with its hash before it is used, and settings.py uses no folder
that others may write to. Entries appear whole, by a rename; processes may share the folder.
"""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import shutil

from mlgc.errors import UsageError
from mlgc.settings import logger

_UNITS = {"": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def limit() -> int:
    """Bytes that are kept: MLGC_CACHE_SIZE, as the driver reads it (512MiB, 4GiB), else 1 GiB. UsageError: no such size."""
    text = os.environ.get("MLGC_CACHE_SIZE", "1GiB")
    found = re.fullmatch(r"(\d+)(KiB|MiB|GiB|)", text)
    if found is None:
        raise UsageError(f"MLGC_CACHE_SIZE={text} is no size; write 512MiB or 4GiB")
    return int(found[1]) * _UNITS[found[2]]


def intact(entry: pathlib.Path) -> bool:
    """Whether an entry is there and is what was written. One that is damaged is removed, with a warning; one that is there counts
    as used now."""
    artifact = entry / "model.mlgcx"
    try:
        files = json.loads((artifact / "manifest.json").read_text(encoding="utf-8"))["files"]
    except FileNotFoundError:
        return False
    except (OSError, ValueError, KeyError):
        files = []
    try:
        whole = bool(files) and all(_digest(artifact / file["name"]) == file["sha256"] for file in files)
    except OSError:
        whole = False
    if not whole:
        logger.warning("the cache entry %s is damaged and is compiled again", entry)
        shutil.rmtree(entry, ignore_errors=True)
        return False
    os.utime(entry)
    return True


def _digest(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def trim(folder: pathlib.Path, keep: pathlib.Path) -> None:
    """Removes what was not used for longest, until the folder holds no more than limit(). `keep` stays."""
    entries = []
    for entry in folder.iterdir():
        try:
            if not entry.name.startswith("."):
                entries.append((entry.stat().st_mtime_ns, sum(file.stat().st_size for file in entry.rglob("*")), entry))
        except OSError:
            continue  # another process has removed it
    total = sum(size for _, size, _ in entries)
    for _, size, entry in sorted(entries):
        if total <= limit():
            return
        if entry != keep:
            shutil.rmtree(entry, ignore_errors=True)
            total -= size
