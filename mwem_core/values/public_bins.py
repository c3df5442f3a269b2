"""Bins from public facts: the ends of a number, and how fine. Equal widths, or widths that grow with the number."""

from __future__ import annotations

import math
import re

from mwem_core.forms import MAX_EXACT_FLOAT64

BINS = 10  # roughly
LOG_STEPS = ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7))  # edges of a power of ten, from coarse to fine
LOG_SPAN = 1000  # from the largest number to the smallest, where numbers of at most one have no stated decimals
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?"
PUBLIC_BINS = re.compile(
    rf"\s*(?P<low>{NUMBER})\s*\.\.\s*(?P<high>{NUMBER})\s+"
    rf"(?:by\s+(?P<width>{NUMBER})|(?P<way>equal|log(?:\s+from\s+(?P<smallest>{NUMBER}))?))\s*",
    re.ASCII,
)
MAX_BINS = 10_000


def public_edges(text: str, decimals: int | None = None) -> tuple[float, ...]:
    """The edges that a text such as `0..1000 equal`, `0..1000 by 50` or `0..100000 log` stands for.

    `equal` and `log` choose round edges, about ten or a few more. A logarithmic scale has a bin for zero, from 0 to 1,
    or to the least number of these decimals, and mirrors its edges below zero. `0..100000 log from 100` has no edge
    between zero's bin and 100. Raises ValueError for any other text.

    >>> public_edges("0..100 by 25"), public_edges("0..1000 log")
    ((0, 25, 50, 75, 100), (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000))
    """
    match = PUBLIC_BINS.fullmatch(text)
    if match is None:
        raise ValueError(f"write bins as 17, 25, 90, or as 0..100 by 10, 0..100 equal or 0..100000 log; got {text!r}")
    low, high = float(match["low"]), float(match["high"])
    if not low < high:
        raise ValueError(f"bins go from a lower to a higher number, got {match['low']}..{match['high']}")
    if match["width"]:
        return _every(low, high, float(match["width"]))
    if match["way"] == "equal":
        return equal_edges(low, high)
    unit = None if decimals is None else 10.0**-decimals
    smallest = float(match["smallest"] or unit or min(1, max(-low, high) / LOG_SPAN))
    return log_edges(low, high, smallest=smallest, unit=unit)


def equal_edges(low: float, high: float) -> tuple[float, ...]:
    """Edges of about ten equal bins over [low, high], at multiples of 1, 2 or 5 times a power of ten."""
    exponent = math.floor(math.log10((high - low) / BINS))
    width = (high - low) * (1 - 1e-9)
    factor = next(factor for factor in (1, 2, 5, 10) if factor * 10.0**exponent * BINS >= width)
    step = factor * 10.0**exponent
    return tuple(_short(k * step) for k in range(math.floor(low / step), math.ceil(high / step) + 1))


def log_edges(low: float, high: float, *, smallest: float = 1.0, unit: float | None = None) -> tuple[float, ...]:
    """Edges over [low, high] at round numbers whose steps grow with them: at least ten bins if these suffice.

    If numbers are multiples of `unit`, so are the edges, and zero has the bin [0, unit) for itself; otherwise its bin
    ends at 1 or before. The next edge is at `smallest` or just below. The edges below zero mirror those above.
    """
    if not 0 < smallest < math.inf:
        raise ValueError(f"a logarithmic scale starts above zero, got {smallest:g}")
    edges: set[float] = set()
    for steps in LOG_STEPS:
        above = _decades(low if low > 0 else min(smallest, high), high, steps) if high > 0 else []
        below = _decades(-high if high < 0 else min(smallest, -low), -low, steps) if low < 0 else []
        zero = {0.0, *([unit or min(1.0, above[0])] if high > 0 else [])} if low <= 0 <= high else set()
        edges = {x for x in (*(-x for x in below), *zero, *above) if unit is None or _is_multiple(x, unit)}
        if len(edges) > BINS:
            break
    return tuple(map(_short, sorted(edges)))


def _decades(low: float, high: float, steps: tuple[float, ...]) -> list[float]:
    """Steps of powers of ten from the last one at or below `low` to the first at or above `high`; both are positive."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    edges = [_short(step * 10.0**power) for power in powers for step in steps]
    first = max(edge for edge in edges if edge <= low)
    last = min(edge for edge in edges if edge >= max(low, high))
    return [edge for edge in edges if first <= edge <= last]


def _every(low: float, high: float, width: float) -> tuple[float, ...]:
    """Edges from `low` in steps of `width` to `high`, which may end a shorter bin."""
    if width <= 0:
        raise ValueError(f"the width of bins must be above 0, got {width:g}")
    bins = math.ceil((high - low) / width * (1 - 1e-12))
    if bins > MAX_BINS:
        raise ValueError(f"that makes {bins:,} bins, more than {MAX_BINS:,}; make them wider")
    return (*(_short(low + k * width) for k in range(bins)), _short(high))


def _is_multiple(number: float, unit: float) -> bool:
    """Whether a number is a whole multiple of `unit`, but for rounding."""
    return abs(number / unit - round(number / unit)) < 1e-6


def _short(number: float) -> float:
    """A number without the noise of binary fractions; an integer if it is one."""
    rounded = float(f"{number:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) <= MAX_EXACT_FLOAT64 else rounded
