"""The approximating distribution A as weighted rows: where a junction tree would need too many cells, rows go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mwem_core.domain import Attrs, Source, are_possible, count, distinct, number_rows
from mwem_core.model import LogLinear, drawn_columns, draws_in_order

MAX_ROWS = 10**5  # on a table of 10^8 cells and 21 pairs, three times as many rows are no better and take longer
MIN_ROWS = 3 * 10**4  # of fewer, the sampling error of pairs of 10 values passes 2% of n: a tree alone is better
MAX_COUNTED_CODES = 6 * 10**7  # rows times attribute sets, so that one count of a whole workload takes about 0.3 s


def rows_for(sets: int) -> int:
    """The number of rows for a workload of so many attribute sets: fewer where a count of all takes long, or none."""
    rows = min(MAX_ROWS, MAX_COUNTED_CODES // sets)
    return rows if rows >= MIN_ROWS else 0


@dataclass(frozen=True, eq=False)
class WeightedRecords(Source):
    """A has `weights[i]` records in the cell of row i, and none in cells without a row: (rows,), summing to `total`.

    Equal draws are one row, of their weight together. `draws` is how many they were, and how many a redraw makes; 0 for
    rows that were measured, which no log-linear model stands behind.
    `codes` holds one (rows,) array of codes for each attribute; `sizes[a]` is the number of values of attribute a.
    `theta` holds the log-weights of every multiplicative update since A_0: the rows stand for the log-linear model
    exp(Σ θ_S(x_S)) over all of D, whose junction tree would be too large. Any set of attributes can be measured at the
    same cost, a count of the rows. No row is in a cell that rules forbid: `possible` has the cells that they leave.
    """

    sizes: tuple[int, ...]
    total: float
    codes: tuple[np.ndarray, ...] = field(repr=False)
    weights: np.ndarray = field(repr=False)
    theta: Mapping[Attrs, np.ndarray] = field(repr=False)
    draws: int
    possible: Mapping[Attrs, np.ndarray] = field(default_factory=dict, repr=False)

    @classmethod
    def drawn_from(cls, A: LogLinear, draws: int, rng: np.random.Generator) -> "WeightedRecords":
        """Independent draws from A, of equal weight. Reads a released model, so it costs no privacy."""
        return cls.of_draws(A.sizes, A.total, drawn_columns(A, draws, draws_in_order(rng)), A.theta, A.possible)

    @classmethod
    def of_counts(cls, A: LogLinear, counts: np.ndarray) -> "WeightedRecords":
        """The cells of D whose noisy count is above zero and that A's rules allow; `counts` has an axis per attribute.

        If no cell is above zero, those of the largest counts are taken.
        """
        places = np.flatnonzero(counts > 0)
        weights = counts.ravel()[places].astype(float)
        if not len(places):
            places = np.flatnonzero(counts == counts.max())
            weights = np.ones(len(places))
        codes = [
            code.astype(np.min_scalar_type(size - 1))
            for code, size in zip(np.unravel_index(places, counts.shape), A.sizes, strict=True)
        ]
        nothing = cls(A.sizes, A.total, tuple(code[:0] for code in codes), weights[:0], {}, 0, A.possible)
        return nothing.with_rows(codes, weights)

    @classmethod
    def of_draws(
        cls,
        sizes: tuple[int, ...],
        total: float,
        codes: Sequence[np.ndarray],
        theta: Mapping[Attrs, np.ndarray],
        possible: Mapping[Attrs, np.ndarray] | None = None,
    ) -> "WeightedRecords":
        """The distinct rows of these draws of equal weight."""
        draws = len(codes[0])
        rows, times = distinct(codes, sizes)
        return cls(sizes, total, rows, times * (total / draws), theta, draws, possible or {})

    def with_rows(self, codes: Sequence[np.ndarray], weights: np.ndarray) -> "WeightedRecords":
        """More rows, of these weights before all are scaled to sum to `total`; those that rules forbid are left out."""
        if self.possible:
            kept = are_possible(codes, self.possible)
            codes, weights = [column[kept] for column in codes], weights[kept]
        weights = np.concatenate([self.weights, weights])
        longer = tuple(np.concatenate(pair) for pair in zip(self.codes, codes, strict=True))
        return replace(self, codes=longer, weights=weights * (self.total / weights.sum()))

    @property
    def rows(self) -> int:
        """The number of distinct rows."""
        return len(self.weights)

    @property
    def cells(self) -> int:
        """The number of codes that the model holds: rows times attributes."""
        return self.rows * len(self.sizes)

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal on each of `sets`, in records."""
        return list(count(self.codes, self.sizes, sets, self.weights))

    def cell(self, S: Attrs) -> np.ndarray:
        """Each row's cell of the marginal on S, in row-major order: (rows,)."""
        cell = np.zeros(self.rows, np.intp)
        for a in S:
            cell *= self.sizes[a]
            cell += self.codes[a]
        return cell

    def changed_since(self, before: Source) -> np.ndarray:
        """Which attributes' marginals may differ from those of `before`: all, unless it is the same object, (d,)."""
        return np.full(len(self.sizes), before is not self)

    def probability(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """A/total at each record: one (m,) array of codes for each attribute -> (m,) shares, 0 where no row is."""
        cell = number_rows([np.concatenate(pair) for pair in zip(self.codes, codes, strict=True)], self.sizes)
        weights = np.bincount(cell[: self.rows], self.weights, minlength=int(cell.max()) + 1)
        return weights[cell[self.rows :]] / self.total

    def drawn(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """`rows` independent draws by weight: indices of rows, in order."""
        return np.repeat(np.arange(self.rows), rng.multinomial(rows, self.weights / self.weights.sum()))

    def rounded(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """`rows` indices of rows, each as often as expected, rounded up or down (systematic sampling of sorted rows).

        The rows are sorted by their codes, and any run of sorted rows is taken as often as expected to within one. On a
        table of 10^8 cells the cells of pairs err a sixth as much as by independent draws.
        """
        ends = np.floor(self._cumulative * (rows / self._cumulative[-1]) + rng.random())
        ends[-1] = rows
        return np.repeat(self._sorted, np.diff(np.minimum(ends, rows), prepend=0.0).astype(np.intp))

    @cached_property
    def _sorted(self) -> np.ndarray:
        """The rows in the order of their codes, the first attribute's first: indices, (rows,)."""
        return np.lexsort(self.codes[::-1])

    @cached_property
    def _cumulative(self) -> np.ndarray:
        """The sums of the sorted rows' weights up to each: (rows,)."""
        return np.cumsum(self.weights[self._sorted])


def beyond_tree(
    A: LogLinear | WeightedRecords, *, sets: int, taken: int, left: int, early: bool
) -> LogLinear | WeightedRecords:
    """A, or weighted records drawn from it: where it is a tree that takes none of the `left` candidates, or not all.

    A tree that takes some of them is left only if `early`. `sets` is the number of attribute sets of the workload.
    Which candidates a tree takes is public. Drawing rows from a released model is post-processing and costs no privacy.
    Its randomness is not part of the noise: a fixed seed keeps every round a function of what the noise source
    returned.
    """
    rows = rows_for(sets)
    if not rows or not isinstance(A, LogLinear) or taken == left or (taken and not early):
        return A
    return WeightedRecords.drawn_from(A, rows, np.random.default_rng(0))
