"""The two extremes of privacy: `Uniform` never reads the data, and `Weights` is the loop of MWEM without its noise.

A system whose error is larger than uniform's was not worth its ε. The error of `Weights` is the algorithm's own; what
MWEM's error adds to it is the price of privacy. It selects the query of largest error and measures it exactly; the
output is the average of A_0 .. A_{T-1} (Machanavajjhala's lecture 13; Hardt & Rothblum 2010).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from mwem_core.algorithm import OneShot, Round, check_task
from mwem_core.base import is_whole
from mwem_core.domain import Table
from mwem_core.model import LogLinear, Measurement, check_rules, update
from mwem_core.mwem import Candidates
from mwem_core.privacy import Ledger, NoiseSource, TrivialGuarantee
from mwem_core.weighted import Average, Model
from mwem_core.workload import Workload

STEP = 0.5  # (m - q(A)) / 2n, in units of error / n
MAX_MODEL_CELLS = 2**22


@dataclass(frozen=True, kw_only=True)
class Uniform(OneShot[LogLinear]):
    """No settings. It reads no record, so ε = 0; the total n is taken as public."""

    @property
    def guarantee(self) -> TrivialGuarantee:
        """ε = 0."""
        return TrivialGuarantee(0.0)

    def check(self, workload: Workload) -> None:
        """Serves every workload, unless the schema's rules link too many cells."""
        check_rules(workload.domain)

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[LogLinear]:  # noqa: ARG002
        """A_0."""
        A = LogLinear.uniform(B.domain.shape, B.total, B.domain.possible)
        return Round(1, Ledger(self.guarantee.budget), A, label="nothing")


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Settings: T rounds.

    NOT PRIVATE: the loop reads exact answers (ε = ∞). Raises ValueError for a T out of range.
    """

    T: int = 100

    def __post_init__(self):
        if not is_whole(self.T) or self.T < 1:
            raise ValueError(f"T must be a whole number of at least 1, got {self.T!r}")

    @property
    def guarantee(self) -> TrivialGuarantee:
        """ε = ∞."""
        return TrivialGuarantee(float("inf"))

    def planned_rounds(self, n: float, workload: Workload) -> int:  # noqa: ARG002
        """T."""
        return self.T

    def bound(self, workload: Workload, *, n: float) -> float:
        """The max error, in records, that the average never exceeds if no query is declined: 2n √(ln|D| / T).

        The potential Ψ_i = Σ (B/n) ln(B/A_i), the relative entropy, is at most ln|D| at the start and never negative.
        Each round lowers it by ((q_i(A_{i-1}) - q_i(B)) / 2n)² or more, where q_i is the query of largest error.
        """
        return 2 * n * math.sqrt(math.log(workload.domain.size) / self.T)

    def check(self, workload: Workload) -> None:
        """Serves every workload, unless the schema's rules link too many cells."""
        check_rules(workload.domain)

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[Model]]:  # noqa: ARG002
        """Round 0, then T rounds of select, measure and update. Draws no noise."""
        check_task(self, B, Q)
        return self._rounds(B, Q)

    def _rounds(self, B: Table, Q: Workload) -> Iterator[Round[Model]]:
        A = LogLinear.uniform(B.domain.shape, B.total, B.domain.possible)
        ledger, models = Ledger(self.guarantee.budget), [A]
        candidates = Candidates(B, Q, A_0=A, cell_budget=MAX_MODEL_CELLS, tables=False, repeats=True)
        yield Round(0, ledger, A, A)
        for i in range(1, self.T + 1):
            offer = candidates.offer(A, share=1.0)
            if offer.is_empty:
                return
            # 1. Select q_i, the query of largest error
            j = int(offer.scores.argmax())
            q = candidates.take(j)
            # 2. Measure m_i = q_i(B), exactly
            m = Measurement(q.attrs, q.exact, 0.0, q.values)
            ledger = ledger.spend(measure=math.inf)
            # 3. Update A_i(x) ∝ A_{i-1}(x) exp(q_i(x) (m_i - q_i(A_{i-1})) / 2n)
            A_before, A = A, update(A, m, STEP)
            average = Average(tuple(models))
            yield Round.updated(i, ledger, average, A_before, A, m, label=q.label, chosen=j, declined=offer.declined)
            models.append(A)
