"""Cases of the rows that reduce axes or run along one: rows_reduction."""

import torch
from harness import Case, edges, floats, numbers, positive
from harness import INF, NAN

# Ties, NaN, infinities and both zeros, in every place.
ROWS = [[1.0, 3.0, 3.0, 2.0], [NAN, 2.0, NAN, 1.0], [0.0, -1.0, INF, INF], [-INF, INF, 0.0, 1.0], [-0.0, 0.0, 0.0, -0.0],
        [-INF, -INF, -INF, -INF], [5.0, 5.0, 5.0, 5.0], [1e300, 1e300, 1e-310, 0.0]]


def rows():
    return torch.tensor(ROWS, dtype=torch.float64)


def tame():
    """The rows with infinities, but without NaN and without numbers whose exponential overflows."""
    return rows()[[0, 2, 3, 4, 5, 6]]


def over_dims(row, function, inputs, integers=None, extra="", edge=False):
    """The cases of a reduction with `dim` as a list: some axes, negative ones, all."""
    for dims in ([0], [-1], [0, 2], [1, 2], [0, 1, 2]):
        for keep in (True, False):
            text = f"dim = {dims}, keepdim = {str(keep).lower()}" + extra
            yield Case(row, lambda x, d=dims, k=keep: function(x, dim=d, keepdim=k), inputs, text, integers=integers,
                       edge=edge)


def reductions():
    dims = {"sum": torch.sum, "mean": torch.mean, "amax": torch.amax, "amin": torch.amin, "logsumexp": torch.logsumexp,
            "any": torch.any, "all": torch.all}
    integers = {"sum": "full", "amax": "full", "amin": "full", "any": (0, 2), "all": (0, 3), "logsumexp": None}
    for row, function in dims.items():
        yield from over_dims(row, function, [floats(3, 5, 7)], integers.get(row))
        for dim in (0, 1):
            reduce = lambda x, f=function, d=dim: f(x, dim=[d])  # noqa: E731
            yield Case(row, reduce, [tame()], f"dim = [{dim}]", edge=True)
            yield Case(row, reduce, [rows()[:2]], f"dim = [{dim}]", edge=True, name="NaN")
            yield Case(row, reduce, [rows()[6:]], f"dim = [{dim}]", edge=True, name="1e300")
        yield Case(row, lambda x, f=function: f(x, dim=[0]), [floats(1, 3)], "dim = [0]", integers=integers.get(row))
        if row != "logsumexp":
            yield Case(row, lambda x, f=function: f(x), [floats(3, 5)], integers=integers.get(row))
            yield Case(row, lambda x, f=function: f(x), [floats()], integers=integers.get(row))
        if row in ("sum", "mean", "any", "all", "logsumexp"):
            yield Case(row, lambda x, f=function: f(x, dim=[0]), [floats(0, 3)], "dim = [0]", integers=integers.get(row),
                       name="nothing")
        yield Case(row, lambda x, f=function: f(x, dim=[1]), [floats(0, 3)], "dim = [1]", integers=integers.get(row))
    # A long sum: the error of 16-bit eager PyTorch is what is allowed.
    yield Case("sum", lambda x: x.sum(dim=[1]), [floats(2, 1001)], "dim = [1]", integers="full")
    yield Case("mean", lambda x: x.mean(dim=[1]), [floats(2, 1001)], "dim = [1]")
    for keep in (True, False):
        for dim in (0, -1):
            text = f"dim = [{dim}], keepdim = {str(keep).lower()}"
            for row, function in {"prod": torch.prod, "argmax": torch.argmax, "argmin": torch.argmin}.items():
                yield Case(row, lambda x, f=function, d=dim, k=keep: f(x, dim=d, keepdim=k), [floats(4, 5)], text,
                           integers=(-3, 4))
                yield Case(row, lambda x, f=function, d=dim, k=keep: f(x, dim=d, keepdim=k), [rows()], text, edge=True,
                           name="infinities")
    zeros = torch.tensor([[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0]], dtype=torch.float64)
    yield Case("prod", lambda x: x.prod(dim=1), [zeros], "dim = [1]", edge=True)
    for row, function in {"prod": torch.prod, "argmax": torch.argmax, "argmin": torch.argmin}.items():
        yield Case(row, lambda x, f=function: f(x), [floats(3, 5)], integers=(-3, 4))
        yield Case(row, lambda x, f=function: f(x), [floats()])
    yield Case("prod", lambda x: x.prod(dim=0), [floats(0, 3)], "dim = [0]", integers="full")
    yield Case("prod", torch.prod, [floats(9)], integers="full")


def extremes_with_places():
    for row, function in {"max_dim": torch.max, "min_dim": torch.min}.items():
        for keep in (True, False):
            for dim in (0, -1, 1):
                text = f"dim = {dim}, keepdim = {str(keep).lower()}"
                yield Case(row, lambda x, f=function, d=dim, k=keep: tuple(f(x, dim=d, keepdim=k)), [floats(4, 5, 3)],
                           text, integers=(-3, 4))
        yield Case(row, lambda x, f=function: tuple(f(x, dim=1)), [rows()], "dim = 1", edge=True)
        yield Case(row, lambda x, f=function: tuple(f(x, dim=0)), [floats(1)], "dim = 0")


def spreads():
    for row, function in {"var": torch.var, "std": torch.std}.items():
        for correction in (1, 0, 2):
            for dims in ([0], [-1], [0, 2], [0, 1, 2]):
                for keep in (True, False):
                    text = f"dim = {dims}, correction = {correction}, keepdim = {str(keep).lower()}"
                    yield Case(row, lambda x, f=function, d=dims, c=correction, k=keep:
                               f(x, dim=d, correction=c, keepdim=k), [floats(3, 5, 7)], text)
        yield Case(row, function, [floats(3, 5)])
        yield Case(row, lambda x, f=function: f(x, dim=[1]), [rows()[:7]], "dim = [1]", edge=True, name="edges")
        yield Case(row, lambda x, f=function: f(x, dim=[0]), [floats(1, 3)], "dim = [0]", name="one element")
        yield Case(row, lambda x, f=function: f(x, dim=[0]), [floats(0, 3)], "dim = [0]", name="nothing")
        yield Case(row, lambda x, f=function: f(x, dim=[0]), [floats(9, 3) + 30], "dim = [0]", name="far from zero")
        yield Case(row, lambda x, f=function: f(x, dim=[1]), [numbers(3e19, 1e19, -2e19, 4e-25, 1e-25, 2e-25).reshape(2, 3)],
                   "dim = [1]", edge=True, name="squares leave f32", dtypes=("f64", "f32"))
    norm = torch.linalg.vector_norm
    for order in (2, 1, 3, 0, 0.5, INF, -INF, -1):
        text = f"ord = {order}, dim = [1]"
        yield Case("linalg_vector_norm", lambda x, o=order: norm(x, o, dim=[1]), [floats(4, 5)], text)
        yield Case("linalg_vector_norm", lambda x, o=order: norm(x, o, dim=[1]), [rows()[:7]], text, edge=True,
                   name=f"edges, ord {order}")
    for keep in (True, False):
        yield Case("linalg_vector_norm", lambda x, k=keep: norm(x, dim=[0, 2], keepdim=k), [floats(4, 3, 5)],
                   f"dim = [0, 2], keepdim = {str(keep).lower()}")
    yield Case("linalg_vector_norm", norm, [floats(4, 5)])
    yield Case("linalg_vector_norm", lambda x: norm(x, 6, dim=[1]), [numbers(3e30, -2e-30, 0.0).reshape(3, 1)],
               "ord = 6, dim = [1]", edge=True, name="one element", gradient=False)


def along_an_axis():
    for row, function in {"cumsum": torch.cumsum, "cumprod": torch.cumprod}.items():
        for dim in (0, 1, -1):
            yield Case(row, lambda x, f=function, d=dim: f(x, dim=d), [floats(4, 5, 3)], f"dim = {dim}", integers="full")
        yield Case(row, lambda x, f=function: f(x, dim=1), [rows()[[0, 1, 4, 6]]], "dim = 1", edge=True)
        yield Case(row, lambda x, f=function: f(x, dim=1), [rows()[[2, 3, 5]]], "dim = 1", edge=True, name="infinities")
        yield Case(row, lambda x, f=function: f(x, dim=0), [floats(0, 3)], "dim = 0", integers="full")
        yield Case(row, lambda x, f=function: f(x, dim=0), [floats(1)], "dim = 0", integers="full")
    yield Case("cumprod", lambda x: x.cumprod(dim=0), [numbers(2.0, 0.0, 3.0, 0.0, 5.0)], "dim = 0", edge=True)
    for dim in (0, -1, 1):
        for flag in (True, False):
            yield Case("sort", lambda x, d=dim, g=flag: tuple(torch.sort(x, dim=d, descending=g, stable=True)),
                       [floats(4, 5)], f"dim = {dim}, descending = {str(flag).lower()}", integers=(-3, 4))
            # Which of equal elements topk names is open in PyTorch: random floats only, and their values on integers.
            yield Case("topk", lambda x, d=dim, g=flag: tuple(torch.topk(x, 3, dim=d, largest=g)), [floats(4, 5)*9],
                       f"k = 3, dim = {dim}, largest = {str(flag).lower()}", dtypes=("f64", "f32"))
            yield Case("topk", lambda x, d=dim, g=flag: tuple(torch.topk(x, 3, dim=d, largest=g)), [floats(4, 5)],
                       f"k = 3, dim = {dim}, largest = {str(flag).lower()}", integers=(-9, 9), unspecified=(1,),
                       gradient=False)
    for flag in (True, False):
        yield Case("sort", lambda x, g=flag: tuple(torch.sort(x, dim=1, descending=g, stable=True)), [rows()],
                   f"dim = 1, descending = {str(flag).lower()}", edge=True)
        yield Case("sort", lambda x, g=flag: tuple(torch.sort(x, dim=0, descending=g, stable=True)), [edges()],
                   f"dim = 0, descending = {str(flag).lower()}", edge=True)
        yield Case("topk", lambda x, g=flag: tuple(torch.topk(x, 2, dim=1, largest=g)), [rows()[[0, 1, 2, 3, 5, 6, 7]]],
                   f"k = 2, dim = 1, largest = {str(flag).lower()}", edge=True, unspecified=(1,), gradient=False)
    yield Case("topk", lambda x: tuple(torch.topk(x, 0)), [floats(3)], "k = 0")
    yield Case("sort", lambda x: tuple(torch.sort(x, stable=True)), [floats(0)])
    yield Case("sort", lambda x: tuple(torch.sort(x, stable=True)), [positive(1)])


def cases():
    yield from reductions()
    yield from extremes_with_places()
    yield from spreads()
    yield from along_an_axis()
