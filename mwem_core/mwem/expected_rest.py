"""Whether rounds that select keep a share of the budget to measure the rest once: by public counts, and what it tells.

Fitted, not derived: to runs on six tables at δ = 1e-9, with two to six seeds each. Beside that of
selection alone, the expected error of selection and rest is up to a third too small where the rest is noisy, so that it
does not decide alone. Of twelve settings in which it is smaller by a twentieth, the five with the rest's noise up to
1.73 times a round's err by .75 to 1.02 of selection's total variation; five of the seven from 2.14 on err by 1.06 to
1.08. Whichever table is left out, the bound of 2 lies between the two.
"""

from dataclasses import replace

import numpy as np

from mwem_core.model.weighted_records import rows_for
from mwem_core.mwem.mwem import MWEM
from mwem_core.mwem.planned import MAX_FITTED_CELLS
from mwem_core.mwem.plans import Subsets, table_shares
from mwem_core.workload.workload import Workload

REST = 1 / 3  # share of the budget
MIN_GAIN = 1 / 20  # in expected error
MAX_NOISE = 2.0  # of the rest, in units of a round's: at 2.1 to 4.8, total variation rises in five of seven settings
MAX_REST_WORK = 6 * 10**6  # weighted rows times marginals: they are fitted within a second
ROWS_PER_CELL = 10  # of a marginal of mean size: on triples of flights, with fewer, rows lose what was measured


def keeping_rest(settings: MWEM, Q: Workload) -> MWEM | None:
    """These settings, which select, with a share kept for the rest; None if it is too noisy, or rows cannot hold it.

    Only with Gaussian noise. The third that is kept raises a round's noise by a fifth then, but by half under ε, and
    the expected error does not count the noise of selections. In 22 settings of five tables at δ = 0 it raised the
    total variation in all but one. On domains of one table, plans are the better static part.
    """
    if settings.select == "queries" or not isinstance(settings.T, int) or settings.delta == 0 or settings.T >= Q.parts:
        return None
    rows, cells, budget = rows_for(Q.parts), Q.part_cells, settings.guarantee.budget
    held = rows_hold(Q) and cells.max() <= settings.cell_budget
    quick = rows * Q.parts <= MAX_REST_WORK and Q.domain.size > MAX_FITTED_CELLS
    kept = replace(settings, rest=REST)
    measuring = budget.part((1 - kept.split) / kept.full_rounds(settings.T, Q)).scale
    quiet = budget.part(REST / _left(kept, Q)).scale <= MAX_NOISE * measuring
    return kept if held and quick and quiet else None


def rows_hold(Q: Workload) -> bool:
    """Whether weighted rows can have the marginals of Q, by the number of their cells."""
    return Q.part_cells.mean() * ROWS_PER_CELL <= rows_for(Q.parts)


def rest_precisions(settings: MWEM, subsets: Subsets) -> np.ndarray:
    """1 / variance of a coordinate of each residual whose tables were all left to the rest: (subsets,).

    The rounds are taken to leave tables of every size alike.
    """
    if not settings.rest:
        return np.zeros(len(subsets.cells))
    Q, budget = subsets.Q, settings.guarantee.budget
    shares = settings.rest * table_shares(Q.query_counts.astype(float), budget) * Q.parts / _left(settings, Q)
    variances = [budget.variance_at(budget.part(share).scale) for share in np.minimum(shares, 1.0).tolist()]
    return subsets.cells * subsets.summed([1 / (g.queries * variances[g.parts[0]]) for g in subsets.groups])


def _left(settings: MWEM, Q: Workload) -> int:
    """The number of marginals that the rounds leave."""
    return Q.parts - int(settings.T) + settings.first_rounds(Q)
