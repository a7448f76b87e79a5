"""Imports graphs of torch.fx, evaluates them with the interpreter as they are and after -O2, compares with PyTorch's outputs,
and holds the listing against what PyTorch prints.

Usage: fx_test.py CHECK_IMPORT MLGC [NAME...]. Exit code 77 (skipped) when torch is missing.
"""

import ast
import inspect
import operator
import pathlib
import re
import subprocess
import sys
import tempfile
import types

try:
    import numpy as np  # noqa: F401
    import torch  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import make_graphs


PRELUDE = pathlib.Path(__file__).resolve().parents[2] / "lib" / "import" / "fx" / "prelude.cpp"


def wrong_signatures():
    """Functions of the prelude whose parameters or defaults are not PyTorch's, of those that Python can be asked about."""
    wrong, compared = [], 0
    for name, parameters in re.findall(r"^def (torch\.nn\.functional\.\w+)\((.*)\):$", PRELUDE.read_text(encoding="utf-8"), re.M):
        ours = ast.parse(f"def f({parameters}): pass").body[0].args
        function = getattr(torch.nn.functional, name.rsplit(".", 1)[1])
        if not inspect.isfunction(function):
            continue  # a builtin, which does not say
        theirs = inspect.signature(function).parameters.values()
        if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in theirs):
            continue  # one that chooses between others
        missing = [inspect.Parameter.empty] * (len(ours.args) - len(ours.defaults))
        given = [(argument.arg, default if default is inspect.Parameter.empty else ast.literal_eval(default))
                 for argument, default in zip(ours.args, [*missing, *ours.defaults], strict=True)]
        compared += 1
        if given != [(parameter.name, parameter.default) for parameter in theirs]:
            wrong.append(f"{name}({parameters}), and PyTorch has {[(p.name, p.default) for p in theirs]}")
    return wrong, compared


def wrong_names():
    """A function of a module of one's own keeps its name, whatever the name is like."""
    def floor(x):
        return 7 * x

    floor.__module__, floor.__qualname__ = "_math", "floor"
    sys.modules["_math"] = types.ModuleType("_math")
    sys.modules["_math"].floor = floor
    graph = torch.fx.Graph()
    for function, expected in ((floor, "_math.floor"), (operator.add, "operator.add"), (getattr, "builtins.getattr")):
        found = make_graphs.export_fx.fx_json.qualified(graph.call_function(function, (1, 2)))
        if found != expected:
            yield f"{expected} is written as {found}"


def main(check_import, mlgc, *names):
    wrong, compared = wrong_signatures()
    wrong += wrong_names()
    print(*(f"prelude: {line}" for line in wrong), f"{compared} signatures of the prelude compared with PyTorch's", sep="\n")
    failures, listings = 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cases = make_graphs.main(folder, names)
        for case in cases:
            done = subprocess.run([check_import, folder / f"{case}.fx.json", folder / f"{case}.npz", "-O2"],
                                  capture_output=True, text=True, check=False)
            failed = done.returncode != 0
            listing = folder / f"{case}.txt"
            if listing.exists():
                printed = subprocess.run([mlgc, "import", folder / f"{case}.fx.json", "--fx-listing"],
                                         capture_output=True, check=False)
                listings += 1
                if printed.returncode != 0 or printed.stdout != listing.read_bytes():
                    failed = True
                    print(f"{case}: the listing is another than PyTorch's\n{printed.stdout.decode()}{printed.stderr.decode()}"
                          f"--- PyTorch's\n{listing.read_text(encoding='utf-8')}")
            failures += failed
            print(f"{case}: {'FAILED' if failed else 'ok'}\n{done.stdout}{done.stderr}")
    print(f"{len(cases) - failures} of {len(cases)} graphs agree with PyTorch, before and after -O2; {listings} listings compared")
    return 1 if failures or wrong or not compared or not cases else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
