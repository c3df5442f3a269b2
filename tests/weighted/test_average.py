"""The average of models."""

import numpy as np
import pytest
from models import random_model

from mwem_core.weighted.average import Average

SIZES = (2, 3, 2)


def test_average_answers_with_the_mean_of_its_models():
    rng = np.random.default_rng(5)
    models = tuple(random_model(rng, SIZES) for _ in range(3))
    average = Average(models)
    assert (average.sizes, average.total) == (SIZES, 1000.0)
    mean = np.mean([model.marginal((0, 2)) for model in models], axis=0)
    assert average.marginal((0, 2)) == pytest.approx(mean)
    (flat,) = average.flat_marginals([np.array([[0, 2]])])
    assert flat == pytest.approx(mean.ravel())
    cells = tuple(axis.ravel() for axis in np.indices(SIZES))
    p = average.probability(cells)
    assert p == pytest.approx(average.marginal((0, 1, 2)).ravel() / 1000.0)
    assert p.sum() == pytest.approx(1)
