"""Linear operators on a marginal: its cells, ranges over it, parities of it, a question of it."""

import itertools
import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mwem_core.domain import Domain
from mwem_core.model.triangulation import Attrs
from mwem_core.predicates import Predicate


class Operator(Protocol):
    """A linear map from the marginal over some attributes to answers; every query has values in [-1, 1]."""

    @property
    def count(self) -> int:
        """How many queries."""
        ...

    @property
    def sensitivity(self) -> float:
        """The most that one record adds up to over all the queries."""
        ...

    def answers(self, marginal: np.ndarray) -> np.ndarray:
        """Counts by cell -> (count,) answers, in the same unit."""
        ...

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[Attrs, np.ndarray, str]:
        """Query j alone: the attributes it reads, its values on their cells, and its name."""
        ...


@dataclass(frozen=True)
class Cells:
    """Every cell of the marginal: the identity."""

    sizes: tuple[int, ...]

    @property
    def count(self) -> int:
        """One a cell."""
        return math.prod(self.sizes)

    @property
    def sensitivity(self) -> float:
        """A record falls in one cell."""
        return 1.0

    def answers(self, marginal: np.ndarray) -> np.ndarray:
        """The cells in row-major order."""
        return marginal.ravel()

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[Attrs, np.ndarray, str]:
        """One cell's indicator."""
        q = np.zeros(self.sizes)
        q.flat[j] = 1.0
        places = zip(attrs, np.unravel_index(j, self.sizes), strict=True)
        return attrs, q, ", ".join(f"{domain.names[a]} = {domain.attributes[a].labels[int(c)]}" for a, c in places)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Ranges: `low` and `high` are (count, d) integer codes, both ends included, of d ordered attributes."""

    sizes: tuple[int, ...]
    low: np.ndarray
    high: np.ndarray

    @property
    def count(self) -> int:
        """One a box."""
        return len(self.low)

    @property
    def sensitivity(self) -> float:
        """The most boxes over any one cell."""
        change = np.zeros([size + 1 for size in self.sizes])
        for corner in itertools.product((0, 1), repeat=len(self.sizes)):
            at = tuple((self.high[:, i] + 1) if c else self.low[:, i] for i, c in enumerate(corner))
            np.add.at(change, at, (-1) ** sum(corner))
        for axis in range(len(self.sizes)):
            change = change.cumsum(axis=axis)
        return float(change.max())

    def answers(self, marginal: np.ndarray) -> np.ndarray:
        """By running totals and inclusion-exclusion over a box's corners: (cells) + (count · 2^d) work."""
        total = np.pad(marginal, [(1, 0)] * marginal.ndim)
        for axis in range(marginal.ndim):
            total = total.cumsum(axis=axis)
        found = np.zeros(self.count)
        for corner in itertools.product((0, 1), repeat=marginal.ndim):
            at = tuple(self.low[:, i] if c else self.high[:, i] + 1 for i, c in enumerate(corner))
            found += (-1) ** sum(corner) * total[at]
        return found

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[Attrs, np.ndarray, str]:
        """One box's indicator."""
        q, names = np.zeros(self.sizes), []
        q[tuple(slice(lo, hi + 1) for lo, hi in zip(self.low[j], self.high[j], strict=True))] = 1.0
        for a, lo, hi in zip(attrs, self.low[j], self.high[j], strict=True):
            labels = domain.attributes[a].labels
            names.append(f"{domain.names[a]} from {labels[int(lo)]} to {labels[int(hi)]}")
        return attrs, q, ", ".join(names)


@dataclass(frozen=True)
class Signs:
    """Parities of some subsets of k two-valued attributes: Σ ± count, minus where an odd number of them is 1.

    `subsets` are bit masks over the attributes, the first attribute the highest bit, as Walsh-Hadamard orders them.
    """

    k: int
    subsets: range

    @property
    def count(self) -> int:
        """One a subset."""
        return len(self.subsets)

    @property
    def sensitivity(self) -> float:
        """A record counts ±1 in every parity."""
        return float(self.count)

    def answers(self, marginal: np.ndarray) -> np.ndarray:
        """By the Walsh-Hadamard transform of the marginal: k · 2^k work for all 2^k parities."""
        return walsh_hadamard(marginal).ravel()[self.subsets.start : self.subsets.stop : self.subsets.step]

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[Attrs, np.ndarray, str]:
        """One parity's signs, over the attributes of its subset alone."""
        bits = [self.subsets[j] >> (self.k - 1 - i) & 1 for i in range(self.k)]
        inside = tuple(a for a, bit in zip(attrs, bits, strict=True) if bit)
        return inside, signs(len(inside)), f"parity of {domain.label(inside)}" if inside else "the total"


@dataclass(frozen=True, eq=False)
class Asked:
    """One user-written question."""

    predicate: Predicate

    @property
    def count(self) -> int:
        """One question."""
        return 1

    @property
    def sensitivity(self) -> float:
        """A record says yes once at most."""
        return 1.0

    def answers(self, marginal: np.ndarray) -> np.ndarray:
        """How many records say yes."""
        return marginal[self.predicate.mask].sum(keepdims=True)

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[Attrs, np.ndarray, str]:  # noqa: ARG002 - one question
        """The question's indicator."""
        return attrs, self.predicate.mask.astype(float), self.predicate.text


def signs(k: int) -> np.ndarray:
    """The parity of k bits as a table of ±1, shape (2,) * k."""
    table = np.ones(())
    for _ in range(k):
        table = np.multiply.outer(table, [1.0, -1.0])
    return table


def walsh_hadamard(table: np.ndarray) -> np.ndarray:
    """All parities of a (2, ..., 2) table: [s] holds Σ_x (-1)^(s·x) table[x]. Twice it is 2^k times the table."""
    for axis in range(table.ndim):
        zero, one = np.take(table, 0, axis=axis), np.take(table, 1, axis=axis)
        table = np.stack([zero + one, zero - one], axis=axis)
    return table
