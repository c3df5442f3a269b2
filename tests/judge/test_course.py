"""The course of multiplicative weights is that of its rounds, and stays within its bounds at every round."""

import numpy as np
import pytest
from weights_instances import FAMILIES, instance, max_error

from mwem_core import Seeded
from mwem_core.judge.errors import course, relative_entropy
from mwem_core.relatives import Weights
from mwem_core.weighted import Average

T = 12
every_family = pytest.mark.parametrize("family", FAMILIES)


def instances(family):
    """Ten tables; the first has a single record, so that its potential starts as high as it can."""
    for seed in range(10):
        yield instance(family, seed, n=200 if seed else 1)


@every_family
def test_errors_and_potential_are_those_of_the_rounds(family):
    for B, Q in instances(family):
        A = [entry.A for entry in Weights(T=T).rounds(B, Q, noise=Seeded(0))]
        averages = [Average(tuple(A[:i])) for i in range(1, T + 1)]
        of_run = course(Weights(T=T), B, Q)
        assert of_run.average_error * B.total == pytest.approx([max_error(Q, average, B) for average in averages])
        assert of_run.last_error * B.total == pytest.approx([max_error(Q, model, B) for model in A[1:]])
        assert of_run.potential == pytest.approx([relative_entropy(B, model) for model in A])


@every_family
def test_the_average_error_never_exceeds_its_bound(family):
    for B, Q in instances(family):
        of_run = course(Weights(T=T), B, Q)
        bounds = [Weights(T=i).bound(Q, n=B.total) / B.total for i in range(1, T + 1)]
        assert of_run.error_bound == pytest.approx(bounds)
        assert (of_run.average_error <= of_run.error_bound).all()


@every_family
def test_every_round_lowers_the_potential_by_half_its_error_squared_or_more(family):
    for B, Q in instances(family):
        of_run = course(Weights(T=T), B, Q)
        uniform = next(iter(Weights(T=T).rounds(B, Q, noise=Seeded(0)))).A
        errors = [max_error(Q, uniform, B) / B.total, *of_run.last_error[:-1]]
        assert -np.diff(of_run.potential_bound) == pytest.approx([(error / 2) ** 2 for error in errors])
        assert of_run.potential_bound[0] == of_run.potential[0]
        assert (of_run.potential <= of_run.potential_bound + 1e-12).all()
