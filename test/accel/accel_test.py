#!/usr/bin/env python3
"""The accelerator of ir-samples/accel, from registry to a process of its own; and tables that fail.

Each run is a process: what loads a model here never saw the graph that it was compiled from."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile


class Tool:
    """The driver and the C compiler, in a folder of this test."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder

    def run(self, *words, code=0):
        """What a command printed, both streams; exits where its code is another one."""
        done = subprocess.run([*map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        if done.returncode != code:
            sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}, not {code}\n{said}")
        return said

    def mlgc(self, *words, code=0):
        return self.run(self.options.mlgc, *words, code=code)

    def cc(self, *words):
        return self.run(self.options.cc, "-std=c99", "-O2", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror",
                        f"-I{self.options.include}", *words)

    def library(self, source, name, *flags):
        self.cc("-shared", "-fPIC", source, *flags, "-lm", "-o", name)


def expect(what, said, *wanted):
    """The texts stand in what was said, in this order."""
    at = 0
    for text in wanted:
        found = said.find(text, at)
        if found < 0:
            sys.exit(f"{what}: `{text}` is not in\n{said}")
        at = found + len(text)


def check_accel(tool, sample):
    tool.library(sample / "accel.c", "libaccel.so")
    parts = ["-O2", f"--partition=registry={sample / 'accel.json'}"]
    tool.mlgc("compile", sample / "model.mlir", *parts, "--random-weights=1", "--vector-bytes=native", "-o", "model.mlgcx")
    expect("--list", tool.mlgc("run", "model.mlgcx", "--list"), "external targets: accel\n", "func @forward(",
           "  0 external accel @forward.0.accel_linear_add_relu  x: [B]x8xf32, r: [B]x16xf32 -> a: [B]x16xf32  [linear, add, relu]\n",
           "  1 kernel (fallback) @forward.1.tanh  a: [B]x16xf32 -> t: [B]x16xf32\n",
           "  2 external accel @forward.2.accel_linear_softmax  t: [B]x16xf32 -> y: [B]x4xf32  [linear, softmax]\n",
           "  3 launches: 2 of external targets, 1 kernels that no target takes\n")
    expect("the manifest", tool.mlgc("run", "model.mlgcx", "--list", "--format=json"), '"externals": [\n    "accel"', '"target": "accel"')
    external = "--external=accel=./libaccel.so"
    for rows in (5, 1, 0):
        inputs = [f"--dim=B={rows}", "--random-inputs=1"]
        tool.mlgc("eval", sample / "model.mlir", *inputs, "--random-weights=1", "--output=@ref.npz")
        said = tool.mlgc("run", "model.mlgcx", *inputs, external, "--log=ops", "--output=@out.npz")
        expect("--log=ops", said, "mlgc: @forward 0 forward.0.accel_linear_add_relu by accel: ",
               f"; {rows}x8xf32, {rows}x16xf32 -> {rows}x16xf32\n", f"2 forward.2.accel_linear_softmax by accel: ",
               f"; {rows}x16xf32 -> {rows}x4xf32\n")
        # The interpreter evaluates what the segments hold, and so judges what the accelerator made of them.
        compared = tool.mlgc("eval", sample / "model.mlir", *inputs, "--random-weights=1", "--expect=@out.npz")
        expect("--expect", compared, "y: agrees", "t: agrees")
        expect("--compare", tool.mlgc("eval", sample / "model.mlir", *parts, *inputs, "--random-weights=1", "--backend=cpp",
                                      "--compare=interp", external, "--output=@again.npz"), "y by cpp: agrees", "t by cpp: agrees")
    lone = ["run", "model.mlgcx", "--dim=B=2", "--random-inputs=1"]
    expect("without a table", tool.mlgc(*lone, code=3),
           "error: `model` has segments for the external target `accel`, and nothing is given that computes them",
           "note: name its shared object with --external=accel=FILE.so")
    expect("without a file", tool.mlgc(*lone, "--external=accel", code=2), "error: --external=`accel`: it names no file")
    expect("twice", tool.mlgc(*lone, external, external, code=2), "the target is given twice")
    expect("no such file", tool.mlgc(*lone, "--external=accel=none.so", code=3),
           "error: `none.so` cannot be loaded as external target `accel`: ")
    tool.cc(sample / "host.c", sample / "accel.c", "model.mlgcx/model.so", "-lm", "-o", "host")
    expect("host.c", tool.run("./host"), "without a table: `model` has segments for the external target `accel`",
           "row 2: probabilities that add up to 1.0000\n")
    # What the registry does not ask for reaches the accelerator only by a segment that was written by hand.
    hand = tool.folder / "hand.mlir"
    hand.write_text('module @hand {\n  func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n    %y = segment (%a = %x) attributes '
                    '{target = "accel"} {\n      %e = exp %a\n      yield %e\n    }\n    return %y\n  }\n}\n', encoding="utf-8")
    expect("an op that it does not have", tool.mlgc("eval", hand, "--random-inputs=1", "--backend=cpp", external, code=3),
           "error: segment `f.0.accel_exp` of `accel`: the target failed with 3: this accelerator does not have the op `exp`")


def check_odd(tool, here):
    source = here / "Inputs/odd.mlir"
    tool.mlgc("compile", source, "--vector-bytes=native", "-O0", "-o", "odd.mlgcx")
    expect("--list of a loop", tool.mlgc("run", "odd.mlgcx", "--list"), "0 external odd @forward.0.odd_",
           "in for: external odd @forward.1.odd_mul  ")
    for case, code, said in ((1, 3, "the target failed with 3: it does not like `cast`"),
                             (2, 3, "the target failed with 12345: the chip is on fire"),
                             (3, 5, "the target failed with 5: it does not say why"),
                             (4, 3, "its table has a struct_size of 16"),
                             (5, 3, "the external target `odd` has version 99 of its table, this model wants 1"),
                             (6, 3, "its table is that of `even`"),
                             (7, 3, "its table has no function `call`")):
        tool.library(here / "Inputs/odd.c", f"odd{case}.so", f"-DCASE={case}")
        expect(f"case {case}", tool.mlgc("run", "odd.mlgcx", "--dim=N=4", "--random-inputs=1", f"--external=odd=odd{case}.so", code=code),
               said)
    expect("its kind", tool.mlgc("run", "odd.mlgcx", "--dim=N=4", "--random-inputs=1", "--external=odd=odd2.so", "--diagnostics=json", code=3),
           '"external-failed"')
    tool.library(here / "Inputs/odd.c", "odd.so")
    for size in (4, 1, 100):
        tool.mlgc("run", "odd.mlgcx", f"--dim=N={size}", "--random-inputs=1", "--external=odd=odd.so", "--output=@odd.npz")
        expect("odd.mlir", tool.mlgc("eval", source, f"--dim=N={size}", "--random-inputs=1", "--expect=@odd.npz"), "agrees", "agrees")
    expect("the limit", tool.mlgc("run", "odd.mlgcx", "--dim=N=100000", "--random-inputs=1", "--external=odd=odd.so",
                                  "--memory-limit=2000000", "--output=@odd.npz", code=5), "bytes for segment `forward.0.odd_")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for flag in ("--mlgc", "--sample", "--include", "--cc", "--cache"):
        parser.add_argument(flag, required=True)
    options = parser.parse_args()
    os.environ["MLGC_CACHE"] = options.cache
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(options, pathlib.Path(folder))
        check_accel(tool, pathlib.Path(options.sample))
        check_odd(tool, pathlib.Path(__file__).parent)
    print("the accelerator computes its segments, and tables that fail are refused")


if __name__ == "__main__":
    main()
