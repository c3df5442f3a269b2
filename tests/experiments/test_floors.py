"""The floors of the relative entropy: those that were published or measured, and laws that hold on any table."""

import numpy as np
import pytest
from scipy.special import rel_entr

from mwem_core.experiments.contingency import floor
from mwem_core.experiments.experiment_tables import load


@pytest.mark.parametrize(
    ("table", "floors"),
    [
        ("czech", (0.2292, 0.0129, 0.0059)),
        ("rochdale", (0.6409, 0.1087, 0.0472)),
        ("mildew", (1.498, 0.1052, 0.0175)),
    ],
)
def test_floors_are_those_measured_elsewhere(table, floors, request):
    B = load(table, request.getfixturevalue("reference") if table == "mildew" else None)
    assert [floor(B, order) for order in (1, 2, 3)] == pytest.approx(floors, rel=0.01)


def test_the_floor_of_single_attributes_is_that_of_their_product():
    B = load("czech")
    p = B.marginal(tuple(range(6))) / B.total
    product = np.ones(())
    for a in range(6):
        product = np.multiply.outer(product, B.marginal((a,)) / B.total)
    assert floor(B, 1) == pytest.approx(rel_entr(p, product).sum())
    assert floor(B, 6) == pytest.approx(0, abs=1e-12)
