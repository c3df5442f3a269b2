"""The settings that the default takes, and the reason that it gives."""

import numpy as np
import pytest
from measured_errors import mean_error, measured_tv, sample
from plans import plan_of

from mwem_core import Attribute, Domain, Records, Seeded, default, parse_workload
from mwem_core.automatic import mwem_by_rule
from mwem_core.automatic.announcement import measured_in_words
from mwem_core.automatic.choice import best_plan
from mwem_core.automatic.expected_error import expected_tv, idle_tv
from mwem_core.base import constants
from mwem_core.judge import errors
from mwem_core.privacy import Guarantee
from mwem_core.values import Range
from mwem_core.workload import Subsets


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_triples_that_rows_cannot_hold_are_measured_once_at_a_large_budget(delta):
    """Seven attributes of 5 to 70 values and 336,776 records: selection of 35 triples at ε = 1, all at once at 10."""
    sizes = (12, 16, 70, 45, 20, 12, 6)
    Q = parse_workload("marginals:3", Domain(tuple(Attribute(f"a{i}", Range(0, s - 1)) for i, s in enumerate(sizes))))
    plans = [plan_of(default(Q, n=336_776, epsilon=epsilon, delta=delta)) for epsilon in (0.3, 10.0)]
    assert plans[0] == "select"
    assert plans[1] in ("marginals", "residuals")


def test_large_marginals_are_planned_at_delta_0_only_where_the_noise_is_small(adult):
    Q = parse_workload("marginals:3", adult.domain)
    assert plan_of(default(Q, n=adult.total, epsilon=2.0)) == "select"
    assert (
        plan_of(default(Q, n=adult.total, epsilon=1.0, delta=1e-9)) != "select"
    )  # there such plans compete by themselves


def test_of_triples_the_pairs_are_measured_where_they_are_expected_to_err_less():
    """5,226 records at ε = 1 under zCDP: pairs have less noise than triples."""
    arrests = (2, 2, 6, 8, 2, 2, 2, 7)
    Q = parse_workload("marginals:3", Domain(tuple(Attribute(f"a{i}", Range(0, s - 1)) for i, s in enumerate(arrests))))
    assert default(Q, n=5_226, epsilon=1.0, delta=1e-9).within == "lower"


def test_where_the_workload_is_one_table_nothing_is_selected():
    """Three of three attributes: a round would pay for a choice among one table. At ε = 10 cells are exact."""
    B = sample("class_survey")
    Q = parse_workload("marginals:3", B.domain)
    settings, selecting = (preset(Q, n=B.total, epsilon=10.0) for preset in (default, mwem_by_rule))
    assert plan_of(settings) == "cells"
    assert measured_tv(settings, B, Q, 6).mean() < 0.1 * measured_tv(selecting, B, Q, 6).mean()


def test_selection_is_worth_its_risk_where_tables_may_tell_much():
    """16 bits at ε = 0.03. Were all tables typical, one-way marginals would be expected best for 21,574 records too."""
    Q = parse_workload("marginals:2", Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(16))))
    assert plan_of(default(Q, n=21_574, epsilon=0.03)) == "select"
    assert plan_of(default(Q, n=2_000, epsilon=0.03)) == "one-way"


@pytest.mark.parametrize(
    ("name", "epsilon", "delta", "plan"),
    [
        ("czech", 1.0, 0.0, "cells"),  # 64 cells and 1,841 records: one noisy count per cell beats any choosing
        ("czech", 1.0, 1e-9, "cells"),  # with Laplace noise too, because (ε, 0) implies (ε, δ)
        ("rochdale", 0.03, 0.0, "one-way"),
    ],
)
def test_the_default_takes_the_plan_of_the_least_expected_error(name, epsilon, delta, plan):
    B = sample(name)
    Q = parse_workload("marginals:2", B.domain)
    settings = default(Q, n=B.total, epsilon=epsilon, delta=delta)
    assert (plan_of(settings), settings.guarantee) == (plan, Guarantee(epsilon))
    subsets = Subsets.of(Q)
    selecting = [mwem_by_rule(Q, n=B.total, epsilon=epsilon, delta=each) for each in (0.0, delta)]
    assert expected_tv(settings, subsets, B.total) < min(expected_tv(each, subsets, B.total) for each in selecting)
    assert best_plan(selecting, Q, B.total) == settings


def test_the_default_may_measure_everything_on_any_domain_of_one_table():
    """All 560 triples of 16 bits, with 696 residuals."""
    bits = Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(16)))
    Q = parse_workload("marginals:3", bits)
    assert plan_of(default(Q, n=21_574, epsilon=1.0, delta=1e-9)) == "residuals"
    assert plan_of(default(Q, n=21_574, epsilon=10.0)) == "cells"


@pytest.mark.parametrize("spec", ["parities:2", "parities:3"])
@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_of_parities_the_plan_of_the_default_halves_the_error_of_selection(spec, delta):
    """Czech, ε = 1, four seeds: one noisy count for each cell has a quarter of it. The expected error is within 2."""
    B = sample("czech")
    Q = parse_workload(spec, B.domain)
    settings = default(Q, n=B.total, epsilon=1.0, delta=delta)
    assert (plan_of(settings), settings.delta) == ("cells", 0.0)
    planned = mean_error(settings, B, Q, 4)
    selecting = mean_error(mwem_by_rule(Q, n=B.total, epsilon=1.0, delta=delta), B, Q, 4)
    assert planned < selecting / 2
    assert planned / 2 < 2 * expected_tv(settings, Subsets.of(Q), B.total) < 2 * planned


@pytest.mark.parametrize("T", [None, 200])
def test_of_many_independent_bits_one_way_parities_come_first(T):
    """200 bits, 20,000 parities of two. Uniform errs by 1/3; one Laplace draw in 200 exceeds 0.05 by chance 0.001."""
    rng = np.random.default_rng(0)
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(200)))
    B = Records(domain, tuple((rng.random(50_000) < 1 / 3).astype(np.uint8) for _ in domain.names))
    Q = parse_workload("parities:2", domain)
    numbers = {"n": B.total, "epsilon": 1.0}
    settings = mwem_by_rule(Q, **numbers, T=T) if T else default(Q, **numbers)
    assert plan_of(settings) in ("one-way", "staged") or settings.candidates.one_way_first
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert last.index >= 200 or plan_of(settings) in ("one-way", "staged")
    assert errors(Q, Q.answers(last.model), Q.answers(B), B.total).max_error < 0.06


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_where_a_run_is_expected_to_gain_next_to_nothing_it_measures_nothing(delta):
    """200 records at ε = 0.01: two standard draws of noise are as large as half of the table. At 0.03 it measures."""
    B = sample("class_survey")
    Q = parse_workload("marginals:2", B.domain)
    settings = default(Q, n=B.total, epsilon=0.01, delta=delta)
    (start,) = settings.rounds(B, Q, noise=Seeded(0))
    assert (plan_of(settings), settings.planned_rounds(B.total, Q), start.ledger.spent) == ("nothing", 0, 0)
    assert measured_in_words(settings, Q, B.total) == (
        "**Nothing is measured, and nothing spent**: with 200 records at this ε no measurement is expected to lower "
        "the error by 0.5%. The model stays as it starts: choose a larger ε."
    )
    subsets = Subsets.of(Q)
    larger = default(Q, n=B.total, epsilon=0.03, delta=delta)
    assert plan_of(larger) == "cells"
    assert expected_tv(larger, subsets, B.total) <= (1 - constants.WORTH) * idle_tv(larger, subsets, B.total)


@pytest.mark.parametrize("name", ["czech", "rochdale", "class_survey"])
@pytest.mark.parametrize("epsilon", [0.01, 0.03])
def test_at_a_tiny_budget_the_default_is_no_worse_than_reading_no_data(name, epsilon):
    """In the mean over 12 seeds, beyond three standard errors of it."""
    B = sample(name)
    Q = parse_workload("marginals:2", B.domain)
    uniform = Q.answers(next(iter(default(Q, n=B.total, epsilon=1.0).rounds(B, Q, noise=Seeded(0)))).model)
    without_data = errors(Q, uniform, Q.answers(B), B.total).mean_tv
    for delta in (0.0, 1e-9):
        tv = measured_tv(default(Q, n=B.total, epsilon=epsilon, delta=delta), B, Q, 12)
        assert tv.mean() <= without_data + 3 * tv.std(ddof=1) / np.sqrt(12)


def test_a_workload_with_too_many_cells_to_weigh_plans_selects():
    """A hundred million cells of 56 triples and their subsets."""
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, 120)) for i in range(8)))
    assert plan_of(default(parse_workload("marginals:3", domain), n=1000, epsilon=1.0)) == "select"


def test_the_default_takes_no_plan_that_it_would_refuse():
    """Of 44,850 pairs weighted rows are too few to fit them, at any ε."""
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, 4)) for i in range(300)))
    Q = parse_workload("marginals:2", domain)
    for epsilon in (1.0, 30.0, 1000.0):
        default(Q, n=50_000, epsilon=epsilon, delta=1e-9).check(Q)
