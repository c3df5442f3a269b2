"""Multiplicative weights by round."""

from trial_results import PAIRS, B

from mwem_app.compare.convergence import error_and_bound, potential_and_bound
from mwem_core.judge import course
from mwem_core.relatives import Weights


def test_the_average_stays_below_its_bound_and_the_potential_below_its_own():
    by_round = course(Weights(T=5), B, PAIRS)
    average, last, bound = error_and_bound(by_round).figure.data
    assert len(average.y) == len(last.y) == len(bound.y) == 5
    assert (average.y <= bound.y).all()
    potential, upper = potential_and_bound(by_round).figure.data
    assert len(potential.y) == 6
    assert (potential.y <= upper.y + 1e-9).all()
