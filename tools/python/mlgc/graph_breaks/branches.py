"""Rewrites of branches on tensors: torch.where(), where computing both sides is harmless, else torch.cond(); checks that raise."""
from __future__ import annotations

import ast
import struct
from collections.abc import Sequence

from mlgc.graph_breaks.scalars import check_name, check_uses
from mlgc.graph_breaks.source import Declined, Edit, Site

_BOTH_SIDES = ("both sides are computed in each call, and one is chosen; a gradient through the other side can be NaN where its value is "
               "infinite or NaN")
_ONE_SIDE = "one side runs, as before; both must give tensors of one shape and dtype"

# Methods and functions that are not harmless on the side that is not taken, beside those in place.
_IMPURE = {"item", "tolist", "numpy", "dropout", "alpha_dropout", "feature_dropout", "bernoulli", "multinomial", "normal", "rand", "randn",
           "randint", "rand_like", "randn_like", "randint_like", "randperm", "poisson", "rrelu", "gumbel_softmax", "backward",
           "batch_norm", "register_hook", "nonzero", "unique", "masked_select", "print", "save", "load", "manual_seed", "cond",
           "set_default_dtype", "set_grad_enabled"}


def with_where(site: Site) -> Edit:
    """Both sides of an `if`, or of an expression with `if` and `else`, and a choice; or a check that raises, in the graph."""
    owner, test = _condition_owner(site)
    if isinstance(owner, ast.Assert):
        return _constant_message(site, owner)
    condition = _as_tensor(site, test)
    if isinstance(owner, ast.IfExp):
        return _chosen_expression(site, owner, condition)
    if len(owner.body) == 1 and isinstance(owner.body[0], ast.Raise) and not owner.orelse:
        return _checked(site, owner, test)
    return _chosen_statement(site, owner, condition, *_sides(site, owner))


def with_cond(site: Site) -> Edit:
    """Each side of an `if` as a function for torch.cond()."""
    owner, test = _condition_owner(site)
    if not isinstance(owner, ast.If):
        raise Declined("torch.cond() takes functions, and it is an expression")
    return _conditional(site, owner, _as_tensor(site, test), *_sides(site, owner))


def _condition_owner(site: Site) -> tuple[ast.AST, ast.expr]:
    node: ast.AST | None = site.node
    if node is None:
        raise Declined("the columns of the condition are not known")
    while isinstance(node, ast.expr):
        parent = site.parent(node)
        if isinstance(parent, (ast.If, ast.IfExp, ast.Assert)) and parent.test is node:
            if isinstance(parent, ast.If):
                site.whole_lines(parent)
                if _is_elif(site, parent):
                    raise Declined("it is an `elif`: write it as an `if` inside of an `else`")
            return parent, node
        if not (isinstance(parent, (ast.BoolOp, ast.UnaryOp)) or isinstance(parent, ast.Call) and _is_bool(site, parent)):
            break
        node = parent
    raise Declined(f"`{site.text(site.node)}` is not the condition of an `if`")


def _is_bool(site: Site, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and site.qualified(node.func) == "bool" and len(node.args) == 1


def _is_elif(site: Site, owner: ast.If) -> bool:
    parent = site.parent(owner)
    return isinstance(parent, ast.If) and parent.orelse == [owner] and site.source.line(owner.lineno).lstrip().startswith("elif")


def _as_tensor(site: Site, node: ast.expr) -> str:
    """The text of a condition as one tensor of bool."""
    if isinstance(node, ast.Compare):
        if len(node.ops) > 1:
            raise Declined(f"`{site.text(node)}` compares more than two values")
        if isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            raise Declined(f"`{site.text(node)}` is no comparison of numbers")
        return site.flat(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"torch.logical_not({_as_tensor(site, node.operand)})"
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            plain = value.args[0] if _is_bool(site, value) else value
            if not site.is_tensor(plain):
                raise Declined(f"it is not clear that `{site.text(value)}` is a tensor too")
        word = "torch.logical_and" if isinstance(node.op, ast.And) else "torch.logical_or"
        whole = _as_tensor(site, node.values[0])
        for value in node.values[1:]:
            whole = f"{word}({whole}, {_as_tensor(site, value)})"
        return whole
    if _is_bool(site, node):
        return _as_tensor(site, node.args[0])
    text = site.flat(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("any", "all"):
        return text
    return f"{text} != 0" if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({text}) != 0"


# --- torch.where


def _harmless(site: Site, node: ast.expr) -> None:
    """Declined: computing an expression in vain would cost more than its time, or could fail."""
    for item in ast.walk(node):
        if isinstance(item, ast.Call):
            name = site.qualified(item.func)
            method = item.func.attr if isinstance(item.func, ast.Attribute) else ""
            known = name.startswith(("torch.", "math.")) or not name and method and site.is_tensor(item)
            word = name.rpartition(".")[2] or method
            if not known or word in _IMPURE or (word.endswith("_") and not word.endswith("__")):
                raise Declined(f"`{site.text(item)}` should run on its own side only")
        elif not isinstance(item, (ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop,
                                   ast.expr_context, ast.Compare, ast.cmpop, ast.keyword, ast.Tuple)):
            raise Declined(f"`{site.text(node)}` is not arithmetic alone")


def _where(site: Site, condition: str, taken: ast.expr, other: ast.expr) -> str:
    for side in (taken, other):
        _harmless(site, side)
        if not site.is_tensor(side) and not _number(side):
            raise Declined(f"it is not clear that `{site.text(side)}` is a tensor")
    if not site.is_tensor(taken) and not site.is_tensor(other):
        numbers = [_number_of(side) for side in (taken, other)]
        if type(numbers[0]) is not type(numbers[1]):
            raise Declined(f"`{site.text(taken)}` and `{site.text(other)}` are numbers of two types")
        for number in numbers:
            if isinstance(number, float) and struct.unpack("f", struct.pack("f", number))[0] != number:
                raise Declined(f"{number} has no exact form in f32, which torch.where would make of it")
    return f"torch.where({condition}, {site.flat(taken)}, {site.flat(other)})"


def _number(node: ast.expr) -> bool:
    try:
        _number_of(node)
    except Declined:
        return False
    return True


def _number_of(node: ast.expr) -> int | float:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        value = None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Declined("it is no number")
    return value


def _chosen_expression(site: Site, node: ast.IfExp, condition: str) -> Edit:
    text = _where(site, condition, node.body, node.orelse)
    tensors = site.is_tensor(node.body) and site.is_tensor(node.orelse)
    if not tensors:
        check_uses(site, node)
    # Parentheses around the expression have nothing to hold together any more.
    line = site.source.line(node.lineno).encode()
    before, after = line[:node.col_offset].decode(), line[node.end_col_offset:].decode()
    if node.lineno == node.end_lineno and before.endswith("(") and after.startswith(")") and not (before[:-1] and (
            before[-2].isalnum() or before[-2] in "_])")):
        first, last, lines = node.lineno, node.end_lineno, (before[:-1] + text + after[1:],)
    else:
        first, last, lines = site.replaced(node, text)
    return Edit(first, last, lines, "choose with torch.where()", _BOTH_SIDES, chooses=tensors)


def _chosen_statement(site: Site, owner: ast.If, condition: str, taken: Sequence[ast.stmt], other: Sequence[ast.stmt], last: int) -> Edit:
    """Both sides assign one name, or return one value."""
    indent = site.indent(owner)
    if len(taken) != 1 or len(other) > 1:
        raise Declined("a side has several statements")
    a, b = taken[0], other[0] if other else None
    if isinstance(a, ast.Return) and isinstance(b, ast.Return) and a.value is not None and b.value is not None:
        if not (site.is_tensor(a.value) and site.is_tensor(b.value)):
            raise Declined("it is not clear that both sides return tensors")
        text = _where(site, condition, a.value, b.value)
        return Edit(owner.lineno, last, (*site.comments(owner.lineno, last, indent), f"{indent}return {text}"),
                    "choose with torch.where()", _BOTH_SIDES, chooses=True)
    name = _assigned(a)
    if b is None:
        if name not in site.tensors:
            raise Declined(f"it is not clear that `{name}` is a tensor before")
        text = _where(site, condition, a.value, a.targets[0])
    elif name != _assigned(b):
        raise Declined("the sides assign different names")
    else:
        text = _where(site, condition, a.value, b.value)
        if not (site.is_tensor(a.value) and site.is_tensor(b.value)):
            check_name(site, name, owner)
    tensors = b is None or site.is_tensor(a.value) and site.is_tensor(b.value)
    return Edit(owner.lineno, last, (*site.comments(owner.lineno, last, indent), f"{indent}{name} = {text}"),
                "choose with torch.where()", _BOTH_SIDES, chooses=tensors)


def _assigned(statement: ast.stmt) -> str:
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        raise Declined(f"`{ast.unparse(statement)}` writes into the tensor that others may see; assign a new one")
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)):
        raise Declined(f"`{ast.unparse(statement).splitlines()[0]}` is no assignment to one name")
    return statement.targets[0].id


# --- torch.cond


def _sides(site: Site, owner: ast.If) -> tuple[list[ast.stmt], list[ast.stmt], int]:
    """The statements of both sides, and the last line of these. What follows an `if` that returns is its other side."""
    if owner.orelse or not isinstance(owner.body[-1], ast.Return):
        return owner.body, owner.orelse, owner.end_lineno
    parent = site.parent(owner)
    block = getattr(parent, "body", None)
    if not isinstance(block, list) or owner not in block or parent is not site.function:
        raise Declined("it returns from inside of another block")
    rest = block[block.index(owner) + 1:]
    if not rest:
        raise Declined("the function returns nothing where the condition does not hold")
    return owner.body, rest, rest[-1].end_lineno


def _conditional(site: Site, owner: ast.If, condition: str, taken: Sequence[ast.stmt], other: Sequence[ast.stmt], last: int) -> Edit:
    """Each side as a function of its own, in its own words."""
    indent = site.indent(owner)
    returns = [bool(side) and isinstance(side[-1], ast.Return) for side in (taken, other)]
    if any(returns) and not all(returns):
        raise Declined("one side returns and the other goes on")
    bodies = [[*side[:-1]] if returned else [*side] for side, returned in zip((taken, other), returns)]
    written = [[_assigned(statement) for statement in body] for body in bodies]
    names = list(dict.fromkeys(written[0] + written[1]))
    read_after = _names_read_after(site, owner)
    results = [] if any(returns) else [name for name in names if name in read_after]
    if not any(returns) and not results:
        raise Declined("nothing that the sides assign is read later")
    operands = [name for name in names if _read_first(name, taken) or _read_first(name, other) or
                name in results and (name not in written[0] or name not in written[1])]
    for name in operands:
        if name not in site.tensors:
            raise Declined(f"it is not clear that `{name}` is a tensor before")
    functions = [site.fresh("if_true"), site.fresh("if_false")]
    lines: list[str] = []
    for name, side, assigned in zip(functions, (taken, other), written):
        lines.append(f"{indent}def {name}({', '.join(operands)}):")
        lines += _moved(site, side, indent + "    ")
        if results:
            given = [result if result in assigned else f"{result}.clone()" for result in results]
            lines.append(f"{indent}    return {', '.join(given)}")
        lines.append("")
    call = f"torch.cond({condition}, {functions[0]}, {functions[1]}, ({', '.join(operands)}{',' if len(operands) == 1 else ''}))"
    lines.append(f"{indent}return {call}" if any(returns) else f"{indent}{', '.join(results)} = {call}")
    return Edit(owner.lineno, last, tuple(lines), "choose with torch.cond()", _ONE_SIDE)


def _moved(site: Site, side: Sequence[ast.stmt], indent: str) -> list[str]:
    """The lines of statements at another depth, comments between them included."""
    if not side:
        return []
    for statement in side:
        site.whole_lines(statement)
        for item in ast.walk(statement):
            if isinstance(item, ast.Constant) and isinstance(item.value, str) and item.lineno != item.end_lineno:
                raise Declined("a string of several lines would change with its indentation")
    old = site.indent(side[0])
    lines = site.source.lines[side[0].lineno - 1:side[-1].end_lineno]
    return [indent + line[len(old):] if line.startswith(old) else line.strip() and indent + line.lstrip() for line in lines]


def _read_first(name: str, side: Sequence[ast.stmt]) -> bool:
    """Whether statements read a name before they assign it."""
    for statement in side:
        if isinstance(statement, ast.Assign):
            if _reads(statement.value, name):
                return True
            if statement.targets[0].id == name:
                return False
        elif _reads(statement, name):
            return True
    return False


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(item, ast.Name) and item.id == name and isinstance(item.ctx, ast.Load) for item in ast.walk(node))


def _names_read_after(site: Site, owner: ast.If) -> set[str]:
    """Those that the function reads after a statement, or, where that stands in a loop, anywhere in the loop."""
    loops = []
    node: ast.AST = owner
    while node is not site.function and node is not site.source.tree:
        node = site.parent(node)
        if isinstance(node, (ast.For, ast.While)):
            loops.append(node)
    return {item.id for item in site.own_nodes() if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load) and
            (item.lineno > owner.end_lineno or any(loop.lineno <= item.lineno <= loop.end_lineno for loop in loops))}


# --- checks


def _checked(site: Site, owner: ast.If, test: ast.expr) -> Edit:
    raised = owner.body[0].exc
    kind = raised.func if isinstance(raised, ast.Call) else raised
    given = raised.args[0] if isinstance(raised, ast.Call) and len(raised.args) == 1 else None
    name = site.text(kind) if kind is not None else "an error"
    plain = isinstance(given, ast.Constant) and isinstance(given.value, str)
    message = site.text(given) if plain else repr(f"{name}: {site.text(test)}")
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        holds = _as_tensor(site, test.operand)
    else:
        holds = f"torch.logical_not({_as_tensor(site, test)})"
    note = f"a RuntimeError is raised in place of {name}" + ("" if plain else ", with a fixed message")
    indent = site.indent(owner)
    lines = (*site.comments(owner.lineno, owner.end_lineno, indent), f"{indent}torch._assert_async({holds}, {message})")
    return Edit(owner.lineno, owner.end_lineno, lines, "check in the graph with torch._assert_async()", note)


def _constant_message(site: Site, owner: ast.Assert) -> Edit:
    if owner.msg is None or isinstance(owner.msg, ast.Constant):
        raise Declined("Dynamo takes this assertion as it is")
    first, last, lines = site.replaced(owner.msg, repr(f"it does not hold that {site.text(owner.test)}"))
    return Edit(first, last, lines, "give the assertion a fixed message",
                "the message has no values of the call any more; compiled code raises a RuntimeError in place of AssertionError")
