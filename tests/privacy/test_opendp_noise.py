"""The noise source of a release: exact laws on integers, at most at the cost asked for, and refusals before a draw."""

import math
from fractions import Fraction

import numpy as np
import pytest
from messages import exactly
from oracles import domain_of, random_records
from scipy import stats

from mwem_core import default, mwem_by_rule
from mwem_core.privacy import opendp_noise
from mwem_core.privacy.laws import exponential_law, permute_and_flip_law
from mwem_core.privacy.opendp_noise import ReleaseNoise
from mwem_core.workload import parse_workload

DRAWS = 100_000
RARE = 1e-12  # without a seed: a correct sampler fails at this level once in a million million runs


def counts_of(values, low, high):
    """How often each whole number from `low` to `high` was drawn; what is beyond goes to the ends."""
    return np.bincount(np.clip(values, low, high).astype(int) - low, minlength=high - low + 1)


def discrete_law(mass, low, high, reach=400):
    """The probabilities of the whole numbers from `low` to `high`, the ends with what is beyond."""
    p = np.array([mass(z) for z in range(low - reach, high + reach + 1)])
    p /= p.sum()
    return np.array([p[: reach + 1].sum(), *p[reach + 1 : -reach - 1], p[-reach - 1 :].sum()])


@pytest.mark.parametrize(
    ("draw", "mass", "other"),
    [
        (
            lambda exact: ReleaseNoise().laplace(exact, 0.5, 2),
            lambda z: math.exp(-abs(z) / 4),
            lambda z: math.exp(-abs(z) / 2.8),
        ),
        (
            lambda exact: ReleaseNoise().gaussian(exact, 0.125, 2),
            lambda z: math.exp(-(z**2) / 32),
            lambda z: math.exp(-(z**2) / (32 * 0.49)),
        ),
    ],
    ids=["laplace", "gaussian"],
)
def test_noise_has_the_discrete_law_of_its_scale(draw, mass, other):
    """Chi-square of 10⁵ draws on whole numbers; a scale of .7 of it is told apart."""
    noise = draw(np.full(DRAWS // 10, 7.0)) - 7
    for _ in range(9):
        noise = np.append(noise, draw(np.full(DRAWS // 10, 7.0)) - 7)
    seen = counts_of(noise, -12, 12)
    assert stats.chisquare(seen, DRAWS * discrete_law(mass, -12, 12)).pvalue > RARE
    assert stats.chisquare(seen, DRAWS * discrete_law(other, -12, 12)).pvalue < RARE


@pytest.mark.parametrize(
    ("select", "law", "other"),
    [
        ("choose", exponential_law, permute_and_flip_law),
        ("permute_and_flip", permute_and_flip_law, exponential_law),
    ],
)
def test_a_choice_has_the_law_of_its_mechanism_and_not_the_other(select, law, other):
    """4,000 draws at ε = 1, Δ = 2, so that weights are a quarter of the scores; one candidate is excluded."""
    scores, draws = np.array([4.0, -math.inf, 5.0, 6.0, 10.0]), 4_000
    source = ReleaseNoise()
    seen = np.bincount([getattr(source, select)(scores, 1.0, 2) for _ in range(draws)], minlength=5)
    offered = np.isfinite(scores)
    assert seen[1] == 0
    assert stats.chisquare(seen[offered], draws * law(scores[offered] / 4)).pvalue > RARE
    assert stats.chisquare(seen[offered], draws * other(scores[offered] / 4)).pvalue < RARE


def test_a_draw_costs_at_most_what_was_asked_by_opendps_map_and_by_the_formula_and_hardly_less():
    rng = np.random.default_rng(0)
    for _ in range(150):
        amount = Fraction(float(10 ** rng.uniform(-7, 4))) * Fraction(
            int(rng.integers(1, 99)), int(rng.integers(1, 99))
        )
        Δ = int(rng.integers(1, 10**6))
        squared = Fraction(Δ, 7)
        for measurement, moved, asked in (
            (opendp_noise._gumbel_max(Δ, amount), Δ, amount**2 / 8),
            (opendp_noise._exponential_max(Δ, amount), Δ, amount),
            (opendp_noise._discrete_laplace(Δ, amount), Δ, amount),
            (opendp_noise._discrete_gaussian(squared, amount), math.nextafter(float(squared), math.inf), amount),
        ):
            assert Fraction(measurement.map(moved)) <= asked * (1 + Fraction(1, 10**15))
            assert Fraction(measurement.map(moved)) >= asked * (1 - Fraction(1, 10**13))


def test_the_scale_is_the_least_at_which_both_map_and_formula_hold(monkeypatch):
    """At the float nearest to 1/0.7 OpenDP's map says 0.7000000000000001: the next float up is taken."""
    asked = Fraction(0.7)
    built = []

    class Measurement:
        def __init__(self, scale):
            built.append(scale)
            self.scale = scale

        def map(self, moved):
            return math.nextafter(moved / self.scale, math.inf)  # rounded up, as OpenDP's

    found = opendp_noise._within(Measurement, lambda: float(1 / asked), lambda scale: 1 / scale, 1, asked)
    assert Fraction(found.map(1)) <= asked
    assert 1 / Fraction(found.scale) <= asked
    below = math.nextafter(found.scale, 0)
    assert 1 / Fraction(below) > asked or Fraction(Measurement(below).map(1)) > asked


GRID = "a release draws noise for whole counts, and for scores on the grid of 2^-10 records only"
NAN = "a release cannot draw noise for a value that is not a number, or is infinite"
LARGE = "a release cannot draw noise for a value that is too large to be exact"
POSITIVE = "privacy parameters and sensitivities of a release must be positive numbers"
SCALE = "the scale of the noise is out of range: choose another epsilon, or fewer rounds"
SELECTIONS, MEASUREMENTS = ("choose", "permute_and_flip"), ("laplace", "discrete_laplace", "gaussian")


@pytest.mark.parametrize(
    ("names", "values", "message"),
    [
        (SELECTIONS + MEASUREMENTS, [1.0, math.nan], NAN),
        (SELECTIONS + MEASUREMENTS, [1.0, math.inf], NAN),
        (MEASUREMENTS, [1.0, -math.inf], NAN),
        (SELECTIONS, [1.0, 1 / 3], GRID),
        (SELECTIONS, [1.0, 2.0**-11], GRID),
        (MEASUREMENTS, [1.0, 0.5], GRID),
        (SELECTIONS, [1.0, 2.0**43], LARGE),
        (SELECTIONS, [1.0, -(2.0**43)], LARGE),
        (MEASUREMENTS, [1.0, 2.0**53], LARGE),
        (MEASUREMENTS, [-1e300, 2.0], LARGE),
        (SELECTIONS, [-math.inf, -math.inf], "there is nothing to choose from: every candidate is excluded"),
        (SELECTIONS, [], "there is nothing to choose from: every candidate is excluded"),
    ],
)
def test_what_has_no_exact_draw_is_refused_before_it_in_words_without_a_value(names, values, message, monkeypatch):
    def no_draw(*_):
        raise AssertionError("drawn")

    monkeypatch.setattr(opendp_noise, "_drawn", no_draw)
    for name in names:
        with pytest.raises(ValueError, match=exactly(message)):
            getattr(ReleaseNoise(), name)(np.array(values, float), 1.0, 1)


@pytest.mark.parametrize("name", SELECTIONS + MEASUREMENTS)
@pytest.mark.parametrize(
    ("amount", "sensitivity", "message"),
    [
        (0.0, 1, POSITIVE),
        (-1.0, 1, POSITIVE),
        (math.inf, 1, POSITIVE),
        (math.nan, 1, POSITIVE),
        (1.0, 0, POSITIVE),
        (1.0, math.nan, POSITIVE),
        (Fraction(1, 10**400), 1, SCALE),
        (Fraction(10**700), 1, SCALE),
    ],
)
def test_a_scale_of_zero_or_infinity_is_refused_before_a_draw(name, amount, sensitivity, message, monkeypatch):
    monkeypatch.setattr(opendp_noise, "_drawn", lambda *_: pytest.fail("drawn"))
    with pytest.raises(ValueError, match=exactly(message)):
        getattr(ReleaseNoise(), name)(np.array([1.0, 2.0]), amount, sensitivity)


@pytest.mark.parametrize("name", SELECTIONS)
def test_scores_just_below_the_limit_are_chosen_from(name):
    """A lead of 2⁴² records is taken with a chance that differs from 1 by less than any float."""
    scores = np.array([-(2.0**42), 2.0**43 - 2.0**-10, 0.0])
    assert getattr(ReleaseNoise(), name)(scores, 1.0, 1) == 1


def test_an_error_of_opendp_is_not_shown():
    def broken(values):
        raise RuntimeError(f"overflow at {values}")

    with pytest.raises(ValueError, match=exactly("OpenDP could not draw the noise of this release")) as caught:
        opendp_noise._drawn(broken, np.array([123456789]))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_there_is_no_seed_and_no_two_draws_are_alike():
    with pytest.raises(TypeError):
        ReleaseNoise(0)
    draws = [ReleaseNoise().laplace(np.zeros(20), 1e-6, 1) for _ in range(4)]
    assert len({x for draw in draws for x in draw}) > 70  # of 80 draws of scale 10⁶, hardly two are equal


def test_no_values_get_no_noise():
    for name in MEASUREMENTS:
        assert getattr(ReleaseNoise(), name)(np.empty((0, 3)), 1.0, 1).shape == (0, 3)


def test_a_measurement_keeps_its_shape_and_large_counts_stay_exact():
    noisy = ReleaseNoise().laplace(np.full((2, 3, 1), 2.0**52), 50.0, 1)
    assert noisy.shape == (2, 3, 1)
    assert np.abs(noisy - 2.0**52).max() < 10
    assert np.shape(ReleaseNoise().gaussian(np.array(5.0), 1.0, 1)) == ()


RUNS = {
    "tables": ([4, 3, 5, 2], "marginals:2", {}),
    "triples": ([2, 3, 2, 2], "marginals:3", {}),
    "cuboids": ([3, 2, 4], "cuboids:<=2", {}),
    "parities": ([2] * 6, "parities:3", {}),
    "ranges": ([40], "ranges:a:all", {}),
    "boxes": ([12, 9], "ranges:a,b:all", {}),
    "predicates": ([3, 4, 2], "where:a >= 1 and b < 2; c == 1; a == 0 or c == 0", {}),
    "selected tables": ([4, 3, 5, 2], "marginals:2", {"T": 4}),
    "selected parities": ([2] * 6, "parities:3", {"T": 5}),
    "selected ranges": ([40], "ranges:a:all", {"T": 5}),
}


@pytest.mark.parametrize("delta", [0.0, 1e-6], ids=["pure", "zCDP"])
@pytest.mark.parametrize("case", RUNS)
def test_the_default_can_be_released_whatever_is_asked(case, delta):
    """Every draw of the default, planned or selected, is of whole counts or of scores on the grid."""
    sizes, spec, settings = RUNS[case]
    B = random_records(domain_of(sizes), 2_000, np.random.default_rng(0))
    Q = parse_workload(spec, B.domain)
    preset = mwem_by_rule if settings else default
    chosen = preset(Q, n=B.total, epsilon=2.0, delta=delta, **settings)
    *_, last = chosen.rounds(B, Q, noise=ReleaseNoise())
    assert np.isfinite(last.model.answers(Q)).all()
    assert last.ledger.spent == pytest.approx(last.ledger.budget.amount)
