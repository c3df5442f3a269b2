"""Counts from coarse to fine: consistent, possible, exact without noise; what a noisy difference says of a split."""

import math

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import Halvings, Records, Seeded, parse_workload
from mwem_core.automatic import mwem_by_rule
from mwem_core.automatic.refinement import (
    COMPONENTS,
    EQUAL_WEIGHTS,
    MAX_SLOPE,
    NEARLY_EMPTY,
    STEEPEST,
    STRENGTHS,
    Refinement,
    Splits,
)
from mwem_core.model import Measurement, counts, differences, heights, up_to
from mwem_core.relatives import Hierarchical

every_shape = pytest.mark.parametrize("sizes", [(2, 1), (13, 1), (16, 1), (1, 9), (5, 9), (8, 4)], ids=str)
SPLITS = Splits(
    low=np.array([0.0, 0.0, 5.0, 0.0]),
    high=np.array([40.0, 300.0, 30.0, 7.0]),
    expected=np.array([20.0, 140.0, 25.0, 3.5]),
    spread=np.array([400.0, 22_400.0, 60.0, 12.0]),
)
MEASURED, DEVIATION = np.array([11.0, 150.0, 24.0, -4.0]), 6.0


def refine(sizes, total, measured, deviation):
    refinement = Refinement.of(sizes, total)
    for k in up_to(heights(sizes)):
        refinement = refinement.refine(k, Measurement((0, 1), measured(k), 1.0, levels=k), deviation)
    return refinement


@every_shape
def test_counts_of_every_level_add_up_and_none_is_negative(sizes):
    rng = np.random.default_rng(5)
    found = refine(sizes, 500.0, lambda k: rng.laplace(scale=60, size=[2 ** max(0, level - 1) for level in k]), 85.0)
    for k, table in found.known.items():
        assert table.min() >= 0
        assert counts(found.cells(), k) == pytest.approx(table, abs=1e-6)
    assert found.cells().shape == sizes
    assert found.cells().sum() == pytest.approx(500)


@every_shape
def test_without_noise_the_table_comes_back(sizes):
    table = np.random.default_rng(6).integers(0, 50, sizes).astype(float)
    found = refine(sizes, table.sum(), lambda k: differences(table, k, sizes), 1e-4)
    assert found.cells() == pytest.approx(table, abs=0.01)


@every_shape
def test_where_nothing_is_measured_the_table_is_uniform(sizes):
    assert Refinement.of(sizes, 60.0).cells() == pytest.approx(np.full(sizes, 60 / np.prod(sizes)))


def test_what_is_not_measured_follows_the_slope_of_one_attribute_and_the_product_of_two():
    ramp = np.arange(1.0, 65.0)
    found = Refinement.of((64,), ramp.sum())
    for k in up_to((3, 0)):
        exact = Measurement((0,), differences(ramp[:, None], k, (64, 1)), 1.0, levels=k)
        found = found.refine(k, exact, 1e-3)
    inner = slice(16, -16)  # at the ends there is one neighbour
    assert found.cells()[inner, 0] == pytest.approx(ramp[inner], rel=0.02)

    rng = np.random.default_rng(7)
    product = np.outer(rng.integers(1, 9, 8), rng.integers(1, 9, 4)).astype(float)
    found = Refinement.of((8, 4), product.sum())
    for k in up_to((3, 2)):
        one = Measurement((0, 1), differences(product, k, (8, 4)), 1.0, levels=k) if 0 in k else None
        found = found.refine(k, one, 1e-4)
    assert found.cells() == pytest.approx(product, rel=1e-3)


def test_halves_of_a_straight_line_are_expected_exactly_and_never_by_more_than_the_largest_slope():
    """Between its neighbours; at an end, where there is one, half of the slope is expected."""
    ramp = np.arange(1.0, 65.0)[:, None]
    splits, children = Refinement((64, 1), {(3, 0): counts(ramp, (3, 0))}, {})._halves((4, 0))
    assert splits.expected[1:-1] == pytest.approx(counts(ramp, (4, 0))[2:-2:2])
    assert (splits.low == 0).all()
    assert (splits.high == counts(ramp, (3, 0))).all()
    assert children(splits.expected).sum() == pytest.approx(ramp.sum())
    steep = np.array([0.0, 1.0, 1000.0, 1.0])[:, None]
    expected = Refinement((8, 1), {(2, 0): steep}, {})._halves((3, 0))[0].expected
    assert expected[1] == pytest.approx((1 - MAX_SLOPE) / 2)


def test_quarters_are_expected_independent_between_the_least_and_the_most_that_their_halves_allow():
    whole, rows, columns = 60.0, 45.0, 40.0
    known = {(0, 0): [[whole]], (1, 0): [[rows], [whole - rows]], (0, 1): [[columns, whole - columns]]}
    refinement = Refinement((2, 2), {k: np.array(table) for k, table in known.items()}, {})
    splits, children = refinement._quarters((1, 1))
    a, b = rows / whole, columns / whole
    assert (splits.low.item(), splits.high.item()) == (rows + columns - whole, columns)
    assert splits.expected.item() == pytest.approx(a * b * whole)
    assert splits.spread.item() == pytest.approx(a * (1 - a) * b * (1 - b) * whole**2)
    assert children(np.array([[30.0]])).tolist() == [[30.0, 15.0], [10.0, 5.0]]


def flat_steps(rng):
    """A table of DAWA's kind: some flat stretches, most of them empty."""
    weights = np.repeat([0, 4.0, 0, 1.0, 0, 0, 9.0, 0], 32)
    return Records(domain_of((256,)), (rng.choice(256, 5000, p=weights / weights.sum()).astype(np.uint16),))


def bell(rng):
    return Records(domain_of((256,)), (np.clip(rng.normal(120, 30, 5000), 0, 255).astype(np.uint16),))


def correlated(rng):
    x = rng.integers(0, 20, 5000)
    y = np.clip(x + rng.integers(-3, 4, 5000), 0, 19)
    return Records(domain_of((20, 20)), (x.astype(np.uint8), y.astype(np.uint8)))


@pytest.mark.parametrize("make", [flat_steps, bell, correlated])
@pytest.mark.parametrize("epsilon", [0.03, 0.1])
def test_the_error_is_below_that_of_the_tree_without_a_prior_and_of_selection(make, epsilon):
    """Means over six seeds. Where the noise is smaller, the correlated table gains nothing over the tree."""
    B = make(np.random.default_rng(8))
    Q = parse_workload(f"ranges:{','.join(B.domain.names)}:300", B.domain)
    truth = Q.answers(B)

    def error(settings):
        errors = []
        for seed in range(6):
            *_, last = settings.rounds(B, Q, noise=Seeded(seed))
            errors.append(np.abs(last.model.answers(Q) - truth).mean())
        return np.mean(errors)

    ours = error(Halvings(epsilon=epsilon))
    assert ours < error(Hierarchical(epsilon=epsilon))
    assert ours < 0.9 * error(mwem_by_rule(Q, n=B.total, epsilon=epsilon))


def test_where_noise_drowns_everything_it_is_no_worse_than_reading_no_data():
    """Ten records at ε = 0.001: the error of the uniform table, but for a tenth."""
    B = random_records(domain_of((50,)), 10, np.random.default_rng(9))
    Q = parse_workload("ranges:a:all", B.domain)
    truth, errors = Q.answers(B), []
    for seed in range(20):
        start, *_, last = Halvings(epsilon=0.001).rounds(B, Q, noise=Seeded(seed))
        errors.append(np.abs(last.model.answers(Q) - truth).mean())
    assert np.mean(errors) < 1.1 * np.abs(start.model.answers(Q) - truth).mean()


def test_a_run_leaves_other_attributes_uniform_and_says_what_every_round_fitted():
    B = random_records(domain_of((12, 3, 7)), 2000, np.random.default_rng(10))
    Q = parse_workload("ranges:c,a:50", B.domain)
    rounds = list(Halvings(epsilon=2.0).rounds(B, Q, noise=Seeded(1)))
    last = rounds[-1].model
    assert last.marginal((1,)) == pytest.approx(np.full(3, 2000 / 3))
    assert last.total == pytest.approx(last.answers(parse_workload("marginals:1", B.domain))[:12].sum())
    fitted = [m.levels for entry in rounds for m in entry.planned]
    assert fitted == up_to(heights((12, 7)))
    assert [entry.label for entry in rounds[1:]] == [
        "2 × 2 intervals", "4 × 4 intervals", "8 × 8 intervals", "16 × 8 intervals",
    ]  # fmt: skip
    assert rounds[-1].residual > rounds[-1].moved > 0


@pytest.mark.parametrize("component", range(COMPONENTS))
def test_the_posterior_mean_of_every_component_is_its_integral(component):
    """The oracle adds up prior times likelihood on a grid of 200,000 counts between the bounds."""
    only = np.eye(COMPONENTS)[component]
    means, weights = SPLITS.posterior(MEASURED, DEVIATION, only)
    assert weights.tolist() == only.tolist()
    for i, mean in enumerate(means):
        low, high, expected, spread = (x[i] for x in (SPLITS.low, SPLITS.high, SPLITS.expected, SPLITS.spread))
        t = np.linspace(low, high, 200_001)
        if component == len(STRENGTHS):
            assert mean == expected
            continue
        if component < len(STRENGTHS):
            logs = -((t - expected) ** 2) * STRENGTHS[component] / (2 * spread)
        else:
            rate = min(1 / ((high - low) * NEARLY_EMPTY[component - len(STRENGTHS) - 1]), STEEPEST / DEVIATION)
            logs = np.logaddexp(-rate * (t - low), -rate * (high - t))
        logs -= (MEASURED[i] - t) ** 2 / (2 * DEVIATION**2)
        density = np.exp(logs - logs.max())
        assert mean == pytest.approx((t * density).sum() / density.sum(), rel=0.02, abs=0.02 * DEVIATION)


def simulated(kind, splits=2000, deviation=5.0):
    rng = np.random.default_rng(3)
    whole = rng.uniform(20, 200, splits)
    expected = whole / 2
    truth = {"even": expected, "empty": whole * (rng.random(splits) < 0.5), "any": whole * rng.random(splits)}[kind]
    known = Splits(np.zeros(splits), whole, expected, expected * (whole - expected))
    return known, truth, truth + deviation * rng.normal(size=splits)


@pytest.mark.parametrize(("kind", "least"), [("even", 50.0), ("empty", 20.0), ("any", 1.0)])
def test_learned_weights_remove_the_noise_that_the_splits_allow_to_remove(kind, least):
    """Splits that are all even lose nearly all of their noise, empty halves most of it, and any splits gain no more."""
    known, truth, measured = simulated(kind)
    found, weights = known.posterior(measured, 5.0, EQUAL_WEIGHTS)
    assert weights.sum() == pytest.approx(1)
    assert ((measured - truth) ** 2).mean() > least * ((found - truth) ** 2).mean()


def test_the_weights_of_a_coarser_level_decide_where_there_is_nothing_to_learn_from():
    one = Splits(np.zeros(1), np.full(1, 100.0), np.full(1, 50.0), np.full(1, 2500.0))
    even, anything = np.full(COMPONENTS, 1e-6), np.full(COMPONENTS, 1e-6)
    even[len(STRENGTHS)] = anything[0] = 1.0
    (to_even,), _ = one.posterior(np.array([70.0]), 10.0, even / even.sum())
    (to_measured,), _ = one.posterior(np.array([70.0]), 10.0, anything / anything.sum())
    assert to_even == pytest.approx(50, abs=0.1)
    assert to_measured > 65


def test_means_stay_between_the_bounds_however_far_off_the_measurement_and_however_small_the_noise():
    for deviation in (1e-6, 1.0, 1e6):
        for off in (-1e9, -1.0, 0.0, 1e9):
            means, weights = SPLITS.posterior(MEASURED + off, deviation, EQUAL_WEIGHTS)
            assert (means >= SPLITS.low).all()
            assert (means <= SPLITS.high).all()
            assert math.isclose(weights.sum(), 1)
