"""PyTorch's samples of its operators on extreme values: what a decomposition gets wrong where the operator itself does not.

An operator that PyTorch computes in one step may be several ops of mlgc. The programs are what `torch.export.export` gives,
without any decomposition; PyTorch's results are those of the *operator*. The tensors of a sample are replaced:

  - of operators that compute element by element by all combinations of edge values of the dtype, compared element by
    element, signs of zeros included;
  - of others by themselves, scaled so that squares, sums or quotients leave the range of the dtype, and with an infinity or
    NaN among them. Of integers only the operator's input is replaced: others may be positions.

`DIRECT` holds operators that op_db does not have.
"""

import dataclasses
import itertools
import math
import os
import re

import numpy as np
import torch
from op_samples import Sample, name_of
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, SampleInput, UnaryUfuncInfo
from torch.utils import _pytree as pytree

INF, NAN = math.inf, math.nan
aten = torch.ops.aten
# Operators that compute element by element, beside those that op_db says to.
ELEMENTWISE = set("""addcdiv addcmul clamp lerp where masked_fill isclose logaddexp2 logaddexp float_power sgn
    nan_to_num heaviside xlogy special.xlog1py special.entr logit polar frac""".split())
ELEMENTWISE |= {"nn.functional." + name for name in """celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu
    logsigmoid mish relu relu6 selu silu softplus softshrink softsign tanhshrink threshold""".split()}
BY_DTYPE = {"nan_to_num"}  # what they compute depends on the dtype
MOST_CALLS = 6  # of an elementwise operator with other numbers and flags
MOST_SHAPES = 2  # of another operator
# Inputs are positions or counts, or a size follows from them.
POSITIONS = {"bincount", "nn.functional.one_hot", "nn.functional.embedding", "nn.functional.embedding_bag", "histc",
             "repeat_interleave", "bitwise_left_shift", "bitwise_right_shift", "__rlshift__", "__rrshift__"}


def edges(dtype, few):
    """Numbers of the dtype at the ends of its range, next to kinks, and plain ones."""
    if dtype is torch.bool:
        return torch.tensor([False, True])
    if not dtype.is_floating_point:
        low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
        return torch.tensor(sorted({low, low + 1, high, high - 1, 0, 1, 2, 3, 7} | ({-1, -2, -3, -7} if low else set())
                                   if not few else {low, high, 0, 1, 2} | ({-1} if low else set())), dtype=dtype)
    info = torch.finfo(dtype)
    root = math.sqrt(info.max)
    some = [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, info.max, -info.max, info.smallest_normal, -info.smallest_normal*info.eps,
            0.3, -2.5]
    more = [2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 6.0, -6.0, 20.0, 88.0, -88.0, -104.0, 700.0, info.max/2, root, -root, root*1.5, 1/root,
            1e-3, -1e-3, info.eps, -info.eps, 1 + info.eps, 1 - info.eps/2, info.smallest_normal*4, info.smallest_normal*0.75,
            100.25, -7.75, 12.5, 1/3, 0.999, math.pi, -math.pi]
    return torch.tensor(some if few else some + more, dtype=torch.float64).to(dtype)


def combinations(dtype, count):
    values = edges(dtype, few=count > 2)
    if dtype.is_floating_point:
        values[values.isnan()] = NAN  # of one sign in every dtype
    if count == 1:
        return [values]
    if count > 3:
        values = values[:5]
    return [x.reshape(-1).clone() for x in torch.meshgrid(*[values]*count, indexing="ij")]


SCALES = {  # of floats: what the largest magnitude becomes
    "squares overflow": lambda info: 4*math.sqrt(info.max),
    "sums overflow": lambda info: info.max*0.75,
    "squares underflow": lambda info: math.sqrt(info.smallest_normal)/64,
    "subnormal": lambda info: info.smallest_normal/2,
}


def scaled(x, size):
    largest = x.double().abs()[x.isfinite()].max() if x.isfinite().any() else 1
    return (x.double()*(size/max(float(largest), 1e-300))).to(x.dtype)


def with_special(x, value):
    flat = x.clone().reshape(-1)
    if flat.numel():
        flat[flat.numel()//2] = value
    return flat.reshape(x.shape)


def integer_edges(x, generator):
    values = edges(x.dtype, few=True)
    return values[torch.randint(len(values), x.shape, generator=generator)]


@dataclasses.dataclass(frozen=True)
class Known:
    """A difference that is understood: of operators whose name matches, in these dtypes and cases (regular expressions)."""
    ops: str
    reason: str
    dtypes: str = ""
    cases: str = ""

    def speaks_of(self, record):
        return bool(re.fullmatch(self.ops, record["op"]) and re.match(self.dtypes, record["dtype"])
                    and re.match(self.cases, record["sample"]))


class Direct:
    """An overload that op_db does not have, called as it is; it computes element by element if `elementwise` says so."""
    variant_test_name = ""

    def __init__(self, overload, *arguments, elementwise=True, integers=False):
        self.name = "aten." + str(overload).split("aten.")[1]
        self.overload, self.arguments, self.elementwise, self.integers = overload, arguments, elementwise, integers

    def __call__(self, *args, **kwargs):
        return self.overload(*args, **kwargs)

    def supported_dtypes(self, device):
        return [t for t in Extreme.DTYPES.values() if t.is_floating_point or (self.integers and t is not torch.bool)]

    def sample_inputs(self, device, dtype, requires_grad=False):
        for first, *rest in self.arguments:
            values = [x(dtype) if callable(x) else x for x in (first, *rest)]
            yield SampleInput(values[0], args=tuple(values[1:]))


class Extreme(Sample):
    DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
              "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "ui8": torch.uint8, "bool": torch.bool}
    LEVELS = {"raw": {}}  # as torch.export.export gives it, not decomposed at all
    note = ""
    elementwise = False

    def __init__(self, op, sample):
        super().__init__(op, sample)
        self.program = {}  # one for all values of the sample

    def text(self):
        return (self.note + ": " if self.note else "") + super().text()

    def with_inputs(self, inputs, note):
        other = type(self).__new__(type(self))
        torch.nn.Module.__init__(other)
        other.op, other.name, other.spec, other.leaves, other.places = self.op, self.name, self.spec, self.leaves, self.places
        other.inputs, other.note, other.program = tuple(inputs), note, self.program
        return other

    def export(self):
        if "exported" not in self.program:
            self.program["exported"] = super().export()
        return self.program["exported"]

    def decomposed(self, exported, decompose):
        return exported

    def save(self, program, path):
        first = self.program.setdefault("path", path)
        if first == path:
            super().save(program, path)
        else:
            path.unlink(missing_ok=True)
            os.link(first, path)

    def more_arrays(self):
        return {"extreme": np.array(int(self.elementwise))}

    def expected(self, program):
        return self.eager()

    def judge(self, eager):
        if self.name in BY_DTYPE:
            return [x.double() if x.is_floating_point() else x for x in eager]
        return super().judge(eager)

    @classmethod
    def cases(cls, op, dtype, cap):
        samples = [cls(op, sample) for sample in itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), 200)]
        if name_of(op) in POSITIONS and not dtype.is_floating_point:
            return []
        elementwise = isinstance(op, (UnaryUfuncInfo, BinaryUfuncInfo, Direct)) and getattr(op, "elementwise", True)
        if elementwise or name_of(op).split(".variant")[0] in ELEMENTWISE:
            return by_element(samples, dtype, cap or MOST_CALLS)
        return by_scale(samples, dtype, cap or MOST_SHAPES)


def by_element(samples, dtype, most):
    """One case for each way to call the operator: other numbers and flags, other operands that are tensors."""
    found = {}
    for sample in samples:
        own = [i for i, x in enumerate(sample.inputs) if x.dtype == dtype]
        key = (str(sample.spec), str(sample.leaves), tuple(x.dtype for x in sample.inputs),
               tuple(x.dim() == 0 for x in sample.inputs))
        if key in found or len(found) == most or not own or any(x.dim() == 0 for x in sample.inputs):
            continue
        values = combinations(dtype, len(own))
        inputs = list(sample.inputs)
        for i, x in zip(own, values, strict=True):
            inputs[i] = x
        count = values[0].numel()
        for i, x in enumerate(inputs):
            if i not in own:  # a mask
                inputs[i] = x.reshape(-1)[:2].repeat(count)[:count] if x.numel() > 1 else x.reshape(-1)[:1].expand(count).clone()
        found[key] = sample.with_inputs(inputs, "edges")  # other shapes: the only one with its program
        found[key].elementwise = True
    return list(found.values())


def by_scale(samples, dtype, most):
    chosen = [s for s in samples if s.inputs and s.inputs[0].dtype == dtype and 0 < s.elements() <= 2000]
    chosen = [chosen[i*len(chosen)//most] for i in range(most)] if len(chosen) > most else chosen
    found, generator = [], torch.Generator().manual_seed(0)
    for sample in chosen:
        first, rest = sample.inputs[0], sample.inputs[1:]
        if dtype is torch.bool:
            continue
        if not dtype.is_floating_point:
            found.append(sample.with_inputs([integer_edges(first, generator), *rest], "ends of the range"))
            continue
        info = torch.finfo(dtype)
        for note, size in SCALES.items():
            found.append(sample.with_inputs([scaled(first, size(info)), *rest], note))
        for value in (INF, NAN):
            found.append(sample.with_inputs([with_special(first, value), *rest], str(value)))
        if any(x.dtype == dtype for x in rest):
            for note in ("squares overflow", "squares underflow"):
                size = SCALES[note](info)
                found.append(sample.with_inputs([scaled(x, size) if x.dtype == dtype else x for x in sample.inputs],
                                                "all: " + note))
    return found


FUSED = "ATen rounds product and sum once (fused multiply-add), where the product alone leaves the range or cancels"
RUNNING = "ATen's running mean over infinities is NaN, the sum of them here is infinite"
SUMS = "the sum leaves the range, where ATen adds in f64 or keeps a running mean"
KNOWN = [
    Known("add|sub|rsub|addcmul|addcdiv|lerp", FUSED, cases="edges"),
    Known("logaddexp2", "of -1 and -1 ATen is -5e-17 in f64; here the result of equal operands is exact", "f16", "edges"),
    Known("linalg.cross", FUSED, "f32|f64", "(all: )?(sums|squares) overflow"),
    Known("(std|var)_mean.*|native_(group|layer)_norm", RUNNING, cases="inf"),
    Known("(native_|_native_|nn.functional.)?_?(batch|instance|group|layer)_norm.*", SUMS, cases="(all: )?sums overflow"),
]
# Of op_db are missing: operators that only gradients, or other operators' parts, hold.
DIRECT = []
