"""CUDA artefacts, from `mlgc compile` to `mlgc run`, `mlgc eval --backend=cuda` and `mlgc compare`: on the emulation (emulated_nvcc.py),
which stands for nvcc and the GPU. Then what goes wrong, each with its exit code, cause and remedy.

Usage: artifacts_test.py --mlgc MLGC --samples FOLDER --work FOLDER [--compiler CXX]
Exit codes: 0 all is as it should be, 1 something is not, 77 no numpy.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
# Samples that `mlgc compare` runs on both.
COMPARED = ["layer_norm", "attention", "softmax_cross_entropy", "mixed_precision", "gather_scatter", "state_updates", "pooling"]


PRODUCT = """func @forward(%x: tensor<70x40xf32>, %w: tensor<48x40xf32>) -> tensor<70x48xf32> {
  %0 = linear %x, %w
  %1 = relu %0
  return %1
}
"""


class Check:
    def __init__(self, options):
        self.options, self.faults = options, []
        self.environment = os.environ | {"CUDACXX": f"{sys.executable} {HERE / 'emulated_nvcc.py'}",
                                         "EMULATED_CXX": options.compiler, "MLGC_CACHE": str(options.work / "cache")}

    def run(self, *words, **environment):
        return subprocess.run([str(self.options.mlgc), *map(str, words)], cwd=self.options.work, capture_output=True,
                              text=True, env=self.environment | environment)

    def refuse(self, code, kind, said, *words, **environment):
        """The command ends with this code and a diagnostic of this kind, with these texts."""
        self.expect(code, [f'"{kind}"', *said], *words, "--diagnostics=json", **environment)

    def expect(self, code, said, *words, **environment):
        """The command ends with this code, and says these texts."""
        done = self.run(*words, **environment)
        text = done.stdout + done.stderr
        missing = [one for one in said if one not in text]
        if done.returncode != code or missing:
            self.faults.append(f"mlgc {' '.join(map(str, words))}: exit code {done.returncode}, not said: {missing}\n{text}")
        return done


def works(check, samples, work):
    mlp = samples / "mlp.mlir"
    np.savez(work / "in.npz", x=np.random.default_rng(3).standard_normal((5, 8), dtype="float32"))
    compiled = ("compile", mlp, "--random-weights=1", "--target=cuda", "--arch=sm_90a", "-o", "mlp.mlgcx")
    check.expect(0, ["compiled with emulated, release 13.0"], *compiled)
    check.expect(0, ["from the cache"], *compiled)
    check.expect(0, ["cuda for x86_64-linux", "code=sm_90a", "code=[sm_80,compute_80]"], "run", "mlp.mlgcx", "--list")
    for device in ((), ("--device=cuda",), ("--device=cuda:0",)):
        check.expect(0, [], "run", "mlp.mlgcx", "--input=@in.npz", "--output=@out.npz", *device)
    check.expect(0, [], "eval", mlp, "--random-weights=1", "--input=@in.npz", "--expect=@out.npz")
    check.expect(0, [], "run", "mlp.mlgcx", "--input=@in.npz", "--output=@out.npz", "--device=cuda:1",
                 MLGC_EMULATED_DEVICES="2")
    check.expect(0, ["mlgc: @"], "run", "mlp.mlgcx", "--input=@in.npz", "--output=@out.npz", "--log=ops", "--memory")
    check.expect(0, ["not kept", "arch", "sm_80"], "explain", "cache", mlp, "--random-weights=1", "--target=cuda",
                 "--arch=sm_80")
    check.expect(0, [], *compiled[:-1], "single.mlgcx", "--single-file")
    check.expect(0, [], "run", "single.mlgcx", "--input=@in.npz", "--output=@single.npz")
    if not check.faults:
        with np.load(work / "out.npz") as one, np.load(work / "single.npz") as other:
            if any(one[name].tobytes() != other[name].tobytes() for name in one.files):
                check.faults.append("a single file computes something else")


def tunes(check, _, work):
    """Decisions that are measured, and a tile that is asked for: other text, the same results."""
    (work / "product.mlir").write_text(PRODUCT)
    check.expect(0, ["@forward.0.linear_relu\n", "default: ", "strategy=tensor-core-tiles,tile=", ", predicted ", " of 1 kernels"],
                 "tune", "product.mlir", "--target=cuda", "--min-time=0.01", "--candidates=3", "-o", "product.json")
    if check.faults:
        return
    decisions = json.loads((work / "product.json").read_text())
    kernel = decisions["kernels"][0]
    if decisions["machine"] != "h200" or len(kernel["seconds"]) != 3:
        check.faults.append(f"not what was measured: {decisions}")
    np.savez(work / "product.npz", x=np.random.default_rng(3).standard_normal((70, 40), dtype="float32"),
             w=np.random.default_rng(4).standard_normal((48, 40), dtype="float32"))
    texts = []
    for strategy, tile in (("tensor-core-tiles", "32x32"), ("tensor-core-tiles", "64x64")):
        (work / "tile.json").write_text(json.dumps(with_choice(decisions, strategy=strategy, tile=tile)))
        check.expect(0, [], "compile", "product.mlir", "--target=cuda", "--decisions=tile.json", "-o", "tile.mlgcx")
        check.expect(0, [], "run", "tile.mlgcx", "--input=@product.npz", "--output=@tile.npz")
        check.expect(0, ["agrees"], "eval", "product.mlir", "--input=@product.npz", "--expect=@tile.npz")
        check.expect(0, [tile.replace("x", " by ") + " by mma.sync"], "explain", "schedule", "product.mlir", "--target=cuda",
                     "--decisions=tile.json")
        check.expect(0, [], "emit", "product.mlir", "--target=cuda", "--decisions=tile.json", "-o", f"tile-{tile}")
        texts.append((work / f"tile-{tile}" / "model.cu").read_text())
    if texts[0] == texts[1]:
        check.faults.append("another tile is the same text")
    check.expect(0, ["; measured "], "explain", "schedule", "product.mlir", "--target=cuda", "--measure", "--min-time=0.01")
    for choice, code, kind, said in (
            ({"strategy": "tensor-core-tiles", "tile": "7x9"}, 1, "decisions-value", "is `7x9`, which is no tile of"),
            ({"strategy": "block-per-row", "tile": "64x64"}, 1, "decisions-value", "is `64x64`, which is no tile of"),
            ({"tile": "64x64"}, 1, "decisions-value", "is `64x64`, which is no tile of"),
            ({"strategy": "tensor-core-tiles", "tile": "x64"}, 1, "decisions-value", "is `x64`, which is no tile of"),
            ({"strategy": "tensor-core-tiles", "tile": "256x128"}, 1, "decision-refused", "a tile of 256 by 128 is not possible"),
            ({"strategy": "outer-product-tiles"}, 1, "decisions-value", "which is no strategy")):
        (work / "wrong.json").write_text(json.dumps(with_choice(decisions, **choice)))
        check.refuse(code, kind, [said], "emit", "product.mlir", "--target=cuda", "--decisions=wrong.json", "-o", "wrong")
    check.refuse(3, "decisions-machine", ["`h200`", "`x86-64-v4`"], "emit", "product.mlir", "--decisions=product.json",
                 "-o", "wrong")
    tune = ("tune", "product.mlir", "--target=cuda", "-o", "wrong.json")
    check.refuse(3, "device-unsupported", ["no CUDA-capable device is detected", "nvidia-smi"], *tune,
                 MLGC_EMULATED_FAILS="device")
    check.refuse(3, "device-unsupported", ["this machine has 1, numbered from 0"], *tune, "--device=cuda:1")
    check.refuse(3, "no-cuda-compiler", ["cannot run `nvcc`", "--cuda-compiler="], *tune, PATH=str(work / "nothing"), CUDACXX="")
    check.refuse(3, "bad-host-compiler", ["`no-nvcc` is not a usable CUDA compiler"], *tune, "--cuda-compiler=no-nvcc")
    check.refuse(2, "flag-conflict", ["--device=cuda", "--target=cpp"], "tune", "product.mlir", "--device=cuda")
    check.refuse(2, "flag-conflict", ["--host-compiler", "--target=cuda"], *tune, "--host-compiler=g++")


def with_choice(decisions, **choice):
    kernel = {name: value for name, value in decisions["kernels"][0].items() if name not in ("strategy", "without", "tile")}
    return decisions | {"kernels": [kernel | choice]}


def compares(check, samples, _):
    for name in COMPARED:
        source = samples / f"{name}.mlir"
        if source.exists():
            check.expect(0, ["all agree"], "compare", "--against=cuda,interp", source)
    check.expect(0, [], "eval", samples / "mlp.mlir", "-O2", "--random-weights=1", "--random-inputs=1", "--dim=B=3",
                 "--backend=cuda", "--compare=interp,cpp")
    check.expect(0, [", on cuda:0", "cuda  ", "interp  "], "bench", samples / "mlp.mlir", "--random-weights=1",
                 "--backends=cuda,interp", "--device=cuda:0", "--dim=B=4", "--min-time=0.01")


DRIVER = """
#include <stdio.h>
#include <stdlib.h>
static void note(const char* what, int number) {
  FILE* const file = fopen(getenv("ASKED_OF_DRIVER"), "a");
  fprintf(file, "%s %d\\n", what, number);
  fclose(file);
}
int cuInit(unsigned int flags) { return note("init", (int)flags), 0; }
int cuDeviceGet(int* device, int number) { return note("device", number), *device = number + 10, 0; }
int cuDevicePrimaryCtxRetain(void** context, int device) { return *context = 0, note("context", device), 0; }
"""


def starts_the_driver(check, samples, work):
    """While the model is read: a driver that notes what it is asked, and a model that is not there."""
    (work / "driver.c").write_text(DRIVER)
    compiler = [check.options.compiler, "-x", "c", "-shared", "-fPIC", "driver.c", "-o", "libcuda.so.1"]
    subprocess.run(compiler, cwd=work, check=True)
    asked = work / "asked"
    there = {"LD_LIBRARY_PATH": str(work), "ASKED_OF_DRIVER": str(asked)}
    check.expect(1, [], "eval", "missing.pt2", "--backend=cuda", "--device=cuda:1", **there)
    if asked.read_text() != "init 0\ndevice 1\ncontext 11\n":
        check.faults.append(f"the driver was asked for {asked.read_text()}")
    asked.unlink()
    check.expect(0, [], "eval", samples / "mlp.mlir", "--random-weights=1", "--random-inputs=1", "--dim=B=3", **there)
    if asked.exists():
        check.faults.append("the interpreter starts the driver")


def trains(check, samples, work):
    """A training step of `mlgc grad`: states are updated in the device's memory, the same way as by the interpreter."""
    check.expect(0, [], "grad", samples / "models/digits.pt2", "--loss=cross_entropy", "--step=adam", "-o", "step.mlir")
    check.expect(0, [], "compile", "step.mlir", "--random-weights=1", "--target=cuda", "-o", "step.mlgcx")
    given = ("--random-inputs=4", "--dim=B=4")
    for k in range(2):
        states = ("--states=@s.npz",) if k else ()
        check.expect(0, [], "run", "step.mlgcx", *given, *states, "--output=@s.npz")
    check.expect(0, [], "eval", "step.mlir", "--random-weights=1", *given, "--output=@t.npz")
    check.expect(0, [], "eval", "step.mlir", "--random-weights=1", *given, "--states=@t.npz", "--expect=@s.npz")


def refuses_values(check, samples, work):
    """What a kernel refuses is reported for the very call."""
    source = HERE / "graphs.mlir"
    given = ("--function=picked", "--input=x=2x4xf32", "--input=at=3xi64=0,9,1")
    said = ["`picked`: reading `", "at index 9 of axis 0, which has size 2"]
    check.expect(0, [], "compile", source, "--random-weights=1", "--target=cuda", "-o", "graphs.mlgcx")
    for words in (("run", "graphs.mlgcx"), ("eval", source, "--random-weights=1", "--backend=cuda")):
        check.refuse(1, "run-refused", said, *words, *given)
    check.expect(1, said, "bench", source, "--random-weights=1", "--backends=cuda", "--device=cuda:0", "--min-time=0.01", *given)


def refuses(check, samples, work):
    mlp = samples / "mlp.mlir"
    run, larger = ("run", "mlp.mlgcx", "--input=@in.npz"), ("run", "mlp.mlgcx", "--random-inputs=1", "--dim=B=60000")
    given, nothing = (mlp, "--random-weights=1", "--target=cuda"), str(work / "nothing")
    for fails, said in (("device", "no CUDA-capable device is detected"),
                        ("no-driver", "there is no NVIDIA driver on this machine"),
                        ("driver", "the driver is for CUDA 12.4 and older, the model was compiled with CUDA 13.0"),
                        ("image", "it is of compute capability 9.0, the model has code for 8.0 9.0")):
        check.refuse(3, "device-unsupported", [f"`mlp` cannot run on device 0: {said}", "nvidia-smi"], *run,
                     MLGC_EMULATED_FAILS=fails)
    check.refuse(3, "device-unsupported", ["this machine has 1, numbered from 0"], *run, "--device=cuda:1")
    check.refuse(3, "device-unsupported", ["no CUDA-capable device"], "eval", mlp, "--random-weights=1", "--random-inputs=1",
                 "--dim=B=3", "--backend=cuda", MLGC_EMULATED_FAILS="device")
    check.refuse(5, "device-limit", ["out of memory", "nvidia-smi"], *larger, MLGC_EMULATED_FAILS="memory")
    check.refuse(3, "device-failed", ["invalid argument", "compute-sanitizer"], *run, MLGC_EMULATED_FAILS="copy")
    check.refuse(1, "run-refused", ["its data are memory of the CPU"], *run, MLGC_EMULATED_FAILS="pointer")
    check.refuse(3, "no-cuda-compiler", ["cannot run `nvcc`", "--cuda-compiler=", "a machine that only runs the model"],
                 "compile", *given, "-o", "x.mlgcx", PATH=nothing, CUDACXX="")
    check.refuse(3, "bad-host-compiler", ["`no-nvcc` is not a usable CUDA compiler", "--cuda-compiler="], "compile", *given,
                 "--cuda-compiler=no-nvcc", "-o", "x.mlgcx")
    check.refuse(3, "no-disassembler", ["cannot run `cuobjdump`", "cannot run `nvdisasm`", "--form=ptx"], "emit", *given,
                 "--form=sass", PATH=nothing)
    check.expect(0, ["emulated ptx"], "emit", *given, "--form=ptx")
    check.refuse(2, "flag-conflict", ["--host-compiler"], "compile", mlp, "--target=cuda", "--host-compiler=g++")
    check.refuse(2, "flag-conflict", ["--cuda-compiler"], "compile", mlp, "--cuda-compiler=nvcc")
    check.refuse(2, "flag-conflict", ["--form=ptx", "--target=cpp"], "emit", mlp, "--form=ptx")
    check.refuse(2, "flag-conflict", ["--vector-bytes"], *run, "--vector-bytes=16")
    check.refuse(2, "bad-flag", ["--arch: `sm90` is none"], "compile", mlp, "--target=cuda", "--arch=sm90")
    check.refuse(2, "bad-flag", ["--arch: --target=cpp has no such flag"], "compile", mlp, "--arch=sm_90")
    for command in ("compile", "emit"):
        older = (command, HERE / "matrix.mlir", "--target=cuda", "--arch=sm_75", "-o", f"older-{command}")
        check.refuse(3, "arch-lacks", ["`sm_75` lacks a matrix unit", "--arch=sm_80"], *older)
    check.expect(0, [], *older, "--numerics=exact")
    check.refuse(2, "bad-flag", ["--device: `gpu` is none of"], *run, "--device=gpu")
    check.refuse(2, "bad-flag", ["nothing runs there without --backend=cuda"], "eval", mlp, "--device=cuda:0")
    check.refuse(3, "device-unsupported", ["no CUDA-capable device"], "bench", mlp, "--random-weights=1", "--backends=cuda",
                 "--dim=B=4", MLGC_EMULATED_FAILS="device")
    check.refuse(2, "bad-flag", ["`cpp` runs on the CPU"], "bench", mlp, "--backends=cpp,cuda")
    check.refuse(2, "flag-conflict", ["--device=cpu"], "bench", mlp, "--backends=cuda", "--device=cpu")
    check.refuse(3, "bad-host-compiler", ["`no-nvcc` is not a usable CUDA compiler"], "bench", mlp, "--random-weights=1",
                 "--backends=cuda", "--dim=B=4", "--cuda-compiler=no-nvcc")
    check.refuse(2, "flag-conflict", ["--host-compiler", "--device=cuda"], "bench", mlp, "--backends=cuda",
                 "--host-compiler=g++")
    check.refuse(2, "other-device", ["was compiled for GPUs"], *run, "--device=cpu")
    check.expect(0, [], "compile", mlp, "--random-weights=1", "--vector-bytes=16", "-o", "cpu.mlgcx")
    check.refuse(2, "other-device", ["was compiled for the CPU", "--target=cuda"], "run", "cpu.mlgcx", "--input=@in.npz",
                 "--device=cuda:0")


def main():
    parser = argparse.ArgumentParser()
    for name in ("mlgc", "samples", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    options = parser.parse_args()
    options.work, options.mlgc, options.samples = options.work.resolve(), options.mlgc.resolve(), options.samples.resolve()
    shutil.rmtree(options.work, ignore_errors=True)
    (options.work / "nothing").mkdir(parents=True)
    check = Check(options)
    for part in (works, tunes, compares, starts_the_driver, trains, refuses_values, refuses):
        part(check, options.samples, options.work)
        if check.faults:  # later parts run what earlier ones made
            break
    for fault in check.faults:
        print(fault)
    print(f"{len(check.faults)} faults")
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
