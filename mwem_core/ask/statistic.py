"""A statistic: functions of linear queries, with what they read of what was measured and how noise moves it.

No model is used. `influences` says what a record changes, and `within_bins` what is not known of numbers in bins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from mwem_core.ask.conditions import Feature
from mwem_core.domain import Attrs, Domain, Source, nonempty_subsets
from mwem_core.intervals import BinValues, Estimates
from mwem_core.model import align, centre

READ = 1e-9  # of a query's largest value: what it reads of a residual below this is rounding


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """Linear queries on one marginal: `q` is (k, *shape of the marginal over S), in any unit.

    `slopes` and `doubts` are those of features in bins (`conditions.Feature`), of the shape of q.
    """

    S: Attrs
    q: np.ndarray
    slopes: Mapping[int, np.ndarray] = field(default_factory=dict)
    doubts: np.ndarray | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """What K queries read: `share` of the number of records, (K,), and `weights` of residuals, (K, cells of A) by A.

    A query's answer is share · n + Σ weights_A · r_A. Those residuals that are read and not known are `missing`.
    """

    known: Estimates
    share: np.ndarray
    weights: dict[Attrs, np.ndarray]
    missing: tuple[Attrs, ...]

    @classmethod
    def of(cls, known: Estimates, blocks: Sequence[Block]) -> Reading:
        """The reading of the queries of all blocks, in order."""
        ends = np.cumsum([0, *(len(block.q) for block in blocks)])
        share, weights = np.zeros(ends[-1]), {}
        for block, first, last in zip(blocks, ends[:-1], ends[1:], strict=True):
            share[first:last] = block.q.reshape(last - first, -1).mean(axis=1)
            least = READ * np.abs(block.q).max(initial=0.0)
            for A in nonempty_subsets(block.S):
                others = tuple(1 + i for i, a in enumerate(block.S) if a not in A)
                read = centre(block.q.mean(axis=others), first_axis=1).reshape(last - first, -1)
                if np.abs(read).max(initial=0.0) > least:
                    rows = weights.setdefault(A, np.zeros((ends[-1], read.shape[1])))
                    rows[first:last] += read
        return cls(known, share, weights, tuple(A for A in weights if A not in known.residuals))

    @cached_property
    def values(self) -> np.ndarray:
        """The answers, in records: (K,). Unbiased; a count may be below zero."""
        read = [weights @ self.known.residuals[A][0].ravel() for A, weights in self.weights.items()]
        return sum(read, self.share * self.known.total[0])

    def variance(self, J: np.ndarray) -> np.ndarray:
        """The variance of J · answers by the noise: (p, K) -> (p,). The noise of a residual is white in its space."""
        by_residual = [
            self.known.residuals[A][1] * ((J @ weights) ** 2).sum(axis=1) for A, weights in self.weights.items()
        ]
        return sum(by_residual, self.known.total[1] * (J @ self.share) ** 2)

    def redrawn(self, draws: int, rng: np.random.Generator) -> np.ndarray:
        """The answers with noise drawn again, residual by residual: (draws, K)."""
        moved = self.known.total[1] ** 0.5 * rng.standard_normal((draws, 1)) * self.share
        for A, weights in self.weights.items():
            moved += self.known.residuals[A][1] ** 0.5 * rng.standard_normal((draws, weights.shape[1])) @ weights.T
        return self.values + moved


STEP = 1e-6  # of a difference quotient: of the number of records times a query's largest value

Scale = Literal["plain", "log", "atanh"]
INVERSES = {"plain": np.asarray, "log": np.exp, "atanh": np.tanh}


@dataclass(frozen=True, eq=False, repr=False)
class Statistic:
    """p numbers, by `names`, that `function` makes of the answers to all queries of `blocks`: (..., K) -> (..., p).

    Answers are in records. Multiplied by one number they give the same, or `of_records` as many times the values. The
    function gives NaN where the statistic is not defined. Intervals are symmetric on the `scale` of its values.
    `derivative` is (p, K) at answers (K,); without it, difference quotients are taken.

    Values are possible from `least` to `most`: (p,), or one for all. Where `whole`, the values are shares that add up
    to 1. `needs` are, for each value, groups that must not be empty. `note` says what a reader has to know. `slopes`
    are what the numbers of each cell of the block, if there is one, move the values by: (p, cells) by the attribute;
    without it they follow from those of blocks. `doubt` is how far off the values may be as numbers of two attributes
    may go together within their bins: of answers, (p,).
    """

    names: tuple[str, ...]
    blocks: tuple[Block, ...]
    function: Callable[[np.ndarray], np.ndarray]
    scale: Scale = "plain"
    derivative: Callable[[np.ndarray], np.ndarray] | None = None
    least: np.ndarray | float = -np.inf
    most: np.ndarray | float = np.inf
    whole: bool = False
    needs: tuple[tuple[Feature, ...], ...] = ()
    note: str = ""
    of_records: bool = False
    slopes: Callable[[np.ndarray], Mapping[int, np.ndarray]] | None = None
    doubt: Callable[[np.ndarray], np.ndarray] | None = None

    @property
    def in_bins(self) -> bool:
        """Whether it reads numbers that are in bins, of which records in memory do not tell it."""
        return self.slopes is not None or any(block.slopes for block in self.blocks)

    @property
    def attrs(self) -> Attrs:
        """All attributes that its queries read."""
        return tuple(sorted({a for block in self.blocks for a in block.S}))

    def answers(self, marginal: Callable[[Attrs], np.ndarray]) -> np.ndarray:
        """The answers to all queries by these marginals: (K,)."""
        return np.concatenate([block.q.reshape(len(block.q), -1) @ marginal(block.S).ravel() for block in self.blocks])

    def of(self, source: Source) -> np.ndarray:
        """Its values of a source, such as records, on the scale of answers: (p,). NaN where it is not defined."""
        with np.errstate(all="ignore"):
            return INVERSES[self.scale](self.function(self.answers(source.marginal)))

    def by_block(self, J: np.ndarray) -> Iterator[tuple[Block, np.ndarray]]:
        """Each block, with what is of its queries in J: (p, K) -> (p, k)."""
        ends = np.cumsum([len(block.q) for block in self.blocks])
        return zip(self.blocks, np.split(J, ends[:-1], axis=1), strict=True)

    def derivatives(self, answers: np.ndarray, n: float) -> np.ndarray:
        """∂ value / ∂ answer at these answers, about n records: (K,) -> (p, K)."""
        if self.derivative is not None:
            return self.derivative(answers)
        largest = [np.abs(block.q).reshape(len(block.q), -1).max(axis=1, initial=0.0) for block in self.blocks]
        steps = STEP * n * np.maximum(np.concatenate(largest), 1e-12)
        moved = np.diag(steps)
        return ((self.function(answers + moved) - self.function(answers - moved)) / (2 * steps)[:, None]).T


TYPICAL_GROUP = 0.1  # widths of a bin, by which the means of groups differ within it
EVEN = 1 / 12  # the variance of numbers that fill a bin of width 1
MAX_UNION = 2**15  # cells of a table over which slopes are added up


def within_bins(
    domain: Domain,
    bins: Mapping[int, BinValues],
    statistic: Statistic,
    answers: np.ndarray,
    J: np.ndarray,
    marginal: Callable[[Attrs], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """How far values may be off by what is not known of numbers within bins, and by sampling: (p,) each, or ().

    `J`, (p, K), are the derivatives at these answers, and `marginal` gives tables in records. By group, numbers of a
    bin are a sample of its own, whose mean is off by `TYPICAL_GROUP` widths besides. Doubts add up, as they point one
    way.
    """
    variance, doubt, sampling = np.zeros(()), np.zeros(()), np.zeros(())
    for a, tables in _slopes(domain, statistic, answers, J).items():
        squares, moved = bins[a].widths ** 2, np.zeros(())
        for S, own in tables.items():
            axis = S.index(a)
            t = np.moveaxis(np.maximum(marginal(S), 0.0), axis, 0).reshape(len(squares), -1)
            psi = np.moveaxis(own, 1 + axis, 1).reshape(len(own), *t.shape)
            n, sums = t.sum(axis=1), (psi * t).sum(axis=2)
            around = psi - np.divide(sums, n, out=np.zeros_like(sums), where=n > 0)[:, :, None]
            groups = EVEN * (around**2 * t).sum(axis=2) + TYPICAL_GROUP**2 * ((around * t) ** 2).sum(axis=2)
            variance, moved = variance + groups @ squares, moved + sums
            sampling = sampling + EVEN * (psi**2 * t).sum(axis=2) @ squares
        variance = variance + ((moved * bins[a].noise) ** 2).sum(axis=1)
        doubt = doubt + np.abs(moved) @ bins[a].doubts
    for block, own in statistic.by_block(J):
        if block.doubts is not None:
            doubts = np.abs(own) @ block.doubts.reshape(len(block.q), -1)
            doubt = doubt + doubts @ np.maximum(marginal(block.S), 0.0).ravel()
    if statistic.doubt:
        doubt = np.hypot(doubt, statistic.doubt(answers))
    return np.sqrt(variance + doubt**2), np.sqrt(sampling)


def _slopes(
    domain: Domain, statistic: Statistic, answers: np.ndarray, J: np.ndarray
) -> dict[int, dict[Attrs, np.ndarray]]:
    """What a number of an attribute in bins moves the values by, in each cell of some tables: (p, *sizes).

    By the attribute there may be several tables, which add up; those whose union is small enough are one.
    """
    slopes: dict[int, dict[Attrs, np.ndarray]] = {}
    of_cells = statistic.slopes(answers) if statistic.slopes else {}
    for block, own in statistic.by_block(J):
        moved = {a: own @ q.reshape(len(block.q), -1) for a, q in block.slopes.items()}
        for a, psi in (moved | dict(of_cells)).items():
            S, psi, tables = block.S, psi.reshape(len(J), *domain.sizes(block.S)), slopes.setdefault(a, {})
            for R in list(tables):
                U = tuple(sorted({*R, *S}))
                if domain.cells(U) <= MAX_UNION:
                    pairs = (tables.pop(R), R), (psi, S)
                    before, psi = (np.array([align(each, T, U) for each in own]) for own, T in pairs)
                    S, psi = U, before + psi
            tables[S] = psi
    return slopes


def influences(domain: Domain, statistic: Statistic, J: np.ndarray) -> list[tuple[Attrs, np.ndarray]]:
    """What a record in each cell of each block's marginal moves the values by, to first order: (p, *shape)."""
    return [
        (block.S, (own @ block.q.reshape(len(block.q), -1)).reshape(len(J), *domain.sizes(block.S)))
        for block, own in statistic.by_block(J)
    ]
