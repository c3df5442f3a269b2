"""Optimal Gaussian marginals: measure every residual of the workload's marginals once, with planned noise scales.

Unlike MWEM it selects nothing by looking at the data, and has no model: the plan depends on the workload alone. The
answers are unbiased and consistent with each other, and may be negative. Of all mechanisms that add Gaussian noise to
linear queries it has the least sum of variances (Xiao, He, Zhang & Kifer, "An Optimal and Scalable Matrix Mechanism
for Noisy Marginals under Convex Loss Functions", NeurIPS 2023: ResidualPlanner).
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.algorithm import Answers, OneShot, Round
from mwem_core.domain import Table
from mwem_core.model import centre
from mwem_core.privacy import Accountant, NoiseSource
from mwem_core.workload import Residuals, Workload, check_non_negative, check_subsets, non_negative


@dataclass(frozen=True, kw_only=True)
class Planner(OneShot[Answers]):
    """Settings: (ε, δ) with δ > 0, by zCDP. The total n, which is the residual of no attributes, is taken as public.

    `clean="non-negative"` projects the answers on non-negative marginals (`mwem_core.workload.consistency`); these are
    no longer unbiased. "none" leaves the answers as in the paper. Raises ValueError out of range, and for δ = 0.
    """

    epsilon: float
    delta: float
    clean: Literal["none", "non-negative"] = "none"

    def __post_init__(self):
        super().__post_init__()
        if self.delta == 0:
            raise ValueError("Gaussian noise needs a delta above 0: choose one well below 1/n")

    def check(self, workload: Workload) -> None:
        """Refuse other families than marginals and cuboids, and marginals of too many attributes."""
        if not workload.tabular:
            raise ValueError(
                f"optimal Gaussian marginals answer marginals and cuboids, not {workload.families}: "
                "choose marginals, or the Gaussian mechanism"
            )
        check_subsets(workload)
        if self.clean == "non-negative":
            check_non_negative(workload)

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Answers]:
        """Unbiased marginals of the workload."""
        account, n, residuals = Accountant(self.guarantee.budget, noise), float(B.total), Residuals.of(Q)
        exact, scales = residuals.decompose(Q.answers(B)), residual_factors(residuals)
        # 1. measure all residuals except n as one vector of L2 sensitivity 1
        scaled = [_scale(r, s) for r, s in zip(exact[1:], scales, strict=True)]
        measured = account.measure(np.concatenate([r.ravel() for r in scaled]), cost=account.left)
        # 2. undo the scale, and remove the noise outside of the residuals' space
        parts = np.split(measured, np.cumsum([r.size for r in scaled])[:-1])
        noisy = [
            centre(_scale(part.reshape(r.shape), 1 / s), first_axis=1)
            for part, r, s in zip(parts, scaled, scales, strict=True)
        ]
        # 3. reconstruct the marginals
        answers = residuals.reconstruct([np.array([n]), *noisy])
        if self.clean == "non-negative":
            answers = non_negative(Q, answers, n)
        return Round(1, account.ledger, Answers(Q, answers, n), label="all residuals")


def residual_factors(residuals: Residuals) -> list[np.ndarray]:
    r"""The factor s_A of each residual r_A, before all residuals get noise of one σ: (sets,) for each shape except ().

    Privacy: a record moves r_A by a column of ⊗ (I - 11ᵀ/n_i), of squared length p_A = Π (n_i - 1)/n_i. It moves all
    s_A r_A together by Δ₂² = Σ s_A² p_A, which is 1. With σ² = 1/2ρ, r_A gets noise of variance σ_A² = σ²/s_A² and
    costs p_A/2σ_A² of ρ. Noise is drawn independently for each cell; its projection on r_A's space is kept, of
    covariance σ_A² ⊗ (I - 11ᵀ/n_i). The paper measures Sub r_A, the differences to one value, with covariance
    σ_A² Sub Subᵀ. This is the same measurement, because Sub has an inverse on that space.

    Error: the noise of r_A adds the variance σ_A² v_A to all answers together. Here v_A is Π (n_i - 1) over A's
    attributes times Σ 1/cells(S \ A) over the S that contain A. Since Σ s_A² p_A = 1, Cauchy and Schwarz give
    Σ σ_A² v_A >= σ² (Σ √(v_A p_A))². Both are equal where A's share of ρ, s_A² p_A, is proportional to
    √(v_A p_A) = Π (n_i - 1) · √(Σ 1/cells(S)). The total n is public and gets no share.
    """
    by_shape = list(zip(residuals.shapes, residuals.cover, strict=True))[1:]
    shares = [math.prod(size - 1 for size in shape) * np.sqrt(cover) for shape, cover in by_shape]
    total = sum(float(share.sum()) for share in shares)
    squared_lengths = [math.prod((size - 1) / size for size in shape) for shape, _ in by_shape]
    return [np.sqrt(share / (total * p)) for share, p in zip(shares, squared_lengths, strict=True)]


def _scale(tables: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Multiply each of m tables, (m, *shape), by its own factor, (m,)."""
    return tables * factors.reshape(-1, *[1] * (tables.ndim - 1))
