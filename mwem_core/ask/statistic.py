"""A statistic: functions of linear queries, with what they read of what was measured and how noise moves it.

No model is used. `influences` says what a record changes, and `LinearFunctions` what a fit has lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from mwem_core.ask.conditions import Feature
from mwem_core.domain import Attrs, Domain, Source, nonempty_subsets
from mwem_core.intervals import Estimates
from mwem_core.model import centre, marginalise

READ = 1e-9  # of a query's largest value: what it reads of a residual below this is rounding


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """Linear queries on one marginal: `q` is (k, *shape of the marginal over S), in any unit."""

    S: Attrs
    q: np.ndarray

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

    Values are possible from `least` to `most`: (p,), or one for all. Where `spans`, the function gives p values more
    with each number at the least that its bin allows, and p with the most. Where `whole`, the values are shares that
    add up to 1. `needs` are, for each value, groups that must not be empty. `note` says what a reader has to know.
    """

    names: tuple[str, ...]
    blocks: tuple[Block, ...]
    function: Callable[[np.ndarray], np.ndarray]
    scale: Scale = "plain"
    derivative: Callable[[np.ndarray], np.ndarray] | None = None
    least: np.ndarray | float = -np.inf
    most: np.ndarray | float = np.inf
    spans: bool = False
    whole: bool = False
    needs: tuple[tuple[Feature, ...], ...] = ()
    note: str = ""
    of_records: bool = False

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
