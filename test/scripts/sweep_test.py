"""scripts/sweep: the same workloads always, peers that hang or die, interruption, and going on. sweep_test.py [MLGC]."""

import contextlib
import functools
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
try:
    import torch
except ImportError as error:
    print(f"sweep_test: skipped: {error}", file=sys.stderr)
    sys.exit(77)

import exporting  # noqa: E402
import sweep_plot  # noqa: E402
import sweep_report  # noqa: E402
import sweep_roof  # noqa: E402
from sweep_families import FAMILIES, workload  # noqa: E402

MLGC = os.environ.get("MLGC", str(ROOT / "build/release/tools/mlgc/mlgc"))
FAKE = f"{sys.executable} {pathlib.Path(__file__).with_name('sweep_peer.py')}"
loader = importlib.machinery.SourceFileLoader("sweep", str(ROOT / "scripts/sweep"))
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("sweep", loader))
loader.exec_module(program)
LIMITS = functools.cache(sweep_roof.measured)  # takes seconds
SMALL = ("--families=gather", "--seeds=0", "--min-time=0.001", f"--mlgc={MLGC}")


class Workloads(unittest.TestCase):
    def test_same_in_another_process(self):
        script = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom sweep_families import FAMILIES, workload\n"
                  "for name in FAMILIES:\n  for seed in range(20): print(workload(name, seed).words)")
        here = "".join(f"{workload(name, seed).words}\n" for name in FAMILIES for seed in range(20))
        there = subprocess.run([sys.executable, "-c", script, ROOT / "scripts"], capture_output=True, text=True, check=True,
                               env=dict(os.environ, PYTHONHASHSEED="5")).stdout
        self.assertEqual(here, there)

    def test_same_weights_and_inputs(self):
        for name in ("linear", "gather", "attention"):
            (one, a, _), (two, b, _) = (workload(name, 2).build() for _ in range(2))
            self.assertTrue(all(torch.equal(x, y) for x, y in zip([*a, *one.parameters()], [*b, *two.parameters()], strict=True)))

    def test_kinds(self):
        every = [workload(name, seed) for name in FAMILIES for seed in range(100)]
        self.assertEqual({item.dtype for item in every}, {"f32", "bf16", "i64"})
        self.assertTrue(0.1 < sum(item.dynamic for item in every) / len(every) < 0.4)
        self.assertTrue(any("x1x" in item.words for item in every))

    def test_roof(self):
        x = torch.randn(10, 20)
        layer = torch.nn.Linear(20, 30)
        operations, moved = sweep_roof.count(exporting.Example(layer, (x,)), "functional")
        self.assertEqual((operations, moved), (2 * 10 * 20 * 30, 4 * (200 + 600 + 30 + 300)))
        limits = {"flops": 100, "l2_bytes": 10, "l3_bytes": 100, "l2_gbs": 4e-9, "l3_gbs": 2e-9, "memory_gbs": 1e-9, "all_memory_gbs": 1e-9}
        self.assertEqual([sweep_roof.seconds(0, moved, limits, 1) for moved in (8, 20, 111)], [2, 7.5, 53.5])
        self.assertEqual([sweep_roof.seconds(1000, 0, limits, 1, element) for element in (4, 8)], [10, 20])
        table, rows = torch.nn.Embedding(1000, 8), torch.randint(0, 1000, (5,))
        self.assertEqual(sweep_roof.count(exporting.Example(table, (rows,)), "functional"), (0, 5 * 8 + 2 * 4 * 5 * 8))
        # Of a convolution, and of its gradients by input and weight; squares, sums and the like are some hundred.
        image = torch.randn(1, 3, 8, 8, requires_grad=True)
        operations, _ = sweep_roof.count(exporting.Example(torch.nn.Conv2d(3, 5, 3), (image,)), "training")
        self.assertTrue(3 < operations / (2 * 5 * 36 * 27) < 3.3, operations)


class Report(unittest.TestCase):
    def test_percentiles(self):
        self.assertEqual(sweep_report.percentile([3, 1, 2], 0.5), 2)
        self.assertEqual(sweep_report.percentile([1, 2], 0.25), 1.25)
        self.assertEqual(sweep_report.percentile([7], 0.05), 7)

    def test_picture(self):
        self.assertEqual(sweep_plot.plot({"a<b": [0.5, 2.0], "c": []}, "t").count("<circle"), 2)
        with self.assertRaises(ValueError):
            sweep_plot.plot({"a": []}, "t")


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def command(self, *args):
        return ["sweep", *SMALL, f"--work={self.root}/work", f"--json={self.root}/out.json", *args]

    def sweep(self, *args):
        """Exit code, output, errors, and rows; in this process, which has imported PyTorch."""
        out, err = io.StringIO(), io.StringIO()
        with unittest.mock.patch.object(sys, "argv", self.command(*args)), \
                unittest.mock.patch.object(sweep_roof, "measured", LIMITS), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = program.main()
            except SystemExit as exit:
                code = exit.code
        path = self.root / "out.json"
        return code, out.getvalue(), err.getvalue(), json.loads(path.read_text())["rows"] if path.exists() else []

    def test_goes_on(self):
        flags = ("--peers=eager", "--seeds=0:2", f"--against=same={MLGC}")
        code, out, err, rows = self.sweep(*flags, f"--plot={self.root}/a.svg")
        self.assertEqual(code, 0, out + err)
        self.assertEqual([row["words"] for row in rows], [workload("gather", seed).words for seed in range(2)])
        self.assertTrue(all(row["speed"][name]["median"] > 0 for row in rows for name in ("mlgc", "same")))
        self.assertTrue(all(row["decisions"][0]["nests"] for row in rows))
        self.assertIn("<svg", (self.root / "a.svg").read_text())
        path = self.root / "work/sweep.jsonl"
        whole = path.read_text().splitlines()
        torn = [number for number, line in enumerate(whole) if '"row"' in line][-1]
        path.write_text("\n".join([*whole[:torn], whole[torn][:200]]))
        code, out, err, more = self.sweep(*flags)
        self.assertEqual(code, 0, out + err)
        self.assertIn("not a whole line", err)
        self.assertIn("1 of 2 workloads are in", err)
        self.assertEqual(more[0]["seconds"], rows[0]["seconds"])
        self.assertEqual(more[1]["words"], rows[1]["words"])
        _, _, err, last = self.sweep(*flags)
        self.assertIn("2 of 2 workloads are in", err)
        self.assertEqual(last, more)

    def test_training_steps(self):
        code, out, err, rows = self.sweep("--peers=eager", "--families=linear,conv2d", "--training")
        self.assertEqual(code, 0, out + err)
        self.assertEqual([row["words"] for row in rows], [workload(name, 0, True).words for name in ("linear", "conv2d")])
        for row in rows:
            self.assertTrue(row["words"].endswith(", training"))
            self.assertEqual((row["failed"], row["differs"]), ({}, {}))
            self.assertGreater(row["speed"]["mlgc"]["median"], 0)

    def test_strategies(self):
        code, out, err, rows = self.sweep("--peers=eager", "--seeds=0", "--tune")
        self.assertEqual(code, 0, out + err)
        tuned = rows[0]["tuned"]
        self.assertNotIn("failed", tuned)
        self.assertGreaterEqual(tuned["default"], tuned["best"])
        self.assertGreater(tuned["best"], 0)
        self.assertRegex(out, r"default schedule over the best candidates, time of all kernels: median [0-9.]+, 95 % point .* of 1 workloads")

    def test_a_peer_hangs(self):
        code, out, err, rows = self.sweep("--peers=torchscript", f"--peer-command=torchscript={FAKE} hangs", "--limit=8")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(rows[0]["failed"], {"torchscript": "no answer in 8 s"})
        self.assertIn("1 × no answer in 8 s (gather 0)", out)
        self.assertGreater(rows[0]["seconds"]["mlgc"], 0)

    def test_a_peer_dies_and_comes_back(self):
        code, out, err, rows = self.sweep("--peers=eager", f"--peer-command=eager={FAKE} dies-once", "--seeds=0:2")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(rows[0]["failed"], {"eager": "it ended with exit code 3: out of luck"})
        self.assertEqual(rows[1]["failed"], {})
        self.assertEqual(rows[1]["speed"]["mlgc"]["peer"], "eager")

    def test_mlgc_dies_or_differs(self):
        for mode, kind, words in (("babbles", "failed", "its answer is no object of JSON"), ("wrong", "differs", "does not agree")):
            code, out, err, rows = self.sweep("--peers=torchscript", f"--peer-command=torchscript={FAKE} dies", "--seeds=0",
                                              f"--peer-command=mlgc={FAKE} {mode}", f"--work={self.root}/{mode}")
            self.assertEqual(code, 1, out + err)
            self.assertIn(words, rows[0][kind]["mlgc"])
            self.assertIn("gather 0", out)

    def test_interrupted(self):
        flags = self.command("--peers=torchscript", f"--peer-command=torchscript={FAKE} dies", "--seeds=0:500")
        process = subprocess.Popen([sys.executable, ROOT / "scripts/sweep", *flags[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        journal = self.root / "work/sweep.jsonl"
        while process.poll() is None and not (journal.exists() and '"row"' in journal.read_text()):
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertIn("sweep: interrupted", err)
        self.assertIn("torchscript does not run", out)
        self.assertTrue(all(json.loads(line) for line in journal.read_text().splitlines()))

    def test_bad_usage(self):
        for flag, words in (("--families=convolution", "there is no family convolution; --list names them"), ("--peers=tvm", "there is no peer tvm"),
                            ("--threads=0", "no list of numbers above 0"), ("--mlgc=/none", "there is no file /none"),
                            ("--against=mlgc=/none", "the name mlgc is taken"), ("--seeds=4:2", "invalid numbers value")):
            code, _, err, _ = self.sweep(flag)
            self.assertEqual(code, 2, flag)
            self.assertIn(words, err)


if __name__ == "__main__":
    unittest.main()
