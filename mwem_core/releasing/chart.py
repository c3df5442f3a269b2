"""A chart of the rounds as SVG: how far each measurement was from the model, beside the noise to expect in it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mwem_core.algorithm import Answering, Round

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 88, 12, 12, 34  # margins


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
