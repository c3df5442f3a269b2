"""The groups in which synthetic rows are counted: cells of tables, in- and outside of predicates, intervals of ranges.

Each predicate, and each level of halvings of ranges, becomes a column of the rows, computed from their other columns.
Then every count is that of a marginal.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from mwem_core.algorithm import Answering
from mwem_core.domain import Attribute, Attrs, Domain, Records
from mwem_core.model import bounds, heights
from mwem_core.values import Range
from mwem_core.workload import Block, Cells, Workload, mixture, tables_of

Column = tuple[Attrs, np.ndarray]  # attributes, and the value of the column in each cell of their marginal, (cells,)


@dataclass(frozen=True, eq=False)
class Groups:
    """Whole tables, if any, and columns. In each of these parts a row is in one group: a cell, or a value.

    As many tables of the workload as are `left_out` have too many cells.
    """

    tables: Workload | None
    columns: tuple[Column, ...]
    domain: Domain
    left_out: int = 0

    @classmethod
    def of(cls, Q: Workload, most: int) -> "Groups | None":
        """Q's predicates and ranges, and its smallest tables, with at most `most` cells together.

        None if rows exchanged for Q would gain nothing, if predicates and ranges read more than `most` cells, or if
        every table has more.
        """
        terms = [term.workload for term in Q.terms] or [Q]
        whole = [(term, Fraction(1)) for term in terms if term.has_residuals]
        others = [term for term in terms if not term.has_residuals]
        if not gains(Q) or sum(each.cells for each in others) > most:
            return None
        tables, left_out = tables_of(mixture(whole)) if whole else None, 0
        if tables is not None:
            chosen = smallest(tables.part_cells, most)
            if not chosen.any():
                return None
            tables, left_out = tables.only(chosen), int((~chosen).sum())
        columns = [each for term in others for each in (_halvings if term.family == "ranges" else _predicates)(term)]
        return cls(tables, tuple(columns), Q.domain, left_out)

    @cached_property
    def workload(self) -> Workload:
        """All parts as marginals, on a domain that has the columns too."""
        if self.tables is not None and not self.columns:
            return self.tables
        blocks = () if self.tables is None else self.tables.blocks
        sizes = [*self.domain.shape, *map(_values, self.columns)]
        domain = Domain(tuple(Attribute(str(i), Range(0, size - 1)) for i, size in enumerate(sizes)))
        alone = Block(np.arange(len(self.domain), len(sizes))[:, None], Cells())
        return _marginals(domain, (*blocks, alone))

    @property
    def importance(self) -> np.ndarray:
        """1 for each table, and their number for each column: (parts,).

        The error of marginals is a mean over all tables, and a predicate's error is that of one column.
        """
        tables = 0 if self.tables is None else self.tables.parts
        return np.repeat([1.0, max(1.0, tables)], [tables, len(self.columns)])

    def wanted(self, released: Answering) -> np.ndarray:
        """The number of records in each group by a released result, part by part: (groups,)."""
        found = [] if self.tables is None else [released.answers(self.tables)]
        for S, column in self.columns:
            table = released.answers(_marginals(self.domain, (Block(np.array([S]), Cells()),)))
            found.append(np.bincount(column, table, minlength=_values((S, column))))
        return np.concatenate(found)

    def with_columns(self, records: Records) -> Records:
        """The records on the domain of `workload`."""
        columns = [
            column[np.ravel_multi_index([records.codes[a] for a in S], self.domain.sizes(S))]
            for S, column in self.columns
        ]
        return Records(self.workload.domain, (*records.codes, *columns))

    def without_columns(self, records: Records) -> Records:
        """The records on the domain as it was."""
        return Records(self.domain, records.codes[: len(self.domain)])


def gains(Q: Workload) -> bool:
    """Whether exchanged rows are nearer to Q: not if it has ranges or parities alone, as rows err as little there."""
    families = {term.workload.family for term in Q.terms} or {Q.family}
    return families not in ({"ranges"}, {"parities"})


def _values(column: Column) -> int:
    """The number of a column's values. A predicate has two, also where no record can satisfy it."""
    return max(2, int(column[1].max()) + 1)


def smallest(sizes: np.ndarray, most: int) -> np.ndarray:
    """Which are the smallest, as many as sum to `most` or less: a mask."""
    order = np.argsort(sizes, kind="stable")
    chosen = np.zeros(len(sizes), bool)
    chosen[order[np.cumsum(sizes[order]) <= most]] = True
    return chosen


def _marginals(domain: Domain, blocks: tuple[Block, ...]) -> Workload:
    return Workload(domain, "marginals", "groups", "groups", blocks)


def _predicates(Q: Workload) -> Iterator[Column]:
    """For each predicate, 1 inside and 0 outside."""
    for j in range(Q.size):
        S, q, _ = Q.query(j)
        yield S, q.ravel().astype(np.uint8)


def _halvings(Q: Workload) -> Iterator[Column]:
    """For each level of halvings of all attributes at once, the number of the interval, or box."""
    (S,) = Q.sets
    sizes = Q.domain.sizes(S)
    for level in range(1, max(heights(sizes)) + 1):
        cuts = [bounds(size, min(level, height)) for size, height in zip(sizes, heights(sizes), strict=True)]
        places = [np.searchsorted(cut, np.arange(cut[-1]), side="right") - 1 for cut in cuts]
        number = np.ravel_multi_index(np.meshgrid(*places, indexing="ij"), [len(cut) - 1 for cut in cuts]).ravel()
        yield S, number.astype(np.min_scalar_type(number.max()))
