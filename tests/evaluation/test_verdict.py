"""Who wins: intervals hold the truth as often as they say, ties are called ties, and the sentences say no more."""

import math

import numpy as np
import pytest

from mwem_core.evaluation.verdict import Interval, ratio, told, typical, verdict

TRIES = 800  # as many coins of 0.95 give 760 ± 6
CLOSE, APART = [1.0, 1.1, 0.9, 1.05, 0.95], [2.0, 2.2, 1.8, 2.1, 1.9]


@pytest.fixture
def drawn():
    """Errors whose geometric mean is `mean` in truth."""
    rng = np.random.default_rng(0)
    return lambda mean, spread, seeds: np.exp(np.log(mean) + spread * rng.standard_normal(seeds))


@pytest.mark.parametrize(
    ("seeds", "spreads"), [((5, 5), (0.1, 0.1)), ((5, 5), (0.02, 0.4)), ((3, 12), (0.3, 0.05))], ids=str
)
def test_the_interval_of_a_ratio_holds_the_true_one_19_times_in_20(drawn, seeds, spreads):
    held = 0
    for _ in range(TRIES):
        one, other = (drawn(m, s, k) for m, s, k in zip((3.0, 2.0), spreads, seeds, strict=True))
        held += 1.5 in ratio(one, other)
    assert 0.925 <= held / TRIES <= 0.985  # three deviations, and Welch itself errs by a per cent or so


def test_the_interval_of_one_system_holds_its_true_error_19_times_in_20(drawn):
    held = sum(2.0 in typical(drawn(2.0, 0.3, 5)) for _ in range(TRIES))
    assert 0.927 <= held / TRIES <= 0.973  # three deviations


@pytest.mark.parametrize("systems", [2, 6])
def test_among_equals_a_winner_is_called_no_more_than_once_in_twenty(drawn, systems):
    called = sum(not verdict({f"{i}": drawn(1.0, 0.2, 5) for i in range(systems)}).tied for _ in range(TRIES))
    assert called / TRIES <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / TRIES)


def test_a_leader_that_errs_half_as_much_is_found():
    found = verdict({"b": APART, "a": CLOSE})
    assert (found.leader, found.tied, found.seeds) == ("a", [], 5)
    assert found.behind["b"].middle == pytest.approx(2)
    assert 1 not in found.behind["b"]


def test_a_ratio_turned_over_is_one_over_it():
    one, other = ratio(CLOSE, APART), ratio(APART, CLOSE)
    assert (one.middle, one.low, one.high) == pytest.approx((1 / other.middle, 1 / other.high, 1 / other.low))


def test_the_unit_of_an_error_does_not_matter_to_who_wins():
    scaled = ratio(1e6 * np.array(CLOSE), 1e6 * np.array(APART))
    plain = ratio(CLOSE, APART)
    assert (scaled.middle, scaled.low, scaled.high) == pytest.approx((plain.middle, plain.low, plain.high))


def test_welch_agrees_with_the_library():
    stats = pytest.importorskip("scipy.stats")
    found = stats.ttest_ind(np.log(APART), np.log(CLOSE), equal_var=False).confidence_interval(0.95)
    ours = ratio(APART, CLOSE)
    assert (math.log(ours.low), math.log(ours.high)) == pytest.approx((found.low, found.high))


def test_one_seed_tells_nobody_apart():
    assert ratio([1.0], APART) == Interval(pytest.approx(1 / typical(APART).middle), 0.0, math.inf)
    assert verdict({"a": [1.0], "b": [5.0]}).tied == ["b"]
    assert "One seed tells nobody apart" in told({"mwem": [1.0], "uniform": [5.0]}, what="error")[0]


def test_who_has_one_seed_yet_keeps_nobody_from_being_judged():
    rest = {"mwem": CLOSE, "laplace": APART}
    alone, first, *more = told(rest, what="error")[0], *told(rest | {"aim": [0.1]}, what="error")
    assert alone == first
    assert more == ["Not judged, by one seed: AIM."]


def test_what_never_varies_is_compared_exactly():
    assert ratio([0.5] * 5, [0.25] * 5) == Interval(2.0, pytest.approx(2), pytest.approx(2))
    assert 1 in ratio([0.5] * 5, [0.5] * 5)


def test_no_error_at_all_is_ahead_of_any():
    found = verdict({"a": [0.1, 0.1], "b": [0.0, 0.0]})
    assert (found.leader, found.tied, found.behind["a"].low) == ("b", [], math.inf)
    assert ratio([0.0, 0.0], [0.0, 0.0]).middle == 1


@pytest.mark.parametrize(("errors", "sentence"), [({}, "nothing to compare"), ({"a": []}, "of a: it needs")])
def test_nothing_to_compare_is_said(errors, sentence):
    with pytest.raises(ValueError, match=sentence):
        verdict(errors)


def test_a_negative_error_is_refused():
    with pytest.raises(ValueError, match="cannot be negative"):
        typical([0.1, -0.1])


def test_the_winner_is_named_with_how_much_the_next_errs_and_where_mwem_stands():
    first, *rest = told(
        {"mwem": [5 * x for x in CLOSE], "aim": CLOSE, "laplace": APART, "uniform": [20.0] * 5}, what="mean error"
    )
    low, high = ratio(APART, CLOSE).low, ratio(APART, CLOSE).high
    interval = f"95% interval {low:.2f} to {high:.2f}, 5 seeds"
    assert first == f"AIM wins here: in mean error, Laplace errs 2.00 times as much as AIM ({interval})."
    assert rest[0].startswith("MWEM errs 5.00 times as much as AIM")
    assert len(rest) == 1


def test_a_tie_is_called_one():
    near = [1.02 * x for x in CLOSE]
    first, *rest = told({"mwem": CLOSE, "aim": near, "laplace": APART, "uniform": [1.5] * 5}, what="mean error")
    assert first.startswith(
        "MWEM and AIM cannot be told apart here: in mean error, AIM errs 1.02 times as much as MWEM"
    )
    assert rest == ["Worse than knowing nothing: Laplace."]


def test_systems_that_err_alike_are_said_to():
    first, *_ = told({"planner": CLOSE, "planner-clean": CLOSE}, what="mean error")
    assert "cleaned errs as much as Optimal Gaussian marginals (95% interval" in first


def test_where_uniform_wins_it_is_said_and_what_it_means():
    first, second = told({"mwem": APART, "laplace": [9.0, 8.0, 10.0], "uniform": [0.5] * 5}, what="mean error")
    assert first.startswith("Uniform wins here: in mean error, knowing nothing errs least; MWEM errs")
    assert "The noise outweighs what was learned" in second
    first, *_ = told({"mwem": CLOSE, "uniform": [0.99] * 5}, what="mean error")
    assert first.startswith("Nobody beats uniform here: in mean error, MWEM does no better than knowing nothing")


def test_what_has_no_privacy_does_not_compete():
    first, *_ = told({"weights": [0.01] * 5, "mwem": CLOSE, "uniform": APART}, what="mean error")
    assert first.startswith("MWEM wins here")
    assert told({"weights": [0.01] * 5, "mwem": CLOSE}, what="mean error")[0].startswith("Nothing can be compared yet")


def test_a_factor_that_is_told_from_1_reads_so():
    tight = [1.003, 1.0031, 1.0029]
    first, *_ = told({"mwem": [1.0, 1.0001, 0.9999], "aim": tight}, what="mean error")
    assert "1.003 times" in first
