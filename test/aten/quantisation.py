"""Cases of the rows of quantised tensors: rows_quantisation. The reference goes element by element."""

import torch
from harness import Case, floats


def integers(*shape, low, high, dtype, seed=0):
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def expanded(groups, size, group):
    """One number for each element of the last axis."""
    return groups.repeat_interleave(group or size, -1)[..., :size]


def unpacked(x, group):
    """4 bits: the first half of a group is in the low bits of its bytes, the second half in the high ones."""
    halves = x.to(torch.int64).reshape(*x.shape[:-1], 2 * x.shape[-1] // group, group // 2)
    return torch.cat([halves % 16, halves // 16], -1).reshape(*x.shape[:-1], 2 * x.shape[-1])


def packed(codes, group):
    low, high = codes.reshape(*codes.shape[:-1], codes.shape[-1] // group, 2, group // 2).unbind(-2)
    return (low + 16 * high).reshape(*codes.shape[:-1], codes.shape[-1] // 2).to(torch.uint8)


def dequantized(x, scales, zeros=0, group=None, bits=8):
    if bits == 4:
        x = unpacked(x, group or 2 * x.shape[-1])
    if isinstance(zeros, torch.Tensor):
        zeros = expanded(zeros, x.shape[-1], group)
    return (x.to(scales.dtype) - zeros) * expanded(scales, x.shape[-1], group)


def quantized(x, scales, zeros=0, group=None, bits=8):
    scales = expanded(scales, x.shape[-1], group).to(x.dtype)
    if isinstance(zeros, torch.Tensor):
        zeros = expanded(zeros, x.shape[-1], group).to(x.dtype)
    codes = torch.where(scales == 0, 0, (x / scales).round()) + zeros
    if bits == 8:
        return codes.clamp(-128, 127).to(torch.int8)
    return packed(codes.clamp(0, 15).to(torch.int64), group or x.shape[-1])


def attributes(**given):
    return ", ".join(f"{name} = {value}" for name, value in given.items() if value is not None)


def cases():
    eight = [((3, 64), 32), ((3, 64), None), ((2, 3, 70), 32), ((5,), 1), ((1, 7), None), ((0, 32), 16)]
    for shape, group in eight:
        groups = (*shape[:-1], -(-shape[-1] // (group or shape[-1])))
        x = integers(*shape, low=-128, high=128, dtype=torch.int8)
        for zero in (0, 5):
            options = dict(group=group, zero=zero or None)
            yield Case("dequantize", lambda x, s, g=group, z=zero: dequantized(x, s, z, g), [x, floats(*groups, seed=1)],
                       attributes(**options))
            scales = floats(*groups, seed=1) / 20
            yield Case("quantize", lambda x, s, g=group, z=zero: quantized(x, s, z, g), [floats(*shape), scales],
                       attributes(**options), dtypes=("f64", "f32"), gradient=False)
        zeros = integers(*groups, low=-128, high=128, dtype=torch.int8, seed=2)
        yield Case("dequantize", lambda x, s, z, g=group: dequantized(x, s, z.to(s.dtype), g),
                   [x, floats(*groups, seed=1), zeros], attributes(group=group))
    for shape, group in (((3, 64), 32), ((3, 6), None), ((2, 3, 64), 16), ((4,), 2), ((0, 32), 32)):
        groups = (*shape[:-1], shape[-1] // (group or shape[-1]))
        x = integers(*shape[:-1], shape[-1] // 2, low=0, high=256, dtype=torch.uint8)
        for zero in (0, 8):
            options = attributes(bits=4, group=group, zero=zero or None)
            yield Case("dequantize", lambda x, s, g=group, z=zero: dequantized(x, s, z, g, 4),
                       [x, floats(*groups, seed=1)], options)
            yield Case("quantize", lambda x, s, g=group, z=zero: quantized(x, s, z, g, 4),
                       [floats(*shape), floats(*groups, seed=1) / 4], options, dtypes=("f64", "f32"),
                       gradient=False)
    # Scales of another rank, and of zeros.
    x = integers(3, 8, low=-128, high=128, dtype=torch.int8)
    yield Case("dequantize", lambda x, s: dequantized(x, s, 0, 4), [x, floats(2, seed=1)], "group = 4")
    yield Case("quantize", lambda x, s: quantized(x, s, 0, 4), [floats(3, 8), torch.zeros(3, 2, dtype=torch.float64)],
               "group = 4", gradient=False)
