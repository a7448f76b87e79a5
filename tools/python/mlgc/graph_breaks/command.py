"""python -m mlgc breaks"""
from __future__ import annotations

import argparse
import importlib
import importlib.util
import pathlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from mlgc import inputs
from mlgc.errors import Error, UsageError

_HELP = """Calls a function or module under torch.compile(backend="mlgc") and explains each break of its graph: the line, why it is a break,
what to write instead, and what mlgc does with the graphs around it. Repairs that are mechanical are tried: shown are the
graphs before and after, and whether the results agree."""

_EXAMPLES = """TARGET is package.module:name or file.py:name; name is a function, an instance of a torch.nn.Module, or a class of modules
whose constructor takes no arguments.

--inputs, once for each argument, takes
"""

_MORE = """
Examples:
  python -m mlgc breaks model.py:scale --inputs=8x16xf32
  python -m mlgc breaks models.net:Net --inputs=tokens=2x7xi64=rand:lo=0,hi=50 --inputs=mask=2x7xi1=1
  python -m mlgc breaks models.net:Net --inputs=models.data:example      what the function example() returns
  python -m mlgc breaks model.py:scale --inputs=@in.npz --format=json
  python -m mlgc breaks model.py:scale --inputs=8x16xf32 --diff | patch -p0
  python -m mlgc breaks model.py:scale --inputs=8x16xf32 --fix           writes the repaired source

Exit codes: 0 the report was made, 1 bad input (what is named does not exist or cannot be called so, the call raises in eager,
a file cannot be written), 2 bad usage, 3 with --check: a break is left when the repairs are made (with --fix), or is there.
"""


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    sys.path.insert(0, str(pathlib.Path.cwd()))
    try:
        function = _target(options.target)
        args, kwargs = _inputs(options.inputs)
        from mlgc.graph_breaks import breaks

        report = breaks(function, *args, **kwargs)
        if options.fix:
            for path in report.write():
                print(f"mlgc: note: wrote {path}", file=sys.stderr)
    except Error as error:
        print(f"mlgc: error: {error}", file=sys.stderr)
        return 1
    if options.diff:
        print(report.diff, end="")
    elif options.format == "json":
        print(report.to_json())
    else:
        print(report)
    return 3 if options.check and (report.left if options.fix else report.findings) else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    grammar = "".join(f"  {line}\n" for line in inputs.GRAMMAR.splitlines())
    parser = argparse.ArgumentParser(prog="python -m mlgc breaks", description=_HELP, epilog=_EXAMPLES + grammar + _MORE,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", metavar="TARGET", help="what to call: package.module:name or file.py:name")
    parser.add_argument("--inputs", action="append", default=[], metavar="INPUT", help="an argument; repeatable")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the report is written")
    parser.add_argument("--diff", action="store_true", help="prints the repairs alone, as a unified diff")
    parser.add_argument("--fix", action="store_true", help="writes the repairs into the source")
    parser.add_argument("--check", action="store_true", help="exit code 3 where there is a break")
    options = parser.parse_args(arguments)
    if options.diff and options.format == "json":
        parser.error("--diff prints a diff; the JSON of --format=json has it too")
    if ":" not in options.target:
        parser.error(f"{options.target}: write package.module:name or file.py:name")
    return options


def _target(text: str) -> Callable[..., Any]:
    """UsageError: it does not exist, or is nothing to call."""
    place, _, name = text.rpartition(":")
    found: Any = _module(place)
    for part in name.split("."):
        if not hasattr(found, part):
            owner = found.__name__ if isinstance(found, ModuleType) else type(found).__name__
            raise UsageError(f"{text}: {owner} has no `{part}`" + (
                "; a function inside of another has no name outside: let a function of the module return it, and call mlgc.breaks() on that"
                if part == "<locals>" else ""))
        found = getattr(found, part)
    import torch

    if isinstance(found, type) and issubclass(found, torch.nn.Module):
        try:
            found = found()
        except Exception as error:  # whatever a constructor raises
            raise UsageError(f"{text}: {name}() raises {type(error).__name__}: {error}; name an instance instead") from None
    if not callable(found):
        raise UsageError(f"{text} is a {type(found).__name__}, which cannot be called")
    return found


def _module(place: str) -> ModuleType:
    try:
        if not place.endswith(".py"):
            return importlib.import_module(place)
        path = pathlib.Path(place).resolve()
        if not path.is_file():
            raise UsageError(f"there is no file {place}")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(path.parent))
        spec.loader.exec_module(module)
        return module
    except UsageError:
        raise
    except Exception as error:  # whatever a module does when it is imported
        raise UsageError(f"{place} cannot be imported: {type(error).__name__}: {error}") from None


def _inputs(texts: list[str]) -> tuple[list[Any], dict[str, Any]]:
    try:
        return inputs.parse_all(texts)
    except UsageError:
        raise
    except Exception as error:  # of a file, a module or a function that is named
        raise UsageError(f"--inputs: {type(error).__name__}: {error}") from None
