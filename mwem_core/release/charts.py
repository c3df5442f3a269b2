"""Charts of the pages, as the values that the macros of `parts.html.jinja` draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mwem_core.algorithm import AnswerSource, Round

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 88, 12, 12, 34  # margins
LEAST_ERROR = 1e-4  # of a chart of errors: one below it is drawn there


def residual_chart(rounds: Sequence[Round[AnswerSource]]) -> dict[str, Any]:
    """A dot a round for its residual and a line for the expected noise, on a logarithmic scale; empty without two."""
    shown = [entry for entry in rounds if entry.index and entry.measurements and entry.expected_noise > 0]
    if len(shown) < 2:
        return {}
    noise = [entry.expected_noise for entry in shown]
    residuals = [max(entry.residual, 1e-3 * least) for entry, least in zip(shown, noise, strict=True)]
    low, high = math.floor(math.log10(min(residuals + noise))), math.ceil(math.log10(max(residuals + noise)))
    high = max(high, low + 1)
    first, last = shown[0].index, shown[-1].index

    def at(index: int, value: float) -> tuple[float, float]:
        x = LEFT + (index - first) / (last - first) * (WIDTH - LEFT - RIGHT)
        y = TOP + (high - math.log10(value)) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return round(x, 1), round(y, 1)

    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "ticks": [(10.0**power, at(first, 10.0**power)[1]) for power in range(low, high + 1)],
        "noise": [at(entry.index, value) for entry, value in zip(shown, noise, strict=True)],
        "residuals": [at(entry.index, value) for entry, value in zip(shown, residuals, strict=True)],
        "first": first,
        "last": last,
    }


@dataclass(frozen=True)
class Error:
    """An error from 0 to 1 to draw: of the rows, its scale (a short line), and of baselines that know less."""

    name: str
    rows: float
    scale: float
    baselines: tuple[float, ...]

    @property
    def cells(self) -> list[str]:
        """A line of a table: the name, the error, its scale and the baselines."""
        return [self.name, *(f"{value:.4f}" for value in (self.rows, self.scale, *self.baselines))]


def error_chart(errors: Sequence[Error], label: str, statement: str, most: int) -> dict[str, Any]:
    """A line per error, on a logarithmic scale: a dot for the rows, a hollow one per baseline, a mark for the scale.

    Of more than `most` errors the worst are drawn. `label` and `statement`, which says whether it may be published, are
    read aloud. It is HTML, so that its letters keep their size on a telephone. Empty without errors.
    """
    if not errors:
        return {}
    by_size = sorted(errors, key=lambda error: -error.rows)
    errors = errors if len(errors) <= most else by_size[:most]
    least = min(min(e.rows, e.scale or 1.0, *e.baselines) for e in errors)
    decades = max(1, -math.floor(math.log10(max(LEAST_ERROR, least))))

    def at(value: float) -> str:
        share = 1 + math.log10(min(1.0, max(value, 10.0**-decades))) / decades
        return f"{100 * share:.1f}%"

    worst = ", ".join(f"{error.name} {error.rows:.4f}" for error in by_size[:3])
    words = f"{label}. Largest: {worst}. {statement}"
    powers = [10.0**power for power in range(-decades, 1)]
    return {"errors": errors, "words": words, "decades": decades, "powers": powers, "at": at}
