"""What measurements say together is what least squares over all of them would say; how far noise goes."""

import itertools
import math

import numpy as np
import pytest
from oracles import domain_of, marginal_rows
from scipy.stats import laplace, norm

from mwem_core import parse_workload
from mwem_core.intervals.pooled_estimates import Estimates, deviations, of_counts
from mwem_core.model import Measurement, centre
from mwem_core.workload import signs

SIZES = (2, 3, 2)
DOMAIN = domain_of(SIZES)
UNIT = 2.0  # variance of noise of scale 1
BETAS = [0.3, 0.05, 0.01, 1e-4]


def random_measurements(rng) -> list[Measurement]:
    """Two tables that share an attribute, one of them twice, a marginal of one attribute, and a residual."""
    whole = [((0, 1), 1.5), ((1, 2), 0.7), ((1, 2), 2.0), ((0,), 0.9)]
    measured = [Measurement(S, 100 * rng.random(DOMAIN.sizes(S)), scale) for S, scale in whole]
    return [*measured, Measurement((0, 1), centre(30 * rng.random((2, 3))), 0.8, centred=True)]


def least_squares(measured, total, target) -> tuple[np.ndarray, np.ndarray]:
    """Of target · t: values and variances, by the pseudo-inverse of all equations, each divided by its deviation."""
    rows, values = [np.ones((1, 12)) / total[1] ** 0.5], [[total[0] / total[1] ** 0.5]]
    for m in measured:
        basis = np.eye(m.value.size)
        if m.centred:
            projection = np.array([centre(e.reshape(m.value.shape)).ravel() for e in basis])
            basis = np.linalg.svd(projection)[2][: np.linalg.matrix_rank(projection)]
        deviation = UNIT**0.5 * m.scale
        rows.append(basis @ marginal_rows(SIZES, m.attrs) / deviation)
        values.append(basis @ m.value.ravel() / deviation)
    inverse = np.linalg.pinv(np.concatenate(rows))
    return target @ inverse @ np.concatenate(values), ((target @ inverse) ** 2).sum(axis=1)


def known_by(domain, total, measured) -> Estimates:
    """n is measured with this variance; a tiny one stands for a public n."""
    n, variance = total
    if variance < 1e-6:
        return Estimates.by(domain, measured, UNIT, total=n)
    return Estimates.by(domain, [Measurement((), np.array(n), (variance / UNIT) ** 0.5), *measured], UNIT)


@pytest.mark.parametrize("total", [(400.0, 25.0), (400.0, 1e-8)], ids=["measured", "public"])
@pytest.mark.parametrize("S", [(), (0,), (1,), (2,), (0, 1), (1, 2)])
def test_a_table_is_that_of_least_squares_with_its_variance(S, total):
    measured = random_measurements(np.random.default_rng(3))
    known = known_by(DOMAIN, total, measured)
    value, variance = known.table(S)
    expected, variances = least_squares(measured, total, marginal_rows(SIZES, S))
    assert value.ravel() == pytest.approx(expected, abs=1e-4)
    assert np.full(expected.shape, variance) == pytest.approx(variances, abs=1e-6)


def test_a_predicate_is_that_of_least_squares_and_is_unknown_where_no_table_has_it():
    measured, total = random_measurements(np.random.default_rng(4)), (300.0, 9.0)
    known = known_by(DOMAIN, total, measured)
    Q = parse_workload("where:b == 0 or b == 2; a == 1 and b <= 1; a == 0 and c == 1", DOMAIN)
    for j in (0, 1):
        S, q, _ = Q.query(j)
        expected, variances = least_squares(measured, total, (q.ravel() @ marginal_rows(SIZES, S))[None])
        assert known.answer(S, q) == pytest.approx((expected[0], variances[0]))
    assert known.answer(*Q.query(2)[:2]) is None
    assert known.largest_within((0, 2)) == [(0,), (2,)]
    assert known.largest_within((0, 1, 2)) == [(0, 1), (1, 2)]


def test_a_measured_parity_is_known_with_the_scale_it_was_measured_at_and_repeats_are_averaged():
    domain = domain_of((2, 2, 2))
    for S, answer in itertools.product([(1,), (0, 2)], [40.0, -7.0]):
        m = Measurement(S, np.array(answer), 3.0, signs(len(S)))
        known = Estimates.by(domain, [m], UNIT, total=100.0)
        assert known.answer(S, signs(len(S))) == pytest.approx((answer, UNIT * 9))
        twice = Estimates.by(domain, [m, Measurement(S, np.array(answer + 4), 3.0, m.q)], UNIT, total=100.0)
        assert twice.answer(S, signs(len(S))) == pytest.approx((answer + 2, UNIT * 9 / 2))


def test_other_queries_are_known_by_themselves():
    q = np.array([1.0, 0.0, 1.0])
    known = Estimates.by(DOMAIN, [Measurement((1,), np.array(31.0), 2.0, q)], UNIT, total=100.0)
    assert known.answer((1,), q) == (31.0, UNIT * 4)
    assert known.answer((1,), np.array([1.0, 1.0, 0.0])) is None


def exceeds(weights: np.ndarray, t: float) -> float:
    """P(|Σ a_i L_i| > t) for standard Laplace draws, by partial fractions of Π 1 / (1 + a_i² u²)."""
    squares = weights**2
    shares = [np.prod(a / (a - np.delete(squares, i))) for i, a in enumerate(squares)]
    return float((np.array(shares) * np.exp(-t / weights)).sum())


@pytest.mark.parametrize("beta", BETAS)
def test_a_normal_draw_and_a_single_laplace_draw_exceed_it_with_exactly_this_chance(beta):
    assert 2 * norm.sf(deviations(beta, "ρ")) == pytest.approx(beta)
    assert math.exp(-deviations(beta, "ε") * math.sqrt(2)) == pytest.approx(beta)


@pytest.mark.parametrize("beta", BETAS[1:])
def test_no_sum_of_laplace_draws_exceeds_it_with_more(beta):
    """Sums of 2 to 6 draws; the weights differ by 10% at least, as partial fractions cancel where two are equal."""
    rng, z = np.random.default_rng(0), deviations(beta, "ε")
    chances = []
    for _ in range(2000):
        weights = np.cumprod(rng.uniform(1.1, 3.0, rng.integers(2, 7)))
        chances.append(exceeds(weights, z * math.sqrt(2 * (weights**2).sum())))
    assert max(chances) <= beta * (1 + 1e-6)
    assert min(chances) > beta / 50  # so the bound is not idle


def test_a_sum_of_many_laplace_draws_still_exceeds_it_with_a_chance_of_3_in_100():
    assert 2 * norm.sf(deviations(0.05, "ε")) == pytest.approx(0.034, abs=0.001)


@pytest.mark.parametrize("draws", [1, 2, 5, 30, 1000])
def test_a_count_of_whole_noise_is_missed_with_5_percent_at_most(draws):
    """The exact law of a sum of discrete Laplace draws, by Fourier; at 600 ε it is missed with 5.02% at most.

    Without the next whole numbers a deviation of .23, which is not 0 in 5.2% of draws, would be missed by more.
    """
    z = np.arange(-2048, 2048)
    turns = 2 * np.pi * np.fft.fftfreq(z.size)
    missed = []
    for epsilon in np.linspace(0.3, 12, 600):
        r = math.exp(-epsilon)
        law = np.fft.fftshift(np.fft.ifft(((1 - r) ** 2 / (1 - 2 * r * np.cos(turns) + r * r)) ** draws).real)
        deviation = math.sqrt(draws * 2 * r) / (1 - r)
        if deviation < 300:
            low, high = (np.round(end) for end in of_counts(10_000.0 + z, deviation, "ε"))
            missed.append(law[(low > 10_000) | (high < 10_000)].sum())
    assert 0.04 < max(missed) < 0.0502


@pytest.mark.parametrize("unit", ["ε", "ρ"])
def test_a_count_near_zero_is_held_with_95_to_98_percent_and_no_interval_is_empty(unit):
    """By the law of the noise, on a grid of its quantiles; a rounding of the grid is a hundredth of a percent."""
    chances = (np.arange(20_000) + 0.5) / 20_000
    noise = laplace.ppf(chances) / math.sqrt(2) if unit == "ε" else norm.ppf(chances)
    for count in np.linspace(0, 6, 61):
        low, high = of_counts(count + noise, 1.0, unit)
        assert (low <= high).all()
        assert high.min() > 1.9
        assert 0.9499 <= ((low <= count) & (count <= high)).mean() <= 0.9751
