"""What a comparison of backends found: as text, records, JSON, HTML and a picture."""
from __future__ import annotations

import html
import importlib.util
import json
import os
import pathlib
import platform
from collections.abc import Sequence
from typing import Any

from mlgc import curves, measuring
from mlgc.errors import UsageError
from mlgc.reports import Report, html_table, text_table

_TITLES = ("backend", "agrees", "import", "capture", "compile", "first call", "median", "interval", "of eager", "ratio interval", "graphs",
           "breaks", "recompiled", "pays off")


class Comparison(Report):
    """Backends side by side. Printed, it is a table; `records` has one entry for each combination of sizes and threads.

    `report` is what `--format=json` writes (docs/python.md has its fields): seconds throughout.
    """

    report: dict[str, Any]

    def __new__(cls, report: dict[str, Any]) -> Comparison:
        made = super().__new__(cls, _text(report))
        made.report = report
        return made

    @property
    def records(self) -> list[dict[str, Any]]:
        """`sizes`, `threads` and `backends` of each configuration."""
        records: list[dict[str, Any]] = self.report["configurations"]
        return records

    def json(self) -> str:
        """The report, with its version."""
        return json.dumps(self.report, indent=1) + "\n"

    def _repr_html_(self) -> str:
        parts = [f"<p>{html.escape(_head(self.report))}</p>"]
        for configuration in self.records:
            parts.append(html_table(_rows(configuration), _where(configuration)))
            parts += [f"<p>{html.escape(note)}</p>" for note in _notes(configuration)]
        if self.report["sweeps"]:
            parts.append(html_table(_sweep_rows(self.report["sweeps"]), _SWEEP))
            parts += [f"<p>{html.escape(note)}</p>" for note in _sweep_notes(self.report["sweeps"])]
        return "\n".join(parts)

    def plot(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Draws what a later call takes, by configuration, to a .svg or .png file. matplotlib, where it is installed, draws first calls, too.

        UsageError: another suffix, or a .png without matplotlib. OSError: it cannot be written."""
        target = pathlib.Path(path)
        check_plot(target)
        if importlib.util.find_spec("matplotlib") is not None:
            _draw_by_matplotlib(self, target)
        else:
            target.write_text(_drawn(self), encoding="utf-8")
        return target


def machine() -> dict[str, Any]:
    """What figures belong to: `cpu`, `cores`, `python`."""
    cpu = platform.processor() or platform.machine()
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), cpu)
    except OSError:
        pass
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "python": platform.python_version()}


# --- text


def _head(report: dict[str, Any]) -> str:
    what = "forward and backward" if report["training"] else "forward without gradients"
    versions = dict.fromkeys(row["version"] for entry in report["configurations"] for row in entry["backends"] if "version" in row)
    settings = ["dynamic=True"] * report["dynamic"] + ["caches filled before"] * report["warm_cache"]
    return (f"{report['make']}: {', '.join([what, *settings])}; {', '.join([*versions, 'Python ' + report['python']])}; {report['cpu']}, "
            f"{report['cores']} core{'s'[:report['cores'] > 1]}")


def _sizes(sizes: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sizes.items())


def _where(configuration: dict[str, Any]) -> str:
    threads = f"{configuration['threads']} thread{'s'[:configuration['threads'] > 1]}"
    return ", ".join(filter(None, [_sizes(configuration["sizes"]), threads]))


def _rows(configuration: dict[str, Any]) -> list[list[str]]:
    time = measuring.time_text
    rows = [[*_TITLES]]
    for row in configuration["backends"]:
        if "median" not in row:
            rows.append([row["name"], row["reason"]])
            continue
        found = row.get("ratio")
        captured = "graphs" in row
        rows.append([
            row["name"], "-" if row is configuration["backends"][0] else "yes" if row["agrees"] else "NO", time(row["import_torch"]),
            time(row["capture"]) if captured else "-", time(row["compile"]) if captured else "-", time(row["first_call"]), time(row["median"]),
            f"{time(row['low'])}..{time(row['high'])}", f"{found['median']:.2f}" if found else "-",
            f"{found['low']:.2f}..{found['high']:.2f}" if found else "-", *_counts(row), measuring.break_even_text(row["break_even"]) if found else "-"])
    return rows


def _counts(row: dict[str, Any]) -> list[str]:
    if "graphs" not in row:
        return ["-", "-", "-"]
    return [str(row["graphs"]), str(sum(entry["count"] for entry in row["graph_breaks"])), str(len(row["recompilations"]))]


def _place(entry: dict[str, Any]) -> str:
    return f"{entry['function']} ({os.path.basename(entry['file'])}:{entry['line']}): " if entry.get("file") else ""


def _capture_notes(row: dict[str, Any]) -> list[str]:
    notes = [f"{row['name']}: graph break{f' ({times} times)' if (times := entry['count']) > 1 else ''}: {_place(entry)}{entry['reason']}"
             for entry in row.get("graph_breaks", ())]
    return notes + [f"{row['name']}: recompiled: {_place(entry)}{entry['reason']}" for entry in row.get("recompilations", ())]


def _notes(configuration: dict[str, Any]) -> list[str]:
    notes = []
    for row in configuration["backends"]:
        notes += [f"{row['name']}: {name}: {verdict}" for name, verdict in row.get("disagreements", {}).items()]
        if row.get("not_compared"):
            notes.append(f"{row['name']}: not compared, since mlgc has no such type: {', '.join(row['not_compared'])}")
        notes += [f"{row['name']}: {note}" for note in row.get("notes", ())]
        notes += _capture_notes(row)
    disturbed = [f"{row['disturbed']} of {row['rounds']} rounds of {row['name']}" for row in configuration["backends"] if row.get("disturbed_used")]
    if disturbed:
        notes.append(f"the system took a core away in {', '.join(disturbed)}, which count for want of others (docs/benchmarking.md, \"A quiet machine\")")
    return list(dict.fromkeys(notes))


_SWEEP = "one process called with all sizes in this order"


def _sweep_rows(sweeps: Sequence[dict[str, Any]]) -> list[list[str]]:
    longest: Sequence[dict[str, Any]] = max((sweep["points"] for sweep in sweeps), key=len)
    if not longest:
        longest = [{"sizes": {}}]
    rows = [["backend", *(f"first, {_sizes(point['sizes'])}" for point in longest), "graphs", "breaks", "recompiled"]]
    for sweep in sweeps:
        if "reason" in sweep:
            rows.append([sweep["name"], sweep["reason"]])
            continue
        rows.append([sweep["name"], *(measuring.time_text(point["first_call"]) for point in sweep["points"]), *_counts(sweep)])
    return rows


def _sweep_notes(sweeps: Sequence[dict[str, Any]]) -> list[str]:
    """Each once, with the backends that it is true of."""
    owners: dict[str, list[str]] = {}
    for sweep in sweeps:
        for note in dict.fromkeys(_capture_notes(sweep)):
            owners.setdefault(note.partition(": ")[2], []).append(sweep["name"])
    return [f"{', '.join(names)}: {note}" for note, names in owners.items()]


def _text(report: dict[str, Any]) -> str:
    text = _head(report) + "\n"
    for configuration in report["configurations"]:
        text += f"\n{_where(configuration)}\n" + _indented(text_table(_rows(configuration)), _notes(configuration))
    if report["sweeps"]:
        text += f"\n{_SWEEP}\n" + _indented(text_table(_sweep_rows(report["sweeps"])), _sweep_notes(report["sweeps"]))
    return text


def _indented(table: str, notes: Sequence[str]) -> str:
    return "".join(f"  {line}\n" for line in [*table.splitlines(), *(f"- {note}" for note in notes)])


# --- pictures


def check_plot(path: pathlib.Path) -> None:
    """UsageError: no picture can be written to a file of this name."""
    if path.suffix not in (".svg", ".png"):
        raise UsageError(f"{path}: a picture is a .svg or a .png file")
    if path.suffix == ".png" and importlib.util.find_spec("matplotlib") is None:
        raise UsageError(f"{path}: a .png is drawn by matplotlib, which is not installed: pip install matplotlib, or name a .svg file")


def _series(report: Comparison) -> tuple[list[str], dict[str, list[dict[str, Any] | None]]]:
    """Configurations by name, and by backend its row in each of these."""
    names = [_where(entry) for entry in report.records]
    backends = dict.fromkeys(row["name"] for entry in report.records for row in entry["backends"])
    rows = {name: [next((row for row in entry["backends"] if row["name"] == name and "median" in row), None) for entry in report.records]
            for name in backends}
    return names, rows


def _drawn(report: Comparison) -> str:
    names, series = _series(report)
    drawn = [(name, [row["median"] * 1e6 if row is not None else None for row in rows]) for name, rows in series.items()]
    return curves.draw(drawn, f"{report.report['make']}: median of a call", "", "µs", logarithmic=True, names=names)


def _draw_by_matplotlib(report: Comparison, path: pathlib.Path) -> None:
    from matplotlib.figure import Figure

    names, series = _series(report)
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    later, first = figure.subplots(1, 2)
    for name, rows in series.items():
        measured = [(place, row) for place, row in enumerate(rows) if row is not None]
        places = [place for place, _ in measured]
        medians = [row["median"] for _, row in measured]
        spread = [[row["median"] - row["low"] for _, row in measured], [row["high"] - row["median"] for _, row in measured]]
        later.errorbar(places, medians, spread, label=name, marker="o", capsize=3)
        first.plot(places, [row["first_call"] for _, row in measured], label=name, marker="o")
    for axes, title in ((later, "a later call: median, with its interval"), (first, "first call")):
        axes.set(title=title, yscale="log", ylabel="seconds", xticks=range(len(names)))
        axes.set_xticklabels(names, rotation=20 if len(names) > 3 else 0)
        axes.legend()
    figure.suptitle(report.report["make"])
    figure.savefig(path)
