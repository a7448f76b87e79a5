#!/usr/bin/env python3
"""The backend of torch.compile, and programs, for CUDA devices, where there is none: the emulation stands for the device (emulated_nvcc.py),
whose memory is the host's, and what PyTorch is asked about a device (mlgc/devices.py) is answered here. Tensors are those of the CPU.

    cuda_test.py [unittest's arguments]

What needs a GPU is checked by scripts/cuda-torch-check. Exit codes: 0 all pass, 1 some fail, 77 no PyTorch.
"""
import contextlib
import ctypes
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/python"), str(ROOT / "scripts")]
os.environ.setdefault("OMP_NUM_THREADS", "1")
try:
    import torch
except ImportError as error:
    print(f"cuda_test: skipped: {error}", file=sys.stderr)
    sys.exit(77)

import mlgc
import torch.nn.functional as F
from mlgc import abi, artifact, decompositions, devices, segments
from mlgc.backend import mlgc_backend
from torch import nn
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

EMULATION = f"{sys.executable} {ROOT / 'test/cuda/emulated_nvcc.py'}"


class Gpu:
    """What PyTorch would say of one GPU."""

    def __init__(self):
        self.stream, self.current, self.made, self.libraries = 0, 3, [], []

    def empty_strided(self, sizes, strides, dtype):
        if self.current != 0:
            raise AssertionError("memory of another device is asked for")
        self.made.append((tuple(sizes), dtype))
        return torch.empty_strided(sizes, strides, dtype=dtype)

    def exchange(self, index):
        before, self.current = self.current, index
        return before

    def copy(self, tensor, address, count):
        ctypes.memmove(tensor.data_ptr(), address, count)

    def place(self):
        return (abi.CUDA, 0, "is_cpu", True, lambda index: self.stream, self.exchange, self.copy, torch.uint8)

    def temporaries(self):
        return [sizes for sizes, dtype in self.made if dtype == torch.uint8]


class Case(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(0)
        gpu = self.gpu = Gpu()
        device = devices.Device("cuda", 0)
        opened = abi.Library.__init__

        def remembered(library, *args, **kwargs):
            opened(library, *args, **kwargs)
            gpu.libraries.append(library)

        patches = {"place": lambda self: gpu.place(), "empty_strided": lambda self: gpu.empty_strided, "stream": lambda self: gpu.stream,
                   "has": lambda self, tensor: tensor.device.type == "cpu", "torch_device": lambda self: torch.device("cpu")}
        stack = contextlib.ExitStack()
        for name, answer in patches.items():
            stack.enter_context(unittest.mock.patch.object(devices.Device, name, answer))
        stack.enter_context(unittest.mock.patch.object(devices, "named", lambda text: device if str(text).startswith("cuda") else devices.CPU))
        stack.enter_context(unittest.mock.patch.object(devices, "of_tensors", lambda values: device))
        stack.enter_context(unittest.mock.patch.object(devices, "_capabilities", lambda: ("9.0",)))
        stack.enter_context(unittest.mock.patch.object(abi.Library, "__init__", remembered))
        stack.enter_context(unittest.mock.patch.dict(os.environ, {"CUDACXX": EMULATION}))
        self.addCleanup(stack.close)
        self.before = len(mlgc.ledger())

    def records(self):
        return mlgc.ledger()[self.before:]

    def compiled(self, function, dynamic=None, **options):
        return torch.compile(function, backend=mlgc_backend, dynamic=dynamic, options={"fallback": "error", **options})


class Backend(Case):
    def test_inference_reads_in_place_and_asks_for_memory(self):
        model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 4))
        x = torch.randn(5, 8)
        with torch.no_grad():
            f = self.compiled(model)
            torch.testing.assert_close(f(x), model(x))
            self.gpu.made.clear()
            model[0].weight.mul_(2)  # parameters are read where they lie
            torch.testing.assert_close(f(x), model(x))
        self.assertEqual([(r.kind, len(r.segments), r.outside) for r in self.records()], [("inference", 1, [])])
        self.assertEqual([sizes for sizes, dtype in self.gpu.made if dtype == torch.float32], [(5, 4)])
        self.assertLessEqual(len(self.gpu.temporaries()), 1)
        self.assertEqual(self.gpu.current, 3)  # the device that was current before

    def test_training(self):
        def trained(function, model):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            losses = []
            for _ in range(3):
                optimizer.zero_grad()
                loss = F.mse_loss(function(self.x), self.y)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            return losses, [p.detach() for p in model.parameters()]

        self.x, self.y = torch.randn(5, 8), torch.randn(5, 4)
        models = [nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4)) for _ in range(2)]
        models[1].load_state_dict(models[0].state_dict())
        torch.testing.assert_close(trained(self.compiled(models[0]), models[0]), trained(models[1], models[1]))
        self.assertEqual([(r.kind, len(r.segments), r.outside) for r in self.records()], [("forward", 1, []), ("backward", 1, [])])

    def test_sizes_vary_and_the_cache_is_used(self):
        def f(x):
            return torch.softmax(x * 2, -1).sum(0)

        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            for turn in range(2):
                torch._dynamo.reset()
                g = self.compiled(f, dynamic=True, cache_dir=folder)
                with unittest.mock.patch.dict(os.environ, {"CUDACXX": "/nowhere"} if turn else {}):
                    for rows in (3, 7, 4):
                        x = torch.randn(rows, 6)
                        torch.testing.assert_close(g(x), f(x))
        self.assertEqual([r.cached for r in self.records()], [False, True])

    def test_failures_are_reported_later(self):
        table, places = torch.randn(5, 4), torch.tensor([1, 4])
        f = self.compiled(lambda table, places: F.embedding(places, table) + 1)
        f(table, places)
        f(table, places + 1)
        with self.assertRaisesRegex(mlgc.ExecutionError, "index 5 of axis 0, which has size 5") as caught:
            mlgc.synchronize()
        self.assertEqual(caught.exception.status, 1)
        mlgc.synchronize()
        f(table, places + 1)
        with self.assertRaisesRegex(mlgc.ExecutionError, "index 5"):
            f(table, places)
        torch.testing.assert_close(f(table, places), table[places] + 1)

    def test_no_memory_for_temporaries(self):
        x = torch.randn(64, 64)
        f = self.compiled(lambda x: torch.softmax(x @ x, -1) @ x)
        f(x)
        self.assertTrue(self.gpu.temporaries())
        made = self.gpu.empty_strided

        def none(sizes, strides, dtype):
            if dtype == torch.uint8:
                raise torch.OutOfMemoryError("no memory of the device")
            return made(sizes, strides, dtype)

        torch._dynamo.reset()
        with unittest.mock.patch.object(self.gpu, "empty_strided", none):
            g = self.compiled(lambda x: torch.softmax(x @ x, -1) @ x)
            with self.assertRaisesRegex(torch.OutOfMemoryError, "no memory of the device"):
                g(x)
        torch.testing.assert_close(f(x), torch.softmax(x @ x, -1) @ x)

    def test_a_context_for_each_stream_and_captures(self):
        def f(x, i):
            return (x + x.sum(0))[i]

        x, i = torch.randn(5, 4), torch.tensor([0, 4])
        g = self.compiled(f, cache_dir="off")
        g(x, i)
        library = self.gpu.libraries[-1]._library
        for name in ("emulated_stream_create", "emulated_end_capture"):
            getattr(library, name).restype = ctypes.c_void_p
        library.emulated_count.restype = ctypes.c_long
        held = library.emulated_count(b"pinned held")
        stream = self.gpu.stream = library.emulated_stream_create()
        library.emulated_begin_capture(ctypes.c_void_p(stream))  # the stream has no context yet
        captured = g(x, i)
        graph = library.emulated_end_capture(ctypes.c_void_p(stream))
        self.assertTrue(graph)
        self.assertEqual(library.emulated_count(b"pinned held"), held + 1)
        x.mul_(3)
        library.emulated_launch(ctypes.c_void_p(graph))
        torch.testing.assert_close(captured, f(x, i))
        i += 1
        library.emulated_launch(ctypes.c_void_p(graph))
        with self.assertRaisesRegex(mlgc.ExecutionError, "index 5"):
            mlgc.synchronize()
        self.gpu.stream = 0
        torch.testing.assert_close(g(x, i - 1), f(x, i - 1))
        self.assertEqual(library.emulated_count(b"pinned held"), held + 1)
        library.emulated_exec_destroy(ctypes.c_void_p(graph))

    def test_no_compiler(self):
        with unittest.mock.patch.dict(os.environ, {"CUDACXX": "/nowhere/nvcc"}), self.assertRaisesRegex(
                torch._dynamo.exc.BackendCompilerFailed, "`/nowhere/nvcc` is not a usable CUDA compiler"):
            self.compiled(lambda x: torch.relu(x) * 17, cache_dir="off")(torch.ones(3))

    def test_a_gpu_without_code(self):
        with unittest.mock.patch.dict(os.environ, {"MLGC_EMULATED_FAILS": "function"}), self.assertRaises(
                torch._dynamo.exc.BackendCompilerFailed) as caught:
            self.compiled(lambda x: torch.relu(x) * 18)(torch.ones(3))
        self.assertIsInstance(caught.exception.inner_exception, mlgc.ExecutionError)


class Programs(Case):
    def test_whole(self):
        model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).eval()
        x = torch.randn(5, 8)
        program = mlgc.compile(model, (x,), dynamic=True, device="cuda")
        with torch.no_grad():
            for rows in (5, 3):
                torch.testing.assert_close(program(torch.ones(rows, 8)), model(torch.ones(rows, 8)))
        with self.assertRaisesRegex(mlgc.UsageError, "on cuda:0; a list is given"):
            program([1])
        with tempfile.TemporaryDirectory() as folder:
            program.save(f"{folder}/model.mlgcx")
            loaded = mlgc.load(f"{folder}/model.mlgcx", device="cuda:0")
            torch.testing.assert_close(loaded(x), program(x))
            with self.assertRaisesRegex(mlgc.UsageError, "is compiled for GPUs, and the CPU is asked for"):
                mlgc.load(f"{folder}/model.mlgcx", device="cpu")

    def test_sizes_that_the_call_tells(self):
        program = mlgc.compile(lambda x: torch.nonzero(x), (torch.tensor([0, 1, 1]),), device="cuda")
        self.assertEqual(program(torch.tensor([1, 0, 1])).tolist(), [[0], [2]])

    def test_training_step(self):
        model = nn.Linear(4, 3)
        x, y = torch.randn(6, 4), torch.randint(3, (6,))
        step = mlgc.training_step(model, "cross_entropy", torch.optim.SGD(model.parameters(), lr=0.1), (x,), y, device="cuda")
        before = F.cross_entropy(model(x), y)
        torch.testing.assert_close(step(x, y), before.detach())
        self.assertLess(step(x, y), before)
        self.gpu.stream = 64
        with self.assertRaisesRegex(mlgc.UsageError, "the stream that was current when it was made"):
            step(x, y)


def fake_graph(function, *inputs, table=None):
    """The graph of a function of tensors on GPUs, which need not be there: (sizes, dtype, device)."""
    with FakeTensorMode():
        given = [torch.empty(sizes, dtype=dtype, device=device) for sizes, dtype, device in inputs]
        return make_fx(function, decomposition_table=table)(*given)


class Devices(unittest.TestCase):
    def test_a_graph_is_for_the_gpu_of_its_tensors(self):
        graph = fake_graph(lambda x, y: (x.sin(), y.cos(), x.cpu() + 1), ((3,), torch.float32, "cpu"), ((3,), torch.float32, "cuda:1")).graph
        device = segments.device_of(graph)
        self.assertEqual(device, devices.Device("cuda", 1))
        reasons = {str(node.target): segments.foreign_reason(node, device) for node in segments.computing(graph, set())}
        self.assertEqual(reasons["aten.cos.default"], "")
        self.assertEqual(reasons["aten.sin.default"], "a tensor on cpu: the graph is compiled for cuda:1")

    def test_attention(self):
        sizes = ((2, 4, 16, 32), torch.bfloat16, "cuda")
        flash = torch.ops.aten._scaled_dot_product_flash_attention.default
        efficient = torch.ops.aten._scaled_dot_product_efficient_attention.default

        def targets(function, table):
            return {str(node.target) for node in fake_graph(function, sizes, table=table).graph.nodes if node.op == "call_function"}

        table = decompositions.of_unknown_operators()
        for function in (lambda q: flash(q, q, q, 0.0, True)[0], lambda q: efficient(q, q, q, None, False)[0]):
            self.assertIn("aten._scaled_dot_product_flash_attention_for_cpu.default", targets(function, table))
        self.assertIn("aten._scaled_dot_product_flash_attention.default", targets(lambda q: flash(q, q, q, 0.5)[0], table))

    def test_results_beside_16_bits(self):
        """Statistics are of f32 on a GPU; what the driver is given computes in f32."""
        sizes = ((4, 8), torch.bfloat16, "cuda")
        aten = torch.ops.aten
        for function in (lambda x: aten.native_layer_norm(x, [8], None, None, 1e-5),
                         lambda x: aten._native_batch_norm_legit.no_stats(x, None, None, True, 0.1, 1e-5),
                         lambda x: aten._native_batch_norm_legit_functional(x, None, None, x.float().mean(0), x.float().var(0), True, 0.1, 1e-5),
                         lambda x: torch.softmax(x.half(), -1, dtype=torch.float32),
                         lambda x: torch.log_softmax(x.half(), -1, dtype=torch.float32)):
            found = fake_graph(function, sizes, table=decompositions.of_unknown_operators()).graph
            eager = fake_graph(function, sizes).graph
            types = [[segments.value_of(node).dtype for node in segments.result_nodes(graph)] for graph in (found, eager)]
            self.assertEqual(*types)
            calls = [node for node in found.nodes if "norm" in str(node.target) or "softmax" in str(node.target)]
            self.assertEqual([segments.value_of(node.args[0]).dtype for node in calls], [torch.float32])

    def test_attention_is_differentiated(self):
        """What stands for PyTorch's pair of operators gives eager's gradients."""
        table = decompositions.for_training()
        forward = table[torch.ops.aten._scaled_dot_product_efficient_attention.default]
        backward = table[torch.ops.aten._scaled_dot_product_efficient_attention_backward.default]
        q, k, v = (torch.randn(2, 3, 5, 4, dtype=torch.float64, requires_grad=True) for _ in range(3))
        eager = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        grad = torch.randn_like(eager)
        out, logarithms, seed, offset = forward(q, k, v, None, True, 0.0, True)
        found = backward(grad, q, k, v, None, out, logarithms, seed, offset, 0.0, [True, True, True, False], True)
        torch.testing.assert_close(out, eager)
        torch.testing.assert_close(found[:3], torch.autograd.grad(eager, (q, k, v), grad))

    def test_where_there_is_no_gpu(self):
        if torch.cuda.is_available():
            self.skipTest("there is one")
        with self.assertRaisesRegex(mlgc.UsageError, "the device is cuda: "):
            mlgc.compile(torch.relu, (torch.ones(3),), device="cuda")
        with self.assertRaisesRegex(mlgc.UsageError, "it can be"):
            mlgc.compile(torch.relu, (torch.ones(3),), device="meta")

    def test_waiting_without_devices(self):
        artifact.synchronize()


if __name__ == "__main__":
    unittest.main()
