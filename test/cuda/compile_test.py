"""The samples and the programs of this folder as CUDA, each compiled to a cubin without a warning.

Exit codes: 0 all compile, 1 one does not, 77 no nvcc.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

# Samples that no target but one of its own computes, and what is said.
REFUSED = {"segments": "a segment of an external target"}


def nvcc():
    """On the path, or of the packages in the environment of this Python."""
    if found := shutil.which("nvcc"):
        return found
    places = sorted(pathlib.Path(sys.prefix).glob("lib/python*/site-packages/nvidia/cu*/bin/nvcc"))
    return str(places[-1]) if places else None


def check(options, compiler, source):
    """What is wrong, or nothing."""
    folder = options.work / source.stem
    emitted = subprocess.run([options.mlgc, "emit", source, "--random-weights=1", "--target=cuda", "-o", folder],
                             capture_output=True, text=True)
    if source.stem in REFUSED:
        return None if emitted.returncode == 3 and REFUSED[source.stem] in emitted.stderr else \
            f"is not refused as it should be: {emitted.stderr}"
    if emitted.returncode != 0:
        return f"is not emitted: {emitted.stderr}"
    compiled = subprocess.run([compiler, "-std=c++17", "-O1", "-arch=sm_90", "--fmad=false", "-Werror", "all-warnings", "-cubin",
                               "-I.", "model.cu", "-o", "model.cubin"], cwd=folder, capture_output=True, text=True)
    return None if compiled.returncode == 0 else f"does not compile: {compiled.stderr}{compiled.stdout}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("mlgc", "samples", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = parser.parse_args()
    compiler = nvcc()
    if compiler is None:
        print("skipped: nvcc is not found; `scripts/setup --cuda` installs one")
        return 77
    options.work.mkdir(parents=True, exist_ok=True)
    sources = sorted(options.samples.glob("*.mlir")) + sorted(pathlib.Path(__file__).parent.glob("*.mlir"))
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, problem in zip(sources, pool.map(lambda one: check(options, compiler, one), sources)):
            if problem:
                wrong += 1
                print(f"{source.stem} {problem}")
    print(f"{len(sources) - wrong} of {len(sources)} programs are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
