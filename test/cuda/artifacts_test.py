"""CUDA artefacts, from `mlgc compile` to `mlgc run`, `mlgc eval --backend=cuda` and `mlgc compare`: on the emulation (emulated_nvcc.py),
which stands for nvcc and the GPU. Then what goes wrong, each with its exit code, cause and remedy.

Usage: artifacts_test.py --mlgc MLGC --samples FOLDER --work FOLDER [--compiler CXX]
Exit codes: 0 all is as it should be, 1 something is not, 77 no numpy.
"""
import argparse
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


class Check:
    def __init__(self, options):
        self.options, self.faults = options, []
        self.environment = os.environ | {"CUDACXX": f"{sys.executable} {HERE / 'emulated_nvcc.py'}",
                                         "EMULATED_CXX": options.compiler, "MLGC_CACHE": str(options.work / "cache")}

    def run(self, *words, **environment):
        return subprocess.run([str(self.options.mlgc), *map(str, words)], cwd=self.options.work, capture_output=True,
                              text=True, env=self.environment | environment)

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


def compares(check, samples, _):
    for name in COMPARED:
        source = samples / f"{name}.mlir"
        if source.exists():
            check.expect(0, ["all agree"], "compare", "--against=cuda,interp", source)
    check.expect(0, [], "eval", samples / "mlp.mlir", "-O2", "--random-weights=1", "--random-inputs=1", "--dim=B=3",
                 "--backend=cuda", "--compare=interp,cpp")


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


def refuses(check, samples, work):
    mlp = samples / "mlp.mlir"
    run = ("run", "mlp.mlgcx", "--input=@in.npz")
    for fails, said in (("device", "no CUDA-capable device is detected"),
                        ("no-driver", "there is no NVIDIA driver on this machine"),
                        ("driver", "the driver is for CUDA 12.4 and older, the model was compiled with CUDA 13.0"),
                        ("image", "it is of compute capability 9.0, the model has code for 8.0 9.0")):
        check.expect(3, [f"`mlp` cannot run on device 0: {said}", "nvidia-smi"], *run, MLGC_EMULATED_FAILS=fails)
    check.expect(3, ["this machine has 1, numbered from 0", "nvidia-smi"], *run, "--device=cuda:1")
    check.expect(3, ["no CUDA-capable device", "nvidia-smi"], "eval", mlp, "--random-weights=1", "--random-inputs=1", "--dim=B=3",
                 "--backend=cuda", MLGC_EMULATED_FAILS="device")
    check.expect(5, ["out of memory", "nvidia-smi"], "run", "mlp.mlgcx", "--random-inputs=1", "--dim=B=60000", MLGC_EMULATED_FAILS="memory")
    check.expect(3, ["invalid argument", "compute-sanitizer"], *run, MLGC_EMULATED_FAILS="copy")
    check.expect(1, ["its data are memory of the CPU"], *run, MLGC_EMULATED_FAILS="pointer")
    check.expect(3, ["no CUDA compiler was found", "--cuda-compiler="], "compile", mlp,
                 "--random-weights=1", "--target=cuda", "-o", "x.mlgcx", PATH=str(work / "nothing"), CUDACXX="")
    check.expect(3, ["`no-nvcc` is not a usable CUDA compiler", "--cuda-compiler="], "compile", mlp, "--random-weights=1",
                 "--target=cuda", "--cuda-compiler=no-nvcc", "-o", "x.mlgcx")
    check.expect(2, ["--host-compiler"], "compile", mlp, "--target=cuda", "--host-compiler=g++")
    check.expect(2, ["--cuda-compiler"], "compile", mlp, "--cuda-compiler=nvcc")
    check.expect(2, ["--arch: `sm90` is none"], "compile", mlp, "--target=cuda", "--arch=sm90")
    check.expect(2, ["--arch: --target=cpp has no such flag"], "compile", mlp, "--arch=sm_90")
    check.expect(2, ["--device: `gpu` is none of"], *run, "--device=gpu")
    check.expect(2, ["was compiled for GPUs"], *run, "--device=cpu")
    check.expect(0, [], "compile", mlp, "--random-weights=1", "--vector-bytes=16", "-o", "cpu.mlgcx")
    check.expect(2, ["was compiled for the CPU", "--target=cuda"], "run", "cpu.mlgcx", "--input=@in.npz",
                 "--device=cuda:0")
    check.expect(2, ["nothing runs there without --backend=cuda"], "eval", mlp, "--device=cuda:0")
    check.expect(2, ["--form=ptx", "--target=cpp"], "emit", mlp, "--form=ptx")
    check.expect(3, ["failed with exit code 2"], "emit", mlp, "--random-weights=1", "--target=cuda", "--form=ptx")


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
    for part in (works, compares, trains, refuses):
        part(check, options.samples, options.work)
        if check.faults:  # later parts run what earlier ones made
            break
    for fault in check.faults:
        print(fault)
    print(f"{len(check.faults)} faults")
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
