"""Figure 5: the rule on both of its sides, and the average over all 256 cuboids."""

from concurrent.futures import ThreadPoolExecutor
from math import comb

import pytest

from mwem_core.experiments.claim import Batch, Method
from mwem_core.experiments.cuboids import (
    ALL,
    AVERAGE,
    BASE,
    EACH,
    FIGURE5,
    FOR_AVERAGE,
    FOR_LARGEST,
    LARGE,
    LARGEST,
    MEASURED_CUBOIDS,
    MWEM,
    PANELS,
    UNIFORM,
)
from mwem_core.experiments.results import frame_of
from mwem_core.experiments.runs import Run


def figure5(average, largest, other=(400, 100), other_largest=200, at_15=1000):
    """All panels; MWEM's average and that of the others at ε = 0.1 and 1. At T = 15 MWEM's average is another."""
    rows = []
    for workload, (epsilon, y, best) in [
        (w, row) for w in PANELS for row in zip((0.1, 1.0), average, other, strict=True)
    ]:
        at = {"table": "adult", "workload": workload, "epsilon": epsilon, "seed": 0}
        rows += [
            at
            | {"method": MWEM, "system": "mwem-paper", "T": 10, AVERAGE: y * ALL / MEASURED_CUBOIDS, LARGEST: largest}
        ]
        rows += [
            at | {"method": MWEM, "system": "mwem-paper", "T": 15, AVERAGE: at_15 * ALL / MEASURED_CUBOIDS, LARGEST: 1}
        ]
        rows += [at | {"method": FOR_LARGEST, "seed": None, AVERAGE: best, LARGEST: other_largest}]
    return frame_of(rows, FIGURE5.metrics)


@pytest.mark.parametrize(
    ("frame", "holds"),
    [
        (figure5((400, 28), 400), "holds"),  # 3.57 times lower, and twice as large at most
        (figure5((400, 28), 401), "holds with conditions"),  # the largest error is more than twice theirs
        (figure5((100, 29), 100), "holds with conditions"),  # lower by a factor of four at another ε only
        (figure5((400, 29), 100), "does not hold"),  # 3.45 times lower
        (figure5((400, 29), 100, at_15=28), "holds"),  # the T of the least average counts, for the largest error too
    ],
)
def test_figure_5(frame, holds):
    assert FIGURE5.verdict(frame).holds == holds


def test_the_average_is_over_all_cuboids_of_eight_attributes():
    assert sum(comb(8, k) for k in range(9)) == ALL
    assert sum(comb(8, k) for k in range(1, 6)) == MEASURED_CUBOIDS
    plot = FIGURE5.figure(figure5((400, 28), 400)).points
    own = plot[(plot["method"] == MWEM) & (plot["x"] == 1)].set_index("panel")["y"]
    assert own[PANELS[LARGE]] == pytest.approx(28)
    assert own[PANELS["cuboids:2"]] == pytest.approx(28 * ALL / MEASURED_CUBOIDS)  # pairs are all there


def test_noise_on_pairs_is_best_on_every_pair_and_worst_on_every_cell():
    run = Run(FIGURE5, [Batch("adult", "cuboids:2", (Method(UNIFORM, UNIFORM),), (0.5,), 1)], None)
    with ThreadPoolExecutor(1) as executor:
        list(run.go(executor))
    frame = run.frame.astype({"method": str}).set_index("method")
    assert frame.loc[[EACH, FOR_AVERAGE, FOR_LARGEST], [AVERAGE, LARGEST]].to_numpy() == pytest.approx(28 / 0.5)
    assert frame.loc[BASE, AVERAGE] > 10 * 28 / 0.5
    assert frame.loc[UNIFORM, LARGEST] > frame.loc[UNIFORM, AVERAGE] > 0
