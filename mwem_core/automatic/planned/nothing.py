"""Nothing measured, and nothing spent: where no measurement is expected to lower the error."""

from collections.abc import Iterator
from dataclasses import dataclass

from mwem_core.algorithm import Private, Round
from mwem_core.automatic.planned.public_model import PublicStart
from mwem_core.domain import Table
from mwem_core.model import LogLinear, check_rules
from mwem_core.mwem import UniformStart
from mwem_core.prior import MAX_FITTED_CELLS
from mwem_core.privacy import Accountant
from mwem_core.workload import Workload


@dataclass(frozen=True, kw_only=True)
class Nothing(Private):
    """Measure nothing: the model stays as it starts. ε and δ are what a run might have spent."""

    start: UniformStart | PublicStart = UniformStart()

    def planned_rounds(self, n: float, workload: Workload) -> int:  # noqa: ARG002
        """No rounds."""
        return 0

    def check(self, workload: Workload) -> None:
        """Refuse, by a ValueError, a public table under another schema."""
        check_rules(workload.domain)
        self.start.check(workload, MAX_FITTED_CELLS)

    def spend(self, B: Table, Q: Workload, account: Accountant) -> Iterator[Round[LogLinear]]:
        """Round 0 alone."""
        yield self.start.begin(B, Q, account, MAX_FITTED_CELLS)
