"""The last fit of rounds that selected marginals: of all that they measured, order by order, each near a prior.

Rounds fit what they measured closely, because what they left unfitted would be selected again. Once the budget is spent
the most probable table is wanted: what a noisy marginal tells of its attributes together is drawn to what they tell
apart (`model.prior`), and what several tell of one attribute is averaged. This reads what was released, so it costs no
privacy.
"""

from collections.abc import Sequence

from mwem_core.base import constants
from mwem_core.model import LogLinear, Measurement, Prior, pooled_residuals, replay
from mwem_core.prior.strength import fit_by_order

STEP, TOLERANCE = 3.0, 0.003


def refitted(A: LogLinear, A_0: LogLinear, measurements: Sequence[Measurement], unit_variance: float) -> LogLinear:
    """The most probable distribution near A_0, given these; A was fitted to all but the last, without a prior.

    `unit_variance` is that of noise of scale 1, in records². The fit of the last order starts from A, unless some cell
    of A has vanished, or noise outweighs the prior: unless the noise of some residual has a larger variance than its
    prior, n² / (λ cells).
    """
    known, vanished = pooled_residuals(measurements), any(component.vanishes for component in A.components)

    def fit(base: LogLinear, residuals: Sequence[Measurement], strength: float) -> LogLinear:
        prior = Prior(constants.REFIT_STRENGTH * strength, unit_variance, base.theta)
        outweighed = any(prior.ridge(m, A.total) * m.value.size > 1 for m in residuals)
        start = base if vanished or outweighed or len(residuals) < len(known) else A.in_residuals()
        return replay(start, residuals, prior=prior, step=STEP, sweeps=constants.REFIT_SWEEPS, tolerance=TOLERANCE)

    *_, fitted = fit_by_order(A_0, known, unit_variance, fit)
    return fitted
