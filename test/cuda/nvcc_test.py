"""A CUDA artefact by nvcc itself: it needs the driver and libc alone, exports the C ABI and nothing of CUDA's, and on a machine without a
GPU says so. PTX can be shown. Skipped without nvcc.

Exit codes: 0 all holds, 1 something does not, 77 no nvcc, or none of readelf and nm.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

from compile_test import nvcc

NEEDED = {"libc.so.6", "ld-linux-x86-64.so.2", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"}


def run(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True)


def faults(options, compiler):
    options.work.mkdir(parents=True, exist_ok=True)
    model = options.work / "mlp.mlgcx"
    given = ["--random-weights=1", "--target=cuda", f"--cuda-compiler={compiler}"]
    done = run(options.mlgc, "compile", options.samples / "mlp.mlir", *given, "--arch=sm_90a", "-o", model)
    if done.returncode != 0:
        yield f"does not compile: {done.stderr}"
        return
    dynamic = run("readelf", "-d", model / "model.so").stdout
    needed = {line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line}
    if not needed or needed - NEEDED:
        yield f"it needs {sorted(needed)}"
    symbols = {line.split()[-1] for line in run("nm", "-D", "--defined-only", model / "model.so").stdout.splitlines()}
    others = {name for name in symbols if not name.startswith("mlgc_")}
    if "mlgc_unit_mlp" not in symbols or others:
        yield f"it exports {sorted(others)}"
    ptx = run(options.mlgc, "emit", options.samples / "mlp.mlir", *given, "--form=ptx", "--arch=sm_80")
    if ptx.returncode != 0 or ".target sm_80" not in ptx.stdout:
        yield f"no PTX: {ptx.stderr}{ptx.stdout[:200]}"
    called = run(options.mlgc, "run", model, "--random-inputs=1", "--dim=B=3")
    here = pathlib.Path("/dev/nvidiactl").exists()
    if here != (called.returncode == 0) or not here and (called.returncode != 3 or "cannot run on device 0" not in called.stderr):
        yield f"run: exit code {called.returncode}: {called.stderr}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("mlgc", "samples", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = parser.parse_args()
    compiler = nvcc()
    if compiler is None or not all(map(shutil.which, ("readelf", "nm"))):
        print("skipped: nvcc, readelf or nm is not found")
        return 77
    found = list(faults(options, compiler))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
