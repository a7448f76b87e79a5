"""Imports models that PyTorch exports, evaluates them with the interpreter as they are, after -O2, and after -O2 as kernels
and drivers of the level `loops`, interpreted and compiled; compares with PyTorch's outputs; holds the texts to what the
cases of make_models.py say of them.

Usage: import_test.py CHECK_IMPORT EXPORTS. The exports are made below that folder where they are not there yet
(scripts/model_exports.py). Exit code 77 (skipped) when torch is missing.
"""

import os
import pathlib
import re
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
import model_exports


FLAGS = ["-O2"]
# Lowering and interpreting all models and compiling each third of them: compiling takes longer than all else. Another seed
# (scripts/test --seed) takes another third.
SEED = int(os.environ.get("MLGC_TEST_SEED", "0"))
COMPILED_ONE_IN = 3
LOOPS = [*FLAGS, "--to=plan"]


def text_faults(case, output):
    imported, after = output.split("=== after ", 1)
    stated = re.findall(r"func @forward.* where (.*) \{$", imported, re.MULTILINE)
    for constraint in case.where:
        if constraint not in (stated[0].split(", ") if stated else []):
            yield f"the imported text does not state `{constraint}`"
    if case.gone and f" = {case.gone} " not in imported:
        yield f"the imported text has no `{case.gone}`"
    if case.gone and f" = {case.gone} " in after:
        yield f"`{case.gone}` is left"
    for op, count in case.left.items():
        found = after.count(f" = {op} ")
        if found != count:
            yield f"{found} `{op}` are left, not {count}"


def lowered(check_import, model, arrays, compiled):
    """What is wrong with the model as loops, or nothing."""
    done = subprocess.run([check_import, model, arrays, *LOOPS, *(["--compiled"] if compiled else [])], capture_output=True, text=True, check=False)
    if done.returncode and make_models.is_rounding(model.name.split(".")[0], make_models.wrong_results(done.stdout)):
        return None
    return f"as loops: exit code {done.returncode}\n{done.stderr}" if done.returncode else None


def main(check_import, folder):
    failures = 0
    exports, cases = model_exports.make_exports(pathlib.Path(folder)), make_models.cases_by_name()
    with tempfile.TemporaryDirectory() as name:
        # The root folder inside the archive keeps the old name.
        renamed = pathlib.Path(name) / "renamed.pt2"
        shutil.copy(exports / "mlp_static.pt2", renamed)
        shutil.copy(exports / "mlp_static.npz", renamed.with_suffix(".npz"))
        cases["renamed"] = cases["mlp_static"]
        models = sorted([*exports.glob("*.pt2"), renamed], key=lambda model: model.name)
        compiled = 0
        for number, model in enumerate(models):
            case = model.name.split(".")[0]
            arrays = model.with_name(f"{case}.npz")
            done = subprocess.run([check_import, model, arrays, *FLAGS], capture_output=True, text=True, check=False)
            faults = [f"exit code {done.returncode}"] if done.returncode else list(text_faults(cases[case], done.stdout))
            chosen = (number + SEED) % COMPILED_ONE_IN == 0
            compiled += chosen
            fault = lowered(check_import, model, arrays, chosen)
            faults += [fault] if fault else []
            failures += bool(faults)
            print(f"{model.name}: {'FAILED: ' + ', '.join(faults) if faults else 'ok'}\n{done.stdout}{done.stderr}")
    print(f"{len(models) - failures} of {len(models)} models agree with PyTorch, before and after {' '.join(FLAGS)}, and as "
          f"loops; {compiled} of them compiled")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
