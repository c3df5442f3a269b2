"""Linear operators on marginals: cells, parities, ranges (boxes) and counts of predicates; ranges by Haar wavelets."""

import itertools
from dataclasses import dataclass, field
from functools import reduce
from typing import Protocol

import numpy as np

from mwem_core.domain import Attrs, Domain, Predicate
from mwem_core.model import bounds, heights


class Operator(Protocol):
    """A linear map from a marginal's cells to the answers of its queries; every query has values in [-1, 1].

    A part of a workload is one marginal with its queries. An operator serves m parts at once.
    """

    def query_counts(self, cells: np.ndarray) -> np.ndarray:
        """Number of queries of each part, from its number of cells: (m,) -> (m,) integers; by default one."""
        return np.ones(len(cells), np.int64)

    @property
    def sensitivity(self) -> float:
        """L1 sensitivity of one part: the largest sum over its queries of |q(x)|, for one record x.

        It is 1 where a record is in one cell, counts as 1 or -1 in the only query, or counts once at most.
        """
        return 1.0

    def answers(self, tables: np.ndarray, parts: int) -> np.ndarray:
        """Answers of m = `parts` parts from the cells of their marginals, both end to end and in the same unit."""
        ...

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[np.ndarray, str]:
        """Query j of the part over `attrs`: its values on the marginal's cells, and its name."""
        ...


@dataclass(frozen=True)
class Cells(Operator):
    """Every cell of a marginal: the identity."""

    def query_counts(self, cells: np.ndarray) -> np.ndarray:
        """One query per cell."""
        return cells.astype(np.int64)

    def answers(self, tables: np.ndarray, parts: int) -> np.ndarray:  # noqa: ARG002 - the same for any number of parts
        """The cells, in row-major order."""
        return tables

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[np.ndarray, str]:
        """The indicator of cell j."""
        sizes = domain.sizes(attrs)
        q = np.zeros(sizes)
        q.flat[j] = 1.0
        codes = zip(attrs, np.unravel_index(j, sizes), strict=True)
        return q, ", ".join(f"{domain.names[a]} = {domain.attributes[a].labels[int(c)]}" for a, c in codes)


@dataclass(frozen=True)
class Parity(Operator):
    """The parity of k two-valued attributes: Σ ± count, with minus where an odd number of them has code 1."""

    k: int

    def answers(self, tables: np.ndarray, parts: int) -> np.ndarray:
        """All parts by one matrix product."""
        return tables.reshape(parts, 2**self.k) @ signs(self.k).ravel()

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[np.ndarray, str]:  # noqa: ARG002 - one query
        """The table of signs."""
        return signs(self.k), f"parity of {domain.label(attrs)}"


@dataclass(frozen=True, eq=False)
class Boxes(Operator):
    """Ranges over d ordered attributes: box i holds the codes from `low[i]` to `high[i]`, both ends included.

    `low` and `high` are (boxes, d) integer codes; `sizes` is the shape of the attributes' marginal. A workload of
    ranges has one part.
    """

    sizes: tuple[int, ...]
    low: np.ndarray = field(repr=False)
    high: np.ndarray = field(repr=False)

    def query_counts(self, cells: np.ndarray) -> np.ndarray:
        """One query per box."""
        return np.full(len(cells), len(self.low))

    @property
    def sensitivity(self) -> float:
        """The largest number of boxes that share a cell."""
        return float(self.transpose(np.ones(len(self.low))).max())

    def transpose(self, values: np.ndarray) -> np.ndarray:
        """Sum, for each cell, the values of the boxes that contain it: (boxes,) -> (cells,), the transpose of answers.

        By differences at the corners of the boxes and running totals: (cells) + (boxes · 2^d) work.
        """
        differences = np.zeros([size + 1 for size in self.sizes])
        for corner in itertools.product((0, 1), repeat=len(self.sizes)):
            cells = tuple((self.high[:, i] + 1) if c else self.low[:, i] for i, c in enumerate(corner))
            np.add.at(differences, cells, (-1) ** sum(corner) * values)
        for axis in range(len(self.sizes)):
            differences = differences.cumsum(axis=axis)
        return differences[(slice(-1),) * len(self.sizes)].ravel()

    def answers(self, tables: np.ndarray, parts: int) -> np.ndarray:  # noqa: ARG002 - one part
        """By running totals and inclusion-exclusion over a box's corners: (cells) + (boxes · 2^d) work."""
        totals = np.pad(tables.reshape(self.sizes), [(1, 0)] * len(self.sizes))
        for axis in range(totals.ndim):
            totals = totals.cumsum(axis=axis)
        answers = np.zeros(len(self.low))
        for corner in itertools.product((0, 1), repeat=totals.ndim):
            cells = tuple(self.low[:, i] if c else self.high[:, i] + 1 for i, c in enumerate(corner))
            answers += (-1) ** sum(corner) * totals[cells]
        return answers

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[np.ndarray, str]:
        """The indicator of box j."""
        q, intervals = np.zeros(self.sizes), []
        q[tuple(slice(lo, hi + 1) for lo, hi in zip(self.low[j], self.high[j], strict=True))] = 1.0
        for a, lo, hi in zip(attrs, self.low[j], self.high[j], strict=True):
            labels = domain.attributes[a].labels
            intervals.append(f"{domain.names[a]} from {labels[int(lo)]} to {labels[int(hi)]}")
        return q, ", ".join(intervals)


@dataclass(frozen=True, eq=False)
class PredicateCount(Operator):
    """The number of records that satisfy a predicate."""

    predicate: Predicate

    def answers(self, tables: np.ndarray, parts: int) -> np.ndarray:  # noqa: ARG002 - one part
        """The sum of the cells that satisfy the predicate."""
        return tables[self.predicate.mask.ravel()].sum(keepdims=True)

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[np.ndarray, str]:  # noqa: ARG002 - one query
        """The predicate's indicator."""
        return self.predicate.mask.astype(float), self.predicate.text


def signs(k: int) -> np.ndarray:
    """The parity of k bits as a table of ±1: (2,) * k."""
    table = np.ones(())
    for _ in range(k):
        table = np.multiply.outer(table, [1.0, -1.0])
    return table


MAX_READ = 2000  # boxes; of more, that many evenly spaced ones are read


def squares_by_level(boxes: Boxes) -> np.ndarray:
    """The mean squared length of a box's component in the differences of each level: (h_1 + 1, h_2 + 1, ...).

    With an error of variance v along every unit vector of a level, the mean squared error of a box is the sum of v
    times this. The total is entry 0. A box is a product of intervals, and so is its component.
    """
    read = np.unique(np.linspace(0, len(boxes.low) - 1, min(MAX_READ, len(boxes.low))).astype(int))
    by_axis = [
        _of_intervals(boxes.low[read, axis], boxes.high[read, axis], size) for axis, size in enumerate(boxes.sizes)
    ]
    products = reduce(
        lambda left, right: left[..., None] * right.reshape(len(right), *[1] * (left.ndim - 1), -1), by_axis
    )
    return products.mean(axis=0)


def _of_intervals(low: np.ndarray, high: np.ndarray, size: int) -> np.ndarray:
    """For intervals from `low` to `high`, both included: (intervals,) each -> (intervals, height + 1).

    The projection on the counts of a level spreads what is in each of the level's intervals evenly over it. So its
    squared length is the sum of overlap² / width: all of the width where the overlap is whole, and else at the ends.
    """
    projected = []
    for level in range(heights([size])[0] + 1):
        cut = bounds(size, level)
        first, last = (np.searchsorted(cut, end, side="right") - 1 for end in (low, high))
        widths, starts = np.diff(cut), cut[:-1]
        at_low = np.minimum(high + 1, cut[first + 1]) - low
        at_high = np.where(first == last, 0, high + 1 - starts[last])
        whole = np.where(first == last, 0, starts[last] - cut[first + 1])
        projected.append(at_low**2 / widths[first] + at_high**2 / widths[last] + whole)
    return np.diff(np.stack(projected, axis=1), axis=1, prepend=0)
