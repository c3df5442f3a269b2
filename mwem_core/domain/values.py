"""What values an attribute can take: listed texts, bins of a number, or a grid of whole numbers.

Each kind has a `size`, a `label` for each of its codes 0..size-1, and `encode` and `decode` between texts and codes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mwem_core.checks import is_whole, repeated

EXACT = 2**53  # whole numbers up to here survive a float


@dataclass(frozen=True)
class Values:
    """The values of a categorical attribute, in the order declared."""

    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        for text in self.texts:
            if not isinstance(text, str):
                raise ValueError(f"values must be text in quotes, got {text!r}")
            _check_blanks(text)
        if twice := repeated(self.texts):
            raise ValueError(f"values list {twice[0]!r} twice; keep one")

    @property
    def size(self) -> int:
        """How many values."""
        return len(self.texts)

    @property
    def expects(self) -> str:
        """What an error says the schema expects."""
        shown = ", ".join(repr(text) for text in self.texts[:5])
        return f"one of {shown}" if self.size <= 5 else f"one of {self.size:,} values such as {shown}"

    @cached_property
    def _code(self) -> dict[str, int]:
        return {text: code for code, text in enumerate(self.texts)}

    def label(self, code: int) -> str:
        """The text itself."""
        return self.texts[code]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,); -1 where a text is not declared."""
        return np.array([self._code.get(text, -1) for text in texts], dtype=np.int64)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:  # noqa: ARG002 - the kinds share a shape
        """The texts, (m,) -> (m,)."""
        return np.array(self.texts, dtype=object)[codes]

    def declaration(self) -> dict[str, Any]:
        """The keys that declare it in a schema file."""
        return {"values": list(self.texts)}


@dataclass(frozen=True)
class Edges:
    """Bins of a number: half-open, the last one closed."""

    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.edges) < 2 or not all(_is_number(edge) for edge in self.edges):
            raise ValueError(f"edges must be at least two finite numbers, got {list(self.edges)}")
        for low, high in zip(self.edges, self.edges[1:], strict=False):
            if not low < high:
                raise ValueError(f"edges must increase, got {low} before {high}")

    @property
    def size(self) -> int:
        """How many bins."""
        return len(self.edges) - 1

    @property
    def expects(self) -> str:
        """What an error says the schema expects."""
        return f"a number from {self.edges[0]} to {self.edges[-1]}"

    @property
    def structure(self) -> str:
        """How an error names the cells a threshold has to respect."""
        shown = [str(edge) for edge in self.edges]
        return f"edges at {', '.join(shown if len(shown) <= 8 else [*shown[:3], '…', shown[-1]])}"

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Low end, high end and whether the high end belongs to the cell, each (size,)."""
        edges = np.array(self.edges, dtype=float)
        return edges[:-1], edges[1:], np.arange(self.size) == self.size - 1

    def label(self, code: int) -> str:
        """The bin as mathematics writes it: "[17, 25)"."""
        close = "]" if code == self.size - 1 else ")"
        return f"[{self.edges[code]}, {self.edges[code + 1]}{close}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Bins of texts, (k,) -> (k,); -1 where a text is no number or lies outside."""
        number, edges = numbers(texts), np.array(self.edges, dtype=float)
        codes = np.minimum(np.searchsorted(edges, number, side="right") - 1, self.size - 1)
        return np.where((number >= edges[0]) & (number <= edges[-1]), codes, -1)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A number in each bin, uniform, (m,) -> (m,): whole where all edges are; never an excluded end."""
        if all(isinstance(edge, int) for edge in self.edges):
            whole = np.array(self.edges)
            return rng.integers(whole[codes], whole[codes + 1] + (codes == self.size - 1))
        low, high, share = np.array(self.edges)[codes], np.array(self.edges)[codes + 1], rng.random(len(codes))
        return np.clip((1 - share) * low + share * high, low, np.nextafter(high, low))

    def declaration(self) -> dict[str, Any]:
        """The keys that declare it in a schema file."""
        return {"edges": list(self.edges)}


@dataclass(frozen=True)
class Range:
    """A grid of whole numbers, both ends included, in cells of `width`; the last cell may be short."""

    low: int
    high: int
    width: int = 1

    def __post_init__(self) -> None:
        if not all(is_whole(end) and abs(end) <= EXACT for end in (self.low, self.high)):
            raise ValueError(f"range must be two whole numbers within ±2^53, got [{self.low}, {self.high}]")
        if self.low > self.high:
            raise ValueError(f"range is reversed: {self.low} is above {self.high}")
        if not is_whole(self.width) or self.width < 1:
            raise ValueError(f"width must be a whole number from 1 up, got {self.width}")

    @property
    def size(self) -> int:
        """How many cells."""
        return (self.high - self.low) // self.width + 1

    @property
    def expects(self) -> str:
        """What an error says the schema expects."""
        return "0 or 1" if self == BITS else f"a whole number from {self.low} to {self.high}"

    @property
    def structure(self) -> str:
        """How an error names the cells a threshold has to respect."""
        return f"cells of width {self.width} from {self.low}"

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Low end, high end and whether the high end belongs to the cell, each (size,)."""
        low = self.low + self.width * np.arange(self.size)
        return low, np.minimum(low + self.width - 1, self.high), np.ones(self.size, dtype=bool)

    def label(self, code: int) -> str:
        """The number, or "0..9" for a wider cell."""
        low = self.low + code * self.width
        high = min(low + self.width - 1, self.high)
        return str(low) if low == high else f"{low}..{high}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Cells of texts, (k,) -> (k,); -1 where a text is no whole number or lies outside."""
        number = numbers(texts)
        inside = (number >= self.low) & (number <= self.high) & (number == np.floor(number))
        codes = np.full(len(number), -1, dtype=np.int64)
        codes[inside] = (number[inside].astype(np.int64) - self.low) // self.width
        return codes

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A whole number in each cell, uniform, (m,) -> (m,)."""
        low, high, _ = self.cells()
        return low[codes] if self.width == 1 else rng.integers(low[codes], high[codes] + 1)

    def declaration(self) -> dict[str, Any]:
        """The keys that declare it in a schema file."""
        width = {} if self.width == 1 else {"width": self.width}
        return {"bits": True} if self == BITS else {"range": [self.low, self.high], **width}


def numbers(texts: Sequence[str]) -> np.ndarray:
    """Texts as numbers, (k,) -> (k,) float64; NaN where a text is not a finite number."""
    parsed = np.array([_number(text) for text in texts], dtype=float)
    return np.where(np.isfinite(parsed), parsed, np.nan)


def _number(text: str) -> float:
    try:
        return float(text) if "_" not in text else math.nan  # Python's float would read 1_000
    except ValueError:
        return math.nan


def _check_blanks(text: str) -> None:
    if text != text.strip():
        raise ValueError(f"value {text!r} has surrounding blanks, which never match: tables are read without them")


def _is_number(value: object) -> bool:
    return (is_whole(value) and abs(value) <= EXACT) or (isinstance(value, float) and math.isfinite(value))


BITS = Range(0, 1)
