"""How far rows are from measured tables, and intervals of correlations."""

from itertools import pairwise

import numpy as np
import pytest

from mwem_core import Attribute, Domain
from mwem_core.intervals.columns import (
    correlation_of_cells,
    measured_correlation,
    measured_table,
)
from mwem_core.intervals.pooled_estimates import Estimates
from mwem_core.model import Measurement
from mwem_core.values import Edges, Range, Values

EDGES = (0, 1, 3, 10, 40, 100)
DOMAIN = Domain(
    (
        Attribute("x", Edges(EDGES), missing="?"),
        Attribute("y", Range(-3, 3)),
        Attribute("label", Values(("a", "b"))),
    )
)
DRAWS = 200


def table_of(rng: np.random.Generator, n: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """Skewed numbers with a heap, and their counts by bin, none missing."""
    x = np.where(rng.random(n) < 0.3, 0.0, np.minimum(rng.exponential(12, n), 99.9))
    return x, np.append(np.histogram(x, EDGES)[0], 0).astype(float)


def test_what_was_not_measured_has_no_interval():
    known = Estimates.by(DOMAIN, [Measurement((1,), np.full(7, 10.0), 1.0)], 2.0)
    assert measured_table(known, (0, 1), "ε") is None
    assert measured_correlation(known, (0, 1), "ε") is None


def test_rows_that_are_right_are_as_far_from_the_measurement_as_its_noise():
    """Of 200 draws, the mean of 6 cells' |noise| is known to 2%; the formula is that of normal noise."""
    rng = np.random.default_rng(3)
    _, counts = table_of(rng)
    distances, inside = [], []
    for _ in range(200):
        known = Estimates.by(DOMAIN, [Measurement((0,), counts + rng.normal(0, 20, 6), 20.0)], 1.0)
        measured = measured_table(known, (0,), "ρ")
        assert measured is not None
        distances.append(measured.distance(counts / counts.sum()))
        inside.append(measured.inside(counts / counts.sum()))
    assert np.mean(distances) == pytest.approx(measured.noise, rel=0.1)
    assert 0.93 <= np.mean(inside) <= 1


def test_the_interval_of_a_correlation_holds_it_in_95_percent_of_draws():
    """A tolerance of 3% for 200 draws and for a noise of first order."""
    rng = np.random.default_rng(4)
    x, _ = table_of(rng)
    y = np.clip(np.round(x / 20 + rng.normal(0, 1, len(x))), -3, 3)
    table = np.vstack([np.histogram2d(x, y, [EDGES, np.arange(-3.5, 4)])[0], np.zeros(7)])
    middles = np.array([(a + b - (b < EDGES[-1])) / 2 for a, b in pairwise(EDGES)])  # of whole numbers, as edges are
    binned = middles[np.searchsorted(EDGES, x, side="right") - 1]
    true = np.corrcoef(binned, y)[0, 1]
    exact = Estimates.by(DOMAIN, [Measurement((0, 1), table, 1e-9)], 1.0)
    assert correlation_of_cells(exact, (0, 1), table / table.sum()) == pytest.approx(true)
    held = 0
    for _ in range(DRAWS):
        known = Estimates.by(DOMAIN, [Measurement((0, 1), table + rng.normal(0, 10, table.shape), 10.0)], 1.0)
        found = measured_correlation(known, (0, 1), "ρ")
        assert found is not None
        held += found[1] <= true <= found[2]
    assert 0.92 <= held / DRAWS <= 0.99
