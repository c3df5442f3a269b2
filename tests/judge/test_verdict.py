"""Intervals contain the true value as often as they state, ties are called ties, and sentences report both."""

import math

import numpy as np
import pytest

from mwem_core.judge.verdict import (
    CONFIDENCE,
    T_QUANTILES,
    Interval,
    geometric_mean,
    ratio_of_geometric_means,
    verdict,
    verdict_sentences,
)

TRIES = 800  # coins of probability 0.95 give 760 ± 6 heads
CLOSE, APART = [1.0, 1.1, 0.9, 1.05, 0.95], [2.0, 2.2, 1.8, 2.1, 1.9]


@pytest.fixture
def drawn():
    """Draw errors whose true geometric mean is `mean`."""
    rng = np.random.default_rng(0)
    return lambda mean, spread, seeds: np.exp(np.log(mean) + spread * rng.standard_normal(seeds))


def interval_text(numerator, denominator) -> str:
    ratio = ratio_of_geometric_means(numerator, denominator)
    return f"(95% interval {ratio.low:.2f} to {ratio.high:.2f}, {len(numerator)} seeds)"


@pytest.mark.parametrize(
    ("seeds", "spreads"), [((5, 5), (0.1, 0.1)), ((5, 5), (0.02, 0.4)), ((3, 12), (0.3, 0.05))], ids=str
)
def test_the_interval_of_a_ratio_contains_the_true_ratio_19_times_in_20(drawn, seeds, spreads):
    covered = 0
    for _ in range(TRIES):
        numerator, denominator = (drawn(m, s, k) for m, s, k in zip((3.0, 2.0), spreads, seeds, strict=True))
        covered += 1.5 in ratio_of_geometric_means(numerator, denominator)
    assert 0.925 <= covered / TRIES <= 0.985  # three deviations; Welch's interval itself is off by about 0.01


def test_the_interval_of_a_geometric_mean_contains_the_true_one_19_times_in_20(drawn):
    covered = sum(2.0 in geometric_mean(drawn(2.0, 0.3, 5)) for _ in range(TRIES))
    assert 0.927 <= covered / TRIES <= 0.973  # three deviations


@pytest.mark.parametrize("systems", [2, 6])
def test_among_equal_systems_a_winner_is_declared_at_most_once_in_twenty(drawn, systems):
    wins = sum(not verdict({f"{i}": drawn(1.0, 0.2, 5) for i in range(systems)}).tied for _ in range(TRIES))
    assert wins / TRIES <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / TRIES)


def test_a_leader_with_half_the_error_is_not_tied():
    result = verdict({"b": APART, "a": CLOSE})
    assert (result.leader, result.tied, result.min_seeds) == ("a", [], 5)
    assert result.ratios["b"].middle == pytest.approx(2)
    assert 1 not in result.ratios["b"]


def test_swapping_numerator_and_denominator_inverts_the_ratio():
    ratio, inverse = ratio_of_geometric_means(CLOSE, APART), ratio_of_geometric_means(APART, CLOSE)
    expected = (1 / inverse.middle, 1 / inverse.high, 1 / inverse.low)
    assert (ratio.middle, ratio.low, ratio.high) == pytest.approx(expected)


def test_the_unit_of_the_errors_does_not_change_a_ratio():
    scaled = ratio_of_geometric_means(1e6 * np.array(CLOSE), 1e6 * np.array(APART))
    ratio = ratio_of_geometric_means(CLOSE, APART)
    assert (scaled.middle, scaled.low, scaled.high) == pytest.approx((ratio.middle, ratio.low, ratio.high))


def test_the_tabled_quantiles_of_students_t_are_scipys():
    special = pytest.importorskip("scipy.special")
    quantiles = [special.stdtrit(freedom, (1 + CONFIDENCE) / 2) for freedom in range(1, 10)]
    assert quantiles == pytest.approx(list(T_QUANTILES), rel=1e-10)  # SciPy's own last digits differ by version


def test_the_interval_of_a_ratio_is_scipys_welch_interval_of_the_logarithms():
    stats = pytest.importorskip("scipy.stats")
    expected = stats.ttest_ind(np.log(APART), np.log(CLOSE), equal_var=False).confidence_interval(0.95)
    ratio = ratio_of_geometric_means(APART, CLOSE)
    assert (math.log(ratio.low), math.log(ratio.high)) == pytest.approx((expected.low, expected.high))


def test_one_seed_ranks_nothing():
    ratio = ratio_of_geometric_means([1.0], APART)
    assert ratio == Interval(pytest.approx(1 / geometric_mean(APART).middle), 0.0, math.inf)
    assert verdict({"a": [1.0], "b": [5.0]}).tied == ["b"]
    assert verdict_sentences({"mwem": [1.0], "uniform": [5.0]}, metric="error") == [
        "One seed cannot rank systems: run at least two. Five give a useful interval."
    ]


def test_a_system_with_one_seed_does_not_change_the_ranking_of_the_others():
    others = {"mwem": CLOSE, "laplace": APART}
    ranking = verdict_sentences(others, metric="error")
    with_one_seed = verdict_sentences(others | {"aim": [0.1]}, metric="error")
    assert with_one_seed == [*ranking, "Not ranked, with one seed only: AIM."]


def test_errors_without_variance_give_an_exact_ratio():
    assert ratio_of_geometric_means([0.5] * 5, [0.25] * 5) == Interval(2.0, pytest.approx(2), pytest.approx(2))
    assert 1 in ratio_of_geometric_means([0.5] * 5, [0.5] * 5)


def test_a_system_without_error_leads():
    result = verdict({"a": [0.1, 0.1], "b": [0.0, 0.0]})
    assert (result.leader, result.tied, result.ratios["a"].low) == ("b", [], math.inf)
    assert ratio_of_geometric_means([0.0, 0.0], [0.0, 0.0]).middle == 1


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        ({}, "there is nothing to compare: at least one system must have finished"),
        ({"a": []}, "there is nothing to compare for a: it needs at least one seed"),
    ],
)
def test_a_verdict_on_nothing_is_refused(errors, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        verdict(errors)


def test_a_negative_error_is_refused():
    with pytest.raises(ValueError, match=r"^an error cannot be negative, got -0\.1$"):
        geometric_mean([0.1, -0.1])


def test_the_winner_is_named_with_the_ratios_of_the_runner_up_and_of_mwem():
    mwem = [5 * x for x in CLOSE]
    sentences = verdict_sentences(
        {"mwem": mwem, "aim": CLOSE, "laplace": APART, "uniform": [20.0] * 5}, metric="mean error"
    )
    assert sentences == [
        f"AIM is best by mean error: the error of Laplace is 2.00 times that of AIM {interval_text(APART, CLOSE)}.",
        f"The error of MWEM is 5.00 times that of AIM {interval_text(mwem, CLOSE)}.",
    ]


def test_tied_systems_are_named_and_so_are_those_worse_than_uniform():
    near = [1.02 * x for x in CLOSE]
    sentences = verdict_sentences(
        {"mwem": CLOSE, "aim": near, "laplace": APART, "uniform": [1.5] * 5}, metric="mean error"
    )
    assert sentences == [
        "MWEM and AIM are tied by mean error: the error of AIM is 1.02 times that of MWEM "
        f"{interval_text(near, CLOSE)}.",
        "Worse than uniform, which reads no data: Laplace.",
    ]


def test_a_sentence_names_what_ran_where_it_names_a_system_first():
    titles = {"mwem": "MWEM (19 rounds)", "automatic": "Automatic (64 cells measured once)"}
    (sentence,) = verdict_sentences({"mwem": APART, "automatic": CLOSE}, metric="mean error", titles=titles)
    assert sentence == (
        "Automatic (64 cells measured once) is best by mean error: the error of MWEM (19 rounds) is 2.00 times that of "
        f"Automatic {interval_text(APART, CLOSE)}."
    )


def test_titles_with_commas_are_separated_by_semicolons():
    first, *_ = verdict_sentences({"laplace-clean": CLOSE, "aim": CLOSE, "mwem": CLOSE}, metric="mean error")
    assert first.startswith("Laplace, cleaned; AIM and MWEM are tied by mean error: ")


def test_a_tie_with_uniform_asks_for_more_seeds():
    _, second = verdict_sentences({"mwem": CLOSE, "uniform": [1.01] * 5}, metric="mean error")
    assert second == "Uniform, which reads no data, is among them: run more seeds to see whether any beats it."


def test_equal_errors_are_called_equal():
    first, *_ = verdict_sentences({"planner": CLOSE, "planner-clean": CLOSE}, metric="mean error")
    title = "Optimal Gaussian marginals"
    assert f"the error of {title}, cleaned equals that of {title} {interval_text(CLOSE, CLOSE)}." in first


def test_where_uniform_is_best_the_sentences_say_that_it_reads_no_data():
    laplace, uniform = [9.0, 8.0, 10.0, 8.5, 9.5], [0.5] * 5
    advice = "The noise is larger than the signal: use more records, a larger ε or fewer queries."
    assert verdict_sentences({"mwem": APART, "laplace": laplace, "uniform": uniform}, metric="mean error") == [
        "Uniform, which reads no data, is best by mean error: the error of MWEM is "
        f"{geometric_mean(APART).middle / 0.5:.2f} times that of Uniform {interval_text(APART, uniform)}.",
        advice,
    ]
    nearly = [0.99] * 5
    factor = ratio_of_geometric_means(CLOSE, nearly).middle
    assert verdict_sentences({"mwem": CLOSE, "uniform": nearly}, metric="mean error") == [
        "No system beats uniform, which reads no data: by mean error, MWEM is tied with it; the error of MWEM is "
        f"{factor:.2f} times that of Uniform {interval_text(CLOSE, nearly)}.",
        advice,
    ]


def test_systems_without_privacy_are_not_ranked():
    without_privacy = {"weights": [0.01] * 5}
    competing = {"mwem": CLOSE, "uniform": APART}
    assert verdict_sentences(without_privacy | competing, metric="error") == verdict_sentences(
        competing, metric="error"
    )
    assert verdict_sentences(without_privacy | {"mwem": CLOSE}, metric="error") == [
        "Nothing to compare yet: choose two private systems, or one private system and uniform."
    ]


def test_a_ratio_close_to_1_has_enough_decimals_to_differ_from_1():
    first, *_ = verdict_sentences({"mwem": [1.0, 1.0001, 0.9999], "aim": [1.003, 1.0031, 1.0029]}, metric="error")
    assert "the error of AIM is 1.003 times that of MWEM" in first
