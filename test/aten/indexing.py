"""Cases of the rows whose subscripts are data: rows_indexing."""

import torch
import torch.nn.functional as F
from harness import Case, edges, floats, numbers, positions, random


def reads():
    for shape in ((4,), (2, 3), (), (0,)):
        yield Case("embedding", lambda w, i: F.embedding(i, w),
                   [floats(7, 3), positions(7, *shape)], integers="full")
    yield Case("embedding", lambda w, i: F.embedding(i, w), [floats(7, 3), positions(7, 5).int()], name="i32 positions")
    yield Case("embedding", lambda w, i: F.embedding(i, w, padding_idx=2), [floats(4, 3), positions(4, 9)],
               "padding_idx = 2")
    for dim in (0, 1, -1):
        for shape in ((4, 5), (2, 3), (4, 1)):
            limit = 4 if dim == 0 else 5
            yield Case("gather", lambda x, i, d=dim: x.gather(d, i), [floats(4, 5), positions(limit, *shape)],
                       f"dim = {dim}", integers="full")
        yield Case("index_select", lambda x, i, d=dim: x.index_select(d, i), [floats(4, 5), positions(4, 6)],
                   f"dim = {dim}", integers="full")
    yield Case("gather", lambda x, i: x.gather(0, i), [edges(), positions(23, 40)], "dim = 0", edge=True)
    yield Case("gather", lambda x, i: x.gather(0, i), [floats(3), positions(3, 0)], "dim = 0", integers="full")
    yield Case("index_select", lambda x, i: x.index_select(0, i), [floats(3, 2), positions(3, 0)], "dim = 0",
               integers="full")
    i, j = positions(4, 6, low=-4), positions(3, 6, low=-3, seed=1)
    yield Case("index", lambda x, i: x[i], [floats(4, 3, 5), i], "positions = [0]", integers="full")
    yield Case("index", lambda x, i: x[:, i], [floats(4, 3, 5), j], "positions = [1]", integers="full")
    yield Case("index", lambda x, i, j: x[i, j], [floats(4, 3, 5), i, j], "positions = [0, 1]", integers="full")
    yield Case("index", lambda x, i, j: x[i, :, j], [floats(4, 5, 3), i, j], "positions = [0, 2]", integers="full")
    yield Case("index", lambda x, i, j: x[:, i, j], [floats(2, 4, 3), i.view(6, 1), j.view(1, 6)], "positions = [1, 2]",
               integers="full")
    yield Case("index", lambda x, i: x[i], [floats(4, 3), positions(4, 2, 3)], "positions = [0]", integers="full")
    yield Case("index", lambda x, i, j: x[i, j], [floats(4, 3), positions(4), j], "positions = [0, 1]", integers="full")
    yield Case("index", lambda x, i: x[i], [floats(4, 3), positions(4, 0)], "positions = [0]", integers="full")


def writes():
    i, j = torch.tensor([3, -4, 1]), torch.tensor([0, -1, 1])
    twice = torch.tensor([1, -3, 1])
    for accumulate in (False, True):
        text = f", accumulate = {str(accumulate).lower()}"
        put = lambda x, v, *at, a=accumulate: x.index_put(at, v, a)  # noqa: E731
        yield Case("index_put", put, [floats(4, 3, 2), floats(3, 3, 2, seed=1), i], "positions = [0]" + text,
                   integers="full")
        yield Case("index_put", put, [floats(4, 3, 2), floats(3, 2, seed=1), i, j], "positions = [0, 1]" + text,
                   integers="full")
        yield Case("index_put", put, [floats(4, 3), floats(seed=1), i, j], "positions = [0, 1]" + text, integers="full")
        yield Case("index_put", put, [floats(4, 3), floats(1, seed=1), i], "positions = [0]" + text, integers="full")
        yield Case("index_put", lambda x, v, at, a=accumulate: torch.ops.aten.index_put(x, [None, at], v, a),
                   [floats(3, 4), floats(3, 3, seed=1), i], "positions = [1]" + text, integers="full")
        yield Case("index_put", put, [floats(4, 3), floats(0, 3), positions(4, 0)], "positions = [0]" + text,
                   integers="full")
    yield Case("index_put", lambda x, v, at: x.index_put((at,), v, True), [floats(4, 3), floats(3, 3, seed=1), twice],
               "positions = [0], accumulate = true", integers="full", name="one place twice")
    unique = torch.stack([torch.randperm(4, generator=random(s)) for s in range(5)], 1)
    for dim, index in ((0, unique), (1, unique.t().contiguous()), (-1, unique.t().contiguous()[:, :3].contiguous())):
        x, src = floats(4, 5) if dim == 0 else floats(5, 4), floats(*index.shape, seed=1)
        text = f"dim = {dim}"
        yield Case("scatter", lambda x, i, s, d=dim: x.scatter(d, i, s), [x, index, src], text, integers="full")
        for value, integers in ((3, (-9, 9)), (0.1, None)):
            yield Case("scatter", lambda x, i, d=dim, v=value: x.scatter(d, i, v), [x, index],
                       f"{text}, value = {value}", integers=integers)
        yield Case("scatter_add", lambda x, i, s, d=dim: x.scatter_add(d, i, s), [x, index, src], text, integers="full")
        yield Case("scatter_add", lambda x, i, s, d=dim: x.scatter_add(d, i, s), [x, index % 2, src], text,
                   integers="full", name="one place several times")
    yield Case("scatter", lambda x, i, s: x.scatter(0, i, s), [edges(), torch.arange(22, -1, -1), edges()], "dim = 0",
               edge=True)
    yield Case("scatter", lambda x, i, s: x.scatter(0, i, s), [floats(3), positions(3, 0), floats(0)], "dim = 0",
               integers="full")
    for dim in (0, 1, -1):
        src = floats(3, 5, seed=1) if dim == 0 else floats(4, 3, seed=1)
        for alpha in (1, 2, -1):
            yield Case("index_add", lambda x, i, s, d=dim, a=alpha: x.index_add(d, i, s, alpha=a),
                       [floats(4, 5), torch.tensor([2, 0, 2]), src], f"dim = {dim}, alpha = {alpha}", integers="full")
    yield Case("index_add", lambda x, i, s: x.index_add(0, i, s, alpha=0.5),
               [floats(4, 5), torch.tensor([2, 0, 2]), floats(3, 5, seed=1)], "dim = 0, alpha = 0.5")


def searches():
    bounds = numbers(-2.0, -1.0, 0.0, 1.0, 1.0, 3.0)
    for right in (False, True):
        text = f"right = {str(right).lower()}"
        yield Case("bucketize", lambda x, b, r=right: torch.bucketize(x, b, right=r), [edges(), bounds], text)
        yield Case("bucketize", lambda x, b, r=right: torch.bucketize(x, b, right=r), [floats(2, 3, 4), bounds], text)
        yield Case("bucketize", lambda x, b, r=right: torch.bucketize(x, b, right=r), [floats(3), bounds[:0]], text)
        yield Case("searchsorted", lambda b, x, r=right: torch.searchsorted(b, x, right=r),
                   [torch.stack([bounds, bounds*2]), floats(2, 9)*3], text)
        yield Case("searchsorted", lambda b, x, r=right: torch.searchsorted(b, x, right=r), [bounds, edges()], text)
        for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
            values, ascending = positions(9, 20).to(dtype), torch.tensor([1, 3, 3, 5]).to(dtype)
            yield Case("bucketize", lambda x, b, r=right: torch.bucketize(x, b, right=r), [values, ascending], text)
            yield Case("searchsorted", lambda b, x, r=right: torch.searchsorted(b, x, right=r), [ascending, values], text)


def cases():
    yield from reads()
    yield from writes()
    yield from searches()
