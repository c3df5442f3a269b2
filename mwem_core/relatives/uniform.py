"""Uniform: every cell of the domain has the same weight, but for those that the schema's rules forbid.

Unlike MWEM it never reads the data. A system whose error is larger than uniform's was not worth its ε.
"""

from dataclasses import dataclass

from mwem_core.algorithm import OneShot, Round
from mwem_core.domain import Table
from mwem_core.model import LogLinear, check_rules
from mwem_core.privacy import Ledger, NoiseSource, TrivialGuarantee
from mwem_core.workload import Workload


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
