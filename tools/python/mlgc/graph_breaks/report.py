"""What `breaks` found, for people, notebooks and programs."""
from __future__ import annotations

import html
import json
import os
import pathlib
import tempfile
import textwrap
import tokenize
from typing import Any

from mlgc.errors import UsageError
from mlgc.graph_breaks.capture import Observation, Piece
from mlgc.graph_breaks.repair import Finding, Repair
from mlgc.graph_breaks.source import shown_path
from mlgc.graph_breaks.subject import Subject


class Report:
    """Prints as text. `records` and to_json() have the same for programs, `diff` the repairs, write() applies them.

    before, after: what Dynamo captured; after is None where nothing was repaired. agreed, repaired: how the results of the compiled
    function, as it is and as repaired, differ from eager; empty: they agree.
    """

    def __init__(self, subject: Subject, before: Observation, made: Repair, agreed: str, repaired: str) -> None:
        self._subject = subject
        self._made = made
        self.before = before
        self.after = made.after
        self.agreed = agreed
        self.repaired = repaired

    @property
    def findings(self) -> list[Finding]:
        """The breaks as they are, then those that only show when these are repaired."""
        return [*self._made.findings, *self._made.later]

    @property
    def left(self) -> list[Finding]:
        """The breaks that are there when all repairs are made."""
        return self._made.left

    @property
    def diff(self) -> str:
        """The repairs as a unified diff; empty: there are none."""
        return "".join(old.difference(new) for old, new in self._made.sources.values())

    def repaired_sources(self) -> dict[str, str]:
        """By path, the text of each file that a repair changes."""
        return {path: new.text for path, (_, new) in self._made.sources.items()}

    def write(self) -> list[pathlib.Path]:
        """Writes the repairs into the files, each whole or not at all.

        UsageError: the repaired function does something else, or a file has changed meanwhile, or cannot be written."""
        if self.repaired:
            raise UsageError(f"the repaired function was not written: {self.repaired}")
        written = []
        for path, (old, new) in self._made.sources.items():
            target = pathlib.Path(path).resolve()
            try:
                with tokenize.open(target) as file:
                    current, encoding = file.read(), file.encoding
                if current != old.text:
                    raise UsageError(f"{shown_path(path)} has changed meanwhile, and was not written")
                ends = "\r\n" if b"\r\n" in target.read_bytes() else "\n"
                with tempfile.TemporaryDirectory(prefix=".mlgc-", dir=target.parent) as folder:
                    made = pathlib.Path(folder, target.name)
                    made.write_text(new.text, encoding=encoding, newline=ends)
                    made.chmod(target.stat().st_mode)
                    os.replace(made, target)
            except OSError as error:
                raise UsageError(f"{shown_path(path)} cannot be written: {error.strerror}") from None
            written.append(target)
        return written

    # --- for programs

    @property
    def records(self) -> list[dict[str, Any]]:
        """The breaks, one each: place, line, class, reason, cure, what was done, and what of Dynamo's it comes from."""
        shown_later = len(self._made.findings)
        return [{"file": finding.place.file if finding.place else None, "line": finding.place.line if finding.place else None,
                 "column": finding.place.column + 1 if finding.place and finding.place.column is not None else None,
                 "function": finding.place.function if finding.place else None, "code": finding.line, "class": finding.kind.name,
                 "reason": finding.why, "cure": finding.cure, "consequence": finding.raw.consequence, "library": finding.raw.library,
                 "times": finding.raw.count, "hidden": number >= shown_later, "rewrite": finding.edit.summary if finding.edit else None,
                 "note": finding.edit.note if finding.edit else None, "declined": finding.declined or None,
                 "dynamo": {"number": finding.raw.number, "title": finding.raw.title, "text": finding.raw.text, "hints": finding.raw.hints}}
                for number, finding in enumerate(self.findings)]

    def to_json(self) -> str:
        made = {"version": 1, "function": self._subject.name, "breaks": self.records,
                "before": self._counts(self.before, self._made.findings, self.agreed),
                "after": self._counts(self.after, self.left, self.repaired) if self.after is not None else None, "diff": self.diff}
        return json.dumps(made, indent=1)

    @staticmethod
    def _counts(seen: Observation, left: list[Finding], difference: str) -> dict[str, Any]:
        graphs = [{"ops": piece.ops, "file": piece.file, "first_line": piece.first, "last_line": piece.last,
                   "segments": [size for record in piece.records for size in record.segments],
                   "outside": [entry for record in piece.records for entry in record.outside]} for piece in seen.pieces]
        return {"graphs": graphs, "breaks": len(left), "agrees": not difference, "difference": difference}

    # --- for people

    def __str__(self) -> str:
        place = self._subject.place
        lines = [f"{self._subject.name}{f' ({place})' if place is not None else ''}: {_summary(self.before, self._made.findings)}"]
        lines += self._graphs(self.before)
        for number, finding in enumerate(self.findings, 1):
            hidden = " (shows when those before are repaired)" if number > len(self._made.findings) else ""
            at = f", {finding.place}" if finding.place is not None else ""
            lines += ["", f"break {number}{at}: {finding.kind.name}{hidden}", *told(finding)]
        if self.agreed:
            lines += ["", f"As it is, the compiled function differs from eager: {self.agreed}"]
        if self.after is not None:
            lines += ["", self.diff.rstrip("\n"), "", f"before: {_summary(self.before, self._made.findings)}",
                      f"after:  {_summary(self.after, self.left)}; " + (self.repaired or "the results agree")]
            lines += self._graphs(self.after)
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{number}</td><td><code>{html.escape(str(finding.place or ''))}</code></td><td><code>{html.escape(finding.line)}</code></td>"
            f"<td><b>{html.escape(finding.kind.name)}</b><br>{html.escape(finding.why)}</td><td>{html.escape(_done(finding))}<br>"
            f"{html.escape(finding.cure)}</td></tr>" for number, finding in enumerate(self.findings, 1))
        head = f"<p><b>{html.escape(self._subject.name)}</b>: {html.escape(_summary(self.before, self._made.findings))}</p>"
        table = f"<table><tr><th></th><th>place</th><th>code</th><th>class</th><th>cure</th></tr>{rows}</table>" if rows else ""
        after = f"<pre>{html.escape(self.diff)}</pre><p>after: {html.escape(_summary(self.after, self.left))}; " \
                f"{html.escape(self.repaired or 'the results agree')}</p>" if self.after is not None else ""
        return head + table + after

    @staticmethod
    def _graphs(seen: Observation) -> list[str]:
        lines = []
        for number, piece in enumerate(seen.pieces):
            lines.append(f"  graph {number}{_where(piece)}: {_count(piece.ops, 'op')}; {_fate(piece)}")
            lines += [f"    outside: {entry['target']}{' at ' + entry['place'] if entry['place'] else ''}: {entry['reason']}"
                      for record in piece.records for entry in record.outside]
        return lines


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _summary(seen: Observation, findings: list[Finding]) -> str:
    return f"{_count(len(seen.pieces), 'graph')}, {_count(len(findings), 'break')}"


def _where(piece: Piece) -> str:
    if not piece.file:
        return ""
    path = shown_path(piece.file.removeprefix("<repaired> "))
    return f", {path}:{piece.first}" + (f"-{piece.last}" if piece.last != piece.first else "")


def _fate(piece: Piece) -> str:
    """What mlgc does with a graph."""
    if not piece.records:
        return "nothing to compile"
    parts = []
    for record in piece.records:
        kind = "" if record.kind == "inference" else f"{record.kind}: "
        compiled = f"{_count(len(record.segments), 'segment')} of {_count(sum(record.segments), 'node')} compiled" if record.segments else (
            "no segment")
        parts.append(kind + compiled + (f", {len(record.outside)} in PyTorch" if record.outside else ""))
    return "; ".join(parts)


def told(finding: Finding, done: bool = True) -> list[str]:
    """A break in lines: the user's, why, the cure; with `done` what was made of it here."""
    lines = []
    if finding.line:
        lines += ["    " + finding.line, *_mark(finding)]
    said = [("why", finding.why + (f" ({finding.raw.number} of Dynamo)" if finding.raw.number else ""))]
    if finding.kind.name == "unsupported construct":
        said.append(("", finding.raw.title + (f": {finding.raw.text}" if finding.raw.text else "")))
        said += [("", hint) for hint in finding.raw.hints]
    if finding.raw.consequence:
        said.append(("", finding.raw.consequence))
    if finding.raw.library:
        said.append(("", f"inside of {finding.raw.library}"))
    said.append(("cure", finding.cure))
    if done:
        said.append(("here", _done(finding)))
    for word, text in said:
        lines += textwrap.wrap(text, 120, initial_indent=f"  {word + ':' if word else '':5} ", subsequent_indent=" " * 8,
                               break_long_words=False, break_on_hyphens=False)
    return lines


def _done(finding: Finding) -> str:
    if finding.edit is None:
        return f"not rewritten: {finding.declined}" if finding.declined else "another repair removes it"
    return finding.edit.summary + (f" (note: {finding.edit.note})" if finding.edit.note else "")


def _mark(finding: Finding) -> list[str]:
    """A line under the user's, with the expression marked."""
    node = finding.site.node if finding.site is not None else None
    if node is None or node.lineno != finding.raw.place.line:
        return []
    line = finding.site.source.line(node.lineno)
    indent = len(line) - len(line.lstrip())
    start = len(line.encode()[:node.col_offset].decode())
    end = len(line.encode()[:node.end_col_offset].decode()) if node.end_lineno == node.lineno else len(line)
    return ["    " + " " * (start - indent) + "^" + "~" * (end - start - 1)]
