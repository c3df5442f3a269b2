"""Uniform: every cell of the domain weighs the same.

Unlike MWEM it never looks at the data: what does worse was not worth its ε.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mwem_core.algorithm import Round
from mwem_core.data.table import Table, refuse_empty
from mwem_core.model.loglinear import LogLinear
from mwem_core.privacy.budget import Trivial
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.workload import Workload


@dataclass(frozen=True, kw_only=True)
class Uniform:
    """No settings. It reads no record, so ε = 0; the total n is taken as public."""

    guarantee = Trivial(0.0)

    def planned_rounds(self, n: float, workload: Workload) -> int:
        """One."""
        return 1

    def check(self, workload: Workload) -> None:
        """Serves every workload."""

    def rounds(self, B: Table, Q: Workload, *, noise: NoiseSource) -> Iterator[Round[LogLinear]]:
        """A_0."""
        refuse_empty(B)
        A = LogLinear.uniform(B.domain.shape, B.total)
        return iter([Round(1, Ledger(self.guarantee.budget), A, label="nothing")])


def preset(
    workload: Workload,
    *,
    n: float,
    epsilon: float,
    delta: float = 0.0,
    T: int | None = None,
) -> Uniform:
    """Called as all systems are; reads nothing of it."""
    return Uniform()
