#!/usr/bin/env python3
"""Graphs made from Python: every op of the table by its own example, operators, types, errors with lines, functions.

    builder_test.py [unittest's arguments]

Exit codes: 0 all pass, 1 some fail, 77 no PyTorch.
"""
import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/python"))
os.environ.setdefault("OMP_NUM_THREADS", "1")
try:
    import numpy
    import torch
except ImportError as error:
    print(f"builder_test: skipped: {error}", file=sys.stderr)
    sys.exit(77)

import mlgc
from mlgc import agreement, driver, op_table


def parsed(text):
    """Values of lib/ops/example.h, separated by commas: None, or (a number or nested lists, the dtype)."""
    values = []
    for item in re.findall(r"((?:[^\[\],:]|\[(?:[^\[\]]|\[(?:[^\[\]]|\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\])*\])*\])+)(?::(\w+))?", text):
        body, stated = item[0].strip(), item[1]
        if body == "_":
            values.append(None)
            continue
        kind = stated or ("f64" if "e200" in body else "f32" if re.search(r"\.|inf|nan|e-", body) else "i1" if re.search("true|false", body) else "i64")
        values.append((eval(body, {"true": True, "false": False, "inf": float("inf"), "nan": float("nan")}), kind))
    return values


def attributes(text):
    """`{dim = [1], mode = "sum", dtype = f32}` as keywords."""
    found = {}
    for name, value in re.findall(r'(\w+) = (\[[^\]]*\]|"[^"]*"|[^,}]+)', text):
        word = {"true": "True", "false": "False"}.get(value, value)
        try:
            found[name] = ast.literal_eval(word)
        except (ValueError, SyntaxError):
            found[name] = float(value) if "inf" in value or "nan" in value else value  # a dtype
    return found


class Case(unittest.TestCase):
    def agrees(self, found, exact, eager=None):
        """Tensors with what they are in f64, and what PyTorch gives."""
        arrays = [[agreement.array_of(x) for x in side] for side in (found, exact, eager or [e.to(f.dtype) for e, f in zip(exact, found)])]
        self.assertEqual(agreement.differences(driver.find(), *arrays), {})

    def evaluated(self, build, *inputs, **options):
        """Results of what build(b, *values) returns."""
        b = mlgc.Builder("f")
        values = [b.input(f"x{i}", x.shape, x.dtype) for i, x in enumerate(inputs)]
        made = build(b, *values)
        found = b.function(*(made if isinstance(made, tuple) else (made,)))(*inputs, **options)
        return found


class Table(Case):
    def test_every_op_computes_its_example(self):
        b, expected, results = mlgc.Builder("f"), [], []
        for name, op in op_table.computing().items():
            found = re.fullmatch(r"[\w.]+\((.*?)\)(?: \{(.*)\})? == (.*)", op.example)
            if found is None or "binds a size" in op.traits or name == "compute":
                continue
            with self.subTest(name):
                given = [value and b.constant(*value) for value in parsed(found[1])]
                made = getattr(b, name)(*given, **attributes(found[2] or ""))
                values = [value for value in parsed(found[3])]
                results += made if isinstance(made, tuple) else [made]
                expected += values
        self.assertGreater(len(expected), 200)
        found = b.function(*results)()
        self.agrees(found, [torch.tensor(value, dtype=torch.float64 if kind[0] in "fb" else x.dtype)
                            for (value, kind), x in zip(expected, found, strict=True)])

    def test_methods_say_what_the_table_says(self):
        mlgc.Builder("f")
        self.assertEqual(str(inspect.signature(mlgc.Builder.slice)),
                         "(self, x: 'Value', *, dim: 'int | str' = 0, start: 'int | str' = 0, end: 'int | str' = 9223372036854775807, "
                         "step: 'int | str' = 1, name: 'str | None' = None, types: 'str | Sequence[str] | None' = None) -> 'Value'")
        self.assertIn("(self, a: 'Value', b: 'Value | float' = None", str(inspect.signature(mlgc.Builder.sub)))
        self.assertIn("Returns (values, indices).", mlgc.Builder.topk.__doc__)
        self.assertIn('approximate: string, default "none", one of none|tanh', mlgc.Builder.gelu.__doc__)
        self.assertTrue({"relu", "einsum", "input"} <= set(dir(mlgc.Builder("f"))))
        self.assertIn("softmax", dir(mlgc.Builder("f").constant(1.0)))
        for op in op_table.computing().values():
            self.assertIn(op.summary, getattr(mlgc.Builder, op.name).__doc__)


class Package(unittest.TestCase):
    def test_every_name_has_a_home(self):
        self.assertEqual(sorted(mlgc._HOMES), sorted(mlgc.__all__))
        for name in mlgc.__all__:
            self.assertTrue(hasattr(mlgc, name), name)


class Graphs(Case):
    def test_the_textbook(self):
        b = mlgc.Builder("f", where="1 <= B <= 64")
        x, w = b.input("x", ("B", 3), "f32"), b.input("w", (3, 4))
        f = b.function(b.relu(x @ w))
        self.assertEqual(str(f).strip(), """module {
  func @f(%x: tensor<[B]x3xf32>, %w: tensor<3x4xf32>) -> tensor<[B]x4xf32> where 1 <= B <= 64 {
    %0 = matmul %x, %w : tensor<[B]x4xf32>
    %1 = relu %0 : tensor<[B]x4xf32>
    return %1
  }
}""")
        x, w = torch.randn(2, 3), torch.randn(3, 4)
        for backend in ("interp", "cpp", "torch"):
            self.agrees([f(x, w, backend=backend)], [(x.double() @ w.double()).relu()], [(x @ w).relu()])
        self.assertEqual(repr(f), "mlgc.Function f(x: tensor<[B]x3xf32>, w: tensor<3x4xf32>) -> (result0: tensor<[B]x4xf32>)")
        self.assertIn("<pre>module", f._repr_html_())

    def test_operators(self):
        x, y = torch.tensor([[7.0, -7.0, 0.5]]), torch.tensor([[2.0, 3.0, 4.0]])
        i, j = torch.tensor([6, 5, -3]), torch.tensor([3, 2, 2])
        for build in (lambda a, b: a + b - 2 * a, lambda a, b: (a - 1) / b, lambda a, b: 1 - a, lambda a, b: 2 / b, lambda a, b: b ** 2,
                      lambda a, b: 2 ** b, lambda a, b: a // b, lambda a, b: a % b, lambda a, b: 7 // b, lambda a, b: 7 % b, lambda a, b: -abs(a),
                      lambda a, b: a < b, lambda a, b: a <= 7, lambda a, b: a > b, lambda a, b: a >= b, lambda a, b: a == b, lambda a, b: a != 7):
            with self.subTest(inspect.getsource(build)):
                exact = build(x.double(), y.double())
                self.agrees([self.evaluated(lambda _, a, b: build(a, b), x, y)], [exact])
        for build in (lambda a, b: a & b, lambda a, b: a | 1, lambda a, b: a ^ b, lambda a, b: ~a, lambda a, b: a << 1, lambda a, b: a >> b,
                      lambda a, b: a // b, lambda a, b: 1 + a, lambda a, b: 3 & a):
            with self.subTest(inspect.getsource(build)):
                self.assertTrue(torch.equal(self.evaluated(lambda _, a, b: build(a, b), i, j), build(i, j)))
        self.assertTrue(torch.equal(self.evaluated(lambda _, a, b: (a @ b, ), i, j), i @ j))
        self.agrees([self.evaluated(lambda _, a: numpy.float32(2) * a - numpy.int64(1), x)], [2 * x.double() - 1])

    def test_indexing(self):
        x = torch.arange(24.0).reshape(2, 3, 4)
        pick = torch.tensor([2, 0])
        for build in (lambda v: v[0], lambda v: v[:, 1], lambda v: v[..., -1], lambda v: v[:, None], lambda v: v[0, 1:, ::2], lambda v: v[:, :-1],
                      lambda v: v[..., None], lambda v: v[None, ..., 1:3], lambda v: v[:], lambda v: v[0, ..., 1]):
            with self.subTest(inspect.getsource(build)):
                self.assertTrue(torch.equal(self.evaluated(lambda _, v: build(v), x), build(x)))
        self.assertTrue(torch.equal(self.evaluated(lambda _, v, p: v[0, p, 1:], x, pick), x[0, pick, 1:]))
        b = mlgc.Builder("f")
        v = b.input("v", ("S",))
        self.assertEqual(v[:"S - 1"].type, "tensor<[S - 1]xf32>")
        with self.assertRaisesRegex(IndexError, "once"):
            v[..., ...]

    def test_types_are_inferred(self):
        b = mlgc.Builder("f")
        x = b.input("x", ("B", "2*S + 1"), torch.bfloat16)
        values, indices = b.topk(x, k=1)
        self.assertEqual((values.dims, values.dtype, indices.dtype), (("B", 1), "bf16", "i64"))
        self.assertEqual((x.dims, b.constant(1.5).dims), (("B", "2*S + 1"), ()))
        self.assertEqual(repr(values), "%0: tensor<[B]x1xbf16>")
        self.assertRegex(repr(x @ x), r"%\d+ \(no type: .*builder_test.py:\d+:\d+: error: extent")
        positions = b.nonzero(x.cast(dtype="f32"), types="tensor<[N]x2xi64>")
        self.assertEqual(positions.dims, ("N", 2))

    def test_asked_once_for_a_function(self):
        b, calls, original = mlgc.Builder("f"), [], subprocess.run
        value = b.input("x", (4,))
        for _ in range(20):
            value = value.relu() + 1
        with unittest.mock.patch("mlgc.graph_function.subprocess.run", side_effect=lambda *a, **k: calls.append(a) or original(*a, **k)):
            b.function(value)
            self.assertEqual(value.type, "tensor<4xf32>")
        self.assertEqual(len(calls), 1)

    def test_several_results_with_names(self):
        b = mlgc.Builder("f")
        x = b.input("x", (3,))
        h = b.exp(x, name="h")
        f = b.function(h, total=h.sum(), size=b.size("3"))
        self.assertEqual(f.outputs, [("h", "tensor<3xf32>"), ("total", "tensor<f32>"), ("size", "tensor<i64>")])
        self.assertEqual([tuple(y.shape) for y in f([0.0, 0.0, 0.0])], [(3,), (), ()])
        self.assertEqual(f([0, 0, 0], backend="cpp")[1], 3.0)

    def test_only_what_is_needed(self):
        b = mlgc.Builder("f")
        x = b.input("x", (3, 4))
        x @ x  # wrong, and in nobody's way
        self.assertEqual(str(b.function(x.relu())).count(" = "), 1)

    def test_constants(self):
        values = [2.5, [1, -2], [[True], [False]], float("-inf"), torch.tensor([1.5, float("nan")], dtype=torch.bfloat16),
                  numpy.array([3, 4], dtype=numpy.uint8), torch.linspace(0, 1, 100), torch.arange(100) % 3 == 0, torch.ones(100).bfloat16()]
        found = self.evaluated(lambda b: tuple(b.constant(value) for value in values))
        expected = [torch.as_tensor(value) for value in values]
        for own, other in zip(found, expected):
            self.assertEqual(own.dtype, other.dtype)
            self.assertTrue(torch.equal(own.nan_to_num(), other.nan_to_num()) if own.is_floating_point() else torch.equal(own, other))
        self.assertEqual(self.evaluated(lambda b: b.constant([1.0, 2.0], "f16")).dtype, torch.float16)
        with self.assertRaisesRegex(mlgc.UsageError, "no element type 'f31'; there are i1"):
            mlgc.Builder("f").constant(1.0, "f31")

    def test_bf16_goes_in_and_out(self):
        x = torch.tensor([1.0, -2.0], dtype=torch.bfloat16)
        self.assertTrue(torch.equal(self.evaluated(lambda b, v: v.relu(), x), x.relu()))


class Derived(Case):
    def test_gradients(self):
        b = mlgc.Builder("f")
        x, w = b.input("x", ("B", 3)), b.input("w", (3, 4))
        f = b.function(loss=((x @ w).tanh() ** 2).sum())
        g = f.grad(wrt=["w"])
        self.assertEqual([name for name, _ in g.outputs], ["loss", "d_w"])
        x, w = torch.randn(2, 3), torch.randn(3, 4)

        def reference(dtype):
            leaf = w.to(dtype).requires_grad_()
            loss = ((x.to(dtype) @ leaf).tanh() ** 2).sum()
            return [loss.detach(), *torch.autograd.grad(loss, leaf)]

        self.agrees(g(x, w), reference(torch.float64), reference(torch.float32))
        self.agrees(g(x, w, backend="cpp"), reference(torch.float64), reference(torch.float32))
        with self.assertRaisesRegex(mlgc.UsageError, r"builder_test.py:\d+:\d+: error: --wrt=nothing(.|\n)*known names: x, w"):
            f.grad(wrt=["nothing"])

    def test_gradients_of_what_is_no_scalar(self):
        b = mlgc.Builder("f")
        f = b.function(b.exp(b.input("x", (2,)), name="y"))
        g = f.grad(seed=True)
        self.assertEqual([name for name, _ in g.inputs], ["x", "g_y"])
        self.assertTrue(torch.equal(g(torch.zeros(2), torch.tensor([1.0, 3.0]))[1], torch.tensor([1.0, 3.0])))

    def test_programs_and_texts(self):
        b = mlgc.Builder("f")
        x = b.input("x", ("B", 3))
        f = b.function(x.relu().sum(dim=[1]))
        program = f.compile(numerics="fast")
        self.assertIsInstance(program, mlgc.Program)
        self.assertTrue(torch.equal(program(torch.ones(2, 3)), torch.full((2,), 3.0)))
        self.assertIs(f.compile(numerics="fast"), program)
        self.assertIn("fusion", f.text("fused"))
        self.assertIn("builder_test.py", f.text("graph", "--locations"))
        self.assertIn("kernel 0", f.explain("fusion"))


class Errors(Case):
    def refused(self, build):
        """The GraphError of a function, and the line of this file that it names."""
        b = mlgc.Builder("f")
        with self.assertRaises(mlgc.GraphError) as caught:
            b.function(build(b))
        error = caught.exception
        self.assertEqual(pathlib.Path(error.place.file).name, "builder_test.py")
        return error, pathlib.Path(__file__).read_text().splitlines()[error.place.line - 1]

    def test_wrong_shapes_at_their_line(self):
        def build(b):
            x = b.input("x", ("B", 3))
            y = x.relu()
            z = y @ x  # here
            return z.exp()

        error, line = self.refused(build)
        self.assertIn("# here", line)
        self.assertEqual(line[error.place.column - 1:].split("  #")[0], "y @ x")
        self.assertIn("extent `k` is 3 (operand `a`, axis 1) and B (operand `b`, axis 0)", str(error))
        self.assertIn("    z = y @ x  # here\n", str(error))
        self.assertIn("remedy: add `where 3 == B`", str(error))
        self.assertEqual(error.code, 1)

    def test_wrong_types_attributes_inputs_and_constraints(self):
        for message, build in (
                ("operand `x` of `gelu` is tensor<i64>", lambda b: b.constant(1).gelu()),
                ("one of none|tanh|\"none\" or \"tanh\"|approximate", lambda b: b.constant(1.0).gelu(approximate="erf")),
                ("dim|axis", lambda b: b.constant([1.0]).softmax(dim=5)),
                ("expected|expression|size", lambda b: b.input("x", ("B +",)))):
            with self.subTest(message):
                error, line = self.refused(build)
                self.assertRegex(str(error), message)
                self.assertIn("lambda b:", line)

    def test_unknown_ops(self):
        b = mlgc.Builder("f")
        with self.assertRaisesRegex(mlgc.UnknownOp, "there is no op `rellu`; did you mean `relu`"):
            b.rellu(b.constant(1.0))
        with self.assertRaisesRegex(AttributeError, "no op of graphs that a builder makes"):
            getattr(b, "while")
        self.assertFalse(hasattr(b, "rellu"))

    def test_what_python_refuses(self):
        b, other = mlgc.Builder("f"), mlgc.Builder("g")
        x = b.input("x", (3,))
        for kind, message, call in (
                (TypeError, "missing a required argument: 'dim'", lambda: b.softmax(x)),
                (TypeError, "unexpected keyword argument 'axis'", lambda: b.sum(x, axis=1)),
                (TypeError, "atan2: b is a value of the graph; a float is given", lambda: b.atan2(x, 1.0)),
                (TypeError, "dim: 1.5 is neither an integer nor an expression", lambda: b.softmax(x, dim=1.5)),
                (TypeError, "bias is given, and weight, which stands before it, is not", lambda: b.layer_norm(x, None, x, normalized_shape=[3])),
                (TypeError, "Python cannot branch", lambda: bool(x > 1)), (TypeError, "cannot go through", lambda: list(x)),
                (TypeError, "unsupported operand", lambda: x + "1"),
                (mlgc.UsageError, "a value of another builder", lambda: other.relu(x)),
                (mlgc.UsageError, "there is a value %x already, of .*builder_test.py:", lambda: b.input("x")),
                (mlgc.UsageError, "a function returns something", lambda: b.function()),
                (mlgc.UsageError, "no value of this builder", lambda: b.function(1.0)),
                (mlgc.UsageError, "no name of a function", lambda: mlgc.Builder("my f")),
                (mlgc.UsageError, "called with 0 arguments", lambda: b.function(x)()),
                (mlgc.UsageError, "there is no backend 'gpu'; there are interp, cpp, torch", lambda: b.function(x)([0, 0, 0], backend="gpu")),
                (mlgc.UsageError, "no level 'loop'", lambda: b.function(x).text("loop"))):
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                call()


if __name__ == "__main__":
    unittest.main()
