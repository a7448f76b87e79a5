"""Imports modules that PyTorch saves as TorchScript, evaluates them with the interpreter as they are and after -O2, and
compares with PyTorch's outputs.

Usage: torchscript_test.py CHECK_IMPORT PLUGIN. Exit code 77 (skipped) when torch is missing.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np  # noqa: F401
    import torch  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import make_scripts


def main(check_import, plugin):
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cases = make_scripts.main(folder)
        for case, made in cases.items():
            types = [f"--input-type={stated}" for stated in made.types]
            done = subprocess.run([check_import, folder / f"{case}.pt", folder / f"{case}.npz", *types, "-O2"],
                                  capture_output=True, text=True, check=False,
                                  env={**os.environ, "MLGC_TORCH_PLUGIN": plugin})
            failures += done.returncode != 0
            print(f"{case}: {'FAILED' if done.returncode else 'ok'}\n{done.stdout}{done.stderr}")
    print(f"{len(cases) - failures} of {len(cases)} modules agree with PyTorch, before and after -O2")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
