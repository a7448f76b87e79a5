#!/usr/bin/env python3
"""The wheel in a fresh venv: found by torch.compile without an import, with driver and C ABI inside, away from the repository.

    wheel_test.py BUILD_TREE

The programs in it are those of the build tree (MLGC_PREBUILT, see pyproject.toml).
Exit codes: 0 ok, 1 something is wrong, 77 no PyTorch or no scikit-build-core.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = '''
import pathlib, sys, torch
f = torch.compile(torch.nn.Linear(8, 4), backend="mlgc", options={"fallback": "error"})
x = torch.randn(2, 8)
torch.testing.assert_close(f(x), f._orig_mod(x))
import mlgc, mlgc.driver
home = pathlib.Path(mlgc.__file__).parent
assert sys.prefix in str(home), home
assert mlgc.driver.find() == home / "bin/mlgc", mlgc.driver.find()
assert (home / "include/runtime/mlgc.h").is_file() and (home / "py.typed").is_file()
program = mlgc.compile(torch.nn.Linear(8, 4), (x,))
program.save("model.mlgcx")
assert torch.equal(mlgc.load("model.mlgcx")(x), program(x))
assert "launch" in program.text("loops")
b = mlgc.Builder()
assert torch.equal(b.function(b.input("x", (2,)).relu())([-1.0, 1.0]), torch.tensor([0.0, 1.0]))
'''


def main():
    for module in ("torch", "scikit_build_core"):
        if importlib.util.find_spec(module) is None:
            print(f"wheel_test: skipped: there is no {module}; scripts/setup installs it", file=sys.stderr)
            return 77
    tree = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {key: value for key, value in os.environ.items() if key not in ("MLGC", "PYTHONPATH")}
        environment |= {"PATH": f"{folder}/venv/bin:/usr/bin:/bin", "MLGC_CACHE": str(folder / "cache")}
        run = lambda *words: subprocess.run([*map(str, words)], check=True, cwd=folder, env=environment)
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", ROOT, "-w", folder / "wheel",
            "-C", f"cmake.define.MLGC_PREBUILT={tree}", "-C", f"build-dir={folder}/build")
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv/bin/python"
        packages = pathlib.Path(sysconfig.get_path("purelib", vars={"base": str(folder / "venv"), "platbase": str(folder / "venv")}))
        (packages / "torch.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")) + "\n")
        run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", *(folder / "wheel").glob("*.whl"))
        run(python, "-c", PROGRAM)
    print("wheel_test: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
