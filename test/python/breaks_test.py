#!/usr/bin/env python3
"""Graph breaks: samples with one and more (test/python/breaks), each with its class and place, and where there is a mechanical cure,
NAME.repaired.py: the source as it is then.

    breaks_test.py [unittest's arguments]

Exit codes: 0 all pass, 1 some fail, 77 no PyTorch.
"""
import contextlib
import dataclasses
import importlib.util
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "test/python/breaks"
sys.path[:0] = [str(ROOT / "tools/python"), str(ROOT / "scripts")]
os.environ.setdefault("OMP_NUM_THREADS", "1")
try:
    import torch
except ImportError as error:
    print(f"breaks_test: skipped: {error}", file=sys.stderr)
    sys.exit(77)

import mlgc
from mlgc.backend import mlgc_backend
from mlgc.graph_breaks import classes, command, exported
from mlgc.graph_breaks.capture import materialised, quiet


@dataclasses.dataclass
class Sample:
    """breaks: class and line of each, in order. graphs: before; 0 where Dynamo leaves the function alone. left: breaks that stay."""

    name: str
    graphs: int
    breaks: list
    left: int = 0


SAMPLES_OF = [
    Sample("branch", 2, [("data-dependent branch", 8)]),
    Sample("layers", 2, [("data-dependent branch", 15)]),
    Sample("early_return", 3, [("data-dependent branch", 7), ("data-dependent branch", 7)]),
    Sample("check", 2, [("data-dependent branch", 6)]),
    Sample("scalar", 2, [("number from a tensor", 6)]),
    Sample("size", 2, [("number from a tensor", 8)]),
    Sample("message", 4, [("number from a tensor", 7), ("message", 7), ("number from a tensor", 9), ("message", 9),
                          ("number from a tensor", 10), ("message", 11)]),
    Sample("logger", 2, [("message", 11)]),
    Sample("generator", 0, [("generator", 5)]),
    Sample("masked", 2, [("size that depends on data", 7)]),
    Sample("requested", 2, [("break by request", 7)]),
    Sample("several", 5, [("data-dependent branch", 6), ("answer from a tensor", 12), ("number from a tensor", 14),
                          ("data-dependent branch", 13)]),
    Sample("closure", 1, [("mutation of a closure", 10)], left=1),
    Sample("clock", 2, [("side effect", 9), ("side effect", 11)], left=2),
    Sample("in_loop", 0, [("message", 8)], left=1),
    Sample("until", 2, [("data-dependent loop", 6)], left=1),
    Sample("written_later", 2, [("message", 7)], left=1),
    Sample("shapes", 2, [("data-dependent branch", 7)], left=1),
]

# Part of why nothing is rewritten.
DECLINED = {"in_loop": "drops `end=`", "written_later": "`y += 1` writes into what the message shows", "shapes": "bring to one shape",
            "closure": "no mechanical cure", "clock": "no mechanical cure", "until": "no mechanical cure"}


def load(path):
    """A sample as a module of its own; settings that it makes are undone by the caller."""
    spec = importlib.util.spec_from_file_location("sample_" + path.name.removesuffix(".py").replace(".", "_"), path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def own_settings():
    """Settings of Dynamo that a sample makes end with it."""
    config = torch._dynamo.config
    before = {name: getattr(config, name) for name in ("capture_scalar_outputs", "capture_dynamic_output_shape_ops")}
    moved = set(config.reorderable_logging_functions)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(config, name, value)
        config.reorderable_logging_functions.intersection_update(moved)
        torch._dynamo.reset()


def graphs_of(function, args, **options):
    """Results of a function compiled by mlgc, and how many graphs Dynamo made of it."""
    graphs = []

    def backend(graph_module, inputs):
        graphs.append(graph_module)
        return mlgc_backend(graph_module, inputs, options={"fallback": "allow"})

    torch._dynamo.reset()
    with quiet():
        return torch.compile(function, backend=backend, **options)(*args), len(graphs)


class Samples(unittest.TestCase):
    def check(self, sample):
        module = load(SAMPLES / f"{sample.name}.py")
        report = mlgc.breaks(module.f, *module.inputs())
        self.assertEqual([(entry["class"], entry["line"]) for entry in report.records], sample.breaks, report)
        self.assertTrue(all(entry["file"] == module.__file__ for entry in report.records))
        self.assertEqual((len(report.before.pieces), report.agreed), (sample.graphs, ""))
        self.assertEqual(len(report.left), sample.left)
        self.assertTrue(all(entry["dynamo"]["number"].startswith("GB") for entry in report.records), report.records)
        expected = SAMPLES / f"{sample.name}.repaired.py"
        if not expected.exists():
            self.assertEqual(report.diff, "")
            self.assertIn(DECLINED[sample.name], " ".join(entry["declined"] for entry in report.records))
            return
        self.assertEqual((len(report.after.pieces), report.repaired), (1, ""))
        self.check_diff(sample.name, report.diff, expected)
        with quiet(), own_settings():
            eager = materialised(module.f(*module.inputs()))
            repaired = load(expected)
            for options in ({}, {"fullgraph": True}):
                found, graphs = graphs_of(repaired.f, repaired.inputs(), **options)
                self.assertEqual(graphs, 1)
                torch.testing.assert_close(found, eager)

    def check_diff(self, name, diff, expected):
        """`patch` makes of the source exactly the expected file."""
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder, f"{name}.py")
            shutil.copy(SAMPLES / target.name, target)
            subprocess.run(["patch", "-s", str(target)], input=diff, text=True, check=True)
            self.assertEqual(target.read_text(), expected.read_text())


for entry in SAMPLES_OF:
    setattr(Samples, f"test_{entry.name}", lambda self, entry=entry: self.check(entry))


class Table(unittest.TestCase):
    def test_titles_are_dynamos(self):
        path = pathlib.Path(torch.__file__).parent / "_dynamo/graph_break_registry.json"
        known = {entry["Gb_type"] for entries in json.loads(path.read_text()).values() for entry in entries}
        self.assertEqual([title for row in classes.CLASSES for title in row.titles if title not in known], [])

    def test_anything_has_a_class(self):
        self.assertEqual(classes.classify("Something new", "", None).name, "unsupported construct")


class Interface(unittest.TestCase):
    def test_one_graph(self):
        report = mlgc.breaks(torch.sin, torch.ones(3))
        self.assertEqual((report.records, report.diff, report.after), ([], "", None))
        self.assertIn("1 graph, 0 breaks", str(report))

    def test_forms(self):
        module = load(SAMPLES / "scalar.py")
        report = mlgc.breaks(module.f, *module.inputs())
        made = json.loads(report.to_json())
        self.assertEqual((len(made["before"]["graphs"]), len(made["after"]["graphs"]), made["after"]["agrees"]), (2, 1, True))
        self.assertEqual(made["diff"], report.diff)
        self.assertIn("<table>", report._repr_html_())

    def test_closure(self):
        calls = []

        def inner(x):
            calls.append(1)
            scale = x.abs().max().item()
            return x / scale

        report = mlgc.breaks(inner, torch.ones(3))
        self.assertEqual(report.repaired, "")
        self.assertIn("+            scale = x.abs().max()\n", report.diff)

    def test_source_that_is_not_there(self):
        names = {"torch": torch}
        exec("def f(x):\n    return x / x.sum().item()\n", names)
        report = mlgc.breaks(names["f"], torch.ones(3))
        self.assertIn("source of <string> is not available", report.records[0]["declined"])
        self.assertEqual(report.records[0]["class"], "number from a tensor")

    def test_training(self):
        module = load(SAMPLES / "branch.py")
        report = mlgc.breaks(module.f, module.inputs()[0].requires_grad_())
        self.assertEqual((len(report.after.pieces), report.repaired), (1, ""))

    def test_functions_get_their_code_back(self):
        module = load(SAMPLES / "branch.py")
        code = module.f.__code__
        mlgc.breaks(module.f, *module.inputs())
        self.assertIs(module.f.__code__, code)

    def test_fails_in_eager_at_the_break(self):
        def f(x):
            seen = []

            def positive(x):
                seen.append(x)
                return x + 1
            return torch.cond(x.sum() > 0, positive, lambda x: x - 1, (x,))

        report = mlgc.breaks(f, torch.ones(3))
        self.assertEqual([(entry["class"], entry["code"]) for entry in report.records], [("mutation of a closure", "seen.append(x)")])

    def test_identical_lines_comments_and_torch_compile(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = pathlib.Path(folder, "sample.py")
        path.write_text("import torch\n\n\n@torch.compile(backend='eager')\ndef f(x):\n    print(x.sum())\n"
                        "    if (x.sum()\n            > 0):  # often\n        y = x * 2\n    else:\n        # seldom\n        y = x\n"
                        "    print(x.sum())\n    a = x.min().item(); b = x.max().item()\n    return y + a * b\n")
        report = mlgc.breaks(load(path).f, torch.ones(3))
        self.assertEqual((len(report.after.pieces), report.left, report.repaired), (1, [], ""))
        added = [line[1:] for line in report.diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
        self.assertEqual(added, ["", "torch._dynamo.config.reorderable_logging_functions.add(print)", "    # often", "    # seldom",
                                 "    y = torch.where(x.sum() > 0, x * 2, x)", "    a = x.min(); b = x.max()"])

    def test_file_that_has_changed_since(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = pathlib.Path(folder, "changed.py")
        shutil.copy(SAMPLES / "scalar.py", path)
        module = load(path)
        path.write_text(path.read_text().replace("/ 127", "/ 128"))
        report = mlgc.breaks(module.f, *module.inputs())
        self.assertEqual(report.diff, "")
        self.assertIn("has changed since it was imported", report.records[0]["declined"])

    def test_functions_of_earlier_captures_are_there(self):
        module = load(SAMPLES / "several.py")
        with quiet():
            torch.compile(module.f, backend="eager")(*module.inputs())
        kept = [value for name, value in vars(module).items() if name.startswith("__resume")]
        self.assertGreater(len(kept), 0)
        self.assertEqual(mlgc.breaks(module.f, *module.inputs()).left, [])

    def test_raises_in_eager(self):
        def f(x):
            raise KeyError("no")
        with self.assertRaisesRegex(mlgc.UsageError, r"raises KeyError at .*breaks_test.py:\d+: 'no'"):
            mlgc.breaks(f, torch.ones(3))


EXPORTED = """import logging
import time

import torch
from torch import nn

log = logging.getLogger("exported")


class Talks(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        print("called", x.shape)
        log.debug("called")
        return x * 2 + 0 * time.time()


class Branches(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else x + 1


class Counts(nn.Module):
    def forward(self, x):
        return x.flatten()[:int((x > 0).sum())]


class Yields(nn.Module):
    def forward(self, x):
        yield x


def talks():
    return Talks(), (torch.ones(2, 3),)
"""


class Export(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "exported.py").write_text(EXPORTED)

    def test_side_effects_are_warned_of(self):
        done = subprocess.run([sys.executable, str(ROOT / "scripts/export"), "exported:talks", "-o", "talks.pt2"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        heads = [line for line in done.stderr.splitlines() if line.startswith("exported.py:")]
        self.assertEqual(heads, [f"exported.py:{place}: warning: {kind}: the exported program does not have it" for place, kind in (
            ("16:9", "state of a module"), ("17:9", "message"), ("18:9", "message"), ("19:28", "side effect"))])
        self.assertIn("  cure: write the message where the program is called", done.stderr)

    def test_failures_have_a_class_and_a_line(self):
        module = load(self.folder / "exported.py")
        for name, line, kind in (("Branches", 24, "data-dependent branch"), ("Counts", 29, "number from a tensor"), ("Yields", 33, "generator")):
            for strict in (False, True):
                with self.subTest(name=name, strict=strict), quiet():
                    model = getattr(module, name)()
                    try:
                        torch.export.export(model, (torch.ones(2, 3),), strict=strict)
                    except Exception as error:
                        finding = exported.failure(error, model)
                        self.assertEqual((finding.place.line, finding.kind.name), (line, kind))
                    else:
                        self.assertEqual((name, strict), ("Counts", True))

    def test_failures_without_a_class(self):
        self.assertIsNone(exported.failure(ValueError("no"), torch.nn.ReLU()))


class Command(unittest.TestCase):
    def run_command(self, *arguments):
        said, erred = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(erred):
            try:
                code = command.main([*arguments])
            except SystemExit as left:
                code = left.code
        return code, said.getvalue(), erred.getvalue()

    def test_fix_writes_the_repaired_source(self):
        with tempfile.TemporaryDirectory() as folder, own_settings():
            target = pathlib.Path(folder, "written.py")
            shutil.copy(SAMPLES / "scalar.py", target)
            target.chmod(0o640)
            code, said, erred = self.run_command(f"{target}:f", "--inputs=3x4xf32", "--fix", "--check")
            self.assertEqual((code, erred), (0, f"mlgc: note: wrote {target.resolve()}\n"))
            self.assertEqual(target.read_text(), (SAMPLES / "scalar.repaired.py").read_text())
            self.assertEqual(target.stat().st_mode & 0o777, 0o640)
            self.assertEqual([path.name for path in target.parent.iterdir() if path.name != "__pycache__"], ["written.py"])

    def test_fix_keeps_ends_of_lines(self):
        with tempfile.TemporaryDirectory() as folder, own_settings():
            target = pathlib.Path(folder, "ends.py")
            target.write_bytes((SAMPLES / "scalar.py").read_bytes().replace(b"\n", b"\r\n"))
            code, _, erred = self.run_command(f"{target}:f", "--inputs=3x4xf32", "--fix")
            self.assertEqual(code, 0, erred)
            self.assertEqual(target.read_bytes(), (SAMPLES / "scalar.repaired.py").read_bytes().replace(b"\n", b"\r\n"))

    def test_forms(self):
        target = str(SAMPLES / "early_return.py")
        code, said, _ = self.run_command(f"{target}:f", "--inputs=3x4xf32=iota", "--inputs=limit=5.5", "--format=json", "--check")
        self.assertEqual((code, json.loads(said)["breaks"][0]["line"]), (3, 7))
        load(SAMPLES / "early_return.py")
        code, said, _ = self.run_command(f"{target}:f", "--inputs=sample_early_return:inputs", "--diff")
        self.assertEqual(code, 0)
        self.assertTrue(said.startswith("--- "))

    def test_bad_input_has_a_place_and_an_exit_code(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("broken", "def f(:\n"), ("fails", "1 / 0\n"), ("raises", "def f(x):\n    return x.no_such()\n"),
                               ("number", "f = 3\n")):
                pathlib.Path(folder, f"{name}.py").write_text(text)
            branch = f"{SAMPLES / 'branch.py'}:f"
            for arguments, code, words in (
                    (["no_such_module:f"], 1, "no_such_module cannot be imported: ModuleNotFoundError"),
                    (["no_such.py:f"], 1, "there is no file no_such.py"),
                    ([f"{folder}/broken.py:f"], 1, "SyntaxError"),
                    ([f"{folder}/fails.py:f"], 1, "ZeroDivisionError"),
                    ([f"{folder}/raises.py:f", "--inputs=3xf32"], 1, "raises.py:2: 'Tensor' object has no attribute 'no_such'"),
                    ([f"{folder}/number.py:f"], 1, "is a int, which cannot be called"),
                    ([branch.replace(":f", ":g")], 1, "has no `g`"),
                    ([branch.replace(":f", ":f.<locals>.g")], 1, "let a function of the module return it"),
                    ([branch], 1, "missing a required argument: 'x'"),
                    ([branch, "--inputs=3x4xf33"], 1, "3x4xf33 is no input"),
                    ([branch, "--inputs=@no_such.npz"], 1, "FileNotFoundError"),
                    ([branch, "--inputs=no_such:f"], 1, "ModuleNotFoundError"),
                    ([branch, "--inputs=2xf32=1,2,3"], 1, "3 numbers for 2 elements"),
                    ([branch.replace(":f", "")], 2, "write package.module:name"),
                    ([branch, "--format=xml"], 2, "invalid choice"),
                    ([], 2, "required: TARGET")):
                with self.subTest(arguments=arguments):
                    got, said, erred = self.run_command(*arguments)
                    self.assertEqual((got, said), (code, ""))
                    self.assertIn(words, erred)
                    self.assertNotIn("Traceback", erred)

    def test_other_commands_are_the_drivers(self):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools/python")}
        for arguments, code in ((["ops", "relu"], 0), (["no-such-command"], 2)):
            done = subprocess.run([sys.executable, "-m", "mlgc", *arguments], env=environment, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn("relu", subprocess.run([sys.executable, "-m", "mlgc", "ops", "relu"], env=environment, capture_output=True, text=True,
                                             check=True).stdout)


if __name__ == "__main__":
    unittest.main()
