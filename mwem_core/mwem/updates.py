"""How a round moves A to what was measured: by the newest measurement, by all again, or by the error after the step.

All read what was released, so they cost no privacy.

The paper's update, A ∝ A exp(step · (m - q(A)) / n), is the A of the least KL(A || before) + step · (q(A) - m)² / 2n²
with the squares' slope taken before the step (mirror descent). Many small steps follow the slope; one implicit step
(Kulis & Bartlett 2010) takes it at its end. So nothing overshoots, and a few sweeps do what leaps and sixty sweeps did.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mwem_core.base import check_positive, fitted, is_whole
from mwem_core.model import LogLinear, Measurement, Nearness, replay, update
from mwem_core.mwem.rows import updated_records
from mwem_core.privacy import Ledger
from mwem_core.weighted import Single, WeightedRecords

# By how much of itself a cell differs from independence: a pair's information is half of its mean square, and
# log-normal among tables.
CHANGE = math.sqrt(2 * fitted.PAIR_INFORMATION * math.exp(fitted.SPREAD**2 / 2))
ROWS_TOLERANCE = 0.01  # of the weighted rows that follow an implicit update


@dataclass(frozen=True, kw_only=True)
class Newest:
    """Multiplicative weights by the newest measurement alone (Figure 1). Raises ValueError for a step out of range."""

    step: float = 0.5  # in units of error / n; the paper's is 1/2

    def __post_init__(self):
        check_positive(step=self.step)

    def updated(self, A: Single, measurements: Sequence[Measurement], ledger: Ledger) -> Single:  # noqa: ARG002
        """A_i from A_{i-1} and the last of m_1 .. m_i."""
        assert isinstance(A, LogLinear)
        return update(A, measurements[-1], self.step)


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Sweeps over all measurements so far (Figure 8). Raises ValueError for settings out of range."""

    step: float = 0.5  # in units of error / n; the paper's is 1/2
    sweeps: int = 100  # at most
    tolerance: float = 0.0  # relative change of the squared residual below which a replay stops
    in_order: bool = True  # in the order of the measurements (Figure 8), or clique by clique
    near_prior: bool = False  # once ε is spent, a last fit of marginals and parities near a prior

    def __post_init__(self):
        check_positive(step=self.step)
        if not is_whole(self.sweeps) or self.sweeps < 1:
            raise ValueError(f"sweeps must be a whole number of at least 1, got {self.sweeps!r}")
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance must be at least 0 and less than 1, got {self.tolerance!r}")

    @property
    def sweeping(self) -> dict[str, Any]:
        """The arguments of `model.replay.replay`."""
        return {"step": self.step, "sweeps": self.sweeps, "tolerance": self.tolerance, "in_order": self.in_order}

    def updated(self, A: Single, measurements: Sequence[Measurement], ledger: Ledger) -> Single:
        """A_i from A_{i-1} and m_1 .. m_i, of which the last is new."""
        if isinstance(A, WeightedRecords):
            return updated_records(A, measurements, ledger, tolerance=self.tolerance)
        return replay(A, measurements, news=measurements[-1:], **self.sweeping)


@dataclass(frozen=True, kw_only=True)
class Implicit:
    """One implicit step by all whole tables measured so far, in a few sweeps."""

    near_prior: bool = False  # once ε is spent, a last fit near a prior

    def updated(self, A: Single, measurements: Sequence[Measurement], ledger: Ledger) -> Single:
        """A_i near A_{i-1}, by m_1 .. m_i, of which the last is new."""
        if isinstance(A, WeightedRecords):
            return updated_records(A, measurements, ledger, tolerance=ROWS_TOLERANCE)
        nearness = Nearness(CHANGE, ledger.budget.variance_at(1.0), A.theta)
        closeness = {"step": 1.0, "sweeps": fitted.IMPLICIT_SWEEPS, "tolerance": fitted.IMPLICIT_TOLERANCE}
        return replay(A, measurements, news=measurements[-1:], prior=nearness, **closeness)
