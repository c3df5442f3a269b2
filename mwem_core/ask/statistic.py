"""A statistic: functions of linear queries, with what they read of what was measured and how noise moves it.

No model is used. `influences` says what a record changes, and `LinearFunctions` what a fit has lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from mwem_core.ask.conditions import Feature
from mwem_core.domain import Attrs, Domain, Source, nonempty_subsets
from mwem_core.intervals import BinValues, Estimates
from mwem_core.model import align, centre, marginalise

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

    def answers(self, source: Source) -> np.ndarray:
        """The answers of a source, (k,), in records."""
        return self.q.reshape(len(self.q), -1) @ np.ravel(source.marginal(self.S))


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

    def of(self, source: Source) -> np.ndarray:
        """Its values of a source, such as records, on the scale of answers: (p,). NaN where it is not defined."""
        with np.errstate(all="ignore"):
            values = self.function(np.concatenate([block.answers(source) for block in self.blocks]))[: len(self.names)]
        return {"log": np.exp, "atanh": np.tanh}.get(self.scale, np.asarray)(values)

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


@dataclass(frozen=True, eq=False)
class WithinBins:
    """What is not known of numbers within bins, as it moves p values of a statistic.

    A number of an attribute in a cell moves the values by `slopes`, tables over some attributes, (p, *sizes); by the
    attribute there may be several, which add up. `doubts` are tables of how far off a record's part may be besides.
    """

    bins: Mapping[int, BinValues]
    slopes: Mapping[int, Mapping[Attrs, np.ndarray]]
    doubts: tuple[tuple[Attrs, np.ndarray], ...]

    @classmethod
    def of(
        cls, domain: Domain, bins: Mapping[int, BinValues], statistic: Statistic, answers: np.ndarray, J: np.ndarray
    ) -> WithinBins:
        """What the statistic reads of bins where its derivatives by these answers are J, (p, K)."""
        slopes, doubts, first = dict[int, dict[Attrs, np.ndarray]](), [], 0
        of_cells = statistic.slopes(answers) if statistic.slopes else {}
        for block in statistic.blocks:
            k, sizes = len(block.q), (len(J), *domain.sizes(block.S))
            own, first = J[:, first : first + k], first + k
            if block.doubts is not None:
                doubts.append((block.S, (np.abs(own) @ block.doubts.reshape(k, -1)).reshape(sizes)))
            moved = {a: own @ q.reshape(k, -1) for a, q in block.slopes.items()}
            for a, psi in (moved | dict(of_cells)).items():
                S, psi, tables = block.S, psi.reshape(sizes), slopes.setdefault(a, {})
                for R in list(tables):
                    U = tuple(sorted({*R, *S}))
                    if domain.cells(U) <= MAX_UNION:
                        pairs = (tables.pop(R), R), (psi, S)
                        before, psi = (np.array([align(each, T, U) for each in own]) for own, T in pairs)
                        S, psi = U, before + psi
                tables[S] = psi
        return cls(bins, slopes, tuple(doubts))

    def deviations(self, marginal: Callable[[Attrs], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """The standard deviations by what is not known of the table, and by sampling: (p,) each, or ().

        `marginal` gives tables in records. By group, numbers of a bin are a sample of its own, whose mean is off by
        `TYPICAL_GROUP` widths besides. Doubts add up, as they point one way.
        """
        variance, doubt, sampling = np.zeros(()), np.zeros(()), np.zeros(())
        for a, tables in self.slopes.items():
            bins, moved = self.bins[a], np.zeros(())
            squares = bins.widths**2
            for S, own in tables.items():
                axis = S.index(a)
                t = np.moveaxis(np.maximum(marginal(S), 0.0), axis, 0).reshape(len(squares), -1)
                psi = np.moveaxis(own, 1 + axis, 1).reshape(len(own), *t.shape)
                n, sums = t.sum(axis=1), (psi * t).sum(axis=2)
                around = psi - np.divide(sums, n, out=np.zeros_like(sums), where=n > 0)[:, :, None]
                groups = EVEN * (around**2 * t).sum(axis=2) + TYPICAL_GROUP**2 * ((around * t) ** 2).sum(axis=2)
                variance, moved = variance + groups @ squares, moved + sums
                sampling = sampling + EVEN * (psi**2 * t).sum(axis=2) @ squares
            variance = variance + ((moved * bins.noise) ** 2).sum(axis=1)
            doubt = doubt + np.abs(moved) @ bins.doubts
        for S, own in self.doubts:
            doubt = doubt + own.reshape(len(own), -1) @ np.maximum(marginal(S), 0.0).ravel()
        return np.sqrt(variance + doubt**2), np.sqrt(sampling)


def influences(domain: Domain, blocks: Sequence[Block], J: np.ndarray) -> list[tuple[Attrs, np.ndarray]]:
    """What a record in each cell of each block's marginal moves the values by, to first order: (p, *shape)."""
    found, first = [], 0
    for block in blocks:
        k = len(block.q)
        moved = J[:, first : first + k] @ block.q.reshape(k, -1)
        found.append((block.S, moved.reshape(len(J), *domain.sizes(block.S))))
        first += k
    return found


@dataclass(frozen=True, eq=False)
class LinearFunctions:
    """What p linear functions of a table over U read of its known residuals: `weights`, (p, cells of A) by A.

    No table without negative cells may have the residuals as measured. What a fit has lost of them is given back to a
    statistic to first order.
    """

    U: Attrs
    weights: dict[Attrs, np.ndarray]

    @classmethod
    def of(cls, known: Estimates, influences: Sequence[tuple[Attrs, np.ndarray]], U: Attrs) -> LinearFunctions:
        """The sum of these functions, each of a marginal: (p, *shape)."""
        weights: dict[Attrs, np.ndarray] = {}
        for S, table in influences:
            for A, read in Reading.of(known, [Block(S, table)]).weights.items():
                if A in known.residuals:
                    weights[A] = weights.get(A, 0.0) + read
        return cls(U, weights)

    def loss(self, residuals: Mapping[Attrs, np.ndarray], table: np.ndarray) -> np.ndarray:
        """Their values of these residuals less those of a table over U that was fitted to them, in records: (p,)."""
        found = np.zeros(())
        for A, weights in self.weights.items():
            found = found + weights @ (residuals[A] - centre(marginalise(table, self.U, A))).ravel()
        return found
