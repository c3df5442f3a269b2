"""Multiplicative weights without privacy: the loop of MWEM with both of its noises taken out.

Select by argmax instead of the exponential mechanism, measure exactly, update, and give the average of A_0 .. A_{T-1}
(Machanavajjhala's lecture 13; Hardt & Rothblum 2010). What is left of the error is the algorithm's own: the other part
of MWEM's is the price of privacy.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.checks import is_whole
from mwem_core.data.table import Table, refuse_empty
from mwem_core.model.average import Average, Model
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.replay import replay
from mwem_core.mwem.candidates import Candidates
from mwem_core.privacy.budget import Trivial
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.workload import Workload

STEP = 0.5  # (m - q(A)) / 2n, in units of error / n


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Settings: T rounds, and the average of A_0 .. A_{T-1} that the bound is about, or the last, A_T.

    NOT PRIVATE: the loop reads exact answers (ε = ∞). Raises ValueError for a setting out of its range.
    """

    T: int = 100
    output: Literal["average", "last"] = "average"
    cell_budget: int = 2**22

    guarantee = Trivial(float("inf"))

    def __post_init__(self):
        for name in ("T", "cell_budget"):
            if not is_whole(value := getattr(self, name)) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
        if self.output not in ("average", "last"):
            raise ValueError(f"output must be average or last, got {self.output!r}")

    def planned_rounds(self, n: float, workload: Workload) -> int:
        """T."""
        return self.T

    def bound(self, workload: Workload, *, n: float) -> float:
        """What the average's max error never exceeds, in records: 2n √(ln|D| / T), where no query is declined.

        Ψ_i = Σ (B/n) ln(B/A_i), the relative entropy, starts at ln|D| or less, is never negative, and falls in each
        round by ((q_i(A_{i-1}) - q_i(B)) / 2n)² or more, q_i the worst query of all.
        """
        return 2 * n * math.sqrt(math.log(workload.domain.size) / self.T)

    def check(self, workload: Workload) -> None:
        """Serves every workload."""

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[Model]]:
        """Round 0, then T rounds of select, measure and update. Draws no noise."""
        refuse_empty(B)
        return self._loop(B, Q)

    def _loop(self, B: Table, Q: Workload) -> Iterator[Round[Model]]:
        A = LogLinear.uniform(B.domain.shape, B.total)
        ledger, past = Ledger(self.guarantee.budget), [A]
        candidates = Candidates(B, Q, tables=False, repeats=True)
        yield Round(0, ledger, A, A)
        for i in range(1, self.T + 1):
            scores, declined = candidates.scores(A, self.cell_budget)
            if scores.max() == -np.inf:
                return
            # 1. select the query that is furthest off
            j = int(scores.argmax())
            # 2. measure it exactly
            attrs, q, exact, label = candidates.take(j)
            m = Measurement(attrs, exact, 0.0, q)
            ledger = ledger.spend(measure=float("inf"))
            # 3. update by multiplicative weights
            before = A.marginal(attrs)
            A = replay(A, [m], step=STEP, sweeps=1, in_order=True)
            past.append(A)
            yield Round(
                index=i,
                ledger=ledger,
                model=A if self.output == "last" else Average(tuple(past[:-1])),
                A=A,
                chosen=j,
                label=label,
                measurement=m,
                residual=float(np.abs(m.residual(before)).sum()),
                moved=float(np.abs(m.answer(A.marginal(attrs)) - m.answer(before)).sum()),
                declined=declined,
            )


def preset(
    workload: Workload,
    *,
    n: float,
    epsilon: float,
    delta: float = 0.0,
    T: int | None = None,
) -> Weights:
    """The lecture's, with a hundred rounds unless told; ε is not read."""
    return Weights() if T is None else Weights(T=T)
