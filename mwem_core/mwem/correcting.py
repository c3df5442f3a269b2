"""The last rounds on large marginals: they measure what no round before would, to correct answers alone.

Of a marginal with thousands of cells, most are nearly empty and cost their noise, so that no round chooses it, although
some of its cells may be far off. A last round counts only what stands out of the noise. A stays as it is. The marginal
is answered by the expected table, given A's and the measured one, in which small deviations are taken for noise
(`mwem.correction`). So are then all that were measured before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.model.average import Model, Single
from mwem_core.model.corrected import Corrected
from mwem_core.model.measurement import Measurement
from mwem_core.mwem.candidates import Candidates
from mwem_core.mwem.correction import corrected_alone
from mwem_core.mwem.penalty import PerCell
from mwem_core.mwem.planned import fitted_round
from mwem_core.privacy.accountant import Accountant, SelectionName

COST = Fraction(3, 4)  # of each, in units of a round before
SELECTING = 0.1  # of each one's budget
STANDS_OUT = 4.0  # times the mean noise; with 2 or 8 nearly always the same marginals are chosen


def share_of(corrections: int, T: int) -> Fraction:
    """The share of the budget for so many corrections after T rounds."""
    return corrections * COST / (T + corrections * COST)


def correcting_rounds(
    corrections: int,
    A: Single,
    candidates: Candidates,
    measurements: Sequence[Measurement],
    account: Accountant,
    T: int,
    selection: SelectionName,
) -> Iterator[Round[Model]]:
    """Spend this account on so many marginals, after T rounds of others that A was updated by."""
    known, cost = list(measurements), account.left.part(Fraction(1, corrections))
    selecting, measuring = cost.split(SELECTING)
    model: Single | Corrected = A
    for index in range(T + 1, T + 1 + corrections):
        # 1. Select: the marginal whose cells err by most beyond their noise
        scores = candidates.excesses(A, PerCell(STANDS_OUT * measuring.mean_noise))
        if scores.max() == -np.inf:
            return  # everything that can be counted has been measured
        j = account.choose(scores, cost=selecting, sensitivity=candidates.sensitivity(scores), by=selection)
        q = candidates.take(j)

        # 2. Measure: m = q(B) + noise
        m = Measurement(q.attrs, account.measure(q.exact, cost=measuring), measuring.scale)
        known.append(m)

        # 3. Correct the answers
        corrected = Corrected(A, corrected_alone(A, known, account.left.variance_at(1.0)), within=False)
        entry = fitted_round(index, account.ledger, model, corrected, q.label, (m,))
        yield replace(entry, chosen=j, measurement=m, planned=())
        model = corrected
