"""Imports models that PyTorch exports, evaluates them with the interpreter, and compares with PyTorch's outputs.

Usage: import_test.py CHECK_IMPORT. Exit code 77 (skipped) when torch is missing.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np  # noqa: F401
    import torch  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import make_models


def main(check_import):
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_models.main(folder)
        # The root folder inside the archive keeps the old name.
        shutil.copy(folder / "mlp_static.pt2", folder / "renamed.pt2")
        shutil.copy(folder / "mlp_static.npz", folder / "renamed.npz")
        models = sorted(folder.glob("*.pt2"))
        for model in models:
            tensors = folder / (model.name.split(".")[0] + ".npz")
            done = subprocess.run([check_import, model, tensors], capture_output=True, text=True, check=False)
            failures += done.returncode != 0
            print(f"{model.name}: {'ok' if done.returncode == 0 else 'FAILED'}\n{done.stdout}{done.stderr}")
    print(f"{len(models) - failures} of {len(models)} models agree with PyTorch")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
