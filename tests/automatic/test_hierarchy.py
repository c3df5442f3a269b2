"""The plan of intervals: what it spends, how precisely it measures, which levels it takes, and what it refuses."""

import itertools
import math

import numpy as np
import pytest
from messages import exactly
from oracles import assert_private, domain_of, random_records

from mwem_core import Halvings, Records, Seeded, parse_workload
from mwem_core.automatic.hierarchy import Hierarchy, _evenly_spaced, best_hierarchy, boxes_of
from mwem_core.model import counts, differences, heights
from mwem_core.privacy import Accountant, Guarantee
from mwem_core.workload import squares_by_level

every_delta = pytest.mark.parametrize("delta", [0.0, 1e-9])


def ranges(sizes, which="60"):
    return parse_workload(f"ranges:{','.join('abc'[: len(sizes)])}:{which}", domain_of(sizes))


def hierarchy(Q, measured, delta=0.0, epsilon=1.0):
    boxes = boxes_of(Q)
    return Hierarchy(boxes, squares_by_level(boxes), measured, Guarantee(epsilon, delta).budget)


@every_delta
@pytest.mark.parametrize(("n", "sizes"), [(300, (13,)), (20_000, (5, 9))])
def test_it_spends_the_whole_budget_and_tells_neighbours_apart_by_no_more(n, sizes, delta):
    B, Q = random_records(domain_of(sizes), n, np.random.default_rng(1)), ranges(sizes)
    assert_private(Halvings(epsilon=0.7, delta=delta), B, n, Q)


@every_delta
@pytest.mark.parametrize(
    ("sizes", "measured"),
    [((13,), ((2, 4),)), pytest.param((8, 5), ((1, 3), (3,)), marks=pytest.mark.sweep)],
)
def test_measured_differences_are_the_exact_ones_plus_noise_of_the_stated_scale(sizes, measured, delta):
    """1,000 draws: means within 5 standard errors, mean squares within 20% (their standard error is 3 to 7%)."""
    B, Q = random_records(domain_of(sizes), 200, np.random.default_rng(2)), ranges(sizes)
    plan, noise = hierarchy(Q, measured, delta), Seeded(4)
    runs = [plan.measure(B, Q, Accountant(plan.budget, noise)) for _ in range(1000)]
    for k, m in runs[0].items():
        exact = differences(B.marginal(Q.attrs(0)), k, sizes)
        assert m.answer(B.marginal(Q.attrs(0))).tolist() == exact.tolist()
        off = np.array([run[k].value for run in runs]) - exact
        splits = off.std(axis=0) > 1e-9  # an interval of one value has no halves
        assert np.abs(off.mean(axis=0)[splits] / off.std(axis=0)[splits]).max() < 5 / math.sqrt(1000)
        assert (off[:, splits] ** 2).mean() == pytest.approx(plan.budget.variance_at(m.scale), rel=0.2)


@pytest.mark.parametrize(
    ("sizes", "measured"), [((16,), ((2, 4),)), ((16,), ((1, 2, 3, 4),)), ((11,), ((4,),)), ((4, 8), ((1, 2), (3,)))]
)
def test_the_expected_error_is_that_of_least_squares_where_there_is_no_prior(sizes, measured):
    """The oracle: the covariance of least squares over all measured counts, with the total known."""
    Q = ranges(sizes)
    plan, cells = hierarchy(Q, measured), math.prod(sizes)
    unit = np.eye(cells).reshape(cells, *sizes)
    rows = np.concatenate([np.array([counts(e, levels).ravel() for e in unit]).T for levels in plan.tables])
    free = np.linalg.svd(np.ones((1, cells)))[2][1:]  # directions that keep the total
    covariance = free.T @ np.linalg.inv(free @ rows.T @ rows @ free.T) @ free
    boxes = np.array([Q.query(j)[1].ravel() for j in range(Q.size)])
    mean = np.einsum("qi,ij,qj->q", boxes, covariance, boxes).mean() * plan.part.variance_at(plan.part.scale)
    assert plan.squared_error(n=1e12) == pytest.approx(mean, rel=1e-6)


def test_levels_are_evenly_spaced_down_to_any_finest_one():
    assert _evenly_spaced(0) == [(0,)]
    assert _evenly_spaced(1) == [(1,)]
    assert _evenly_spaced(4) == [(1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), (2,), (2, 3), (2, 3, 4), (2, 4), (3,), (4,)]


@every_delta
def test_the_levels_taken_are_the_best_of_their_kind_and_finer_with_more_records(delta):
    Q, budget = ranges((40, 6)), Guarantee(0.3, delta).budget
    finest = []
    for n in (30, 300, 3_000, 300_000):
        best = best_hierarchy(Q, budget, n)
        others = itertools.product(*map(_evenly_spaced, heights(best.boxes.sizes)))
        errors = [Hierarchy(best.boxes, best.squares, each, budget).squared_error(n) for each in others]
        assert best.squared_error(n) == min(errors)
        finest.append(sum(best.finest))
    assert finest == sorted(finest)
    assert finest[0] < finest[-1] == sum(heights((40, 6)))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("where:a == 1", "counts of intervals are for ranges of one or two attributes, not predicates"),
        ("ranges:a,b,c:5", "counts of intervals are for ranges of one or two attributes, not ranges of more"),
        (
            "ranges:d:5",
            "there would be up to 524,288 intervals to count of d, more than 262,144: declare coarser bins, "
            "or choose MWEM",
        ),
    ],
)
def test_what_it_cannot_serve_is_refused_before_any_budget_is_spent(spec, message):
    domain = domain_of((3, 4, 5, 300_000))
    B = Records(domain, (np.zeros(10, dtype=np.uint8),) * 4)
    with pytest.raises(ValueError, match=exactly(message)):
        Halvings(epsilon=1).rounds(B, parse_workload(spec, domain), noise=Seeded(0))
