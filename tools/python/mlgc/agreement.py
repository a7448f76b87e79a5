"""Asks mlgc whether tensors that another program computed agree with PyTorch's: lib/tensor/compare.h is the one definition,
and a function that returns its arguments brings them there (`mlgc eval --expect`)."""
from __future__ import annotations

import os
import pathlib
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

# By numpy's name of a dtype; bf16, of which numpy has none, is two bytes (array_of).
TYPES = {"bool": "i1", "int8": "i8", "uint8": "ui8", "int16": "i16", "int32": "i32", "int64": "i64", "float16": "f16",
         "|V2": "bf16", "float32": "f32", "float64": "f64"}


def array_of(tensor: torch.Tensor) -> Any:
    """A tensor as the numpy array that differences() takes."""
    import torch

    plain = tensor.detach().to_dense().resolve_conj().resolve_neg().contiguous()
    return plain.view(torch.int16).numpy().view("V2") if plain.dtype == torch.bfloat16 else plain.numpy()


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


def worst_of_neighbours(compute: Callable[[Callable[[Any], Any]], tuple[Sequence[torch.Tensor], Sequence[torch.Tensor]]],
                        eager: Sequence[torch.Tensor], exact: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Eager's results as wrong as they are on any of eight inputs within an ulp: on one alone its error is a matter of luck, as
    lib/tensor/neighbour.h says. compute(near) gives results in the case's own dtypes and in f64 of near(x) in the place of each input x."""
    import torch

    worst = list(eager)
    generator = torch.Generator().manual_seed(1)

    def near(x: torch.Tensor) -> torch.Tensor:
        if not x.is_floating_point() or x.layout != torch.strided:
            return x
        return torch.nextafter(x.detach(), x.detach() + torch.randn(x.shape, generator=generator, dtype=x.dtype))

    for _ in range(8):
        try:
            own, judge = compute(near)
        except Exception:
            continue
        for i, (a, b) in enumerate(zip(own, judge)):
            plain = a.is_floating_point() and a.layout == torch.strided
            if i >= len(worst) or not plain or a.shape != worst[i].shape or b.shape != a.shape or a.numel() == 0:
                continue
            error, so_far = a.double() - b, worst[i].double() - exact[i].double()
            if error.isfinite().all() and so_far.isfinite().all() and error.abs().max() > so_far.abs().max():
                worst[i] = (exact[i].double() + error).to(a.dtype)
    return worst
