"""python -m mlgc COMMAND …: commands of this package, and all those of the driver.

    python -m mlgc breaks model.py:f --inputs=2x3xf32      where torch.compile leaves the graph, and why
    python -m mlgc compare-backends model.py:make          backends of torch.compile side by side
    python -m mlgc eval model.mlir --random-inputs=1       what the driver does with the same words

A command of this package is a module with `main(arguments) -> exit code`. Any other command is the driver's, whose exit code
becomes that of this process.
"""
from __future__ import annotations

import importlib
import os
import sys

from mlgc import driver
from mlgc.errors import DriverNotFound

# Commands of this package by name: the module that has them, and a line of help.
COMMANDS = {
    "breaks": ("mlgc.graph_breaks.command", "Explains the graph breaks of a function or module, and repairs what it can"),
    "compare-backends": ("mlgc.comparing", "Compares backends of torch.compile on a model: results, first and later calls, recompilations"),
}


def main(arguments: list[str]) -> int:
    """Runs a command of the package, or becomes the driver. The exit code."""
    if arguments and arguments[0] in COMMANDS:
        return int(importlib.import_module(COMMANDS[arguments[0]][0]).main(arguments[1:]))
    try:
        program = str(driver.find())
    except DriverNotFound as error:
        print(f"mlgc: error: {error}", file=sys.stderr)
        return 1
    if not arguments or arguments[0] in ("-h", "--help"):
        print("Commands of the Python package, by `python -m mlgc`:\n")
        for name, (_, summary) in COMMANDS.items():
            print(f"  {name:26}{summary}")
        print("\nCommands of the driver:\n", flush=True)
    os.execv(program, [program, *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
