"""The Gram matrix of a workload, the inner products of its queries under the uniform distribution; and the bound by its
singular values on the error of every mechanism that chooses its noise from the workload alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attrs, Domain, Source
from mwem_core.model import LogLinear
from mwem_core.privacy import Guarantee
from mwem_core.workload.operators import Boxes
from mwem_core.workload.residuals import Residuals
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


def svd_bound(Q: Workload, *, epsilon: float, delta: float, total_public: bool = False) -> float:
    """Lower bound on a matrix mechanism's mean squared error per query, in records²: σ² (Σ singular)² / (|D| |Q|).

    The singular values are those of W, with queries as rows over D. σ² is the variance that (ε, δ) requires, by zCDP,
    for one answer of sensitivity 1. Li & Miklau ("Measuring the Achievable Error of Query Sets Under Differential
    Privacy", 2012) have 2 ln(2/δ)/ε² for σ², from a looser account. With `total_public` the bound is that of W with
    each row's mean subtracted: exactly for marginals and parities, else less, by the triangle inequality.
    MWEM looks at the data, so its error may be smaller, and is where the data is simple. Reads no data.
    Raises ValueError for δ = 0, and for a workload too large.
    """
    guarantee = Guarantee(epsilon, delta)
    if guarantee.delta == 0:
        raise ValueError("the bound is for (ε, δ)-differential privacy: give a delta above 0, such as 1/n")
    reduction = _total_reduction(Q) if total_public else 0.0
    return guarantee.budget.scale**2 * max(0.0, _nuclear_norm(Q) - reduction) ** 2 / Q.size


def published_svd_bound(Q: Workload, *, epsilon: float, delta: float) -> float:
    """The bound as Li & Miklau print it and the MWEM paper plots it, per query: 2 ln(2/δ)/ε² (Σ singular)² / (|D| |Q|).

    Its account of the Gaussian mechanism is loose: zCDP needs less noise, so a mechanism may err less than this.
    """
    return 2 * math.log(2 / delta) / epsilon**2 * _nuclear_norm(Q) ** 2 / Q.size


def _total_reduction(Q: Workload) -> float:
    """The most by which a public total reduces Σσ / √|D|. Marginals: the share of r_∅. Parities: nothing.

    W with each row's mean subtracted is W - W11ᵀ/|D|. The subtracted matrix has one singular value, ‖W1‖ / √|D|.
    """
    if Q.family == "parities":
        return 0.0
    if Q.tabular:
        return float(np.sqrt(Residuals.of(Q).cover[0]).sum())
    return float(np.linalg.norm(Q.answers(LogLinear.uniform(Q.domain.shape, 1.0))))


def _nuclear_norm(Q: Workload) -> float:
    """Σσ / √|D|. Attributes that no query reads do not change it.

    Marginals: on the residuals of A, of dimension Π (n_i - 1), WᵀW is |D| Σ 1/cells(S) over the S that contain A.
    Parities: orthogonal, of length √|D| each. All intervals, or all prefixes: WᵀW is the inverse of a second-difference
    matrix, with known eigenvalues; boxes are Kronecker products. Otherwise: from the smaller of WᵀW and WWᵀ.
    """
    if Q.tabular:
        residuals = Residuals.of(Q)
        by_shape = zip(residuals.shapes, residuals.cover, strict=True)
        return sum(math.prod(size - 1 for size in shape) * float(np.sqrt(cover).sum()) for shape, cover in by_shape)
    if Q.family == "parities":
        return float(Q.size)
    operator = Q.blocks[0].operator
    if Q.terms or not isinstance(operator, Boxes):
        return _root_sum(gram(Q))
    which, cells = Q.spec.rpartition(":")[2], math.prod(operator.sizes)
    if which in ("all", "prefixes"):
        extents = operator.high.max(axis=0) + 1
        return math.prod(_interval_norm(int(extent), which) for extent in extents) / math.sqrt(cells)
    if cells >= Q.size or cells > MAX_MATRIX_SIDE:
        return _root_sum(gram(Q))
    return _root_sum(np.array([operator.transpose(operator.answers(x, 1)) for x in np.eye(cells)]) / cells)


def _interval_norm(m: int, which: str) -> float:
    """Σσ of "all" intervals, or of all "prefixes", of m values.

    All intervals: WᵀW has the entries min(i, j) (m + 1 - max(i, j)), which is m + 1 times the inverse of the second
    differences of a path with both ends fixed. Prefixes: m + 1 - max(i, j), the inverse with one end free.
    """
    j = np.arange(1, m + 1)
    if which == "all":
        return float((math.sqrt(m + 1) / (2 * np.sin(np.pi * j / (2 * (m + 1))))).sum())
    return float((1 / (2 * np.sin(np.pi * (2 * j - 1) / (4 * m + 2)))).sum())


def _root_sum(matrix: np.ndarray) -> float:
    """Σ √λ over the eigenvalues λ of a positive semidefinite matrix; rounding may make some λ negative."""
    return float(np.sqrt(np.maximum(np.linalg.eigvalsh(matrix), 0.0)).sum())
