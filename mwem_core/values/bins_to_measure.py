"""The value set of a number whose bins a run measures first, and the grid of its values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from mwem_core.base import is_whole
from mwem_core.forms import NumberStyle
from mwem_core.values.numbers import Edges, NumberSet, Range, is_number

MAX_GRID = 10_000_000  # of the values of a number whose bins are measured: they are counted one by one


@dataclass(frozen=True)
class Steps(NumberSet):
    """The numbers of some decimals from `low` to `high`, both included, as a grid for `BinsToMeasure`.

    Each has a cell for itself, or as many digits of it as `MAX_GRID` cells can tell apart.
    """

    low: float
    high: float
    inside: NumberStyle

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if not is_number(end) or self.inside.scaled(end) % 1:
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
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return f"a number from {self.low} to {self.high}"

    @property
    def summary(self) -> str:
        """What a column becomes."""
        return f"numbers, {self.low} to {self.high}"

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

    def written(self, number: float) -> str:
        """A number of `cells` as a text."""
        return f"{number:.{self.inside.decimals}f}"

    def single(self, code: int) -> bool:
        """Whether a cell holds a single number of these decimals."""
        return self.digits == self.inside.decimals

    def label(self, code: int) -> str:
        """The first number of the cell."""
        return self.written(float(self.cells()[0][code]))

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Codes of texts, (k,) -> (k,) int64; -1 for a text outside the range. Further decimals are cut off."""
        parsed = self.parse(texts)
        codes = np.searchsorted(self.cells()[0], parsed, side="right") - 1
        return np.where((parsed >= self.low) & (parsed <= self.high), codes, -1)

    def decode(self, codes: np.ndarray, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:
        """The first number of each code's cell, (m,) -> (m,)."""
        return self.cells()[0][codes]

    def declaration(self) -> dict[str, Any]:
        """The keys that declare this grid in a schema file, beside measured_bins."""
        return {"range": [self.low, self.high], **self.inside.declaration()}


@dataclass(frozen=True)
class BinsToMeasure(NumberSet):
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
    def inside(self) -> NumberStyle:
        """How numbers are written inside a bin, and lie in it: whole ones, if no decimals are declared."""
        return self.grid.inside or NumberStyle()

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
    def expects(self) -> str:
        """The values that the schema allows, as error messages name them."""
        return self.grid.expects

    @property
    def structure(self) -> str:
        """The cells, as error messages describe them."""
        return f"{self.bins} bins that the run measures"

    @property
    def summary(self) -> str:
        """What a column becomes."""
        return f"{self.bins:,} measured bins of numbers, {self.grid.low} to {self.grid.high}"

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

    def single(self, code: int) -> bool:
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
