"""Texts for people that notebooks show as such: nothing here needs a file, a style or a script from elsewhere."""
from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any


class Report(str):
    """A text for people; notebooks show it with its columns in place."""

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self)}</pre>"


class Benchmark(Report):
    """Times side by side. `report` is what `mlgc bench --format=json` prints: seconds for a call, with their spread."""

    report: dict[str, Any]

    def __new__(cls, report: dict[str, Any]) -> Benchmark:
        made = super().__new__(cls, text_table(_benchmark_rows(report), left=3))
        made.report = report
        return made

    def _repr_html_(self) -> str:
        return html_table(_benchmark_rows(self.report))


def _benchmark_rows(report: dict[str, Any]) -> list[list[str]]:
    rows = [["sizes", "threads", "backend", "median µs", "least µs", "of mlgc"]]
    for entry in report["configurations"]:
        sizes = " ".join(f"{name}={size}" for name, size in entry["sizes"].items()) or "-"
        own = next((backend["median"] for backend in entry["backends"] if backend["name"] == "cpp"), None)
        for backend in entry["backends"]:
            label = [sizes, str(entry["threads"]), "mlgc" if backend["name"] == "cpp" else backend["name"]]
            if "median" not in backend:
                rows.append([*label, backend.get("reason", "did not run")])
                continue
            rows.append([*label, f"{backend['median'] * 1e6:.2f}", f"{backend['least'] * 1e6:.2f}", f"{backend['median'] / own:.2f}" if own else ""])
    return rows


def text_table(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Rows under each other, the first one of titles: `left` columns and the last one begin at their left ends, others end at their right
    ones. A row of fewer columns has a text in its last one, which goes on to the end of the line."""
    full = [row for row in rows if len(row) == len(rows[0])]
    widths = [max(len(row[column]) for row in full) for column in range(len(rows[0]))]
    widths[0] = max(widths[0], *(len(row[0]) for row in rows))
    lines = []
    for row in rows:
        if len(row) < len(widths):
            lines.append("  ".join([*(text.ljust(width) for text, width in zip(row[:-1], widths)), row[-1]]))
            continue
        cells = [text.ljust(width) if column < left else text if column == len(widths) - 1 else text.rjust(width)
                 for column, (text, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells))
    return "".join(line.rstrip() + "\n" for line in lines)


def html_table(rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """The same rows as a table of HTML."""
    lines = ["<table>", *([f"<caption>{html.escape(caption)}</caption>"] if caption else []),
             "<tr>" + "".join(f"<th>{html.escape(text)}</th>" for text in rows[0]) + "</tr>"]
    for row in rows[1:]:
        *cells, last = (html.escape(text) for text in row)
        span = f' colspan="{len(rows[0]) - len(cells)}"' if len(row) < len(rows[0]) else ""
        lines.append("<tr>" + "".join(f"<td>{text}</td>" for text in cells) + f"<td{span}>{last}</td></tr>")
    return "\n".join([*lines, "</table>"])
