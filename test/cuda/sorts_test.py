"""Sorts of sorts.mlir as emitted CUDA, in the emulation, at lengths around what a block sorts and what it merges, against numpy: the
places of equal elements, of both zeros, of infinities and NaN, and the bits of values.

Usage: sorts_test.py --mlgc MLGC --work FOLDER [--compiler CXX]
Exit codes: 0 all is right, 1 something is not, 77 no numpy.
"""
import argparse
import os
import pathlib
import sys

import emulated_test
from emulated_test import cuda_host, np

PROGRAM = pathlib.Path(__file__).resolve().parent / "sorts.mlir"
LENGTHS = (0, 1, 256, 257, 2049, 8193, 16385)
# By function: the axis, whether the greatest is first, how many are kept (0: all).
ORDERS = {"rows": (1, False, 0), "best": (1, True, 5), "known": (0, True, 0), "known_wide": (0, False, 0), "short_wide": (1, False, 0),
          "known_best": (1, True, 3), "short": (1, False, 0), "short_columns": (1, True, 0), "short_best": (1, True, 7)}


def values(random, shape, dtype):
    """Few different ones among many, or all different; of floats both zeros, infinities and NaN among them."""
    if dtype == "int64":
        ends = np.iinfo("int64")
        return np.where(random.random(shape) < 0.5, random.integers(-9, 9, shape), random.integers(ends.min, ends.max, shape))
    numbers = random.standard_normal(shape)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5])
    mixed = np.where(random.random(shape) < 0.3, special[random.integers(0, len(special), shape)], numbers)
    if dtype == "uint16":  # bf16: the upper half of f32
        return (mixed.astype("float32").view("uint32") >> 16).astype("uint16")
    return mixed.astype(dtype)


def wanted(array, axis, descending, kept):
    numbers = (array.astype("uint32") << 16).view("float32") if array.dtype == "uint16" else array
    ranks = np.unique(numbers, return_inverse=True)[1].reshape(array.shape)  # one of all NaN, the last, and one of both zeros
    places = np.argsort(-ranks if descending else ranks, axis=axis, kind="stable")
    if kept:
        places = places.take(range(kept), axis=axis)
    return np.take_along_axis(array, places, axis), places


def faults(model, number, lengths):
    signature = model.signature(number)
    name = signature.name.decode()
    axis, descending, kept = ORDERS[name]
    value = signature.inputs[0]
    dims = [(dim.constant, dim.text.decode()) for dim in value.dims[:value.rank]]
    for length in lengths if any(constant < 0 for constant, _ in dims) else (None,):
        if length is not None and length < kept:
            continue
        shape = [constant if constant >= 0 else length if text == "N" else 2 for constant, text in dims]
        array = values(np.random.default_rng(length), shape, cuda_host.DTYPES[value.dtype])
        given = array.view("V2") if array.dtype == "uint16" else array
        results, error = emulated_test.call(model.folder, number, [given.copy()])
        if error:
            yield f"{name} of {length}: {error}"
            continue
        for found, right in zip(results.values(), wanted(array, axis, descending, kept)):
            if found.tobytes() != np.ascontiguousarray(right).tobytes():
                yield f"{name} of {length}: not what numpy says"


def main():
    parser = argparse.ArgumentParser()
    for name in ("mlgc", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    options.runtime, options.programs = options.work / "runtime", [PROGRAM]
    folder = options.work / "sorts"
    wrong = (emulated_test.build_runtime(options) or emulated_test.emit(options, PROGRAM, folder)
             or emulated_test.build(options, folder))
    if wrong:
        print(wrong)
        return 1
    os.environ |= {"MLGC_EMULATED_ORDER": "forward", "MLGC_EMULATED_CHIP_BYTES": "232448", "MLGC_EMULATED_BLOCKS": "1000000"}
    model = cuda_host.Model(folder)
    model.folder = folder
    found = [fault for number in range(model.library.mlgc_function_count(model.program)) for fault in faults(model, number, LENGTHS)]
    print("\n".join(found) or "all rows are sorted")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
