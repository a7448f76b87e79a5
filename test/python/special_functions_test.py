#!/usr/bin/env python3
"""The arithmetic that stands for operators which mlgc does not have (mlgc/special_functions.py, mlgc/decompositions.py), beside PyTorch's.

    special_functions_test.py [unittest's arguments]

Exit codes: 0 all pass, 1 some fail, 77 no PyTorch.
"""
import math
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/python"))
os.environ.setdefault("OMP_NUM_THREADS", "1")
try:
    import torch
except ImportError as error:
    print(f"special_functions_test: skipped: {error}", file=sys.stderr)
    sys.exit(77)

from mlgc import decompositions, special_functions

aten = torch.ops.aten
EDGES = [0.0, -0.0, 1.0, -1.0, 2.0, 2.09, -2.09, 5.0, -5.0, 8.0, 12.0, 1e-30, -1e-30, 1e-40, 1e10, 1e30, math.inf, -math.inf, math.nan]


def numbers():
    generator = torch.Generator().manual_seed(3)
    return torch.cat([torch.randn(1500, generator=generator) * 3, torch.randn(500, generator=generator) * 30, torch.linspace(-9, 9, 181),
                      torch.tensor(EDGES)])


class Case(unittest.TestCase):
    def as_exact(self, found, eager, exact):
        """4 ulp of f32, or twice what eager is off; `exact` is of f64."""
        self.assertEqual((found.dtype, found.shape), (eager.dtype, eager.shape))
        rounded = exact.to(eager.dtype)
        allowed = 4 * torch.finfo(torch.float32).eps * exact.abs() + 2 * (eager.double() - exact).abs()
        good = (found == rounded) | (found.isnan() & rounded.isnan()) | ((found.double() - exact).abs() <= allowed)
        self.assertTrue(good.all(), [(x.item(), y.item()) for x, y in zip(found[~good][:5], exact[~good][:5])])


class SpecialFunctions(Case):
    def test_of_one_operand(self):
        for overload, decomposition in special_functions.decompositions().items():
            if len(overload._schema.arguments) > 1 or len(overload._schema.returns) > 1:
                continue
            with self.subTest(str(overload)):
                x = numbers()
                self.as_exact(decomposition(x), overload(x), overload(x.double()))
                self.assertEqual(decomposition(torch.arange(3)).dtype, torch.float32)

    def test_ndtri_on_probabilities(self):
        x = torch.cat([torch.linspace(0, 1, 999), torch.tensor([1e-38, 1e-15, 1e-5, 1 - 1e-7])])
        self.as_exact(special_functions.decompositions()[aten.special_ndtri.default](x), aten.special_ndtri(x), aten.special_ndtri(x.double()))

    def test_chebyshev_polynomials(self):
        x = torch.cat([torch.linspace(-3, 3, 601), torch.tensor([1e-30, 0.999999, -0.999999])])
        for overload, decomposition in special_functions.decompositions().items():
            if "polynomial" not in str(overload):
                continue
            for degree in (-1.0, 0.0, 1.0, 2.7, 8.0, 9.0, 17.0):
                with self.subTest(str(overload), degree=degree):
                    n = torch.full_like(x, degree)
                    self.as_exact(decomposition(x, n), overload(x, n), overload(x.double(), n.double()))

    def test_frexp(self):
        decomposition = special_functions.decompositions()[aten.frexp.Tensor]
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            x = torch.cat([numbers(), torch.tensor([1e-45, 3e38])]).to(dtype)
            for found, expected in zip(decomposition(x), aten.frexp(x)):
                torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)

    def test_nextafter(self):
        decomposition = special_functions.decompositions()[aten.nextafter.default]
        x = torch.cat([numbers(), torch.tensor([1e-45, -1e-45, 3.4028235e38, -3.4028235e38, 1.17549435e-38])])
        generator = torch.Generator().manual_seed(4)
        for _ in range(4):
            y = x[torch.randperm(len(x), generator=generator)]
            self.assertTrue(torch.equal(decomposition(x, y).view(torch.int32)[~(x.isnan() | y.isnan())],
                                        aten.nextafter(x, y).view(torch.int32)[~(x.isnan() | y.isnan())]))

    def test_f64_is_left_to_pytorch_where_it_would_be_less_exact(self):
        x = torch.ones(3, dtype=torch.float64)
        table = special_functions.decompositions()
        self.assertIs(table[aten.special_erfcx.default](x), NotImplemented)
        self.assertIs(table[aten.frexp.Tensor](x), NotImplemented)
        self.assertIs(table[aten.special_chebyshev_polynomial_t.default](x, x), NotImplemented)


class Operators(Case):
    def test_cdist_backward(self):
        torch.manual_seed(0)
        for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf):
            with self.subTest(p=p):
                x, y = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
                y[:, 0] = x[:, 1]
                distances = torch.cdist(x, y, p)
                grad = torch.randn_like(distances)
                torch.testing.assert_close(decompositions._cdist_backward(grad, x, y, p, distances),
                                           aten._cdist_backward(grad, x, y, p, distances))

    def test_pdist(self):
        torch.manual_seed(0)
        for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf):
            for rows in (0, 1, 5):
                with self.subTest(p=p, rows=rows):
                    x = torch.randn(rows, 4)
                    x[1:2] = x[:1]
                    distances = aten._pdist_forward(x, p)
                    torch.testing.assert_close(decompositions._pdist_forward(x, p), distances)
                    grad = torch.randn_like(distances)
                    if rows > 1:  # PyTorch's own ends the process without a pair
                        torch.testing.assert_close(decompositions._pdist_backward(grad, x, p, distances),
                                                   aten._pdist_backward(grad, x, p, distances))

    def test_masked_scatter_backward(self):
        torch.manual_seed(0)
        mask, grad = torch.rand(4, 5) > 0.5, torch.randn(4, 5)
        for sizes in ([5, 6], [20]):
            torch.testing.assert_close(decompositions._masked_scatter_backward(grad, mask, sizes),
                                       aten.masked_scatter_backward(grad, mask, sizes))

    def test_fractional_max_pools(self):
        torch.manual_seed(0)
        for shape, kernel, output in (((2, 3, 7, 9), [2, 3], [3, 4]), ((3, 7, 9), [2, 3], [1, 4]), ((2, 3, 7, 9, 8), [2, 3, 2], [3, 4, 1]),
                                      ((2, 3, 7, 9, 8), [2, 3, 2], [5, 4, 6])):
            with self.subTest(shape=shape, output=output):
                axes = len(kernel)
                x, samples = torch.randn(shape), torch.rand(2 if len(shape) == axes + 2 else 1, 3, axes)
                forward, backward = ((aten.fractional_max_pool2d, aten.fractional_max_pool2d_backward) if axes == 2 else
                                     (aten.fractional_max_pool3d, aten.fractional_max_pool3d_backward))
                found, expected = decompositions._fractional_max_pool(x, kernel, output, samples), forward(x, kernel, output, samples)
                self.assertTrue(all(torch.equal(a, b) for a, b in zip(found, expected)))
                grad = torch.randn_like(found[0])
                torch.testing.assert_close(decompositions._fractional_max_pool_backward(grad, x, kernel, output, found[1]),
                                           backward(grad, x, kernel, output, found[1]))


if __name__ == "__main__":
    unittest.main(verbosity=1)
