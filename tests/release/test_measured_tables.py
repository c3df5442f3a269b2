"""How far rows are from measured tables."""

import numpy as np
import pytest

from mwem_core import Attribute, Domain
from mwem_core.intervals import Estimates
from mwem_core.model import Measurement
from mwem_core.release.quality import measured_table
from mwem_core.values import Edges, Range, Values

EDGES = (0, 1, 3, 10, 40, 100)
DOMAIN = Domain(
    (
        Attribute("x", Edges(EDGES), missing="?"),
        Attribute("y", Range(-3, 3)),
        Attribute("label", Values(("a", "b"))),
    )
)


def counts_of(rng: np.random.Generator, n: int = 3000) -> np.ndarray:
    """How many of skewed numbers with a heap are in each bin, none missing."""
    x = np.where(rng.random(n) < 0.3, 0.0, np.minimum(rng.exponential(12, n), 99.9))
    return np.append(np.histogram(x, EDGES)[0], 0).astype(float)


def test_what_was_not_measured_has_no_interval():
    known = Estimates.by(DOMAIN, [Measurement((1,), np.full(7, 10.0), 1.0)], 2.0)
    assert measured_table(known, (0, 1), "ε") is None


def test_rows_that_are_right_are_as_far_from_the_measurement_as_its_noise():
    """Of 200 draws, the mean of 6 cells' |noise| is known to 2%; the formula is that of normal noise."""
    rng = np.random.default_rng(3)
    counts = counts_of(rng)
    distances, inside = [], []
    for _ in range(200):
        known = Estimates.by(DOMAIN, [Measurement((0,), counts + rng.normal(0, 20, 6), 20.0)], 1.0)
        measured = measured_table(known, (0,), "ρ")
        assert measured is not None
        distances.append(measured.distance(counts / counts.sum()))
        inside.append(measured.inside(counts / counts.sum()))
    assert np.mean(distances) == pytest.approx(measured.noise, rel=0.1)
    assert 0.93 <= np.mean(inside) <= 1
