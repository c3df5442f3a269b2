"""A_0, where a run starts: uniform, a noisy histogram over D (section 2.3.3), or fitted to a public table."""

import math
from dataclasses import dataclass

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.domain import Table
from mwem_core.encoding import PublicTable
from mwem_core.model import LogLinear
from mwem_core.mwem.public_start import started_from
from mwem_core.privacy import Accountant
from mwem_core.workload import Workload


@dataclass(frozen=True)
class UniformStart:
    """A_0 = n times uniform, over the cells that the schema's rules leave possible."""

    share = 0.0  # of the budget

    def check(self, workload: Workload, cell_budget: int) -> None:
        """Every workload starts uniform."""

    def begun(self, B: Table, Q: Workload, account: Accountant, cell_budget: int) -> Round[LogLinear]:  # noqa: ARG002
        """Round 0, which costs nothing."""
        A = LogLinear.uniform(Q.domain.shape, float(B.total), Q.domain.possible)
        return Round(0, account.ledger, A, A)


@dataclass(frozen=True)
class HistogramStart:
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

    def begun(self, B: Table, Q: Workload, account: Accountant, cell_budget: int) -> Round[LogLinear]:  # noqa: ARG002
        """Round 0. A_0 has no weight in cells that the schema's rules forbid."""
        part, n = account.left.part(self.share), float(B.total)
        everything = tuple(range(len(B.domain)))
        counts = account.measure(B.marginal(everything), cost=part, purpose="start")
        kept = np.where(counts > part.mean_noise * math.log(counts.size), counts, 0.0)
        remainder = max(n - kept.sum(), n / 100)  # the records outside of the kept cells, spread evenly over D
        theta = np.log(kept + remainder / counts.size)
        A = LogLinear.of(B.domain.shape, n, {everything: theta}, possible=B.domain.possible)
        return Round(0, account.ledger, A, A)


@dataclass(frozen=True)
class PublicStart:
    """A_0 is fitted to a public table (`mwem.public_start`), and a prior of a fit pulls towards it."""

    table: PublicTable

    share = 0.0  # of the budget

    def check(self, workload: Workload, cell_budget: int) -> None:  # noqa: ARG002
        """Raises ValueError for a public table under another schema."""
        if self.table.records.domain != workload.domain:
            raise ValueError(
                f"the public table {self.table.name} is under another schema than the private one: read it anew"
            )

    def begun(self, B: Table, Q: Workload, account: Accountant, cell_budget: int) -> Round[LogLinear]:
        """Round 0, which costs nothing."""
        A = started_from(self.table, Q, float(B.total), cell_budget)
        return Round(0, account.ledger, A, A)


Start = UniformStart | HistogramStart | PublicStart
