"""Figure 6's rule decides as it says, and its figure has a panel per form of MWEM."""

import pytest

from mwem_core.experiments.experiment_tables import load
from mwem_core.experiments.many_attributes import (
    EACH,
    FIGURE6,
    LAPLACE,
    MWEM,
    MWEM_2012,
    RUN,
    UNIFORM,
    WITHOUT_COUNTING,
)
from mwem_core.experiments.results import frame_of
from mwem_core.workload import parse_workload


def frame(run, counting=1.0, each=100.0):
    """At 10 and 100 bits, with three seeds."""
    seconds = {MWEM_2012: run, MWEM: 1.5, LAPLACE: counting, UNIFORM: 0.1, EACH: each}
    rows = [
        {"table": f"{d} bits", "method": m, "seconds": y, "seed": None if m == EACH else seed, "T": d, "epsilon": 1.0}
        for d in (10, 100)
        for m, y in seconds.items()
        for seed in range(1 if m == EACH else 3)
    ]
    return frame_of(rows, FIGURE6.metrics)


@pytest.mark.parametrize(
    ("frame", "holds"),
    [
        (frame(1.1), "holds"),  # 9% is not counting
        (frame(1.2), "holds with conditions"),  # 17%, but little beside 100 s
        (frame(1.2, each=1.0), "does not hold"),
    ],
)
def test_figure_6(frame, holds):
    assert FIGURE6.verdict(frame).holds == holds


def test_a_panel_shows_the_run_and_what_is_not_counting():
    points = FIGURE6.figure(frame(3.0)).points.set_index(["panel", "method", "x"])["y"]
    assert [points[MWEM_2012, name, 100] for name in (RUN, WITHOUT_COUNTING, LAPLACE, EACH)] == [3.0, 2.0, 1.0, 100.0]
    assert points[MWEM, WITHOUT_COUNTING, 10] == 0.5


def test_counting_each_query_by_itself_is_measured_on_as_many_as_there_are():
    B, batch = load("10 bits"), FIGURE6.batches(True)[0]
    (reference,) = FIGURE6.references(B, parse_workload("parities:1", B.domain), batch)
    assert 0 < reference.value < 1
