"""Cases of the rows that normalise, and of the losses: rows_normalisation and rows_loss."""

import math

import torch
import torch.nn.functional as F
from harness import EDGES, INF, NAN, Case, edge_pairs, edges, floats, numbers, positions, positive, within

ATEN = torch.ops.aten
ROWS = [[1.0, 3.0, 3.0, 2.0], [0.0, -0.0, 0.0, 0.0], [-INF, 0.0, 1.0, -INF], [5.0, 5.0, 5.0, 5.0], [-800.0, 800.0, 0.0, 1.0],
        [1e-310, 0.0, 3e-6, 1.0], [NAN, 2.0, 1.0, 1.0], [INF, 1.0, 0.0, 1.0], [-INF, -INF, -INF, -INF]]


def rows():
    return torch.tensor(ROWS, dtype=torch.float64)


def softmaxes():
    for row, function in {"softmax": torch.softmax, "log_softmax": torch.log_softmax}.items():
        for dim in (0, 1, -1):
            for shape in ((4, 5), (2, 3, 7)):
                yield Case(row, lambda x, f=function, d=dim: f(x, d), [floats(*shape)], f"dim = {dim}")
        for name, dtype in (("f32", torch.float32), ("f64", torch.float64)):
            yield Case(row, lambda x, f=function, t=dtype: f(x, 1, dtype=t), [floats(4, 5)], f"dim = 1, dtype = {name}",
                       dtypes=("f16", "bf16", "f32"))
        yield Case(row, lambda x, f=function: f(x, 0), [floats()], "dim = 0", name="rank 0")
        yield Case(row, lambda x, f=function: f(x, 0), [floats(1)], "dim = 0")
        yield Case(row, lambda x, f=function: f(x, 1), [floats(0, 4)], "dim = 1")
        yield Case(row, lambda x, f=function: f(x, 0), [floats(0, 4)], "dim = 0", name="nothing")
        yield Case(row, lambda x, f=function: f(x, 1), [rows()], "dim = 1", edge=True)
        yield Case(row, lambda x, f=function: f(x, 1), [floats(2, 300)], "dim = 1")
    for dim in (0, -1):
        yield Case("softmax", lambda x, d=dim: ATEN._safe_softmax(x, d), [floats(4, 5)], f"dim = {dim}, safe = true")
    yield Case("softmax", lambda x: ATEN._safe_softmax(x, 1), [rows()], "dim = 1, safe = true", edge=True)
    yield Case("softmax", lambda x: ATEN._safe_softmax(x, 1, torch.float32), [rows()], "dim = 1, safe = true, dtype = f32",
               dtypes=("f16", "bf16", "f32"))


def norms():
    weight, bias = positive(4, seed=1), floats(4, seed=2)
    for shape in ((3, 4), (2, 5, 4), (4,), (0, 4)):
        for extra in ([], [weight], [weight, bias]):
            yield Case("layer_norm", lambda x, *p: ATEN.native_layer_norm(x, [4], *(list(p) + [None]*(2 - len(p))), 1e-5),
                       [floats(*shape)] + extra, "normalized_shape = [4]")
            if len(extra) < 2:
                yield Case("rms_norm", lambda x, *p: F.rms_norm(x, [4], *p, eps=1e-6), [floats(*shape)] + extra,
                           "normalized_shape = [4], eps = 1e-6")
    yield Case("layer_norm", lambda x: ATEN.native_layer_norm(x, [3, 4], None, None, 1e-3), [floats(2, 3, 4)],
               "normalized_shape = [3, 4], eps = 1e-3")
    yield Case("layer_norm", lambda x: ATEN.native_layer_norm(x, [4], None, None, 1e-5), [rows()[[0, 1, 3, 4, 5]]],
               "normalized_shape = [4]", dtypes=("f64", "f32"))
    yield Case("layer_norm", lambda x: ATEN.native_layer_norm(x, [4], None, None, 1e-5), [rows()[[2, 6, 7, 8]]],
               "normalized_shape = [4]", edge=True, name="NaN and infinities")
    yield Case("layer_norm", lambda x: ATEN.native_layer_norm(x, [4], None, None, 1e-5), [floats(2, 4)*1e300],
               "normalized_shape = [4]", edge=True, name="1e300", dtypes=("f64",))
    yield Case("layer_norm", lambda x: ATEN.native_layer_norm(x, [4], None, None, 1e-5), [floats(3, 4) + 30],
               "normalized_shape = [4]", name="far from zero")
    yield Case("rms_norm", lambda x: F.rms_norm(x, [3, 4], eps=1e-3), [floats(2, 3, 4)],
               "normalized_shape = [3, 4], eps = 1e-3")
    yield Case("rms_norm", lambda x: F.rms_norm(x, [4], eps=1e-6), [rows()], "normalized_shape = [4], eps = 1e-6",
               edge=True)
    for shape in ((5, 4), (2, 4, 3), (2, 4, 3, 3), (2, 4, 2, 2, 2)):
        mean, var = floats(4, seed=3), positive(4, seed=4)
        for extra in ([], [weight, bias]):
            given = [floats(*shape), mean, var] + extra
            affine = lambda p: list(p) + [None]*(2 - len(p))  # noqa: E731
            yield Case("batch_norm", lambda x, m, v, *p: F.batch_norm(x, m, v, *p, eps=1e-3), given, "eps = 1e-3",
                       constant=(1, 2))
            yield Case("batch_norm_train", lambda x, m, v, *p: ATEN._native_batch_norm_legit_functional(
                x, *affine(p), m, v, True, 0.2, 1e-5), given, "momentum = 0.2", constant=(1, 2))
            yield Case("batch_norm_stats", lambda x, *p: ATEN._native_batch_norm_legit.no_stats(
                x, *affine(p), True, 0.1, 1e-5), given[:1] + extra)
            if len(shape) > 2:
                yield Case("instance_norm", lambda x, *p: F.instance_norm(
                    x, weight=p[0] if p else None, bias=p[1] if p else None), given[:1] + extra)
            for groups in (1, 2) if len(shape) == 2 else (1, 2, 4):  # a group of one element cancels in ATen
                yield Case("group_norm", lambda x, *p, g=groups, s=shape: ATEN.native_group_norm(
                    x, *affine(p), s[0], s[1], x.numel() // s[0] // s[1], g, 1e-5), given[:1] + extra,
                    f"num_groups = {groups}", name="two elements a group" if shape == (5, 4) and groups == 2 else "")
    yield Case("batch_norm", lambda x, m, v: F.batch_norm(x, m, v), [floats(0, 4, 3), floats(4), positive(4)],
               constant=(1, 2))
    whole = [x for x in EDGES if x != 0 or math.copysign(1, x) > 0]
    for name, values in (("", whole), ("minus zero", [-0.0])):
        yield Case("batch_norm", lambda x, m, v: F.batch_norm(x, m, v, eps=0.0),
                   [numbers(*values).view(-1, 1), numbers(0.0), numbers(1.0)], "eps = 0", edge=True, name=name,
               constant=(1, 2))


def pointwise_losses():
    losses = {"mse_loss": F.mse_loss, "l1_loss": F.l1_loss, "smooth_l1_loss": F.smooth_l1_loss, "huber_loss": F.huber_loss}
    for row, function in losses.items():
        for reduction in ("none", "sum", "mean"):
            text = f'reduction = "{reduction}"'
            loss = lambda x, t, f=function, r=reduction: f(x, t, reduction=r)  # noqa: E731
            for shape in ((3, 4), (), (0, 3)):
                yield Case(row, loss, [floats(*shape), floats(*shape, seed=1)], text)
        yield Case(row, lambda x, t, f=function: f(x, t, reduction="none"), edge_pairs(), 'reduction = "none"', edge=True)
        ties = [numbers(1.0, 2.0, 0.0, 1.5, -0.5, 1.0), numbers(1.0, 1.0, -1.0, 1.0, 0.5, 1.25)]
        yield Case(row, lambda x, t, f=function: f(x, t, reduction="none"), ties, 'reduction = "none"', edge=True)
    for beta in (0.5, 2.0):
        both = [floats(30)*2, floats(30, seed=1)]
        yield Case("smooth_l1_loss", lambda x, t, b=beta: F.smooth_l1_loss(x, t, beta=b), both, f"beta = {beta}")
        yield Case("huber_loss", lambda x, t, b=beta: F.huber_loss(x, t, delta=b), both, f"delta = {beta}")
    yield Case("smooth_l1_loss", lambda x, t: F.smooth_l1_loss(x, t, beta=0.0), both, "beta = 0")
    cross, logits = F.binary_cross_entropy, F.binary_cross_entropy_with_logits
    for reduction in ("none", "sum", "mean"):
        text = f'reduction = "{reduction}"'
        for extra in ([], [positive(4, seed=2)]):
            yield Case("binary_cross_entropy", lambda x, t, *w, r=reduction: cross(x, t, *w, reduction=r),
                       [within(0.01, 0.99, 3, 4), within(0, 1, 3, 4, seed=1)] + extra, text, constant=(2,))
            yield Case("binary_cross_entropy_with_logits", lambda x, t, *w, r=reduction: logits(x, t, *w, reduction=r),
                       [floats(3, 4)*3, within(0, 1, 3, 4, seed=1)] + extra, text, constant=(2,))
        yield Case("binary_cross_entropy_with_logits",
                   lambda x, t, w, p, r=reduction: logits(x, t, w, reduction=r, pos_weight=p),
                   [floats(3, 4)*3, within(0, 1, 3, 4, seed=1), positive(4, seed=2), positive(4, seed=3)], text,
                   constant=(2, 3))
        for log_target in (False, True):
            target = floats(3, 4, seed=1) if log_target else positive(3, 4, seed=1)
            yield Case("kl_div", lambda x, t, r=reduction, g=log_target: F.kl_div(x, t, reduction=r, log_target=g),
                       [floats(3, 4), target], f"{text}, log_target = {str(log_target).lower()}")
    grid = torch.meshgrid(numbers(0.25, 0.5, 3e-6, 0.75), numbers(0.0, 1.0, 0.5), indexing="ij")
    yield Case("binary_cross_entropy", lambda x, t: cross(x, t, reduction="none"), [g.reshape(-1) for g in grid],
               'reduction = "none"', edge=True)
    grid = torch.meshgrid(numbers(0.0, 1.0, 1e-30), numbers(0.0, 1.0, 0.5), indexing="ij")
    yield Case("binary_cross_entropy", lambda x, t: cross(x, t, reduction="none"), [g.reshape(-1) for g in grid],
               'reduction = "none"', edge=True, name="next to 0 and 1")
    grid = torch.meshgrid(edges(), numbers(0.0, 1.0, 0.5), indexing="ij")
    yield Case("binary_cross_entropy_with_logits", lambda x, t: logits(x, t, reduction="none"),
               [g.reshape(-1) for g in grid], 'reduction = "none"', edge=True, name="pairs")
    yield Case("kl_div", lambda x, t: F.kl_div(x, t, reduction="none"),
               [numbers(0.0, -1.0, -INF, 2.0), numbers(1.0, 0.5, 3e-6, 2.0)], 'reduction = "none"', edge=True)
    yield Case("kl_div", lambda x, t: F.kl_div(x, t, reduction="none"), [numbers(-1.0, 0.0, 2.0), numbers(0.0, 0.0, -0.0)],
               'reduction = "none"', edge=True, name="target 0")


def class_losses():
    shapes = (((5,), ()), ((3, 5), (3,)), ((2, 5, 4), (2, 4)), ((2, 5, 3, 2), (2, 3, 2)))
    for logits_shape, target_shape in shapes:
        target = positions(5, *target_shape, seed=3)
        for reduction in ("none", "sum", "mean"):
            text = f'reduction = "{reduction}"'
            for extra in ([], [positive(5, seed=2)]):
                yield Case("nll_loss", lambda x, t, *w, r=reduction: F.nll_loss(x, t, *w, reduction=r),
                           [floats(*logits_shape), target] + extra, text, constant=(2,))
                yield Case("cross_entropy", lambda x, t, *w, r=reduction: F.cross_entropy(x, t, *w, reduction=r),
                           [floats(*logits_shape), target] + extra, text, constant=(2,))
                yield Case("cross_entropy", lambda x, t, *w, r=reduction: F.cross_entropy(
                    x, t, *w, reduction=r, label_smoothing=0.1), [floats(*logits_shape), target] + extra,
                    text + ", label_smoothing = 0.1", constant=(2,))
                yield Case("cross_entropy", lambda x, t, *w, r=reduction: F.cross_entropy(
                    x, t, *w, reduction=r, label_smoothing=0.1),
                    [floats(*logits_shape), positive(*logits_shape, seed=4)] + extra, text + ", label_smoothing = 0.1",
                    name="distribution")
    ignored = torch.tensor([1, -100, 3])
    for row, function in {"nll_loss": F.nll_loss, "cross_entropy": F.cross_entropy}.items():
        for reduction in ("none", "sum", "mean"):
            text = f'reduction = "{reduction}"'
            for extra in ([], [positive(5, seed=2)]):
                yield Case(row, lambda x, t, *w, f=function, r=reduction: f(x, t, *w, reduction=r),
                           [floats(3, 5), ignored] + extra, text, constant=(2,), name="one ignored")
            yield Case(row, lambda x, t, f=function, r=reduction: f(x, t, ignore_index=3, reduction=r),
                       [floats(3, 5), torch.tensor([3, 3, 3])], text + ", ignore_index = 3", name="all ignored")
            yield Case(row, lambda x, t, f=function, r=reduction: f(x, t, reduction=r),
                       [floats(0, 5), positions(5, 0)], text, name="no samples")
        yield Case(row, lambda x, t, f=function: f(x, t, reduction="none"), [rows(), torch.arange(9) % 4],
                   'reduction = "none"', edge=True)


def cases():
    yield from softmaxes()
    yield from norms()
    yield from pointwise_losses()
    yield from class_losses()
