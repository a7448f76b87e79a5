#!/usr/bin/env python3
"""Operators that take graphs, through the backend of torch.compile.

    control_flow_test.py [unittest's arguments]

Exit codes: 0 all pass, 1 some fail, 77 no PyTorch.
"""
import contextlib
import tempfile
import unittest

from backend_test import Case, compiled  # ends with 77 where there is no PyTorch

import functorch.experimental.control_flow as control_flow
import mlgc
import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops.scan import scan


class ControlFlow(Case):
    def whole(self, function, *inputs, gradients=True, **options):
        """Compared with eager; every graph is one segment."""
        with contextlib.nullcontext() if gradients else torch.no_grad():
            self.check(function, *inputs, **options)
        self.assertEqual([(len(record.segments), record.outside) for record in self.records()],
                         [(1, [])] * (2 if gradients else 1))

    def test_cond(self):
        layer = nn.Linear(3, 3)

        def f(x):
            return torch.cond(x.sum() > 0, lambda x: F.gelu(layer(x)), lambda x: F.layer_norm(x, (3,)) * 2, (x,))

        g = compiled(f)
        with torch.no_grad():
            for x in (torch.rand(4, 3), -torch.rand(4, 3)):
                torch.testing.assert_close(g(x), f(x))
        self.assertEqual([(len(record.segments), record.outside) for record in self.records()], [(1, [])])

    def test_cond_with_gradients(self):
        def f(x):
            return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos() * 2, (x,)) + 1

        self.whole(f, torch.rand(4, 3))
        self.before = len(mlgc.ledger())
        torch._dynamo.reset()
        self.whole(f, -torch.rand(4, 3))

    def test_branches_in_branches(self):
        def f(x):
            def inner(x):
                return torch.cond(x.max() > 1, lambda x: x + 1, lambda x: x - 1, (x,))
            return torch.cond(x.sum() > 0, inner, lambda x: x.reshape(-1).cos().reshape(x.shape), (x,))

        self.whole(f, torch.rand(4, 3))

    def test_while_loop(self):
        def f(x):
            return torch.while_loop(lambda i, x: (i < 5) & (x.abs().sum() < 100), lambda i, x: (i + 1, x * 1.5), (torch.tensor(0), x))

        self.whole(f, torch.rand(4, 3), gradients=False)

    def test_while_loop_with_numbers(self):
        def f(x):
            return torch.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * (i + 2)), (0, x))[1]

        self.whole(f, torch.rand(4, 3), gradients=False)

    def test_scan(self):
        weight = torch.randn(3, 3)

        def f(x):
            w = weight.to(x.dtype)
            return scan(lambda h, y: (torch.tanh(h @ w) + y, h * y), torch.zeros(3, dtype=x.dtype), x, reverse=True)

        self.whole(f, torch.rand(4, 3))

    def test_map(self):
        self.whole(lambda x, y: control_flow.map(lambda row, y: row.sin() * y, x, y), torch.rand(4, 3), torch.rand(3))

    def test_sizes_inside(self):
        def f(x):
            return torch.cond(x.sum() > 0, lambda x: x.reshape(-1) / x.shape[0], lambda x: x.reshape(-1) * x.shape[1], (x,))

        with torch.no_grad():
            g = compiled(f, dynamic=True)
            for shape in ((4, 3), (5, 2), (7, 7)):
                x = torch.rand(shape)
                self.agrees([g(x)], [f(x)], [f(x)])
        self.assertEqual([(len(record.segments), record.outside) for record in self.records()], [(1, [])])

    def test_tensors_that_a_graph_inside_holds(self):
        def f(x):
            def branch(x):
                return torch.cond(x.max() > 1, lambda x: x * torch.tensor(2.0), lambda x: x - torch.tensor([1.0, 2, 3]), (x,))
            return control_flow.map(lambda row, y: branch(row) + y, x, torch.ones_like(x[0]))

        x = torch.rand(4, 3) * 2
        torch.testing.assert_close(compiled(f)(x), f(x))
        self.assertEqual([(len(record.segments), record.outside) for record in self.records()], [(1, [])])

    def test_what_a_graph_inside_cannot_do_is_said(self):
        def f(x):
            return torch.cond(x.sum() > 0, torch.linalg.matrix_exp, lambda x: x.clone(), (x,)) + 1

        x = torch.rand(3, 3)
        torch.testing.assert_close(compiled(f, fallback="allow")(x), f(x))
        [record] = self.records()
        self.assertEqual(len(record.segments), 2)
        self.assertIn("linalg_matrix_exp", record.outside[0]["reason"])

    def test_graphs_are_part_of_the_key(self):
        x = torch.rand(3)
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            for scale in (2.0, 3.0):
                torch._dynamo.reset()
                f = compiled(lambda x: torch.cond(x.sum() > 0, lambda x: x * scale, lambda x: x.clone(), (x,)), cache_dir=folder)
                torch.testing.assert_close(f(x), x * scale)
        self.assertEqual([record.cached for record in self.records()], [False, False])


if __name__ == "__main__":
    unittest.main(verbosity=1)
