"""A_0: uniform, or from a noisy histogram."""

import math

import numpy as np
import pytest
from oracles import domain_of

from mwem_core import MWEM, HistogramStart, Seeded
from mwem_core.domain import Records
from mwem_core.model import LogLinear
from mwem_core.workload import families


def test_histogram_start_puts_weight_where_the_records_are():
    domain = domain_of([4, 4])
    B = Records(domain, (np.zeros(1000, np.uint8), np.zeros(1000, np.uint8)))
    Q = families.marginals(domain, 1)
    start = next(MWEM(epsilon=1.0, T=1, start=HistogramStart(0.5)).rounds(B, Q, noise=Seeded(0)))
    assert start.model.marginal((0, 1))[0, 0] > 900
    assert start.model.marginal((0, 1)).min() > 0
    assert (start.ledger.start, start.ledger.spent) == (0.5, 0.5)


def test_uniform_start_weighs_every_cell_the_same():
    A = LogLinear.uniform((2, 3), 60.0)
    assert A.marginal((0, 1)) == pytest.approx(np.full((2, 3), 10.0))
    assert A.entropy() == pytest.approx(math.log(6))
