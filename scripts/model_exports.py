#!/usr/bin/env python3
"""The models of the import test (test/import/make_models.py), exported once for all tests that read them.

    python scripts/model_exports.py FOLDER [JOBS]

They lie below FOLDER, in a folder whose name says what they depend on: the files that make them, and PyTorch.
"""

import hashlib
import importlib.metadata
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def torch_version():
    """PyTorch's version without what a build adds, as 2.13.0. Raises PackageNotFoundError."""
    return importlib.metadata.version("torch").split("+")[0]


def key(sources, version):
    digest = hashlib.sha256(version.encode())
    for path in sources:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def make_exports(folder, jobs=1, root=ROOT, version=None):
    """The folder below `folder` with what make_models.py writes, made by `jobs` processes where it is not there yet. Nobody
    may write to it.

    Raises RuntimeError with what the process printed."""
    sources = [*sorted((root / "test/import").glob("*_models.py")), root / "scripts/demo_networks.py"]
    made = folder / key(sources, version or torch_version())
    if made.exists():
        return made
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = pathlib.Path(name) / "exports"
        work.mkdir()
        running = [subprocess.Popen([sys.executable, root / "test/import/make_models.py", work, str(part), str(jobs)],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
                   for part in range(jobs)]
        outputs = [process.communicate()[0] for process in running]
        for process, output in zip(running, outputs, strict=True):
            if process.returncode:
                raise RuntimeError(f"make_models.py: exit code {process.returncode}\n{output}")
        try:
            work.rename(made)
        except OSError:  # another run was faster
            if not made.exists():
                raise
    return made


def main(folder, jobs="1"):
    try:
        version = torch_version()
    except importlib.metadata.PackageNotFoundError:
        print("skipped: this Python has no torch")
        return 0  # so do the tests that read the exports
    made = make_exports(pathlib.Path(folder).resolve(), int(jobs))
    print(f"{len(list(made.glob('*.pt2')))} exports by PyTorch {version} in {made}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
