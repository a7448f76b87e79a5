"""Weights of GGUF files against what the package `gguf` makes of the same files, bit for bit; and a quantised module with them.

Usage: gguf_test.py MLGC. Exit code 77 (skipped) when the package is missing (scripts/setup --zoo installs it).
"""

import pathlib
import subprocess
import sys
import tempfile

try:
    import gguf
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

KINDS = gguf.GGMLQuantizationType
TYPES = {"f32": KINDS.F32, "f16": KINDS.F16, "bf16": KINDS.BF16, "q4_0": KINDS.Q4_0, "q8_0": KINDS.Q8_0, "q4_k": KINDS.Q4_K, "q6_k": KINDS.Q6_K}
ROWS, COLUMNS = 7, 512


def mlgc(driver, *words):
    done = subprocess.run([driver, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"mlgc {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def bits(array):
    """NaN is one value: the package has the payload that the hardware makes."""
    return np.where(np.isnan(array), np.float32(np.nan), array).view(np.uint32)


def any_bytes(folder, driver):
    """Blocks of random bytes, so scales of every kind, of infinities and NaN too."""
    generator = np.random.default_rng(1)
    path, expected = folder / "any.gguf", {}
    writer = gguf.GGUFWriter(path, "test")
    writer.add_array("words", ["a", "", "b"])
    writer.add_float64("number", 0.5)
    for name, kind in TYPES.items():
        elements, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = generator.integers(0, 256, (ROWS, COLUMNS // elements * size), dtype=np.uint8)
        writer.add_tensor(name, blocks, raw_dtype=kind)
        expected[name] = gguf.quants.dequantize(blocks, kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    items = "".join(f"weight @{name} : tensor<{ROWS}x{COLUMNS}xf32>\n" for name in TYPES)
    reads = "".join(f"  %r_{name} = read @{name}\n  %{name} = mul %r_{name} {{other = 1}}\n" for name in TYPES)
    results = ", ".join(f"tensor<{ROWS}x{COLUMNS}xf32>" for _ in TYPES)
    module = folder / "any.mlir"
    module.write_text(f"{items}func @f() -> ({results}) {{\n{reads}  return {', '.join('%' + name for name in TYPES)}\n}}\n", encoding="utf-8")
    mlgc(driver, "eval", module, f"--weights={path}", f"--output=@{folder / 'any.npz'}")
    with np.load(folder / "any.npz") as made:
        for name, wanted in expected.items():
            wrong = int((bits(made[name]) != bits(wanted.astype(np.float32))).sum())
            finite = int(np.isfinite(wanted).sum())
            if wrong or finite < wanted.size // 2:
                yield f"{name}: {wrong} of {wanted.size} elements differ; {finite} are finite"


def kept_quantised(folder, driver):
    """Numbers and scales of Q8_0 and Q4_0 come back exactly from floats: a module that is quantised alike loses nothing."""
    generator = np.random.default_rng(2)
    values = generator.standard_normal((48, 256)).astype(np.float32)
    module = folder / "model.mlir"
    module.write_text("weight @w : tensor<48x256xf32>\nfunc @f(%x: tensor<2x256xf32>) -> tensor<2x48xf32> {\n  %w = read @w\n"
                      "  %y = linear %x, %w\n  return %y\n}\n", encoding="utf-8")
    for dtype, kind in (("int8", KINDS.Q8_0), ("int4", KINDS.Q4_0)):
        path = folder / f"{dtype}.gguf"
        writer = gguf.GGUFWriter(path, "test")
        writer.add_tensor("w", gguf.quants.quantize(values, kind), raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        said = mlgc(driver, "quantize", module, f"--dtype={dtype}", "--group=32", f"--weights={path}", "--random-inputs=1")
        if "error 0 %" not in said.splitlines()[0]:
            yield f"{kind.name}: {said}"


def main(driver):
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        for case in (any_bytes, kept_quantised):
            faults = list(case(pathlib.Path(name), driver))
            failures += bool(faults)
            print(f"{case.__name__}: " + ("\n  ".join(["FAILED", *faults]) if faults else "ok"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
