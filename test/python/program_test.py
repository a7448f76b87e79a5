#!/usr/bin/env python3
"""Programs of the Python package: compiled whole, called, shown, saved, loaded, differentiated, trained.

    program_test.py [unittest's arguments]

Exit codes: 0 all pass, 1 some fail, 77 no PyTorch.
"""
import copy
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/python"), str(ROOT / "scripts")]
os.environ.setdefault("OMP_NUM_THREADS", "1")
try:
    import torch
except ImportError as error:
    print(f"program_test: skipped: {error}", file=sys.stderr)
    sys.exit(77)

import mlgc
from agreement import differences
from mlgc import driver
from torch import nn
import torch.nn.functional as F


class Heads(nn.Module):
    """Keywords, constants, and a result with structure."""

    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x, mask=None, scale=2.0):
        h = self.body(x).relu()
        h = h if mask is None else h * mask
        return {"scores": self.head(h) * scale, "hidden": (h, None), "scale": scale}


class Case(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def agrees(self, results, eager, exact):
        arrays = [[x.detach().numpy() for x in values] for values in (results, exact, eager)]
        self.assertEqual(differences(driver.find(), *arrays), {})


class Calls(Case):
    def test_structure_of_arguments_and_results(self):
        model, x, mask = Heads(), torch.randn(5, 8), (torch.rand(5, 16) > 0.5).float()
        program = mlgc.compile(model, (x,), {"mask": mask, "scale": 3.0})
        with torch.no_grad():
            found, eager = program(x, mask=mask, scale=3.0), model(x, mask=mask, scale=3.0)
            exact = copy.deepcopy(model).double()(x.double(), mask=mask.double(), scale=3.0)
        self.assertEqual((found["hidden"][1], found["scale"], list(found)), (None, 3.0, ["scores", "hidden", "scale"]))
        flat = lambda result: [result["scores"], result["hidden"][0]]
        self.agrees(flat(found), flat(eager), flat(exact))

    def test_arguments_that_do_not_fit(self):
        x = torch.randn(5, 8)
        program = mlgc.compile(Heads(), (x,), {"scale": 3.0})
        for kind, message, call in (
                (mlgc.UsageError, r"not those of the example: \(\*\) for \(\*, scale=\*\)", lambda: program(x)),
                (mlgc.UsageError, r"argument 1 is 2.0; it was 3.0", lambda: program(x, scale=2.0)),
                (mlgc.UsageError, r"input 0 \(`x`\) .*torch.float64.*give x.to\(torch.float32\)", lambda: program(x.double(), scale=3.0)),
                (mlgc.UsageError, r"a str is given", lambda: program("x", scale=3.0)),
                (mlgc.UsageError, r"on meta is given", lambda: program(x.to("meta"), scale=3.0)),
                (mlgc.UsageError, r"requires a gradient", lambda: program(x.clone().requires_grad_(), scale=3.0)),
                (mlgc.ExecutionError, r"dim 0 is 3, the model has 5", lambda: program(x[:3], scale=3.0)),
                (mlgc.UsageError, r"sizes \(5,\)", lambda: program(x[:, 0], scale=3.0))):
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                call()
        self.assertEqual(program(x, scale=3.0)["scores"].shape, (5, 4))  # refusals leave it whole

    def test_memory_that_is_not_row_major(self):
        program = mlgc.compile(lambda a, b: a @ b, (torch.randn(4, 6), torch.randn(6, 3)))
        a, b = torch.randn(6, 4).t(), torch.randn(6, 6)[:, ::2]
        self.agrees([program(a, b)], [a @ b], [a.double() @ b.double()])

    def test_dynamic_sizes(self):
        program = mlgc.compile(nn.Linear(8, 4), (torch.randn(5, 8),), dynamic=True)
        self.assertEqual(list(program.signature.symbols), ["B"])
        for size in (0, 1, 7):
            self.assertEqual(program(torch.randn(size, 8)).shape, (size, 4))

    def test_sizes_that_only_a_call_knows(self):
        program = mlgc.compile(lambda x: (x.nonzero(), x + 1), (torch.tensor([1.0, 0, 2]),))
        for x in (torch.tensor([0.0, 3, 0]), torch.zeros(3), torch.ones(3)):
            rows, more = program(x)
            self.assertTrue(torch.equal(rows, x.nonzero()) and torch.equal(more, x + 1))

    def test_random_numbers_follow_the_seed(self):
        program = mlgc.compile(nn.Dropout(0.5).train(), (torch.ones(64),))
        torch.manual_seed(1)
        first = [program(torch.ones(64)) for _ in range(2)]
        torch.manual_seed(1)
        self.assertTrue(torch.equal(first[0], program(torch.ones(64))))
        self.assertFalse(torch.equal(*first))

    def test_failures_of_values(self):
        program = mlgc.compile(lambda table, i: table[i], (torch.randn(4), torch.tensor([0, 1])))
        with self.assertRaisesRegex(mlgc.ExecutionError, "index"):
            program(torch.randn(4), torch.tensor([0, 9]))

    def test_threads_share_a_program(self):
        program, x = mlgc.compile(nn.Linear(64, 64), (torch.randn(32, 64),)), torch.randn(32, 64)
        expected, wrong = program(x), []

        def work():
            for _ in range(200):
                if not torch.equal(program(x), expected):
                    wrong.append(1)

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(wrong, [])


class Texts(Case):
    def test_levels(self):
        program = mlgc.compile(nn.Sequential(nn.Linear(8, 4), nn.ReLU()), (torch.randn(2, 8),))
        for level, part in (("graph", "= relu "), ("optimised", "= relu "), ("fused", "= fusion"), ("loops", "launch"), ("plan", "launch"),
                            ("cpp", "extern"), ("cuda", "__global__")):
            self.assertIn(part, program.text(level), level)
        with self.assertRaisesRegex(mlgc.UsageError, "there is no level 'loop'; there are graph"):
            program.text("loop")

    def test_locations_are_the_users(self):
        program = mlgc.compile(Heads(), (torch.randn(2, 8),))
        self.assertIn("program_test.py", program.text("graph", "--locations"))

    def test_explanations(self):
        program = mlgc.compile(nn.Sequential(nn.Linear(8, 4), nn.ReLU()), (torch.randn(2, 8),))
        self.assertIn("kernel 0", program.explain("fusion"))
        self.assertIn("<pre>", program.explain("memory")._repr_html_())
        self.assertIn("2 of 2 ops", program.explain("partition", "--registry=everything"))

    def test_benchmark(self):
        program = mlgc.compile(nn.Linear(8, 4), (torch.randn(2, 8),), dynamic=True)
        with self.assertRaisesRegex(mlgc.UsageError, r"give sizes of B: benchmark\(sizes=\{'B': 8\}\)"):
            program.benchmark()
        found = program.benchmark(["interp"], sizes={"B": [1, 4]}, seconds=0.02)
        self.assertEqual([entry["sizes"]["B"] for entry in found.report["configurations"]], [1, 4])
        self.assertEqual(found.count("interp"), 2)
        self.assertEqual(found._repr_html_().count("<tr>"), 5)
        self.assertNotRegex(found._repr_html_(), "src=|href=|<script|<style")


class Files(Case):
    def setUp(self):
        super().setUp()
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def test_save_and_load(self):
        model, x = Heads(), torch.randn(5, 8)
        program = mlgc.compile(model, (x,))
        path = program.save(self.folder / "heads.mlgcx")
        program.save(path)  # over an older one
        loaded = mlgc.load(path)
        self.assertTrue(torch.equal(loaded(x)["scores"], program(x)["scores"]))
        with self.assertRaisesRegex(mlgc.UsageError, r"mlgc.compile\(\) the model"):
            loaded.text("loops")
        (self.folder / "mine").mkdir()
        with self.assertRaisesRegex(mlgc.UsageError, "is no compiled model"):
            program.save(self.folder / "mine")
        self.assertEqual(sorted(entry.name for entry in self.folder.iterdir()), ["heads.mlgcx", "mine"])

    def test_a_process_without_the_model(self):
        x = torch.randn(5, 8)
        program = mlgc.compile(Heads(), (x,))
        program.save(self.folder / "heads.mlgcx")
        torch.save((x, program(x)["scores"]), self.folder / "expected")
        code = ("import sys, torch, mlgc\nx, y = torch.load(sys.argv[2])\n"
                "assert torch.equal(mlgc.load(sys.argv[1])(x)['scores'], y)")
        subprocess.run([sys.executable, "-c", code, str(self.folder / "heads.mlgcx"), str(self.folder / "expected")], check=True,
                       env=os.environ | {"PYTHONPATH": str(ROOT / "tools/python")})

    def test_a_single_file_of_the_driver(self):
        driver.run(["compile", str(ROOT / "ir-samples/models/digits.pt2"), "-o", str(self.folder / "digits.mlgcx"), "--single-file",
                    "--vector-bytes=native"])
        driver.run(["compile", str(ROOT / "ir-samples/models/digits.pt2"), "-o", str(self.folder / "folder.mlgcx"), "--vector-bytes=native"])
        x = torch.randn(3, 64)
        self.assertTrue(torch.equal(mlgc.load(self.folder / "digits.mlgcx")(x), mlgc.load(self.folder / "folder.mlgcx")(x)))

    def test_copies_and_pickles(self):
        model, x = Heads(), torch.randn(5, 8)
        program = mlgc.compile(model, (x,))
        with torch.no_grad():
            expected = program(x)["scores"]
            program.save(pathlib.Path(self.folder) / "kept.mlgcx")
            loaded = mlgc.load(pathlib.Path(self.folder) / "kept.mlgcx")
            for made in (copy.deepcopy(program), pickle.loads(pickle.dumps(program)), copy.deepcopy(loaded)):
                self.assertTrue(torch.equal(made(x)["scores"], expected))
        self.assertEqual(copy.deepcopy(program).text("graph"), program.text("graph"))

    def test_damaged_artefacts(self):
        path = mlgc.compile(Heads(), (torch.randn(5, 8),)).save(self.folder / "heads.mlgcx")
        code = (path / "model.so").read_bytes()
        (path / "model.so").write_bytes(code[:-1])
        with self.assertRaisesRegex(mlgc.CompilationError, "model.so"):
            mlgc.load(path)
        with self.assertRaisesRegex(mlgc.Error, "nothing.mlgcx"):
            mlgc.load(self.folder / "nothing.mlgcx")


class Gradients(Case):
    def test_of_a_function(self):
        program = mlgc.grad(lambda x, w: ((x @ w).tanh() ** 2).sum(), (torch.randn(3, 4), torch.randn(4, 2)), wrt=["w"])
        x, w = torch.randn(3, 4), torch.randn(4, 2)

        def reference(dtype):
            leaf = w.to(dtype).requires_grad_()
            value = ((x.to(dtype) @ leaf).tanh() ** 2).sum()
            return [value.detach(), *torch.autograd.grad(value, leaf)]

        value, gradients = program(x, w)
        self.assertEqual(list(gradients), ["w"])
        self.agrees([value, gradients["w"]], reference(torch.float32), reference(torch.float64))

    def test_of_parameters(self):
        model = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Flatten(0))

        class Loss(nn.Module):
            def __init__(self):
                super().__init__()
                self.model = model

            def forward(self, x):
                return self.model(x).square().mean()

        _, gradients = mlgc.grad(Loss(), (torch.randn(5, 8),), wrt=["model.0.weight"])(torch.randn(5, 8))
        self.assertEqual({name: tuple(value.shape) for name, value in gradients.items()}, {"model.0.weight": (4, 8)})

    def test_what_cannot_be_differentiated(self):
        with self.assertRaisesRegex(mlgc.CompilationError, "no scalar"):
            mlgc.grad(lambda x: x * x, (torch.randn(3),))
        with self.assertRaisesRegex(mlgc.UsageError, "no input and no weight 'y'; inputs are x"):
            mlgc.grad(lambda x: x.sum(), (torch.randn(3),), wrt=["y"])


class Training(Case):
    def step_and_reference(self, kind, options):
        model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))
        step = mlgc.training_step(model, "cross_entropy", kind(model.parameters(), **options), (torch.randn(6, 8),),
                                  torch.randint(4, (6,)), dynamic=True)
        reference = copy.deepcopy(model).double()
        return step, reference, kind(reference.parameters(), **options), model

    def test_steps_are_those_of_the_optimiser(self):
        for kind, options in ((torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
                              (torch.optim.Adam, {"lr": 0.01, "betas": (0.8, 0.99)}), (torch.optim.AdamW, {"lr": 0.01})):
            with self.subTest(kind.__name__):
                step, reference, optimizer, model = self.step_and_reference(kind, options)
                for size in (6, 3, 1):
                    x, target = torch.randn(size, 8), torch.randint(4, (size,))
                    loss = F.cross_entropy(reference(x.double()), target)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                    torch.testing.assert_close(step(x, target).double(), loss.detach(), rtol=1e-5, atol=1e-6)
                model.load_state_dict(step.states.state_dict(), strict=False)
                for own, other in zip(model.parameters(), reference.parameters()):
                    torch.testing.assert_close(own.detach().double(), other.detach(), rtol=1e-3, atol=1e-5)

    def test_states(self):
        step, _, _, _ = self.step_and_reference(torch.optim.SGD, {"lr": 0.1})
        x, target = torch.randn(6, 8), torch.randint(4, (6,))
        start = step.states.state_dict()
        first = step(x, target)
        self.assertLess(step(x, target), first)
        step.states.load_state_dict(start)
        self.assertEqual(step(x, target), first)
        step.states.reset()
        self.assertEqual(step(x, target), first)
        with self.assertRaisesRegex(mlgc.UsageError, "there is no state 'nothing'"):
            step.states.load_state_dict({"nothing": torch.zeros(1)})
        with self.assertRaisesRegex(mlgc.UsageError, "sizes"):
            step.states.load_state_dict({"0.bias": torch.zeros(3)})

    def test_a_copy_has_states_of_its_own(self):
        torch.manual_seed(1)
        model, x, target = nn.Linear(8, 3), torch.randn(5, 8), torch.randint(3, (5,))
        step = mlgc.training_step(model, "cross_entropy", torch.optim.SGD(model.parameters(), 0.1), (x,), target)
        step(x, target)
        copied = copy.deepcopy(step)
        self.assertTrue(torch.equal(copied(x, target), step(x, target)))
        copied(x, target)
        self.assertFalse(torch.equal(copied.states.state_dict()["weight"], step.states.state_dict()["weight"]))

    def test_what_has_no_compiled_form(self):
        model = nn.Linear(8, 4)
        for message, make in (("amsgrad=True", lambda: torch.optim.Adam(model.parameters(), amsgrad=True)),
                              ("Adagrad has no compiled form", lambda: torch.optim.Adagrad(model.parameters())),
                              ("not the model's", lambda: torch.optim.SGD(nn.Linear(2, 2).parameters())),
                              ("2 groups", lambda: torch.optim.SGD([{"params": [model.weight]}, {"params": [model.bias]}]))):
            with self.subTest(message), self.assertRaisesRegex(mlgc.UsageError, message):
                mlgc.training_step(model, "mse_loss", make(), (torch.randn(2, 8),), torch.randn(2, 4))


if __name__ == "__main__":
    warnings.filterwarnings("ignore", category=FutureWarning)
    unittest.main()
