"""The classes of graph breaks: one table, for torch.compile and torch.export alike.

A row says how a break is recognised, why it is one, what to write instead, and which rewriters of the source may do it, in order of
preference. The first row that recognises a break has it; the last takes any.
"""
from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable

from mlgc.graph_breaks import branches, scalars, statements
from mlgc.graph_breaks.source import Declined, Rewriter, Site


@dataclasses.dataclass(frozen=True)
class BreakClass:
    """A row. In `cure`, {code} is the user's expression and {line} the statement that it stands in.

    titles: of Dynamo's registry of graph breaks. patterns: what another message contains, of torch.export too. where: what must hold
    of the place beside the title. exported: the cure for torch.export, where it is another.
    """

    name: str
    titles: tuple[str, ...]
    why: str
    cure: str
    rewriters: tuple[Rewriter, ...] = ()
    patterns: tuple[str, ...] = ()
    where: Callable[[Site], bool] | None = None
    exported: str = ""

    def recognises(self, title: str, text: str, site: Site | None) -> bool:
        if self.where is not None and (site is None or not self.where(site)):
            return False
        return title in self.titles or any(re.search(pattern, f"{title}\n{text}") for pattern in self.patterns)


# What mlgc.graph_breaks.exported hears, beside calls by name.
ATTRIBUTE_SET = "an attribute of the module is set"
LOGGED = "a message is logged"

_NUMBERS = ("Unsupported Tensor.item() call with capture_scalar_outputs=False", "Tensor.tolist() with non-integer tensor")
_CALLS = ("Attempted to call function marked as skipped", "Failed to trace builtin operator", "Unsupported function call",
          "Unsupported method call", "Unsupported context manager")


def _is_condition(site: Site) -> bool:
    """Whether the expression is bool(…) of a tensor in a condition."""
    node = site.node
    if not (isinstance(node, ast.Call) and site.qualified(node.func) == "bool"):
        return False
    try:
        scalars.check_uses_as_condition(site, node)
    except Declined:
        return False
    return True


def _is_loop(site: Site) -> bool:
    return isinstance(site.statement, ast.While)


def _calls(*names: str) -> Callable[[Site], bool]:
    """Whether the expression calls a function of one of these modules, or one of these functions."""
    def holds(site: Site) -> bool:
        node = site.node
        if not isinstance(node, ast.Call):
            return False
        called = site.qualified(node.func)
        return called in names or called.partition(".")[0] in names

    return holds


_MESSAGE_CURE = (
    "write the message after the call, of what the function returns; or put torch._dynamo.config.reorderable_logging_functions.add(…) into "
    "the module, which moves it after the graph; or leave it out of compiled code with `if not torch.compiler.is_compiling():`")
_SYSTEM_EXPORTED = "do it where the program is called, and give it the result as an input; the value of this export stays in the program"
_MESSAGE_EXPORTED = "write the message where the program is called, of what it returns"

CLASSES = (
    BreakClass(
        "data-dependent loop", ("Data-dependent branching",),
        "How often Python runs the loop depends on a value that only a run can tell.",
        "write it as torch.while_loop(condition, body, tensors) with two functions of tensors, or run a fixed number of steps",
        where=_is_loop),
    BreakClass(
        "data-dependent branch",
        ("Data-dependent branching", "Data-dependent branching with non-constant __bool__",
         "Data-dependent assertion failed (cannot compile partial graph)", "Assertion failed on symbolic shapes"),
        "Python takes one way or the other by a value that only a run can tell.",
        "compute both sides and choose with torch.where({code}, …, …), or make each side a function for torch.cond({code}, …); "
        "write a check that raises as torch._assert_async()",
        (branches.with_where, branches.with_cond), (r"Could not guard on data-dependent expression",)),
    BreakClass(
        "data-dependent branch", (), "Python takes one way or the other by a value that only a run can tell.",
        "leave bool() out and choose with torch.where() or torch.cond()",
        (branches.with_where, branches.with_cond), tuple(map(re.escape, _NUMBERS)), _is_condition),
    BreakClass(
        "number from a tensor",
        (*_NUMBERS, "Dynamic slicing with Tensor arguments", "Indexing list with non-scalar tensor", "nb_int_impl not implemented",
         "nb_float_impl not implemented", "Indexing torch.Size with non-scalar tensor", "unsupported index(Tensor)"),
        "Python waits for a value of a tensor, and goes on with the number.",
        "compute with the tensor itself: leave `.item()` out of `{line}`; where a number is needed, as in a size, set "
        "torch._dynamo.config.capture_scalar_outputs, and keep `.tolist()` outside of the compiled function",
        (scalars.keep_tensor, statements.move_message,
         statements.setting("capture_scalar_outputs", "the number is read inside of the graph, by PyTorch")),
        (r"Could not extract specialized integer from data-dependent expression",),
        exported="compute with the tensor itself: leave `{code}` out of `{line}`; a number that has to be a size is `.item()` of a tensor, "
                 "with its bounds in torch._check()"),
    BreakClass(
        "answer from a tensor", ("Data dependent operator",),
        "An operator gives a value of Python that depends on the data of tensors.",
        "use the form that gives a tensor: torch.isclose(a, b).all() for torch.allclose(a, b), (a == b).all() for torch.equal(a, b)",
        (scalars.all_close,), ("DataDependentOutputException",)),
    BreakClass(
        "size that depends on data",
        ("Dynamic shape operator", "Dynamic shape operator (no meta kernel)",
         "Attempted to use `torch.nn.functional.one_hot` with data-dependent output shape"),
        "The size of the result of `{code}` depends on the values of a tensor.",
        "keep the whole tensor and mask it: torch.where(mask, x, 0); give one_hot() its num_classes; or set "
        "torch._dynamo.config.capture_dynamic_output_shape_ops, and what follows runs in PyTorch",
        (scalars.masked_sum, statements.setting("capture_dynamic_output_shape_ops",
                                                "the operator is a part of the graph, and runs in PyTorch as all that has its size")),
        ("DynamicOutputShapeException",)),
    BreakClass(
        "message", ("logging.Logger method not supported for non-export cases",),
        "A graph writes nothing: `{code}` is a side effect.",
        "write the message after the call, of what the function returns; or leave it out of compiled code with "
        "`if not torch.compiler.is_compiling():`",
        (statements.move_message, statements.guard_message), exported=_MESSAGE_EXPORTED),
    BreakClass(
        "message", (), "A graph writes nothing: `{code}` is a side effect.", _MESSAGE_EXPORTED, patterns=(re.escape(LOGGED),)),
    BreakClass(
        "message", ("attempted to reorder a debugging function that can't actually be reordered",),
        "A graph writes nothing: `{code}` is a side effect.", _MESSAGE_CURE, (statements.move_message,), (r"builtin operator `print`",),
        exported=_MESSAGE_EXPORTED),
    BreakClass(
        "message", (), "A graph writes nothing: `{code}` is a side effect.", _MESSAGE_CURE, (statements.move_message,), (".",),
        _calls("print", "warnings", "logging"), _MESSAGE_EXPORTED),
    BreakClass(
        "side effect", (), "A graph reads and writes nothing but tensors: `{code}` asks the system, or changes something in it.",
        "do it outside of the compiled function, and give it what `{line}` needs as an argument",
        (), (r"builtin operator `(open|input|breakpoint)`",), exported=_SYSTEM_EXPORTED),
    BreakClass(
        "side effect", (), "A graph reads and writes nothing but tensors: `{code}` asks the system, or changes something in it.",
        "do it outside of the compiled function, and give it the result as an argument; random numbers come from torch.rand() too",
        (), (".",), _calls("time", "random", "os", "io", "sys", "socket", "subprocess", "threading", "datetime", "pathlib", "gc", "open",
                           "input", "breakpoint"), _SYSTEM_EXPORTED),
    BreakClass(
        "generator",
        ("Attempt to trace generator", "infinite generator detected", "Generator reconstruction with mutations", "call_method on generator",
         "Unreachable sub-generator code"),
        "A generator stops in the middle of its code, where no graph can.",
        "return a list of what it yields; compile the function that uses it",
        (statements.return_list,), (r"<class 'generator'> in output", "LocalGeneratorObjectVariable", "returns a generator")),
    BreakClass(
        "mutation of a closure",
        ("HOP: Unsafe side effect", "HOP: Non-nullified side effect", "nn.Module mutation in HigherOrderOp", "Write to immutable cell",
         "Encountered input mutation during higher order op tracing", "Encountered aliasing during higher order op tracing"),
        "A function given to torch.cond, checkpoint or another operator of functions changes something that it does not own.",
        "return what `{line}` stores, and store it after the call: each such function takes tensors and gives new ones; `x.clone()` of an "
        "argument is a new one"),
    BreakClass(
        "break by request",
        ("Call to `torch._dynamo.graph_break()`", "Call to `torch._dynamo.skip_frame()`", "Skip calling `torch.compiler.disable()`d function",
         "Skip inlining `torch.compiler.disable()`d function", "Call to `torch._dynamo.step_unsupported()`", "ComptimeContext graph break",
         "Forced graph break on leaf function"),
        "Somebody asked for it: `{code}`.",
        "remove the call, or the decorator @torch.compiler.disable; where the function must stay as it is, make it an operator with "
        "torch.library.custom_op",
        (statements.remove_break,)),
    BreakClass(
        "gradients inside of the graph",
        ("Unsupported Tensor.backward() call", "Unsupported Tensor.requires_grad_() call", "requires_grad_() intermediate leaked as output",
         "returning intermediate with requires_grad_()", "setattr() on Tensor.requires_grad", "Tensor.retain_grad() with AOTDispatcher",
         "Attempted to use tensor creation function with requires_grad=True", "Tensor with grad_fn()",
         "using `torch.autograd.grad` with `torch._dynamo.config.trace_autograd_ops=False`"),
        "`{code}` builds or runs the tape of autograd inside of the compiled function.",
        "compile the forward function alone and call backward() outside of it; make leaves before the call and give them as arguments; "
        "mlgc.grad() and mlgc.training_step() compile gradients"),
    BreakClass(
        "memory of a tensor",
        ("Unsupported Tensor.resize_() call", "Unsupported Tensor.resize_as_() call", "Unsupported Tensor.set_() call",
         "Failed to mutate tensor data attribute", "Failed to mutate tensor data attribute to different dtype", "Failed to set tensor attribute",
         "Attempted to copy.deepcopy a tensor", "Data pointer comparison", "Unsupported Tensor.share_memory_() call"),
        "`{code}` works on the memory behind a tensor, which a graph does not have.",
        "make a new tensor: x.clone(), x[:n], torch.cat(); assign it in place of the old one"),
    BreakClass(
        "recurrent module", ("Attempted to wrap RNN, GRU, or LSTM",),
        "Dynamo leaves RNN, GRU and LSTM to Python unless it is told otherwise.",
        "set torch._dynamo.config.allow_rnn, or make the module outside of the compiled function",
        (statements.setting("allow_rnn", "Dynamo follows the module as it is called"),)),
    BreakClass(
        "object made inside of the graph",
        ("Attempted to use `torch.nn.Parameter()` constructor with Dynamo", "`torch.nn.Parameter()` with unsupported data type",
         "Attempted to use `torch.nn.Parameter()` with export", "Uninitialized nn.Module", "Reconstruction failure",
         "Reconstruction failure: source.reconstruct not implemented"),
        "`{code}` makes an object that outlives the graph, and has no form in it.",
        "make modules, parameters and other objects once, outside of the compiled function"),
    BreakClass(
        "number of recompilations", ("Dynamo recompile limit exceeded", "Excessive RestartAnalysis() calls"),
        "The function was compiled again for each of many values or types.",
        "give numbers that vary as tensors, mark sizes that vary with torch._dynamo.mark_dynamic(), or compile with dynamic=True"),
    BreakClass(
        "exception", ("Observed exception", "Observed exception (EXCEPT_HANDLER)", "Caught non-Exception value", "Failed to raise exception",
                      "assert with non-string message"),
        "The function raises an exception that leaves the graph.",
        "check before the compiled function is called, or return a value that says what is wrong"),
    BreakClass(
        "library that PyTorch does not know",
        ("Tensor.numpy() with trace_numpy=False", "Tensor.numpy() without NumPy installed", "ndarray.astype(object)",
         "attempted to trace numpy function unsupported by PyTorch", "Unsupported ndarray method call", "Unsupported ndarray attribute access",
         "numpy function that produces a const collection type encountered non-const arguments"),
        "`{code}` computes on arrays of another library.",
        "use the function of torch of the same name, or make the call an operator with torch.library.custom_op",
        patterns=(r"\.numpy\(\) is not supported",)),
    BreakClass(
        "state of a module", (), "`{line}` keeps something beside tensors in the module.",
        "make it a tensor with register_buffer(), and change it in place; or keep it outside of the module",
        patterns=(re.escape(ATTRIBUTE_SET),)),
    BreakClass(
        "sorting by values of tensors", ("sort with non-constant keys",),
        "Python compares tensors to bring them into order.",
        "stack the tensors and use torch.sort() or torch.topk()"),
    BreakClass(
        "unsupported call",
        (*_CALLS, "Attempted to inline function marked as skipped", "Unsupported function call (delayed)",
         "Attempted to inline function marked as skipped (SkipFunctionVariable)", "Graph break in inlined function",
         "can't handle functions not implemented in python ", "Unresolved GetAttrVariable comparison", "repr() on tensor",
         "Attempted to a str() method implemented in C/C++", "unimplemented builtin op on tensor arguments", "Unhandled tensor method",
         "Graph break under GenericContextWrappingVariable", "unsupported contextlib.* API", "copy.deepcopy()"),
        "Dynamo does not follow `{code}`: it is not Python that it can read, or not of a kind that it knows.",
        "call it outside of the compiled function and give the result as an argument; where its value never changes, mark it with "
        "torch.compiler.assume_constant_result; where it computes on tensors, make it an operator with torch.library.custom_op"),
    BreakClass(
        "unsupported construct", (), "Dynamo has no form for `{code}`.",
        "write it in other words, or outside of the compiled function; Dynamo's own advice stands below", (), (".",)),
)


def classify(title: str, text: str, site: Site | None) -> BreakClass:
    """The class of a break. title, text: the first line of its message, and the rest; site: its place, where that is known."""
    return next(row for row in CLASSES if row.recognises(title, text, site))


def words(template: str, site: Site | None, line: str) -> str:
    """`why` or `cure` of a class, with the user's own expressions."""
    code = " ".join(site.text(site.node).split()) if site is not None and site.node is not None else line.strip()
    statement = site.text(site.statement).splitlines()[0] if site is not None else line.strip()
    return template.replace("{code}", code or "the call").replace("{line}", statement or "the line")
