"""Exports programs with `mlgc export`, runs them elsewhere, and compares with mlgc: what the check-* scripts of exporting share.

A sample runs on the inputs that the flags of its line `// eval: …` make, weights and states included, any other program on random
ones; it may be as wrong as
twice what PyTorch op by op is, both measured against the interpreter in f64. A model of the zoo (scripts/zoo) runs on the inputs
beside it, and is compared with the results beside it. What agrees is defined in lib/tensor/compare.h: `mlgc eval --expect`
decides it.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import typing

import numpy
import torch
from agreement import array_of, differences
from safetensors.torch import load_file

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Failed(Exception):
    """A verdict and its reason."""


@dataclasses.dataclass
class Exporter:
    """A notation and how its files run.

    export(options, program, flags, folder): writes the file and returns its path; `flags` are for `mlgc export`;
    the inputs of a sample are in folder/in.safetensors.
    run(path, inputs, data, folder): results in order by name, then new values `%argument` and `@state`, as tensors of torch;
    `inputs` by name, or in order where the names are numbers; `data` are weights and states by name, None: those of the file.
    expected: samples that cannot be written, with a part of the message.
    """

    where: str
    export: typing.Callable
    run: typing.Callable
    expected: dict


def mlgc(options, *words, codes=(0,)):
    done = subprocess.run([str(options.mlgc), *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        error = next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr[:200])
        raise Failed("refused" if done.returncode == 3 else "failed", error.split("error: ", 1)[-1])
    return done


def compared(options, program, flags, found, folder):
    """Raises Failed where mlgc's results do not agree with those."""
    numpy.savez(folder / "found.npz", **{name: array_of(value) for name, value in found.items()})
    done = mlgc(options, "eval", program, *flags, "--backend=torch", f"--expect=@{folder / 'found.npz'}", codes=(0, 4))
    if done.returncode == 4:
        wrong = [line for line in done.stdout.splitlines() if ": does not agree" in line]
        raise Failed("differs", (wrong or [done.stderr.strip()])[0])


def made_up_weights(path):
    """A .pt2 file has weights, a text without `// eval:` has none."""
    return ["--random-weights=1"] if path.suffix == ".mlir" else []


def made_up_sizes(options, path):
    """Flags for the sizes of the arguments."""
    shapes = json.loads(mlgc(options, "explain", "shapes", path, "--format=json").stdout)
    names = {symbol["symbol"] for function in shapes["functions"] for symbol in function.get("symbols", [])}
    return [f"--dim={name}={3 + number}" for number, name in enumerate(sorted(names))]


def check_sample(options, exporter, path, folder):
    lines = path.read_text(encoding="utf-8").splitlines() if path.suffix == ".mlir" else []
    line = next((line for line in lines if line.startswith("// eval:")), None)
    flags = shlex.split(line.removeprefix("// eval:")) if line else ["--random-inputs=1", *made_up_weights(path), *made_up_sizes(options, path)]
    export = [flag for flag in flags if flag.startswith(("--function", "--weights", "--random-weights"))]
    mlgc(options, "eval", path, *flags, f"--save-inputs={folder / 'in.safetensors'}")
    given = load_file(folder / "in.safetensors")
    written = exporter.export(options, path, export, folder)
    inputs = {name: value for name, value in given.items() if not name.startswith("@")}
    data = {name[1:]: value for name, value in given.items() if name.startswith("@")}
    compared(options, path, flags, exporter.run(written, inputs, data, folder), folder)


def check_model(options, exporter, path, folder):
    base = path.with_suffix("")
    written = exporter.export(options, path, [], folder)
    with numpy.load(f"{base}.in.npz") as stored:
        inputs = {str(i): torch.from_numpy(stored[name]) for i, name in enumerate(stored.files)}
    found = exporter.run(written, inputs, None, folder)
    with numpy.load(f"{base}.torch.npz") as stored:
        reference = {name: stored[name] for name in stored.files}
    names = [name for name in reference if not name.endswith(".eager")]
    results = [name for name in found if not name.startswith("@")]
    given = [found.get(name) if name.startswith("@") else found[results[int(name.removeprefix("result"))]] for name in names]
    if missing := [name for name, value in zip(names, given, strict=True) if value is None]:
        raise Failed("differs", f"there is no {missing[0]}")
    if any(value.is_floating_point() and f"{name}.eager" not in reference for name, value in zip(names, given, strict=True)):
        return compared(options, path, [f"--input=@{base}.in.npz"], found, folder)  # it does not run in f64
    given = [array_of(value.float() if value.dtype == torch.bfloat16 else value) for value in given]
    wrong = differences(options.mlgc, given, [reference[name] for name in names],
                        [reference.get(f"{name}.eager", reference[name]) for name in names], folder)
    if wrong:
        raise Failed("differs", f"{names[min(wrong)]}: {wrong[min(wrong)]}")
    return None


def check(options, exporter, path):
    """Verdict and reason."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as name:
        try:
            (check_model if path.with_suffix(".in.npz").exists() else check_sample)(options, exporter, path, pathlib.Path(name))
        except Failed as failed:
            return failed.args
        except Exception as error:  # whatever runs the file throws
            return f"fails in {exporter.where}", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return "agrees", ""


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("programs", nargs="*", type=pathlib.Path, metavar="FILE", help="samples, or .pt2 files with .in.npz beside them")
    parser.add_argument("--mlgc", type=pathlib.Path, default=ROOT / "build/release/tools/mlgc/mlgc")
    parser.add_argument("--zoo", type=pathlib.Path, metavar="FOLDER", help="all .pt2 files of a folder")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="programs at a time")
    parser.add_argument("--verbose", action="store_true", help="print what agrees too")
    options = parser.parse_args()
    if options.zoo:
        options.programs += sorted(options.zoo.glob("*.pt2"))
    if not options.programs:
        options.programs = sorted((ROOT / "ir-samples").glob("*.mlir"))
    return options


def main(description, exporter):
    """Prints a line for each program that does not agree, and how often each reason occurs; the exit code."""
    options = arguments(description)
    verdicts, reasons, bad = collections.Counter(), collections.Counter(), 0
    count = len(options.programs)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        checked = pool.map(check, [options] * count, [exporter] * count, options.programs)
        for path, (verdict, reason) in zip(options.programs, checked):
            wanted = exporter.expected.get(path.name)
            expected = wanted is not None and verdict == "refused" and wanted in reason
            bad += not expected and (verdict != "agrees" or wanted is not None)
            verdicts["refused as expected" if expected else verdict] += 1
            if verdict != "agrees":
                reasons[f"{verdict}: {re.sub(r'[0-9]+', 'N', reason)[:160]}"] += 1
            if options.verbose or (verdict != "agrees" and not expected):
                print(f"{path.name}: {verdict}" + (f": {reason[:300]}" if reason else ""), flush=True)
    for reason, times in reasons.most_common(20):
        print(f"  {times}  {reason}")
    print(f"{count} programs: " + ", ".join(f"{times} {verdict}" for verdict, times in verdicts.most_common()))
    sys.exit(4 if bad else 0)
