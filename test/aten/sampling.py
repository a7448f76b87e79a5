"""Rows that sample pictures, scatter with a reduction, take in bags, run along an axis, and go back in training graphs."""

import itertools

import torch
import torch.nn.functional as F
from harness import INF, NAN, Case, edges, floats, numbers, positions

A = torch.ops.aten


def made():
    for name, dtype in (("f64", torch.float64), ("f32", torch.float32)):
        for start, end, steps in ((0, 1, 5), (-3.5, 2.25, 8), (3, 3, 4), (1, 2, 1), (1, 2, 0), (5, -5, 11), (0, 1, 2)):
            yield Case("linspace", lambda a=start, b=end, n=steps, d=dtype: torch.linspace(a, b, n, dtype=d), [],
                       f"start = {float(start)}, end = {float(end)}, steps = {steps}, dtype = {name}")
    for start, end, steps in ((0, 10, 5), (-3, 7, 4), (5, -5, 7), (0.5, 7.9, 5), (-2.7, 2.7, 6), (-2.5, -8.5, 3)):
        yield Case("linspace", lambda a=start, b=end, n=steps: torch.linspace(a, b, n, dtype=torch.int64), [],
                   f"start = {start}, end = {end}, steps = {steps}, dtype = i64")
    for start, end, steps in ((-2, 2, 5), (-20, 20, 9), (0, 200, 4), (0.5, 9.9, 3)):  # -2 is 254
        yield Case("linspace", lambda a=start, b=end, n=steps: torch.linspace(a, b, n, dtype=torch.uint8), [],
                   f"start = {start}, end = {end}, steps = {steps}, dtype = ui8")
    for rows, columns, offset in itertools.product((0, 1, 3, 5), (0, 1, 4), (-2, 0, 1, 3)):
        for row, function in (("tril_indices", torch.tril_indices), ("triu_indices", torch.triu_indices)):
            yield Case(row, lambda r=rows, c=columns, o=offset, f=function: f(r, c, o), [],
                       f"row = {rows}, col = {columns}, offset = {offset}")
    key = torch.tensor([3, 0])  # which elements are 1 depends on PyTorch's generator but for 0 and 1
    yield Case("bernoulli", lambda p, _: torch.bernoulli(p), [numbers(0.0, 1.0, 0.0), key], gradient=False)


def scatters():
    for reduce, own, dim in itertools.product(("sum", "prod", "mean", "amax", "amin"), (True, False), (0, 1, -1)):
        text = f'dim = {dim}, reduce = "{reduce}", include_self = {str(own).lower()}'
        function = lambda x, i, s, d=dim, r=reduce, o=own: x.scatter_reduce(d, i, s, r, include_self=o)  # noqa: E731
        index = positions(3, 4, 3)
        yield Case("scatter_reduce", function, [floats(4, 3), index, floats(4, 3, seed=1)], text, integers=(-5, 6),
                   name="products without the operand" if reduce == "prod" and not own else "")
        # autograd wants as many sources as positions
        yield Case("scatter_reduce", function, [floats(4, 3), index[:2, :2].contiguous(), floats(5, 3, seed=1)], text,
                   integers=(-5, 6), gradient=False)
        yield Case("scatter_reduce", function, [floats(4, 3), index[:0], floats(5, 3, seed=1)], text, gradient=False)
        yield Case("scatter_reduce", function, [numbers(NAN, 0.0, INF, 1.0, -0.0, -INF).view(2, 3), positions(2, 2, 3),
                                                numbers(1.0, NAN, 2.0, NAN, 3.0, INF).view(2, 3)], text, gradient=False)
    ties = [numbers(3, 1, 5, 2, 7), torch.tensor([0, 0, 1, 1, 2, 3, 3]), numbers(3, 3, 1, 0, 5, 2, 9)]
    for reduce, own in itertools.product(("amax", "amin"), (True, False)):
        yield Case("scatter_reduce", lambda x, i, s, r=reduce, o=own: x.scatter_reduce(0, i, s, r, include_self=o), ties,
                   f'dim = 0, reduce = "{reduce}", include_self = {str(own).lower()}',
                   name="ties" if own else "ties with what is left out")
    for dim in (0, 1, -1):
        src = floats(2, 4, seed=1) if dim == 0 else floats(3, 2, seed=1)
        yield Case("index_copy", lambda x, i, s, d=dim: x.index_copy(d, i, s), [floats(3, 4), torch.tensor([2, 0]), src],
                   f"dim = {dim}", integers="full")


def reads():
    take = torch.take_along_dim
    yield Case("take_along_dim", lambda x, i: take(x, i, 1), [floats(3, 4, 5), positions(4, 3, 2, 5)], "dim = 1",
               integers="full")
    yield Case("take_along_dim", lambda x, i: take(x, i, -1), [floats(3, 4, 5), positions(5, 1, 4, 2)], "dim = -1",
               integers="full")
    yield Case("take_along_dim", lambda x, i: take(x, i, 0), [floats(1, 4, 5), positions(1, 2, 4, 5)], "dim = 0")
    yield Case("take_along_dim", lambda x, i: take(x, i, 2), [floats(1, 4, 5), positions(5, 3, 4, 2)], "dim = 2")
    yield Case("take_along_dim", lambda x, i: take(x, i), [floats(3, 4, 5), positions(60, 2, 3)], integers="full")
    yield Case("take_along_dim", lambda x, i: take(x, i), [floats(3, 4, 5), positions(60)])
    yield Case("take_along_dim", lambda x, i: take(x, i, 1), [floats(3, 4), positions(4, 3, 0)], "dim = 1")
    for (number, mode), padding in itertools.product(enumerate(("sum", "mean", "max")), (-1, 1)):
        for last, offsets in ((False, [0, 2, 2, 5]), (False, [0, 0, 3, 7]), (True, [0, 2, 2, 7]), (True, [0, 7])):
            text = f'mode = "{mode}", include_last_offset = {str(last).lower()}'
            yield Case("embedding_bag", lambda w, i, o, n=number, p=padding, e=last:
                       F.embedding_bag(i, w, o, mode=("sum", "mean", "max")[n], include_last_offset=e,
                                       padding_idx=p if p >= 0 else None),
                       [floats(5, 3), torch.tensor([1, 2, 0, 1, 3, 1, 1]), torch.tensor(offsets)],
                       text + (f", padding_idx = {padding}" if padding >= 0 else ""))
    yield Case("embedding_bag", lambda w, i, o, p: F.embedding_bag(i, w, o, mode="sum", per_sample_weights=p),
               [floats(5, 3), torch.tensor([1, 2, 0]), torch.tensor([0, 1]), floats(3, seed=1)])


def runs():
    special = numbers(1, NAN, 2, NAN, INF, -INF, -0.0, 0.0, 0.0, -0.0, 3, 3, 1, 3, 3).view(3, 5)
    for row, function in (("cummax", torch.cummax), ("cummin", torch.cummin)):
        for dim in (0, 1, -1):
            run = lambda x, f=function, d=dim: tuple(f(x, d))  # noqa: E731
            yield Case(row, run, [floats(4, 5)], f"dim = {dim}", integers=(-3, 4))
            yield Case(row, run, [special], f"dim = {dim}", gradient=False)
        yield Case(row, lambda x, f=function: tuple(f(x, 0)), [floats(0, 3)], "dim = 0")
        yield Case(row, lambda x, f=function: tuple(f(x, 0)), [floats()], "dim = 0")
    for bins, low, high in ((10, 0, 0), (4, -1, 1), (1, 0, 0), (7, -0.5, 2.25)):
        for x in (floats(50), floats(3, 4), floats(0), floats(1), numbers(2.0, 2.0)):
            yield Case("histc", lambda x, b=bins, l=low, h=high: torch.histc(x, b, l, h), [x],
                       f"bins = {bins}, min = {float(low)}, max = {float(high)}", dtypes=("f64", "f32"), gradient=False)
    yield Case("histc", lambda x: torch.histc(x, 4, -1, 1), [edges()], "bins = 4, min = -1.0, max = 1.0",
               dtypes=("f64", "f32"), gradient=False)


def pictures():
    wide = ("f64", "f32")  # 16-bit floats: ATen rounds the coordinates and weights in between
    corner = numbers(-1, 1, 0, -0.5, 0.25, 2, -3, 1.0001)
    grid = torch.stack(torch.meshgrid(corner, corner, indexing="ij"), -1)[None].contiguous()
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    for (m, mode), (p, padding), align in itertools.product(enumerate(modes), enumerate(paddings), (False, True)):
        text = (f'interpolation_mode = "{mode}", padding_mode = "{padding}", align_corners = {str(align).lower()}')
        sample = lambda x, g, m=m, p=p, a=align: A.grid_sampler_2d(x, g, m, p, a)  # noqa: E731
        yield Case("grid_sampler_2d", sample, [floats(2, 3, 4, 5), floats(2, 6, 3, 2, seed=1)], text, dtypes=wide)
        yield Case("grid_sampler_2d", sample, [floats(1, 1, 1, 5), floats(1, 6, 3, 2, seed=1)*3], text, dtypes=wide,
                   gradient=False)
        yield Case("grid_sampler_2d", sample, [floats(1, 2, 4, 5), grid], text, dtypes=wide, gradient=False)
        if mode != "bicubic":
            volume = lambda x, g, m=m, p=p, a=align: A.grid_sampler_3d(x, g, m, p, a)  # noqa: E731
            yield Case("grid_sampler_3d", volume, [floats(2, 3, 4, 5, 2), floats(2, 3, 1, 3, 3, seed=1)], text, dtypes=wide)
            yield Case("grid_sampler_3d", volume, [floats(1, 1, 1, 5, 2), floats(1, 3, 2, 2, 3, seed=1)*3], text, dtypes=wide,
                       gradient=False)
    for (h, w), (oh, ow) in (((8, 7), (4, 3)), ((5, 6), (9, 11)), ((16, 16), (5, 7)), ((1, 3), (2, 2)), ((4, 4), (4, 4))):
        yield Case("upsample_bicubic2d_aa", lambda x, s=(oh, ow): F.interpolate(x, s, mode="bicubic", antialias=True),
                   [floats(2, 3, h, w)], f"size = [{oh}, {ow}], scale = [{h / oh!r}, {w / ow!r}]", dtypes=wide)


def backwards():
    wide = ("f64", "f32")
    for stride, padding, dilation, groups in ((1, 0, 1, 1), (2, 1, 1, 2), (1, 2, 2, 1)):
        x, weight = floats(2, 4, 7, 6), floats(6, 4 // groups, 3, 2, seed=1)
        back = F.conv2d(x, weight, None, stride, padding, dilation, groups)
        yield Case("conv_weight_gradient", lambda g, x, w=weight, s=stride, p=padding, d=dilation, n=groups:
                   A.convolution_backward(g, x, w.to(x.dtype), None, [s, s], [p, p], [d, d], False, [0, 0], n,
                                          [False, True, False])[1], [floats(*back.shape, seed=2), x],
                   f"kernel_size = [3, 2], stride = [{stride}, {stride}], padding = [{padding}, {padding}], "
                   f"dilation = [{dilation}, {dilation}], groups = {groups}", dtypes=wide)
    for ceil, counted, divisor in itertools.product((False, True), (False, True), (None, 3)):
        x = floats(2, 3, 8, 7)
        back = F.avg_pool2d(x, (3, 2), (2, 2), (1, 1), ceil, counted, divisor)
        yield Case("avg_pool2d_backward", lambda g, x, c=ceil, n=counted, d=divisor:
                   A.avg_pool2d_backward(g, x, [3, 2], [2, 2], [1, 1], c, n, d), [floats(*back.shape, seed=2), x],
                   f"kernel_size = [3, 2], stride = [2, 2], padding = [1, 1], ceil_mode = {str(ceil).lower()}, "
                   f"count_include_pad = {str(counted).lower()}" + (f", divisor_override = {divisor}" if divisor else ""),
                   constant=(1,), dtypes=wide)
    x = floats(2, 3, 8, 7)
    back, places = F.max_pool2d(x, 3, 2, 1, return_indices=True)
    yield Case("max_pool2d_backward", lambda g, x, i:
               A.max_pool2d_with_indices_backward(g, x, [3, 3], [2, 2], [1, 1], [1, 1], False, i),
               [floats(*back.shape, seed=2), x, places], constant=(1,), dtypes=wide)
    for align, ((h, w), (oh, ow)) in itertools.product((False, True), (((4, 5), (8, 9)), ((7, 6), (3, 4)), ((1, 2), (3, 3)))):
        steps = [(a - 1)/(b - 1) if align else a/b for a, b in ((h, oh), (w, ow))]
        yield Case("upsample_bilinear2d_backward", lambda g, s=(oh, ow), t=(h, w), a=align:
                   A.upsample_bilinear2d_backward(g, s, [2, 3, *t], a), [floats(2, 3, oh, ow)],
                   f"size = [{h}, {w}], scale = {steps}, align_corners = {str(align).lower()}", dtypes=wide)


def cases():
    yield from made()
    yield from scatters()
    yield from reads()
    yield from runs()
    yield from pictures()
    yield from backwards()
