"""Rows exchanged for other rows of the same model, so that they have the tables that a workload asks for.

The tables are cells of marginals, in- and outside of predicates, and intervals of ranges. Each predicate, and each
level of halvings of ranges, becomes a column of the rows, computed from their other columns, so that every count is
that of a marginal (`Groups`)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mwem_core.algorithm import AnswerSource
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

    def wanted(self, released: AnswerSource) -> np.ndarray:
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


STEPS = 150
MAX_OFFERED = 300  # rows in one step, of either side
MAX_VISITED = 2 * 10**7  # cells that all steps look up: .1 to .3 s, the most where they do not fit in the cache
MAX_WANTED = 1000  # larger cells weigh no less
FEW = 3  # exchanges of the best rows in one step, below which random ones are paired: that helps small tables
MIN_GAIN = 1e-4  # of Σ w (rows - wanted)²
STEP, WEIGHT_STEP = 2.0**-10, 2.0**-14  # of `wanted` and of w: sums of w · excess below 2²⁹ are exact in float64
CHUNK_ROWS = 2000  # rows whose cells are held at once
HALF = 0.5 + 2.0**-12  # halves round up, also those whose last bits lie below: many cells of a uniform model are halves


def in_steps(values: np.ndarray, step: float) -> np.ndarray:
    """The nearest multiples of the step, a power of two, before numbers decide which rows are made.

    Their last bits depend on the processor, which adds in an order of its own. Compared as they are, equal numbers
    would differ on one processor and tie on another, and every later row would differ too. Multiples of a power of two
    add up without rounding, in any order, so what is compared is the same on all of them.

    >>> in_steps(np.array([0.124, 0.25, 0.375 - 1e-12]), 0.25)
    array([0.  , 0.25, 0.5 ])
    """
    return np.floor(values / step + HALF) * step


def exchange_rows(
    Q: Workload,
    wanted: np.ndarray,
    made: Sequence[Records],
    rng: np.random.Generator,
    *,
    importance: np.ndarray | None = None,
    steps: int = STEPS,
) -> Records:
    """The rows of the first of `made`, some of them exchanged for rows of the others: nearer to the tables `wanted`.

    Q has whole marginals, and `wanted` their cells, (|Q|,), for as many rows. An exchange is made if it lowers
    Σ w (rows - wanted)². The weight w is 1/√(wanted + 1), with at most `MAX_WANTED` for wanted, times the `importance`
    of the part, (parts,), or 1. An L1 distance is Σ e²/|e|, and |e| is about √wanted in a cell of independent draws. In
    the plain sum a few large cells would hide the many that want less than one row.

    A step looks at random rows of both sides and pairs them: the best with the best, until that gains little, then at
    random. Pairs can meet in a cell, so those that would gain by themselves are tried in turn. `wanted` and w are
    rounded to a step, so that costs and gains are exact, and the same on every processor.
    """
    rows, codes = made[0].total, np.concatenate([np.column_stack(each.codes) for each in made]).astype(np.int32)
    strides, first = [_strides(Q, block.sets) for block in Q.blocks], Q.offsets[:-1].astype(np.int32)

    def cells(numbers: np.ndarray) -> np.ndarray:
        """The number of the query in which each of these rows is, for each part: (rows, parts)."""
        values, found = codes[numbers], np.tile(first, (len(numbers), 1))
        ends = np.cumsum([len(block.sets) for block in Q.blocks])
        for block, each, end in zip(Q.blocks, strides, ends, strict=True):
            for S, stride in zip(block.sets.T, each.T, strict=True):
                found[:, end - len(S) : end] += values.take(S, axis=1) * stride
        return found

    wanted = in_steps(wanted, STEP)
    excess, weights = -wanted, in_steps(1 / np.sqrt(np.minimum(wanted, MAX_WANTED) + 1), WEIGHT_STEP)
    if importance is not None:
        weights *= Q.repeat_per_query(importance)
    for some in np.array_split(np.arange(rows), rows // CHUNK_ROWS + 1):
        np.add.at(excess, cells(some).ravel(), 1.0)
    number = np.arange(len(codes))  # of the row that is in each place; the places of those kept come first
    best = True
    for _ in range(min(steps, MAX_VISITED // (2 * MAX_OFFERED * Q.parts) + 1)):
        out, new = (np.unique(rng.integers(*ends, size=MAX_OFFERED)) for ends in ((0, rows), (rows, len(codes))))
        pairs = min(len(out), len(new))
        out, new = (rng.permutation(places)[:pairs] for places in (out, new))
        leaving = RowOffers.of(out, cells(number[out]), excess, weights, -1)
        coming = RowOffers.of(new, cells(number[new]), excess, weights, 1)
        if best:
            leaving, coming = leaving.cheapest_first(), coming.cheapest_first()
        done = _exchange(excess, leaving, coming)
        out, new = leaving.places[done], coming.places[done]
        number[out], number[new] = number[new], number[out]
        best = best and len(done) >= FEW
    kept = codes[number[:rows]].T
    return Records(Q.domain, tuple(new.astype(old.dtype) for new, old in zip(kept, made[0].codes, strict=True)))


class RowOffers(NamedTuple):
    """Rows that a step may take away or add: (m,) places, the rows' cells and the cells' weights, (m, parts).

    `costs` is how much Σ w excess² would grow by each alone, (m,): Σ w (1 + 2 excess), or Σ w (1 - 2 excess) to take
    the row away.
    """

    places: np.ndarray
    cells: np.ndarray
    weights: np.ndarray
    costs: np.ndarray

    @classmethod
    def of(
        cls, places: np.ndarray, cells: np.ndarray, excess: np.ndarray, weights: np.ndarray, change: int
    ) -> "RowOffers":
        """The rows in these places, of these cells; to add them, the `change` is 1, and to take them away -1.

        `excess` and `weights` are those of all cells: (|Q|,).
        """
        w = weights[cells]
        return cls(places, cells, w, w.sum(axis=1) + 2 * change * np.einsum("rp,rp->r", w, excess[cells]))

    def cheapest_first(self) -> "RowOffers":
        """The same rows, sorted by cost; those of equal cost keep their order."""
        order = np.argsort(self.costs, kind="stable")
        return RowOffers(*(values[order] for values in self))


def _exchange(excess: np.ndarray, leaving: RowOffers, coming: RowOffers) -> list[int]:
    """Exchange the i-th of one for the i-th of the other where that lowers the sum; changes `excess`, returns each i.

    A cell that both rows are in does not change, though both costs count it: as w (1 - 2e) + w (1 + 2e) = 2w.
    """
    shared = np.einsum("rp,rp->r", leaving.weights, leaving.cells == coming.cells)
    alone = leaving.costs + coming.costs - 2 * shared
    fixed = leaving.weights.sum(axis=1) + coming.weights.sum(axis=1) - 2 * shared
    cells = np.concatenate([leaving.cells, coming.cells], axis=1)
    weights = np.concatenate([-leaving.weights, coming.weights], axis=1)
    done = []
    for i in np.flatnonzero(alone < -MIN_GAIN).tolist():
        if fixed[i] + 2 * (weights[i] @ excess[cells[i]]) < -MIN_GAIN:
            excess[leaving.cells[i]] -= 1  # each in as many different cells as there are parts
            excess[coming.cells[i]] += 1
            done.append(i)
    return done


def _strides(Q: Workload, sets: np.ndarray) -> np.ndarray:
    """How far one value more of each attribute moves a row within the marginals on these sets: (m, k) -> (m, k)."""
    sizes = np.array(Q.domain.shape)[sets].astype(np.int32)
    return np.cumprod(np.column_stack([np.ones_like(sets[:, :1]), sizes[:, :0:-1]]), axis=1)[:, ::-1].astype(np.int32)
