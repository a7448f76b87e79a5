"""Rewrites of numbers and sizes that are read out of tensors: kept as tensors, where all that is done with them allows it."""
from __future__ import annotations

import ast

from mlgc.graph_breaks.source import Declined, Edit, Site

_KEPT = "it stays a tensor of no dimensions, in the tensor's own dtype, and nothing waits for its value"
_CASTS = {"int": "torch.int64", "float": "torch.float64"}
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
# Functions and methods that take a tensor in the place of a number.
_TAKE_TENSORS = {"where", "add", "sub", "mul", "div", "true_divide", "multiply", "divide", "subtract", "maximum", "minimum", "lerp"}


def keep_tensor(site: Site) -> Edit:
    """`x.item()`, `float(x)` or `int(x)` whose value meets tensors alone."""
    node = site.node
    if not isinstance(node, ast.Call):
        raise Declined(f"`{site.text(site.statement)}` needs a number of Python")
    function = site.qualified(node.func)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "item" and not node.args:
        inner, text = node.func.value, site.text(node.func.value)
    elif function in _CASTS and len(node.args) == 1:
        inner = node.args[0]
        text = f"{site.text(inner)}.to({_CASTS[function]})" if isinstance(inner, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else (
            f"({site.text(inner)}).to({_CASTS[function]})")
    else:
        raise Declined(f"`{site.text(node)}` needs numbers of Python")
    shown: list[ast.Name] = []
    check_uses(site, node, shown=shown)
    # A tensor of no dimensions prints as its value in a formatted string alone.
    first, last, lines = site.replaced(node, text, *((name, f'f"{{{name.id}}}"') for name in shown))
    return Edit(first, last, lines, "keep the value as a tensor", _KEPT if function not in _CASTS else
                f"it stays a tensor of no dimensions and of {_CASTS[function]}, and nothing waits for its value")


def check_uses(site: Site, node: ast.expr, seen: frozenset[str] = frozenset(), shown: list[ast.Name] | None = None) -> None:
    """Declined: something is done with the value of an expression that a tensor in its place would not allow, or would change. shown: takes
    names whose value a message shows, which are to be formatted."""
    parent = site.parent(node)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, _ARITHMETIC):
        other = parent.right if parent.left is node else parent.left
        if not site.is_tensor(other):
            check_uses(site, parent, seen, shown)
        return
    if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, (ast.USub, ast.UAdd)):
        return check_uses(site, parent, seen, shown)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ast.Name):
        return check_name(site, parent.targets[0].id, None, seen, shown)
    if isinstance(parent, ast.Compare) and len(parent.ops) == 1 and isinstance(site.parent(parent), (ast.If, ast.IfExp, ast.Assert)):
        return  # a branch on a tensor, which is seen to by its own rewriter
    if isinstance(parent, ast.Call) and node in parent.args:
        word = parent.func.attr if isinstance(parent.func, ast.Attribute) else site.qualified(parent.func).rpartition(".")[2]
        if word in _TAKE_TENSORS and site.is_tensor(parent):
            return
        if site.qualified(parent.func) == "print" and isinstance(node, ast.Name) and shown is not None:
            shown.append(node)
            return
    if isinstance(parent, ast.FormattedValue):
        return  # a tensor of no dimensions prints as its value there
    if isinstance(parent, ast.Return):
        raise Declined(f"`{site.text(parent)}` returns the number, which would be a tensor")
    around: ast.AST = parent
    while not isinstance(around, (ast.stmt, ast.Call, ast.Subscript)):
        around = site.parent(around)
    raise Declined(f"`{site.text(around).splitlines()[0]}` needs a number of Python")


def check_name(site: Site, name: str, owner: ast.AST | None, seen: frozenset[str] = frozenset(),
               shown: list[ast.Name] | None = None) -> None:
    """As check_uses(), of every use of a local name. owner: a statement whose own assignments become one."""
    if name in seen:
        return
    own = set(ast.walk(owner)) if owner is not None else set()
    if len([at for at in site.assignments(name) if at not in own]) > (0 if owner is not None else 1):
        raise Declined(f"`{name}` is assigned in several places")
    for node in site.own_nodes():
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and node not in own:
            check_uses(site, node, seen | {name}, shown)


def masked_sum(site: Site) -> Edit:
    """`x[x > 0].sum()`: what the mask leaves out is added as 0."""
    node = site.node
    call = site.parent(site.parent(node)) if isinstance(node, ast.Subscript) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.value is node and call.func.attr == "sum" and
            not call.args and not call.keywords):
        raise Declined("the size of the result depends on values")
    mask, whole = node.slice, node.value
    plain = site.text(whole)
    if not (isinstance(mask, ast.Compare) and len(mask.ops) == 1 and plain in (site.text(mask.left), site.text(mask.comparators[0])) and
            any(isinstance(side, ast.Constant) for side in (mask.left, mask.comparators[0]))):
        raise Declined(f"it is not clear that `{site.text(mask)}` has the shape of `{plain}`")
    first, last, lines = site.replaced(node, f"torch.where({site.text(mask)}, {plain}, 0)")
    return Edit(first, last, lines, "add zeros with torch.where()", "all elements are read, and terms are added in another order")


def all_close(site: Site) -> Edit:
    """torch.allclose() as a tensor."""
    node = site.node
    if not (isinstance(node, ast.Call) and site.qualified(node.func) == "torch.allclose"):
        raise Declined(f"`{site.text(node or site.statement)}` gives a value of Python")
    check_uses_as_condition(site, node)
    arguments = site.text(node)[len(site.text(node.func)):]
    first, last, lines = site.replaced(node, f"torch.isclose{arguments}.all()")
    return Edit(first, last, lines, "compare with torch.isclose()", "the answer is a tensor; a branch on it is the next step")


def check_uses_as_condition(site: Site, node: ast.expr) -> None:
    """Declined: an expression is not a condition, or a part of one."""
    parent = site.parent(node)
    if isinstance(parent, (ast.BoolOp, ast.UnaryOp)):
        return check_uses_as_condition(site, parent)
    if not isinstance(parent, (ast.If, ast.IfExp, ast.Assert)) or parent.test is not node:
        raise Declined(f"`{site.text(site.statement).splitlines()[0]}` needs a value of Python")
