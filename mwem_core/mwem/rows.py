"""Beyond the tree: where it can take no further candidate, the loop goes on with weighted records drawn from it."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from mwem_core.base import fitted
from mwem_core.model import LogLinear, Measurement
from mwem_core.mwem.candidates import Candidates, Offer
from mwem_core.mwem.penalty import Penalty
from mwem_core.privacy import Ledger
from mwem_core.weighted import MAX_REDRAWS, Single, WeightedRecords, reweighted, rows_for


def offered(
    candidates: Candidates, A: Single, *, share: float, penalty: Penalty, rows_from: float | None
) -> tuple[Single, Offer]:
    """What the candidates offer, and A: weighted records from here on where it is a tree that can take none of them.

    Once more than the share `rows_from` of the budget is spent, that is so where the tree declines any of them. If
    `rows_from` is None, A stays. Which candidates a tree takes is public. Drawing rows from a released model is
    post-processing and costs no privacy. Its randomness is not part of the noise: a fixed seed keeps every round a
    function of what the noise source returned.
    """
    offer = candidates.offer(A, share=share, penalty=penalty)
    rows, taken = rows_for(candidates.Q.parts), np.count_nonzero(offer.scores > -np.inf)
    if rows_from is None or not rows or not isinstance(A, LogLinear) or taken == candidates.left:
        return A, offer
    if taken and share <= rows_from:
        return A, offer
    A = WeightedRecords.drawn_from(A, rows, np.random.default_rng(0))
    return A, candidates.offer(A, share=share, penalty=penalty)


def updated_records(
    A: WeightedRecords, measurements: Sequence[Measurement], ledger: Ledger, *, tolerance: float
) -> WeightedRecords:
    """Replay all measurements on the rows.

    A selection needs no close fit, so few sweeps are made until the budget is spent. Then the rows are redrawn, and
    fitted well.
    """
    variance, rng = ledger.budget.variance_at(1.0), np.random.default_rng(len(measurements))
    fit = partial(reweighted, A, measurements, variance=variance, tolerance=tolerance, rng=rng)
    if ledger.is_spent:
        return fit(redraws=MAX_REDRAWS)
    return fit(redraws=0, sweeps=fitted.SWEEPS_BETWEEN, cooled=fitted.SWEEPS_BETWEEN)
