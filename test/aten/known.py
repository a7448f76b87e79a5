"""Differences that are understood, and rows that are not compared, each with the reason."""

from harness import Known, Refusal


def subnormal_divisor(_, b):
    return (b != 0) & (b.double().abs() < 1.2e-38)


def far_apart(a, b):
    a, b = a.abs(), b.abs()
    return (a*0.4 > b) | (b*0.4 > a)


GRADIENT, SECOND = ("gradient",), ("second derivative",)
BOTH = GRADIENT + SECOND

PRODUCTS = "products of zero and infinity are NaN, and ATen forms others of them"
MASKED = "ATen multiplies by a comparison, which is 0 of NaN; here the slope of NaN is that of the branch it takes"
ROOTS = "ATen takes roots in the slopes, which tell -0.0 from 0.0 and have no value at -inf, where powers differ"
NORM = "where the norm is 0 or infinite ATen sets slopes to 0 and goes back through the division that they mask: NaN"
MEAN = "the mean over nothing is 0/0; ATen goes back to the cotangent by the loss itself, here no term is left"
SUBNORMAL = "vectorised ATen flushes a subnormal divisor to zero and gives NaN"
TRIGAMMA = "ATen's derivative of digamma is right to 1e-10 only, and finite at its poles; its higher ones are NaN at infinity"
KNOWN = [
    Known("fmod", SUBNORMAL, dtypes=("f64", "f32"), name="pairs", where=subnormal_divisor),
    Known("remainder", SUBNORMAL, dtypes=("f64", "f32"), name="pairs", where=subnormal_divisor),
    Known("any", "ATen keeps ui8, here the result is i1 for every dtype", dtypes=("ui8",)),
    Known("all", "ATen keeps ui8, here the result is i1 for every dtype", dtypes=("ui8",)),
    Known("layer_norm", "ATen's running mean over infinities is NaN, the sum of them here is infinite; y is NaN in both",
          name="NaN and infinities"),
    Known("layer_norm", "the squares overflow: the deviations are divided by infinity here, ATen gives NaN", name="1e300"),
    Known("lerp", "the sign of zero: vectorised ATen adds what its scalar code subtracts",
          where=lambda a, b, weight: (b == 0) & (weight >= 0.499)),
    Known("batch_norm", "the sign of zero: ATen adds a bias of 0 where there is none", name="minus zero"),
    Known("max_pool1d", "of several NaN in a window ATen names the last, here it is the first, as in argmax", name="NaN"),

    Known("lgamma", TRIGAMMA, SECOND),
    Known("digamma", TRIGAMMA, BOTH),
    Known("polygamma", TRIGAMMA, BOTH, name="order 0"),
    Known("polygamma", TRIGAMMA, BOTH, name="edges of order 0"),
    Known("polygamma", TRIGAMMA, dtypes=("f64",), name="order 1"),
    Known("polygamma", TRIGAMMA, dtypes=("f64",), name="edges of order 1"),
    Known("expm1", "ATen takes result + 1, which cancels to 0; the slope here is exp(x)", BOTH, where=lambda x: x < -36),
    Known("tanh", "the slope 1 - y*y cancels, in both", BOTH, where=lambda x: (x.abs() > 5) & (x.abs() < 20)),
    Known("hardsigmoid", "ATen keeps 1/6 in f32 in its backward", GRADIENT),
    Known("pow", "the slope of rsqrt is that of ATen's pow but at -0.0 and -inf", BOTH, name="exponent -0.5",
          where=lambda x: (x == 0) | x.isneginf()),
    Known("pow", "ATen takes the root in the slope, NaN at -inf; pow is infinite there", GRADIENT, name="exponent 1.5",
          where=lambda x: x.isneginf()),
    Known("amax", "with NaN no element equals the result: ATen divides 0 by 0; here NaN elements are the extremum", BOTH,
          name="NaN"),
    Known("amin", "with NaN no element equals the result: ATen divides 0 by 0; here NaN elements are the extremum", BOTH,
          name="NaN"),
    Known("logsumexp", "ATen takes exp(x - result), and 1e300 + log(2) is 1e300: each of two equal elements gets all", BOTH,
          name="1e300"),
    Known("cumprod", PRODUCTS, BOTH, name="infinities"),
    Known("linalg_vector_norm", "a zero beside infinities: ATen multiplies its slope of 0 by infinity", BOTH,
          name="edges, ord 0.5"),
    Known("layer_norm", "the squares overflow, see the values", BOTH, name="1e300"),
    Known("gelu", "x*x overflows, and ATen multiplies it by a factor that is 0 by then: NaN", GRADIENT,
          where=lambda x: x.isfinite() & (x.abs() > 1e150)),
    Known("binary_cross_entropy", "ATen divides by max(x*(1 - x), 1e-12), here it is the slope of the cut-off logarithms",
          GRADIENT, name="next to 0 and 1"),
    Known("binary_cross_entropy_with_logits", "ATen takes sigmoid(x) - target, which cancels", BOTH, name="pairs",
          where=lambda x, t: x.isfinite() & ((x.abs() > 5) | (x.abs() < 1e-3) & (t == 0.5))),
    Known("kl_div", "the slope of target*log(target) at 0 is -inf: ATen gives NaN, here the branch of 0 has slope 0", BOTH,
          name="target 0"),
    Known("scatter_reduce", "autograd counts the first operand among those that attain the extremum where it is left out "
          "too, and drops its share", BOTH, name="ties with what is left out"),
    Known("max_pool1d", "the gradient goes to the NaN that the indices name, see the values", BOTH, name="NaN"),

    Known("logsumexp", "a sum over nothing is divided by the sum of exponentials, 0: NaN; ATen's softmax of nothing has no terms",
          SECOND, name="nothing"),
    Known("sigmoid", "1 - 2*y cancels, in both", SECOND, where=lambda x: (x != 0) & (x.abs() < 1e-3)),
    Known("log_sigmoid", "ATen takes 1 - sigmoid(x), which cancels", SECOND, where=lambda x: x > 3),
    Known("mish", "ATen takes 1 - tanh(softplus(x))**2, which cancels, times x, which overflows", SECOND,
          where=lambda x: x > 5),
    Known("gelu", "far from 0 factors cancel, underflow or overflow, others in ATen", SECOND, where=lambda x: x.abs() > 5),
    Known("hardswish", MASKED, SECOND, where=lambda x: x.isnan()),
    Known("huber_loss", MASKED, SECOND, where=lambda x, t: (x - t).isnan()),
    Known("smooth_l1_loss", MASKED, SECOND, where=lambda x, t: (x - t).isnan()),
    Known("elu", MASKED, SECOND, where=lambda x: x.isnan()),
    Known("elu", "at 0 ATen has the slope of the exponential, but the second derivative of the line", SECOND,
          where=lambda x: x == 0),
    Known("softplus", "at the threshold ATen has the slope of the curve, but the second derivative of the line; short of "
          "it 1 - sigmoid(x) cancels, in both", SECOND, where=lambda x: (x == 2.5) | (x == 6)),
    Known("prelu", "at 0 ATen's backward takes the side of the weight, the derivative of its backward the other", SECOND,
          name="edges"),
    Known("pow", "where the base is 0 ATen multiplies 0 by the logarithm or by a negative power of it: NaN; where the "
          "exponent is 0 it drops what the logarithm of a base that has none is multiplied by", SECOND, name="pairs",
          where=lambda a, b: (a == 0) & (b >= 0) | (b == 0) & ((a < 1e-300) | a.isinf())),
    Known("pow", ROOTS, SECOND, name="exponent 0.5", where=lambda x: (x == 0) | x.isneginf()),
    Known("pow", ROOTS, SECOND, name="exponent 1.5", where=lambda x: (x == 0) | x.isneginf()),
    Known("pow", ROOTS, SECOND, name="exponent 2.5", where=lambda x: x.isneginf()),
    Known("atan2", "at 0, 0 ATen sets the slopes to 0 and goes back through the division by 0: NaN", SECOND, name="pairs",
          where=lambda a, b: (a == 0) & (b == 0)),
    Known("hypot", "1 - (a/y)*(a/y) cancels, in both", SECOND, name="pairs", where=far_apart),
    Known("addcdiv", "ATen multiplies quotients by divisors that are 0 or infinite: NaN", SECOND,
          where=lambda x, a, b: (b == 0) | b.isinf()),
    Known("prod", PRODUCTS, SECOND, name="infinities"),
    Known("std", "where y is 0 ATen sets the slope to 0 and goes back through the division by it: NaN", SECOND,
          name="edges"),
    Known("std", "of nothing ATen has NaN for a direction too, here there is none to sum over", SECOND, name="nothing"),
    Known("linalg_vector_norm", NORM, SECOND, name="edges, ord 2"),
    Known("linalg_vector_norm", NORM, SECOND, name="edges, ord 3"),
    Known("linalg_vector_norm", NORM, SECOND, name="edges, ord -1"),
    Known("group_norm", "two numbers are 1 and -1 whatever they were: what eps leaves of their slope cancels, in both",
          SECOND, name="two elements a group"),
    Known("binary_cross_entropy", "ATen adds 1e-12 to x and to 1 - x before it divides by them", SECOND),
    Known("nll_loss", MEAN, SECOND, name="all ignored"),
    Known("nll_loss", MEAN, SECOND, name="no samples"),
    Known("cross_entropy", MEAN, SECOND, name="all ignored"),
    Known("cross_entropy", MEAN, SECOND, name="no samples"),
    Known("conv2d", "ATen multiplies the infinite weight by zeros of the padding", SECOND,
          name="infinite weight over padding"),
    Known("scatter_reduce", "the second derivative is 0: ATen's product over quotients leaves rounding", SECOND,
          name="products without the operand"),
]

STRUCTURAL = "it holds other ops or values and computes nothing itself"
CONTROL = "control flow: PyTorch has no operator of this kind"
LOOP = "an op of the loop level; PyTorch has none"
NUMBERS = "PyTorch draws other numbers from the same seed"
NOT_COMPARED = {
    "module": STRUCTURAL, "func": STRUCTURAL, "return": STRUCTURAL, "weight": STRUCTURAL, "state": STRUCTURAL,
    "read": STRUCTURAL, "call": STRUCTURAL, "yield": STRUCTURAL, "condition": STRUCTURAL, "fusion": STRUCTURAL, "segment": STRUCTURAL,
    "constant": STRUCTURAL, "dim": "a size, known without data",
    "compute": "its formula is an attribute", "if": CONTROL, "while": CONTROL, "scan": CONTROL,
    "nonzero": "the size of its result depends on data; test/eval and the import test compare it",
    "range": "the size of its result depends on data; test/eval and the import test compare it",
    "torch.call": "it is what ATen computes, by its definition",
    "optimization_barrier": "its first operand: PyTorch has none; test/opt/rematerialize evaluates it",
    "philox": NUMBERS, "uniform": NUMBERS, "randint": NUMBERS, "normal": NUMBERS,
    "alloc": LOOP, "dealloc": LOOP, "bits": LOOP, "buffer_view": LOOP, "for": LOOP, "load": LOOP, "store": LOOP, "guard": LOOP, "apply": LOOP, "transpose_in_place": LOOP, "literal": LOOP, "fma": LOOP, "check": LOOP, "data": LOOP, "bind_size": LOOP, "launch": LOOP, "external": LOOP,
}

TRUTH = "the result is a truth value"
POSITION = "the result is a position"
MADE = "made of attributes"
WITHOUT_GRADIENT = {
    "eq": TRUTH, "ne": TRUTH, "lt": TRUTH, "le": TRUTH, "gt": TRUTH, "ge": TRUTH, "logical_and": TRUTH,
    "logical_or": TRUTH, "logical_xor": TRUTH, "logical_not": TRUTH, "isnan": TRUTH, "isinf": TRUTH, "any": TRUTH,
    "all": TRUTH, "argmax": POSITION, "argmin": POSITION, "bucketize": POSITION, "searchsorted": POSITION,
    "bitwise_and": "integers only", "bitwise_or": "integers only", "bitwise_xor": "integers only",
    "bitwise_not": "integers only", "bitwise_left_shift": "integers only", "bitwise_right_shift": "integers only",
    "gcd": "integers only", "lcm": "integers only", "one_hot": "integers only", "full": MADE, "arange": MADE, "eye": MADE,
    "linspace": MADE, "tril_indices": MADE, "triu_indices": MADE, "histc": "constant between its steps",
    "bernoulli": "constant between its steps", "quantize": "constant between its steps",
    "detach": "stops derivatives, which is what it is for",
}

WITHOUT_SECOND = [
    Refusal("hardsigmoid", "derivative for aten::hardsigmoid_backward is not implemented", "ATen does not have it"),
    Refusal("embedding_bag", "_embedding_bag_", "ATen has it of neither of its two gradients"),
    Refusal("embedding", "cannot reshape tensor of 0 elements",
            "going back through the gradient of no rows, ATen asks for a size that nothing tells"),
]
