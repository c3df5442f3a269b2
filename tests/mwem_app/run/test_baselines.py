"""The baseline of a run that reads no data."""

import pytest
from synthetic_rows import DOMAIN, ORIGINAL

from mwem_app.run.baselines import direct
from mwem_app.session import Plan
from mwem_core import MWEM, parse_workload


def plan(epsilon=1.0):
    workload, settings = parse_workload("marginals:1", DOMAIN), MWEM(epsilon=epsilon, T=2)
    return Plan(
        records=ORIGINAL,
        workload=workload,
        settings=settings,
        system="mwem-paper",
        seed=1,
        source="test",
        table="t.csv",
    )


def test_the_mean_error_of_laplace_noise_is_its_scale():
    mean, largest = direct(plan())
    assert mean == pytest.approx(3 / 500)  # sensitivity 3: each record is in one cell of each marginal
    assert largest > mean


def test_the_error_is_inversely_proportional_to_epsilon():
    assert direct(plan(0.1)) == pytest.approx([10 * error for error in direct(plan())])
