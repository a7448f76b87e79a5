"""Cases of the rows that compute each element from elements at the same place: rows_elementwise, rows_functions and
rows_activation."""

import torch
import torch.nn.functional as F
from harness import EDGE_PAIRS, EDGES, FLOATS, INTEGERS, NAN, Case, edge_pairs, edges, floats, mask, numbers, positions, positive, within

FUNCTIONS = ("neg abs sign floor ceil trunc round exp expm1 log log1p log2 sqrt rsqrt reciprocal square sin cos tan "
             "asin acos atan sinh cosh tanh asinh acosh atanh sigmoid erf erfc erfinv lgamma digamma isnan isinf "
             "logical_not relu clone detach").split()
# Rows whose results on integers are integers: every integer does. The others make floats of them.
ON_INTEGERS = {"neg", "abs", "sign", "floor", "ceil", "trunc", "round", "square", "relu", "clone", "detach", "isnan",
               "logical_not"}
ACTIVATIONS = {
    "silu": F.silu, "mish": F.mish, "softplus": F.softplus, "log_sigmoid": F.logsigmoid, "gelu": F.gelu,
    "hardsigmoid": F.hardsigmoid, "hardswish": F.hardswish, "hardtanh": F.hardtanh, "elu": F.elu,
    "leaky_relu": F.leaky_relu}
WITH_ATTRIBUTES = [
    ("softplus", "beta = 2.0, threshold = 5.0", lambda x: F.softplus(x, 2.0, 5.0)),
    ("gelu", 'approximate = "tanh"', lambda x: F.gelu(x, approximate="tanh")),
    ("hardtanh", "min_val = 0, max_val = 0", lambda x: F.hardtanh(x, 0.0, 0.0)),
    ("hardtanh", "min_val = -2.5, max_val = 0.5", lambda x: F.hardtanh(x, -2.5, 0.5)),
    ("leaky_relu", "negative_slope = 0.3", lambda x: F.leaky_relu(x, 0.3)),
    ("leaky_relu", "negative_slope = -0.5", lambda x: F.leaky_relu(x, -0.5)),
    ("elu", "alpha = 1.6732, scale = 1.0507", lambda x: torch.ops.aten.elu(x, 1.6732, 1.0507)),
    ("elu", "alpha = 0.5, input_scale = 2.0", lambda x: torch.ops.aten.elu(x, 0.5, 1, 2.0)),
    ("clamp", "min = -0.5, max = 1.0", lambda x: x.clamp(-0.5, 1.0)),
    ("clamp", "min = 1.0", lambda x: x.clamp(1.0)),
    ("clamp", "max = 0.5", lambda x: x.clamp(max=0.5)),
    ("clamp", "min = 2.0, max = 1.0", lambda x: x.clamp(2.0, 1.0)),
]


def floor_divide(a, b):
    return torch.div(a, b, rounding_mode="floor")  # torch.floor_divide has no gradient


# With the range of the second operand on integers: divisors are not zero, exponents not negative.
BINARY = {
    "add": (torch.add, "full"), "sub": (torch.sub, "full"), "mul": (torch.mul, "full"),
    "div": (torch.div, ((-100, 100), (1, 9))), "floor_divide": (floor_divide, ((-100, 100), (1, 9))),
    "trunc_divide": (lambda a, b: torch.div(a, b, rounding_mode="trunc"), ((-100, 100), (1, 9))),
    "remainder": (torch.remainder, ((-100, 100), (1, 9))), "fmod": (torch.fmod, ((-100, 100), (1, 9))),
    "pow": (torch.pow, ((-9, 9), (0, 9))), "atan2": (torch.atan2, (-9, 9)), "hypot": (torch.hypot, None),
    "maximum": (torch.maximum, "full"), "minimum": (torch.minimum, "full"),
    "eq": (torch.eq, (-2, 3)), "ne": (torch.ne, (-2, 3)), "lt": (torch.lt, (-2, 3)), "le": (torch.le, (-2, 3)),
    "gt": (torch.gt, (-2, 3)), "ge": (torch.ge, (-2, 3)),
    "logical_and": (torch.logical_and, (-1, 2)), "logical_or": (torch.logical_or, (-1, 2)),
    "logical_xor": (torch.logical_xor, (-1, 2))}
WITH_NUMBER = {
    "add": lambda x, n: x + n, "sub": lambda x, n: x - n, "mul": lambda x, n: x*n, "div": lambda x, n: x/n,
    "floor_divide": floor_divide, "trunc_divide": lambda x, n: torch.div(x, n, rounding_mode="trunc"),
    "remainder": torch.remainder, "fmod": torch.fmod, "pow": torch.pow, "eq": torch.eq, "ne": torch.ne, "lt": torch.lt,
    "le": torch.le, "gt": torch.gt, "ge": torch.ge}
SHIFTS = {"bitwise_left_shift": torch.bitwise_left_shift, "bitwise_right_shift": torch.bitwise_right_shift}


def lcm(a, b):
    """The least integer goes last: ATen divides the first operand by the divisor, which may be -1, and ends the process."""
    swapped = a == torch.iinfo(a.dtype).min
    return torch.lcm(torch.where(swapped, b, a), torch.where(swapped, a, b))


DIVISORS = {"gcd": torch.gcd, "lcm": lcm}
BITWISE = {"bitwise_and": torch.bitwise_and, "bitwise_or": torch.bitwise_or, "bitwise_xor": torch.bitwise_xor}


def unary():
    functions = {name: getattr(torch, name) for name in FUNCTIONS}
    functions["detach"] = lambda x: x.detach().clone()
    for row, function in functions.items():
        integers = "full" if row in ON_INTEGERS else (-8, 9)
        for x in (floats(5, 7), floats(0, 3), floats(), floats(1, seed=1)):
            yield Case(row, function, [x], integers=integers)
        yield Case(row, function, [edges()], edge=True)
        yield Case(row, function, [within(-1, 1, 33, seed=2)])
        if row in ON_INTEGERS:
            yield Case(row, function, [floats(EDGE_PAIRS)], integers="edges", dtypes=())
    for row, function in ACTIVATIONS.items():
        for x in (floats(5, 7)*3, floats(0, 3), floats(), floats(1, seed=1)):
            yield Case(row, function, [x])
        yield Case(row, function, [edges()], edge=True)
    for row, attributes, function in WITH_ATTRIBUTES:
        yield Case(row, function, [floats(5, 7)*3], attributes)
        yield Case(row, function, [edges()], attributes, edge=True)
    yield Case("clamp", lambda x: x.clamp(-5, 7), [floats(40)*9], "min = -5, max = 7", integers=(-100, 100))
    yield Case("clamp", lambda x: x.clamp(min=3), [floats(40)*9], "min = 3", integers=(-100, 100))
    for order in range(5):
        text, polygamma = f"n = {order}", lambda x, n=order: torch.polygamma(n, x)
        for x in (floats(5, 7)*3, positive(41)*20, within(1.4, 1.5, 33), floats()):
            yield Case("polygamma", polygamma, [x], text, integers=(1, 30), name=f"order {order}")
        yield Case("polygamma", polygamma, [numbers(NAN, 0.0, -0.0, 1e-5, -1e-5, 0.5, 1.0, 2.5, 88.0, 6e4, -0.5, -2.25, -30.75)],
                   text, edge=True, name=f"edges of order {order}")
    for decimals in (0, 1, 2, -1, -2, 5):
        text, rounded = f"decimals = {decimals}", lambda x, d=decimals: torch.round(x, decimals=d)
        yield Case("round_decimals", rounded, [floats(5, 7)*100], text)
        yield Case("round_decimals", rounded, [edges()], text, edge=True)
    yield Case("bitwise_not", torch.bitwise_not, [floats(20)], integers="full", dtypes=())


def binary():
    for row, (function, integers) in BINARY.items():
        yield Case(row, function, [floats(4, 1, 3), floats(5, 3, seed=1)], integers=integers)
        yield Case(row, function, [floats(3), floats(seed=1)], integers=integers)
        yield Case(row, function, [floats(), floats(1, seed=1)], integers=integers)
        yield Case(row, function, [floats(2, 0), floats(1, seed=1)], integers=integers)
        yield Case(row, function, [floats(41), floats(41, seed=1)], integers=integers)
        if integers == "full" or row in ("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"):
            yield Case(row, function, [floats(EDGE_PAIRS), floats(EDGE_PAIRS)], integers="edges", dtypes=())
        # ATen's slope of atan2 multiplies subnormal numbers before it divides; a quotient of two of them is as rough as
        # they are.
        values = [e for e in EDGES if row not in ("atan2", "hypot") or e != 1e-310]
        yield Case(row, function, edge_pairs(values), edge=True, name="pairs")
    yield Case("pow", torch.pow, [positive(41), floats(41, seed=1)*3])
    yield Case("pow", torch.pow, edge_pairs([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -3.0, 4.0, -0.5]), edge=True,
               name="pairs")
    for row, function in BITWISE.items():
        yield Case(row, function, [floats(4, 1, 3), floats(5, 3)], integers="full", dtypes=())
        yield Case(row, lambda x, f=function: f(x, 6), [floats(20)], "other = 6", integers="full", dtypes=())
    for row, function in SHIFTS.items():
        for ranges in (((-100, 101), (-3, 70)), "full"):
            yield Case(row, function, [floats(4, 1, 3), floats(50, 3, seed=1)], integers=ranges, dtypes=())
        for amount in (0, 3, 7, 8, 63, 64, -1):
            yield Case(row, lambda x, f=function, n=amount: f(x, n), [floats(20)], f"other = {amount}", integers="full",
                       dtypes=())
    for row, function in DIVISORS.items():
        yield Case(row, function, [floats(4, 1, 3), floats(50, 3, seed=1)], integers=(-100, 101), dtypes=())
        yield Case(row, function, [floats(30), floats(30, seed=1)], integers=(-3, 4), dtypes=())
        yield Case(row, function, [floats(EDGE_PAIRS), floats(EDGE_PAIRS)], integers="edges", dtypes=())
    for row, function in WITH_NUMBER.items():
        for number in (2, 3) if row == "pow" else (3, -2):
            integers = None if row in ("floor_divide", "fmod", "remainder") and number < 0 else (-5, 6)
            text = f"other = {number}"
            yield Case(row, lambda x, f=function, n=number: f(x, n), [floats(21)], text, integers=integers)
            yield Case(row, lambda x, f=function, n=number: f(x, n), [edges()], text, edge=True)
        yield Case(row, lambda x, f=function: f(x, 0.1), [edges()], "other = 0.1", edge=True)
    for exponent in (0, 1, 2, 3, -1, -2, 0.5, -0.5, 1.5, 2.5, -3):
        text = f"other = {exponent}"
        yield Case("pow", lambda x, e=exponent: x.pow(e), [edges()], text, edge=True, name=f"exponent {exponent}")
        yield Case("pow", lambda x, e=exponent: x.pow(e), [positive(15)], text,
                   integers=(-4, 5) if isinstance(exponent, int) and exponent >= 0 else None)
    for exponent in (2.0, 3.0, 1.0, 0.0, 0.5, -0.5):  # of integers: a float, as the exponent is
        yield Case("pow", lambda x, e=exponent: x.pow(e), [positive(15)], f"other = {exponent}", integers=(1, 90),
                   dtypes=(), gradient=False)
    for row, function, alpha in (("add", torch.add, 2), ("sub", torch.sub, 3)):
        yield Case(row, lambda a, b, f=function, n=alpha: f(a, b, alpha=n), [floats(9), floats(9, seed=1)],
                   f"alpha = {alpha}", integers="full")
    yield Case("add", lambda a, b: torch.add(a, b, alpha=-0.5), edge_pairs(), "alpha = -0.5", edge=True)
    yield Case("add", lambda a: torch.add(a, 3, alpha=2), [floats(9)], "other = 3, alpha = 2", integers=(-100, 100))


def ternary():
    for a, b in ((edges(), floats(23)), (floats(23), edges()), (floats(23), floats(1, seed=2)[0])):
        yield Case("where", torch.where, [mask(23), a, b], integers="full")
    yield Case("where", torch.where, [mask(2, 1), floats(3), floats(2, 3, seed=1)], integers="full")
    for value in (0, 3, -2.5, float("inf"), float("nan")):
        text = f"value = {value}"
        yield Case("masked_fill", lambda x, m, v=value: x.masked_fill(m, v), [edges(), mask(23)], text, edge=True,
                   integers=(-9, 9) if isinstance(value, int) else None)
    yield Case("masked_fill", lambda x, m: x.masked_fill(m, 1), [floats(2, 3), mask(3)], "value = 1", integers="full")
    three = [floats(3, 5), floats(5, seed=1), floats(3, 1, seed=2)]
    yield Case("addcmul", torch.addcmul, three, integers=(-100, 100))
    yield Case("addcmul", lambda x, a, b: torch.addcmul(x, a, b, value=0.5), three, "value = 0.5")
    yield Case("addcmul", lambda x, a, b: torch.addcmul(x, a, b, value=3), three, "value = 3", integers=(-100, 100))
    yield Case("addcdiv", torch.addcdiv, three)
    yield Case("addcdiv", lambda x, a, b: torch.addcdiv(x, a, b, value=0.5), three, "value = 0.5")
    small = numbers(0.0, -0.0, 1.0, float("inf"), float("nan"), -2.0)
    grid = [t.reshape(-1).clone() for t in torch.meshgrid(small, small, small, indexing="ij")]
    yield Case("addcmul", torch.addcmul, grid, edge=True)
    yield Case("addcdiv", torch.addcdiv, grid, edge=True)
    yield Case("lerp", torch.lerp, [floats(3, 5), floats(3, 5, seed=1), floats(3, 5, seed=2)])
    weights = numbers(0.0, 0.5, 0.499, 1.0, -0.5, 2.0)
    grid = torch.meshgrid(small, small, weights, indexing="ij")
    yield Case("lerp", torch.lerp, [t.reshape(-1).clone() for t in grid], edge=True)
    yield Case("prelu", F.prelu, [floats(2, 3, 4), numbers(0.25)])
    yield Case("prelu", F.prelu, [edges(), numbers(0.25)], edge=True, name="edges")


def conversions():
    for name, dtype in {**FLOATS, **INTEGERS}.items():
        x = within(0, 100, 17) if name == "ui8" else within(-100, 100, 17)
        yield Case("cast", lambda x, d=dtype: x.to(d), [x], f"dtype = {name}", integers="full")
        if name in FLOATS or name == "i1":
            yield Case("cast", lambda x, d=dtype: x.to(d), [edges()], f"dtype = {name}", edge=True)
    for order in range(5):
        text, polygamma = f"n = {order}", lambda x, n=order: torch.polygamma(n, x)
        for x in (floats(5, 7)*3, positive(41)*20, within(1.4, 1.5, 33), floats()):
            yield Case("polygamma", polygamma, [x], text, integers=(1, 30), name=f"order {order}")
        yield Case("polygamma", polygamma, [numbers(NAN, 0.0, -0.0, 1e-5, -1e-5, 0.5, 1.0, 2.5, 88.0, 6e4, -0.5, -2.25, -30.75)],
                   text, edge=True, name=f"edges of order {order}")
    for decimals in (0, 1, 2, -1, -2, 5):
        text, rounded = f"decimals = {decimals}", lambda x, d=decimals: torch.round(x, decimals=d)
        yield Case("round_decimals", rounded, [floats(5, 7)*100], text)
        yield Case("round_decimals", rounded, [edges()], text, edge=True)
    yield Case("bitwise_not", torch.bitwise_not, [positions(9, 7)])


def dropouts():
    key = torch.tensor([3, 0])
    for p in (0.0, 1.0):  # which elements are dropped depends on PyTorch's generator otherwise
        yield Case("dropout", lambda x, _, p=p: torch.native_dropout(x, p, True), [floats(3, 5), key], f"p = {p}")


def cases():
    yield from unary()
    yield from binary()
    yield from ternary()
    yield from conversions()
    yield from dropouts()
