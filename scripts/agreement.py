"""The package's mlgc.agreement, for scripts, which do not install it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools/python"))
from mlgc.agreement import TYPES, array_of, differences, worst_of_neighbours  # noqa: E402, F401
