"""A_0, where a run starts: uniform, or a noisy histogram over D (section 2.3.3)."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.domain import Table
from mwem_core.model import LogLinear, Measurement, Prior
from mwem_core.privacy import Accountant, Budget
from mwem_core.workload import Workload


class Start(ABC):
    """Where a run starts. A start from a public table is in `mwem_core.automatic`."""

    @abstractmethod
    def check(self, workload: Workload, cell_budget: int) -> None:
        """Raises ValueError for a workload that it cannot serve in so many cells."""

    @abstractmethod
    def begin(self, B: Table, Q: Workload, account: Accountant, cell_budget: int) -> Round[LogLinear]:
        """Round 0."""

    def prior(
        self,
        A_0: LogLinear,  # noqa: ARG002
        measurements: Sequence[Measurement],  # noqa: ARG002
        budget: Budget,  # noqa: ARG002
    ) -> Prior | None:
        """What pulls a replay of these measurements towards A_0, if anything does."""
        return None


@dataclass(frozen=True)
class UniformStart(Start):
    """A_0 = n times uniform, over the cells that the schema's rules leave possible."""

    def check(self, workload: Workload, cell_budget: int) -> None:
        """Every workload starts uniform."""

    def begin(self, B: Table, Q: Workload, account: Accountant, cell_budget: int) -> Round[LogLinear]:  # noqa: ARG002
        """Round 0, which costs nothing."""
        A = LogLinear.uniform(Q.domain.shape, float(B.total), Q.domain.possible)
        return Round(0, account.ledger, A, A)


@dataclass(frozen=True)
class HistogramStart(Start):
    """A_0 is a noisy histogram over D with its small cells evened out, for a share of the budget.

    Raises ValueError for a share that is not above 0 and below 1.
    """

    share: float

    def __post_init__(self):
        if not 0 < self.share < 1:
            raise ValueError(f"a histogram's share of the budget is above 0 and below 1, got {self.share!r}")

    def check(self, workload: Workload, cell_budget: int) -> None:
        """Raises ValueError for a domain of more cells than the model may hold."""
        if workload.domain.size > cell_budget:
            raise ValueError(
                f"a histogram start needs the whole domain, {workload.domain.size:,} cells, and the model may hold "
                f"{cell_budget:,}: start uniform"
            )

    def begin(self, B: Table, Q: Workload, account: Accountant, cell_budget: int) -> Round[LogLinear]:  # noqa: ARG002
        """Round 0. A_0 has no weight in cells that the schema's rules forbid."""
        part, n = account.left.part(self.share), float(B.total)
        everything = tuple(range(len(B.domain)))
        counts = account.measure(B.marginal(everything), cost=part, purpose="start")
        kept = np.where(counts > part.mean_noise * math.log(counts.size), counts, 0.0)
        remainder = max(n - kept.sum(), n / 100)  # the records outside of the kept cells, spread evenly over D
        theta = np.log(kept + remainder / counts.size)
        A = LogLinear.of(B.domain.shape, n, {everything: theta}, possible=B.domain.possible)
        return Round(0, account.ledger, A, A)
