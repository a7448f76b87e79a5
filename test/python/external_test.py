#!/usr/bin/env python3
"""External targets in Python: shared objects and functions that compute segments of programs, artefacts and torch.compile.

Exit codes: 0 all pass, 1 some fail, 77 no PyTorch.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/python"))
os.environ.setdefault("OMP_NUM_THREADS", "1")
try:
    import torch
except ImportError as error:
    print(f"external_test: skipped: {error}", file=sys.stderr)
    sys.exit(77)

import mlgc
from mlgc import driver
from torch import nn

SAMPLE = ROOT / "ir-samples/accel"
REGISTRY = """{"mlgc-registry": 1, "target": "accel", "rules": [
  {"ops": ["linear", "relu", "add", "softmax", "matmul"], "dtypes": ["f32"]}]}"""


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 16)
        self.second = nn.Linear(16, 4, bias=False)

    def forward(self, x, r):
        t = torch.tanh(torch.relu(self.first(x) + r))
        return torch.softmax(self.second(t), -1), t


def accel(seen=None):
    """A target that computes ops by PyTorch's own, writing where the model wants it."""
    functions = {
        "linear": lambda x, weight, bias=None: torch.nn.functional.linear(x, weight, bias), "relu": torch.relu,
        "add": lambda a, b, alpha: torch.add(a, b, alpha=alpha), "softmax": lambda x, dim, safe: torch.softmax(x, dim),
        "matmul": torch.matmul, "transpose": lambda x, dim0, dim1: x.transpose(dim0, dim1)}

    def compile_segment(segment):
        calls = []
        if seen is not None:
            seen.append((segment, calls))

        def run(call):
            values = list(call.values)
            for op in segment.ops:
                values[op.results[0]] = functions[op.name](*(values[i] for i in op.operands), **call.attributes(op))
            for number, output in zip(segment.outputs, call.outputs):
                output.copy_(values[number])
            calls.append([tuple(tensor.shape) for tensor in call.inputs])
        return run
    return compile_segment


class Case(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.registry = self.folder / "accel.json"
        self.registry.write_text(REGISTRY, encoding="utf-8")
        self.model = Model()
        self.arguments = torch.randn(5, 8), torch.randn(5, 16)


class Programs(Case):
    def compiled(self, **externals):
        return mlgc.compile(self.model, self.arguments, dynamic=True, registry=self.registry, externals=externals)

    def test_a_function_computes_segments(self):
        seen = []
        program = self.compiled(accel=accel(seen))
        self.assertEqual([op.name for op in seen[0][0].ops], ["linear", "add", "relu"])
        self.assertEqual([op.name for op in seen[1][0].ops], ["linear", "softmax"])
        constants = [value for value in seen[0][0].values if value.role == "constant"]
        torch.testing.assert_close(constants[0].data, self.model.first.weight.detach(), rtol=0, atol=0)
        self.assertIn("linear", seen[0][0].text)
        for size in (5, 1, 0, 5):
            x, r = torch.randn(size, 8), torch.randn(size, 16)
            with torch.no_grad():
                torch.testing.assert_close(program(x, r), self.model(x, r))
        self.assertEqual(seen[0][1], [[(5, 8), (5, 16)], [(1, 8), (1, 16)], [(0, 8), (0, 16)], [(5, 8), (5, 16)]])

    def test_an_artefact_in_another_process(self):
        self.compiled(accel=accel()).save(self.folder / "model.mlgcx")
        torch.save(self.arguments, self.folder / "x.pt")
        library = self.folder / "libaccel.so"
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", f"-I{ROOT / 'lib'}", str(SAMPLE / "accel.c"), "-lm", "-o",
                        str(library)], check=True)
        code = ("import sys, torch, mlgc; folder = sys.argv[1]; x = torch.load(folder + '/x.pt');"
                "program = mlgc.load(folder + '/model.mlgcx', externals={'accel': folder + '/libaccel.so'});"
                "program(*x); torch.save(program(*x), folder + '/y.pt')")
        subprocess.run([sys.executable, "-c", code, str(self.folder)], check=True,
                       env={**os.environ, "PYTHONPATH": str(ROOT / "tools/python")})
        with torch.no_grad():
            torch.testing.assert_close(torch.load(self.folder / "y.pt"), self.model(*self.arguments))

    def test_memory_is_the_models_own(self):
        path = self.folder / "double.mlir"
        path.write_text('func @f(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {\n  %y = segment (%a = %x) attributes {target = "twice"} {\n'
                        "    %b = add %a, %a\n    yield %b\n  }\n  return %y\n}\n", encoding="utf-8")
        subprocess.run([str(driver.find()), "compile", str(path), "--vector-bytes=native", "-o",
                        str(self.folder / "double.mlgcx")], check=True, capture_output=True)
        addresses = []

        def twice(segment):
            def run(call):
                addresses.append((call.inputs[0].data_ptr(), call.outputs[0].data_ptr()))
                torch.add(call.inputs[0], call.inputs[0], out=call.outputs[0])
            return run
        program = mlgc.load(self.folder / "double.mlgcx", externals={"twice": twice})
        x = torch.randn(7)
        y = program(x)
        self.assertEqual(addresses, [(x.data_ptr(), y.data_ptr())])
        torch.testing.assert_close(y, 2 * x, rtol=0, atol=0)

    def test_calls_of_several_threads(self):
        program = self.compiled(accel=accel())
        wrong = []

        def work():
            for _ in range(20):
                with torch.no_grad():
                    got = program(*self.arguments)
                    if not torch.allclose(got[0], self.model(*self.arguments)[0], atol=1e-6):
                        wrong.append(got)
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_what_is_refused(self):
        def broken(segment):
            def run(call):
                raise ValueError("no such luck")
            return run
        with self.assertRaisesRegex(mlgc.ExecutionError, r"the target failed with 72: ValueError: no such luck \(external_test.py:\d+\)") as caught:
            self.compiled(accel=broken)(*self.arguments)
        self.assertEqual(caught.exception.status, 72)
        with self.assertRaisesRegex(mlgc.ExecutionError, "KeyError: 'linear'"):
            self.compiled(accel=lambda segment: {}[segment.ops[0].name])
        with self.assertRaisesRegex(mlgc.ExecutionError, "which is no function of a call"):
            self.compiled(accel=lambda segment: None)
        with self.assertRaisesRegex(mlgc.UsageError, "is of the target 'accel'; externals has 'other'"):
            self.compiled(other=accel())
        with self.assertRaisesRegex(mlgc.UsageError, "give a shared object or a function"):
            self.compiled(accel=3)
        self.compiled(accel=accel()).save(self.folder / "model.mlgcx")
        with self.assertRaisesRegex(mlgc.ExecutionError, "has segments for the external target `accel`"):
            mlgc.load(self.folder / "model.mlgcx")
        with self.assertRaisesRegex(mlgc.ExecutionError, "nothing.so cannot be loaded as external target 'accel'"):
            mlgc.load(self.folder / "model.mlgcx", externals={"accel": self.folder / "nothing.so"})


class Backend(Case):
    def test_torch_compile(self):
        seen = []
        options = {"registry": self.registry, "externals": {"accel": accel(seen)}, "fallback": "error", "cache_dir": self.folder / "cache"}
        compiled = torch.compile(self.model, backend=mlgc.mlgc_backend, options=options)
        with torch.no_grad():
            for _ in range(2):
                torch.testing.assert_close(compiled(*self.arguments), self.model(*self.arguments))
        self.assertTrue(seen and all(len(calls) == 2 for _, calls in seen))

    def test_options(self):
        with self.assertRaisesRegex(mlgc.UsageError, "externals are given and no registry"):
            mlgc.Options(externals={"accel": accel()})
        with self.assertRaisesRegex(mlgc.UsageError, "is of the target 'accel'"):
            mlgc.Options(registry=self.registry, externals={"other": accel()})


if __name__ == "__main__":
    unittest.main()
