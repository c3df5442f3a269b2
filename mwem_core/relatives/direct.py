"""Direct noise: every query, or every cell of D, answered at once with Laplace or Gaussian noise.

Unlike MWEM it chooses nothing and fits no model: the whole budget is one measurement, whose noise grows with all that
is asked (Dwork, McSherry, Nissim & Smith 2006; Dwork, Kenthapadi, McSherry, Mironov & Naor 2006). What comes out are
answers, not rows. Cleaning them up by what is public is a setting, and costs no privacy: the baseline at its best.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.algorithm import Answering, Answers, OneShot, Round
from mwem_core.data.table import Table
from mwem_core.domain.source import Attrs, Source
from mwem_core.matrix.consistency import check_clean, least_squares, non_negative, to_simplex
from mwem_core.privacy.budget import Budget
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.workload import Workload

MOST_CELLS = 10**7  # of D, 80 MB an array: noise on more adds up to more than any marginal holds


@dataclass(frozen=True, kw_only=True)
class Direct(OneShot[Answering]):
    """Settings: Laplace noise where δ = 0, Gaussian noise by zCDP where δ > 0. Raises ValueError out of range.

    `on` the workload's queries, one record adds up to at most Δ = `workload.sensitivity` over all of them in L1; each
    is in [-1, 1] on a record, so Δ is no less than the square of their L2 sensitivity either. On the cells of D, a
    record is in one: Δ = 1. The total n is taken as public, by the clean-up too.

    `clean` is what is done to the noisy answers: nothing; "least-squares", the nearest that a table of n records has,
    were its cells allowed below zero; or "non-negative", the nearest with no cell below zero (`consistency`). On
    cells, either is of the table itself.
    """

    epsilon: float
    delta: float = 0.0
    on: Literal["workload", "cells"] = "workload"
    clean: Literal["none", "least-squares", "non-negative"] = "none"

    def __post_init__(self):
        self.guarantee  # noqa: B018  (checks ε and δ)
        if self.on not in ("workload", "cells"):
            raise ValueError(f"on must be workload or cells, got {self.on!r}")
        if self.clean not in ("none", "least-squares", "non-negative"):
            raise ValueError(f"clean must be none, least-squares or non-negative, got {self.clean!r}")

    def check(self, workload: Workload) -> None:
        """Refuse a domain too large to be measured cell by cell, or a workload too large to be cleaned up."""
        if self.on == "cells" and workload.domain.size > MOST_CELLS:
            raise ValueError(
                f"noise on every cell needs the whole domain, {workload.domain.size:,} cells, and {MOST_CELLS:,} fit: "
                "leave attributes out, or measure the workload"
            )
        if self.on == "workload" and self.clean != "none":
            check_clean(workload, non_negative=self.clean == "non-negative")

    def _round(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[Answering]:
        """The noisy answers, or the noisy table, which answers any workload."""
        budget, n = self.guarantee.budget, float(B.total)
        ledger = Ledger(budget).spend(measure=budget.amount)
        if self.on == "cells":
            cells = budget.measure(B.marginal(tuple(range(len(B.domain)))), noise)
            return Round(1, ledger, Histogram(self._cleaned_cells(cells, n), n), label="every cell")
        answers = budget.part(1 / Q.sensitivity).measure(Q.answers(B), noise)
        return Round(1, ledger, Answers(Q, self._cleaned(Q, answers, n), n), label="every query")

    def _cleaned(self, Q: Workload, answers: np.ndarray, n: float) -> np.ndarray:
        if self.clean == "none":
            return answers
        return (least_squares if self.clean == "least-squares" else non_negative)(Q, answers, n)

    def _cleaned_cells(self, cells: np.ndarray, n: float) -> np.ndarray:
        if self.clean == "none":
            return cells
        if self.clean == "least-squares":
            return cells + (n - cells.sum()) / cells.size
        return to_simplex(cells.reshape(1, -1), n).reshape(cells.shape)


@dataclass(frozen=True, eq=False)
class Histogram(Source):
    """Every cell of D, in records, perhaps below zero: an axis an attribute."""

    cells: np.ndarray
    total: float

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """Sums of cells, axis after axis from the first: so numbers side by side are added to such."""
        found = []
        for S in sets:
            table = self.cells
            for a in range(self.cells.ndim):
                if a not in S:
                    table = table.sum(axis=sum(kept < a for kept in S))
            found.append(table)
        return found


def laplace(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: int | None = None) -> Direct:
    """The textbook's: no clean-up, so that what stands beside MWEM is the mechanism alone. Only ε is read."""
    return Direct(epsilon=epsilon)


def gaussian(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: int | None = None) -> Direct:
    """The textbook's, accounted by zCDP. Raises ValueError for δ = 0."""
    if delta == 0:
        raise ValueError("Gaussian noise is never pure: give a delta above 0, well below 1/n")
    return Direct(epsilon=epsilon, delta=delta)


def laplace_cells(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: int | None = None) -> Direct:
    """Laplace noise of scale 1/ε on every cell of D."""
    return Direct(epsilon=epsilon, on="cells")


def direct_error(*, n: float, queries: int, sensitivity: float, budget: Budget) -> tuple[float, float]:
    """Expected mean and max |error|, as shares of n, of asking every query at once with Laplace or Gaussian noise.

    `sensitivity` is what one record adds up to over all the answers; as every query is 0, 1 or ±1 on a record, it is
    the square of their L2 sensitivity too. The max is that of independent draws. Reads no data: the baseline to beat.
    """
    if budget.unit == "ε":
        times, below = sensitivity, lambda x: -math.expm1(-x)
    else:
        times, below = math.sqrt(sensitivity), lambda x: math.erf(x / math.sqrt(2))
    return times * budget.mean_noise / n, times * budget.scale * _mean_largest(below, queries) / n


def _mean_largest(below: Callable[[float], float], draws: int) -> float:
    """Mean of the largest of some draws, each below x >= 0 with probability below(x): ∫ 1 - below(x)^draws dx."""
    step = 1 / 64
    return step * sum(1 - below((i + 0.5) * step) ** draws for i in range(64 * 60))
