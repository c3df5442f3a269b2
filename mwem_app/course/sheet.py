"""A lesson on paper: data to compute with by hand, figures in black and white, and tasks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup, escape


@dataclass(frozen=True)
class Data:
    """A small table to compute with. An empty text is a place to write."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Figure:
    """A drawing as SVG, with what it shows."""

    title: str
    drawing: Markup


@dataclass(frozen=True)
class Task:
    """What to do by hand, lines to write it on, and the answer, which only the teacher's key has."""

    text: str
    answer: str
    lines: int = 1


WIDTH, LEFT, RIGHT, FOOT, TOP = 640, 46, 14, 40, 14
FILLS = ("#fff", "#555", "url(#hatched)")  # told apart by a print in one colour
HATCH_PATTERN = (
    '<defs><pattern id="hatched" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="5" height="5" fill="#fff"/><rect width="2" height="5" fill="#000"/></pattern></defs>'
)


def bars(
    names: Sequence[str], values: Mapping[str, Sequence[float] | np.ndarray], *, label: str, height: int = 210
) -> Markup:
    """Bars side by side for each name, one of each series, with their numbers. Heights start at 0."""
    most = max(max(series) for series in values.values()) or 1
    floor = height - 10 - 15 * max(name.count("\n") + 1 for name in names)
    wide = (WIDTH - 2 * RIGHT) / len(names)
    each = wide * 0.8 / len(values)
    drawn = []
    for i, name in enumerate(names):
        start = RIGHT + (i + 0.1) * wide
        for k, series in enumerate(values.values()):
            high = (floor - TOP - 34) * series[i] / most
            drawn.append(
                f'<rect x="{start + k * each:.1f}" y="{floor - high:.1f}" width="{each:.1f}" height="{high:.1f}" '
                f'fill="{FILLS[k]}" stroke="#000"/>'
            )
            drawn.append(_text(start + (k + 0.5) * each, floor - high - 4, f"{series[i]:.3g}", "middle"))
        lines = name.split("\n")
        drawn += [_text(start + 0.4 * wide, floor + 16 + 15 * k, line, "middle") for k, line in enumerate(lines)]
    drawn.append(_line(RIGHT, floor, WIDTH - RIGHT, floor))
    return _svg(height, label, [*_legend(list(values)), *drawn])


def strips(groups: Mapping[str, np.ndarray], low: float, high: float, *, title: str, label: str) -> Markup:
    """Stacked dots over one axis, a strip for each group. Values beyond the ends are counted at the ends."""
    strip, wide = 92, 9
    height = strip * len(groups) + FOOT
    drawn = []
    for i, (name, values) in enumerate(groups.items()):
        floor = (i + 1) * strip
        inside = values[(low <= values) & (values <= high)]
        places = np.rint(_across(inside, low, high, RIGHT) / wide).astype(int)
        found, counts = np.unique(places, return_counts=True)
        rise = min(wide, (strip - 30) / counts.max(initial=1))
        drawn += [
            f'<circle cx="{place * wide}" cy="{floor - 5 - k * rise:.1f}" r="3.6" fill="{FILLS[i]}" stroke="#000"/>'
            for place, count in zip(found, counts, strict=True)
            for k in range(count)
        ]
        drawn += [_line(RIGHT, floor, WIDTH - RIGHT, floor), _text(RIGHT, floor - strip + 18, name)]
        ends = (RIGHT, "start", "← {} more", values < low), (WIDTH - RIGHT, "end", "{} more →", values > high)
        drawn += [_text(x, floor - 0.4 * strip, text.format(n.sum()), at) for x, at, text, n in ends if n.any()]
    floor = height - FOOT
    drawn += [_text(_across(x, low, high, RIGHT), floor + 18, f"{x:g}", "middle") for x in _ticks(low, high)]
    return _svg(height, label, [*drawn, _text(WIDTH / 2, height - 4, title, "middle")])


def curve_grid(
    names: Sequence[str],
    lines: Mapping[str, Sequence[float]],
    *,
    high: float,
    x: str,
    y: str,
    label: str,
    height: int = 260,
) -> Markup:
    """A grid to draw on, with a place for each name and heights from 0 to `high`, and lines that are given."""
    floor, step = height - FOOT, (WIDTH - LEFT - RIGHT) / len(names)
    columns = [LEFT + (i + 0.5) * step for i in range(len(names))]

    def up(value: float) -> float:
        return floor - (floor - TOP - 20) * min(value, high) / high

    drawn = [_line(LEFT, up(level), WIDTH - RIGHT, up(level), "#bbb") for level in _ticks(0, high)]
    drawn += [_text(LEFT - 6, up(level) + 5, f"{level:g}", "end") for level in _ticks(0, high)]
    drawn += [_line(at, floor, at, up(high), "#ddd") for at in columns]
    drawn += [_text(at, floor + 17, name, "middle") for at, name in zip(columns, names, strict=True)]
    for k, (name, values) in enumerate(lines.items()):
        points = " ".join(f"{at:.1f},{up(value):.1f}" for at, value in zip(columns, values, strict=True))
        dash = f' stroke-dasharray="{("none", "7 5", "2 4")[k]}"'
        drawn.append(f'<polyline points="{points}" fill="none" stroke="#000" stroke-width="2"{dash}/>')
        drawn.append(_text(columns[-1], up(values[-1]) - 6, name, "end"))
    drawn += [_line(LEFT, floor, WIDTH - RIGHT, floor), _text(WIDTH / 2, height - 4, x, "middle"), _text(0, 12, y)]
    return _svg(height, label, drawn)


def ring_figure(names: Sequence[str], *, label: str, height: int = 250) -> Markup:
    """Names on a ring, to draw lines between."""
    angles = [2 * math.pi * (i + 0.5) / len(names) - math.pi / 2 for i in range(len(names))]
    places = [(WIDTH / 2 + 150 * math.cos(a), height / 2 + (height / 2 - 22) * math.sin(a)) for a in angles]
    drawn = []
    for (x, y), angle, name in zip(places, angles, names, strict=True):
        right = math.cos(angle) > 0
        drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="#fff" stroke="#000" stroke-width="2"/>')
        drawn.append(_text(x + (12 if right else -12), y + 5, name, "start" if right else "end"))
    return _svg(height, label, drawn)


def _svg(height: float, label: str, drawn: Sequence[str]) -> Markup:
    text = Markup("").join(Markup(each) for each in drawn)
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}</svg>'
    ).format(WIDTH, height, label, Markup(HATCH_PATTERN), text)


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str = "#000") -> str:
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {place} stroke="{colour}" stroke-width="1"/>'


def _legend(names: Sequence[str]) -> list[str]:
    if len(names) < 2:
        return []
    drawn, x = [], float(RIGHT)
    for k, name in enumerate(names):
        drawn += [
            f'<rect x="{x:.1f}" y="2" width="12" height="12" fill="{FILLS[k]}" stroke="#000"/>',
            _text(x + 18, 13, name),
        ]
        x += 40 + 7.5 * len(name)
    return drawn


def _across(value, low: float, high: float, margin: float):
    return margin + (WIDTH - 2 * margin) * (value - low) / (high - low)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from low to high, about five."""
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round((first + i) * step, 9) for i in range(math.floor(high / step + 1e-9) - first + 1)]
