"""Ranges and predicates of a mixed workload measured by themselves: the model, the budget, the rule."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from oracles import assert_private, domain_of, random_records
from plans import plan_of

from mwem_core import (
    MWEM,
    Apart,
    Counts,
    Halvings,
    Nothing,
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
from mwem_core.automatic.choice import best_plan
from mwem_core.automatic.compositions import (
    can_measure_apart,
    has_later_parts,
    later_shares,
    parts_of,
    terms_by_part,
    with_epsilon,
)
from mwem_core.automatic.expected_error import best_share, expected_tv, idle_tv, relative_to_alone
from mwem_core.automatic.hierarchy import best_hierarchy
from mwem_core.base import constants
from mwem_core.domain import Domain
from mwem_core.intervals import intervals
from mwem_core.privacy import Accountant

SIZES, N, SAMPLES = (3, 2, 4), 600, Path(__file__).parents[2] / "sample_data"
NOISY = Tables(penalty="noise")
FIRST = [
    Planned(epsilon=0.8, plan="one-way"),
    Planned(epsilon=0.8, plan="residuals"),
    Planned(epsilon=0.8, delta=1e-6, plan="marginals"),
    Planned(epsilon=0.8, plan="cells"),
    MWEM(epsilon=0.8, T=2, candidates=Tables(), update=Replay(step=3.0, near_prior=True)),
    Staged(share=0.6, then=MWEM(epsilon=0.8, T=1, candidates=NOISY, update=Replay(step=3.0))),
]
BEFORE_RANGES = [*FIRST[:3], FIRST[4], Halvings(epsilon=0.8), Halvings(epsilon=0.8, delta=1e-6)]


def bits():
    return domain_of((2, 2, 2))


def table():
    return random_records(domain_of(SIZES), N, np.random.default_rng(0))


def mixed(domain):
    return parse_workload("marginals:2 + where:a == 0 and b == 1; c >= 2", domain)


def of_ranges(domain):
    """Without tables: ranges first, others after them, and a predicate that reads both."""
    return parse_workload("ranges:c:prefixes + where:a == 0 and c <= 1 + ranges:a:all", domain)


def with_ranges(domain):
    """Tables, ranges of two attributes, and predicates of which one lies within the ranges."""
    return parse_workload("marginals:2 + ranges:a,c:9@1 + where:a == 0 and b == 1; c >= 2 + where:b == 0", domain)


def around(first, domain):
    """A workload with ranges, for what measures tables or ranges first."""
    return (of_ranges if isinstance(first, Halvings) else with_ranges)(domain)


def test_predicates_and_other_terms_are_parted_and_the_others_keep_their_weights():
    Q = parse_workload("2*marginals:1 + where:a == 0 + 3*parities:2 + where:b == 1; a == 1 and c == 0", bits())
    others, predicates = parts_of(Q)
    assert others.spec == "2*marginals:1 + 3*parities:2"
    assert (predicates.family, predicates.size) == ("predicates", 3)
    B = random_records(bits(), 50, np.random.default_rng(1))
    asked_of = [term.workload for term in Q.terms if term.workload.family == "predicates"]
    assert predicates.answers(B).tolist() == np.concatenate([each.answers(B) for each in asked_of]).tolist()
    assert parts_of(parse_workload("marginals:1 + where:a == 0", bits()))[0].family == "marginals"
    assert has_later_parts(Q)
    for spec in ("marginals:2", "where:a == 0", "marginals:1 + parities:2", "where:a == 0 + where:b == 1"):
        assert not has_later_parts(parse_workload(spec, bits()))


def test_ranges_come_each_by_itself_before_predicates_and_may_not_meet():
    Q = parse_workload("where:a == 0 + ranges:c:all + 2*marginals:2 + ranges:a,b:4@1 + where:b == 1", domain_of(SIZES))
    assert terms_by_part(Q) == ((2,), (1,), (3,), (0, 4))
    assert [part.family for part in parts_of(Q)] == ["marginals", "ranges", "ranges", "predicates"]
    alone = parse_workload("where:a == 0 + ranges:c:all", domain_of(SIZES))
    assert [part.family for part in parts_of(alone)] == ["ranges", "predicates"]
    assert has_later_parts(Q)
    assert can_measure_apart(alone)
    plain = parse_workload("marginals:2", domain_of(SIZES))
    assert parts_of(plain) == (plain,)
    for spec in ("ranges:a:all", "marginals:2 + ranges:a:all + ranges:a,b:4@1", "ranges:c:all + ranges:c:prefixes"):
        assert not has_later_parts(parse_workload(spec, domain_of(SIZES)))


@pytest.mark.parametrize(("unit", "power"), [("ε", 1.0), ("ρ", 0.5)])
def test_shares_of_what_is_asked_are_those_of_the_least_error(unit, power):
    """Of three parts that err by w/s, or w/√s, w in units of each by itself; predicates count by their noise."""
    Q = parse_workload(
        "marginals:2 + 4*ranges:a:all + ranges:c:all + 2*where:a == 0; b == 1 + where:c >= 1", domain_of(SIZES)
    )
    shares = later_shares(Q, unit)
    assert sum(shares) == 1
    weights = np.array([4.0, 1.0, 2 * 3 / 4 + 3 / 2])

    def expected(each):
        return (weights / np.array(each, float) ** power).sum()

    grid = [(i / 100, j / 100, 1 - (i + j) / 100) for i in range(1, 98) for j in range(1, 99 - i)]
    assert expected(shares) <= min(map(expected, grid)) * (1 + 1e-5)


@pytest.mark.parametrize("first", FIRST)
def test_a_share_measures_each_predicate_and_all_of_the_budget_is_spent(first):
    B = table()
    Q = mixed(B.domain)
    settings = Apart(share=0.25, first=first)
    *_, before, last = settings.rounds(B, Q, noise=Seeded(3))
    assert last.ledger.is_spent
    assert before.ledger.exact == settings.guarantee.budget.exact * Fraction(0.75)
    assert last.index == before.index + 1 == settings.planned_rounds(B.total, Q)
    part = settings.guarantee.budget.part(Fraction(0.25))
    assert [m.scale for m in last.planned] == pytest.approx([part.part(Fraction(1, 2)).scale / 2] * 2)
    answers = last.model.answers(parts_of(Q)[1])
    assert answers == pytest.approx([float(m.value) for m in last.planned], abs=0.02 * N)
    noise = [float(m.value) for m in last.planned] - parts_of(Q)[1].answers(B)
    assert np.abs(noise).max() < 8 * last.planned[0].scale
    assert np.abs(noise).min() > 0


@pytest.mark.parametrize("first", BEFORE_RANGES)
def test_ranges_are_asked_by_their_own_hierarchies_and_all_of_the_budget_is_spent(first):
    B = table()
    Q = around(first, B.domain)
    settings = Apart(share=0.25, first=first)
    *_, before, asked_for, last = settings.rounds(B, Q, noise=Seeded(3))
    assert last.ledger.is_spent
    assert before.ledger.exact == settings.guarantee.budget.exact * Fraction(0.75)
    assert last.index == before.index + 2 == settings.planned_rounds(B.total, Q)
    assert asked_for.label == ("ranges of a" if isinstance(first, Halvings) else "ranges of a × c")
    own = settings.guarantee.budget.part(Fraction(0.25)).part(later_shares(Q, settings.guarantee.budget.unit)[0])
    plan = best_hierarchy(parts_of(Q)[1], own, B.total)
    assert {m.levels: m.scale for m in asked_for.planned} == {
        m.levels: m.scale for m in plan.measure(B, parts_of(Q)[1], Accountant(own, Seeded(0))).values()
    }
    predicates = parts_of(Q)[-1]
    assert predicates.answers(last.model) == pytest.approx([float(m.value) for m in last.planned], abs=0.02 * N)


@pytest.mark.parametrize("first", [*FIRST[:4], Halvings(epsilon=0.8)])
def test_a_neighbour_moves_what_is_asked_by_no_more_than_was_paid_for(first):
    """Of ranges and of predicates. Of rounds that select before, the audit replays pairs of neighbours."""
    B = random_records(domain_of(SIZES), 25, np.random.default_rng(5))
    assert_private(Apart(share=0.25, first=first), B, B.total, around(first, B.domain))


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_shares_out_of_range_are_refused(share):
    with pytest.raises(ValueError, match=f"share is a share of the budget, above 0 and below 1, got {share}"):
        Apart(share=share, first=MWEM(epsilon=1.0))


def test_nothing_is_asked_after_an_average_of_models():
    averaged = MWEM(epsilon=1.0, candidates=Tables(), output="average")
    for first in (averaged, Staged(share=0.6, then=averaged)):
        with pytest.raises(ValueError, match="asked after the last model, not after an average"):
            Apart(share=0.2, first=first)


def test_a_workload_with_nothing_to_ask_apart_is_refused_before_anything_is_spent():
    settings = Apart(share=0.2, first=MWEM(epsilon=1.0, candidates=Tables()))
    with pytest.raises(
        ValueError, match="of different attributes, beside other parts are asked by themselves, not marginals"
    ):
        settings.check(parse_workload("marginals:2", bits()))
    with pytest.raises(
        ValueError,
        match="ranges of different attributes, beside other parts are asked by themselves, not several families",
    ):
        settings.check(parse_workload("marginals:2 + ranges:a:all + ranges:a,c:4@1", domain_of(SIZES)))
    with pytest.raises(ValueError, match="are for ranges of one or two attributes, not marginals"):
        Apart(share=0.2, first=Halvings(epsilon=1.0)).check(mixed(domain_of(SIZES)))
    for first in (Counts(epsilon=1.0), Nothing(epsilon=1.0)):
        with pytest.raises(ValueError, match=f"after tables or ranges, not after {type(first).__name__}"):
            Apart(share=0.2, first=first)
    too_many = replace(settings, first=replace(settings.first, T=40))
    with pytest.raises(ValueError, match="rounds must be at most 3, the number of marginals"):
        too_many.check(mixed(domain_of(SIZES)))


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(("workload", "kind"), [(mixed, Planned), (with_ranges, Planned), (of_ranges, Halvings)])
def test_the_share_is_nearly_the_best_one_by_its_own_expectation(delta, workload, kind):
    Q = workload(domain_of((9, 8, 30)))
    for epsilon in (0.1, 1.0):
        plain = kind(epsilon=epsilon, delta=delta)
        subsets = relative_to_alone(Q, 5000.0, plain.guarantee.budget)
        settings = Apart(share=best_share(plain, subsets, 5000.0), first=plain)
        tried = [replace(settings, share=share) for share in np.linspace(0.05, 0.95, 19).tolist()]
        least = min(expected_tv(each, subsets, 5000.0) for each in tried)
        assert expected_tv(settings, subsets, 5000.0) <= 1.08 * least


def adult(*names):
    domain = Domain.from_toml((SAMPLES / "adult_unbinned.toml").read_text(encoding="utf-8"))
    return encode(read_table(SAMPLES / "adult.parquet"), domain.project(names))


def mean_errors(B, run, Q, parts):
    """The sum of |errors| of these slices of the answers, in the mean of three runs."""
    exact, found = Q.answers(B), []
    for seed in range(3):
        *_, last = run.rounds(B, Q, noise=Seeded(seed))
        gaps = np.abs(Q.answers(last.model) - exact)
        found.append([gaps[part].sum() for part in parts])
    return np.mean(found, axis=0)


def test_the_default_measures_predicates_itself_where_a_large_table_would_tell_them():
    """Age by hours has 7,000 cells. A run of its own for each part, with half of ε, errs by more in the mean.

    By ten seeds this run errs by .94 of it in the tables and .72 in the predicates; at ε = 0.1 by .99 and .72; at 0.3,
    by 16 seeds, by .97 and 1.16.
    """
    B = adult("age", "hours-per-week", "education", "sex", "race")
    Q = parse_workload('marginals:2 + where:age >= 65 and hours-per-week >= 40; sex == "Female"', B.domain)
    settings = default(Q, n=B.total, epsilon=1.0)
    assert 0.1 < settings.share < 0.7
    others, predicates = parts_of(Q)
    asked_of = slice(Q.size - predicates.size, Q.size)

    tables = slice(0, Q.size - predicates.size)
    together = mean_errors(B, settings, Q, (tables, asked_of))
    (of_tables,) = mean_errors(B, default(others, n=B.total, epsilon=0.5), others, (slice(None),))
    (of_predicates,) = mean_errors(B, default(predicates, n=B.total, epsilon=0.5), predicates, (slice(None),))
    assert (together / [of_tables, of_predicates]).mean() < 1
    without = mean_errors(B, settings.first, Q, (asked_of,))
    assert together[1] < without[0] / 5


@pytest.mark.slow
@pytest.mark.parametrize("first", ["", pytest.param("marginals:2 + ", marks=pytest.mark.sweep)])
def test_the_default_measures_ranges_and_predicates_by_themselves(first):
    """In the mean over parts, in units of what each errs by alone, three runs of their own err by more."""
    B = adult("age", "hours-per-week", "education", "sex", "race")
    asked_for = 'ranges:age,hours-per-week:200 + where:age >= 65 and hours-per-week >= 40; sex == "Female"'
    Q = parse_workload(first + asked_for, B.domain)
    settings = default(Q, n=B.total, epsilon=1.0)
    assert isinstance(settings, Apart)
    assert (plan_of(settings) == "halvings") == (not first)

    def alone(epsilon):
        runs = [(default(term.workload, n=B.total, epsilon=epsilon), term.workload) for term in Q.terms]
        return np.concatenate([mean_errors(B, *run, [slice(None)]) for run in runs])

    units = alone(1.0)
    together = mean_errors(B, settings, Q, Q.term_queries) / units
    assert together.mean() < (alone(1.0 / len(Q.terms)) / units).mean()
    plain = best_plan([mwem_by_rule(Q, n=B.total, epsilon=1.0)], Q, B.total)
    assert together[-1] < (mean_errors(B, plain, Q, Q.term_queries) / units)[-1] / 5


def test_what_a_run_by_itself_would_do_for_the_other_terms_is_done_for_them():
    """Among pairs alone Automatic selects; beside predicates it selects as well, for what is left of ε."""
    B = adult("age", "education", "sex", "race", "workclass", "occupation", "relationship")
    Q = parse_workload('marginals:2 + where:age >= 65 and sex == "Female"', B.domain)
    settings = default(Q, n=B.total, epsilon=0.1)
    assert isinstance(settings, Apart)
    alone = default(parts_of(Q)[0], n=B.total, epsilon=settings.first_alone.guarantee.epsilon)
    assert settings == Apart(share=settings.share, first=with_epsilon(alone, 0.1))


@pytest.mark.parametrize("n", [1.0, 7.0, 1000.0])
def test_few_records_leave_a_default_that_can_run(n):
    """Where the other terms alone are not worth measuring, at all of ε or at what predicates leave, they are not."""
    for epsilon, delta in ((1e-6, 0.0), (0.01, 0.0), (1.0, 0.0), (1.0, 1e-6)):
        for spec in (
            "marginals:2 + where:a == 0 and b == 1; c >= 2",
            "marginals:1 + parities:1 + where:a == 0",
            "marginals:2 + ranges:c:all + where:a == 0",
            "ranges:c:all + where:a == 0",
        ):
            Q = parse_workload(spec, domain_of(SIZES if "parities" not in spec else (2, 2, 2)))
            settings = default(Q, n=n, epsilon=epsilon, delta=delta)
            settings.check(Q)
            B = random_records(Q.domain, int(n), np.random.default_rng(0))
            *_, last = settings.rounds(B, Q, noise=Seeded(0))
            assert np.isfinite(last.model.answers(Q)).all()


def test_too_many_predicates_are_not_measured_each_by_itself():
    domain = domain_of((2,) * 6)
    values = [f"{attribute.name} == {value}" for attribute in domain.attributes for value in (0, 1)]
    texts = "; ".join(f"{first} and {second}" for first, second in combinations(values, 2))
    Q = parse_workload(f"marginals:1 + where:{texts}", domain)
    assert can_measure_apart(Q)
    many = parse_workload("marginals:1 + " + " + ".join([f"where:{texts}"] * 10), domain)
    assert not can_measure_apart(many)
    assert not isinstance(default(many, n=1000, epsilon=1.0), Apart)
    large = parse_workload("marginals:1 + where:" + "; ".join(["a == 3 and b == 4"] * 12), domain_of((300, 300)))
    assert large.terms[1].workload.cells > 2**20
    assert not can_measure_apart(large)


@pytest.mark.slow
@pytest.mark.parametrize("first", FIRST[:2] + FIRST[4:])
def test_intervals_of_predicates_come_from_their_own_counts(first):
    """60 runs: 90 to 99% of the intervals of measured predicates hold the truth."""
    B = table()
    Q = mixed(B.domain)
    settings = Apart(share=0.3, first=with_epsilon(first, 1.0))
    asked_of, truth, held = slice(Q.size - 2, Q.size), Q.answers(B), []
    for seed in range(60):
        found = intervals(Q, settings, list(settings.rounds(B, Q, noise=Seeded(seed))))
        assert found.measured[asked_of].all()
        assert ((found.low <= truth) & (truth <= found.high)).mean() > 0.8
        held.append(((found.low <= truth) & (truth <= found.high))[asked_of].mean())
        assert (found.high - found.low)[asked_of].max() < 12 * 2 / (2 * 0.3)
    assert 0.9 < np.mean(held) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("first", BEFORE_RANGES)
def test_intervals_of_ranges_come_from_their_own_hierarchies(first):
    """40 runs: 90 to 99% of the intervals of measured ranges and predicates hold the truth."""
    B = table()
    Q = around(first, B.domain)
    settings = Apart(share=0.4, first=with_epsilon(first, 1.0))
    own = np.concatenate([np.full(term.workload.size, not term.workload.tabular) for term in Q.terms])
    truth, held, measured = Q.answers(B), [], []
    for seed in range(40):
        found = intervals(Q, settings, list(settings.rounds(B, Q, noise=Seeded(seed))))
        inside = (found.low <= truth) & (truth <= found.high)
        assert (found.high - found.low)[own].max() < N
        assert found.measured[own].mean() > 0.5
        held.append(inside.mean())
        measured.append(inside[own & found.measured].mean())
    assert 0.9 < np.mean(measured) <= 0.99
    assert np.mean(held) > 0.9


def test_budgets_of_zcdp_are_shared_exactly():
    settings = Apart(share=0.25, first=MWEM(epsilon=1.0, delta=1e-6))
    alone, whole = settings.first_alone.guarantee, settings.guarantee
    assert alone.epsilon == pytest.approx(math.sqrt(0.75))
    assert alone.budget.amount == pytest.approx(0.75 * whole.budget.amount, rel=0.05)


@pytest.mark.parametrize("unit", ["ε", "ρ"])
def test_however_uneven_the_weights_every_part_that_is_asked_has_a_share(unit):
    """Twenty of the largest weight beside one of the least: rounded up, the twenty would have all of it."""
    domain = domain_of([3] * 20)
    ranges = " + ".join(f"1000*ranges:{name}:all" for name in domain.names)
    shares = later_shares(parse_workload(f"marginals:1 + {ranges} + where:a == 0", domain), unit)
    assert min(shares) > 0
    assert sum(shares) == 1


@pytest.mark.parametrize("n", [1, 2, 30])
def test_a_mixed_workload_of_which_nothing_is_worth_measuring_is_weighed_against_reading_no_data(n):
    domain = domain_of((2, 4, 9, 9, 4))
    Q = parse_workload("ranges:a:3 + 7*marginals:2", domain)
    settings = default(Q, n=n, epsilon=0.01, delta=1e-6, noisy_n=True)
    subsets = relative_to_alone(Q, n, settings.guarantee.budget)
    nothing = Nothing(epsilon=0.01, delta=settings.guarantee.delta)
    assert expected_tv(nothing, subsets, n) == idle_tv(nothing, subsets, n)
    assert plan_of(settings) == "nothing" or expected_tv(settings, subsets, n) <= (1 - constants.WORTH) * idle_tv(
        nothing, subsets, n
    )
