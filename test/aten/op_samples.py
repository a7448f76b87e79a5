"""PyTorch's own samples of its operators (`op_db`) as exported programs with PyTorch's results.

A sample's tensors are the inputs of its program; everything else is closed over. Each program is written at two levels:
`export` (`run_decompositions({})`: functional, composites kept) and `core` (`run_decompositions()`).

The export of one operator in one dtype is a folder:

    index.json             {"key": …, "samples": [{"number", "text", "export": {…}, "core": {…}}]}, written last
    <k>.<level>.pt2        the program of sample k
    <k>.<level>.npz        in0 …, judge0 …, eager0 …: inputs, the operator's results in f64, and what PyTorch computes
                           with the program itself: a decomposed operator rounds differently from the operator

A level of a sample holds {"overloads": […]} and, where there is nothing to compare, why: {"not exportable": reason},
{"not compared": reason} or {"not differentiable": reason}. Programs of gradients (gradient_samples.py) are other kinds of
samples with levels and dtypes of their own.
"""

import contextlib
import functools
import itertools
import json
import os
import random
import signal
import warnings

import numpy as np
import torch
import torch._export.utils as export_utils
import torch.export.exported_program as exported_program
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

MOST_ELEMENTS = 20_000  # of all inputs and results of a sample
MOST_SAMPLES = 400  # that are looked at
SECONDS = 40  # for one operator in one dtype at one stage
# Their results are memory as it was found.
UNINITIALISED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
# Which of equal elements these find is left open: their positions are held against PyTorch's by what stands there. The
# number of the argument that says the axis.
AXIS_OF_POSITIONS = {"topk": 1, "sort": 0, "argsort": 0, "kthvalue": 1, "median": 0, "nanmedian": 0, "mode": 0}


def name_of(op):
    return op.name + ("." + op.variant_test_name if op.variant_test_name else "")


class NotDifferentiable(Exception):
    pass


class Sample(torch.nn.Module):
    """What the operator computes of a sample."""
    DTYPES = {"f32": torch.float32, "i64": torch.int64, "bool": torch.bool}
    LEVELS = {"export": {}, "core": None}  # tables for run_decompositions
    REQUIRES_GRAD = False

    def __init__(self, op, sample):
        super().__init__()
        self.op, self.name = op, op.name
        leaves, self.spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
        self.inputs = tuple(x.detach().clone() for x in leaves if isinstance(x, torch.Tensor))
        self.leaves = [None if isinstance(x, torch.Tensor) else x for x in leaves]
        self.places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor)]

    @classmethod
    def cases(cls, op, dtype, cap):
        """Samples spread evenly over those that the operator has; few enough elements each."""
        found = []
        for sample in itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=cls.REQUIRES_GRAD), MOST_SAMPLES):
            case = cls(op, sample)
            if case.elements() <= MOST_ELEMENTS:
                found.append(case)
        if cap and len(found) > cap:
            found = [found[i*len(found)//cap] for i in range(cap)]
        return found

    def text(self):
        def one(x):
            return f"{'x'.join(map(str, x.shape)) or '()'} {str(x.dtype)[6:]}" if isinstance(x, torch.Tensor) else repr(x)

        first, args, kwargs = self.arguments(self.inputs)
        words = [str(pytree.tree_map(one, x)) for x in (first, *args)]
        return ", ".join(words + [f"{k}={pytree.tree_map(one, v)}" for k, v in kwargs.items()])[:400]

    def elements(self):
        return sum(x.numel() for x in self.inputs)

    def arguments(self, tensors):
        """The operator's input, args and kwargs."""
        leaves = list(self.leaves)
        for place, x in zip(self.places, tensors, strict=True):
            leaves[place] = x
        return pytree.tree_unflatten(leaves, self.spec)

    def forward(self, *tensors):
        first, args, kwargs = self.arguments(tensors)
        results = self.op(first, *args, **kwargs)
        if self.name in AXIS_OF_POSITIONS and not (self.name in ("median", "nanmedian") and isinstance(results, torch.Tensor)):
            place = AXIS_OF_POSITIONS[self.name]
            dim = args[place] if len(args) > place else kwargs.get("dim", -1)
            positions = results if isinstance(results, torch.Tensor) else results.indices
            if positions.dim() < first.dim():
                positions = positions.unsqueeze(dim)
            found = first.gather(dim, positions)
            results = (found,) if isinstance(results, torch.Tensor) else (results.values, found)
        return tuple(x for x in pytree.tree_leaves(results) if isinstance(x, torch.Tensor))

    def more_about(self, program):
        """Further entries of the index about a program of the sample."""
        return {}

    def export(self):
        return torch.export.export(self, self.inputs, strict=False)

    def decomposed(self, exported, decompose):
        return decompose(exported)

    def save(self, program, path):
        torch.export.save(program, path)

    def expected(self, program):
        """What a program shall compute, in its own dtypes."""
        return pytree.tree_leaves(program.module()(*(x.clone() for x in self.inputs)))

    def more_arrays(self):
        """Further arrays of a case: how it is compared."""
        return {}

    def eager(self):
        return [x.detach().resolve_conj().resolve_neg() for x in self(*(x.clone() for x in self.inputs))]

    def judge(self, eager):
        """The same in f64, complex numbers in c128; eager's own where that is neither or is refused."""
        wider = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
                 torch.complex64: torch.complex128}

        def wide(x):
            return x.to(torch.float64 if x.is_floating_point() else torch.complex128 if x.is_complex() else x.dtype)

        leaves = self.leaves
        try:
            self.leaves = [wider.get(x, x) if isinstance(x, torch.dtype) else x for x in leaves]
            exact = self(*(wide(x).clone() for x in self.inputs))
        except Exception:  # whatever PyTorch does not compute in f64
            exact = eager
        finally:
            self.leaves = leaves
        if [x.shape for x in exact] != [x.shape for x in eager]:
            exact = eager
        exact = [y.detach().resolve_conj().resolve_neg() for y in exact]
        return [wide(y) if wide(x).dtype == wide(y).dtype else wide(x) for x, y in zip(eager, exact, strict=True)]


class Slow(Exception):
    pass


@contextlib.contextmanager
def limited(seconds):
    def stop(*_):
        raise Slow(f"takes more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def decompositions(table):
    """Makes ready once what run_decompositions() makes ready at every call, which takes ten times as long as the call
    itself: the table, split into what it keeps and what it decomposes, and the kernels that do either. Nothing else may
    run inside."""
    names = ("_split_decomp_table_to_cia_and_python_decomp", "_override_composite_implicit_decomp")
    split, override = (getattr(exported_program, name) for name in names)
    collect = export_utils._collect_all_valid_cia_ops
    cached = functools.cache(collect)
    exported_program._collect_all_valid_cia_ops = cached
    try:
        full = dict(table) if table is not None else exported_program.default_decompositions().materialize()
        kept, decomposed = split(full)
        with override(kept):
            exported_program._split_decomp_table_to_cia_and_python_decomp = lambda _: (kept, decomposed)
            exported_program._override_composite_implicit_decomp = lambda _: contextlib.nullcontext()
            yield lambda program: program.run_decompositions({})
    finally:
        exported_program._split_decomp_table_to_cia_and_python_decomp = split
        exported_program._override_composite_implicit_decomp = override
        exported_program._collect_all_valid_cia_ops = collect


def one_line(error):
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}"[:200]


def chosen(kind, op, dtype, cap):
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    return kind.cases(op, dtype, cap)


def without_program(kind, error):
    """What stands at each level of a sample that there is no program of."""
    word = "not differentiable" if isinstance(error, NotDifferentiable) else "not exportable"
    return {level: {"overloads": [], word: one_line(error)} for level in kind.LEVELS}


def start(kind, op, dtype, cap):
    """Everything about an operator but its decompositions: (samples, programs); a program is None where there is none."""
    records, programs = [], []
    with limited(SECONDS):
        cases = chosen(kind, op, dtype, cap)
    for k, case in enumerate(cases):
        record, program = {"text": case.text()}, None
        try:
            with limited(SECONDS):
                eager = case.eager()
                if not eager:
                    raise ValueError("no tensor among the results")
                if sum(x.numel() for x in eager) > MOST_ELEMENTS:
                    continue
                program = (case.export(), case, case.judge(eager))
        except Exception as error:  # whatever PyTorch refuses
            record |= without_program(kind, error)
            program = None
        record["number"] = k
        records.append(record)
        programs.append(program)
    return records, programs


def is_overload(node):
    return isinstance(node.target, torch._ops.OpOverload)


def overloads_of(nodes):
    return sorted({str(node.target) for node in nodes if is_overload(node)})


def finish(op, record, level, started, decompose, path):
    """Decomposes one program."""
    exported, case, judge = started
    try:
        with limited(SECONDS):
            program = case.decomposed(exported, decompose)
    except Exception as error:
        record[level] = {"overloads": [], "not exportable": one_line(error)}
        return
    record[level] = {"overloads": overloads_of(program.graph.nodes)} | case.more_about(program)
    tags = {tag for node in program.graph.nodes if is_overload(node) for tag in node.target.tags}
    if torch.Tag.nondeterministic_seeded in tags:
        record[level]["not compared"] = "it draws random numbers"
    elif op.name in UNINITIALISED:
        record[level]["not compared"] = "its result is memory as it was found"
    # Saved outside of decompositions(), by the caller.
    record[level]["program"] = program, case, judge, path


def array_of(x):
    """As a file of arrays holds it: bf16 as two bytes that mlgc takes for it."""
    x = x.detach().contiguous()
    return x.view(torch.int16).numpy(force=True).view("V2") if x.dtype is torch.bfloat16 else x.numpy(force=True)


def save(level):
    if "program" not in level:
        return
    program, case, judge, path = level.pop("program")
    try:
        arrays = {"in": case.inputs, "eager": case.expected(program), "judge": judge}
        np.savez(path.with_suffix(".npz"), **{
            f"{name}{i}": array_of(x) for name, xs in arrays.items()
            for i, x in enumerate(xs)}, **case.more_arrays())
        case.save(program, path)
    except Exception as error:
        level["not exportable"] = one_line(error)


def export(kind, pairs, root, cap):
    """Exports operators, given as pairs (number in op_db, name of a dtype), into `root`/<dtype>/<operator>. What torch
    prints meanwhile, such as the graphs that it refuses, is lost."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    started = []
    for number, dtype in pairs:
        op = op_db[number]
        folder = root / dtype / name_of(op)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            started.append((op, folder, *start(kind, op, kind.DTYPES[dtype], cap)))
        except Exception as error:  # no samples at all
            started.append((op, folder, [{"text": "", "number": 0} | without_program(kind, error)], [None]))
    for level, table in kind.LEVELS.items():
        with decompositions(table) as decompose:
            for op, folder, records, programs in started:
                for record, program in zip(records, programs, strict=True):
                    if program is not None:
                        finish(op, record, level, program, decompose, folder / f"{record['number']}.{level}.pt2")
        for _, _, records, _ in started:
            for record in records:
                save(record[level])
    for _, folder, records, _ in started:
        temporary = folder / "index.json.new"
        temporary.write_text(json.dumps({"key": key(cap), "samples": records}))
        temporary.rename(folder / "index.json")


def key(cap):
    """What an export depends on."""
    return f"torch {torch.__version__.split('+')[0]}, {cap or 'all'} samples of at most {MOST_ELEMENTS} elements"


def pairs(kind, pattern, dtypes):
    """Operators of op_db by number and dtype, sorted by name."""
    found = [(name_of(op), dtype, number) for number, op in enumerate(op_db) for dtype in dtypes
             if pattern.search(name_of(op)) and kind.DTYPES[dtype] in op.supported_dtypes("cpu")]
    return [(number, dtype) for _, dtype, number in sorted(found)]
