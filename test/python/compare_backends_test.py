#!/usr/bin/env python3
"""Comparison of backends: what a backend's process answers, what is made of the answers, and whole comparisons.

    compare_backends_test.py [unittest's arguments]

Exit codes: 0 all pass, 1 some fail, 77 no PyTorch.
"""
import contextlib
import copy
import html.parser
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/python"), str(ROOT / "test/python")]
os.environ.setdefault("OMP_NUM_THREADS", "1")
try:
    import numpy
    import torch
except ImportError as error:
    print(f"compare_backends_test: skipped: {error}", file=sys.stderr)
    sys.exit(77)

import mlgc
from mlgc import comparing, comparison_peer, comparison_report, curves, measuring, reports
from torch import nn

# --- what is compared: other processes import it from here


def make(batch=4):
    return nn.Sequential(nn.Linear(8, 4), nn.Tanh()), torch.randn(batch, 8)


def wide(width=4):
    return nn.Linear(width, 2), torch.randn(3, width)


def halves(batch=4):
    return nn.Linear(8, 4).bfloat16(), (torch.randn(batch, 8, dtype=torch.bfloat16),)


def broken(batch=4):
    def with_a_break(x):
        y = x * 2
        print("graph break")
        return y + 1 if y.sum() > 0 else y

    return with_a_break, {"x": torch.randn(batch)}


def in_f32(batch=4):
    weight = torch.randn(8, 4)
    return (lambda x: x @ weight), torch.randn(batch, 8)


def several(batch=4):
    return (lambda x: {"sum": x.sum(), "count": x.shape[0], "words": "none"}), torch.randn(batch)


def untrained():
    return (lambda x: x + 1), torch.randn(4)


def no_pair():
    return nn.Linear(2, 2)


def raises():
    raise RuntimeError("no data here")


def wrong(graph, inputs):
    return lambda *args: tuple(x * 1.001 if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in graph(*args))


def ends(graph, inputs):
    os._exit(9)


HERE = "compare_backends_test"


class Peers(unittest.TestCase):
    """A backend's process, in this one."""

    def setUp(self):
        torch._dynamo.reset()
        torch._dynamo.utils.graph_break_reasons.clear()
        torch._dynamo.utils.counters.clear()
        torch._dynamo.utils.clear_compilation_metrics()
        torch._dynamo.utils.cumulative_time_spent_ns.clear()
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def prepared(self, make, backend, sizes=None, training=False, reference=False):
        peer, path = comparison_peer.Peer(), self.folder / f"{backend}.npz"
        answer = peer.prepare({"make": f"{HERE}:{make}", "backend": backend, "sizes": sizes or {}, "training": training, "dynamic": False,
                               "threads": 1, "results": str(path), "reference": reference})
        return peer, answer, path

    def judged(self, make, backend, **options):
        reference = self.prepared(make, "eager", reference=True, **options)[2]
        row = {"name": backend}
        comparing._judge(row, self.prepared(make, backend, **options)[2], reference)
        return row

    def test_first_calls(self):
        _, answer, path = self.prepared("make", "aot_eager")
        self.assertEqual((answer["graphs"], answer["graph_breaks"], answer["recompilations"]), (1, [], []))
        self.assertLess(answer["capture"] + answer["compile"], answer["first_call"])
        self.assertGreater(min(answer["capture"], answer["compile"]), 0)
        self.assertEqual(numpy.load(path)["result0"].shape, (4, 4))

    def test_graph_breaks_have_reason_and_place(self):
        with contextlib.redirect_stdout(io.StringIO()):
            _, answer, _ = self.prepared("broken", "aot_eager")
        printed, branch = answer["graph_breaks"]
        self.assertEqual([found["count"] for found in answer["graph_breaks"]], [1, 1])
        self.assertRegex(printed["reason"], "print")
        self.assertRegex(branch["reason"], "a branch that depends on a tensor's value")
        lines = pathlib.Path(printed["file"]).read_text().splitlines()
        self.assertIn('print("graph break")', lines[printed["line"] - 1])
        self.assertIn("y.sum() > 0", lines[branch["line"] - 1])

    def test_recompilations_along_a_sweep(self):
        peer, _, _ = self.prepared("make", "aot_eager", {"batch": 4})
        answer = peer.point({"sizes": {"batch": 7}})
        self.assertEqual((answer["graphs"], len(answer["recompilations"])), (2, 1))
        self.assertRegex(answer["recompilations"][0]["reason"], "expected 4, actual 7")
        self.assertEqual(len(peer.point({"sizes": {"batch": 9}})["recompilations"]), 1)  # it was made dynamic
        peer, _, _ = self.prepared("wide", "aot_eager", {"width": 4})
        self.assertRegex(peer.point({"sizes": {"width": 5}})["reason"], "another model")

    def test_results_are_judged_as_everywhere(self):
        for make, training in (("make", False), ("make", True), ("halves", False), ("several", False)):
            with self.subTest(make, training=training):
                row = self.judged(make, "aot_eager", training=training)
                self.assertEqual((row["agrees"], row["disagreements"]), (True, {}))
                torch._dynamo.reset()
                row = self.judged(make, f"{HERE}:wrong", training=training) if make != "halves" else row
                self.assertEqual(row["agrees"], make == "halves")

    def test_gradients_are_named(self):
        row = self.judged("make", f"{HERE}:wrong", training=True)
        self.assertIn("gradient of 0.weight", row["disagreements"])
        self.assertGreater(row["difference"], 5e-4)

    def test_what_does_not_run_in_f64_is_compared_with_eager(self):
        _, answer, path = self.prepared("in_f32", "eager", reference=True)
        self.assertRegex(answer["notes"][0], "does not run in f64")
        row = {"name": "eager"}
        comparing._judge(row, path, path)
        self.assertTrue(row["agrees"])

    def test_refusals(self):
        for make, training, message in (("untrained", True, "neither a parameter nor an input"), ("no_pair", False, r"make\(\) returns a Linear"),
                                        ("nothing", False, "compare_backends_test has no nothing; its functions are")):
            with self.subTest(make), self.assertRaisesRegex(mlgc.UsageError, message):
                self.prepared(make, "eager", training=training)
        with self.assertRaisesRegex(mlgc.UsageError, "there is no backend 'inductr'; did you mean 'inductor'"):
            self.prepared("make", "inductr")
        for spec, message in (("make", "names no function"), ("nowhere.py:make", "there is no file"), ("no.such:make", "there is no module no;")):
            with self.subTest(spec), self.assertRaisesRegex(mlgc.UsageError, message):
                comparison_peer.loaded(spec)
        self.assertEqual(comparison_peer.loaded(f"{__file__}:make").__name__, "make")


class Figures(unittest.TestCase):
    def test_intervals_are_those_of_order_statistics(self):
        low, high, coverage = measuring.interval(range(1, 11))
        self.assertEqual((low, high), (2, 9))
        self.assertAlmostEqual(coverage, 1 - 22 / 1024)
        self.assertEqual(measuring.interval([5.0])[:2], (5.0, 5.0))

    def test_break_even(self):
        self.assertEqual(measuring.break_even(10, 1, 2, 2, True), {"pays_off": "from-call", "calls": 9})
        self.assertEqual(measuring.break_even(10, 3, 2, 2, False), {"pays_off": "never"})
        self.assertEqual(measuring.break_even(1, 3, 2, 2, False), {"pays_off": "until-call", "calls": 2})
        self.assertEqual(measuring.break_even(1, 1, 2, 2, True), {"pays_off": "always"})
        self.assertEqual(measuring.break_even(10, 2, 2, 2, None), {"pays_off": "unclear"})
        self.assertEqual(measuring.break_even_text({"pays_off": "from-call", "calls": 12345}), "after 12,345 calls")

    def test_rounds_alternate_and_drop_what_was_disturbed(self):
        order = []

        class System:
            def __init__(self, name):
                self.name = name

            def block(self, calls):
                order.append(self.name)
                return measuring.Block(0.01 * calls, calls, len(order) == 3)

        found = measuring.rounds([System("a"), System("b")], 0.05)
        self.assertEqual(order[2:8], ["a", "b", "b", "a", "a", "b"])
        summary = measuring.summary(found[0])
        self.assertEqual((summary["disturbed"], summary["rounds"], summary["disturbed_used"]), (1, len(found[0]) - 1, False))

    def test_times_are_short(self):
        self.assertEqual([measuring.time_text(x) for x in (1.314, 0.00498, 748e-6, 0.1234)], ["1.31 s", "4.98 ms", "748 us", "123 ms"])


TIMES = {"median": 1e-3, "low": 9e-4, "high": 2e-3, "coverage": 0.95, "least": 9e-4, "rounds": 9, "calls_per_round": 10, "disturbed": 0,
         "disturbed_used": False}
FIRST = {"version": "torch 2.13.0", "import_torch": 1.0, "make": 0.1, "first_call": 2.0, "notes": [], "agrees": True, "disagreements": {}, "difference": 0.0}
CAPTURE = {"graphs": 2, "capture": 0.5, "compile": 1.0,
           "graph_breaks": [{"reason": "a <builtin>", "count": 2, "function": "f", "file": "/home/me/model.py", "line": 3}],
           "recompilations": [{"reason": "size mismatch", "function": "f", "file": "/home/me/model.py", "line": 3}]}
RATIO = {"ratio": {"median": 0.5, "low": 0.4, "high": 0.6, "coverage": 0.95, "rounds": 9}, "break_even": {"pays_off": "from-call", "calls": 12}}
REPORT = {"version": 1, "make": "models:make", "baseline": "eager", "cpu": "a CPU", "cores": 2, "python": "3.11.7", "training": True, "dynamic": True,
          "warm_cache": False, "seconds": 0.3, "timeout": 600,
          "configurations": [{"sizes": {"batch": size}, "threads": 1, "backends": [
              {"name": "eager", **FIRST, **TIMES}, {"name": "mlgc", **FIRST, **CAPTURE, **TIMES, **RATIO}, {"name": "lost", "reason": "it <ended>"}]}
              for size in (1, 8)],
          "sweeps": [{"name": "mlgc", "threads": 1, "points": [{"sizes": {"batch": 1}, "first_call": 2.0}, {"sizes": {"batch": 8}, "first_call": 1.0}],
                      **{name: CAPTURE[name] for name in ("graphs", "graph_breaks", "recompilations")}},
                     {"name": "other", "threads": 1, "points": [], "reason": "make() gives another model for each of these"}]}


class Balanced(html.parser.HTMLParser):
    """Raises where an element is not closed, or asks for something from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        assert not {"src", "href"} & {name for name, _ in attrs}, attrs
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Reports(unittest.TestCase):
    def setUp(self):
        self.report = comparison_report.Comparison(REPORT)

    def test_text(self):
        for part in ("forward and backward, dynamic=True", "batch=8, 1 thread", "after 12 calls", "0.40..0.60", "lost     it <ended>",
                     "- mlgc: graph break (2 times): f (model.py:3): a <builtin>", "- mlgc: recompiled: f (model.py:3): size mismatch",
                     "first, batch=8", "other    make() gives another model"):
            self.assertIn(part, self.report)

    def test_disturbed_rounds_that_count_are_told(self):
        made = copy.deepcopy(REPORT)
        made["configurations"][0]["backends"][1] |= {"disturbed": 9, "disturbed_used": True}
        self.assertIn("- the system took a core away in 9 of 9 rounds of mlgc, which count", comparison_report.Comparison(made))

    def test_json_is_versioned(self):
        self.assertEqual(json.loads(self.report.json()), REPORT)
        self.assertEqual(self.report.report["version"], 1)
        self.assertEqual(len(self.report.records), 2)

    def test_html_stands_alone(self):
        checked = Balanced()
        checked.feed(self.report._repr_html_())
        self.assertEqual((checked.open, checked.seen.count("table")), ([], 3))
        self.assertIn("it &lt;ended&gt;", self.report._repr_html_())

    def test_exit_codes(self):
        self.assertEqual(comparing.exit_code(self.report), 3)
        made = copy.deepcopy(REPORT)
        made["configurations"][0]["backends"][1]["agrees"] = False
        self.assertEqual(comparing.exit_code(comparison_report.Comparison(made)), 4)
        for entry in made["configurations"]:
            entry["backends"].pop()
            entry["backends"][1]["agrees"] = True
        self.assertEqual(comparing.exit_code(comparison_report.Comparison(made)), 0)

    def test_pictures(self):
        with tempfile.TemporaryDirectory() as name, unittest.mock.patch("importlib.util.find_spec", lambda name: None):
            text = self.report.plot(pathlib.Path(name) / "times.svg").read_text()
            self.assertIn("batch=8, 1 thread", text)
            self.assertEqual(text.count("<circle"), 4)
            with self.assertRaisesRegex(mlgc.UsageError, "pip install matplotlib"):
                self.report.plot(pathlib.Path(name) / "times.png")
            with self.assertRaisesRegex(mlgc.UsageError, "a .svg or a .png"):
                self.report.plot("times.pdf")
        if comparison_report.importlib.util.find_spec("matplotlib") is not None:
            with tempfile.TemporaryDirectory() as name:
                self.assertEqual(self.report.plot(pathlib.Path(name) / "times.png").read_bytes()[:4], b"\x89PNG")

    def test_curves_refuse_what_has_no_number(self):
        with self.assertRaises(curves.NotDrawable):
            curves.draw([("a", [None, float("nan")])], "", "", "", False)

    def test_tables_line_up(self):
        text = reports.text_table([["name", "a", "b"], ["x", "1", "2"], ["longer", "said"]])
        self.assertEqual(text.splitlines(), ["name    a  b", "x       1  2", "longer  said"])


class Whole(unittest.TestCase):
    """By processes, as a user runs it."""

    ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "tools/python"), str(ROOT / "test/python")])}

    def run_command(self, *words):
        return subprocess.run([sys.executable, "-m", "mlgc", "compare-backends", *words], capture_output=True, text=True, env=self.ENVIRONMENT, check=False)

    def test_backends_that_differ_and_end(self):
        done = self.run_command(f"{HERE}:make", f"--backends={HERE}:wrong,{HERE}:ends", "--min-time=0.01", "--format=json")
        self.assertEqual((done.returncode, done.stderr), (4, ""))
        eager, other, ended = json.loads(done.stdout)["configurations"][0]["backends"]
        self.assertEqual((eager["agrees"], other["agrees"], ended["reason"]), (True, False, "it ended with code 9"))
        self.assertRegex(other["disagreements"]["output 0"], "does not agree")
        self.assertEqual(set(other["ratio"]), {"median", "low", "high", "coverage", "rounds"})
        self.assertGreater(other["first_call"], other["median"])

    def test_usage(self):
        done = self.run_command(f"{HERE}:raises")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("does not run in eager PyTorch: RuntimeError: no data here", done.stderr)
        for flag, message in (("--plot=a.pdf", "a .svg or a .png"), ("--threads=x", "write numbers"), ("--sweep=batch", "write batch=1,8,64")):
            with self.subTest(flag), contextlib.redirect_stderr(io.StringIO()) as said:
                try:
                    code = comparing.main([f"{HERE}:make", flag])
                except SystemExit as error:  # argparse's
                    code = error.code
                self.assertEqual(code, 2)
                self.assertIn(message, said.getvalue())

    def test_functions_that_another_process_cannot_import(self):
        with unittest.mock.patch.dict(sys.modules, {"cloudpickle": None}):
            with self.assertRaisesRegex(mlgc.UsageError, "pip install cloudpickle"):
                comparing._spec_of(lambda: None, pathlib.Path())
        self.assertEqual(comparing._spec_of(comparison_peer.loaded(f"{HERE}:make"), pathlib.Path()), f"{HERE}:make")


if __name__ == "__main__":
    unittest.main()
