"""The implicit update of whole marginals: multiplicative weights that go by the error after the step, not before it.

The paper's update, A ∝ A exp(step · (m - q(A)) / n), is the A of the least KL(A || before) + step · (q(A) - m)² / 2n²
with the squares' slope taken before the step (mirror descent). Many small steps follow the slope; one implicit step
(Kulis & Bartlett 2010) takes it at its end. So nothing overshoots, and a few sweeps do what leaps and sixty sweeps did.

This reads what was released, so it costs no privacy.
"""

import math
from collections.abc import Sequence

from mwem_core.fitted import IMPLICIT_SWEEPS, IMPLICIT_TOLERANCE, PAIR_INFORMATION, SPREAD
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement, Nearness
from mwem_core.model.replay import replay

# By how much of itself a cell differs from independence: a pair's information is half of its mean square, and
# log-normal among tables.
CHANGE = math.sqrt(2 * PAIR_INFORMATION * math.exp(SPREAD**2 / 2))


def updated_implicitly(A: LogLinear, measurements: Sequence[Measurement], unit_variance: float) -> LogLinear:
    """A_i near A_{i-1}, by whole tables that were measured; the last is new. Noise of scale 1 has this variance."""
    nearness = Nearness(CHANGE, unit_variance, A.theta)
    closeness = {"step": 1.0, "sweeps": IMPLICIT_SWEEPS, "tolerance": IMPLICIT_TOLERANCE}
    return replay(A, measurements, news=measurements[-1:], prior=nearness, **closeness)
