"""Figure 7's rule decides as it says, and the first rounds of a run are a run of their own."""

import pytest

from mwem_core.experiments.experiment_tables import ADULT_BITS, ADULT_BITS_AND_RANDOM, load
from mwem_core.experiments.many_attributes import (
    AUTOMATIC,
    FIGURE7,
    LAPLACE_ALL,
    MWEM_2012,
    ROUNDS,
    UNIFORM,
    WITHOUT_RANDOM_BITS,
    WORKLOADS,
)
from mwem_core.experiments.results import frame_of
from mwem_core.experiments.runs import named_workload
from mwem_core.privacy import Seeded
from mwem_core.systems import system


def frame(errors=(0.4, 0.1), seconds=(0.9, 5.0)):
    """After 1 and 10 rounds: without random bits 0.4 and 0.1 of n in 0.9 and 5 s, and with them as said."""
    rows = [
        {"table": table, "method": MWEM_2012, "T": T, "max_error": error, "seconds": took}
        for table, curve in ((ADULT_BITS, ((0.4, 0.1), (0.9, 5.0))), (ADULT_BITS_AND_RANDOM, (errors, seconds)))
        for T, error, took in zip((1, 10), *curve, strict=True)
    ]
    for table in WORKLOADS:
        rows += [
            {"table": table, "method": m, "max_error": 0.2, "seconds": 1} for m in (AUTOMATIC, LAPLACE_ALL, UNIFORM)
        ]
    return frame_of([{"epsilon": 1.0, "seed": 0} | row for row in rows], FIGURE7.metrics)


@pytest.mark.parametrize(
    ("frame", "holds"),
    [
        (frame(seconds=(0.99, 7.4)), "holds"),
        (frame(errors=(0.4, 0.12)), "holds"),
        (frame(seconds=(1.1, 7.4)), "holds with conditions"),  # the first round takes more than a second
        (frame(errors=(0.4, 0.13)), "holds with conditions"),  # the error grows, the time does not
        (frame(seconds=(0.9, 8.0)), "holds with conditions"),  # the time grows, the error does not
        (frame(errors=(0.4, 0.13), seconds=(0.9, 8.0)), "does not hold"),
        (frame(errors=(0.1, 0.1)), "does not hold"),  # the error does not fall
    ],
)
def test_figure_7(frame, holds):
    assert FIGURE7.verdict(frame).holds == holds


def test_the_curve_without_random_bits_stands_beside_that_with_them():
    points = FIGURE7.figure(frame(errors=(0.4, 0.12))).points.set_index(["panel", "method", "x"])["y"]
    assert (
        points[ADULT_BITS_AND_RANDOM, WITHOUT_RANDOM_BITS, 10]
        == points[ADULT_BITS, MWEM_2012, 10]
        == pytest.approx(0.1)
    )
    assert points[ADULT_BITS_AND_RANDOM, MWEM_2012, 10] == pytest.approx(0.12)
    assert points[ADULT_BITS, LAPLACE_ALL, 1] == points[ADULT_BITS, LAPLACE_ALL, 10] == pytest.approx(0.2)


def test_the_first_rounds_of_a_run_are_a_run_at_their_share_of_epsilon():
    B = load("czech")
    Q = named_workload("marginals:2", B.domain)

    def released(T):
        settings = system("mwem-paper").settings(Q, n=B.total, epsilon=T / ROUNDS[-1], T=T)
        return [(r.chosen, r.measurement.value.item()) for r in settings.rounds(B, Q, noise=Seeded(1)) if r.index]

    first, whole = released(4), released(9)
    assert [j for j, _ in first] == [j for j, _ in whole[:4]]
    assert [m for _, m in first] == pytest.approx([m for _, m in whole[:4]])


def test_the_random_bits_are_in_pairs_and_not_in_triples():
    Q = named_workload(WORKLOADS[ADULT_BITS_AND_RANDOM], load(ADULT_BITS_AND_RANDOM).domain)
    assert [len(block.sets) for block in Q.blocks] == [2_925, 2_926]
    assert (Q.blocks[0].sets.max(), Q.blocks[1].sets.max()) == (26, 76)
    assert Q.spec == WORKLOADS[ADULT_BITS_AND_RANDOM]
