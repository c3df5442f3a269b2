"""One-way marginals by a plan, and then rounds that select: what is measured, what is expected, what is gained."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles import domain_of, random_records
from plans import plan_of

from mwem_core import (
    MWEM,
    Attribute,
    Domain,
    Planned,
    Replay,
    Seeded,
    Staged,
    Tables,
    default,
    encode,
    parse_workload,
    read_table,
)
from mwem_core.automatic import mwem_by_rule
from mwem_core.automatic.announcement import measured_in_words
from mwem_core.automatic.expected_error import expected_tv
from mwem_core.automatic.expected_rounds import MAX_SUBSETS, NOISE, best_stages, seen_through
from mwem_core.automatic.typical_tables import prior_variances
from mwem_core.base import change
from mwem_core.judge import errors
from mwem_core.values import Range
from mwem_core.workload import subsets_of

NOISY = Tables(penalty="noise")


def after_ones(share, rounds, T):
    """One-way marginals with a share of the budget, then T rounds with all other settings of these."""
    return Staged(share=share, then=change(rounds, {"T": T, "candidates.one_way_first": False}))


def errors_of(settings, B, Q, seeds):
    """Mean total variation and max error, in the mean over seeds."""
    truth, found = Q.answers(B), []
    for seed in range(seeds):
        *_, last = settings.rounds(B, Q, noise=Seeded(seed))
        error = errors(Q, Q.answers(last.model), truth, B.total)
        found.append((error.mean_tv, error.max_error))
    return np.mean(found, axis=0)


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_the_plan_has_its_share_and_each_round_an_equal_part_of_the_rest(delta):
    B = random_records(domain_of([2, 3, 2, 4]), 500, np.random.default_rng(0))
    Q = parse_workload("marginals:2", B.domain)
    settings = Staged(share=0.6, then=MWEM(epsilon=1.0, delta=delta, T=2, candidates=NOISY))
    start, ones, *selecting = settings.rounds(B, Q, noise=Seeded(0))
    whole = settings.guarantee.budget.amount
    assert sorted(m.attrs for m in ones.planned) == [(0,), (1,), (2,), (3,)]
    assert [entry.ledger.spent / whole for entry in (start, ones, *selecting)] == pytest.approx([0, 0.6, 0.8, 1])
    assert all(len(entry.measurement.attrs) == 2 and entry.selection for entry in selecting)
    assert len(selecting) + 1 == settings.planned_rounds(B.total, Q) == 3


@pytest.mark.parametrize("near_prior", [False, True])
def test_what_the_plan_measured_is_fitted_with_what_rounds_measure(near_prior):
    """At ε = 10⁵ noise is below a record: the answers have the one-way marginals, and the pairs that were measured."""
    B = random_records(domain_of([2, 3, 2, 4]), 500, np.random.default_rng(0))
    Q = parse_workload("marginals:2", B.domain)
    update = Replay(step=3.0, sweeps=400, in_order=False, near_prior=near_prior)
    settings = Staged(share=0.6, then=MWEM(epsilon=1e5, T=2, candidates=NOISY, update=update))
    *rounds, last = settings.rounds(B, Q, noise=Seeded(0))
    for S in [(0,), (1,), (2,), (3,), last.measurement.attrs, rounds[-1].measurement.attrs]:
        assert last.model.marginal(S) == pytest.approx(B.marginal(S), abs=1.5), S


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_all_or_of_nothing_is_refused(share):
    with pytest.raises(ValueError, match=f"share is a share of the budget, above 0 and below 1, got {share}"):
        Staged(share=share, then=MWEM(epsilon=1.0, candidates=Tables()))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.4, 0.8])
def test_the_expected_error_is_within_a_half_of_the_measured(adult, share):
    """Adult's pairs, six seeds, two and eight rounds."""
    Q = parse_workload("marginals:2", adult.domain)
    for epsilon, T in ((0.03, 2), (0.1, 2), (0.3, 8)):
        settings = after_ones(share, mwem_by_rule(Q, n=adult.total, epsilon=epsilon), T)
        measured = errors_of(settings, adult, Q, 6)[0]
        expected = expected_tv(settings, subsets_of(Q), adult.total)
        assert measured / 1.5 < expected < 1.5 * measured, (epsilon, T)


@pytest.mark.parametrize("selection", ["permute-and-flip", "exponential"])
def test_scores_are_seen_through_noise_as_far_as_they_correlate_with_noisy_ones(selection):
    """28 pairs of bits with log-normal strengths: 20,000 sets of noisy scores, within 3%."""
    Q, n = parse_workload("marginals:2", domain_of([2] * 8)), 10_000
    subsets, rng = subsets_of(Q), np.random.default_rng(0)
    before = prior_variances(subsets, n)
    scores = math.sqrt(2 / math.pi) * np.sqrt(Q.query_counts * subsets.part_errors(before * (subsets.order == 2)))
    drawn = scores * np.exp(rng.normal(-(0.75**2) / 2, 0.75, size=(20_000, Q.parts)))
    for epsilon in (1e-3, 1e-2):
        draw = rng.exponential if selection == "permute-and-flip" else rng.gumbel
        noise = draw(scale=2 / epsilon, size=drawn.shape)
        correlation = np.corrcoef(drawn.ravel(), (drawn + noise).ravel())[0, 1]
        by_formula = seen_through(NOISE[selection] * 2 / epsilon, subsets, np.ones(Q.parts), before)
        assert by_formula == pytest.approx(correlation, rel=0.03)


@pytest.mark.sweep
def test_automatic_lets_a_round_look_for_the_pair_that_one_way_marginals_miss(adult):
    """Adult at ε = 0.03, twelve seeds: of four the ratio of the largest errors is .71, of twelve or more .65."""
    for k in (2, 3):
        Q = parse_workload(f"marginals:{k}", adult.domain)
        settings = default(Q, n=adult.total, epsilon=0.03)
        assert plan_of(settings) == "staged"
        assert settings.T == 1
        staged, alone = (errors_of(each, adult, Q, 12) for each in (settings, Planned(epsilon=0.03, plan="one-way")))
        assert staged[0] < 0.9 * alone[0]
        assert staged[1] < 0.7 * alone[1]


def test_the_stages_are_those_of_the_least_expected_error():
    Q, n = parse_workload("marginals:2", domain_of([9, 16, 7, 15, 6, 5, 2, 42])), 48_842
    selecting, subsets = mwem_by_rule(Q, n=n, epsilon=0.1), subsets_of(Q)
    settings, expected = best_stages([selecting], subsets, n)
    assert expected == pytest.approx(expected_tv(settings, subsets, n))
    for share in (0.3, 0.5, 0.7, 0.9):
        for T in (1, 4, 16):
            other = expected_tv(replace(settings, share=share, then=replace(settings.then, T=T)), subsets, n)
            assert other >= expected


def test_few_records_get_one_way_marginals_alone():
    Q = parse_workload("marginals:2", domain_of([3, 4, 5, 2, 6]))
    assert plan_of(default(Q, n=1000, epsilon=0.1)) == "one-way"


def test_no_stages_are_weighed_for_more_subsets_than_take_a_moment():
    Q = parse_workload("marginals:2", Domain(tuple(Attribute(f"a{i}", Range(0, 4)) for i in range(150))))
    assert len(subsets_of(Q).sets) > MAX_SUBSETS
    assert plan_of(default(Q, n=50_000, epsilon=1.0)) != "staged"


def test_both_stages_are_named(adult):
    Q, n = parse_workload("marginals:3", adult.domain), adult.total
    assert measured_in_words(default(Q, n=n, epsilon=0.03), Q, n) == (
        "**One-way marginals measured once**, with 90% of the budget; then a round selects marginals of 2 attributes."
    )


@pytest.mark.slow
def test_attributes_of_mostly_empty_values_are_not_lost_by_the_last_fit():
    """Adult's 14 attributes: a plan's fit drives bins to nothing. A last fit that started there would give them all."""
    schema = Path(__file__).parents[2] / "benchmarks" / "adult14.toml"
    domain = Domain.from_toml(schema.read_text(encoding="utf-8"))
    B = encode(read_table(Path(__file__).parents[2] / "sample_data" / "adult.parquet"), domain).distinct()
    Q = parse_workload("marginals:3", domain)
    settings = after_ones(0.9, mwem_by_rule(Q, n=B.total, epsilon=0.3), T=1)
    _, ones, last = settings.rounds(B, Q, noise=Seeded(0))
    assert any(component.vanishes for component in ones.model.components)
    for a in range(14):
        assert np.abs(last.model.marginal((a,)) - B.marginal((a,))).sum() / (2 * B.total) < 0.1, domain.names[a]
