"""The last fit of rounds that selected marginals: of all that they measured, order by order, each near a prior.

Rounds fit what they measured closely, because what they left unfitted would be selected again. Once the budget is spent
the most probable table is wanted: what a noisy marginal tells of its attributes together is drawn to what they tell
apart (`mwem.prior`), and what several tell of one attribute is averaged. This reads what was released, so it costs no
privacy.

On the 46 settings of eight tables that `STRENGTH` was fitted to, errors fall by 3% in the mean and by up to 9%, and
rise by up to 5% on NLTCS. On 43 settings of eleven other tables they fall by 4%, by up to 13%, and rise by .1%. To fit
each round like that changed the error by less than 1% in the mean of 14 settings, and took up to four times as long.
"""

from collections.abc import Sequence

from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement, Prior, pooled_residuals
from mwem_core.model.replay import replay
from mwem_core.mwem.strength import fit_by_order

# Of the most probable strength. What was not measured follows from what was, where noise averages out but a prior's
# pull adds up. Fitted: of 1, 1/2, 1/4 and 1/10 the mean error is least at 1 and 1/2, but at 1 NLTCS errs by up to a
# tenth more than without a prior.
STRENGTH = 0.5
# The most sweeps: of attributes alone, which take next to no time; of the orders between, which the next only starts
# from; of the last. Fitted on 73 settings of eight tables: with 50 for each order the mean error is .1% more (.1% on 46
# settings of six others, .3% on 46 of five more), and the last fit of Adult's triples takes twice as long. With 24 at
# last it takes a tenth less, but triples of Adult's 14 attributes err by .5% more; with 50 alone, by .9%.
ALONE, BETWEEN, LAST = 100, 16, 32
STEP, TOLERANCE = 3.0, 0.003


def refitted(A: LogLinear, A_0: LogLinear, measurements: Sequence[Measurement], unit_variance: float) -> LogLinear:
    """The most probable distribution near A_0, given these; A was fitted to all but the last, without a prior.

    `unit_variance` is that of noise of scale 1, in records². The fit of the last order starts from A, unless some cell
    of A has vanished, or noise outweighs the prior: unless the noise of some residual has a larger variance than its
    prior, n² / (λ cells).
    """
    known, vanished = pooled_residuals(measurements), any(component.vanishes for component in A.components)

    def fit(base: LogLinear, residuals: Sequence[Measurement], strength: float) -> LogLinear:
        prior = Prior(STRENGTH * strength, unit_variance, base.theta)
        outweighed = any(prior.ridge(m, A.total) * m.value.size > 1 for m in residuals)
        start = base if vanished or outweighed or len(residuals) < len(known) else A.in_residuals()
        order = max(len(m.attrs) for m in residuals)
        sweeps = ALONE if order == 1 else LAST if len(residuals) == len(known) else BETWEEN
        return replay(start, residuals, prior=prior, step=STEP, sweeps=sweeps, tolerance=TOLERANCE)

    *_, fitted = fit_by_order(A_0, known, unit_variance, fit)
    return fitted
