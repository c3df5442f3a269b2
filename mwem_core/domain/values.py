"""The value set of an attribute: texts, groups of codes, bins of a number, measured or not, whole numbers, or dates.

A value set has `size` cells with codes 0..size-1 and a `label` for each. `encode` maps texts to codes, and `decode`
maps codes to values. `ordered` says whether its cells have an order; those that have one give the ends of their `cells`
and `parse` texts as numbers to compare with them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from mwem_core.checks import is_whole, repeated
from mwem_core.domain.dates import Dates
from mwem_core.domain.inside import MAX_EXACT_FLOAT64, Inside

MAX_GRID = 10_000_000  # of the values of a number whose bins are measured: they are counted one by one


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
    def ordered(self) -> bool:
        """Texts have no order."""
        return False

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

    def decode(self, codes: np.ndarray, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:  # noqa: ARG002 - all value sets share this signature
        """The texts of codes, (m,) -> (m,)."""
        return np.array(self.texts, dtype=object)[codes]

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        return {"values": list(self.texts)}


@dataclass(frozen=True)
class Codes:
    """Groups of listed codes, such as those of diagnoses: the codes with the same first `prefix` characters.

    A row comes back with a code of its group, each with the same chance.
    """

    codes: tuple[str, ...]
    prefix: int

    def __post_init__(self) -> None:
        if not is_whole(self.prefix) or self.prefix < 1:
            raise ValueError(f"prefix must be a whole number of characters from 1 up, got {self.prefix!r}")
        Values(self.codes)

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        """The codes of each group, in the order declared."""
        members: dict[str, list[str]] = {}
        for code in self.codes:
            members.setdefault(code[: self.prefix], []).append(code)
        return members

    @cached_property
    def _group(self) -> dict[str, int]:
        return {code: group for group, codes in enumerate(self._members.values()) for code in codes}

    @cached_property
    def _labels(self) -> list[str]:
        return list(self._members)

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self._members)

    @property
    def ordered(self) -> bool:
        """Groups of codes have no order."""
        return False

    @property
    def texts(self) -> tuple[str, ...]:
        """The codes, as a table holds them."""
        return self.codes

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return Values(self.codes).expects

    @property
    def structure(self) -> str:
        """The cells, as error messages describe them."""
        return f"groups by the first {self.prefix} characters" if self.prefix > 1 else "groups by the first character"

    def label(self, code: int) -> str:
        """The first characters that the codes of a group share."""
        return self._labels[code]

    def single(self, code: int) -> bool:
        """Whether a group has a single code."""
        return len(self._members[self._labels[code]]) == 1

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is not declared."""
        return np.array([self._group.get(text, -1) for text in texts], dtype=np.int64)

    def decode(self, codes: np.ndarray, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:  # noqa: ARG002 - all value sets share this signature
        """Draw one of the listed codes of each group, (m,) -> (m,) texts."""
        listed = np.array([code for group in self._members.values() for code in group], dtype=object)
        sizes = np.array([len(group) for group in self._members.values()])
        starts = np.cumsum(sizes) - sizes
        return listed[starts[codes] + rng.integers(sizes[codes])]

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        return {"values": list(self.codes), "prefix": self.prefix}


@dataclass(frozen=True)
class Edges:
    """Bins of a number: half-open, except the last, which is closed.

    `inside` is how numbers are written in a bin. Without it they fill each bin evenly: the rule of version 0.3, by
    which older schemas still give the same rows. It changes no code, so it is no part of the `repr`, by which committed
    results know their data.
    """

    edges: tuple[float, ...]
    inside: Inside | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.edges) < 2 or not all(_is_number(edge) for edge in self.edges):
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
    def ordered(self) -> bool:
        """Bins have an order."""
        return True

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

    def parse(self, texts: Sequence[str], *, end: bool = False) -> np.ndarray:  # noqa: ARG002 - dates have an end
        """Texts as numbers that compare with `cells`, (k,) -> (k,); NaN for a text that is not a number."""
        return parse_numbers(texts)

    def written(self, number: float) -> str:
        """A number of `cells` as a text that predicates and ranges take."""
        return f"{number:g}"

    def single(self, code: int) -> bool:
        """Whether a bin is known to hold a single number."""
        return self.inside is not None and bool(self._grid[0][code] == self._grid[1][code])

    def label(self, code: int) -> str:
        """The bin in interval notation: "[17, 25)"."""
        close = "]" if code == self.size - 1 else ")"
        return f"[{self.edges[code]}, {self.edges[code + 1]}{close}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text that is not a number or lies outside the edges."""
        parsed, edges = parse_numbers(texts), np.array(self.edges, dtype=float)
        codes = np.minimum(np.searchsorted(edges, parsed, side="right") - 1, self.size - 1)
        return np.where((parsed >= edges[0]) & (parsed <= edges[-1]), codes, -1)

    def decode(self, codes: np.ndarray, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:
        """Draw a number from each code's bin, (m,) -> (m,): as `inside` says, given the `rows` of each bin, (size,).

        By default `rows` counts the codes. Without `inside` the draws are uniform, and integers if all edges are. An
        end that the bin excludes is never drawn.
        """
        if self.inside:
            rows = np.bincount(codes, minlength=self.size) if rows is None else rows
            return self.inside.draw(*self._grid, codes, rows, rng)
        edges = np.array(self.edges)
        low, high = edges[codes], edges[codes + 1]
        if all(isinstance(edge, int) for edge in self.edges):
            return rng.integers(low, high + (codes == self.size - 1))
        share = rng.random(len(codes))
        return np.clip((1 - share) * low + share * high, low, np.nextafter(high, low))

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        return {"edges": list(self.edges), **(self.inside.declaration() if self.inside else {})}


@dataclass(frozen=True)
class Range:
    """The whole numbers from `low` to `high`, both included, in cells of `width`; the last cell may be shorter.

    `inside` is as that of `Edges`; it has no decimals.
    """

    low: int
    high: int
    width: int = 1
    inside: Inside | None = field(default=None, repr=False)

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
    def ordered(self) -> bool:
        """Whole numbers have an order."""
        return True

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

    def parse(self, texts: Sequence[str], *, end: bool = False) -> np.ndarray:  # noqa: ARG002 - dates have an end
        """Texts as numbers that compare with `cells`, (k,) -> (k,); NaN for a text that is not a number."""
        return parse_numbers(texts)

    def written(self, number: float) -> str:
        """A number of `cells` as a text that predicates and ranges take."""
        return f"{number:g}"

    def single(self, code: int) -> bool:
        """Whether a cell holds a single number."""
        return self.width == 1 or self.low + code * self.width == self.high

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

    def decode(self, codes: np.ndarray, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:
        """Draw a whole number from each code's cell, (m,) -> (m,): as `inside` says, or uniformly without it."""
        low, high, _ = self.cells()
        if self.width == 1:
            return low[codes]
        if self.inside:
            rows = np.bincount(codes, minlength=self.size) if rows is None else rows
            return self.inside.draw(low, high, codes, rows, rng)
        return rng.integers(low[codes], high[codes] + 1)

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        width = {} if self.width == 1 else {"width": self.width}
        inside = self.inside.declaration() if self.inside else {}
        return {"bits": True} if self == BITS else {"range": [self.low, self.high], **width, **inside}


@dataclass(frozen=True)
class Steps:
    """The numbers of some decimals from `low` to `high`, both included, as a grid for `Unbinned`.

    Each has a cell for itself, or as many digits of it as `MAX_GRID` cells can tell apart.
    """

    low: float
    high: float
    inside: Inside

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if not _is_number(end) or self.inside.scaled(end) % 1:
                raise ValueError(f"range must be two numbers of {self.inside.decimals} decimals, got {end!r}")
        if self.low > self.high:
            raise ValueError(f"range is reversed: {self.low} is above {self.high}")
        self.inside.grid((self.low, self.high))

    @cached_property
    def digits(self) -> int:
        """The decimals that cells tell apart; below zero, so many digits before the point they do not."""
        longest = math.floor(math.log10((MAX_GRID - 2) / max(self.high - self.low, 1e-300)))
        return min(self.inside.decimals, longest)

    @cached_property
    def first(self) -> int:
        """The first cell's number, in units of the last digit that is told apart."""
        return math.floor(Decimal(str(self.low)).scaleb(self.digits))

    @property
    def size(self) -> int:
        """Number of cells."""
        return math.floor(Decimal(str(self.high)).scaleb(self.digits)) - self.first + 1

    @property
    def ordered(self) -> bool:
        """Numbers have an order."""
        return True

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return f"a number from {self.low} to {self.high}"

    @property
    def structure(self) -> str:
        """The cells, as error messages describe them."""
        return f"cells of {10.0**-self.digits:g} from {self.low}"

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The low end of each cell, its high end, and whether the cell includes the high end: three arrays (size,)."""
        number = (self.first + np.arange(self.size)).astype(float)
        low = number / 10.0**self.digits if self.digits >= 0 else number * 10.0**-self.digits
        low[0] = self.low
        return low, np.append(low[1:], self.high), np.arange(self.size) == self.size - 1

    def parse(self, texts: Sequence[str], *, end: bool = False) -> np.ndarray:  # noqa: ARG002 - dates have an end
        """Texts as numbers that compare with `cells`, (k,) -> (k,); NaN for a text that is not a number."""
        return parse_numbers(texts)

    def written(self, number: float) -> str:
        """A number of `cells` as a text."""
        return f"{number:.{self.inside.decimals}f}"

    def single(self, code: int) -> bool:  # noqa: ARG002 - all value sets with an order share this signature
        """Whether a cell holds a single number of these decimals."""
        return self.digits == self.inside.decimals

    def label(self, code: int) -> str:
        """The first number of the cell."""
        return self.written(float(self.cells()[0][code]))

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text outside the range. Further decimals are cut off."""
        parsed = parse_numbers(texts)
        codes = np.searchsorted(self.cells()[0], parsed, side="right") - 1
        return np.where((parsed >= self.low) & (parsed <= self.high), codes, -1)

    def decode(self, codes: np.ndarray, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:  # noqa: ARG002 - all value sets share this signature
        """The first number of each code's cell, (m,) -> (m,)."""
        return self.cells()[0][codes]

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this grid in a schema file, beside measured_bins."""
        return {"range": [self.low, self.high], **self.inside.declaration()}


@dataclass(frozen=True)
class Unbinned:
    """A number whose bins a run measures first: only the `grid` of its values, and how many `bins`, are public so far.

    Until they are measured, the bins are of equal width. Once they are, numbers lie in them as `inside` says.
    Raises ValueError unless there are at least two bins, and as many `starts` as bins.
    """

    grid: Range | Steps
    bins: int

    def __post_init__(self) -> None:
        if not is_whole(self.bins) or self.bins < 2:
            raise ValueError(f"measured_bins must be a whole number from 2 up, got {self.bins!r}")
        if self.grid.size > MAX_GRID:
            raise ValueError(
                f"the range has {self.grid.size:,} values, and at most {MAX_GRID:,} are counted: set a larger width"
            )
        if self.bins > len(self.starts):
            raise ValueError(
                f"measured_bins asks for {self.bins:,} bins, but {len(self.starts):,} are the most that the range has: "
                "lower it, or leave it out"
            )

    @property
    def inside(self) -> Inside:
        """How numbers are written inside a bin, and lie in it: whole ones, if no decimals are declared."""
        return self.grid.inside or Inside()

    @cached_property
    def starts(self) -> np.ndarray:
        """The numbers that a bin may begin with, ascending: (starts,).

        They are the first ones of the cells, but for a last cell of one number: the last bin is closed.
        """
        low, high, _ = self.grid.cells()
        return low[:-1] if low[-1] == high[-1] else low

    @property
    def least(self) -> int:
        """The first of `starts` in units of the grid, so that multiples of ten units are round numbers."""
        return self.grid.low // self.grid.width if isinstance(self.grid, Range) else self.grid.first

    @property
    def size(self) -> int:
        """Number of bins."""
        return self.bins

    @property
    def ordered(self) -> bool:
        """Bins have an order."""
        return True

    @property
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return self.grid.expects

    @property
    def structure(self) -> str:
        """The cells, as error messages describe them."""
        return f"{self.bins} bins that the run measures"

    @cached_property
    def equal(self) -> Edges:
        """Bins of equal width, but for rounding."""
        return self.edges(np.arange(self.bins) * len(self.starts) // self.bins)

    def edges(self, first: np.ndarray) -> Edges:
        """The bins that begin with these of the `starts`, ascending from 0: (bins,)."""
        return Edges((*self.starts[first].tolist(), self.grid.high), self.inside)

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The bins of equal width, as those of `Edges`: three arrays (size,)."""
        return self.equal.cells()

    def parse(self, texts: Sequence[str], *, end: bool = False) -> np.ndarray:  # noqa: ARG002 - dates have an end
        """Texts as numbers that compare with `cells`, (k,) -> (k,); NaN for a text that is not a number."""
        return parse_numbers(texts)

    def written(self, number: float) -> str:
        """A number of `cells` as a text."""
        return f"{number:g}"

    def single(self, code: int) -> bool:  # noqa: ARG002 - all value sets with an order share this signature
        """Whether a bin is known to hold a single number: none is."""
        return False

    def label(self, code: int) -> str:
        """Which of the bins: "bin 3"."""
        return f"bin {code + 1}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts in bins of equal width, (k,) -> (k,) int64; -1 for a text outside the range."""
        return np.where(self.grid.encode(texts) < 0, -1, self.equal.encode(texts))

    def decode(self, codes: np.ndarray, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:
        """Draw a number from each code's bin of equal width, (m,) -> (m,)."""
        return self.equal.decode(codes, rng, rows)

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this value set in a schema file."""
        return {**self.grid.declaration(), "measured_bins": self.bins}


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
ValueSet = Values | Codes | Edges | Range | Dates | Steps | Unbinned
