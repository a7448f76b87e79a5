#!/usr/bin/env python3
"""What --print-config prints, --config reads: for every flag of every command, and for a run of each.

Of flags: all of a command at once, and those that exclude others by themselves. The file is TOML with the values that were
given; read, it prints itself; words of the command line count before it. Of runs: the same output, errors and exit code."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from command_table import Commands

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

# A run of each command, with which of its files it writes. `explain X` is `explain.X`.
RUNS = {
    "opt": "mlp.mlir -O2 --cse --statistics --statistics-format=json",
    "eval": "mlp.mlir -O1 --input=x=2x8xf32=rand:seed=3 --random-weights=1 --print-values=%0 --format=json",
    "grad": "mlp.mlir --wrt=x,@fc0.weight --seed --keep",
    "emit": "mlp.mlir -O1 --random-weights=1 --vector-bytes=16",
    "compile": "mlp.mlir --random-weights=1 --vector-bytes=16 --output=out.mlgcx --diagnostics=json",
    "run": "model.mlgcx --dim=B=2 --random-inputs=7 --threads=1",
    "tune": "mlp.mlir --random-weights=1 --dim=B=2 --candidates=1 --min-time=0.001 --output=tuned.json",
    "bench": "mlp.mlir --backends=interp --threads=1 --dim=B=2 --random-weights=1 --min-time=0.001 --format=json",
    "import": "net.fx.json --output=imported.mlir",
    "export": "mlp.mlir --to=json",
    "fmt": "mlp.mlir mlp_gradient.mlir --check",
    "diff": "mlp.mlir mlp_gradient.mlir --format=json",
    "ops": "softmax matmul --format=json",
    "compare": "--random=2 --print --seed=5 --ops=6",
    "quantize": "mlp.mlir --dtype=int8 --random-weights=1 --dim=B=2 --random-inputs=7 --output=-",
    "reduce": "mlp.mlir --keep=crash --test=true",
    "cache": "list --format=json",
    "passes": "cse dce --format=markdown",
    "rules": "canonicalize --functions",
    "completion": "bash",
    "explain.model": "mlp.mlir --dim=B=8 --format=json",
    "explain.cache": "mlp.mlir --random-weights=1 --vector-bytes=16 --format=json",
    "explain.deps": "mlp.mlir %0",
    "explain.error": "unknown-op --format=json",
    "explain.fusion": "mlp.mlir --format=json",
    "explain.gradients": "mlp.mlir --format=json",
    "explain.import": "net.fx.json --format=json",
    "explain.memory": "mlp.mlir -O1 --dim=B=8 --format=json",
    "explain.numerics": "mlp.mlir -O1 --format=json",
    "explain.ops": "mlp.mlir --format=json --color=always",
    "explain.partition": "mlp.mlir --registry=accel/accel.json --format=json",
    "explain.residuals": "residual_block.mlir",
    "explain.roofline": "mlp.mlir --dim=B=4",
    "explain.saved": "mlp.mlir --results=1",
    "explain.schedule": "mlp.mlir -O2 --dim=B=8 --machine=x86-64-v3",
    "explain.shapes": "derived_dims.mlir --format=json",
    "explain.target": "--machine=x86-64-v4 --format=json",
}

MEASURED = re.compile('"bandwidth"|another strategy')


class Config:
    def __init__(self, options, folder):
        self.mlgc = options.mlgc
        self.commands = Commands(options.mlgc)
        self.folder = folder
        self.failures = 0

    def fail(self, name, what):
        self.failures += 1
        print(f"{' '.join(name)}: {what}")

    def run(self, name, *words):
        done = subprocess.run([self.mlgc, *name, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def printed(self, name, words):
        """The file for these words, or nothing when it was refused."""
        code, out, errors = self.run(name, *words, "--print-config")
        if code != 0:
            self.fail(name, f"{words} --print-config: exit code {code}\n{errors}")
            return None
        return out

    def check_words(self, name, flags, number):
        """What is given of these flags is printed, and read as it was given. The file, unless it was refused."""
        words = words_of(flags, number)
        text = self.printed(name, words)
        if text is None:
            return None
        pathlib.Path(self.folder, "flags.toml").write_text(text)
        again = self.printed(name, ["--config=flags.toml"])
        if again != text:
            self.fail(name, f"{words}: read and printed again, the file is another one:\n{text}---\n{again}")
        if tomllib is not None:
            read = {key: str(value[0] if isinstance(value, list) else value) for key, value in tomllib.loads(text).items()}
            wanted = {flag.name.removeprefix("--"): str(value_of(flag, number)) for flag in flags}
            if read != wanted:
                self.fail(name, f"{words}: the file says\n{read}, not\n{wanted}")
        return text

    def groups(self, name, flags):
        """The flags in lists that may stand together: most of them, and those that exclude others or need others."""
        together, groups = list(flags), []
        while True:
            _, _, errors = self.run(name, *words_of(together, 0), "--print-config")
            at_odds = re.search(r"error: (\S+) (excludes|requires) (\S+)", errors)
            if at_odds is None:
                return [together, *groups]
            named = {flag.name: flag for flag in flags}
            apart = named[at_odds[1]]
            together.remove(apart)
            groups.append(self.with_needed(name, [apart], named))

    def with_needed(self, name, group, named):
        while True:
            _, _, errors = self.run(name, *words_of(group, 0), "--print-config")
            needs = re.search(r"error: (\S+) requires (\S+)", errors)
            if needs is None or named[needs[2]] in group:
                return group
            group.append(named[needs[2]])

    def check_flags(self, name):
        flags = [flag for flag in self.commands.flags(name) if flag.name not in ("--help", "--config", "--print-config")]
        for group in self.groups(name, flags):
            first, second = self.check_words(name, group, 0), self.check_words(name, group, 1)
            # flags.toml holds the second, and the words of the first count.
            if first and second and self.printed(name, ["--config=flags.toml", *words_of(group, 0)]) != first:
                self.fail(name, "words of the command line do not count before --config")

    def check_run(self, name):
        row = RUNS.get(".".join(name))
        if row is None:
            self.fail(name, "no run of it in the table of this test")
            return
        wanted = self.run(name, *row.split())
        text = self.printed(name, row.split())
        if text is not None:
            pathlib.Path(self.folder, "run.toml").write_text(text)
            got = self.run(name, "--config=run.toml")
            # What is wrong with a flag is said in its place in the file; what took time differs.
            if [without_times(part) for part in got] != [without_times(part) for part in wanted]:
                self.fail(name, f"{row}: the run of --config is another one\n{wanted}\n---\n{got}")


def without_times(said):
    if not isinstance(said, str):
        return said
    said = re.sub(r"^(mlgc|run\.toml:\d+:\d+): ", "", said, flags=re.MULTILINE)
    said = re.sub(r"^  .*= .*\n +\^~*\n", "", said, flags=re.MULTILINE)
    said = re.sub(r"from the cache|compiled with \S+", "made", said)
    # Of what is measured, the numbers, and what is said of them.
    said = re.sub(r'"advice": \[[^]]*\]', "", said)
    return re.sub(r"[0-9][-+.e0-9]*( [um]?s\b)?|true|false", "0", said) if MEASURED.search(said) else said


def words_of(flags, number):
    words = []
    for flag in flags:
        value = value_of(flag, number)
        words.append(value if flag.positional else flag.name if value is True else f"{flag.name}={value}")
    return words


def value_of(flag, number):
    if flag.name in ("--diagnostics", "--color", "--log"):
        return flag.choices()[0]
    if flag.value == "cpp":
        return "cpp"
    if flag.choices():
        return flag.choices()[number % len(flag.choices())]
    if not flag.value:
        return True
    if flag.value in ("N", "SEED", "BYTES", "SECONDS"):
        return str(7 + number)
    return f"a b={number}.npz,\\é" if "," not in flag.value and "…" not in flag.value else f"%a{number}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mlgc", required=True)
    parser.add_argument("--samples", required=True, type=pathlib.Path)
    options = parser.parse_args()
    options.mlgc = str(pathlib.Path(options.mlgc).resolve())
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MLGC_CACHE"] = str(pathlib.Path(folder, "cache"))
        for sample in options.samples.resolve().iterdir():
            pathlib.Path(folder, sample.name).symlink_to(sample)
        config = Config(options, folder)
        code, _, errors = config.run(["compile"], "mlp.mlir", "--random-weights=1", "--vector-bytes=16", "-o", "model.mlgcx")
        if code != 0:
            sys.exit(f"model.mlgcx: {errors}")
        pathlib.Path(folder, "net.fx.json").symlink_to(options.samples.resolve().parent / "test/fx/Inputs/net.fx.json")
        for name in config.commands.names:
            config.check_flags(name)
            config.check_run(name)
    sys.exit(1 if config.failures else 0)


if __name__ == "__main__":
    main()
