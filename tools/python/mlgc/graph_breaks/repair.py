"""Repairs that are tried before they are offered: edits of the source, run in place of the functions that they change.

A rewriter removes the construct that it is for, so a place is rewritten at most once, and rounds of repairs come to an end.
"""
from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import gc
import linecache
import types
import warnings
from collections.abc import Iterator
from typing import Any

import torch

from mlgc.graph_breaks import capture, classes
from mlgc.graph_breaks.capture import Observation, RawBreak
from mlgc.graph_breaks.source import Declined, Edit, Place, Site, Source
from mlgc.graph_breaks.subject import Outcome, Subject, disagreement

_REPAIRED = "<repaired> "  # before the path of a file whose functions are replaced


@dataclasses.dataclass
class Finding:
    """A break, explained. line: the user's line, without its indentation. edit: what removes it; declined: why there is none."""

    raw: RawBreak
    kind: classes.BreakClass
    line: str
    why: str
    cure: str
    site: Site | None = None
    edit: Edit | None = None
    declined: str = ""

    @property
    def place(self) -> Place | None:
        """In the file as it is, or, of a break that shows once others are repaired, as it would be then."""
        place = self.raw.place
        return dataclasses.replace(place, file=place.file.removeprefix(_REPAIRED)) if place is not None else None


def explain(raw: RawBreak, subject: Subject | None = None) -> Finding:
    """A break with its class and the user's own words. subject: says which parameters are tensors."""
    site, line, declined = None, "", ""
    if raw.place is None:
        declined = "no line of yours is known"
    else:
        line = linecache.getline(raw.place.file, raw.place.line).strip()
        try:
            site = Site(Source.of(raw.place.file), raw.place, subject.known_tensors(raw.place) if subject is not None else ())
        except Declined as reason:
            declined = str(reason)
    kind = classes.classify(raw.title, f"{raw.text}\n{raw.exception}", site)
    return Finding(raw, kind, line, classes.words(kind.why, site, line), classes.words(kind.cure, site, line), site, declined=declined)


@dataclasses.dataclass
class Repair:
    """What was found and tried. sources: by path, the text as it is and as it would be. later: breaks that only showed when the others
    were repaired; left: those that are there in the end."""

    findings: list[Finding]
    later: list[Finding]
    sources: dict[str, tuple[Source, Source]]
    after: Observation | None = None
    outcome: Outcome | None = None
    left: list[Finding] = dataclasses.field(default_factory=list)


class Repairer:
    """Tries edits for the breaks of a subject, round by round."""

    def __init__(self, subject: Subject, eager: Outcome) -> None:
        self._subject = subject
        self._eager = eager
        self._tried: set[tuple[str, str, str]] = set()  # file, statement, summary of the edit
        self._sources: dict[str, tuple[Source, Source]] = {}

    def run(self, findings: list[Finding]) -> Repair:
        made = Repair(findings, [], self._sources)
        current = findings
        while True:
            known = [*findings, *made.later]
            after = None
            for finding in current:
                after = self._accepted(finding, current)
                first = _original(finding, known, current) or finding
                first.edit, first.declined = finding.edit, finding.declined
                if after is not None:
                    break
            if after is None:
                break
            current = after
            made.later += [finding for finding in current if _original(finding, known, current) is None]
        made.left = current
        if self._sources:
            with self._replaced(self._sources):
                made.after, made.outcome = self._subject.observe("mlgc")
                made.left = [explain(raw, self._subject) for raw in made.after.breaks]
        return made

    def _accepted(self, finding: Finding, current: list[Finding]) -> list[Finding] | None:
        """What is left of the breaks when one of the rewriters has seen to this one; its edit is then a part of the sources. None:
        none has."""
        if finding.site is None:
            return None
        reasons: list[str] = []
        for rewriter in finding.kind.rewriters:
            try:
                edit = self._new(finding, rewriter(finding.site))
                trial = self._with(finding, edit)
                after = self._tried_out(finding, edit, trial, current)
            except Declined as declined:
                if str(declined) not in reasons:
                    reasons.append(str(declined))
                continue
            self._sources |= trial
            finding.edit, finding.declined = edit, ""
            return after
        finding.declined = "; ".join(reasons) or "a break of this class has no mechanical cure"
        return None

    def _new(self, finding: Finding, edit: Edit) -> Edit:
        path = finding.place.file
        if capture.installed(path):
            raise Declined(f"{path} belongs to an installed package")
        key = (path, finding.site.text(finding.site.statement), edit.summary)
        if key in self._tried:
            raise Declined(f"“{edit.summary}” does not remove it")
        self._tried.add(key)
        return edit

    def _with(self, finding: Finding, edit: Edit) -> dict[str, tuple[Source, Source]]:
        path = finding.place.file
        source = finding.site.source
        new = Source(path, source.edited([edit]).text)
        if new.text == source.text:
            raise Declined(f"“{edit.summary}” is there already, and does not remove it")
        return {path: (self._sources[path][0] if path in self._sources else source, new)}

    def _tried_out(self, finding: Finding, edit: Edit, trial: dict[str, tuple[Source, Source]], current: list[Finding]) -> list[Finding]:
        """The breaks that are left. Declined: this one is, or the function does something else."""
        with self._replaced(self._sources | trial):
            seen, outcome = self._subject.observe("eager")
            if outcome is None:
                raise Declined(f"after “{edit.summary}” it raises {type(seen.error).__name__}: {_first_line(seen.error)}")
            left = [explain(raw, self._subject) for raw in seen.breaks]
            if sum(_same(other, finding) for other in left) >= sum(_same(other, finding) for other in current):
                raise Declined(f"“{edit.summary}” does not remove it")
            if edit.chooses:
                _check_sides(seen, edit)
            if reason := disagreement(outcome, self._eager, None):
                raise Declined(f"after “{edit.summary}” {reason}")
            if outcome.printed != self._eager.printed and not edit.silences:
                raise Declined(f"after “{edit.summary}” it prints something else")
            return left

    @contextlib.contextmanager
    def _replaced(self, sources: dict[str, tuple[Source, Source]]) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for path, (old, new) in sources.items():
                stack.enter_context(_code_replaced(path, old, new))
            yield


def _same(a: Finding, b: Finding) -> bool:
    """Whether two are one break, in texts that differ elsewhere: lines and columns may have moved."""
    return _identity(a) == _identity(b)


def _original(finding: Finding, known: list[Finding], current: list[Finding]) -> Finding | None:
    """Which of the breaks that are known this one is: one of the same words, or one that is not there any more, and was of the same kind
    in the same function: an edit of another has changed its words."""
    open_ones = [old for old in known if old.edit is None]
    changed = [old for old in open_ones if not any(_same(old, other) for other in current) and _identity(old)[:3] == _identity(finding)[:3]]
    return next((old for old in open_ones if old is finding or _same(old, finding)), next(iter(changed), None))


def _identity(finding: Finding) -> tuple[str, ...]:
    place, site = finding.place, finding.site
    if place is None:
        return finding.kind.name, finding.raw.title
    code = site.text(site.node) if site is not None and site.node is not None else finding.line
    return finding.kind.name, place.file, place.function, code


def _first_line(error: Exception | None) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else ""


def _check_sides(seen: Observation, edit: Edit) -> None:
    """Declined: a torch.where() of the edit would broadcast one side to the other, or change its dtype."""
    own = {line.strip() for line in edit.lines if "torch.where(" in line or ".where(" in line}
    for piece in seen.pieces:
        for node in piece.graph.nodes:
            if node.target is not torch.where or not any(line in (node.stack_trace or "") for line in own):
                continue
            sides = [argument.meta.get("example_value") for argument in node.args[1:3] if isinstance(argument, torch.fx.Node)]
            shapes = [(tuple(side.shape), side.dtype) for side in [*sides, node.meta.get("example_value")]
                      if isinstance(side, torch.Tensor)]
            if len(set(shapes)) > 1:
                raise Declined("its two sides are " + " and ".join(f"{dtype} {list(shape)}" for shape, dtype in shapes[:2]) +
                               ", which torch.where() would bring to one shape and dtype")


# --- running other code


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def _key(code: types.CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _of_one_text(a: types.CodeType | None, b: types.CodeType) -> bool:
    """Whether two codes come from the same text: names, constants, and places of all instructions. Bytes are not compared: those of
    code that has run need not be the compiler's."""
    if a is None:
        return False
    constants = [[constant for constant in code.co_consts if not isinstance(constant, types.CodeType)] for code in (a, b)]
    return ((a.co_name, a.co_names, a.co_varnames, a.co_linetable) == (b.co_name, b.co_names, b.co_varnames, b.co_linetable) and
            repr(constants[0]) == repr(constants[1]))


@contextlib.contextmanager
def _code_replaced(path: str, old: Source, new: Source) -> Iterator[None]:
    """The functions of a file, wherever they are in this process, run the code of another text of it.

    Declined: the file has changed since it was imported, or a function closes over other variables.
    """
    name = _REPAIRED + path
    before = list(_codes(compile(old.text, path, "exec", dont_inherit=True)))
    after: dict[str, list[types.CodeType]] = {}
    for code in _codes(compile(new.text, name, "exec", dont_inherit=True)):
        after.setdefault(code.co_qualname, []).append(code)
    places: dict[tuple[str, int], types.CodeType] = {}
    counts: dict[str, int] = {}
    for code in before:  # the nth code of a name becomes the nth of it
        number = counts[code.co_qualname] = counts.get(code.co_qualname, -1) + 1
        if number < len(after.get(code.co_qualname, [])):
            places[_key(code)] = after[code.co_qualname][number]
    originals = {_key(code): code for code in before}
    functions = [item for item in gc.get_objects() if type(item) is types.FunctionType and item.__code__.co_filename == path]
    if not functions:
        raise Declined(f"no function of {path} is there to be tried")
    swapped: list[tuple[types.FunctionType, types.CodeType]] = []
    linecache.cache[name] = (len(new.text), None, [line + "\n" for line in new.lines], name)
    namespaces = list({id(function.__globals__): function.__globals__ for function in functions}.values())
    added = [names for names in namespaces if new.torch_name is not None and new.torch_name not in names]
    try:
        chosen = [function for function in functions if _of_one_text(originals.get(_key(function.__code__)), function.__code__)]
        there = {_key(function.__code__) for function in functions} & originals.keys()
        if there - {_key(function.__code__) for function in chosen}:
            raise Declined(f"{path} has changed since it was imported")
        for function in chosen:
            code = function.__code__
            replacement = places.get(_key(code))
            if replacement is None:
                continue
            if replacement.co_freevars != code.co_freevars:
                raise Declined(f"`{code.co_qualname}` would close over other variables, and cannot be tried")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a generator becomes a function
                function.__code__ = replacement
            swapped.append((function, code))
        for names in added:
            names[new.torch_name] = torch
        with _settings(old, new, namespaces[0]):
            yield
    finally:
        for function, code in swapped:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function.__code__ = code
        for names in added:
            names.pop(new.torch_name, None)
        linecache.cache.pop(name, None)


@contextlib.contextmanager
def _settings(old: Source, new: Source, names: dict[str, Any]) -> Iterator[None]:
    """Statements about Dynamo's configuration that only the new text has hold meanwhile."""
    config = torch._dynamo.config
    lines = [line for line in new.lines if "._dynamo.config." in line and not line.startswith((" ", "#")) and line not in old.lines]
    options = [node.attr for line in lines for node in ast.walk(ast.parse(line))
               if isinstance(node, ast.Attribute) and hasattr(config, node.attr)]
    before = {option: copy.copy(getattr(config, option)) for option in options}
    try:
        for line in lines:
            exec(line, names)  # noqa: S102  a statement of a rewriter
        yield
    finally:
        for option, value in before.items():
            setattr(config, option, value)
