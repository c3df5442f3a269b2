"""Residuals: the part of a marginal over A that no smaller marginal determines.

The residual r_A is the marginal over A, centred along every axis: ⊗ (I - 11ᵀ/n_i) over the attributes of A, of n_i
values each. Every marginal is a sum of orthogonal tables, each r_A spread evenly over the attributes outside of A:

    t_S = Σ over A ⊆ S of r_A / cells(S \\ A)

Marginals are consistent (equal on the attributes they share) exactly when they have the same residuals; r_∅ is n.
This is the decomposition of the analysis of variance. Xiao, He, Zhang & Kifer ("An Optimal and Scalable Matrix
Mechanism for Noisy Marginals under Convex Loss Functions", NeurIPS 2023) measure residuals. No array over D is made.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from mwem_core.model import centre
from mwem_core.workload.workload import Workload

MAX_SUBSET_CELLS = 10**8  # of the tables over all subsets of all sets: ten seconds, and 0.8 GB where sets share little

Axes = tuple[int, ...]  # a subset J of a table's axes


@dataclass(frozen=True, eq=False)
class ShapeGroup:
    """m marginals of a workload that have one shape.

    `first` gives the number of each one's first query: (m,). `subsets` says where the residuals over each subset J of
    their axes are stored: an index into `Residuals.shapes`, and a row in that array for each marginal, (m,).
    """

    shape: tuple[int, ...]
    first: np.ndarray
    subsets: dict[Axes, tuple[int, np.ndarray]]

    @cached_property
    def cells(self) -> np.ndarray:
        """The numbers of their queries: (m, cells)."""
        return self.first[:, None] + np.arange(math.prod(self.shape))


@dataclass(frozen=True, eq=False)
class Residuals:
    """All subsets A of the attribute sets of a workload of whole marginals, grouped by the shape of their tables.

    Residuals are a list of arrays, one array (sets, *shape) in records for each of `shapes`. The empty set, of shape
    (), comes first. `sets` has the attribute sets themselves, (sets, order) per shape. `cover` is Σ 1/cells(S) over the
    workload's sets S that contain A: an array (sets,) per shape.
    """

    shapes: tuple[tuple[int, ...], ...]
    sets: tuple[np.ndarray, ...]
    cover: tuple[np.ndarray, ...]
    groups: tuple[ShapeGroup, ...]

    @classmethod
    @lru_cache(maxsize=4)
    def of(cls, Q: Workload) -> "Residuals":
        """The subsets of the sets of `Q`, which a run asks for again. Raises ValueError where `check_subsets` does."""
        check_subsets(Q)
        by_shape = list(_by_shape(Q))
        occurrences: dict[tuple[int, ...], list] = defaultdict(list)  # by shape: (group, axes J, their attributes)
        for g, (shape, _, sets) in enumerate(by_shape):
            for J in _subsets(len(shape)):
                occurrences[tuple(shape[j] for j in J)].append((g, J, sets[:, list(J)]))
        shapes = sorted(occurrences, key=len)
        subsets: list[dict[Axes, tuple[int, np.ndarray]]] = [{} for _ in by_shape]
        distinct, cover = [], []
        for index, shape in enumerate(shapes):
            lengths = [len(sets) for *_, sets in occurrences[shape]]
            sets, rows = _numbered(np.concatenate([sets for *_, sets in occurrences[shape]]), len(Q.domain))
            distinct.append(sets)
            weights = np.repeat([1 / np.prod(by_shape[g][0]) for g, *_ in occurrences[shape]], lengths)
            cover.append(np.bincount(rows, weights))
            rows_by_occurrence = np.split(rows, np.cumsum(lengths)[:-1])
            for (g, J, _), own_rows in zip(occurrences[shape], rows_by_occurrence, strict=True):
                subsets[g][J] = index, own_rows
        groups = (ShapeGroup(shape, first, subsets[g]) for g, (shape, first, _) in enumerate(by_shape))
        return cls(tuple(shapes), tuple(distinct), tuple(cover), tuple(groups))

    def decompose(self, answers: np.ndarray) -> list[np.ndarray]:
        """Residuals of the consistent marginals nearest to `answers`, (|Q|,), in squared error.

        They are the exact residuals where the answers are consistent. Each S gives its own r_A, and r_A is their
        weighted mean over the S that contain A. The weight is 1/cells(S): residuals are orthogonal, and r_A adds
        ‖r_A‖²/cells(S \\ A) to the squared length of t_S.
        """
        means = [np.zeros((len(cover), *shape)) for shape, cover in zip(self.shapes, self.cover, strict=True)]
        for group in self.groups:
            shares = answers[group.cells].reshape(-1, *group.shape) / np.prod(group.shape)
            for J, sums in _sums(shares, len(group.shape)):
                index, rows = group.subsets[J]
                _add_rows(means[index], rows, sums)
        return [
            centre(mean / cover.reshape(-1, *[1] * (mean.ndim - 1)), first_axis=1)
            for mean, cover in zip(means, self.cover, strict=True)
        ]

    def reconstruct(self, residuals: Sequence[np.ndarray]) -> np.ndarray:
        """The marginals that have these residuals: (|Q|,), in the residuals' unit."""
        answers = np.empty(sum(group.cells.size for group in self.groups))
        for group in self.groups:

            def residual(J: Axes, subsets=group.subsets) -> np.ndarray:
                index, rows = subsets[J]
                return residuals[index][rows]

            answers[group.cells] = _spread(residual, group.shape).reshape(group.cells.shape)
        return answers


def subset_cells(Q: Workload) -> float:
    """The number of cells of the tables over all subsets of the sets of `Q`."""
    sizes = np.array(Q.domain.shape, float)
    return sum(float((1 + sizes[block.sets]).prod(axis=1).sum()) for block in Q.blocks)


def check_subsets(Q: Workload, *, times: int = 1) -> None:
    """Raise ValueError where all subsets of the sets of `Q` have too many cells to be visited `times` times."""
    limit = MAX_SUBSET_CELLS // times
    if (cells := subset_cells(Q)) > limit:
        raise ValueError(
            f"{Q.name}: the marginals and their sub-marginals have {cells:,.0f} cells, "
            f"but at most {limit:,} can be handled: lower k"
        )


def _by_shape(Q: Workload) -> Iterator[tuple[tuple[int, ...], np.ndarray, np.ndarray]]:
    """Parts grouped by shape: the shape, the numbers of their first queries (m,), their attribute sets (m, k)."""
    sizes, first = np.array(Q.domain.shape), 0
    for block in Q.blocks:
        shapes, index = np.unique(sizes[block.sets], axis=0, return_inverse=True)
        order = np.argsort(index.ravel(), kind="stable")
        for shape, rows in zip(shapes, np.split(order, np.cumsum(np.bincount(index.ravel()))[:-1]), strict=True):
            yield tuple(shape.tolist()), Q.offsets[first + rows], block.sets[rows]
        first += len(block.sets)


def _numbered(sets: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of (m, k) attributes, and the number of each row among them, from 0: (m,)."""
    numbers = np.zeros(len(sets), np.intp)
    for column in sets.T:
        numbers = np.unique(numbers * d + column, return_inverse=True)[1]
    first = np.unique(numbers, return_index=True)[1]
    return sets[first], numbers


def _subsets(k: int) -> list[Axes]:
    return [tuple(j for j in range(k) if chosen >> j & 1) for chosen in range(2**k)]


def _sums(tables: np.ndarray, k: int, i: int = 0, J: Axes = ()) -> Iterator[tuple[Axes, np.ndarray]]:
    """Every subset J of the k axes, with the tables' sums over the other axes. J is already fixed on axes below i."""
    if i == k:
        yield J, tables
    else:
        yield from _sums(tables, k, i + 1, (*J, i))
        yield from _sums(tables.sum(axis=1 + len(J)), k, i + 1, J)


def _add_rows(target: np.ndarray, rows: np.ndarray, tables: np.ndarray) -> None:
    """Add each table to its row of `target`; rows may repeat."""
    order = np.argsort(rows, kind="stable")
    first = np.flatnonzero(np.diff(rows[order], prepend=-1))
    target[rows[order[first]]] += np.add.reduceat(tables[order], first, axis=0)


def _spread(residual: Callable[[Axes], np.ndarray], shape: tuple[int, ...], i: int = 0, J: Axes = ()) -> np.ndarray:
    """Σ over all subsets of the axes of their residual, spread evenly over the other axes. J is fixed below axis i."""
    if i == len(shape):
        return residual(J)
    even = np.expand_dims(_spread(residual, shape, i + 1, J), 1 + len(J)) / shape[i]
    return _spread(residual, shape, i + 1, (*J, i)) + even
