"""Ranges of which halvings were measured: aligned boxes, unbiased counts of them, and the exact variance."""

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import Seeded, parse_workload
from mwem_core.automatic import Hierarchy, boxes_of
from mwem_core.intervals.range_intervals import HalvingEstimates
from mwem_core.privacy import Accountant, Guarantee
from mwem_core.workload import squares_by_level

CASES = [
    ((13,), ((2, 4),)),
    ((16,), ((1, 2, 3, 4),)),
    ((11,), ((3,),)),
    ((5, 3), ((1, 3), (1, 2))),
    ((3, 6), ((2,), (2,))),
]


class OneDraw:
    """Noise of 1 on draw number `on` alone, counted over the whole run."""

    def __init__(self, on: int):
        self.on, self.drawn = on, 0

    def laplace(self, exact, epsilon, sensitivity):
        one = np.zeros(exact.shape)
        if 0 <= self.on - self.drawn < exact.size:
            one.flat[self.on - self.drawn] = 1.0
        self.drawn += exact.size
        return exact + one


def setting(sizes, measured):
    B = random_records(domain_of(sizes), 300, np.random.default_rng(1))
    Q = parse_workload(f"ranges:{','.join('abc'[: len(sizes)])}:all", B.domain)
    boxes = boxes_of(Q)
    return B, Q, boxes, Hierarchy(boxes, squares_by_level(boxes), measured, Guarantee(1.0).budget)


@pytest.mark.parametrize(("sizes", "measured"), CASES)
def test_a_count_is_unbiased_and_its_variance_is_that_of_all_draws(sizes, measured):
    """The oracle: the estimate is linear in the draws, so the variance is the sum over draws of its squared change."""
    B, Q, boxes, plan = setting(sizes, measured)
    noiseless = plan.measure(B, Q, Accountant(plan.budget, OneDraw(-1)))
    exact = HalvingEstimates(plan, noiseless, (300.0, 0.0))
    inner, outer = exact.align_boxes(boxes.low, boxes.high + 1)
    for box in (inner, outer):
        value, variance = exact.estimate(box)
        truth = [B.marginal(Q.attrs(0))[tuple(slice(a, b) for a, b in box[i].T)].sum() for i in range(len(box))]
        assert value == pytest.approx(np.array(truth), abs=1e-9)
        last, squares = OneDraw(-1), np.zeros(len(box))
        plan.measure(B, Q, Accountant(plan.budget, last))
        for draw in range(last.drawn):
            measured = plan.measure(B, Q, Accountant(plan.budget, OneDraw(draw)))
            moved = HalvingEstimates(plan, measured, (300.0, 0.0)).estimate(box)[0] - value
            squares += moved**2
        assert variance == pytest.approx(squares * plan.budget.variance_at(plan.part.scale), abs=1e-9)


@pytest.mark.parametrize(("sizes", "measured"), CASES)
def test_boxes_are_aligned_inwards_and_outwards(sizes, measured):
    B, Q, boxes, plan = setting(sizes, measured)
    measured = plan.measure(B, Q, Accountant(plan.budget, Seeded(0)))
    inner, outer = HalvingEstimates(plan, measured, (300.0, 0.0)).align_boxes(boxes.low, boxes.high + 1)
    filled = inner[:, 0] < inner[:, 1]
    assert (inner[:, 0] >= boxes.low)[filled].all()
    assert (inner[:, 1] <= boxes.high + 1)[filled].all()
    assert (outer[:, 0] <= boxes.low).all()
    assert (outer[:, 1] > boxes.high).all()
    assert (inner == outer).all(axis=(1, 2)).any()


def test_a_noisy_total_adds_its_share_of_variance():
    B, Q, boxes, plan = setting((5, 3), ((1, 3), (2,)))
    measured = plan.measure(B, Q, Accountant(plan.budget, Seeded(0)))
    box = HalvingEstimates(plan, measured, (300.0, 0.0)).align_boxes(boxes.low, boxes.high + 1)[1]
    public, noisy = (HalvingEstimates(plan, measured, (300.0, v)).estimate(box) for v in (0.0, 50.0))
    shares = np.prod((box[:, 1] - box[:, 0]) / np.array([5, 3]), axis=1)
    assert public[0].tolist() == noisy[0].tolist()
    assert noisy[1] - public[1] == pytest.approx(50 * shares**2)
