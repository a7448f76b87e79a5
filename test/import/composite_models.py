"""Models of composites that torch.export.export leaves as they are: other names of operators, cells, cuts, choices, norms,
and what an operator is given that rarely is.

Usage: composite_models.py lists the operators that PyTorch's dispatcher calls composite (CompositeImplicitAutograd), that
return tensors and change none, and that mlgc does not know.
"""

import pathlib
import re

import torch
from torch import nn
from torch.nn import functional as F

SCHEMAS = pathlib.Path(__file__).resolve().parent.parent.parent / "lib/import/program/aten_schemas.inc"


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(3, 4), nn.GRUCell(3, 4, bias=False)
        self.tanh, self.relu = nn.RNNCell(3, 4), nn.RNNCell(3, 4, nonlinearity="relu")

    def forward(self, x, h):
        hidden, cell = self.lstm(x, (h, h * 2))
        hidden, cell = self.lstm(x + 1, (hidden, cell))
        return hidden, cell, self.gru(x, h), self.tanh(x, h), self.relu(x[0], h[0]), self.lstm(x[0])[0]


class Names(nn.Module):
    """Operators under another name than the usual one."""

    def forward(self, x, n, small):
        special = torch.special
        return (
            torch.absolute(x), torch.arccos(small), torch.arcsin(small), torch.arctan(x), torch.arctan2(x, x + 1),
            torch.arccosh(x.abs() + 1), torch.arcsinh(x), torch.arctanh(small), torch.negative(x), torch.fix(x),
            torch.greater(x, 0), torch.greater(x, x.flip(0)), torch.less(x, 0.5), torch.less_equal(x, x.flip(0)),
            torch.greater_equal(n, 2), torch.not_equal(n, 2), torch.multiply(x, 3), torch.subtract(x, 2, alpha=3),
            torch.true_divide(x, 3), torch.clip(x, -1, 0.5), torch.clip(x, x[0], x[1].abs() + x[0]), torch.positive(x),
            torch.copysign(x, -2.0), torch.copysign(x, -0.0), torch.copysign(n, 3),
            torch.concat((x, x), 1), torch.concatenate((x, x.flip(0))), torch.row_stack((x[0], x[1])),
            torch.float_power(2, n), torch.ger(x[0], x[1]), torch.conj_physical(x), n & 3, n | 4, n ^ 5, n << 2, n >> 1,
            n.__and__(3), n.__or__(4), n.__xor__(5), 3 << n, -300 >> n, torch.bitwise_left_shift(n, n),
            torch.bitwise_right_shift(n, 1),
            special.erf(x), special.erfc(x), special.erfinv(small), special.expit(x), special.expm1(x), special.exp2(x),
            special.log1p(x.abs()), special.log_softmax(x, 1), special.softmax(x, 0), special.logsumexp(x, 1),
            special.logit(small.abs()), special.sinc(x), special.xlogy(x.abs(), x.abs()), special.xlogy(2, x.abs()),
            special.xlogy(x, 2.0), special.gammaln(x), special.digamma(x), special.psi(x + 3), special.polygamma(2, x),
            special.multigammaln(x.abs() + 2, 3), special.round(x, decimals=1), torch.round(x * 100, decimals=-1),
            torch.lgamma(n), torch.gcd(n, n.flip(0) * 4), torch.lcm(n, n.flip(0) * 4),
            torch.moveaxis(x[None], 0, -1), torch.movedim(x[None, None], (0, 2), (3, 1)), torch.swapaxes(x, 0, 1),
            torch.swapdims(x[None], 0, -1), x.mT, x.mH, x.H, torch.adjoint(x), torch.linalg.matmul(x, x.T),
            x.to(n), x.to("cpu", torch.float64), x.type_as(n),
        )


class Cuts(nn.Module):
    def forward(self, x, y):
        return (
            *torch.tensor_split(x, 4), *torch.tensor_split(x, (1, 3), 1), *torch.tensor_split(x, (4, 2, -1)),
            *torch.hsplit(x, 2), *torch.hsplit(x, (1, 5)), *torch.hsplit(x[:, 0], 5), *torch.vsplit(x, 5),
            *torch.vsplit(x, [1]), *torch.dsplit(y, 2), *torch.dsplit(y, (1,)), *x.split([2, 3]),
            torch.cartesian_prod(x[0], x[1, :2], x[2, :3]),
            F.pdist(x), F.pdist(x, 1.0), nn.utils.rnn.pad_sequence([x[:2], x[:4], x[:3]], padding_value=-1.0),
            nn.utils.rnn.pad_sequence([x[0], x[0, :2]], batch_first=True, padding_side="left"),
            torch.chain_matmul(x, x.T, x), torch.linalg.matrix_power(x[:, :5], 5), torch.matrix_power(x[:, :5], 0),
            torch.cross(x[:3], x[2:], dim=0), torch.cross(y, y.flip(0)), *torch.gradient(x),
            *torch.gradient(y, spacing=0.5, dim=(0, 2), edge_order=2), torch.gradient(x, dim=1)[0], torch.vander(x[0]),
            torch.vander(x[0, :3], 5, increasing=True), torch.linalg.vander(x, N=3), torch.linalg.norm(x),
            torch.linalg.norm(x, 1), torch.linalg.norm(x, float("-inf"), (1, 0)), torch.linalg.norm(x, "fro", keepdim=True, dim=(0, 1)),
            torch.linalg.norm(x[0], 3.0), torch.linalg.norm(x, 0.5, 1, True), torch.linalg.matrix_norm(y, float("inf")),
            torch.linalg.matrix_norm(y, -1, (0, 2), True), torch.linalg.matrix_norm(y), torch.norm_except_dim(y, 2, 1),
            torch.native_channel_shuffle(y[None], 1),
            torch.einsum("ij,kj,kl->il", x, x, x),
            F.feature_alpha_dropout(x, training=False), F.dropout2d(x[None], training=False), F.alpha_dropout(x, training=False),
        )


class Unusual(nn.Module):
    """Pictures without a batch, axes without elements, shifts and ends that 64 bits just hold."""

    def forward(self, x, y, none):
        return (
            *F.max_pool1d(y[0], 2, return_indices=True), *F.max_pool2d(y, 2, 1, 1, return_indices=True),
            *F.max_pool3d(y[None], 2, return_indices=True), F.max_pool2d(y, 3, ceil_mode=True), F.avg_pool1d(y[0], 2),
            F.avg_pool2d(y, 2, 1), F.avg_pool3d(y[None], 2), F.lp_pool2d(y, 2, 2),
            none.softmax(1), F.log_softmax(none, 1), none.logsumexp(1), none.softmax(0), none.logsumexp(0),
            torch.roll(x, 2**63 - 1, 0), torch.roll(x, (-2**62, 2**62), (1, 0)), torch.roll(x, 2**63 - 1), x[1:2**63 - 1],
            x[-2**62:2**63 - 1, ::2], *torch.unique_consecutive(none[None], True, True, 2), *torch.unique_consecutive(none, True, True),
            F.one_hot((x > 0).long(), 3), F.interpolate(y[None], scale_factor=0.6, mode="bilinear", antialias=True),
            F.interpolate(y[None], size=(5, 3), mode="bilinear", antialias=True),
        )


class Scaled(nn.Module):
    def forward(self, x):
        return tuple(F.interpolate(x, scale_factor=factor, mode=mode) for mode in ("nearest", "nearest-exact", "bilinear")
                     for factor in (1.7, 0.55, 2.0))


class Printing(nn.Module):
    """Its order of effects is a token among its inputs once it is decomposed."""

    def forward(self, x):
        torch.ops.aten._print("computing")
        return x + 1


def cases(case):
    b, h, w = (torch.export.Dim(name, min=4, max=64) for name in "bhw")
    yield case("cells", Cells(), (torch.randn(2, 3), torch.randn(2, 4)), raw=True)
    yield case("names", Names(), (torch.randn(3, 4), torch.arange(4), torch.rand(3, 4) * 1.8 - 0.9), raw=True)
    yield case("cuts", Cuts(), (torch.randn(5, 6), torch.randn(3, 4, 4)), raw=True)
    yield case("unusual", Unusual(), (torch.randn(3, 5), torch.randn(3, 6, 8), torch.randn(3, 0)), raw=True)
    yield case("scaled", Scaled(), (torch.randn(2, 3, 6, 10),), ({2: h, 3: w},), raw=True,
               more_calls=[(torch.randn(2, 3, h, w),) for h, w in ((10, 20), (4, 7), (33, 64))])
    yield case("printing", Printing(), (torch.randn(3),), raw=True)


def unknown():
    known = set(re.findall(r'\{"(aten\.[\w.]+)"', SCHEMAS.read_text()))
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name + ("." + schema.overload_name if schema.overload_name else "")
        target = "aten." + schema.name.removeprefix("aten::") + "." + (schema.overload_name or "default")
        if not schema.name.startswith("aten::") or schema.is_mutable or target in known:
            continue
        if not any("Tensor" in str(result.type) for result in schema.returns):
            continue
        try:
            if torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd"):
                yield target
        except RuntimeError:  # of TorchScript alone
            continue


if __name__ == "__main__":
    print("\n".join(sorted(unknown())))
