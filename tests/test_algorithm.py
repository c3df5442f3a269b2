"""What a round says of itself."""

import numpy as np
import pytest

from mwem_core import Domain, Records, Seeded, default, parse_workload


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_expected_noise_is_the_l1_norm_that_is_drawn_on_average(delta):
    domain = Domain.from_toml("[[attribute]]\nname = 'a'\nrange = [0, 4999]")
    records = Records(domain, (np.arange(5000, dtype=np.uint16),))
    workload = parse_workload("cuboids:1", domain)
    settings = default(workload, n=records.total, epsilon=1.0, delta=delta, T=1)
    start, last = settings.rounds(records, workload, noise=Seeded(1))
    drawn = np.abs(last.measurement.value - records.marginal((0,))).sum()
    assert last.expected_noise == pytest.approx(drawn, rel=0.06)  # 5,000 draws: four standard errors
    assert start.expected_noise == 0
