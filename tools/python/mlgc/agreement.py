"""Asks mlgc whether arrays that another program computed agree with PyTorch's: lib/tensor/compare.h is the one definition,
and a function that returns its arguments brings them there (`mlgc eval --expect`)."""
from __future__ import annotations

import os
import pathlib
import re
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

TYPES = {"bool": "i1", "int8": "i8", "uint8": "ui8", "int16": "i16", "int32": "i32", "int64": "i64", "float16": "f16",
         "float32": "f32", "float64": "f64"}


def differences(mlgc: str | os.PathLike[str], values: Sequence[Any], exact: Sequence[Any], eager: Sequence[Any],
                folder: pathlib.Path | None = None) -> dict[int, str]:
    """Verdicts of those numpy arrays that do not agree, by number. `exact` is computed in f64, `eager` in the dtype of `values`."""
    if not values:
        return {}
    if folder is None:
        with tempfile.TemporaryDirectory() as made:
            return differences(mlgc, values, exact, eager, pathlib.Path(made))
    import numpy

    kinds = ["tensor<" + "x".join([*map(str, value.shape), TYPES[str(value.dtype)]]) + ">" for value in values]
    given = [f"a{i}" for i in range(len(values))]
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in zip(given, kinds, strict=True))
    module = folder / "given.mlir"
    module.write_text(f"func @given({arguments}) -> ({', '.join(kinds)}) {{\n  return {', '.join('%' + n for n in given)}\n}}\n")
    numpy.savez(folder / "given.npz", **dict(zip(given, values, strict=True)))
    numpy.savez(folder / "expected.npz", **{f"result{i}": value for i, value in enumerate(exact)},
                **{f"result{i}.eager": value for i, value in enumerate(eager)})
    done = subprocess.run([mlgc, "eval", module, f"--input=@{folder / 'given.npz'}", f"--expect=@{folder / 'expected.npz'}"],
                          capture_output=True, text=True, check=False)
    lines = re.findall(r"^(?:a|result)(\d+): (.*)$", done.stdout, re.MULTILINE)
    if len(lines) != len(values):
        raise RuntimeError(f"mlgc eval: exit code {done.returncode}: {done.stderr}{done.stdout[:200]}")
    return {int(number): verdict for number, verdict in lines if verdict != "agrees"}
