"""What a method would do, its expected error, and the sentences on a run before it starts."""

import pytest
from oracles import domain_of

from mwem_app.base import percent, records
from mwem_app.inputs import Variant
from mwem_app.run.method import LESS_WITH_LAPLACE, Outlook, describe_noise
from mwem_core import Apart, Attribute, Domain, Halvings
from mwem_core.base import change
from mwem_core.mwem import MWEM
from mwem_core.values import Range
from mwem_core.workload import parse_workload

DOMAIN = Domain.from_toml("[[attribute]]\nname = 'a'\nrange = [0, 9]\n[[attribute]]\nname = 'b'\nrange = [0, 9]")
WORKLOAD = parse_workload("marginals:1", DOMAIN)


def test_an_error_below_a_thousandth_of_n_is_in_records():
    settings, Q = MWEM(epsilon=1.0), parse_workload("marginals:2", domain_of([2, 2]))
    assert Outlook(settings, "2 rounds", 0.0001, Q, 60_000).caption == "2 rounds · 2.0 to 9.0 of 60,000 records"
    assert Outlook(settings, "2 rounds", 0.02, Q, 60_000).caption == "2 rounds · .0067 to .03"


def test_where_a_run_may_be_exact_the_range_has_no_lower_end():
    settings, Q = MWEM(epsilon=10.0), parse_workload("marginals:2", domain_of([2, 2]))
    said = Outlook(settings, "2 rounds", 0.02, Q, 60_000).caption
    assert said == "2 rounds · at most .03"


def variant(system="mwem", rounds="2", delta="0", seed="") -> Variant:
    return Variant(system, rounds, delta, seed)


def test_laplace_noise_is_the_number_of_rounds_over_the_share_of_epsilon_that_is_measured():
    settings = variant().settings(WORKLOAD, n=1000, epsilon=0.5)
    scale = 2 / ((1 - settings.split) * 0.5)  # the mean of |Laplace noise| is its scale
    assert describe_noise(settings, WORKLOAD, 1000) == (
        f"In 2 rounds, a mean noise of **{scale:.1f} records** on each measured cell ({percent(scale / 1000)} of n)."
    )


@pytest.mark.parametrize(("delta", "power"), [("0", 1), ("1e-9", 1 / 2)])
def test_the_noise_of_small_and_large_marginals_is_said_where_they_cost_less_and_more(delta, power):
    domain = Domain((Attribute("a", Range(0, 1)), Attribute("b", Range(0, 9)), Attribute("c", Range(0, 19))))
    Q = parse_workload("marginals:2", domain)
    by_rule = variant(delta=delta).settings(Q, n=1000, epsilon=0.5)
    settings = change(by_rule, {"candidates.by_cells": True, "candidates.one_way_first": False})
    share = (1 - settings.split) / 2
    noise = settings.guarantee.budget.part(share).mean_noise
    costs = settings.costs_of(Q, 2).expected
    few, many = noise / costs[0] ** power, noise / costs[2] ** power
    assert few > noise > many
    said = f" of n): {records(many)} in the largest marginals to {records(few)} in the smallest."
    assert said in describe_noise(settings, Q, 1000)


def test_gaussian_noise_that_exceeds_laplace_noise_is_said_with_both():
    settings = variant(delta="1e-9").settings(WORKLOAD, n=1000, epsilon=0.5)
    laplace = 2 / ((1 - settings.split) * 0.5)
    assert describe_noise(settings, WORKLOAD, 1000).endswith(LESS_WITH_LAPLACE.format(f"{laplace:.1f}"))


def test_rounds_on_lower_marginals_say_what_they_measure():
    domain = Domain(tuple(Attribute(name, Range(0, 2)) for name in "abcd"))
    settings = variant(rounds="2").settings(WORKLOAD, n=1000, epsilon=0.5)
    on_lower = change(settings, {"candidates.within": "lower"})
    said = describe_noise(on_lower, parse_workload("marginals:3", domain), 1000)
    assert said.endswith(" of n). The rounds measure marginals of 2 attributes.")


@pytest.mark.parametrize(("where", "asked"), [("a <= 4", "the predicate"), ("a <= 4; b == 3", "each of 2 predicates")])
def test_what_measures_the_other_parts_and_what_the_predicates_is_said_with_both_shares(where, asked):
    Q = parse_workload(f"marginals:1 + where:{where}", DOMAIN)
    settings = Apart(share=0.3, first=variant().settings(WORKLOAD, n=1000, epsilon=0.5))
    others = describe_noise(settings.first_alone, WORKLOAD, 1000)
    said = f"This leaves predicates out, with 70% of the budget. The other 30% measures {asked} itself."
    assert describe_noise(settings, Q, 1000) == f"{others} {said}"


def test_ranges_that_are_measured_by_themselves_are_named():
    Q = parse_workload("marginals:1 + where:a <= 4; b == 3 + ranges:a:all + ranges:b:all", DOMAIN)
    settings = Apart(share=0.3, first=variant().settings(WORKLOAD, n=1000, epsilon=0.5))
    assert describe_noise(settings, Q, 1000).endswith(
        "This leaves ranges of a, ranges of b and predicates out, with 70% of the budget. The other 30% measures "
        "counts of intervals of a, counts of intervals of b and each of 2 predicates itself."
    )
    ranges = parse_workload("ranges:a:all + where:b == 3", DOMAIN)
    said = describe_noise(Apart(share=0.3, first=Halvings(epsilon=0.5)), ranges, 1000)
    assert said.startswith("**Counts of ")
    assert said.endswith(
        "This leaves predicates out, with 70% of the budget. The other 30% measures the predicate itself."
    )


def test_adaptive_rounds_have_no_noise_to_name_beforehand():
    settings = variant(rounds="adaptive").settings(WORKLOAD, n=1000, epsilon=0.5)
    assert "decided during the run" in describe_noise(settings, WORKLOAD, 1000)
