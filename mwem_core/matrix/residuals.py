"""Residuals: what a marginal over A says that no smaller one does, and tables put together from them.

With r_A the table over A, centred along every axis (⊗ (I - 11ᵀ/n_i) over A's attributes of n_i values), every marginal
is a sum of orthogonal tables, r_A spread evenly over the attributes that A lacks:

    t_S = Σ over A ⊆ S of r_A / cells(S \\ A)

Tables agree on all that they share exactly where they have the same residuals; r_∅ is n. The decomposition is that of
the analysis of variance; Xiao, He, Zhang & Kifer ("An Optimal and Scalable Matrix Mechanism for Noisy Marginals under
Convex Loss Functions", NeurIPS 2023) measure by it. No array over D is made.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.workload.workload import Workload

MOST_SUBTABLES = 10**8  # cells of the tables over all subsets of all sets: ten seconds, and 0.8 GB where few share


@dataclass(frozen=True, eq=False)
class Tables:
    """Marginals of a workload that are alike in sizes: where each one's cells are among the answers, (m, cells).

    `links` gives for each subset J of their axes the place of its attributes' residuals: which of `Residuals.sizes`,
    and which of the sets of these sizes, (m,).
    """

    sizes: tuple[int, ...]
    at: np.ndarray
    links: dict[tuple[int, ...], tuple[int, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Residuals:
    """Every subset of the attribute sets of a workload of whole marginals, those of equal sizes side by side.

    The residuals themselves are a list of arrays, one for each of `sizes`: (sets, *sizes), in records. `cover[i]` is
    Σ 1/cells(S) over the workload's S that hold each set, (sets,). The empty set, of sizes (), comes first.
    """

    sizes: tuple[tuple[int, ...], ...]
    cover: tuple[np.ndarray, ...]
    tables: tuple[Tables, ...]

    @classmethod
    def of(cls, Q: Workload) -> "Residuals":
        """Raises ValueError where `check_subsets` does."""
        check_subsets(Q)
        alike = list(_alike(Q))
        links: dict[tuple[int, ...], list] = defaultdict(list)  # by sizes: which tables, which axes, which sets
        for g, (sizes, _, sets) in enumerate(alike):
            for J in _subsets(len(sizes)):
                links[tuple(sizes[j] for j in J)].append((g, J, sets[:, list(J)]))
        kinds = sorted(links, key=len)
        found: list[dict] = [{} for _ in alike]
        cover = []
        for kind, sizes in enumerate(kinds):
            sets = np.concatenate([each for *_, each in links[sizes]])
            place = _numbered(sets, len(Q.domain))
            weights = np.concatenate([np.full(len(each), 1 / np.prod(alike[g][0])) for g, _, each in links[sizes]])
            cover.append(np.bincount(place, weights))
            ends = np.cumsum([len(each) for *_, each in links[sizes]])
            for (g, J, _), own in zip(links[sizes], np.split(place, ends[:-1]), strict=True):
                found[g][J] = kind, own
        tables = (Tables(sizes, at, found[g]) for g, (sizes, at, _) in enumerate(alike))
        return cls(tuple(kinds), tuple(cover), tuple(tables))

    def split(self, answers: np.ndarray) -> list[np.ndarray]:
        """The residuals of the consistent tables nearest to `answers`, (|Q|,), in squared error; theirs, if consistent.

        What S says of r_A weighs 1/cells(S), as the residuals of a table are orthogonal, r_A's length in it
        ‖r_A‖²/cells(S \\ A): so r_A is the weighted mean over the S that hold A.
        """
        means = [np.zeros((len(cover), *sizes)) for sizes, cover in zip(self.sizes, self.cover, strict=True)]
        for each in self.tables:
            shares = answers[each.at].reshape(-1, *each.sizes) / np.prod(each.sizes)
            for J, sums in _sums(shares, len(each.sizes)):
                kind, place = each.links[J]
                _add(means[kind], place, sums)
        return [
            centred(mean / cover.reshape(-1, *[1] * (mean.ndim - 1)))
            for mean, cover in zip(means, self.cover, strict=True)
        ]

    def join(self, residuals: Sequence[np.ndarray]) -> np.ndarray:
        """The tables that have these residuals: (|Q|,), in the residuals' unit."""
        answers = np.empty(sum(each.at.size for each in self.tables))
        for each in self.tables:

            def residual(J: tuple[int, ...], links=each.links) -> np.ndarray:
                kind, place = links[J]
                return residuals[kind][place]

            answers[each.at] = _spread(residual, each.sizes).reshape(each.at.shape)
        return answers


def check_subsets(Q: Workload, *, times: int = 1) -> None:
    """Raises ValueError where the marginals of `Q` have too many attributes to look at all their subsets, `times`."""
    sizes, fit = np.array(Q.domain.shape, float), MOST_SUBTABLES // times
    if (cells := sum(float((1 + sizes[block.sets]).prod(axis=1).sum()) for block in Q.blocks)) > fit:
        raise ValueError(f"{Q.name} and all their subsets have {cells:,.0f} cells together, {fit:,} fit: lower k")


def centred(tables: np.ndarray) -> np.ndarray:
    """Each of (m, *sizes) tables less its mean along every axis in turn: the projection on the residuals of its set."""
    for axis in range(1, tables.ndim):
        tables = tables - tables.mean(axis=axis, keepdims=True)
    return tables


def _alike(Q: Workload) -> Iterator[tuple[tuple[int, ...], np.ndarray, np.ndarray]]:
    """Parts of the same sizes together: the sizes, the places of their cells (m, cells), their attributes (m, k)."""
    shape, first = np.array(Q.domain.shape), 0
    for block in Q.blocks:
        kinds, kind = np.unique(shape[block.sets], axis=0, return_inverse=True)
        order = np.argsort(kind.ravel(), kind="stable")
        for sizes, rows in zip(kinds, np.split(order, np.cumsum(np.bincount(kind.ravel()))[:-1]), strict=True):
            yield tuple(sizes.tolist()), Q.offsets[first + rows][:, None] + np.arange(sizes.prod()), block.sets[rows]
        first += len(block.sets)


def _numbered(sets: np.ndarray, d: int) -> np.ndarray:
    """The number of each row of (m, k) attributes among the distinct ones, from 0."""
    place = np.zeros(len(sets), np.intp)
    for column in sets.T:
        place = np.unique(place * d + column, return_inverse=True)[1]
    return place


def _subsets(k: int) -> list[tuple[int, ...]]:
    return [tuple(j for j in range(k) if chosen >> j & 1) for chosen in range(2**k)]


def _sums(
    tables: np.ndarray, k: int, i: int = 0, J: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """Every subset J of the k axes with the tables' sums over the other axes; those up to i are decided."""
    if i == k:
        yield J, tables
    else:
        yield from _sums(tables, k, i + 1, (*J, i))
        yield from _sums(tables.sum(axis=1 + len(J)), k, i + 1, J)


def _add(into: np.ndarray, place: np.ndarray, tables: np.ndarray) -> None:
    """Add each table where its place is; several may have the same."""
    order = np.argsort(place, kind="stable")
    first = np.flatnonzero(np.diff(place[order], prepend=-1))
    into[place[order[first]]] += np.add.reduceat(tables[order], first, axis=0)


def _spread(
    residual: Callable[[tuple[int, ...]], np.ndarray], sizes: tuple[int, ...], i: int = 0, J: tuple[int, ...] = ()
) -> np.ndarray:
    """Σ over the subsets of the axes of their residuals, each spread evenly over the axes it lacks."""
    if i == len(sizes):
        return residual(J)
    even = np.expand_dims(_spread(residual, sizes, i + 1, J), 1 + len(J)) / sizes[i]
    return _spread(residual, sizes, i + 1, (*J, i)) + even
