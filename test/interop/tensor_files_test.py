"""Holds our .npz and .safetensors files against NumPy and the safetensors package, in both directions.

Usage: tensor_files_test.py CONVERT_TENSORS. Exit code 77 (skipped) when a package is missing.
"""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy as np
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]
SHAPES = [(), (3,), (2, 0, 4), (2, 3, 5)]


def samples():
    rng = np.random.default_rng(1)
    tensors = {}
    for dtype in DTYPES:
        for shape in SHAPES:
            values = np.asarray(rng.normal(size=shape) * 3)
            tensors[f"{dtype}_{len(shape)}"] = np.asarray(values > 0) if dtype == "bool" else values.astype(dtype)
    tensors["special"] = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], dtype=np.float32)
    return tensors


def expect_same(left, right, what):
    assert sorted(left) == sorted(right), f"{what}: names {sorted(left)} and {sorted(right)}"
    for name in left:
        a, b = left[name], right[name]
        assert a.dtype.newbyteorder("=") == b.dtype and a.shape == b.shape, f"{what}: {name}: {a.dtype}{a.shape} {b.dtype}{b.shape}"
        little = np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<"))
        assert little.tobytes() == b.tobytes(), f"{what}: {name} differs"


def main():
    convert = sys.argv[1]
    tensors = samples()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def run(source, target):
            subprocess.run([convert, folder / source, folder / target], check=True)
            return folder / target

        np.savez(folder / "stored.npz", **tensors)
        np.savez_compressed(folder / "deflated.npz", **tensors)
        awkward = {name: np.array(t, dtype=t.dtype.newbyteorder(">"), order="F") for name, t in tensors.items()}
        np.savez(folder / "awkward.npz", **awkward)
        save_file(tensors, folder / "theirs.safetensors")
        for source in ("stored.npz", "deflated.npz", "awkward.npz", "theirs.safetensors"):
            ours = run(source, "ours.npz")
            expect_same(tensors, dict(np.load(ours, allow_pickle=False)), f"{source} to .npz")
            assert zipfile.ZipFile(ours).testzip() is None, f"{source}: Python's zipfile finds damage"
            expect_same(tensors, load_file(run(source, "ours.safetensors")), f"{source} to .safetensors")

        try:
            import torch
            from safetensors.torch import load_file as load_torch, save_file as save_torch
        except ImportError:
            print("bf16 not compared: no torch")
            return
        bf16 = {"x": torch.linspace(-3, 3, 7).bfloat16(), "odd": torch.ones(3, dtype=torch.int8)}
        save_torch(bf16, folder / "bf16.safetensors")
        back = load_torch(run("bf16.safetensors", "bf16_ours.safetensors"))
        assert all(torch.equal(bf16[name], back[name]) and bf16[name].dtype == back[name].dtype for name in bf16)
        with safe_open(folder / "bf16_ours.safetensors", "pt") as file:
            assert sorted(file.keys()) == ["odd", "x"]


main()
