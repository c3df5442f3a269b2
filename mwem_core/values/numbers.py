"""Value sets of numbers: bins between edges, and whole numbers. Edges may be named by public facts alone.

These are the ends of a number, and how fine: equal widths, or widths that grow with the number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from mwem_core.base import is_whole
from mwem_core.forms import MAX_EXACT_FLOAT64, NumberStyle, number_form
from mwem_core.values.inside import FINE, OfCells, drawn_points

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


class NumberSet:
    """What value sets of numbers share; `inside` is how their numbers are written, if that is declared."""

    inside: Any

    def parse(self, texts: Sequence[str], *, end: bool = False) -> np.ndarray:  # noqa: ARG002 - dates have an end
        """Texts as numbers that compare with `cells`, (k,) -> (k,); NaN for a text that is no finite number."""
        if self.inside and self.inside.form:
            texts = list(map(number_form(self.inside.form).plain, texts))
        parsed = np.array(list(map(_number, texts)), float)
        return np.where(np.isfinite(parsed), parsed, np.nan)

    def written(self, number: float) -> str:
        """A number of `cells` as a text that predicates and ranges take."""
        return f"{number:g}"


@dataclass(frozen=True)
class Edges(NumberSet):
    """Bins of a number: half-open, except the last, which is closed.

    `inside` is how numbers are written in a bin. Without it they fill each bin evenly: the rule of version 0.3, by
    which older schemas still give the same rows. It changes no code, so it is no part of the `repr`, by which committed
    results know their data.
    """

    edges: tuple[float, ...]
    inside: NumberStyle | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.edges) < 2 or not all(is_number(edge) for edge in self.edges):
            raise ValueError(f"edges must be at least two finite numbers, got {list(self.edges)}")
        for low, high in zip(self.edges, self.edges[1:], strict=False):
            if not low < high:
                raise ValueError(f"edges must increase, got {low} before {high}")
        if self.inside:
            self.inside.grid(self.edges)

    @cached_property
    def _grid(self) -> tuple[np.ndarray, np.ndarray]:
        assert self.inside is not None
        return self.inside.grid(self.edges)

    @property
    def size(self) -> int:
        """Number of bins."""
        return len(self.edges) - 1

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return f"a number from {self._shown(0)} to {self._shown(-1)}"

    @property
    def summary(self) -> str:
        """What a column becomes."""
        return f"{self.size:,} bins of numbers, {self._shown(0)} to {self._shown(-1)}"

    @property
    def structure(self) -> str:
        """The cells, as error messages describe them."""
        shown = [self._shown(edge) for edge in range(len(self.edges))]
        return f"edges at {', '.join(shown if len(shown) <= 8 else [*shown[:3], '…', shown[-1]])}"

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The low end of each cell, its high end, and whether the cell includes the high end: three arrays (size,)."""
        edges = np.array(self.edges, dtype=float)
        return edges[:-1], edges[1:], np.arange(self.size) == self.size - 1

    def single(self, code: int) -> bool:
        """Whether a bin is known to hold a single number."""
        return self.inside is not None and bool(self._grid[0][code] == self._grid[1][code])

    def label(self, code: int) -> str:
        """The bin in interval notation: "[17, 25)"."""
        close = "]" if code == self.size - 1 else ")"
        return f"[{self._shown(code)}, {self._shown(code + 1)}{close}"

    def _shown(self, edge: int) -> str:
        return self.inside.shown(self.edges[edge]) if self.inside else str(self.edges[edge])

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is not a number or lies outside the edges."""
        parsed, edges = self.parse(texts), np.array(self.edges, dtype=float)
        codes = np.minimum(np.searchsorted(edges, parsed, side="right") - 1, self.size - 1)
        return np.where((parsed >= edges[0]) & (parsed <= edges[-1]), codes, -1)

    def decode(self, codes: np.ndarray, rng: Generator, rows: OfCells = None, means: OfCells = None) -> np.ndarray:
        """Draw a number from each code's bin, (m,) -> (m,): as `inside` says, given the `rows` of each bin, (size,).

        By default `rows` counts the codes. Without `inside` the draws are uniform, and integers if all edges are. An
        end that the bin excludes is never drawn. With the `means` of all bins, (size,), they have the tilted law.
        """
        if self.inside:
            in_units = None if means is None else means * float(1 / self.inside.unit)
            return self.inside.as_written(drawn_points(*self._grid, codes, rng, rows, in_units))
        edges, whole = np.array(self.edges), all(isinstance(edge, int) for edge in self.edges)
        low, high = edges[codes], edges[codes + 1]
        if means is not None and whole:
            last = edges[1:] - 1 + (np.arange(self.size) == self.size - 1)
            return drawn_points(edges[:-1], last, codes, rng, means=means)
        if means is not None:
            first, place = np.zeros(self.size, np.int64), (means - edges[:-1]) / np.diff(edges) * (FINE - 1)
            return low + (high - low) * (drawn_points(first, first + FINE - 1, codes, rng, means=place) / FINE)
        if whole:
            return rng.integers(low, high + (codes == self.size - 1))
        share = rng.random(len(codes))
        return np.clip((1 - share) * low + share * high, low, np.nextafter(high, low))

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        return {"edges": list(self.edges), **(self.inside.declaration() if self.inside else {})}


@dataclass(frozen=True)
class Range(NumberSet):
    """The whole numbers from `low` to `high`, both included, in cells of `width`; the last cell may be shorter.

    `inside` is as that of `Edges`; it has no decimals.
    """

    low: int
    high: int
    width: int = 1
    inside: NumberStyle | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not all(is_whole(end) and abs(end) <= MAX_EXACT_FLOAT64 for end in (self.low, self.high)):
            raise ValueError(f"range must be two whole numbers within ±2^53, got [{self.low}, {self.high}]")
        if self.low > self.high:
            raise ValueError(f"range is reversed: {self.low} is above {self.high}")
        if not is_whole(self.width) or not 1 <= self.width <= MAX_EXACT_FLOAT64:
            raise ValueError(f"width must be a whole number from 1 up, got {self.width}")
        if self.inside and self.inside.decimals:
            raise ValueError(f"a range has whole numbers, so decimals must be 0, got {self.inside.decimals}; use edges")

    @property
    def size(self) -> int:
        """Number of cells."""
        return (self.high - self.low) // self.width + 1

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return "0 or 1" if self == BITS else f"a whole number from {self.low} to {self.high}"

    @property
    def summary(self) -> str:
        """What a column becomes."""
        low, high = (self.inside.shown(end) if self.inside else end for end in (self.low, self.high))
        if self.width > 1:
            return f"{self.size:,} bins of whole numbers, {low} to {high}"
        return "0 or 1" if self == BITS else f"{self.size:,} whole numbers, {low} to {high}"

    @property
    def structure(self) -> str:
        """The cells, as error messages describe them."""
        return f"cells of width {self.width} from {self.low}"

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The low end of each cell, its high end, and whether the cell includes the high end: three arrays (size,)."""
        low = self.low + self.width * np.arange(self.size)
        return low, np.minimum(low + self.width - 1, self.high), np.ones(self.size, dtype=bool)

    def single(self, code: int) -> bool:
        """Whether a cell holds a single number."""
        return self.width == 1 or self.low + code * self.width == self.high

    def label(self, code: int) -> str:
        """The number of a cell of width 1; "0..9" for a wider cell."""
        low = self.low + code * self.width
        ends = (low, min(low + self.width - 1, self.high))
        first, last = map(self.inside.shown, ends) if self.inside else map(str, ends)
        return first if first == last else f"{first}..{last}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is not a whole number or lies outside the range."""
        parsed = self.parse(texts)
        inside = (parsed >= self.low) & (parsed <= self.high) & (parsed == np.floor(parsed))
        codes = np.full(len(parsed), -1, dtype=np.int64)
        codes[inside] = (parsed[inside].astype(np.int64) - self.low) // self.width
        return codes

    def decode(self, codes: np.ndarray, rng: Generator, rows: OfCells = None, means: OfCells = None) -> np.ndarray:
        """Draw a whole number from each code's cell, (m,) -> (m,): as `inside` says, or uniformly without it.

        With the `means` of all cells, (size,), they have the tilted law.
        """
        low, high, _ = self.cells()
        if self.width == 1:
            points = low[codes]
        elif self.inside or means is not None:
            points = drawn_points(low, high, codes, rng, rows, means)
        else:
            return rng.integers(low[codes], high[codes] + 1)
        return self.inside.as_written(points) if self.inside else points

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        width = {} if self.width == 1 else {"width": self.width}
        inside = self.inside.declaration() if self.inside else {}
        return {"bits": True} if self == BITS else {"range": [self.low, self.high], **width, **inside}


def _number(text: str) -> float:
    try:
        return float(text) if "_" not in text else math.nan  # float("1_000") would be 1000
    except ValueError:
        return math.nan


def is_number(value: object) -> bool:
    """Whether a value is a finite float, or an integer that float64 represents exactly."""
    return (is_whole(value) and abs(value) <= MAX_EXACT_FLOAT64) or (isinstance(value, float) and math.isfinite(value))


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


BITS = Range(0, 1)
