"""The picture of scripts/sweep: each family is a line of points, a workload each, on a logarithmic axis of speed. Needs Python alone."""
from __future__ import annotations

import html
import math

WIDTH, LEFT, RIGHT, TOP, BOTTOM, STEP = 760, 120, 20, 56, 40, 20
BLUE, RED, GREY = "#0072b2", "#d55e00", "#999"


def plot(speeds: dict[str, list[float]], title: str) -> str:
    """The text of an SVG file: points of each family by speed, its median as a bar; those below 1 have another colour. ValueError: there is no point."""
    every = [value for values in speeds.values() for value in values]
    if not every:
        raise ValueError("there is no speed to draw")
    low, high = math.log10(min(0.25, *every)), math.log10(max(4, *every))
    height = TOP + STEP * len(speeds) + BOTTOM

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(value) - low) / (high - low)

    def text(at_x: float, at_y: float, words: str, more: str = "") -> str:
        return f'<text x="{at_x:.1f}" y="{at_y:.1f}" {more}>{html.escape(words)}</text>'

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>', text(LEFT, 22, title, 'font-size="14"'),
           text(LEFT, 40, f"each point is a workload; below 1 ({sum(v < 1 for v in every)} of {len(every)}) mlgc is slower; bars are medians", f'fill="{GREY}"')]
    ticks = [m * 10.0**n for n in range(math.floor(low), math.ceil(high) + 1) for m in (1, 2, 5) if low <= math.log10(m * 10.0**n) <= high]
    for tick in ticks:
        out.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP}" y2="{height - BOTTOM}" stroke="{"#666" if tick == 1 else "#ddd"}"/>')
        out.append(text(x(tick), height - BOTTOM + 16, f"{tick:g}", 'text-anchor="middle"'))
    out.append(text((LEFT + WIDTH - RIGHT) / 2, height - 8, "time of the best peer / time of mlgc", 'text-anchor="middle"'))
    for number, (family, values) in enumerate(speeds.items()):
        y = TOP + STEP * (number + 0.5)
        out.append(text(LEFT - 10, y + 4, family, 'text-anchor="end"'))
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#eee"/>')
        for value in values:
            out.append(f'<circle cx="{x(value):.1f}" cy="{y:.1f}" r="3" fill="{RED if value < 1 else BLUE}" fill-opacity="0.6"/>')
        if values:
            middle = x(sorted(values)[len(values) // 2])
            out.append(f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="{y - 7:.1f}" y2="{y + 7:.1f}" stroke="black" stroke-width="2"/>')
    return "\n".join([*out, "</svg>"]) + "\n"
