"""What scripts/sweep prints: percentiles by family, the worst with their decisions, failures; and the picture."""
from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

import agreement  # noqa: F401, finds the package
import sweep_roof
from mlgc.measuring import time_text

LEAST_ROOF_SECONDS = 50e-6  # below, a call costs what is not counted
SHARES = (("least", 0.0), ("5 %", 0.05), ("25 %", 0.25), ("50 %", 0.5), ("75 %", 0.75))


def percentile(values: Sequence[float], share: float) -> float:
    """Between the two nearest, by their distance."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def roof(row: dict[str, Any], limits: dict[str, float] | None, name: str) -> float | None:
    """Share of what the machine can do, of a row that has one."""
    if limits is None or row.get("operations") is None or name not in row["seconds"]:
        return None
    return sweep_roof.seconds(row["operations"], row["bytes"], limits, row["threads"], row["element"]) / row["seconds"][name]


def figures(rows: list[dict[str, Any]], name: str, limits: dict[int, dict[str, float]]) -> dict[str, Any]:
    """Percentiles of some rows for one compiler."""
    found: dict[str, Any] = {"workloads": len(rows)}
    for label, values in (("speed", [row["speed"][name]["median"] for row in rows if name in row["speed"]]),
                          ("eager", [row["eager"][name] for row in rows if name in row["eager"]]),
                          ("roof", [share for row in rows if row["seconds"].get(name, 0) >= LEAST_ROOF_SECONDS
                                    and (share := roof(row, limits.get(row["threads"]), name)) is not None])):
        found[label] = {"count": len(values), **({mark: percentile(values, share) for mark, share in SHARES} if values else {})}
    compiled = [row["compile"][name] for row in rows if name in row["compile"]]
    if compiled:
        found["compile"] = {"median": statistics.median(compiled), "most": max(compiled)}
    return found


def by_family(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["family"], []).append(row)
    return found


def number(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.5 else f"{value:.0f}"


def cells_of(name: str, found: dict[str, Any]) -> list[str]:
    speed, eager, share = found["speed"], found["eager"], found["roof"]
    marks = [number(speed[mark]) if mark in speed else "-" for mark, _ in SHARES]
    marks += [number(eager[mark]) if mark in eager else "-" for mark in ("5 %", "50 %")]
    marks += [f"{100 * share[mark]:.0f} %" if mark in share else "-" for mark in ("5 %", "50 %")]
    marks += [f"{found['compile']['median']:.2f}", f"{found['compile']['most']:.1f}"] if "compile" in found else ["-", "-"]
    return [name, str(speed["count"]), *marks]


HEAD = ["family", "count", *[mark for mark, _ in SHARES], "eager 5 %", "50 %", "roof 5 %", "50 %", "compile s", "most"]


def aligned(lines: list[list[str]]) -> Iterable[str]:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        yield "  " + "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip()


def decision_text(kernel: dict[str, Any]) -> str:
    nests: dict[str, int] = {}
    for nest in kernel["nests"]:
        word = ", ".join(nest["strategies"]) or (f"serial ({nest['reason']})" if nest["reason"] else "serial")
        nests[word] = nests.get(word, 0) + 1
    words = "; ".join(f"{count} × {word}" if count > 1 else word for word, count in nests.items()) or "no loop"
    if kernel["undone"]:
        words += f"; undone: {', '.join(kernel['undone'])}"
    return f"{kernel['kernel']}: {words} (predicted {time_text(kernel['seconds'])}, {kernel['bound']})"


def worst(rows: list[dict[str, Any]], name: str, count: int, limits: dict[int, dict[str, float]]) -> Iterable[str]:
    found = sorted((row for row in rows if name in row["speed"]), key=lambda row: row["speed"][name]["median"])
    for row in found[:count]:
        speed, share = row["speed"][name], roof(row, limits.get(row["threads"]), name)
        times = ", ".join(f"{key} {time_text(value)}" for key, value in row["seconds"].items())
        at = f" on {row['threads']} threads" if row["threads"] > 1 else ""
        yield f"  {number(speed['median'])} ({number(speed['low'])}..{number(speed['high'])})  {row['family']} {row['seed']}: {row['words']}{at}"
        yield f"      {times}; best {speed['peer']}" + (f"; {100 * share:.0f} % of the roof" if share is not None else "")
        kernels = sorted(row.get("decisions", []), key=lambda kernel: -kernel["seconds"])
        for kernel in kernels[:4]:
            yield f"      {decision_text(kernel)}"
        if len(kernels) > 4:
            yield f"      and {len(kernels) - 4} more kernels"


def strategies(rows: list[dict[str, Any]], count: int) -> Iterable[str]:
    """How much longer the default schedule takes than the best strategies that were measured, of rows of sweep --tune."""
    found = [(row["tuned"]["default"] / row["tuned"]["best"], row) for row in rows if row.get("tuned", {}).get("best")]
    if found:
        ratios = [ratio for ratio, _ in found]
        yield (f"default schedule over the best candidates, time of all kernels: median {number(percentile(ratios, 0.5))}, "
               f"95 % point {number(percentile(ratios, 0.95))}, most {number(max(ratios))} of {len(found)} workloads")
    for ratio, row in sorted(found, key=lambda one: -one[0])[:count]:
        yield f"  {number(ratio)}  {row['family']} {row['seed']}: {row['words']}"
        for kernel in sorted(row["tuned"]["kernels"], key=lambda one: one["seconds"] - one["default"])[:2]:
            yield f"      {kernel['kernel']}: {time_text(kernel['default'])}, {time_text(kernel['seconds'])} with {kernel['best']}"
    for row in rows:
        if "failed" in row.get("tuned", {}):
            yield f"  not tuned: {row['family']} {row['seed']}: {row['words']}: {row['tuned']['failed']}"


def failures(rows: list[dict[str, Any]], compilers: Iterable[str]) -> Iterable[str]:
    own, others = [], {}
    for row in rows:
        for kind in ("failed", "differs"):
            for system, reason in row[kind].items():
                if system in compilers or system == "export":
                    own.append(f"  {system} {'differs' if kind == 'differs' else 'fails'}: {row['family']} {row['seed']}: {row['words']}: {reason}")
                else:
                    others.setdefault((system, kind), []).append((row, reason))
    yield from own
    for (system, kind), found in sorted(others.items()):
        word = "does not run" if kind == "failed" else "differs, and is not compared, in"
        reasons: dict[str, list[str]] = {}
        for row, reason in found:
            reasons.setdefault(reason[:120], []).append(f"{row['family']} {row['seed']}")
        yield f"  {system} {word} {len(found)} workload{'s' * (len(found) > 1)}:"
        for reason, where in sorted(reasons.items(), key=lambda item: -len(item[1])):
            yield f"    {len(where)} × {reason} ({', '.join(where[:6])}{', …' * (len(where) > 6)})"


def failed(rows: list[dict[str, Any]], compilers: Iterable[str]) -> bool:
    return any(name in row["failed"] or name in row["differs"] for row in rows for name in compilers)


def summary(rows: list[dict[str, Any]], compilers: list[str], limits: dict[int, dict[str, float]]) -> dict[str, Any]:
    """The report for programs."""
    found: dict[str, Any] = {"limits": {str(threads): one for threads, one in limits.items()}, "compilers": {}}
    for name in compilers:
        families = {family: figures(group, name, limits) for family, group in by_family(rows).items()}
        found["compilers"][name] = {"all": figures(rows, name, limits), "families": families}
    for row in rows:
        row["roof"] = {name: roof(row, limits.get(row["threads"]), name) for name in compilers}
    return found | {"rows": rows}


def text(rows: list[dict[str, Any]], compilers: list[str], limits: dict[int, dict[str, float]], count: int) -> Iterable[str]:
    if not rows:
        yield "nothing was measured"
        return
    yield "speed: the best peer's time over mlgc's, above 1 mlgc is faster; eager: the same of eager alone; roof: share of what the machine can do"
    for threads, one in sorted(limits.items()):
        yield (f"machine, {threads} thread{'s' * (threads > 1)}: multiply-adds {one['flops'] / 1e9:.1f} GFLOP/s a thread; L2 {one['l2_gbs']:g}, "
               f"L3 {one['l3_gbs']:g}, memory {one['memory_gbs']:g} GB/s")
    for name in compilers:
        for threads in sorted({row["threads"] for row in rows}):
            chosen = [row for row in rows if row["threads"] == threads]
            yield f"\n{name}, {threads} thread{'s' * (threads > 1)}"
            lines = [cells_of(family, figures(group, name, limits)) for family, group in by_family(chosen).items()]
            yield from aligned([HEAD, *lines, cells_of("all", figures(chosen, name, limits))])
    if count:
        yield "\nthe worst"
        yield from worst(rows, compilers[0], count, limits)
    if lines := list(strategies(rows, count)):
        yield ""
        yield from lines
    if lines := list(failures(rows, compilers)):
        yield "\nwhat did not run or agree"
        yield from lines
