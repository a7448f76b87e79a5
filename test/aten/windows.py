"""Cases of the rows over windows: rows_window."""

import torch
import torch.nn.functional as F
from harness import INF, NAN, Case, floats, numbers

SIZES = (9, 8, 5)  # odd and even, by spatial rank


def spatial(n, *leading, seed=0):
    return floats(*leading, *SIZES[:n][::-1], seed=seed)


def listed(value, n):
    return str([value]*n)


def convolutions():
    for n in (1, 2, 3):
        conv, back = getattr(F, f"conv{n}d"), getattr(F, f"conv_transpose{n}d")
        for stride, padding, dilation, groups in ((1, 0, 1, 1), (2, 1, 1, 1), (1, 2, 2, 2), (3, 1, 1, 4), (2, 0, 2, 2)):
            text = (f"stride = {listed(stride, n)}, padding = {listed(padding, n)}, dilation = {listed(dilation, n)}, "
                    f"groups = {groups}")
            for bias in (False, True):
                given = [spatial(n, 2, 4), floats(8, 4 // groups, *[3, 2, 2][:n], seed=1)]
                yield Case(f"conv{n}d", lambda *a, s=stride, p=padding, d=dilation, g=groups, f=conv:
                           f(*a, stride=s, padding=p, dilation=d, groups=g),
                           given + ([floats(8, seed=2)] if bias else []), text, integers=(-9, 9))
                given = [floats(2, 4, *[5, 4, 4][:n]), floats(4, 6 // groups if 6 % groups == 0 else 1, *[3, 2, 2][:n],
                                                              seed=1)]
                channels = given[1].shape[1]*groups
                yield Case(f"conv_transpose{n}d", lambda *a, s=stride, p=padding, d=dilation, g=groups, f=back:
                           f(*a, stride=s, padding=p, dilation=d, groups=g),
                           given + ([floats(channels, seed=2)] if bias else []), text, integers=(-9, 9))
        yield Case(f"conv_transpose{n}d", lambda x, w, f=back: f(x, w, stride=3, padding=1, output_padding=2),
                   [floats(1, 2, *[3]*n), floats(2, 3, *[3]*n, seed=1)],
                   f"stride = {listed(3, n)}, padding = {listed(1, n)}, output_padding = {listed(2, n)}")
        yield Case(f"conv{n}d", conv, [spatial(n, 0, 4), floats(3, 4, *[1]*n, seed=1)], name="no samples")
    yield Case("conv2d", lambda x, w: F.conv2d(x, w, stride=(2, 1), padding=(0, 1), dilation=(1, 2)),
               [floats(1, 2, 7, 6), floats(3, 2, 3, 2, seed=1)], "stride = [2, 1], padding = [0, 1], dilation = [1, 2]")
    bad = torch.tensor([[[[1.0, INF, 0.0], [NAN, 1.0, 0.0], [0.0, 0.0, -INF]]]], dtype=torch.float64)
    yield Case("conv2d", lambda x, w: F.conv2d(x, w, padding=1), [bad, floats(2, 1, 2, 2)], "padding = [1, 1]", edge=True)
    weight = numbers(1.0, INF, 0.5, 0.0).view(1, 1, 2, 2)
    yield Case("conv2d", lambda x, w: F.conv2d(x, w, padding=1), [floats(1, 1, 3, 3), weight], "padding = [1, 1]",
               edge=True, name="infinite weight over padding")


def pools():
    for n in (1, 2, 3):
        greatest, mean = getattr(F, f"max_pool{n}d"), getattr(F, f"avg_pool{n}d")
        for kernel, stride, padding, dilation in ((2, 2, 0, 1), (3, 2, 1, 1), (2, 1, 1, 1), (2, 2, 1, 2), (3, 3, 0, 1)):
            for ceil in (False, True):
                text = (f"kernel_size = {listed(kernel, n)}, stride = {listed(stride, n)}, "
                        f"padding = {listed(padding, n)}, ceil_mode = {str(ceil).lower()}")
                x = spatial(n, 2, 3)
                yield Case(f"max_pool{n}d", lambda x, k=kernel, s=stride, p=padding, d=dilation, c=ceil, f=greatest:
                           f(x, k, s, p, d, c, return_indices=True), [x], f"{text}, dilation = {listed(dilation, n)}")
                if dilation == 1:
                    for counted in (True, False):
                        yield Case(f"avg_pool{n}d", lambda x, k=kernel, s=stride, p=padding, c=ceil, i=counted, f=mean:
                                   f(x, k, s, p, c, i), [x], f"{text}, count_include_pad = {str(counted).lower()}",
                                   integers="full")
        if n > 1:
            yield Case(f"avg_pool{n}d", lambda x, f=mean: f(x, 2, 2, divisor_override=3), [spatial(n, 2, 3)],
                       f"kernel_size = {listed(2, n)}, stride = {listed(2, n)}, divisor_override = 3")
        yield Case(f"max_pool{n}d", lambda x, f=greatest: f(x, 2, 2, return_indices=True),
                   [torch.zeros(1, 2, *SIZES[:n], dtype=torch.float64)], f"kernel_size = {listed(2, n)}", name="ties")
        yield Case(f"max_pool{n}d", lambda x, f=greatest: f(x, 2, 2, return_indices=True), [spatial(n, 0, 3)],
                   f"kernel_size = {listed(2, n)}", name="no samples")
        yield Case(f"avg_pool{n}d", lambda x, f=mean: f(x, 2, 2), [spatial(n, 0, 3)], f"kernel_size = {listed(2, n)}",
                   name="no samples")
    special = torch.tensor([[[1.0, -INF, -INF, 2.0, INF, INF, -0.0, 0.0]]], dtype=torch.float64)
    yield Case("max_pool1d", lambda x: F.max_pool1d(x, 2, return_indices=True), [special], "kernel_size = [2]", edge=True)
    yield Case("avg_pool1d", lambda x: F.avg_pool1d(x, 2), [special], "kernel_size = [2]", edge=True)
    broken = torch.tensor([[[1.0, NAN, NAN, NAN, 3.0, 2.0]]], dtype=torch.float64)
    yield Case("max_pool1d", lambda x: F.max_pool1d(x, 2, return_indices=True), [broken], "kernel_size = [2]", edge=True,
               name="NaN")
    for size in ((1, 1), (3, 2), (7, 5), (10, 3)):
        for shape in ((2, 3, 8, 7), (3, 8, 7)):
            yield Case("adaptive_avg_pool2d", lambda x, s=size: F.adaptive_avg_pool2d(x, s), [floats(*shape)],
                       f"output_size = {list(size)}")
    for size in ((1, 1, 1), (3, 2, 1), (7, 5, 4), (10, 3, 6)):
        for shape in ((2, 3, 4, 8, 7), (3, 4, 8, 7)):
            yield Case("adaptive_max_pool3d", lambda x, s=size: F.adaptive_max_pool3d(x, s, True), [floats(*shape)],
                       f"output_size = {list(size)}")


def resampling():
    for size in ((4, 6), (3, 3), (7, 11), (2, 1), (9, 14)):
        x = floats(2, 3, 3, 5)
        yield Case("upsample_nearest2d", lambda x, s=size: F.interpolate(x, s, mode="nearest"), [x],
                   f"size = {list(size)}", integers=(0, 9))
        for align in (False, True):
            steps = [(i - 1)/(o - 1) if align and o > 1 else 0.0 if align else i/o for i, o in zip((3, 5), size)]
            yield Case("upsample_bilinear2d",
                       lambda x, s=size, a=align: F.interpolate(x, s, mode="bilinear", align_corners=a), [x],
                       f"size = {list(size)}, scale = {steps}, align_corners = {str(align).lower()}")


def cases():
    yield from convolutions()
    yield from pools()
    yield from resampling()
