"""Rewrites of what is done beside computing: messages, generators, breaks that somebody asked for; and settings of Dynamo."""
from __future__ import annotations

import ast

from mlgc.graph_breaks.source import Declined, Edit, Rewriter, Site

_MOVED = "the message is written when the graph has run, after all that the graph computes"
_LEVELS = ("debug", "info", "warning", "error", "exception", "critical", "log")


def setting(name: str, note: str) -> Rewriter:
    """A rewriter that sets an option of torch._dynamo.config to True."""

    def rewrite(site: Site) -> Edit:
        return Edit(1, 0, (), f"set torch._dynamo.config.{name}", f"{note}; the setting holds for the whole process",
                    (f"torch._dynamo.config.{name} = True",))

    return rewrite


def move_message(site: Site) -> Edit:
    """Lets Dynamo write a message after the graph."""
    call = _statement_call(site)
    function = site.qualified(call.func)
    if function not in ("print", "warnings.warn") and not (function.startswith("logging.") and function.rpartition(".")[2] in _LEVELS):
        raise Declined(f"`{site.text(call.func)}` is not a function whose calls Dynamo can move")
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and function != "print" and root.id not in site.source.module_level_names:
        raise Declined(f"`{root.id}` is imported inside of the function")
    if call.keywords:
        raise Declined(f"Dynamo drops `{call.keywords[0].arg}=` of a call that it moves")
    pieces = [(argument, _printable(site, argument)) for argument in call.args]
    _written_later(site, call)
    text = site.text(call)
    base = (call.lineno, call.col_offset)
    for argument, replacement in reversed(pieces):
        if replacement is not None:
            if argument.lineno != call.lineno or call.lineno != call.end_lineno:
                raise Declined("the call goes over several lines")
            start, end = argument.col_offset - base[1], argument.end_col_offset - base[1]
            text = (text.encode()[:start] + replacement.encode() + text.encode()[end:]).decode()
    settings = (f"torch._dynamo.config.reorderable_logging_functions.add({site.text(call.func)})",)
    summary = f"let Dynamo move the calls of {site.text(call.func)}() after the graph"
    if text == site.text(call):
        return Edit(1, 0, (), summary, _MOVED, settings)
    first, last, lines = site.replaced(call, text)
    return Edit(first, last, lines, summary, _MOVED, settings)


def _statement_call(site: Site) -> ast.Call:
    if not (isinstance(site.statement, ast.Expr) and isinstance(site.statement.value, ast.Call)):
        raise Declined(f"`{site.text(site.statement).splitlines()[0]}` is not a call whose result nobody uses")
    return site.statement.value


def _printable(site: Site, node: ast.expr) -> str | None:
    """None: Dynamo can keep the argument until later; else the string in its place, of the same text."""
    if isinstance(node, ast.Starred):
        raise Declined(f"`{site.text(node)}` is a number of arguments that Dynamo cannot keep")
    if isinstance(node, ast.JoinedStr):
        numbers = [value.value for value in node.values if isinstance(value, ast.FormattedValue)]
        read = [value for value in numbers if _is_item(value)]
        if not read:
            return None
        if node.lineno != node.end_lineno:
            raise Declined("the call goes over several lines")
        text = site.text(node).encode()
        for value in reversed(read):  # a tensor of no dimensions formats as its value
            start, end = value.col_offset - node.col_offset, value.end_col_offset - node.col_offset
            text = text[:start] + site.text(value.func.value).encode() + text[end:]
        return text.decode()
    if isinstance(node, ast.Constant) or site.is_tensor(node) or isinstance(node, ast.Name):
        return None
    inner = site.text(node.func.value) if _is_item(node) else site.text(node)
    quote = next((quote for quote in ('"', "'") if quote not in inner), None)
    if quote is None or "\\" in inner or "\n" in inner or "{" in inner:
        raise Declined(f"`{inner}` does not fit into a formatted string")
    return f"f{quote}{{{inner}}}{quote}"


def _is_item(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item" and not node.args


def _written_later(site: Site, call: ast.Call) -> None:
    """Declined: a tensor that the message shows is changed in place, and would be shown as it is afterwards."""
    shown = {node.id for argument in call.args for node in ast.walk(argument) if isinstance(node, ast.Name)}
    for node in site.own_nodes():
        target = None
        if isinstance(node, ast.AugAssign):
            target = node.target
        elif isinstance(node, (ast.Assign, ast.Delete)):
            target = next((item for item in node.targets if isinstance(item, (ast.Subscript, ast.Attribute))), None)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            target = node.func.value
        names = {item.id for item in ast.walk(target) if isinstance(item, ast.Name)} if target is not None else set()
        if names & shown:
            raise Declined(f"`{site.text(node).splitlines()[0]}` writes into what the message shows, and it would show the new values")


def guard_message(site: Site) -> Edit:
    """Leaves a message of a logger to what is not compiled."""
    call = _statement_call(site)
    if not (isinstance(call.func, ast.Attribute) and call.func.attr in _LEVELS):
        raise Declined(f"`{site.text(call)}` is not a message of a logger")
    site.whole_lines(site.statement)
    indent = site.indent(site.statement)
    lines = site.source.lines[site.statement.lineno - 1:site.statement.end_lineno]
    if any(isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno != node.end_lineno for node in ast.walk(call)):
        raise Declined("a string of several lines would change with its indentation")
    guarded = (f"{indent}if not torch.compiler.is_compiling():", *("    " + line for line in lines))
    return Edit(site.statement.lineno, site.statement.end_lineno, guarded, "leave the message out of compiled code", "compiled code does not write the message any more", silences=True)


def return_list(site: Site) -> Edit:
    """A generator as a function that returns a list."""
    function = site.function
    if not isinstance(function, ast.FunctionDef):
        raise Declined("it is not a function with a name")
    if function.decorator_list:
        raise Declined(f"`@{site.text(function.decorator_list[0])}` takes a generator")
    inner = {item for node in ast.walk(function) if isinstance(node, (ast.FunctionDef, ast.Lambda)) and node is not function
             for item in ast.walk(node)}
    own = [node for node in ast.walk(function) if node not in inner]
    yields = [node for node in own if isinstance(node, (ast.Yield, ast.YieldFrom))]
    if not yields:
        raise Declined(f"`{function.name}` has no `yield`")
    if any(isinstance(node, ast.While) and isinstance(node.test, ast.Constant) for node in own):
        raise Declined("the generator has no end")
    name = site.fresh("results")
    edits: dict[int, tuple[int, list[str]]] = {}
    for node in yields:
        statement = site.parent(node)
        if not isinstance(statement, ast.Expr) or statement.lineno != statement.end_lineno:
            raise Declined(f"`{site.text(statement).splitlines()[0]}` takes what the caller sends")
        site.whole_lines(statement)
        word = "append" if isinstance(node, ast.Yield) else "extend"
        _, _, lines = site.replaced(statement, f"{name}.{word}({site.text(node.value) if node.value is not None else 'None'})")
        edits[statement.lineno] = (statement.end_lineno, list(lines))
    for node in own:
        if isinstance(node, ast.Return):
            if node.value is not None:
                raise Declined("the generator returns a value, too")
            site.whole_lines(node)
            edits[node.lineno] = (node.end_lineno, [f"{site.indent(node)}return {name}"])
    body = function.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str)
    first = body[1] if documented and len(body) > 1 else body[0]
    if first.lineno == function.lineno:
        raise Declined("the function stands in one line")
    indent = site.indent(first)
    lines, number = [f"{indent}{name} = []"], first.lineno
    while number <= function.end_lineno:
        end, replacement = edits.get(number, (number, [site.source.line(number)]))
        lines += replacement
        number = end + 1
    if not isinstance(body[-1], ast.Return):
        lines.append(f"{indent}return {name}")
    return Edit(first.lineno, function.end_lineno, tuple(lines), "return a list",
                "the caller gets a list: all values are computed before it sees the first")


def remove_break(site: Site) -> Edit:
    """A call of torch._dynamo.graph_break()."""
    call = _statement_call(site)
    if site.qualified(call.func) != "torch._dynamo.graph_break":
        raise Declined(f"`{site.text(call)}` is not torch._dynamo.graph_break()")
    site.whole_lines(site.statement)
    parent = site.parent(site.statement)
    alone = any(getattr(parent, block, None) == [site.statement] for block in ("body", "orelse", "finalbody"))
    lines = (f"{site.indent(site.statement)}pass",) if alone else ()
    return Edit(site.statement.lineno, site.statement.end_lineno, lines, "remove the break")
