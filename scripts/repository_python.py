"""Lets a script find the Python that scripts/setup made, so that `scripts/export …` works as it stands."""
import importlib.util
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def use(module="torch"):
    """Goes on under the Python of MLGC_PYTHON or `.venv`, where this one lacks the module."""
    if importlib.util.find_spec(module) is not None or "MLGC_PYTHON_CHOSEN" in os.environ:
        return
    python = pathlib.Path(os.environ.get("MLGC_PYTHON") or ROOT / ".venv/bin/python")
    if python.exists():
        os.environ["MLGC_PYTHON_CHOSEN"] = str(python)  # once: it may lack the module as well
        os.execv(python, [str(python), *sys.argv])
