"""Direct noise: Laplace or Gaussian noise on every query, or on every cell of D, in one measurement.

Unlike MWEM it selects no queries and fits no model. The noise grows with the workload's sensitivity, as the whole
budget is shared by all queries (Dwork, McSherry, Nissim & Smith 2006; Dwork, Kenthapadi, McSherry, Mironov & Naor
2006). The result is answers, without synthetic rows. An optional projection removes negative cells at no privacy cost.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np

from mwem_core.algorithm import Answers, AnswerSource, OneShot, Round
from mwem_core.domain import Attrs, Source, Table
from mwem_core.privacy import Accountant, Budget, NoiseSource
from mwem_core.workload import Workload, check_non_negative, non_negative, to_simplex

MAX_NOISY_CELLS = 10**7  # of D, 80 MB per array: the noise of more cells adds up to more than any marginal


@dataclass(frozen=True, kw_only=True)
class Direct(OneShot[AnswerSource]):
    """Settings: Laplace noise where δ = 0, Gaussian noise by zCDP where δ > 0. Raises ValueError out of range.

    `on="workload"` adds noise to the queries. Their L1 sensitivity is at most Δ = `workload.sensitivity`; each query
    lies in [-1, 1], so their L2 sensitivity is at most √Δ. `on="cells"` adds noise to the cells of D. A record is in
    one cell: Δ = 1. The total n is taken as public, also by `clean`.

    `clean="non-negative"` projects the noisy answers on those of tables of n records with no cell below zero
    (`mwem_core.workload.consistency`); on cells, it projects the noisy table itself. "none" leaves the noise as it is.
    """

    epsilon: float
    delta: float = 0.0
    on: Literal["workload", "cells"] = "workload"
    clean: Literal["none", "non-negative"] = "none"

    def check(self, workload: Workload) -> None:
        """Refuse a domain with too many cells to measure, or a workload too large for the projection."""
        if self.on == "cells" and workload.domain.size > MAX_NOISY_CELLS:
            raise ValueError(
                f"noise on every cell needs the whole domain of {workload.domain.size:,} cells, "
                f"but at most {MAX_NOISY_CELLS:,} fit in memory: leave attributes out, or measure the workload"
            )
        if self.on == "workload" and self.clean == "non-negative":
            check_non_negative(workload)

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[AnswerSource]:
        """The noisy answers, or the noisy table; the table can answer any workload."""
        account, n = Accountant(self.guarantee.budget, noise), float(B.total)
        if self.on == "cells":
            cells = account.measure(B.marginal(tuple(range(len(B.domain)))), cost=account.left)
            if self.clean == "non-negative":
                cells = to_simplex(cells.reshape(1, -1), n).reshape(cells.shape)
            return Round(1, account.ledger, Histogram(cells, n), label="every cell")
        answers, _ = account.measure_together(Q.answers(B), Q.sensitivity)
        if self.clean == "non-negative":
            answers = non_negative(Q, answers, n)
        return Round(1, account.ledger, Answers(Q, answers, n), label="every query")


@dataclass(frozen=True, eq=False)
class Histogram(Source):
    """Counts of every cell of D, in records, possibly negative: an array with one axis per attribute."""

    cells: np.ndarray = field(repr=False)
    total: float

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """Sums over the attributes outside of each set, one axis at a time from the first: whole rows are added."""
        marginals = []
        for S in sets:
            table = self.cells
            for a in range(self.cells.ndim):
                if a not in S:
                    table = table.sum(axis=sum(kept < a for kept in S))
            marginals.append(table)
        return marginals


def direct_error(*, n: float, queries: int, sensitivity: float, budget: Budget) -> tuple[float, float]:
    """Expected mean and maximum |error|, as shares of n, of direct noise on every query. Reads no data.

    `sensitivity` is the L1 sensitivity of all answers together. Every query is 0, 1 or -1 on a record, so it is also
    the square of their L2 sensitivity. The maximum is that of independent noise.
    """
    factor = sensitivity if budget.unit == "ε" else math.sqrt(sensitivity)
    largest = _mean_maximum(queries, gaussian=budget.unit == "ρ")
    return factor * budget.mean_noise / n, factor * budget.scale * largest / n


@lru_cache(maxsize=64)
def _mean_maximum(draws: int, *, gaussian: bool) -> float:
    """Mean of the maximum of independent draws |x| of scale 1, with distribution F: ∫ 1 - F(x)^draws dx."""
    step = 1 / 64
    middles = ((i + 0.5) * step for i in range(64 * 60))
    return step * sum(1 - (math.erf(x / math.sqrt(2)) if gaussian else -math.expm1(-x)) ** draws for x in middles)
