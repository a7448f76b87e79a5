"""Evaluates the models of make_models.py with PyTorch, op by op through the plug-in, and compares with the interpreter;
what the interpreter ran instead must be one of the rows below.

Usage: backends_test.py MLGC EXPORTS. The exports are made below that folder where they are not there yet
(scripts/model_exports.py). Exit code 77 (skipped) when torch is missing.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import model_exports  # noqa: E402

# Rows without a counterpart in ATen.
LEFT = {"bernoulli", "check", "constant", "conv_weight_gradient", "dim", "dropout", "group_norm", "if", "max_pool2d_backward",
        "nonzero", "normal", "randint", "range", "read", "scan", "uniform", "upsample_bicubic2d_aa", "upsample_bilinear2d",
        "while"}
# Statistics of a layer norm with weights in f32 beside values of 16 bits are f32 in ATen.
LEFT_IN = {"autocast": {"layer_norm"}}


def faults(mlgc, model, folder):
    case = model.name.split(".")[0]
    arrays = np.load(model.parent / f"{case}.npz")
    inputs = []
    while f"call0.in{len(inputs)}" in arrays:
        file = folder / f"{len(inputs)}.npy"
        np.save(file, arrays[f"call0.in{len(inputs)}"])
        inputs.append(f"--input=@{file}")
    done = subprocess.run([mlgc, "eval", model, *inputs, "--backend=torch", "--compare=interp"], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        yield f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    if " by torch: agrees" not in done.stdout or " by interp: agrees" not in done.stdout:
        yield "nothing was compared"
    note = re.search(r"(\d+) of (\d+) ops ran in PyTorch .*, the interpreter ran the others: (.*)", done.stderr)
    for row in re.findall(r"(?:^|, )\d+ (\w+)", note[3]) if note else []:
        if row not in LEFT | LEFT_IN.get(case, set()):
            yield f"`{row}` ran in the interpreter"


def main(mlgc, folder):
    failures = 0
    exports = model_exports.make_exports(pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as name:
        # Of the many spellings of attention a few are enough.
        models = [model for model in sorted(exports.glob("*.pt2"))
                  if not model.name.startswith(("attention_by_hand", "attention_heads_", "attention_s"))]
        for model in models:
            found = list(faults(mlgc, model, pathlib.Path(name)))
            failures += bool(found)
            if found:
                print(f"{model.name}: {'; '.join(found)}")
    print(f"{len(models) - failures} of {len(models)} models agree in PyTorch and in the interpreter")
    return 1 if failures or not models else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
