"""How much the queries of a workload overlap: their inner products under the uniform distribution."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs, Source
from mwem_core.workload.workload import Workload

MOST = 5000  # queries, or cells: half a minute to find the eigenvalues of a matrix as wide
MOST_READ = 10**10  # cells read in all: a minute or less


def gram(Q: Workload) -> np.ndarray:
    """E[q_i(x) q_j(x)] for x uniform on D, W Wᵀ / |D| with queries as W's rows: (|Q|, |Q|). No array over D is made.

    Raises ValueError where `check_gram` does.
    """
    check_gram(Q)
    return np.array([Q.answers(_Weighted(Q.domain, *Q.query(j)[:2])) for j in range(Q.size)])


def check_gram(Q: Workload) -> None:
    """Raises ValueError where the queries are too many, or read too much, to be held against each other."""
    if max(Q.size / MOST, Q.size * Q.cells / MOST_READ) > 1:
        raise ValueError(
            f"the queries of a workload are held against each other here, {MOST:,} of them and {MOST_READ:,} cells at "
            f"most; {Q.name} are {Q.size:,}, with {Q.size * Q.cells:,} cells: ask fewer, or of fewer attributes"
        )


@dataclass(frozen=True, eq=False)
class _Weighted(Source):
    """The uniform distribution, each cell's share times a query's value there."""

    domain: Domain
    attrs: Attrs
    q: np.ndarray

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """Its mean over what a set leaves out, spread evenly over what the query does not read."""
        found = []
        for S in sets:
            mean = self.q.mean(axis=tuple(i for i, a in enumerate(self.attrs) if a not in S))
            shape = [self.domain.shape[a] if a in self.attrs else 1 for a in S]
            found.append(np.broadcast_to(mean.reshape(shape) / self.domain.cells(S), self.domain.sizes(S)))
        return found
