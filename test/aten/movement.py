"""Cases of the rows that move elements or make tensors of attributes: rows_movement and rows_creation."""

import torch
import torch.nn.functional as F
from harness import FLOATS, INTEGERS, Case, edges, floats, positions

ATEN = torch.ops.aten


def views():
    for shape in ((6, 4), (24,), (2, 3, 4), (1, 24), (4, 3, 2), (2, 1, 3, 4), (8, 3)):
        yield Case("view", lambda x, s=shape: x.view(s), [floats(2, 3, 4)], f"shape = {list(shape)}", integers="full")
    yield Case("view", lambda x: x.view(()), [floats(1, 1)], "shape = []", integers="full")
    yield Case("view", lambda x: x.view(1), [floats()], "shape = [1]", integers="full")
    yield Case("view", lambda x: x.view(0, 5), [floats(2, 0, 3)], "shape = [0, 5]", integers="full")
    yield Case("view", lambda x: x.view(-1, 1), [edges()], "shape = [23, 1]", edge=True)
    for dims in ((2, 0, 1), (0, 1, 2), (-1, 1, 0)):
        yield Case("permute", lambda x, d=dims: x.permute(d), [floats(2, 3, 4)], f"dims = {list(dims)}", integers="full")
    yield Case("permute", lambda x: x.permute(1, 0), [floats(0, 3)], "dims = [1, 0]", integers="full")
    for a, b in ((0, -1), (1, 2), (1, 1)):
        yield Case("transpose", lambda x, a=a, b=b: x.transpose(a, b), [floats(2, 3, 4)], f"dim0 = {a}, dim1 = {b}",
                   integers="full")
    for size in ((2, 3, 4), (5, 2, 3, 4), (2, 3, 1)):
        yield Case("expand", lambda x, s=size: x.expand(s), [floats(2, 3, 1)], f"size = {list(size)}", integers="full")
    yield Case("expand", lambda x: x.expand(3), [floats()], "size = [3]", integers="full")
    yield Case("expand", lambda x: x.expand(0, 4), [floats(1, 4)], "size = [0, 4]", integers="full")
    for dim in (0, 1, -1, -3):
        yield Case("unsqueeze", lambda x, d=dim: x.unsqueeze(d), [floats(2, 3)], f"dim = {dim}", integers="full")
    yield Case("unsqueeze", lambda x: x.unsqueeze(0), [floats()], "dim = 0", integers="full")
    yield Case("squeeze", lambda x: x.squeeze((1, -1)), [floats(2, 1, 4, 1)], "dim = [1, -1]", integers="full")
    yield Case("squeeze", lambda x: x.squeeze(0), [floats(1)], "dim = [0]", integers="full")


def slices():
    for start, end, step in ((0, 9, 1), (1, 7, 2), (-4, -1, 1), (5, 100, 3), (7, 3, 1), (-100, 4, 2), (8, 9, 5)):
        text = f"dim = 1, start = {start}, end = {end}, step = {step}"
        yield Case("slice", lambda x, a=start, b=end, s=step: ATEN.slice.Tensor(x, 1, a, b, s), [floats(2, 9)], text,
                   integers="full")
        part = ATEN.slice.Tensor(floats(2, 9, seed=1), 1, start, end, step).contiguous()
        yield Case("slice_scatter", lambda x, y, a=start, b=end, s=step: ATEN.slice_scatter(x, y, 1, a, b, s),
                   [floats(2, 9), part], text, integers="full")
    for dim, index in ((0, 1), (1, -1), (-1, 0)):
        text = f"dim = {dim}, index = {index}"
        yield Case("select", lambda x, d=dim, i=index: x.select(d, i), [floats(3, 4, 2)], text, integers="full")
        yield Case("select_scatter", lambda x, y, d=dim, i=index: torch.select_scatter(x, y, d, i),
                   [floats(3, 4, 2), floats(3, 4, 2, seed=1).select(dim, index).contiguous()], text, integers="full")
    for offset, a, b in ((0, 0, 1), (1, 0, 1), (-2, 1, 0), (0, -1, 0), (9, 0, 1)):
        yield Case("diagonal", lambda x, o=offset, a=a, b=b: x.diagonal(o, a, b), [floats(4, 6, 3)],
                   f"offset = {offset}, dim1 = {a}, dim2 = {b}", integers="full")
    for diagonal in (0, 1, -2, 9, -9):
        for row, function in {"tril": torch.tril, "triu": torch.triu}.items():
            for shape in ((4, 6), (2, 5, 3), (1, 1), (0, 3)):
                yield Case(row, lambda x, f=function, d=diagonal: f(x, d), [floats(*shape)], f"diagonal = {diagonal}",
                           integers="full")
    yield Case("tril", torch.tril, [edges()[:16].view(4, 4)], edge=True)
    yield Case("triu", torch.triu, [edges()[:16].view(4, 4)], edge=True)
    for dimension, size, step in ((1, 3, 2), (1, 1, 1), (0, 2, 3), (-1, 9, 1)):
        yield Case("unfold", lambda x, d=dimension, n=size, s=step: x.unfold(d, n, s), [floats(2, 9)],
                   f"dimension = {dimension}, size = {size}, step = {step}", integers="full")
    for size, stride, offset in (((3, 2), (1, 1), 0), ((2, 3), (1, 2), 4), ((4,), (0,), 3), ((2, 2, 2), (6, 1, 2), 1),
                                 ((), (), 5), ((0, 3), (1, 1), 0)):
        yield Case("as_strided", lambda x, n=size, s=stride, o=offset: x.as_strided(n, s, o), [floats(3, 4)],
                   f"size = {list(size)}, stride = {list(stride)}, storage_offset = {offset}", integers="full")


def joins():
    for dim in (0, 1, -1):
        three = [floats(2, 3), floats(2, 3, seed=1), floats(2, 3, seed=2)]
        uneven = three[:1] + ([floats(5, 3, seed=3)] if dim == 0 else [floats(2, 4, seed=3)])
        for tensors in (three, three[:1], uneven):
            yield Case("cat", lambda *xs, d=dim: torch.cat(xs, d), tensors, f"dim = {dim}", integers="full")
        yield Case("stack", lambda *xs, d=dim: torch.stack(xs, d), three, f"dim = {dim}", integers="full")
        yield Case("stack", lambda x, d=dim: torch.stack([x], d), three[:1], f"dim = {dim}", integers="full")
    yield Case("cat", lambda *xs: torch.cat(xs), [floats(0, 3), floats(2, 3, seed=1)], "dim = 0", integers="full")
    yield Case("cat", lambda *xs: torch.cat(xs), [edges(), edges()], "dim = 0", edge=True)
    yield Case("stack", lambda *xs: torch.stack(xs), [floats(), floats(seed=1)], integers="full")
    yield Case("flip", lambda x: x.flip([0, 2]), [floats(2, 3, 4)], "dims = [0, 2]", integers="full")
    yield Case("flip", lambda x: x.flip([-1]), [floats(2, 0)], "dims = [-1]", integers="full")
    for shifts, dims in (((2, -1), (0, 1)), ((7,), (0,)), ((-9,), (-1,))):
        yield Case("roll", lambda x, s=shifts, d=dims: x.roll(s, d), [floats(5, 3)],
                   f"shifts = {list(shifts)}, dims = {list(dims)}", integers="full")
    for repeats in ((2, 1, 3), (1, 2), (0, 2)):
        yield Case("repeat", lambda x, r=repeats: x.repeat(r), [floats(2, 3)], f"repeats = {list(repeats)}",
                   integers="full")
    yield Case("repeat", lambda x: x.repeat(3), [floats()], "repeats = [3]", integers="full")
    for repeats, dim in ((2, 0), (3, -1), (1, 1), (0, 0)):
        yield Case("repeat_interleave", lambda x, r=repeats, d=dim: x.repeat_interleave(r, d), [floats(2, 3)],
                   f"repeats = {repeats}, dim = {dim}", integers="full")
    for mode in ("constant", "reflect", "replicate", "circular"):
        for pad in ((2, 1), (0, 3), (-1, 2), (2, -1), (-2, -1)):
            yield Case("pad", lambda x, p=pad, m=mode: F.pad(x, p, mode=m), [floats(2, 3, 5)],
                       f'pad = {list(pad)}, mode = "{mode}"', integers="full")
        yield Case("pad", lambda x, m=mode: F.pad(x, (1, 2, 2, 1), mode=m), [floats(1, 2, 4, 5)],
                   f'pad = [1, 2, 2, 1], mode = "{mode}"', integers="full")
    yield Case("pad", lambda x: F.pad(x, (-1, 2), value=1.5), [floats(2, 5)], "pad = [-1, 2], value = 1.5")
    yield Case("pad", lambda x: F.pad(x, (1, 0, 0, 2), value=-3), [floats(2, 5)], "pad = [1, 0, 0, 2], value = -3",
               integers=(-9, 9))
    yield Case("pad", lambda x: F.pad(x, (1, 1), value=float("-inf")), [edges()], "pad = [1, 1], value = -inf", edge=True)
    yield Case("pad", lambda x: F.pad(x, (2, 2)), [floats(3, 0)], "pad = [2, 2]", integers="full")
    for factor in (1, 2, 3):
        yield Case("pixel_shuffle", lambda x, r=factor: F.pixel_shuffle(x, r), [floats(2, 2*factor*factor, 3, 4)],
                   f"upscale_factor = {factor}", integers="full")


def creation():
    for name, dtype in {**FLOATS, **INTEGERS}.items():
        for value in (0, 1, 3) + ((2.5, float("-inf"), float("nan"), 1e-310) if name in FLOATS else ()):
            yield Case("full", lambda v=value, d=dtype: torch.full((2, 3), v, dtype=d), [],
                       f"size = [2, 3], value = {value}, dtype = {name}", edge=True)
        yield Case("full", lambda d=dtype: torch.full((), 1, dtype=d), [], f"size = [], value = 1, dtype = {name}")
        yield Case("full", lambda d=dtype: torch.full((0, 2), 1, dtype=d), [], f"size = [0, 2], value = 1, dtype = {name}")
        for n, m in ((3, 3), (2, 5), (4, 1), (0, 2)):
            yield Case("eye", lambda n=n, m=m, d=dtype: torch.eye(n, m, dtype=d), [], f"n = {n}, m = {m}, dtype = {name}")
        if name == "i1":
            continue
        for start, end, step in ((0, 5, 1), (1, 10, 3), (9, 2, -2), (0, 0, 1), (7, 7, -1), (0, 100, 7)):
            yield Case("arange", lambda a=start, b=end, s=step, d=dtype: torch.arange(a, b, s, dtype=d), [],
                       f"start = {start}, end = {end}, step = {step}, dtype = {name}")
    for shape in ((4,), (2, 3), (), (0,)):
        yield Case("one_hot", lambda x: F.one_hot(x, 5), [positions(5, *shape)], "num_classes = 5")


def cases():
    yield from views()
    yield from slices()
    yield from joins()
    yield from creation()
