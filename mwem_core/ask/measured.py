"""What was measured, read by linear queries: values, and how noise moves them. No model is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mwem_core.domain import Attrs, Source, nonempty_subsets
from mwem_core.intervals import Estimates
from mwem_core.model import centred

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
        """That of the queries of all blocks, in order."""
        ends = np.cumsum([0, *(len(block.q) for block in blocks)])
        share, weights = np.zeros(ends[-1]), {}
        for block, first, last in zip(blocks, ends[:-1], ends[1:], strict=True):
            share[first:last] = block.q.reshape(last - first, -1).mean(axis=1)
            least = READ * np.abs(block.q).max(initial=0.0)
            for A in nonempty_subsets(block.S):
                others = tuple(1 + i for i, a in enumerate(block.S) if a not in A)
                read = centred(block.q.mean(axis=others), first_axis=1).reshape(last - first, -1)
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
        """That of J · answers by the noise: (p, K) -> (p,). The noise of a residual is white in its space."""
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
