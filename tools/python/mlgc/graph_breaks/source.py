"""The user's source: files as text and tree, the expression at a place, what is known of names, and edits of whole lines.

Lines count from 1. Columns are those of ast and of code objects: bytes of UTF-8 from 0.
"""
from __future__ import annotations

import ast
import builtins
import contextlib
import dataclasses
import difflib
import functools
import io
import linecache
import pathlib
import tokenize
from collections.abc import Callable, Iterable, Iterator

import torch


class Declined(Exception):
    """A rewriter cannot do it; the message says why."""


@dataclasses.dataclass(frozen=True)
class Place:
    """Where something is in the user's code: where it begins, and in which column it ends, on that line or on a later one. Columns
    are None where they are not known."""

    file: str
    line: int
    function: str = ""
    column: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{shown_path(self.file)}:{self.line}" + (f":{self.column + 1}" if self.column is not None else "")


def shown_path(path: str) -> str:
    """Relative to the current folder, where it lies below it."""
    try:
        return str(pathlib.Path(path).relative_to(pathlib.Path.cwd()))
    except ValueError:
        return path


@dataclasses.dataclass(frozen=True)
class Edit:
    """Lines first … last of a file, replaced. `first` = `last` + 1 puts lines before `first`.

    settings: statements that the module needs once, after its imports. note: what the change means for the program.
    """

    first: int
    last: int
    lines: tuple[str, ...]
    summary: str
    note: str = ""
    settings: tuple[str, ...] = ()
    chooses: bool = False  # has a torch.where() of its own, whose two sides must have one shape and dtype
    silences: bool = False  # leaves out a message


@dataclasses.dataclass(frozen=True)
class Source:
    """The text of a file. Source.of() gives the same object for the same text."""

    path: str
    text: str

    @staticmethod
    def of(path: str) -> Source:
        """Declined: there is none, or it is no Python."""
        try:
            with tokenize.open(path) as file:
                text = file.read()
        except (OSError, SyntaxError, UnicodeDecodeError):
            text = "".join(linecache.getlines(path))
        if not text:
            raise Declined(f"the source of {path} is not available")
        source = Source(path, text)
        source.tree  # noqa: B018  an error is found here
        return source

    @functools.cached_property
    def lines(self) -> list[str]:
        return self.text.removesuffix("\n").split("\n")  # form feeds and their like end no line of Python's

    @functools.cached_property
    def tree(self) -> ast.Module:
        try:
            return ast.parse(self.text)
        except SyntaxError as error:
            raise Declined(f"{self.path}: {error}") from None

    @functools.cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)}

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def segment(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.text, node) or ""

    @functools.cached_property
    def modules(self) -> dict[str, str]:
        """Names that imports anywhere in the file bind, and what to: {"F": "torch.nn.functional"}."""
        found = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found[alias.asname or alias.name.partition(".")[0]] = alias.name if alias.asname else alias.name.partition(".")[0]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        return found

    @functools.cached_property
    def module_level_names(self) -> set[str]:
        """What statements of the module bind, imports included."""
        found = set()
        for node in self.tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            else:
                found |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        return found

    @functools.cached_property
    def torch_name(self) -> str | None:
        """What torch is called at the level of the module; None: it is not imported there."""
        return next((name for name, module in self.modules.items() if module == "torch" and name in self.module_level_names), None)

    def insertion_line(self) -> int:
        """Before which line statements of the module's own go: after its imports."""
        last = 0
        for number, node in enumerate(self.tree.body):
            documentation = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not (documentation or isinstance(node, (ast.Import, ast.ImportFrom, ast.Try, ast.If))):
                break
            if not isinstance(node, (ast.Try, ast.If)) or any(isinstance(item, (ast.Import, ast.ImportFrom)) for item in ast.walk(node)):
                last = node.end_lineno
        torch_import = next((node.end_lineno for node in self.tree.body if isinstance(node, ast.Import) and
                             any(alias.name == "torch" for alias in node.names)), 0)
        return max(last, torch_import) + 1

    def edited(self, edits: Iterable[Edit]) -> Source:
        """With edits, which do not overlap, and the settings that they need."""
        edits = list(edits)
        wanted = [setting for setting in dict.fromkeys(setting for edit in edits for setting in edit.settings)
                  if setting.replace("torch.", f"{self.torch_name or 'torch'}.", 1) not in self.lines]
        uses_torch = bool(wanted) or any("torch." in line for edit in edits for line in edit.lines)
        if uses_torch and self.torch_name is None:
            wanted.insert(0, "import torch")
        elif self.torch_name not in (None, "torch"):
            wanted = [setting.replace("torch.", f"{self.torch_name}.", 1) for setting in wanted]
        if wanted:
            at = self.insertion_line()
            follows = [node.end_lineno for node in self.tree.body if isinstance(node, (ast.Expr, ast.Assign)) and
                       node.lineno >= at and "._dynamo.config." in self.segment(node)]
            if wanted[0] == "import torch":
                edits.append(Edit(at, at - 1, ("import torch",), ""))
                del wanted[0]
            if wanted and follows:
                edits.append(Edit(follows[0] + 1, follows[0], tuple(wanted), ""))
            elif wanted:
                edits.append(Edit(at, at - 1, ("", *wanted), ""))
        lines = list(self.lines)
        for edit in reversed(sorted(edits, key=lambda edit: edit.first)):  # of two at one line the later one first
            lines[edit.first - 1:edit.last] = edit.lines
        return Source(self.path, "\n".join(lines) + ("\n" if self.text.endswith("\n") or not self.text else ""))

    def difference(self, new: Source) -> str:
        """A unified diff that `patch -p0` takes."""
        name = shown_path(self.path)
        made = difflib.unified_diff(self.lines, new.lines, name, name, lineterm="")
        return "".join(line + "\n" for line in made)


# Methods of tensors that no number, string or container has: who calls one is a tensor.
_TENSOR_METHODS = {name for name in dir(torch.Tensor) if not name.startswith("_")} - {
    name for kind in (list, dict, set, tuple, str, bytes, int, float, complex, range, memoryview) for name in dir(kind)}
# Of these, and of torch's functions, those that do not give a tensor.
_NOT_TENSORS = {"item", "tolist", "numpy", "size", "stride", "dim", "ndimension", "numel", "nelement", "element_size", "type", "storage",
                "untyped_storage", "data_ptr", "storage_offset", "get_device", "is_contiguous", "is_floating_point", "is_complex",
                "is_signed", "is_tensor", "backward", "register_hook", "allclose", "equal", "is_same_size", "result_type", "finfo",
                "iinfo", "device", "dtype", "Size", "split", "chunk", "unbind", "tensor_split", "broadcast_tensors", "meshgrid",
                "max_pool2d_with_indices", "topk", "sort", "no_grad", "enable_grad", "manual_seed"}
_TENSOR_ATTRIBUTES = {"T", "mT", "H", "mH", "data", "grad", "real", "imag"}
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Site:
    """A place in a file, the expression and the statement there, and what can be said of names around it.

    tensors: parameters of the function that are known to be tensors. Declined: there is nothing at the place.
    """

    def __init__(self, source: Source, place: Place, tensors: Iterable[str] = ()) -> None:
        self.source = source
        self.place = place
        around = [node for node in ast.walk(source.tree) if _contains(node, place)]  # from the outermost
        if not around:
            raise Declined(f"there is no code at {place}")
        self.function: ast.AST = next((node for node in reversed(around) if isinstance(node, _FUNCTION)), source.tree)
        self.statement: ast.stmt = next(node for node in reversed(around) if isinstance(node, ast.stmt))
        starting = [node for node in around if (node.lineno, node.col_offset) == (place.line, place.column)]
        exact = [node for node in starting if node.end_col_offset == place.end_column]
        node = next((node for node in exact or starting if isinstance(node, (ast.expr, ast.If, ast.While, ast.Assert))), None)
        # Of a branch, code objects have the place of the whole statement where its end is not that of its first line.
        self.node: ast.expr | None = node.test if isinstance(node, (ast.If, ast.While, ast.Assert)) else node
        self._given = set(tensors)

    def text(self, node: ast.AST) -> str:
        return self.source.segment(node)

    def flat(self, node: ast.AST) -> str:
        """Its text in one line, where nothing but space would change."""
        text = self.text(node)
        if "#" in text or any(isinstance(item, (ast.JoinedStr, ast.Constant)) and isinstance(getattr(item, "value", ""), str) for item in
                              ast.walk(node)):
            return text
        return " ".join(text.split())

    def comments(self, first: int, last: int, indent: str) -> list[str]:
        """The comments in these lines, a line each."""
        text = "\n".join(self.source.lines[first - 1:last])
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        found = []
        with contextlib.suppress(tokenize.TokenError, IndentationError):  # the lines need not be a whole program
            for token in tokens:
                if token.type == tokenize.COMMENT:
                    found.append(indent + token.string)
        return found

    def parent(self, node: ast.AST) -> ast.AST:
        return self.source.parents[node]

    def indent(self, node: ast.AST) -> str:
        line = self.source.line(node.lineno)
        return line[:len(line) - len(line.lstrip())]

    def whole_lines(self, node: ast.stmt) -> None:
        """Declined: a statement shares a line with another."""
        before = self.source.line(node.lineno).encode()[:node.col_offset].strip()
        after = self.source.line(node.end_lineno).encode()[node.end_col_offset:].strip()
        if before or after and not after.startswith(b"#"):
            raise Declined("several statements stand in one line")

    def replaced(self, node: ast.AST, text: str, *more: tuple[ast.AST, str]) -> tuple[int, int, tuple[str, ...]]:
        """The lines of one or several expressions, and all between, with other texts in their place, as the first fields of an Edit."""
        changes = sorted([(node, text), *more], key=lambda change: (change[0].lineno, change[0].col_offset))
        first, last = changes[0][0].lineno, max(changed.end_lineno for changed, _ in changes)
        lines = self.source.lines[first - 1:last]
        for changed, new in reversed(changes):
            start, end = changed.lineno - first, changed.end_lineno - first
            before = lines[start].encode()[:changed.col_offset].decode()
            after = lines[end].encode()[changed.end_col_offset:].decode()
            lines[start:end + 1] = (before + new + after).split("\n")
        return first, last, tuple(lines)

    def own_nodes(self) -> Iterator[ast.AST]:
        """Those of the function, in order of the text, those of functions inside of it included."""
        body = self.function.body
        for item in body if isinstance(body, list) else [body]:
            yield from ast.walk(item)

    @functools.cached_property
    def parameters(self) -> set[str]:
        if not isinstance(self.function, _FUNCTION):
            return set()
        arguments = self.function.args
        return {argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}

    @functools.cached_property
    def names(self) -> set[str]:
        """All names that occur in the function."""
        return self.parameters | {node.id for node in self.own_nodes() if isinstance(node, ast.Name)}

    def fresh(self, wanted: str) -> str:
        number, name = 1, wanted
        while name in self.names or name in self.source.module_level_names:
            number += 1
            name = f"{wanted}_{number}"
        return name

    def assignments(self, name: str) -> list[ast.AST]:
        """What binds a local name."""
        return [node for node in self.own_nodes() if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)]

    @functools.cached_property
    def tensors(self) -> frozenset[str]:
        """Names that are tensors wherever they occur in the function, as far as the text shows."""
        hinted = {node.func.value.id for node in self.own_nodes()
                  if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TENSOR_METHODS and
                  isinstance(node.func.value, ast.Name) and node.func.value.id not in self.source.modules}
        started = self._given & self.parameters | hinted
        known: frozenset[str] = frozenset()
        while True:
            more = {name for name in self.names - known if (name in started or name not in self.parameters) and
                    (name in started or self.assignments(name)) and
                    all(self._binds_tensor(at, known | {name}, name in hinted) for at in self.assignments(name))}
            if not more:
                return known
            known |= more

    def _binds_tensor(self, name: ast.AST, known: frozenset[str], hinted: bool) -> bool:
        """Whether a binding of a name gives it a tensor; of a name that is used as one, whether nothing says that it does not."""
        statement = self.parent(name)
        if isinstance(statement, ast.AugAssign):
            return True
        if not isinstance(statement, ast.Assign) or statement.targets != [name]:
            return hinted
        if hinted and isinstance(statement.value, ast.Call) and not self._number(statement.value):
            return True
        return self.is_tensor(statement.value, known)

    def _number(self, node: ast.Call) -> bool:
        return (isinstance(node.func, ast.Attribute) and node.func.attr in _NOT_TENSORS or
                isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id))

    def qualified(self, node: ast.AST) -> str:
        """The name of a function by what imports say: `torch.nn.functional.relu`; empty: it is not of a module."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self.parameters or self.assignments(node.id):
            return ""
        root = self.source.modules.get(node.id, "")
        if not root and not parts and hasattr(builtins, node.id) and node.id not in self.source.module_level_names:
            return node.id
        return ".".join([root, *parts]) if root else ""

    def is_tensor(self, node: ast.AST, known: frozenset[str] | None = None) -> bool:
        """Whether an expression is a tensor for sure. known: names that are (default: `tensors`)."""
        known = self.tensors if known is None else known
        if isinstance(node, ast.Name):
            return node.id in known
        if isinstance(node, ast.BinOp):
            return self.is_tensor(node.left, known) or self.is_tensor(node.right, known)
        if isinstance(node, ast.UnaryOp):
            return not isinstance(node.op, ast.Not) and self.is_tensor(node.operand, known)
        if isinstance(node, ast.Compare):
            return len(node.ops) == 1 and not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)) and (
                self.is_tensor(node.left, known) or self.is_tensor(node.comparators[0], known))
        if isinstance(node, ast.IfExp):
            return self.is_tensor(node.body, known) and self.is_tensor(node.orelse, known)
        if isinstance(node, ast.Subscript):
            return self.is_tensor(node.value, known)
        if isinstance(node, ast.Attribute):
            return node.attr in _TENSOR_ATTRIBUTES and self.is_tensor(node.value, known)
        if isinstance(node, ast.Call):
            name = self.qualified(node.func)
            if name.startswith("torch."):
                return name.startswith("torch.nn.functional.") or name.count(".") == 1 and name.rpartition(".")[2] not in _NOT_TENSORS
            return (isinstance(node.func, ast.Attribute) and node.func.attr in _TENSOR_METHODS - _NOT_TENSORS and
                    self.is_tensor(node.func.value, known))
        return False


def _contains(node: ast.AST, place: Place) -> bool:
    if not isinstance(node, (ast.stmt, ast.expr)):
        return False
    if place.column is None:
        decorators = getattr(node, "decorator_list", [])
        return isinstance(node, ast.stmt) and min([node.lineno, *(item.lineno for item in decorators)]) <= place.line <= node.end_lineno
    return (node.lineno, node.col_offset) <= (place.line, place.column) < (node.end_lineno, node.end_col_offset)


Rewriter = Callable[[Site], Edit]
