"""Optimal Gaussian marginals: every residual of the workload's marginals, once, each at the noise that serves best.

Unlike MWEM nothing is chosen by looking at the data and there is no model: the plan is made from the workload alone,
and the answers are unbiased, consistent with each other, and may be negative. Among all mechanisms that add Gaussian
noise to linear queries none has a smaller sum of variances (Xiao, He, Zhang & Kifer, "An Optimal and Scalable Matrix
Mechanism for Noisy Marginals under Convex Loss Functions", NeurIPS 2023: ResidualPlanner).
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.algorithm import Answers, OneShot, Round
from mwem_core.data.table import Table
from mwem_core.matrix.consistency import check_clean, non_negative
from mwem_core.matrix.residuals import Residuals, centred, check_subsets
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.workload import Workload


@dataclass(frozen=True, kw_only=True)
class Planner(OneShot[Answers]):
    """Settings: (ε, δ), δ > 0, by zCDP. The total n is taken as public: it is the residual of no attributes.

    `clean` is what is done to the answers, which are consistent already: nothing, as in the paper; or "non-negative",
    the nearest with no cell below zero (`mwem_core.matrix.consistency`), which are no longer unbiased.
    Raises ValueError out of range, and for δ = 0.
    """

    epsilon: float
    delta: float
    clean: Literal["none", "non-negative"] = "none"

    def __post_init__(self):
        if self.guarantee.delta == 0:
            raise ValueError("Gaussian noise is never pure: give a delta above 0, well below 1/n")
        if self.clean not in ("none", "non-negative"):
            raise ValueError(f"clean must be none or non-negative, got {self.clean!r}")

    def check(self, workload: Workload) -> None:
        """Refuse what is not whole marginals, and marginals of too many attributes at once."""
        if not workload.tabular:
            raise ValueError(
                f"the plan is for marginals and cuboids, not for {workload.family}: "
                "ask for marginals, or choose the Gaussian mechanism"
            )
        check_subsets(workload)
        if self.clean == "non-negative":
            check_clean(workload, non_negative=True)

    def _round(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Answers]:
        """The workload's marginals."""
        budget, n, residuals = self.guarantee.budget, float(B.total), Residuals.of(Q)
        exact, scales = residuals.split(Q.answers(B)), plan(residuals)
        # 1. measure all residuals but n's as one vector of L2 sensitivity 1
        scaled = [_times(r, s) for r, s in zip(exact[1:], scales, strict=True)]
        flat = budget.measure(np.concatenate([r.ravel() for r in scaled]), noise)
        # 2. take back the scale, and the noise outside of the residuals' space
        parts = np.split(flat, np.cumsum([r.size for r in scaled])[:-1])
        noisy = [
            centred(_times(part.reshape(r.shape), 1 / s)) for part, r, s in zip(parts, scaled, scales, strict=True)
        ]
        # 3. put the tables together
        answers = residuals.join([np.array([n]), *noisy])
        if self.clean == "non-negative":
            answers = non_negative(Q, answers, n)
        ledger = Ledger(budget).spend(measure=budget.amount)
        return Round(1, ledger, Answers(Q, answers, n), label="all residuals")


def plan(residuals: Residuals) -> list[np.ndarray]:
    r"""What each residual is multiplied by before all of them get noise of one σ: s_A, (sets,) for each sizes but ().

    Privacy: a record moves r_A by a column of ⊗ (I - 11ᵀ/n_i), of squared length p_A = Π (n_i - 1)/n_i, so all s_A r_A
    together by Δ₂² = Σ s_A² p_A, which is 1. With σ² = 1/2ρ, r_A gets noise σ_A² = σ²/s_A² and costs p_A/2σ_A² of ρ.
    Of noise that is independent cell by cell only its projection on r_A's space is kept, of covariance
    σ_A² ⊗ (I - 11ᵀ/n_i). The paper measures Sub r_A, the differences to one value, with covariance σ_A² Sub Subᵀ: Sub
    turns the one into the other, and has an inverse on that space.

    Error: r_A's noise has variance σ_A² v_A in all answers together, v_A = Π (n_i - 1) · Σ 1/cells(S \ A) over A's
    attributes and the S that hold A. As Σ s_A² p_A = 1, Σ σ_A² v_A >= σ² (Σ √(v_A p_A))² by Cauchy and Schwarz,
    equal where s_A² p_A, A's share of ρ, goes with √(v_A p_A) = Π (n_i - 1) · √(Σ 1/cells(S)). n is public: no share.
    """
    kinds = list(zip(residuals.sizes, residuals.cover, strict=True))[1:]
    shares = [math.prod(size - 1 for size in sizes) * np.sqrt(cover) for sizes, cover in kinds]
    total = sum(float(share.sum()) for share in shares)
    cost = [math.prod((size - 1) / size for size in sizes) for sizes, _ in kinds]
    return [np.sqrt(share / (total * p)) for share, p in zip(shares, cost, strict=True)]


def _times(tables: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Each of (m, *sizes) tables multiplied by a number of its own."""
    return tables * scale.reshape(-1, *[1] * (tables.ndim - 1))


def preset(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: int | None = None) -> Planner:
    """The paper's, for the least sum of variances over the workload's cells; only ε and δ are read."""
    return Planner(epsilon=epsilon, delta=delta)
