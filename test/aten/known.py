"""Differences that are understood, and rows that are not compared, each with the reason."""

from harness import Known


def subnormal_divisor(_, b):
    return (b != 0) & (b.double().abs() < 1.2e-38)


NOTHING = "the extremum of an empty axis is a diagnostic; ATen gives an empty result, or -inf"
SUBNORMAL = "vectorised ATen flushes a subnormal divisor to zero and gives NaN"
KNOWN = [
    Known("fmod", SUBNORMAL, dtypes=("f64", "f32"), name="pairs", where=subnormal_divisor),
    Known("remainder", SUBNORMAL, dtypes=("f64", "f32"), name="pairs", where=subnormal_divisor),
    Known("any", "ATen keeps ui8, here the result is i1 for every dtype", dtypes=("ui8",)),
    Known("all", "ATen keeps ui8, here the result is i1 for every dtype", dtypes=("ui8",)),
    Known("logsumexp", NOTHING, name="nothing"),
    Known("softmax", NOTHING, name="nothing"),
    Known("log_softmax", NOTHING, name="nothing"),
    Known("layer_norm", "ATen's running mean over infinities is NaN, the sum of them here is infinite; y is NaN in both",
          name="NaN and infinities"),
    Known("layer_norm", "the squares overflow: the deviations are divided by infinity here, ATen gives NaN", name="1e300"),
    Known("lerp", "the sign of zero: vectorised ATen adds what its scalar code subtracts",
          where=lambda a, b, weight: (b == 0) & (weight >= 0.499)),
    Known("batch_norm", "the sign of zero: ATen adds a bias of 0 where there is none", name="minus zero"),
    Known("max_pool1d", "of several NaN in a window ATen names the last, here it is the first, as in argmax", name="NaN"),

    Known("expm1", "ATen takes result + 1, which cancels to 0; the slope here is exp(x)", kind="gradient",
          where=lambda x: x < -36),
    Known("tanh", "the slope 1 - y*y cancels, in both", kind="gradient", where=lambda x: (x.abs() > 5) & (x.abs() < 20)),
    Known("hardsigmoid", "ATen keeps 1/6 in f32 in its backward", kind="gradient"),
    Known("pow", "the slope of rsqrt is that of ATen's pow but at -0.0 and -inf", kind="gradient",
          name="exponent -0.5", where=lambda x: (x == 0) | x.isneginf()),
    Known("pow", "ATen takes the root in the slope, NaN at -inf; pow is infinite there", kind="gradient",
          name="exponent 1.5", where=lambda x: x.isneginf()),
    Known("amax", "with NaN no element equals the result: ATen divides 0 by 0; here NaN elements are the extremum",
          kind="gradient", name="NaN"),
    Known("amin", "with NaN no element equals the result: ATen divides 0 by 0; here NaN elements are the extremum",
          kind="gradient", name="NaN"),
    Known("logsumexp", "ATen takes exp(x - result), and 1e300 + log(2) is 1e300: each of two equal elements gets all",
          kind="gradient", name="1e300"),
    Known("logsumexp", NOTHING, kind="gradient", name="nothing"),
    Known("softmax", NOTHING, kind="gradient", name="nothing"),
    Known("log_softmax", NOTHING, kind="gradient", name="nothing"),
    Known("cumprod", "products of zero and infinity are NaN, and ATen forms others of them", kind="gradient",
          name="infinities"),
    Known("linalg_vector_norm", "a zero beside infinities: ATen multiplies its slope of 0 by infinity", kind="gradient",
          name="edges, ord 0.5"),
    Known("layer_norm", "the squares overflow, see the values", kind="gradient", name="1e300"),
    Known("gelu", "x*x overflows, and ATen multiplies it by a factor that is 0 by then: NaN", kind="gradient",
          where=lambda x: x.isfinite() & (x.abs() > 1e150)),
    Known("binary_cross_entropy", "ATen divides by max(x*(1 - x), 1e-12), here it is the slope of the cut-off logarithms",
          kind="gradient", name="next to 0 and 1"),
    Known("binary_cross_entropy_with_logits", "ATen takes sigmoid(x) - target, which cancels", kind="gradient",
          name="pairs", where=lambda x, t: x.isfinite() & ((x.abs() > 5) | (x.abs() < 1e-3) & (t == 0.5))),
    Known("kl_div", "the slope of target*log(target) at 0 is -inf: ATen gives NaN, here the branch of 0 has slope 0",
          kind="gradient", name="target 0"),
    Known("scatter_reduce", "autograd counts the first operand among those that attain the extremum where it is left out "
          "too, and drops its share", kind="gradient", name="ties with what is left out"),
    Known("max_pool1d", "the gradient goes to the NaN that the indices name, see the values", kind="gradient", name="NaN"),
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
    "alloc": LOOP, "buffer_view": LOOP, "for": LOOP, "load": LOOP, "store": LOOP, "guard": LOOP, "apply": LOOP, "literal": LOOP, "check": LOOP, "data": LOOP, "bind_size": LOOP, "launch": LOOP,
}

TRUTH = "the result is a truth value"
POSITION = "the result is a position"
MADE = "made of attributes"
WITHOUT_GRADIENT = {
    "eq": TRUTH, "ne": TRUTH, "lt": TRUTH, "le": TRUTH, "gt": TRUTH, "ge": TRUTH, "logical_and": TRUTH,
    "logical_or": TRUTH, "logical_xor": TRUTH, "logical_not": TRUTH, "isnan": TRUTH, "isinf": TRUTH, "any": TRUTH,
    "all": TRUTH, "argmax": POSITION, "argmin": POSITION, "bucketize": POSITION, "searchsorted": POSITION,
    "bitwise_and": "integers only", "bitwise_or": "integers only", "bitwise_xor": "integers only",
    "bitwise_not": "integers only", "one_hot": "integers only", "full": MADE, "arange": MADE, "eye": MADE,
    "linspace": MADE, "tril_indices": MADE, "triu_indices": MADE, "histc": "constant between its steps",
    "bernoulli": "constant between its steps", "detach": "stops derivatives, which is what it is for",
}
