"""What scripts/replay takes through the compiler, and the texts that come out.

Guarantees
  - A text depends on the input and the driver alone: inputs are named by paths relative to the folder that the driver
    runs in, no MLGC_* variable of the environment reaches it, weights are made up, and comments of C++ and CUDA, which
    quote loop text and name lines of Python files, are taken out.
  - Nothing is written but below the folder of exports and temporary folders.
"""

import dataclasses
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

from source_comments import without_comments

# The texts in the order in which they are recorded; exports have `graph` besides.
TEXTS = ("loops", "plan", "cpp", "cuda")
GRAPH = "graph"
AFTER_SCHEDULE = "// -----// IR Dump After schedule //----- //\n"
SEPARATOR = re.compile(rb"^// -----[ \t\r]*$\n?", re.MULTILINE)
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("MLGC_")}
ENVIRONMENT |= {"LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


@dataclasses.dataclass(frozen=True)
class Unit:
    """A module: `file` relative to `folder`. A part of a golden that is refused as bad input, or has no function, turns out
    not to be a unit when the driver reads it."""

    name: str
    folder: pathlib.Path
    file: pathlib.Path
    is_golden: bool = False
    is_export: bool = False


@dataclasses.dataclass(frozen=True)
class Driver:
    """A build of mlgc, and a folder for what it leaves, such as reproducers of internal errors."""

    program: pathlib.Path
    scratch: pathlib.Path

    def run(self, unit, *words):
        done = subprocess.run([self.program, *words, unit.file], cwd=unit.folder, capture_output=True,
                              env=ENVIRONMENT | {"TMPDIR": str(self.scratch)}, check=False)
        # Not read as text, which would lose what kind of line ends they are.
        done.stdout, done.stderr = (output.decode(errors="backslashreplace") for output in (done.stdout, done.stderr))
        return done


@dataclasses.dataclass(frozen=True)
class Text:
    """What the driver printed, or the reason why not, with `word` standing for it in the record."""

    word: str
    text: str


def printed(text):
    return Text(hashlib.sha256(text.encode()).hexdigest()[:16], text)


def refused(done):
    word = f"exit-{done.returncode}" if done.returncode > 0 else f"signal-{-done.returncode}"
    return Text(word, done.stderr)


def samples(root):
    files = [path for path in (root / "ir-samples").rglob("*") if path.suffix in (".mlir", ".pt2")]
    return [Unit(str(path.relative_to(root)), root, path.relative_to(root)) for path in sorted(files)]


def goldens(root, work):
    """The modules of test/**/*.mlir; parts between lines `// -----` become files of their own in the folder `work`."""
    units = []
    for path in sorted((root / "test").rglob("*.mlir")):
        file = path.relative_to(root)
        parts = SEPARATOR.split(path.read_bytes())
        if len(parts) == 1:
            units.append(Unit(str(file), root, file, is_golden=True))
            continue
        for number, part in enumerate(parts, 1):
            part_file = file.with_name(f"{file.stem}.{number}.mlir")
            (work / part_file).parent.mkdir(parents=True, exist_ok=True)
            (work / part_file).write_bytes(part)
            units.append(Unit(f"{file}#{number}", work, part_file, is_golden=True))
    return units


def exports(folder):
    """The exports that model_exports.make_exports() put into a folder."""
    return [Unit(f"export/{path.stem}", folder, path.relative_to(folder), is_export=True)
            for path in sorted(folder.glob("*.pt2"))]


def scheduled(done):
    """The text after `schedule`, which the driver printed on standard error; None where it did not get there."""
    _, found, rest = done.stderr.partition(AFTER_SCHEDULE)
    return rest[:rest.index("\n}\n") + 3] if found and "\n}\n" in rest else None


def texts(driver, unit):
    """{name: Text} of a unit, in the order of TEXTS, then GRAPH of an export; {} for what is no unit after all."""
    if unit.is_export:
        done = driver.run(unit, "opt")
        if done.returncode:
            return dict.fromkeys((*TEXTS, GRAPH), refused(done))
        with tempfile.TemporaryDirectory(dir=driver.scratch) as folder:
            # Compiled from its text, which has no locations in it and is the whole input: same text, same result.
            file = pathlib.Path(unit.file.stem.replace(".", "_") + ".mlir")
            (pathlib.Path(folder) / file).write_bytes(done.stdout.encode())
            return texts(driver, Unit(unit.name, pathlib.Path(folder), file)) | {GRAPH: printed(done.stdout)}
    done = driver.run(unit, "opt", "-O2", "--to=plan", "--print-ir-after=schedule")
    loops = scheduled(done)
    if unit.is_golden and (done.returncode in (1, 2) or (loops is not None and "func @" not in loops)):
        return {}
    result = {"loops": refused(done) if loops is None else printed(loops),
              "plan": refused(done) if done.returncode else printed(done.stdout)}
    for target in ("cpp", "cuda"):
        done = driver.run(unit, "emit", f"--target={target}", "--random-weights=1", "-o", "-")
        result[target] = refused(done) if done.returncode else printed(without_comments(done.stdout))
    return result
