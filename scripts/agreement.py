"""The package's comparison of arrays, for scripts and tests that find modules in this folder."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools/python"))
from mlgc.agreement import differences  # noqa: F401  what they import from here
