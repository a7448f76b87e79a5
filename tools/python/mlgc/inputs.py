"""Example inputs as texts, in the grammar of `mlgc eval --input`."""
from __future__ import annotations

import importlib
import pathlib
import re
from typing import Any

import torch

from mlgc.errors import UsageError

GRAMMAR = """[NAME=]SHAPExTYPE[=VALUE]  a tensor: 2x3xf32, mask=4xi1=1, ids=2x7xi64=rand:lo=0,hi=50; VALUE is rand, iota,
                          rand:seed=1,lo=-1,hi=1, a number for every element, numbers with commas, or @file.npy;
                          without it rand
[NAME=]NUMBER             a number of Python: 3, 0.5, True
@file.npz                 arrays by name; arr_0, arr_1, … by position
package.module:function   a function that returns the arguments as a tuple, or (tuple, dict)"""

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "ui8": torch.uint8, "i1": torch.bool}
SEED = 0
_SHAPE = re.compile(r"(?:\d+x)*(?:" + "|".join(DTYPES) + r")")


def parse_all(texts: list[str]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments by position and by name. UsageError: a text has another form. ImportError, OSError, or whatever it raises: a function or
    a file that is named."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for text in texts:
        if text.startswith("@") and text.endswith(".npz"):
            for name, value in _arrays(text).items():
                if re.fullmatch(r"arr_\d+", name):
                    args.append(value)
                else:
                    kwargs[name] = value
        elif re.fullmatch(r"[\w.]+:\w+", text) and not _SHAPE.match(text.partition(":")[0]):
            made = _made_by(text)
            args += made[0]
            kwargs |= made[1]
        else:
            name, value = parse(text)
            if name:
                kwargs[name] = value
            else:
                args.append(value)
    return args, kwargs


def _arrays(text: str) -> dict[str, torch.Tensor]:
    import numpy

    with numpy.load(text[1:]) as file:
        return {name: torch.from_numpy(file[name]) for name in file.files}


def _made_by(text: str) -> tuple[list[Any], dict[str, Any]]:
    module, _, name = text.partition(":")
    function = getattr(importlib.import_module(module), name, None)
    if not callable(function):
        raise UsageError(f"--inputs={text}: `{module}` has no function `{name}`")
    made = function()
    if isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], tuple) and isinstance(made[1], dict):
        return list(made[0]), made[1]
    return (list(made), {}) if isinstance(made, (tuple, list)) else ([made], {})


def parse(text: str) -> tuple[str, Any]:
    """One input as (name or "", value). UsageError: see GRAMMAR."""
    name, rest = "", text
    if (found := re.match(r"([A-Za-z_]\w*)=", text)) and not _SHAPE.fullmatch(found[1]):
        name, rest = found[1], text[found.end():]
    shape, _, value = rest.partition("=")
    if _SHAPE.fullmatch(shape):
        *sizes, kind = shape.split("x")
        return name, tensor(text, [int(size) for size in sizes], DTYPES[kind], value or "rand")
    if rest in ("True", "False"):
        return name, rest == "True"
    for number in (int, float):
        try:
            return name, number(rest)
        except ValueError:
            continue
    raise UsageError(f"{text} is no input; write [NAME=]SHAPExTYPE[=VALUE], e.g. tokens=2x7xi64=rand:lo=0,hi=50")


def tensor(text: str, sizes: list[int], dtype: torch.dtype, value: str) -> torch.Tensor:
    """`value` as a tensor; `text` is what an error names."""
    if value.startswith("@"):
        import numpy

        given = torch.from_numpy(numpy.load(pathlib.Path(value[1:]))).to(dtype)
        if list(given.shape) != sizes:
            raise UsageError(f"{text}: the file has the shape {list(given.shape)}")
        return given
    count = torch.Size(sizes).numel()
    if value == "iota":
        return torch.arange(count).to(dtype).reshape(sizes)
    if not value.startswith("rand"):
        try:
            numbers = [float(number) if dtype.is_floating_point else int(number) for number in value.split(",")]
        except ValueError:
            raise UsageError(f"{text}: `{value}` is no value; there are rand, iota, a number, numbers with commas, and @file.npy") from None
        if len(numbers) not in (1, count):
            raise UsageError(f"{text}: {len(numbers)} numbers for {count} elements")
        return torch.tensor(numbers * (count if len(numbers) == 1 else 1), dtype=dtype).reshape(sizes)
    options = dict(pair.partition("=")[::2] for pair in value.partition(":")[2].split(",") if pair)
    if not options.keys() <= {"seed", "lo", "hi"}:
        raise UsageError(f"{text}: rand takes seed, lo and hi")
    try:
        generator = torch.Generator().manual_seed(int(options.get("seed", SEED)))
        if not dtype.is_floating_point:
            return torch.randint(int(options.get("lo", 0)), int(options.get("hi", 2)), sizes, generator=generator).to(dtype)
        if "lo" in options or "hi" in options:
            low, high = float(options.get("lo", 0)), float(options.get("hi", 1))
            return (torch.rand(sizes, generator=generator) * (high - low) + low).to(dtype)
    except (ValueError, RuntimeError) as error:
        raise UsageError(f"{text}: {error}") from None
    return torch.randn(sizes, generator=generator).to(dtype)
