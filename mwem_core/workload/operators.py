"""Linear operators on marginals: their cells, ranges over one, parities, a question of one."""

import itertools
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs
from mwem_core.workload.predicates import Predicate


class Operator(Protocol):
    """A linear map from each of some marginals to answers; every query has values in [-1, 1].

    A part is one marginal with the queries asked of it. `cells` is the number of cells of each part, (m,).
    """

    def counts(self, cells: np.ndarray) -> np.ndarray:
        """How many queries each part has: (m,) integers."""
        ...

    @property
    def sensitivity(self) -> float:
        """The most that one record adds up to over all the queries of a part."""
        ...

    def answers(self, tables: np.ndarray, parts: int) -> np.ndarray:
        """The cells of some parts, end to end -> their answers, end to end, in the same unit."""
        ...

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[np.ndarray, str]:
        """Query j of the part over `attrs`: its values on the marginal's cells, and its name."""
        ...


@dataclass(frozen=True)
class Cells:
    """Every cell of a marginal: the identity."""

    def counts(self, cells: np.ndarray) -> np.ndarray:
        """One a cell."""
        return cells.astype(np.int64)

    @property
    def sensitivity(self) -> float:
        """A record falls in one cell."""
        return 1.0

    def answers(self, tables: np.ndarray, parts: int) -> np.ndarray:  # noqa: ARG002 - however many
        """The cells, in row-major order."""
        return tables

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[np.ndarray, str]:
        """One cell's indicator."""
        sizes = domain.sizes(attrs)
        q = np.zeros(sizes)
        q.flat[j] = 1.0
        places = zip(attrs, np.unravel_index(j, sizes), strict=True)
        return q, ", ".join(f"{domain.names[a]} = {domain.attributes[a].labels[int(c)]}" for a, c in places)


@dataclass(frozen=True)
class Parity:
    """The parity of k two-valued attributes: Σ ± count, minus where an odd number of them is 1."""

    k: int

    def counts(self, cells: np.ndarray) -> np.ndarray:
        """One a set of attributes."""
        return np.ones(len(cells), np.int64)

    @property
    def sensitivity(self) -> float:
        """A record counts ±1."""
        return 1.0

    def answers(self, tables: np.ndarray, parts: int) -> np.ndarray:
        """One product for all the parts."""
        return tables.reshape(parts, 2**self.k) @ signs(self.k).ravel()

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[np.ndarray, str]:  # noqa: ARG002 - one query
        """The signs."""
        return signs(self.k), f"parity of {domain.label(attrs)}"


@dataclass(frozen=True, eq=False)
class Boxes:
    """Ranges: `low` and `high` are (count, d) integer codes, both ends included, of d ordered attributes."""

    sizes: tuple[int, ...]
    low: np.ndarray
    high: np.ndarray

    def counts(self, cells: np.ndarray) -> np.ndarray:
        """One a box."""
        return np.full(len(cells), len(self.low))

    @property
    def sensitivity(self) -> float:
        """The most boxes over any one cell."""
        return float(self.over(np.ones(len(self.low))).max())

    def over(self, values: np.ndarray) -> np.ndarray:
        """The sum of a value a box over the boxes that hold each cell: (boxes,) -> (cells,), the transpose of answers.

        By the same corners, in (cells) + (boxes · 2^d) work.
        """
        change = np.zeros([size + 1 for size in self.sizes])
        for corner in itertools.product((0, 1), repeat=len(self.sizes)):
            at = tuple((self.high[:, i] + 1) if c else self.low[:, i] for i, c in enumerate(corner))
            np.add.at(change, at, (-1) ** sum(corner) * values)
        for axis in range(len(self.sizes)):
            change = change.cumsum(axis=axis)
        return change[(slice(-1),) * len(self.sizes)].ravel()

    def answers(self, tables: np.ndarray, parts: int) -> np.ndarray:  # noqa: ARG002 - one part
        """By running totals and inclusion-exclusion over a box's corners: (cells) + (boxes · 2^d) work."""
        total = np.pad(tables.reshape(self.sizes), [(1, 0)] * len(self.sizes))
        for axis in range(total.ndim):
            total = total.cumsum(axis=axis)
        found = np.zeros(len(self.low))
        for corner in itertools.product((0, 1), repeat=total.ndim):
            at = tuple(self.low[:, i] if c else self.high[:, i] + 1 for i, c in enumerate(corner))
            found += (-1) ** sum(corner) * total[at]
        return found

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[np.ndarray, str]:
        """One box's indicator."""
        q, names = np.zeros(self.sizes), []
        q[tuple(slice(lo, hi + 1) for lo, hi in zip(self.low[j], self.high[j], strict=True))] = 1.0
        for a, lo, hi in zip(attrs, self.low[j], self.high[j], strict=True):
            labels = domain.attributes[a].labels
            names.append(f"{domain.names[a]} from {labels[int(lo)]} to {labels[int(hi)]}")
        return q, ", ".join(names)


@dataclass(frozen=True, eq=False)
class Asked:
    """One user-written question."""

    predicate: Predicate

    def counts(self, cells: np.ndarray) -> np.ndarray:
        """One question."""
        return np.ones(len(cells), np.int64)

    @property
    def sensitivity(self) -> float:
        """A record says yes once at most."""
        return 1.0

    def answers(self, tables: np.ndarray, parts: int) -> np.ndarray:  # noqa: ARG002 - one part
        """How many records say yes."""
        return tables[self.predicate.mask.ravel()].sum(keepdims=True)

    def query(self, j: int, domain: Domain, attrs: Attrs) -> tuple[np.ndarray, str]:  # noqa: ARG002 - one question
        """The question's indicator."""
        return self.predicate.mask.astype(float), self.predicate.text


def signs(k: int) -> np.ndarray:
    """The parity of k bits as a table of ±1, shape (2,) * k."""
    table = np.ones(())
    for _ in range(k):
        table = np.multiply.outer(table, [1.0, -1.0])
    return table
