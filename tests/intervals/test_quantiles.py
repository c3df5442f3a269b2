"""How far noise goes: normal draws, one Laplace draw, and sums of them."""

import math

import numpy as np
import pytest
from scipy.stats import laplace, norm

from mwem_core.intervals.ends import of_counts
from mwem_core.intervals.quantiles import deviations

BETAS = [0.3, 0.05, 0.01, 1e-4]


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
