"""Charts as SVG: the rounds' residuals beside their noise, and errors by column or pair beside their scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from mwem_core.algorithm import Answering, Round

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 88, 12, 12, 34  # margins
LEAST_ERROR = 1e-4  # of a chart of errors: one below it is drawn there
ERRORS_STYLE = """
.errors { max-width: 46rem; font-size: .8rem; line-height: 1.3; }
.errors > div { display: grid; grid-template-columns: minmax(0, min(38%, 13rem)) 1fr; }
.errors .name { padding: .15rem .75rem .15rem 0; text-align: right; overflow-wrap: anywhere; }
.errors .track { position: relative; margin: 0 1rem;
  background: repeating-linear-gradient(to right, var(--line) 0 1px, transparent 1px calc(100% / var(--decades))); }
.errors .track span { position: absolute; top: 50%; transform: translate(-50%, -50%); }
.errors .dot { width: .65rem; height: .65rem; border-radius: 50%; background: var(--mark); }
.errors .base { width: .55rem; height: .55rem; border-radius: 50%; border: 1.5px solid currentColor; opacity: .6; }
.errors .scale { width: 2px; height: 80%; background: currentColor; }
.errors .axis { height: 1.75rem; }
.errors .axis .track { background: none; }
"""


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


def error_chart(errors: Sequence[Error], label: str, statement: str) -> str:
    """A line per error, on a logarithmic scale: a dot for the rows, a hollow one per baseline, a mark for the scale.

    `label` and `statement`, which says whether it may be published, are read aloud. It is HTML, so that its letters
    keep their size on a telephone. `ERRORS_STYLE` goes with it.
    """
    least = min(min(e.rows, e.scale or 1.0, *e.baselines) for e in errors)
    decades = max(1, -math.floor(math.log10(max(LEAST_ERROR, least))))

    def at(value: float) -> str:
        share = 1 + math.log10(min(1.0, max(value, 10.0**-decades))) / decades
        return f'style="left:{100 * share:.1f}%"'

    lines = []
    for error in errors:
        marks = [f'<span class="base" {at(value)}></span>' for value in error.baselines]
        marks += [f'<span class="scale" {at(error.scale)}></span>'] if error.scale else []
        marks.append(f'<span class="dot" {at(error.rows)}></span>')
        name, track = f'<div class="name">{escape(error.name)}</div>', f'<div class="track">{"".join(marks)}</div>'
        lines.append(f"<div>{name}{track}</div>")
    ticks = "".join(f"<span {at(10.0**-power)}>{10.0**-power:g}</span>" for power in range(decades, -1, -1))
    worst = sorted(errors, key=lambda error: -error.rows)[:3]
    words = f"{label}. Largest: {', '.join(f'{error.name} {error.rows:.4f}' for error in worst)}. {statement}"
    return (
        f'<div class="errors" role="img" aria-label="{escape(words)}" style="--decades:{decades}">'
        f'{"".join(lines)}<div class="axis"><div></div><div class="track">{ticks}</div></div></div>'
    )
