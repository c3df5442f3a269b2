"""The influence of a record on the values of a statistic, to first order, and what a fit has lost of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.ask.measured import Block, Reading
from mwem_core.domain import Attrs, Domain
from mwem_core.intervals import Estimates
from mwem_core.model import centred, marginalise


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
class Linear:
    """What p linear functions of a table over U read of its known residuals: `weights`, (p, cells of A) by A.

    No table without negative cells may have the residuals as measured. What a fit has lost of them is given back to a
    statistic to first order.
    """

    U: Attrs
    weights: dict[Attrs, np.ndarray]

    @classmethod
    def of(cls, known: Estimates, influences: Sequence[tuple[Attrs, np.ndarray]], U: Attrs) -> Linear:
        """That of the sum of these functions, each of a marginal: (p, *shape)."""
        weights: dict[Attrs, np.ndarray] = {}
        for S, table in influences:
            for A, read in Reading.of(known, [Block(S, table)]).weights.items():
                if A in known.residuals:
                    weights[A] = weights.get(A, 0.0) + read
        return cls(U, weights)

    def lost(self, residuals: Mapping[Attrs, np.ndarray], table: np.ndarray) -> np.ndarray:
        """Their values of these residuals less those of a table over U that was fitted to them, in records: (p,)."""
        found = np.zeros(())
        for A, weights in self.weights.items():
            found = found + weights @ (residuals[A] - centred(marginalise(table, self.U, A))).ravel()
        return found
