"""Relaxed projection's rule on frames made up to be on either side of it."""

import pytest

from mwem_core.experiments.projection_growth import (
    AUTOMATIC,
    BITS,
    GAUSSIAN,
    METRIC,
    MWEM_2012,
    OPTIMAL,
    PROJECTION,
    PROJECTION_GROWTH,
    RECORDS,
    UNIFORM,
)
from mwem_core.experiments.results import frame_of

TABLES = [*RECORDS["NLTCS, 16 bits"]][:2]  # of 100 and 300 records
WIDTHS = [*BITS["four classes, n = 10,000"]][:2]  # of 8 and 16 bits


def frame(ours=(10, 15), gaussian=60, optimal=(20, 12), mwem=(12, 16), old=30, k=2, wide=(20, 30)):
    """Root mean squared errors at 100 and 300 records; `wide` are those of relaxed projection at 8 and 16 bits."""
    rows = []
    for i, table in enumerate(TABLES):
        errors = {PROJECTION: ours[i], GAUSSIAN: gaussian, OPTIMAL: optimal[i], AUTOMATIC: mwem[i], MWEM_2012: old}
        rows += [(table, k, method, error) for method, error in errors.items()]
        rows += [(WIDTHS[i], order, PROJECTION, wide[i]) for order in (2, 3)]
        beside = {GAUSSIAN: 60, OPTIMAL: 40, AUTOMATIC: 50, MWEM_2012: 70, UNIFORM: 80}
        rows += [(WIDTHS[i], order, method, error) for method, error in beside.items() for order in (2, 3)]
    return frame_of(
        [
            {"table": table, "workload": f"marginals:{order}", "method": m, "epsilon": 1.0, "seed": 0, METRIC: y**2}
            for table, order, m, y in rows
        ],
        PROJECTION_GROWTH.metrics,
    )


@pytest.mark.parametrize(
    ("made", "holds"),
    [
        (frame(), "holds"),  # the optimal Gaussian marginals err less, but not at the smallest n
        (frame(mwem=(9, 16)), "holds with conditions"),  # Automatic errs less on pairs
        (frame(old=14), "holds with conditions"),  # that of 2012 does
        (frame(mwem=(9, 9), old=9, k=3), "holds"),  # on triples it may
        (frame(optimal=(9, 12)), "holds with conditions"),  # at the smallest n
        (frame(ours=(10, 18), mwem=(12, 19)), "does not hold"),  # by more than √3
        (frame(gaussian=14), "does not hold"),
        (frame(wide=(20, 61)), "does not hold"),  # plain noise errs less on one table of 16 bits
    ],
)
def test_the_rule(made, holds):
    assert PROJECTION_GROWTH.verdict(made).holds == holds


def test_the_figure_shows_root_mean_squares_by_n_or_by_d():
    by_n, by_d = (
        PROJECTION_GROWTH.figure(frame(), growing=option).points.set_index(["panel", "method", "x"])["y"]
        for option in PROJECTION_GROWTH.choices["growing"]
    )
    assert by_n["NLTCS, 16 bits, k = 2", PROJECTION, 300] == pytest.approx(15)
    assert by_d["four classes, n = 10,000, k = 3", GAUSSIAN, 16] == pytest.approx(60)
