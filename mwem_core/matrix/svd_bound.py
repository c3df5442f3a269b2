"""The bound on every mechanism that chooses its noise from the workload alone."""

import math

import numpy as np

from mwem_core.matrix.gram import MOST, gram
from mwem_core.matrix.residuals import Residuals
from mwem_core.model.loglinear import LogLinear
from mwem_core.privacy.budget import Guarantee
from mwem_core.workload.operators import Boxes
from mwem_core.workload.workload import Workload


def svd_bound(Q: Workload, *, epsilon: float, delta: float, total_public: bool = False) -> float:
    """Mean squared error per query, in records², below which no matrix mechanism goes: σ² (Σ singular)² / (|D| |Q|).

    The singular values are those of the queries as rows over D, and σ² is the variance that (ε, δ) gives, by zCDP, to
    an answer of sensitivity 1 (Li & Miklau, "Measuring the Achievable Error of Query Sets Under Differential Privacy",
    2012, with 2 ln(2/δ)/ε² for σ²: the same bound by a looser account). Where the total is public the rows are less
    their means, and the bound is of what is left: exact for marginals and parities, else by the triangle inequality.
    It holds for whoever chooses noise from the workload alone: MWEM may be better, and is where the data is simple.
    Reads no data. Raises ValueError without a δ, and for a workload too large.
    """
    promise = Guarantee(epsilon, delta)
    if promise.delta == 0:
        raise ValueError("the bound is of (ε, δ)-differential privacy: give a delta above 0, as 1/n")
    known = _of_total(Q) if total_public else 0.0
    return promise.budget.scale**2 * max(0.0, _nuclear(Q) - known) ** 2 / Q.size


def _of_total(Q: Workload) -> float:
    """The most that a public total takes off Σσ / √|D|: of marginals the residual of no attributes, of parities none.

    W less its rows' means is W - W11ᵀ/|D|, and what is taken off has the one singular value ‖W1‖ / √|D|.
    """
    if Q.family == "parities":
        return 0.0
    if Q.tabular:
        return float(np.sqrt(Residuals.of(Q).cover[0]).sum())
    return float(np.linalg.norm(Q.answers(LogLinear.uniform(Q.domain.shape, 1.0))))


def _nuclear(Q: Workload) -> float:
    """Σσ / √|D|: what the queries do not read leaves it as it is.

    Marginals: on the residuals of A, of dimension Π (n_i - 1), WᵀW is |D| Σ 1/cells(S) over the S that hold A.
    Parities: orthogonal, of length √|D| each. Prefixes and all intervals: WᵀW is the inverse of a second difference
    matrix, of the classical eigenvalues; boxes are Kronecker products. Else by the smaller of WᵀW and WWᵀ.
    """
    if Q.tabular:
        residuals = Residuals.of(Q)
        kinds = zip(residuals.sizes, residuals.cover, strict=True)
        return sum(math.prod(size - 1 for size in sizes) * float(np.sqrt(cover).sum()) for sizes, cover in kinds)
    if Q.family == "parities":
        return float(Q.size)
    operator = Q.blocks[0].operator
    if not isinstance(operator, Boxes):
        return _roots(gram(Q))
    kind, cells = Q.spec.rpartition(":")[2], math.prod(operator.sizes)
    if kind in ("all", "prefixes"):
        extents = operator.high.max(axis=0) + 1
        return math.prod(_intervals(int(extent), kind) for extent in extents) / math.sqrt(cells)
    if cells >= Q.size or cells > MOST:
        return _roots(gram(Q))
    return _roots(np.array([operator.over(operator.answers(x, 1)) for x in np.eye(cells)]) / cells)


def _intervals(m: int, kind: str) -> float:
    """Σσ of all intervals, or of all prefixes, of m values.

    WᵀW is min(i, j) (m + 1 - max(i, j)), m + 1 times the inverse of a path's second differences, both ends held; of
    prefixes m + 1 - max(i, j), with one end free.
    """
    j = np.arange(1, m + 1)
    if kind == "all":
        return float((math.sqrt(m + 1) / (2 * np.sin(np.pi * j / (2 * (m + 1))))).sum())
    return float((1 / (2 * np.sin(np.pi * (2 * j - 1) / (4 * m + 2)))).sum())


def _roots(matrix: np.ndarray) -> float:
    """Σ √λ over the eigenvalues of a symmetric matrix with none below zero, but for rounding."""
    return float(np.sqrt(np.maximum(np.linalg.eigvalsh(matrix), 0.0)).sum())
