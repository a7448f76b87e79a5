#!/usr/bin/env python3
"""The backend of torch.compile: what such a backend must show, each as a class of tests.

    backend_test.py [unittest's arguments]

Exit codes: 0 all pass, 1 some fail, 77 no PyTorch.
"""
import contextlib
import copy
import gc
import io
import json
import logging
import math
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/python"), str(ROOT / "scripts")]
os.environ.setdefault("OMP_NUM_THREADS", "1")
try:
    import torch
except ImportError as error:
    print(f"backend_test: skipped: {error}", file=sys.stderr)
    sys.exit(77)

import mlgc
from agreement import differences
from mlgc import compiler, driver, segments
from mlgc.backend import mlgc_backend
from torch import nn
import torch.nn.functional as F
import torch.utils.checkpoint


def compiled(function, **options):
    dynamic = options.pop("dynamic", None)
    return torch.compile(function, backend=mlgc_backend, dynamic=dynamic, options={"fallback": "error", **options})


@contextlib.contextmanager
def threads(count):
    """PyTorch computes with so many."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Case(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(0)
        self.before = len(mlgc.ledger())

    def records(self):
        return mlgc.ledger()[self.before:]

    def agrees(self, results, eager, exact):
        arrays = [[x.detach().numpy() for x in values] for values in (results, exact, eager)]
        self.assertEqual(differences(driver.find(), *arrays), {})
        self.assertEqual([steps_of(x) for x in results], [steps_of(x) for x in eager])

    def check(self, module, *inputs, **options):
        """Results and, where it is trained, gradients."""
        exact_module = copy.deepcopy(module).double() if isinstance(module, nn.Module) else module
        wide = [x.double() if x.is_floating_point() else x for x in inputs]
        found = [list(run(*given)) for run, given in ((results_of(compiled(module, **options), module), inputs),
                                                     (results_of(module, module), inputs),
                                                     (results_of(exact_module, exact_module), wide))]
        self.agrees(*found)
        return found[0]


def steps_of(tensor):
    """Strides of the axes along which there is a step to take."""
    return [stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1] if tensor.numel() else []


def results_of(function, module):
    """Calls a function: its results, then the gradients of their squares' sum with respect to inputs and parameters."""
    def run(*inputs):
        leaves = [x.clone().requires_grad_() if x.is_floating_point() and torch.is_grad_enabled() else x for x in inputs]
        results = function(*leaves)
        results = results if isinstance(results, (list, tuple)) else [results]
        wanted = [x for x in leaves if x.requires_grad]
        wanted += [p for p in module.parameters()] if isinstance(module, nn.Module) and torch.is_grad_enabled() else []
        floats = [x for x in results if x.requires_grad]
        gradients = torch.autograd.grad(sum((x * x).sum() for x in floats), wanted) if floats else []
        return [x.detach() for x in results] + list(gradients)
    return run


class Capture(Case):
    def test_inference(self):
        with torch.no_grad():
            self.check(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), torch.randn(5, 8))
        self.assertEqual([(r.kind, len(r.segments), r.outside) for r in self.records()], [("inference", 1, [])])

    def test_training(self):
        self.check(nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)), torch.randn(5, 8))
        self.assertEqual([(r.kind, len(r.segments)) for r in self.records()], [("forward", 1), ("backward", 1)])

    def test_second_call_compiles_nothing(self):
        f = compiled(torch.sin)
        f(torch.ones(3))
        made = len(mlgc.ledger())
        f(torch.zeros(3))
        self.assertEqual(len(mlgc.ledger()), made)

    def test_ledger_names_what_stays_outside(self):
        def f(x):
            return torch.linalg.det(x.relu()) + 1
        x = torch.randn(3, 3).abs() + 3 * torch.eye(3)
        with self.assertLogs("mlgc", logging.WARNING) as heard:
            y = compiled(f, fallback="warn")(x)
        torch.testing.assert_close(y, f(x))
        outside = self.records()[0].outside
        self.assertTrue(any("linalg" in entry["target"] and "is not known" in entry["reason"] for entry in outside), outside)
        self.assertTrue(all("backend_test.py:" in entry["place"] or "getitem" in entry["target"] for entry in outside), outside)
        self.assertIn("run in PyTorch", heard.output[0])

    def test_ranges_of_reals(self):
        self.check(lambda x: x * torch.arange(0, 64, 2.0), torch.randn(32))

    def test_fallback_is_refused(self):
        with self.assertRaisesRegex(Exception, "FallbackRefused|run in PyTorch"):
            compiled(lambda x: torch.linalg.det(x))(torch.eye(3))


class Pools(Case):
    def test_without_a_batch(self):
        for pool, rank in ((nn.AvgPool1d(2), 2), (nn.AvgPool2d(2), 3), (nn.AvgPool3d(2), 4), (nn.MaxPool1d(2), 2), (nn.MaxPool2d(2), 3),
                           (nn.MaxPool3d(2), 4), (nn.AdaptiveAvgPool2d(2), 3), (nn.AdaptiveMaxPool2d(2), 3), (nn.AdaptiveAvgPool3d(2), 4)):
            with self.subTest(pool):
                torch._dynamo.reset()
                self.check(pool, torch.randn([3, 4, 6, 5][:rank]))


class Artefacts(Case):
    def two_segments(self, **options):
        x = torch.randn(3, 3).abs() + 3 * torch.eye(3)
        f = lambda x: (torch.linalg.matrix_exp(x.relu().exp()) + 1).tanh()
        self.assertTrue(torch.allclose(compiled(f, fallback="allow", **options)(x), f(x)))
        return self.records()[-1]

    def test_segments_of_a_graph_are_one_artefact(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.two_segments(cache_dir=folder).segments, [2, 2])
            self.assertEqual(len(os.listdir(folder + "/torch")), 1)

    def test_a_refused_segment_leaves_the_others_compiled(self):
        made = compiler._Compilation._artifact

        def refusing(compilation, chosen):
            if any(segment.nodes[0].target is torch.ops.aten.relu.default for segment in chosen):
                raise mlgc.CompilationError("no kernel for this", 3, "")
            return made(compilation, chosen)
        with unittest.mock.patch.object(compiler._Compilation, "_artifact", refusing):
            record = self.two_segments(cache_dir="off")
        self.assertEqual(record.segments, [2])
        self.assertEqual([entry["reason"] for entry in record.outside if "relu" in entry["target"]],
                         ["its segment was refused: no kernel for this"])


class Layouts(Case):
    def test_inputs_that_are_not_row_major(self):
        def f(a, b, c):
            return a @ b, (c + 1).sum(1)
        a, b = torch.randn(4, 6).t(), torch.randn(5, 4).t()
        c = torch.randn(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
        with torch.no_grad():
            self.check(f, a, b, c)

    def test_results_have_the_strides_of_eager(self):
        def f(x):
            return (x + 1).t(), x.expand(3, 4, 5), (x * 2).permute(1, 0), x[1:], (x.exp())[:, 2]
        with torch.no_grad():
            self.check(f, torch.randn(4, 5))

    def test_views_of_inputs_stay_views(self):
        x = torch.randn(4, 5)
        y = compiled(lambda x: (x.t(), x + 1))(x)[0]
        self.assertEqual(y.data_ptr(), x.data_ptr())

    def test_views_that_are_computed_with_too(self):
        self.check(lambda a, b: torch.einsum("ijk,ik->j", a, b), torch.randn(1, 2, 3), torch.randn(1, 3))

    def test_view_of_a_view_that_runs_in_pytorch(self):
        def f(x):
            y = x.exp()
            bits = y.t().view(torch.int32)
            return y, bits, bits + 1
        x = torch.randn(3, 4)
        for a, b in zip(compiled(f, fallback="allow")(x), f(x)):
            torch.testing.assert_close(a, b, rtol=0, atol=8)
        self.assertEqual([entry["target"] for entry in self.records()[0].outside], ["aten::view.dtype"])

    def test_gaps_and_overlaps(self):
        with torch.no_grad():
            self.check(lambda x, y: x + y, torch.randn(4, 10)[:, ::2], torch.randn(4, 1).expand(4, 5))
        self.assertEqual(len(self.records()[0].copied), 2)

    def test_empty_and_single(self):
        with torch.no_grad():
            self.check(lambda x: (x.sum(0), x * 2), torch.randn(0, 3))
            self.check(lambda x: x.softmax(-1), torch.randn(1, 1))
            self.check(lambda x: x + 1, torch.randn(()))


    def test_several_views_of_one_tensor(self):
        for dynamic in (False, True):
            for how in (lambda x: x.unbind(1), lambda x: torch.chunk(x, 2, 1), lambda x: torch.split(x, [1, 4], 2),
                        lambda x: [part * 2 for part in x.unbind(2)], lambda x: (x + 1).unbind(0), lambda x: x.tensor_split(2, 2)):
                with self.subTest(dynamic=dynamic):
                    torch._dynamo.reset()
                    x = torch.randn(5, 5, 5)
                    found, eager = compiled(how, dynamic=dynamic)(x), how(x)
                    self.assertEqual([(tuple(a.shape), steps_of(a)) for a in found], [(tuple(a.shape), steps_of(a)) for a in eager])
                    for a, b in zip(found, eager):
                        self.assertTrue(torch.equal(a, b))
                        self.assertEqual(a.data_ptr() == b.data_ptr(), b.untyped_storage().data_ptr() == x.untyped_storage().data_ptr())


class Mutation(Case):
    def test_in_place_on_an_input(self):
        def f(x):
            x.mul_(2)
            return x + 1
        a, b = torch.ones(3), torch.ones(3)
        torch.testing.assert_close(compiled(f)(a), f(b))
        torch.testing.assert_close(a, b)

    def test_inputs_that_overlap(self):
        def f(a, b):
            a.add_(1)
            return a * b
        base = torch.arange(10.0)
        expected = base.clone()
        self.assertTrue(torch.equal(compiled(f)(base[:8], base[2:]), f(expected[:8], expected[2:])))
        self.assertTrue(torch.equal(base, expected))
        both = torch.ones(4)
        self.assertTrue(torch.equal(compiled(f)(both, both), torch.full((4,), 4.0)))

    def test_running_statistics(self):
        ours, theirs = nn.BatchNorm1d(4), nn.BatchNorm1d(4)
        f = compiled(ours)
        for _ in range(3):
            x = torch.randn(6, 4)
            torch.testing.assert_close(f(x), theirs(x))
        torch.testing.assert_close(dict(ours.named_buffers()), dict(theirs.named_buffers()))

    def test_parameters_are_borrowed(self):
        module = nn.Linear(4, 4)
        f = compiled(module)
        with torch.no_grad():
            f(torch.ones(2, 4))
            module.weight.fill_(3)
            torch.testing.assert_close(f(torch.ones(2, 4)), module(torch.ones(2, 4)))

    def test_optimizer_steps(self):
        def trained(wrap):
            torch.manual_seed(1)
            module = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
            optimizer = torch.optim.Adam(module.parameters(), lr=0.01)
            f = wrap(lambda x, y: F.cross_entropy(module(x), y))
            x, y = torch.randn(20, 6), torch.randint(0, 3, (20,))
            losses = []
            for _ in range(5):
                optimizer.zero_grad()
                loss = f(x, y)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            return losses
        for a, b in zip(trained(compiled), trained(lambda f: f)):
            self.assertAlmostEqual(a, b, places=5)


class DynamicShapes(Case):
    def test_one_artefact_for_all_sizes(self):
        module = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
        f = compiled(module, dynamic=True)
        with torch.no_grad():
            for size in (5, 2, 33):
                x = torch.randn(size, 8)
                torch.testing.assert_close(f(x), module(x))
        self.assertEqual(len(self.records()), 1)

    def test_sizes_0_and_1(self):
        f = compiled(lambda x: x.relu().sum(1), dynamic=True)
        for size in (4, 1, 0):
            x = torch.randn(size, 3)
            torch.testing.assert_close(f(x), x.relu().sum(1))

    def test_recompilations_have_reasons(self):
        with torch.no_grad():
            f = compiled(torch.sin)
            f(torch.randn(3))
            f(torch.randn(4))
            f(torch.randn(4, 5))
        first, second, third = [record.recompiled for record in self.records()]
        self.assertEqual(first, "")
        self.assertIn("size mismatch at index 0. expected 3, actual 4", second)
        self.assertIn("rank mismatch. expected 1, actual 2", third)

    def test_sizes_in_arithmetic(self):
        def f(x):
            return x.reshape(x.shape[0] * x.shape[1]) / x.shape[1] + x.shape[0] ** 0.5
        g = compiled(f, dynamic=True)
        for shape in ((4, 6), (3, 8), (7, 2)):
            x = torch.randn(shape)
            torch.testing.assert_close(g(x), f(x))

    def test_size_that_no_input_of_the_segment_has(self):
        f = compiled(lambda n, x: torch.zeros(n.shape[0], 3) + x, dynamic=True)
        for size in (4, 9):
            torch.testing.assert_close(f(torch.empty(size), torch.ones(3)), torch.ones(size, 3))

    def test_training(self):
        module = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
        self.check(module, torch.randn(5, 8), dynamic=True)


    def test_guards_between_sizes(self):
        for function, shape in ((lambda x: x.view(2, -1) * 2, (6,)), (lambda x: F.pixel_shuffle(x, 2) + 1, (1, 8, 4, 5)),
                                (lambda x: x.view(x.shape[0], 2, x.shape[1] // 2).transpose(1, 2) * 2, (3, 8)),
                                (lambda x: F.interpolate(x, scale_factor=1.7) + 1, (1, 2, 6, 7))):
            torch._dynamo.reset()
            x = torch.randn(shape)
            torch.testing.assert_close(compiled(function, dynamic=True)(x), function(x))

    def test_equations_that_leave_few_sizes(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.convolution = nn.Conv2d(1, 8, 3, padding=1)
                self.linear = nn.Linear(8 * 49, 5)

            def forward(self, x):
                return self.linear(F.max_pool2d(self.convolution(x).relu(), 4).flatten(1))

        net = Net()
        f = compiled(net, dynamic=True)
        for shape in ((2, 1, 28, 28), (3, 1, 28, 28), (3, 1, 31, 30)):
            x = torch.randn(shape)
            torch.testing.assert_close(f(x), net(x))
        records = [record for record in self.records() if record.kind == "forward"]
        self.assertEqual([len(record.specialised) for record in records], [1, 2])  # one for all batches
        self.assertRegex(records[0].specialised[0], r"^s\d+ is 28: 8\*.* == 392$")

    def test_equations_that_fix_no_sizes(self):
        f = compiled(lambda x, y: x + y, dynamic=True)
        f(torch.ones(3, 4), torch.ones(3, 4))
        self.assertEqual(self.records()[0].specialised, [])

    def test_sizes_that_depend_on_data(self):
        def f(x):
            found = x.nonzero()
            return found.shape[0] * x, found + 1, torch.arange(found.shape[0])
        x = torch.tensor([0.0, 1.0, 2.0])
        with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
            y = compiled(f, fallback="allow")(x)
        for a, b in zip(y, f(x)):
            self.assertTrue(torch.equal(a, b))
        self.assertTrue(any("only a run can tell" in entry["reason"] for entry in self.records()[0].outside))


class NumbersFromData(Case):
    """Numbers and sizes that a graph reads out of a tensor: PyTorch computes with them, between segments."""

    def check_all(self, *functions):
        x = torch.tensor([[1., -2, 3], [4, 5, -6]])
        for function in functions:
            with self.subTest(function):
                torch._dynamo.reset()
                with torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True):
                    found = torch.compile(function, backend=mlgc_backend, fullgraph=True, options={"fallback": "allow"})(x)
                torch.testing.assert_close(found, function(x))

    def test_as_numbers(self):
        self.check_all(lambda x: x * x.exp().sum().item() + 1, lambda x: x + int(x.sum() + 0.5),
                       lambda x: torch.full((2, 2), float(x.sum())) * x.exp().sum(), lambda x: (x * 2, x.sum().item() * 3))

    def test_as_sizes(self):
        self.check_all(lambda x: x.exp().flatten()[:(x > 0).sum().item()] * 2, lambda x: torch.arange(2 * (x > 0).sum().item()).exp(),
                       lambda x: ((x + 1)[x > 0] * 2).sum() * x.tanh(), lambda x: torch.nonzero(x.exp() > 1))

    def test_unused_number_costs_nothing(self):
        self.check_all(lambda x: x / x.abs().max().item())
        self.assertEqual(self.records()[0].outside, [])


class Random(Case):
    def test_dropout_follows_the_seed(self):
        f = compiled(lambda x: F.dropout(x, 0.5))
        x = torch.ones(1000)
        torch.manual_seed(7)
        a, b = f(x), f(x)
        torch.manual_seed(7)
        self.assertTrue(torch.equal(f(x), a))
        self.assertFalse(torch.equal(a, b))
        self.assertLess(abs(a.mean().item() - 1), 0.2)

    def test_gradient_uses_the_same_mask(self):
        x = torch.ones(100, requires_grad=True)
        y = compiled(lambda x: F.dropout(x, 0.5))(x)
        y.sum().backward()
        self.assertTrue(torch.equal(x.grad, y.detach()))

    def test_fallback_random_draws_as_pytorch(self):
        f = compiled(lambda x: F.dropout(x + 1, 0.5), fallback="allow", fallback_random=True)
        x = torch.ones(100)
        torch.manual_seed(3)
        y = f(x)
        torch.manual_seed(3)
        torch.testing.assert_close(y, F.dropout(x + 1, 0.5))


class Recompute(Case):
    def saved_bytes(self, level):
        torch._dynamo.reset()
        torch.manual_seed(0)
        module = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Dropout(0.5), nn.Linear(16, 16), nn.Tanh(), nn.LayerNorm(16))
        x, saved = torch.randn(5, 8), []
        f = compiled(module, recompute=level)

        def keep(tensor):
            saved.append(tensor)
            return tensor
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            y = f(x)
        y.square().sum().backward()
        memory = {tensor.data_ptr(): tensor.numel() * tensor.element_size() for tensor in saved if not isinstance(tensor, nn.Parameter)}
        return sum(memory.values()), [p.grad for p in module.parameters()]

    def test_levels_save_less_and_give_equal_gradients(self):
        everything, expected = self.saved_bytes("none")
        for level in ("fast", "cheap", "reductions", "all", "pytorch"):
            with self.subTest(level):
                saved, gradients = self.saved_bytes(level)
                for own, other in zip(gradients, expected):
                    torch.testing.assert_close(own, other)
                self.assertLessEqual(saved, everything)
        self.assertLess(self.saved_bytes("all")[0], everything)

    def test_checkpoints_of_the_user_stay(self):
        lin = nn.Linear(8, 8)
        def f(x):
            return torch.utils.checkpoint.checkpoint(lambda x: lin(x).sin().cos(), x, use_reentrant=False).exp()
        x = torch.randn(4, 8, requires_grad=True)
        found = torch.autograd.grad(compiled(f)(x).sum(), x)[0]
        torch.testing.assert_close(found, torch.autograd.grad(f(x).sum(), x)[0])

    def test_a_graph_that_does_not_come_in_is_cut_by_pytorch(self):
        f = lambda x: torch.linalg.matrix_exp(x).sin().sum()
        x = torch.randn(3, 3, requires_grad=True)
        with self.assertLogs("mlgc", logging.DEBUG) as heard:
            found = torch.autograd.grad(compiled(f, fallback="allow")(x), x)[0]
        self.assertTrue(any("cut by PyTorch" in line for line in heard.output), heard.output)
        torch.testing.assert_close(found, torch.autograd.grad(f(x), x)[0])


class Attention(Case):
    def test_training(self):
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.qkv = nn.Linear(16, 48)

            def forward(self, x):
                q, k, v = self.qkv(x).view(2, 7, 3, 4, 4).permute(2, 0, 3, 1, 4)
                return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        self.check(Block(), torch.randn(2, 7, 16))

    def test_encoder_layer(self):
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
        self.check(layer, torch.randn(2, 5, 16))
        with torch.no_grad():
            self.check(layer.eval(), torch.randn(2, 5, 16))


class Cache(Case):
    def test_names_and_places_do_not_matter(self):
        def graph(names):
            made = torch.fx.Graph()
            x = made.placeholder(names[0])
            y = made.call_function(torch.ops.aten.relu.default, (x,))
            y.name = names[1]
            for node in (x, y):
                node.meta["val"] = torch.empty(3)
            made.output((y,))
            return segments.write_segment([y], set()).document
        keys = {compiler.content_key([graph(names)], mlgc.Options()) for names in (("a", "b"), ("c", "d"))}
        self.assertEqual(len(keys), 1)
        self.assertNotIn(compiler.content_key([graph(("a", "b"))], mlgc.Options(numerics="exact")), keys)

    def test_second_process_compiles_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            program = ("import sys; sys.path.insert(0, sys.argv[1])\nimport torch, mlgc\nfrom mlgc.backend import mlgc_backend\n"
                       "f = torch.compile(lambda x: x.cos() * 3, backend=mlgc_backend, options={'cache_dir': sys.argv[2]})\n"
                       "f(torch.ones(5))\nprint(mlgc.ledger()[0].cached)\n")
            import subprocess
            said = [subprocess.run([sys.executable, "-c", program, str(ROOT / "tools/python"), folder], text=True, check=True,
                                   capture_output=True).stdout.strip() for _ in range(2)]
        self.assertEqual(said, ["False", "True"])

    def test_folder_of_others_is_not_used(self):
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder, "torch")
            made.mkdir()
            made.chmod(0o777)
            with self.assertLogs("mlgc", logging.WARNING) as heard:
                torch.testing.assert_close(compiled(lambda x: x.tan(), cache_dir=folder)(torch.ones(5)), torch.ones(5).tan())
            self.assertEqual([*made.iterdir()], [])
        self.assertIn("others may write to it", heard.output[0])

    def test_folder_that_cannot_be_made(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "torch").write_text("a file")
            with self.assertLogs("mlgc", logging.WARNING):
                torch.testing.assert_close(compiled(lambda x: x.tan(), cache_dir=folder)(torch.ones(5)), torch.ones(5).tan())

    def test_damaged_entry_is_made_again(self):
        with tempfile.TemporaryDirectory() as folder:
            f = compiled(lambda x: x.sin() * 5, cache_dir=folder)
            f(torch.ones(5))
            for manifest in pathlib.Path(folder).rglob("manifest.json"):
                manifest.unlink()
            torch._dynamo.reset()
            torch.testing.assert_close(compiled(lambda x: x.sin() * 5, cache_dir=folder)(torch.ones(5)), torch.ones(5).sin() * 5)


class Limits(Case):
    def setUp(self):
        super().setUp()
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_one(self, number):
        torch._dynamo.reset()
        self.assertEqual(compiled(lambda x: x + number, cache_dir=str(self.folder))(torch.zeros(2)).tolist(), [number, number])
        return self.records()[-1].cached

    def entries(self):
        return sorted((self.folder / "torch").iterdir(), key=lambda entry: entry.stat().st_mtime_ns)

    def test_a_damaged_entry_is_compiled_again(self):
        self.assertEqual((self.run_one(1), self.run_one(1)), (False, True))
        code = self.entries()[0] / "model.mlgcx/model.so"
        damaged = code.read_bytes()[:-1] + b"x"
        code.unlink()  # the loaded one stays as it is
        code.write_bytes(damaged)
        with self.assertLogs("mlgc", logging.WARNING) as heard:
            self.assertFalse(self.run_one(1))
        self.assertIn("is damaged", heard.output[0])
        self.assertTrue(self.run_one(1))

    def test_what_was_not_used_for_longest_goes_first(self):
        for number in (1, 2, 3):
            self.run_one(number)
        first, second, third = self.entries()
        self.run_one(1)  # used now
        size = sum(file.stat().st_size for file in first.rglob("*"))
        with unittest.mock.patch.dict(os.environ, {"MLGC_CACHE_SIZE": str(int(3.5 * size))}):
            self.run_one(4)
        self.assertEqual([entry.exists() for entry in (first, second, third)], [True, False, True])
        with unittest.mock.patch.dict(os.environ, {"MLGC_CACHE_SIZE": "much"}), self.assertRaisesRegex(Exception, "MLGC_CACHE_SIZE=much"):
            self.run_one(5)


class Processes(Case):
    def test_threads(self):
        f = compiled(lambda x: (x * 2).sum())
        f(torch.ones(10))
        found = [None] * 8

        def work(number):
            found[number] = all(f(torch.full((10,), float(number))).item() == 20 * number for _ in range(50))
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * 8)

    def test_fork(self):
        f = compiled(lambda x: x * 2)
        f(torch.ones(10))
        reader, writer = multiprocessing.Pipe()

        def child():
            writer.send(f(torch.ones(10)).tolist())
        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        self.assertTrue(reader.poll(30))
        self.assertEqual(reader.recv(), [2.0] * 10)
        process.join()

    def test_computes_on_the_threads_of_pytorch(self):
        x = torch.randn(64, 8192)
        with threads(2):
            torch.exp(x)  # starts them
            compiled(lambda x: x * 2)(torch.ones(10))  # what PyTorch itself starts to compile
            before = len(os.listdir("/proc/self/task"))
            f = compiled(lambda x: (x * 2).tanh())
            torch.testing.assert_close(f(x), (x * 2).tanh())
            self.assertEqual(len(os.listdir("/proc/self/task")), before)

    def test_fork_of_a_process_with_threads(self):
        x = torch.randn(64, 8192)
        with threads(2):
            f = compiled(lambda x: (x * 2).tanh().sum(1))
            expected = f(x).tolist()
            reader, writer = multiprocessing.Pipe()
            process = multiprocessing.get_context("fork").Process(target=lambda: writer.send(f(x).tolist()))
            process.start()
            self.assertTrue(reader.poll(30))
            self.assertEqual(reader.recv(), expected)
            process.join()

    def test_results_outlive_the_function(self):
        f = compiled(lambda x: x * 2)
        y = f(torch.ones(4))
        del f
        torch._dynamo.reset()
        gc.collect()
        self.assertEqual(y.tolist(), [2.0] * 4)

    def test_deepcopy_and_wrapping(self):
        module = compiled(nn.Linear(4, 4))
        x = torch.randn(2, 4)
        torch.testing.assert_close(copy.deepcopy(module)(x), module(x))


    def test_spawn(self):
        code = ("import sys; sys.path[:0] = %r; import torch; from mlgc.backend import mlgc_backend; "
                "print(torch.compile(torch.sin, backend=mlgc_backend)(torch.ones(3)).sum().item())" % [str(ROOT / "tools/python")])
        found = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
        for process in found:
            self.assertAlmostEqual(float(process.communicate()[0]), 3 * math.sin(1), places=5)

    def test_pickle(self):
        module, x = nn.Linear(4, 2), torch.randn(3, 4)
        f = compiled(module)
        f(x)
        self.assertTrue(torch.equal(pickle.loads(pickle.dumps(f))(x), f(x)))

    def test_distributed_data_parallel(self):
        with tempfile.TemporaryDirectory() as folder:
            torch.distributed.init_process_group("gloo", store=torch.distributed.FileStore(folder + "/store", 1), rank=0, world_size=1)
            try:
                module, x = nn.Sequential(nn.Linear(8, 4), nn.Tanh()), torch.randn(5, 8)
                f = compiled(nn.parallel.DistributedDataParallel(copy.deepcopy(module)))
                f(x).sum().backward()
                module(x).sum().backward()
                for own, eager in zip(f.parameters(), module.parameters()):
                    torch.testing.assert_close(own.grad, eager.grad)
            finally:
                torch.distributed.destroy_process_group()

    def test_interrupted_compilation_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            code = ("import sys; sys.path[:0] = %r; import torch; from mlgc.backend import mlgc_backend; print(flush=True); "
                    "torch.compile(lambda x: sum(torch.softmax(x * i, -1) for i in range(40)), backend=mlgc_backend)(torch.ones(64, 64))"
                    % [str(ROOT / "tools/python")])
            process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, "MLGC_CACHE": folder + "/cache", "TMPDIR": folder})
            process.stdout.readline()
            compiling = lambda: [*pathlib.Path(folder).glob("cache/torch/.new-*")]
            while process.poll() is None and not compiling():
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            self.assertIn("KeyboardInterrupt", process.communicate()[1])
            self.assertEqual([path for path in pathlib.Path(folder).rglob("*") if path.is_file() and "torchinductor" not in str(path)], [])


class Modes(Case):
    def test_autocast(self):
        module = nn.Linear(8, 8)
        x = torch.randn(4, 8)
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            y, expected = compiled(module)(x), module(x)
        self.assertEqual(y.dtype, torch.bfloat16)
        torch.testing.assert_close(y, expected)

    def test_inference_mode(self):
        with torch.inference_mode():
            y = compiled(lambda x: x + 1)(torch.ones(3))
        self.assertTrue(y.is_inference())

    def test_dtypes(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.uint8, torch.int32, torch.int64, torch.bool):
            x = torch.tensor([0, 1, 3]).to(dtype)
            torch.testing.assert_close(compiled(lambda x: torch.where(x > 0, x, x))(x), x)


class Errors(Case):
    def test_index_out_of_range(self):
        f = compiled(lambda x, i: x[i] + 1)
        with self.assertRaisesRegex(RuntimeError, "7"):
            f(torch.ones(3), torch.tensor([7]))
        self.assertEqual(f(torch.ones(3), torch.tensor([2])).item(), 2)

    def test_unknown_option(self):
        with self.assertRaisesRegex(Exception, "there is no option 'fallbck'"):
            torch.compile(torch.sin, backend=mlgc_backend, options={"fallbck": "warn"})(torch.ones(2))

    def test_mode(self):
        with self.assertRaisesRegex(Exception, "mode='max-autotune': this backend has no modes"):
            torch.compile(torch.sin, backend=mlgc_backend, mode="max-autotune")(torch.ones(2))

    def test_wrong_value(self):
        with self.assertRaisesRegex(mlgc.UsageError, "numerics is 'loose'"):
            mlgc.Options(numerics="loose")

    def test_missing_driver(self):
        with unittest.mock.patch.dict(os.environ, {"MLGC": "/nowhere/mlgc"}), self.assertRaisesRegex(mlgc.DriverNotFound, "nowhere"):
            driver.find()

    def test_tensors_that_do_not_come_in_stay_outside(self):
        class Marked(torch.Tensor):
            pass
        for x, reason in ((torch.ones(3, device="meta"), "meta"), (torch.ones(3).to(torch.float8_e4m3fn), "float8"),
                          (torch.arange(3).to(torch.uint16), "uint16")):
            with self.subTest(reason):
                torch._dynamo.reset()
                self.assertEqual(compiled(lambda x: x.float() + 1, fallback="allow")(x).device, x.device)
                self.assertIn(reason, self.records()[-1].outside[0]["reason"])
                with self.assertRaisesRegex(Exception, "FallbackRefused"):
                    torch._dynamo.reset()
                    compiled(lambda x: x.float() + 1)(x)
        torch._dynamo.reset()
        self.assertIs(type(compiled(lambda x: x + 1, fallback="allow")(torch.ones(3).as_subclass(Marked))), Marked)

    def test_complex_stays_outside(self):
        def f(x):
            return torch.view_as_real(torch.view_as_complex(x) * 2) + 1
        x = torch.randn(3, 2)
        torch.testing.assert_close(compiled(f, fallback="allow")(x), f(x))
        self.assertTrue(any("complex64" in entry["reason"] for entry in self.records()[0].outside))


class Reports(Case):
    def test_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "report.json")
            compiled(lambda x: x + 1, report=str(path))(torch.ones(2))
            read = json.loads(path.read_text())
        self.assertEqual(read["version"], 1)
        self.assertEqual(read["graphs"][-1]["segments"], [1])

    def test_log(self):
        heard = io.StringIO()
        with unittest.mock.patch.dict(os.environ, {"MLGC_LOG": "graph,partition"}), contextlib.redirect_stderr(heard):
            compiled(lambda x: x.relu() + 1)(torch.ones(2))
        said = heard.getvalue()
        self.assertIn("call_function", said)
        self.assertIn("aten.relu.default", said)
        self.assertRegex(said, r"1 segments? of \[2\] nodes")

    def test_log_of_code_and_launches(self):
        heard = io.StringIO()
        with unittest.mock.patch.dict(os.environ, {"MLGC_LOG": "code,ops"}), contextlib.redirect_stderr(heard):
            f = compiled(lambda x, y: (x @ y).relu())
            f(torch.randn(3, 4), torch.randn(4, 5))
            f(torch.randn(3, 4), torch.randn(4, 5))
        said = heard.getvalue()
        self.assertRegex(said, r"mlgc: code: graph \d+\n(.*\n)+.*int32_t forward_0_")
        self.assertEqual(said.count("mlgc: ops: arg0_1: [3, 4], arg1_1: [4, 5]"), 2)
        self.assertRegex(said, r"mlgc: ops: graph \d+: forward\.0\.\w+: [0-9.]+ us, \d+ bytes \([0-9.]+ GB/s\), \d+ FLOP \([0-9.]+ GFLOP/s\)")


if __name__ == "__main__":
    unittest.main(verbosity=1)
