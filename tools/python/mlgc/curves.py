"""Draws curves as SVG. Needs Python alone."""
from __future__ import annotations

import html
import math
from collections.abc import Sequence

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 400, 64, 16, 40, 48
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a7a00")
TICKS = 5
MARKED = 16  # so few values are marked each

Curve = tuple[str, Sequence[float | None]]  # a name, and values; None leaves a gap


class NotDrawable(Exception):
    """There is nothing that can be drawn."""


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between the two, at most TICKS + 2."""
    if low == high:
        return [low]
    raw = (high - low) / TICKS
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw)
    return [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten between powers of ten; both ends where there is none."""
    return [10.0**n for n in range(math.floor(low), math.ceil(high) + 1) if low <= n <= high] or [10.0**low, 10.0**high]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def draw(curves: Sequence[Curve], title: str, x_label: str, y_label: str, logarithmic: bool, names: Sequence[str] | None = None) -> str:
    """The text of an SVG file. Values stand over their positions, or over `names`. NotDrawable."""
    drawn = [(name, [_finite(v) for v in values]) for name, values in curves]
    every = [v for _, values in drawn for v in values if v is not None]
    if not every:
        raise NotDrawable("there is no number to draw")
    if logarithmic and min(every) <= 0:
        raise NotDrawable(f"--log: {min(every)} is not above 0")
    scale = math.log10 if logarithmic else float
    low, high = scale(min(every)), scale(max(every))
    if low == high:
        low, high = low - 1, high + 1
    last = max(1, max(len(values) for _, values in drawn) - 1)
    inset = (WIDTH - LEFT - RIGHT) / (2 * (last + 1)) if names is not None else 0

    def x(i: float) -> float:
        return LEFT + inset + (WIDTH - LEFT - RIGHT - 2 * inset) * i / last

    def y(v: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (scale(v) - low) / (high - low)

    def text(at_x: float, at_y: float, words: object, more: str = "") -> str:
        return f'<text x="{at_x:.1f}" y="{at_y:.1f}" {more}>{html.escape(str(words))}</text>'

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           f'font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           text(LEFT, TOP - 20, title, 'font-size="14"')]
    for tick in log_ticks(low, high) if logarithmic else ticks(low, high):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#ddd"/>')
        out.append(text(LEFT - 6, y(tick) + 4, f"{tick:.4g}", 'text-anchor="end"'))
    for tick in ticks(0, last) if names is None else range(len(names)):
        if tick == int(tick):
            out.append(text(x(tick), HEIGHT - BOTTOM + 18, int(tick) if names is None else names[int(tick)], 'text-anchor="middle"'))
    out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_label, 'text-anchor="middle"'))
    out.append(text(14, (TOP + HEIGHT - BOTTOM) / 2, y_label,
                    f'text-anchor="middle" transform="rotate(-90 14 {(TOP + HEIGHT - BOTTOM) / 2:.1f})"'))
    for number, (name, points) in enumerate(drawn):
        colour, path, pen = COLOURS[number % len(COLOURS)], [], "M"
        for i, value in enumerate(points):
            if value is None:
                pen = "M"
                continue
            path.append(f"{pen}{x(i):.1f} {y(value):.1f}")
            pen = "L"
        # Curves that lie on each other show as dashes of both.
        dash = f' stroke-dasharray="6 {4 + 3 * (number % 4)}"' if number else ""
        out.append(f'<path d="{" ".join(path)}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>')
        if len(points) <= MARKED:
            out += [f'<circle cx="{x(i):.1f}" cy="{y(value):.1f}" r="3" fill="{colour}"/>' for i, value in enumerate(points) if value is not None]
        out.append(f'<line x1="{WIDTH - 170}" x2="{WIDTH - 146}" y1="{TOP + 16 * number}" y2="{TOP + 16 * number}" '
                   f'stroke="{colour}" stroke-width="2"{dash}/>')
        out.append(text(WIDTH - 140, TOP + 16 * number + 4, name))
    return "\n".join([*out, "</svg>"]) + "\n"
