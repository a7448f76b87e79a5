"""The samples and the programs of this folder as CUDA, each compiled without a warning, for GPUs whose kernels overlap and for
older ones. Where they overlap, no kernel touches memory of the device before it has waited for earlier ones. Kernels keep their
values in registers: nvcc reports what it spills.

Exit codes: 0 all compile, 1 one does not, 77 no nvcc.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

# Samples that no target but one of its own computes, and what is said.
REFUSED = {"segments": "a segment of an external target"}

ARCHES = ["sm_80", "sm_90a"]
# Bytes of a thread that may be spilled: nvcc gives up to eight registers back where more threads then share a multiprocessor.
MOST_SPILLED = 32
# Kernels that spill more, as docs/limits.md says, by a part of their names: the gathered factor of convolution_windows.mlir lacks 17
# registers of 255; pieces of rows that are not aligned move between threads beside 96 sums (odd_rows.mlir, products.mlir).
SPILLING = {("sm_80", "one_side"): 68, ("sm_90a", "odd_0_kernel2"): 92, ("sm_90a", "batches_0_matmul_kernel2"): 140}


def nvcc():
    """On the path, or of the packages in the environment of this Python."""
    if found := shutil.which("nvcc"):
        return found
    places = sorted(pathlib.Path(sys.prefix).glob("lib/python*/site-packages/nvidia/cu*/bin/nvcc"))
    return str(places[-1]) if places else None


def check(options, compiler, source):
    """What is wrong, or nothing."""
    folder = options.work / source.parent.name / source.stem
    folder.parent.mkdir(exist_ok=True)
    emitted = subprocess.run([options.mlgc, "emit", source, "--random-weights=1", "--target=cuda", "-o", folder],
                             capture_output=True, text=True)
    if source.stem in REFUSED:
        return None if emitted.returncode == 3 and REFUSED[source.stem] in emitted.stderr else \
            f"is not refused as it should be: {emitted.stderr}"
    if emitted.returncode != 0:
        return f"is not emitted: {emitted.stderr}"
    for arch in ARCHES:
        (folder / arch).mkdir(exist_ok=True)
        compiled = subprocess.run([compiler, "-std=c++17", "-O1", f"-arch={arch}", "--fmad=false", "-Werror", "all-warnings",
                                   "-Xptxas", "-v", "-cubin", "--keep", f"--keep-dir={arch}", "-I.", "model.cu", "-o", "model.cubin"],
                                  cwd=folder, capture_output=True, text=True)
        if compiled.returncode != 0:
            return f"does not compile for {arch}: {compiled.stderr}{compiled.stdout}"
        if wrong := spills(compiled.stderr + compiled.stdout, arch):
            return f"for {arch}: {', '.join(wrong)}"
        if wrong := early_accesses((folder / arch / "model.ptx").read_text(), waits=arch != "sm_80"):
            return f"for {arch}: {wrong}"
    return None


def spills(report, arch):
    """Kernels that spill too much, from what nvcc reports of each."""
    functions = re.split(r"^ptxas info\s+: Compiling entry function '", report, flags=re.MULTILINE)[1:]
    found = [(text.split("'")[0], re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", text)) for text in functions]
    if not found or not all(match for _, match in found):
        return ["nvcc reports no registers"]
    def most(name):
        return max([MOST_SPILLED] + [known for (of, part), known in SPILLING.items() if of == arch and part in name])

    return [f"{name} spills {match[1]} bytes" for name, match in found if int(match[1]) > most(name)]


def early_accesses(text, waits):
    """What is wrong with kernels in PTX: each waits, if it should, before it accesses memory of the device."""
    for kernel in re.split(r"^\.(?:visible )?\.?entry ", text, flags=re.MULTILINE)[1:]:
        name = kernel.split("(")[0]
        before, wait, _ = kernel.partition("griddepcontrol.wait;")
        if bool(wait) != waits:
            return f"{name} {'waits' if wait else 'does not wait'} for earlier kernels"
        if waits and (access := re.search(r"^\s*(?:@\S+ )?(?:ld|st|atom|red)\.(?!param|shared|local).*", before, re.MULTILINE)):
            return f"{name} does `{access[0].strip()}` before it waits"
    return None


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
                print(f"{source.parent.name}/{source.stem} {problem}")
    print(f"{len(sources) - wrong} of {len(sources)} programs are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
