"""The value set of an attribute: listed texts, bins of a number, or a grid of whole numbers.

A value set has `size` cells with codes 0..size-1 and a `label` for each. `encode` maps texts to codes, and `decode`
maps codes to values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mwem_core.checks import is_whole, repeated

MAX_EXACT_FLOAT64 = 2**53  # float64 represents every integer up to here exactly


@dataclass(frozen=True)
class Values:
    """The texts of a categorical attribute, in the order declared."""

    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        for text in self.texts:
            if not isinstance(text, str):
                raise ValueError(f"values must be text in quotes, got {text!r}")
            _check_blanks(text)
        if duplicates := repeated(self.texts):
            raise ValueError(f"values list {duplicates[0]!r} twice; keep one")

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.texts)

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        shown = ", ".join(repr(text) for text in self.texts[:5])
        return f"one of {shown}" if self.size <= 5 else f"one of {self.size:,} values such as {shown}"

    @cached_property
    def _code(self) -> dict[str, int]:
        return {text: code for code, text in enumerate(self.texts)}

    def label(self, code: int) -> str:
        """The text of a code."""
        return self.texts[code]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is not declared."""
        return np.array([self._code.get(text, -1) for text in texts], dtype=np.int64)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:  # noqa: ARG002 - all value sets share this signature
        """The texts of codes, (m,) -> (m,)."""
        return np.array(self.texts, dtype=object)[codes]

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        return {"values": list(self.texts)}


@dataclass(frozen=True)
class Edges:
    """Bins of a number: half-open, except the last, which is closed."""

    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.edges) < 2 or not all(_is_number(edge) for edge in self.edges):
            raise ValueError(f"edges must be at least two finite numbers, got {list(self.edges)}")
        for low, high in zip(self.edges, self.edges[1:], strict=False):
            if not low < high:
                raise ValueError(f"edges must increase, got {low} before {high}")

    @property
    def size(self) -> int:
        """Number of bins."""
        return len(self.edges) - 1

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return f"a number from {self.edges[0]} to {self.edges[-1]}"

    @property
    def structure(self) -> str:
        """The cells, as error messages describe them."""
        shown = [str(edge) for edge in self.edges]
        return f"edges at {', '.join(shown if len(shown) <= 8 else [*shown[:3], '…', shown[-1]])}"

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The low end of each cell, its high end, and whether the cell includes the high end: three arrays (size,)."""
        edges = np.array(self.edges, dtype=float)
        return edges[:-1], edges[1:], np.arange(self.size) == self.size - 1

    def label(self, code: int) -> str:
        """The bin in interval notation: "[17, 25)"."""
        close = "]" if code == self.size - 1 else ")"
        return f"[{self.edges[code]}, {self.edges[code + 1]}{close}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is not a number or lies outside the edges."""
        parsed, edges = parse_numbers(texts), np.array(self.edges, dtype=float)
        codes = np.minimum(np.searchsorted(edges, parsed, side="right") - 1, self.size - 1)
        return np.where((parsed >= edges[0]) & (parsed <= edges[-1]), codes, -1)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw a number uniformly from each code's bin, (m,) -> (m,).

        The numbers are integers if all edges are. An end that the bin excludes is never drawn.
        """
        edges = np.array(self.edges)
        low, high = edges[codes], edges[codes + 1]
        if all(isinstance(edge, int) for edge in self.edges):
            return rng.integers(low, high + (codes == self.size - 1))
        share = rng.random(len(codes))
        return np.clip((1 - share) * low + share * high, low, np.nextafter(high, low))

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        return {"edges": list(self.edges)}


@dataclass(frozen=True)
class Range:
    """The whole numbers from `low` to `high`, both included, in cells of `width`; the last cell may be shorter."""

    low: int
    high: int
    width: int = 1

    def __post_init__(self) -> None:
        if not all(is_whole(end) and abs(end) <= MAX_EXACT_FLOAT64 for end in (self.low, self.high)):
            raise ValueError(f"range must be two whole numbers within ±2^53, got [{self.low}, {self.high}]")
        if self.low > self.high:
            raise ValueError(f"range is reversed: {self.low} is above {self.high}")
        if not is_whole(self.width) or self.width < 1:
            raise ValueError(f"width must be a whole number from 1 up, got {self.width}")

    @property
    def size(self) -> int:
        """Number of cells."""
        return (self.high - self.low) // self.width + 1

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return "0 or 1" if self == BITS else f"a whole number from {self.low} to {self.high}"

    @property
    def structure(self) -> str:
        """The cells, as error messages describe them."""
        return f"cells of width {self.width} from {self.low}"

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The low end of each cell, its high end, and whether the cell includes the high end: three arrays (size,)."""
        low = self.low + self.width * np.arange(self.size)
        return low, np.minimum(low + self.width - 1, self.high), np.ones(self.size, dtype=bool)

    def label(self, code: int) -> str:
        """The number of a cell of width 1; "0..9" for a wider cell."""
        low = self.low + code * self.width
        high = min(low + self.width - 1, self.high)
        return str(low) if low == high else f"{low}..{high}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is not a whole number or lies outside the range."""
        parsed = parse_numbers(texts)
        inside = (parsed >= self.low) & (parsed <= self.high) & (parsed == np.floor(parsed))
        codes = np.full(len(parsed), -1, dtype=np.int64)
        codes[inside] = (parsed[inside].astype(np.int64) - self.low) // self.width
        return codes

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw a whole number uniformly from each code's cell, (m,) -> (m,)."""
        low, high, _ = self.cells()
        return low[codes] if self.width == 1 else rng.integers(low[codes], high[codes] + 1)

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        width = {} if self.width == 1 else {"width": self.width}
        return {"bits": True} if self == BITS else {"range": [self.low, self.high], **width}


def parse_numbers(texts: Sequence[str]) -> np.ndarray:
    """Parse texts as numbers, (k,) -> (k,) float64; NaN for a text that is not a finite number."""
    parsed = np.array([_number(text) for text in texts], dtype=float)
    return np.where(np.isfinite(parsed), parsed, np.nan)


def _number(text: str) -> float:
    try:
        return float(text) if "_" not in text else math.nan  # float("1_000") would be 1000
    except ValueError:
        return math.nan


def _check_blanks(text: str) -> None:
    if text != text.strip():
        raise ValueError(f"value {text!r} has surrounding blanks, but tables are read without them; remove the blanks")


def _is_number(value: object) -> bool:
    """Whether a value is a finite float, or an integer that float64 represents exactly."""
    return (is_whole(value) and abs(value) <= MAX_EXACT_FLOAT64) or (isinstance(value, float) and math.isfinite(value))


BITS = Range(0, 1)
ValueSet = Values | Edges | Range
