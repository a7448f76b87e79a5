"""Exports the character transformer, makes a training step of it, and trains it on a page of docs from the C program of
ir-samples/hosts, until it guesses better than anything that does not look at the characters before.

Usage: text_test.py MLGC CC REPOSITORY. Exit code 77 (skipped) when torch is missing.
"""
import collections
import math
import pathlib
import re
import sys
import tempfile

from digits_test import output_of  # skips, too

STEPS, TENTH, START = 100, 10, math.log(128)
FLAGS = ["--loss=cross_entropy", "--step=adamw", "--lr=3e-3", "--keep"]


def entropy(path):
    """Of single characters: what the best loss is of a guess by their frequencies."""
    counts = collections.Counter(min(byte, 127) for byte in path.read_bytes())
    whole = sum(counts.values())
    return -sum(n / whole * math.log(n / whole) for n in counts.values())


def faults(mlgc, cc, repository, folder):
    hosts = repository / "ir-samples" / "hosts"
    output_of([sys.executable, hosts / "char_transformer.py", "text.pt2"], folder)
    output_of([mlgc, "grad", "text.pt2", *FLAGS, "-o", "step.mlir"], folder)
    output_of([mlgc, "compile", "step.mlir", "--vector-bytes=native", "-o", "step.mlgcx"], folder)
    output_of([cc, "-std=c99", "-O1", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror",
               hosts / "train_text.c", "-I", repository / "lib", "step.mlgcx/model.so", "-lm", "-o", "train"], folder)
    told = output_of(["./train", STEPS, "losses.csv", repository / "docs" / "loops.md"], folder)
    print(told, end="")
    losses = [float(line) for line in (folder / "losses.csv").read_text().split()[1:]]
    reported = [float(text) for text in re.findall(r"^step \d+: loss ([0-9.]+)$", told, re.MULTILINE)]
    tenths = [sum(losses[i:i + TENTH]) / TENTH for i in range(0, STEPS, TENTH)]
    if len(losses) != STEPS or len(reported) != STEPS // TENTH:
        yield f"{len(losses)} losses were written and {len(reported)} means printed"
    elif max(abs(a - b) for a, b in zip(tenths, reported, strict=True)) > 1e-4:
        yield f"the means are {tenths}"
    # One that saw the character that it has to guess would be near 0.
    elif not (abs(losses[0] - START) < 0.5 and 1.5 < tenths[-1] < entropy(repository / "docs" / "loops.md") - 0.3):
        yield f"trained from {losses[0]} to {tenths[-1]}"
    drawn = output_of([sys.executable, repository / "scripts" / "plot", "losses.csv"], folder).strip()
    if (folder / drawn).read_text().count(" L") < STEPS - 1:
        yield f"{drawn} does not have all steps"


def main(mlgc, cc, repository):
    with tempfile.TemporaryDirectory() as folder:
        found = list(faults(pathlib.Path(mlgc).resolve(), cc, pathlib.Path(repository).resolve(), pathlib.Path(folder)))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
