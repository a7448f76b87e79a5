"""Cases of the comparison with ATen: what they are, how one is expanded over dtypes, and what PyTorch says to each.

A case names a row, its operands in f64 (or in a dtype of their own, where they are positions or masks) and a function
of PyTorch that computes the same. It is expanded to

  - one run for each float dtype: the operands are rounded to it; the judge is PyTorch in f64 on the rounded operands,
    `eager` is PyTorch in the dtype itself;
  - one run for each integer dtype and i1, if the case says in which range its integers are;
  - one gradient run in f64 against torch.autograd, where PyTorch's result has a gradient, and one of the second order
    against the gradient that autograd computes of that gradient.

Runs that PyTorch refuses are counted and left out.
"""

import dataclasses
from collections.abc import Callable

import torch

NAN, INF = float("nan"), float("inf")
FLOATS = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
INTEGERS = {"i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "ui8": torch.uint8,
            "i1": torch.bool}
# Both zeros, infinities, NaN, kinks of the activations, numbers below the smallest normal one of f64, f32 and f16, and
# numbers beyond the largest one of f32 and f16 (infinite there).
EDGES = [NAN, 0.0, -0.0, INF, -INF, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 6.0, 20.5, 1e-310, 1e-40, 3e-6, -1e30, 1e300,
         88.0, -104.0, 2.5, -2.5]
KINDS = ("value", "gradient", "second derivative")
REFUSALS = (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError)


SEED = 0  # what --seed adds to the seed of every random tensor


def random(seed):
    return torch.Generator().manual_seed(seed + SEED)


@dataclasses.dataclass
class Case:
    row: str
    function: Callable
    inputs: list  # tensors, None for an operand that is absent; those in f64 take the dtype of the run
    attributes: str = ""
    edge: bool = False  # compare element by element, and signs of zero
    # None: no integer dtypes; (low, high), high excluded; one such pair for each input; "full": all the dtype has, half of
    # them edge values;
    # "edges": all pairs of its ends, their neighbours, small numbers and fractions of its greatest, for operands of
    # EDGE_PAIRS elements
    integers: tuple | str | None = None
    dtypes: tuple = tuple(FLOATS)
    gradient: bool = True
    unspecified: tuple = ()  # numbers of results that PyTorch leaves open or does not have
    constant: tuple = ()  # numbers of float operands to which PyTorch has no gradient
    name: str = ""  # for rows of KNOWN that are about this case only


@dataclasses.dataclass
class Known:
    """A difference that is understood: `reason`, and what it is limited to."""
    row: str
    reason: str
    kinds: tuple = ("value",)  # of KINDS; it must be seen in each
    dtypes: tuple = ()  # empty: every dtype
    name: str = ""  # empty: every case
    where: Callable | None = None  # elements, of an elementwise case on operands of one axis; None: the whole case
    seen: set = dataclasses.field(default_factory=set)  # kinds

    def covers(self, run):
        return (self.row == run.case.row and run.kind in self.kinds and (not self.dtypes or run.dtype in self.dtypes)
                and (not self.name or self.name == run.case.name))


@dataclasses.dataclass
class Refusal:
    """Gradients of a row of which PyTorch has no gradient: it raises an error that holds `message`."""
    row: str
    message: str
    reason: str
    seen: int = 0


@dataclasses.dataclass
class Run:
    case: Case
    kind: str  # one of KINDS
    dtype: str
    inputs: list
    known: Known | None = None

    def title(self):
        shapes = ", ".join("_" if x is None else "x".join(map(str, x.shape)) or "()" for x in self.inputs)
        attributes = f" {{{self.case.attributes}}}" if self.case.attributes else ""
        name = f" ({self.case.name})" if self.case.name else ""
        return f"{self.case.row}{attributes}{name} {self.kind} {self.dtype} [{shapes}]"


def floats(*shape, seed=0):
    return torch.randn(shape, generator=random(seed), dtype=torch.float64)


def positive(*shape, seed=0):
    return floats(*shape, seed=seed).abs() + 0.1


def within(low, high, *shape, seed=0):
    x = torch.rand(shape, generator=random(seed), dtype=torch.float64)
    return low + (high - low)*x


def positions(high, *shape, low=0, seed=0):
    return torch.randint(low, high, shape, generator=random(seed))


def mask(*shape, seed=0):
    return positions(2, *shape, seed=seed).bool()


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


def edges():
    return numbers(*EDGES)


def edge_pairs(values=None):
    a, b = torch.meshgrid(*(numbers(*(values or EDGES)) for _ in range(2)), indexing="ij")
    return [a.reshape(-1).clone(), b.reshape(-1).clone()]


def varies(x):
    return x is not None and x.dtype == torch.float64


def integer_edges(dtype):
    """The 12 edge values of an integer dtype or of i1, the same number for each."""
    if dtype == torch.bool:
        return torch.tensor([False, True]*6)
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    return torch.tensor([low, low + 1, high, high - 1, high//2 + 1, high//3, 100, 6, -1, 0, 1, 2]).to(dtype)


EDGE_PAIRS = 12*12


def as_integers(case, dtype):
    """The inputs with random integers instead of floats, from the ranges that the case states."""
    out = []
    for number, x in enumerate(case.inputs):
        if not varies(x):
            out.append(x)
            continue
        if case.integers == "edges":
            values = integer_edges(dtype)
            out.append(values.repeat(len(values)) if number else values.repeat_interleave(len(values)))
            continue
        if dtype == torch.bool:
            low, high = 0, 2
        elif case.integers == "full":
            low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
        else:
            low, high = case.integers[number] if isinstance(case.integers[0], tuple) else case.integers
            low, high = max(low, torch.iinfo(dtype).min), min(high, torch.iinfo(dtype).max)
        generator = random(1000 + number)
        drawn = torch.randint(low, high, x.shape, generator=generator).to(dtype)
        if case.integers == "full":
            values = integer_edges(dtype)
            edge = values[torch.randint(0, len(values), x.shape, generator=generator)]
            drawn = torch.where(torch.rand(x.shape, generator=generator) < 0.5, edge, drawn)
        out.append(drawn)
    return out


def expand(case):
    """The runs of a case."""
    if not any(varies(x) for x in case.inputs):
        yield Run(case, "value", "-", case.inputs)
        return
    for name in case.dtypes:
        yield Run(case, "value", name, [x.to(FLOATS[name]) if varies(x) else x for x in case.inputs])
    if case.integers:
        for name, dtype in INTEGERS.items():
            yield Run(case, "value", name, as_integers(case, dtype))
    if case.gradient and "f64" in case.dtypes:
        for kind in KINDS[1:]:
            yield Run(case, kind, "f64", case.inputs)


def split_by_known(run, known):
    """The run without the elements that rows of KNOWN speak of, and a run for each of those rows."""
    rest = run
    for row in known:
        if not row.covers(run):
            continue
        if row.where is None:
            rest.known = row
            yield rest
            return
        present = [x for x in rest.inputs if x is not None]
        if present[0].ndim != 1 or any(x.shape != present[0].shape for x in present):
            continue
        chosen = row.where(*present)
        if chosen.any():
            pick = [None if x is None else x[chosen] for x in rest.inputs]
            yield Run(rest.case, rest.kind, rest.dtype, pick, row)
            rest = Run(rest.case, rest.kind, rest.dtype, [None if x is None else x[~chosen] for x in rest.inputs])
    yield rest


def results_of(case, inputs):
    out = case.function(*inputs)
    return list(out) if isinstance(out, (tuple, list)) else [out]


class BadCase(Exception):
    """A case that PyTorch refuses in f64."""

    def __init__(self, run, error):
        super().__init__(f"bad case: {run.title()}: PyTorch refuses it: {str(error).splitlines()[0]}")


def value_record(run, store):
    """The JSON of a run for compare_rows, its tensors added to `store`; None where PyTorch refuses it."""
    case = run.case
    try:
        eager = results_of(case, run.inputs)
    except REFUSALS as error:
        if run.dtype in INTEGERS:
            return None
        if run.dtype in ("f64", "-"):
            raise BadCase(run, error) from error
        eager = None
    wide = [x.double() if x is not None and x.is_floating_point() else x for x in run.inputs]
    if run.dtype in INTEGERS and eager and any(y.is_floating_point() for y in eager):
        wide = [x.double() if varies(old) else x for x, old in zip(run.inputs, case.inputs)]
    try:
        judge = results_of(case, wide) if eager is None or any(y.is_floating_point() for y in eager) else eager
    except REFUSALS as error:
        raise BadCase(run, error) from error
    results = []
    for number, right in enumerate(judge):
        if number in case.unspecified:
            results.append(None)
            continue
        own = eager[number] if eager else None
        floating = right.is_floating_point() if own is None else own.is_floating_point()
        results.append({"judge": store(right.double() if floating else own if own is not None else right),
                        "eager": None if own is None else store(own)})
    return {"results": results, "operands": [None if x is None else store(x) for x in run.inputs]}


@dataclasses.dataclass
class Backward:
    """What autograd sends back through a case, and what it needed."""
    operands: list  # of the run; leaves where they are `wanted`
    wanted: list  # truth values, one for each operand
    cotangents: list  # one for each float result, a zero where it has no gradient; leaves elsewhere
    gradients: list  # one for each operand that is wanted, None where it is zero


def backward(run, create_graph):
    """None where nothing in PyTorch's result has a gradient."""
    case = run.case
    wanted = [varies(x) and number not in case.constant for number, x in enumerate(run.inputs)]
    operands = [x.clone().requires_grad_() if own else x for x, own in zip(run.inputs, wanted)]
    try:
        results = [y for y in results_of(case, operands) if y.is_floating_point()]
    except REFUSALS as error:
        raise BadCase(run, error) from error
    if not any(y.requires_grad for y in results):
        return None
    cotangents = []
    for number, y in enumerate(results):
        c = floats(*y.shape, seed=77 + number).to(y.dtype).double()
        cotangents.append(c.requires_grad_() if y.requires_grad else torch.zeros_like(c))
    chosen = [(y, c.to(y.dtype)) for y, c in zip(results, cotangents) if y.requires_grad]
    gradients = torch.autograd.grad([y for y, _ in chosen], [x for x, own in zip(operands, wanted) if own],
                                    [c for _, c in chosen], allow_unused=True, create_graph=create_graph)
    return Backward(operands, wanted, cotangents, list(gradients))


def or_zero(gradient, like):
    return torch.zeros_like(like) if gradient is None else gradient


def gradient_record(run, store):
    """Likewise for a gradient; None where nothing in PyTorch's result has one."""
    back = backward(run, create_graph=False)
    if back is None:
        return None
    found = iter(back.gradients)
    return {"gradients": [store(or_zero(next(found), x)) if own else None for x, own in zip(back.operands, back.wanted)],
            "cotangents": [store(c) for c in back.cotangents],
            "operands": [None if x is None else store(x) for x in run.inputs]}


def second_record(run, store, refusals):
    """Likewise for the gradient of what a gradient sends back to the operands, along a direction of each: by the
    operands and by the cotangents. None also where PyTorch refuses it for a reason that is among `refusals`."""
    def refused(error):
        known = next((r for r in refusals if r.row == run.case.row and r.message in str(error)), None)
        if known is None:
            raise BadCase(run, error) from error
        known.seen += 1

    try:
        back = backward(run, create_graph=True)
    except REFUSALS as error:
        return refused(error)
    if back is None:
        return None
    leaves = [x for x, own in zip(back.operands, back.wanted) if own]
    # Numbers that every float dtype holds: a cast on the way does not round them.
    directions = [floats(*x.shape, seed=177 + number).bfloat16().double() for number, x in enumerate(leaves)]
    chosen = [(g, u) for g, u in zip(back.gradients, directions) if g is not None and g.requires_grad]
    by = leaves + [c for c in back.cotangents if c.requires_grad]
    try:
        found = torch.autograd.grad([g for g, _ in chosen], by, [u for _, u in chosen], allow_unused=True) \
            if chosen else [None]*len(by)
    except REFUSALS as error:
        return refused(error)
    found, along = iter(found), iter(directions)
    by_place = [x if own else None for x, own in zip(back.operands, back.wanted)]
    by_place += [c if c.requires_grad else None for c in back.cotangents]
    return {"gradients": [None if x is None else store(or_zero(next(found), x)) for x in by_place],
            "directions": [store(next(along)) if own else None for own in back.wanted],
            "cotangents": [store(c) if c.requires_grad else None for c in back.cotangents],
            "operands": [None if x is None else store(x) for x in run.inputs]}
