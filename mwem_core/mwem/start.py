"""A_0, where the rounds of MWEM start."""

import math

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.data.table import Table
from mwem_core.model.loglinear import LogLinear
from mwem_core.privacy.accountant import Accountant


def starting_point(B: Table, account: Accountant, A: LogLinear, *, histogram: float) -> Round[LogLinear]:
    """Round 0: A_0 = n times uniform, or a noisy histogram over D with its small cells evened out (section 2.3.3).

    `histogram` is the share of the budget that buys the histogram; with a share of 0, A_0 is A, which was made without
    a look at the data. It has no weight in cells that the schema's rules forbid.
    """
    budget, n = account.left, float(B.total)
    if histogram:
        part = budget.part(histogram)
        everything = tuple(range(len(B.domain)))
        counts = account.measure(B.marginal(everything), cost=part, purpose="start")
        kept = np.where(counts > part.mean_noise * math.log(counts.size), counts, 0.0)
        remainder = max(n - kept.sum(), n / 100)  # the records outside of the kept cells, spread evenly over D
        theta = np.log(kept + remainder / counts.size)
        A = LogLinear.of(B.domain.shape, n, {everything: theta}, possible=B.domain.possible)
    return Round(0, account.ledger, A, A)
