"""Charts as SVG: the rounds' residuals beside their noise, and errors by column or pair beside their scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from mwem_core.algorithm import Answering, Round

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 88, 12, 12, 34  # margins
NAMES, LINE = 210, 22  # of a chart of errors: the width of the names, the height of a line
MAX_LETTERS = 30  # of a name
LEAST = 1e-4  # an error below it is drawn there


def residual_chart(rounds: Sequence[Round[Answering]]) -> str:
    """A dot a round for its residual and a line for the expected noise, on a logarithmic scale; empty without two."""
    shown = [entry for entry in rounds if entry.index and entry.measurements and entry.expected_noise > 0]
    if len(shown) < 2:
        return ""
    noise = [entry.expected_noise for entry in shown]
    residuals = [max(entry.residual, 1e-3 * least) for entry, least in zip(shown, noise, strict=True)]
    low, high = math.floor(math.log10(min(residuals + noise))), math.ceil(math.log10(max(residuals + noise)))
    high = max(high, low + 1)
    first, last = shown[0].index, shown[-1].index

    def at(index: int, value: float) -> tuple[float, float]:
        x = LEFT + (index - first) / (last - first) * (WIDTH - LEFT - RIGHT)
        y = TOP + (high - math.log10(value)) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return round(x, 1), round(y, 1)

    places = [at(entry.index, value) for entry, value in zip(shown, residuals, strict=True)]
    line = " ".join("{},{}".format(*at(entry.index, value)) for entry, value in zip(shown, noise, strict=True))
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in places)
    ticks = "".join(_tick(10.0**power, at(first, 10.0**power)[1]) for power in range(low, high + 1))
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Residual of each round and the noise to expect">'
        f'{ticks}<polyline points="{line}"/>{dots}'
        f'<text x="{LEFT}" y="{HEIGHT - 8}">round {first}</text>'
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">round {last}</text></svg>'
    )


def _tick(value: float, y: float) -> str:
    """A horizontal line with its number of records."""
    return (
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>'
        f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{value:,.15g}</text>'
    )


@dataclass(frozen=True)
class Error:
    """An error from 0 to 1 to draw: of the rows, its scale (a short line), and of baselines that know less."""

    name: str
    rows: float
    scale: float
    baselines: tuple[float, ...]


def error_chart(errors: Sequence[Error], label: str) -> str:
    """A line per error, on a logarithmic scale: a dot for the rows, a hollow one per baseline, a mark for the scale."""
    height, least = TOP + LINE * len(errors) + BOTTOM, min(min(e.rows, e.scale or 1.0, *e.baselines) for e in errors)
    low = min(-1, math.floor(math.log10(max(LEAST, least))))

    def x(value: float) -> float:
        share = math.log10(min(1.0, max(value, 10.0**low))) / low
        return round(NAMES + (1 - share) * (WIDTH - NAMES - RIGHT), 1)

    parts = []
    for power in range(low, 1):
        at = x(10.0**power)
        parts.append(f'<line x1="{at}" x2="{at}" y1="{TOP}" y2="{height - BOTTOM}"/>')
        parts.append(f'<text x="{at}" y="{height - 14}" text-anchor="middle">{10.0**power:g}</text>')
    for i, error in enumerate(errors):
        y = TOP + LINE * i + LINE / 2
        name = error.name if len(error.name) <= MAX_LETTERS else error.name[: MAX_LETTERS - 1] + "…"
        parts.append(f'<text x="{NAMES - 10}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        parts += [f'<circle class="base" cx="{x(value)}" cy="{y}" r="3.5"/>' for value in error.baselines]
        if error.scale:
            parts.append(f'<line class="scale" x1="{x(error.scale)}" x2="{x(error.scale)}" y1="{y - 6}" y2="{y + 6}"/>')
        parts.append(f'<circle cx="{x(error.rows)}" cy="{y}" r="4.5"/>')
    frame = f'<svg class="errors" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">'
    return f"{frame}{''.join(parts)}</svg>"
