"""The Gram matrix of a workload: the inner products of its queries under the uniform distribution."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attrs, Domain, Source
from mwem_core.workload.workload import Workload

MAX_MATRIX_SIDE = 5000  # half a minute for the eigenvalues of a matrix of this side
MAX_CELLS_READ = 10**10  # of the workload's marginals, once per query: a minute or less


def gram(Q: Workload) -> np.ndarray:
    """E[q_i(x) q_j(x)] for x uniform on D: (|Q|, |Q|). This is W Wᵀ / |D|, computed without an array over D.

    Raises ValueError where `check_gram` does.
    """
    check_gram(Q)
    return np.array([Q.answers(_UniformTimesQuery(Q.domain, *Q.query(j)[:2])) for j in range(Q.size)])


def check_gram(Q: Workload) -> None:
    """Raise ValueError where the Gram matrix of `Q` would be too large, or would read too many cells."""
    cells_read = Q.size * Q.cells
    if max(Q.size / MAX_MATRIX_SIDE, cells_read / MAX_CELLS_READ) > 1:
        raise ValueError(
            f"{Q.name}: the inner products of {Q.size:,} queries read {cells_read:,} cells, but at most "
            f"{MAX_MATRIX_SIDE:,} queries and {MAX_CELLS_READ:,} cells can be handled: "
            "choose fewer queries, or fewer attributes"
        )


@dataclass(frozen=True, eq=False)
class _UniformTimesQuery(Source):
    """The uniform distribution on D, with each cell's share multiplied by a query's value there.

    The query has the values `q` on the cells of the marginal over `attrs`.
    """

    domain: Domain
    attrs: Attrs
    q: np.ndarray

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The query's mean over its attributes outside of each set, spread evenly over the set's other attributes."""
        marginals = []
        for S in sets:
            mean = self.q.mean(axis=tuple(i for i, a in enumerate(self.attrs) if a not in S))
            shape = [self.domain.shape[a] if a in self.attrs else 1 for a in S]
            marginals.append(np.broadcast_to(mean.reshape(shape) / self.domain.cells(S), self.domain.sizes(S)))
        return marginals
