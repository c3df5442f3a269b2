"""A_0: uniform, from a measured total, or from a noisy histogram."""

import math

import numpy as np
import pytest
from oracles import Recording, domain_of, random_records

from mwem_core import MWEM, Seeded
from mwem_core.data.records import Records
from mwem_core.model.loglinear import LogLinear
from mwem_core.workload import families


def test_histogram_start_puts_weight_where_the_records_are():
    domain = domain_of([4, 4])
    B = Records(domain, (np.zeros(1000, np.uint8), np.zeros(1000, np.uint8)))
    Q = families.marginals(domain, 1)
    start = next(MWEM(epsilon=1.0, T=1, histogram_start=0.5).rounds(B, Q, noise=Seeded(0)))
    assert start.model.marginal((0, 1))[0, 0] > 900
    assert start.model.marginal((0, 1)).min() > 0
    assert start.ledger.spent == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(20))
def test_a_measured_total_is_n_with_laplace_noise_of_its_share_and_all_rounds_sum_to_it(seed):
    """A tenth of ε = 1 buys n + Lap(10), the first draw of the run; nothing else of it reads the true n."""
    B = random_records(domain_of([4, 4]), 1000, np.random.default_rng(0))
    Q = families.marginals(B.domain, 1)
    noise = Recording(Seeded(seed))
    rounds = list(MWEM(epsilon=1.0, T=2, measured_total=0.1).rounds(B, Q, noise=noise))
    kind, exact, scale, noisy = noise.draws[0]
    assert (kind, float(exact), scale) == ("laplace", 1000.0, pytest.approx(10.0))
    assert 0 < abs(float(noisy) - 1000) < 10 * 15  # a Laplace draw beyond 15 scales has a chance of 3e-7
    for entry in rounds:
        assert entry.model.total == float(noisy)
        assert entry.model.marginal((0, 1)).sum() == pytest.approx(float(noisy))
        assert entry.ledger.start == pytest.approx(0.1)
    assert rounds[-1].ledger.spent == pytest.approx(1.0)


def test_uniform_start_weighs_every_cell_the_same():
    A = LogLinear.uniform((2, 3), 60.0)
    assert A.marginal((0, 1)) == pytest.approx(np.full((2, 3), 10.0))
    assert A.entropy() == pytest.approx(math.log(6))
