#!/usr/bin/env python3
"""What takes longer than a second says what it is doing, on a terminal alone, and takes it back.

Each command runs with a pseudo terminal as its standard error; a host compiler that sleeps makes compiling long."""
import argparse
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

# A command line, and what its line says at one time or another (a regular expression).
LONG = {
    "compile": ("compile mlp.mlir --random-weights=1 --vector-bytes=16 -o a.mlgcx --host-compiler=./slow",
                r"compiling `mlp`, unit 1 of \d+"),
    "bench": ("bench mlp.mlir --backends=interp --dim=B=1 --random-weights=1 --min-time=1.5",
              r"measuring mlp\.mlir, configuration 1 of 1: (timing 1 back end|measuring what the machine can do)"),
    "tune": ("tune mlp.mlir --dim=B=2 --random-weights=1 --candidates=2 --min-time=0.01 -o t.json --host-compiler=./slow",
             r"compiling versions, version [12] of \d"),
    "eval": ("eval large.mlir --dim=B=4096 --input=x=rand --random-weights=1 --output=@out.npz", r"evaluating @forward"),
    "run": ("run large.mlgcx --dim=B=1024 --random-inputs=1 --output=@out.npz --threads=1", r"running @forward"),
}
LARGE = """module @large {
  weight @w : tensor<1024x1024xf32>
  func @forward(%x: tensor<[B]x1024xf32>) -> tensor<[B]x1024xf32> {
    %w = read @w
    %0 = matmul %x, %w
    return %0
  }
}
"""


class Terminal:
    def __init__(self, mlgc, folder):
        self.mlgc, self.folder = mlgc, folder

    def run(self, line, columns=120, **environment):
        """(exit code, what came to standard error), which is a terminal of so many columns."""
        ours, theirs = pty.openpty()
        subprocess.run(["stty", "cols", str(columns)], stdin=theirs, check=True)
        kept = {name: value for name, value in os.environ.items() if name not in ("CI", "TERM", "NO_COLOR")}
        command = subprocess.Popen([self.mlgc, *line.split()], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=theirs, env=kept | environment)
        os.close(theirs)
        said = b""
        try:
            while piece := os.read(ours, 4096):
                said += piece
        except OSError:  # how the end of a terminal shows
            pass
        os.close(ours)
        return command.wait(), said.decode()


def shown(said):
    """The lines that stood there for a while, and what stayed at the end."""
    lines = re.findall(r"\r(mlgc [^\r\n]* … \d+ s)(?=\r +\r)", said)
    return lines, re.sub(r"\rmlgc [^\r\n]* … \d+ s\r +\r", "", said)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mlgc", required=True)
    parser.add_argument("--samples", required=True, type=pathlib.Path)
    options = parser.parse_args()
    failures = []

    def expect(holds, what):
        if not holds:
            failures.append(what)
            print(what)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["MLGC_CACHE"] = "off"
        for sample in options.samples.resolve().glob("*.mlir"):
            pathlib.Path(folder, sample.name).symlink_to(sample)
        pathlib.Path(folder, "large.mlir").write_text(LARGE)
        slow = pathlib.Path(folder, "slow")
        slow.write_text('#!/bin/sh\ncase "$*" in *" -c "*) sleep 1.2 ;; esac\nexec c++ "$@"\n')
        slow.chmod(0o755)
        terminal = Terminal(str(pathlib.Path(options.mlgc).resolve()), folder)
        subprocess.run([terminal.mlgc, *"compile large.mlir --random-weights=1 --vector-bytes=16".split()], cwd=folder,
                       capture_output=True, check=True)
        long = dict(LONG)
        # Where there is a PyTorch to compare with.
        if subprocess.run([terminal.mlgc, "compare", "--random=1"], capture_output=True, check=False).returncode == 0:
            long["compare"] = ("compare --random=1000", r"comparing program \d+ of 1000")
        for name, (line, wanted) in long.items():
            code, said = terminal.run(line)
            lines, rest = shown(said)
            expect(code == 0, f"{name}: exit code {code}\n{said}")
            expect(all(re.fullmatch(r"mlgc " + name + r"(: .*)? … \d+ s", one) for one in lines), f"{name}: {lines}")
            expect(any(re.search(wanted, one) for one in lines), f"{name}: no line says {wanted}: {lines}")
            expect("…" not in rest and not rest.startswith((" ", "\r")), f"{name}: what stays is {rest!r}")
        line = LONG["compile"][0]
        narrow = shown(terminal.run(line, columns=32)[1])[0]
        expect(narrow and all(len(one) < 32 and one.endswith(" s") for one in narrow), f"32 columns: {narrow}")
        plain = terminal.run(line, NO_COLOR="1")[1]
        expect("…" in plain and "\x1b" not in plain, f"with NO_COLOR: {plain!r}")
        for quiet in ({"CI": "true"}, {"TERM": "dumb"}):
            said = terminal.run(line, **quiet)[1]
            expect("…" not in said, f"with {quiet}: {said!r}")
        expect("\r" not in terminal.run("opt mlp.mlir -O2")[1], "what is over within a second shows a line")
        piped = subprocess.run([terminal.mlgc, *line.split()], cwd=folder, capture_output=True, text=True, check=True).stderr
        expect("…" not in piped, f"to a pipe: {piped!r}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
