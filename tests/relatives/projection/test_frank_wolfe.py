"""Frank and Wolfe's projection: how fast the gap falls, what the certificate bounds, how many steps are needed."""

from types import SimpleNamespace

import numpy as np
import pytest
from exact_body import ExactBody
from parity_instances import clusters, exponent, noisy, on_cells, parities_up_to
from scipy.optimize import nnls

from mwem_core.relatives.projection.convex_body import RelaxedBody
from mwem_core.relatives.projection.frank_wolfe import MAX_PROJECTION_STEPS, MAX_WORK, max_steps, needed_steps, project


@pytest.mark.parametrize("body_class", [RelaxedBody, ExactBody])
def test_the_gap_falls_as_one_over_the_steps(body_class):
    """Jaggi's bound with D <= 2n, and a fitted exponent of -1 if the projection lies on the boundary.

    Inside the body, the gap would fall faster. The tolerance is 0.25, as the fit is of one path.
    """
    z, g, scale, body = noisy(clusters(12, 2000, 0), 2, 60.0, 0)
    projection = project(z + g, scale, body_class(body.queries), 300)
    gaps = np.minimum.accumulate(projection.gaps)
    t = np.arange(1, len(gaps) + 1)
    assert len(gaps) == 300
    assert (gaps * (t + 2) <= 6.75 * (2 * 2000) ** 2).all()
    assert exponent(t[5:], gaps[5:]) == pytest.approx(-1, abs=0.25)
    assert projection.certified > 0


def nearest_point(y, vertices):
    """The point of the vertices' convex hull nearest to y, by non-negative least squares over their shares.

    A heavy last row makes the shares sum to 1.
    """
    heavy = 1e4
    shares, _ = nnls(np.vstack([vertices.T, heavy * np.ones(len(vertices))]), np.append(y, heavy))
    return shares @ vertices


@pytest.mark.parametrize("seed", range(5))
def test_the_certified_gap_bounds_the_distance_to_the_nearest_point(seed):
    """On K, for the squared distance and for half of what the squared distance from y exceeds its minimum by."""
    z, g, scale, body = noisy(clusters(4, 60, seed), 2, 20.0, seed)
    y, cells = z + g, on_cells(body.queries)
    nearest = nearest_point(y, np.concatenate([cells, -cells]) * scale)
    for steps in (1, 10, 300):
        projection = project(y, scale, ExactBody(body.queries), steps)
        point = scale * projection.x
        excess = (((y - point) ** 2).sum() - ((y - nearest) ** 2).sum()) / 2
        assert ((point - nearest) ** 2).sum() <= projection.certified + 1e-3
        assert -1e-3 <= excess <= projection.certified + 1e-3
    assert np.abs(point - nearest).max() <= 1.0


@pytest.mark.parametrize("k", [2, 3])
def test_the_certificate_bounds_the_gap_and_the_possible_gain_after_any_step(k):
    """On L: the gap to the furthest vertex and to every cell, and what 2,000 steps gain."""
    z, g, scale, body = noisy(clusters(6, 300, k), k, 30.0, k)
    y, cells = z + g, on_cells(body.queries)
    best = ((y - scale * project(y, scale, body, 2000).x) ** 2).sum() / 2
    for steps in range(1, 41):
        projection = project(y, scale, body, steps)
        point = scale * projection.x
        a = scale * (y - point)
        gap = max(a @ body.furthest(a).x, np.abs(cells @ a).max()) - a @ projection.x
        assert projection.certified >= gap - 1e-6
        assert projection.certified >= ((y - point) ** 2).sum() / 2 - best - 1e-6


def test_the_needed_steps_imply_a_mean_width_that_grows_as_the_root_of_d():
    """For k = 2; the width is n/(σ steps). The tolerance is 0.1, as orders 1 and 2 mix for small d."""
    widths = []
    for d in (20, 40, 80):
        queries = parities_up_to(d, 2)
        scale = 1e7 * np.sqrt(queries.weights(queries.workload))
        widths.append(1e7 / needed_steps(scale, RelaxedBody(queries), 1.0))
    assert exponent([20, 40, 80], widths) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    ("work", "steps"), [(1.0, MAX_PROJECTION_STEPS), (MAX_WORK / 10.5, 10), (MAX_WORK / 2, 2), (3 * MAX_WORK, 1)]
)
def test_steps_are_limited_by_number_and_by_work_but_one_is_always_allowed(work, steps):
    assert max_steps(SimpleNamespace(work=work)) == steps
