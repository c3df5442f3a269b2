"""How a round moves A to what was measured: by the newest measurement, or by all again.

Both read what was released, so they cost no privacy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mwem_core.base import check_positive, is_whole
from mwem_core.model import LogLinear, Measurement, replay, update
from mwem_core.mwem.start import Start
from mwem_core.prior import refit
from mwem_core.privacy import Ledger
from mwem_core.weighted import Single, WeightedRecords, update_rows


@dataclass(frozen=True, kw_only=True)
class Newest:
    """Multiplicative weights by the newest measurement alone (Figure 1). Raises ValueError for a step out of range."""

    step: float = 0.5  # in units of error / n; the paper's is 1/2

    rows_from = None

    def __post_init__(self):
        check_positive(step=self.step)

    def apply(
        self,
        A: Single,
        measurements: Sequence[Measurement],
        ledger: Ledger,  # noqa: ARG002
        A_0: LogLinear,  # noqa: ARG002
        start: Start,  # noqa: ARG002
    ) -> Single:
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
    rows_from: float = 1.0  # share of ε, from which weighted records go on where a tree declines a candidate

    def __post_init__(self):
        check_positive(step=self.step)
        if not is_whole(self.sweeps) or self.sweeps < 1:
            raise ValueError(f"sweeps must be a whole number of at least 1, got {self.sweeps!r}")
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance must be at least 0 and less than 1, got {self.tolerance!r}")
        if not 0 <= self.rows_from <= 1:
            raise ValueError(f"rows_from is a share of the budget, between 0 and 1, got {self.rows_from!r}")

    @property
    def sweeping(self) -> dict[str, Any]:
        """The arguments of `model.replay.replay`."""
        return {"step": self.step, "sweeps": self.sweeps, "tolerance": self.tolerance, "in_order": self.in_order}

    def apply(
        self, A: Single, measurements: Sequence[Measurement], ledger: Ledger, A_0: LogLinear, start: Start
    ) -> Single:
        """A_i from A_{i-1} and m_1 .. m_i, of which the last is new, in a run that began from A_0."""
        if isinstance(A, WeightedRecords):
            return update_rows(A, measurements, ledger, tolerance=self.tolerance)
        if self.near_prior and ledger.is_spent and all(m.of_residuals for m in measurements):
            return refit(A, A_0, measurements, ledger.budget.variance_at(1.0))
        prior = start.prior(A_0, measurements, ledger.budget)
        return replay(A, measurements, news=None if prior else measurements[-1:], prior=prior, **self.sweeping)


# The replay of MWEM by rule. Closer fits take longer and are no better.
REPLAY = Replay(step=3.0, sweeps=60, tolerance=0.01, in_order=False)
