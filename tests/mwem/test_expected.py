"""The expected error of plans, beside the measured one; and the plan that the default takes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import Attribute, Domain, Records, Seeded, default, encode, parse_workload, read_table
from mwem_core.domain.numbers import Range
from mwem_core.evaluation.metrics import errors
from mwem_core.mwem import expected, expected_rounds
from mwem_core.mwem.expected import PURE_GAIN, ROUNDS_EXCESS, WORTH, best_plan, expected_tv, idle_tv, reason
from mwem_core.mwem.expected_rounds import held_by_largest, shown_by_parts
from mwem_core.mwem.mwem import MWEM
from mwem_core.mwem.plans import make_plan
from mwem_core.mwem.presets import selected
from mwem_core.mwem.prior import (
    PAIR_INFORMATION,
    SPREAD,
    UNCERTAINTY,
    expected_errors,
    prior_variances,
    typical_strength,
)
from mwem_core.mwem.subsets import Subsets

SAMPLES = Path(__file__).parents[2] / "sample_data"


def load(name):
    return encode(
        read_table(SAMPLES / f"{name}.csv"), Domain.from_toml((SAMPLES / f"{name}.toml").read_text(encoding="utf-8"))
    )


def measured_tv(settings, B, Q, seeds):
    truth, tv = Q.answers(B), []
    for seed in range(seeds):
        *_, last = settings.rounds(B, Q, noise=Seeded(seed))
        tv.append(errors(Q, Q.answers(last.model), truth, B.total).mean_tv)
    return np.array(tv)


@pytest.mark.parametrize("name", ["czech", "rochdale"])
@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_the_expected_error_is_within_a_factor_of_2_of_the_measured(name, delta):
    """Four seeds. Where noise decides, at ε >= .3; what one-way marginals leave out differs from table to table."""
    B = load(name)
    Q = parse_workload("marginals:2", B.domain)
    subsets = Subsets.of(Q)
    for epsilon in (0.3, 3.0):
        selecting = selected(Q, n=B.total, epsilon=epsilon, delta=delta)
        for plan in ("select", "residuals", "marginals", "cells"):
            settings = replace(selecting, plan=plan)
            measured = measured_tv(settings, B, Q, 4).mean()
            assert measured / 2 < expected_tv(settings, subsets, B.total) < 2 * measured, (epsilon, plan)


@pytest.mark.parametrize(("sizes", "epsilon"), [([2] * 6, 4.0), ([4] * 9, 8.0), ([6] * 6, 10.0)])
def test_the_expected_error_of_cells_that_are_the_rows_is_within_a_factor_of_2_of_the_measured(sizes, epsilon):
    """Four seeds, 64 to 262,144 cells. The noise of one table in all cells decides."""
    B = random_records(domain_of(sizes), 3000, np.random.default_rng(0))
    Q = parse_workload("marginals:2", B.domain)
    settings = MWEM(epsilon=epsilon, plan="cells", select="tables")
    measured = measured_tv(settings, B, Q, 4).mean()
    assert measured / 2 < expected_tv(settings, Subsets.of(Q), B.total) < 2 * measured


def test_the_expected_total_variation_is_that_of_simulated_residuals():
    """Residuals drawn with the expected variances, 400 times: their tables' mean total variation, within 5%."""
    B, rng = load("czech"), np.random.default_rng(0)
    Q = parse_workload("marginals:3", B.domain)
    subsets = Subsets.of(Q)
    expected = prior_variances(subsets, B.total)
    assert expected == pytest.approx(
        B.total**2 / (typical_strength(subsets.order, subsets.rank, B.total) * subsets.cells)
    )
    tv = []
    for _ in range(400):
        residuals, first = [np.array([B.total])], 0
        for sets, shape in zip(subsets.residuals.sets[1:], subsets.residuals.shapes[1:], strict=True):
            drawn = rng.normal(size=(len(sets), *shape))
            for axis in range(1, drawn.ndim):
                drawn = drawn - drawn.mean(axis=axis, keepdims=True)
            sd = np.sqrt(expected[first : first + len(sets)])
            residuals.append(drawn * sd.reshape(-1, *[1] * len(shape)))
            first += len(sets)
        uniform = B.total / 8
        tv.append(np.abs(subsets.residuals.reconstruct(residuals) - uniform).sum() / (2 * B.total * Q.parts))
    assert np.mean(tv) == pytest.approx(subsets.mean_tv(expected, B.total), rel=0.05)


def test_three_tables_stand_for_all_that_are_likely(monkeypatch):
    """Beside a rule of 41 informations, within 2%: for plans and for selection."""
    B = load("rochdale")
    Q = parse_workload("marginals:2", B.domain)
    subsets, nodes = Subsets.of(Q), np.linspace(-4, 4, 41)
    weights = np.exp(-0.5 * nodes**2)
    for epsilon in (0.3, 3.0):
        selecting = selected(Q, n=B.total, epsilon=epsilon)
        for plan in ("select", "one-way", "residuals", "cells"):
            settings = replace(selecting, plan=plan)
            by_three = expected_tv(settings, subsets, B.total)
            with monkeypatch.context() as patch:
                patch.setattr(expected, "INFORMATIONS", PAIR_INFORMATION * np.exp(SPREAD * nodes))
                for module in (expected, expected_rounds):
                    patch.setattr(module, "WEIGHTS", weights / weights.sum())
                assert by_three == pytest.approx(expected_tv(settings, subsets, B.total), rel=0.02)


def test_the_largest_of_log_normal_squares_hold_what_drawn_ones_do():
    """200,000 squares; the sum of the largest roots over that of all, within 1%."""
    roots = np.sort(np.exp(UNCERTAINTY / 2 * np.random.default_rng(0).normal(size=200_000)))[::-1]
    shares = np.array([0.01, 0.1, 0.5, 0.9, 1.0])
    held = [roots[: round(share * roots.size)].sum() / roots.sum() for share in shares]
    assert held_by_largest(shares) == pytest.approx(held, rel=0.01)


def test_the_triple_of_the_largest_error_holds_as_much_of_its_pairs_as_expected():
    """4,000 draws of the squares of 28 pairs: the roots of three in a triple, over those of all, within a tenth."""
    subsets = Subsets.of(parse_workload("marginals:3", domain_of([2] * 8)))
    rho = shown_by_parts(subsets, np.ones(56))
    assert rho[subsets.order == 2] == pytest.approx(1 / np.sqrt(3))
    assert rho[subsets.order == 3] == pytest.approx(1)

    pairs = [S for S in subsets.sets if len(S) == 2]
    within = np.array([[i for i, S in enumerate(pairs) if set(S) < set(triple)] for triple in subsets.Q.sets])
    squares = np.exp(UNCERTAINTY * np.random.default_rng(0).normal(size=(4000, 28)))
    chosen = within[squares[:, within].sum(axis=2).argmax(axis=1)]
    held = (np.take_along_axis(squares, chosen, axis=1) ** 0.5).sum(axis=1) / (squares**0.5).sum(axis=1)
    largest, share = held_by_largest(np.array([3 / 28]))[0], 3 / 28
    assert held.mean() == pytest.approx(share + (largest - share) / np.sqrt(3), rel=0.1)


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_corrected_answers_are_expected_to_err_less_than_the_noise(delta):
    """All pairs of 20 bits, which are too many for one table over D."""
    Q = parse_workload("marginals:2", Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(20))))
    subsets, found = Subsets.of(Q), []
    for epsilon in (0.1, 1.0, 10.0):
        settings = replace(selected(Q, n=5000, epsilon=epsilon, delta=delta), plan="residuals")
        precisions = make_plan("residuals", subsets, settings.guarantee.budget).precisions
        found.append(expected_tv(settings, subsets, 5000) / subsets.mean_tv(1 / precisions, 5000))
    most = 1.0 if delta else 1 / PURE_GAIN
    assert found == sorted(found)
    assert found[0] < 0.7 * most
    assert found[-1] == pytest.approx(most, rel=0.05)


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_triples_that_rows_cannot_hold_are_measured_once_at_a_large_budget(delta):
    """Seven attributes of 5 to 70 values and 336,776 records: selection of 35 triples at ε = 1, all at once at 10."""
    sizes = (12, 16, 70, 45, 20, 12, 6)
    Q = parse_workload("marginals:3", Domain(tuple(Attribute(f"a{i}", Range(0, s - 1)) for i, s in enumerate(sizes))))
    plans = [default(Q, n=336_776, epsilon=epsilon, delta=delta).plan for epsilon in (0.3, 10.0)]
    assert plans[0] == "select"
    assert plans[1] in ("marginals", "residuals")


def test_where_the_workload_is_one_table_nothing_is_selected():
    """Three of three attributes: a round would pay for a choice among one table. At ε = 10 cells are exact."""
    B = load("class_survey")
    Q = parse_workload("marginals:3", B.domain)
    settings, selecting = (preset(Q, n=B.total, epsilon=10.0) for preset in (default, selected))
    assert settings.plan == "cells"
    assert measured_tv(settings, B, Q, 6).mean() < 0.1 * measured_tv(selecting, B, Q, 6).mean()


def test_selection_is_worth_its_risk_where_tables_may_tell_much():
    """16 bits at ε = 0.03. Were all tables typical, one-way marginals would be expected best for 21,574 records too."""
    Q = parse_workload("marginals:2", Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(16))))
    assert default(Q, n=21_574, epsilon=0.03).plan == "select"
    assert default(Q, n=2_000, epsilon=0.03).plan == "one-way"


@pytest.mark.parametrize(
    ("name", "epsilon", "delta", "plan"),
    [
        ("czech", 1.0, 0.0, "cells"),  # 64 cells and 1,841 records: one noisy count per cell beats any choosing
        ("czech", 1.0, 1e-9, "cells"),  # with Laplace noise too, because (ε, 0) implies (ε, δ)
        ("rochdale", 0.03, 0.0, "one-way"),
    ],
)
def test_the_default_takes_the_plan_of_the_least_expected_error(name, epsilon, delta, plan):
    B = load(name)
    Q = parse_workload("marginals:2", B.domain)
    settings = default(Q, n=B.total, epsilon=epsilon, delta=delta)
    assert (settings.plan, settings.epsilon, settings.delta) == (plan, epsilon, 0.0)
    subsets = Subsets.of(Q)
    selecting = [selected(Q, n=B.total, epsilon=epsilon, delta=each) for each in (0.0, delta)]
    assert expected_tv(settings, subsets, B.total) < min(expected_tv(each, subsets, B.total) for each in selecting)
    assert best_plan(selecting, Q, B.total) == settings


def test_the_default_may_measure_everything_on_any_domain_of_one_table():
    """All 560 triples of 16 bits, with 696 residuals."""
    bits = Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(16)))
    Q = parse_workload("marginals:3", bits)
    assert default(Q, n=21_574, epsilon=1.0, delta=1e-9).plan == "residuals"
    assert default(Q, n=21_574, epsilon=10.0).plan == "cells"


def test_the_default_selects_where_rounds_are_given():
    B = load("czech")
    assert default(parse_workload("marginals:2", B.domain), n=B.total, epsilon=1.0, T=5).plan == "select"
    assert default(parse_workload("parities:2", B.domain), n=B.total, epsilon=1.0, T=5).plan == "select"
    assert default(parse_workload("where:systolic_bp_over_140 == 'yes'", B.domain), n=1841, epsilon=1.0, T=1).T == 1


@pytest.mark.parametrize("spec", ["parities:2", "parities:3"])
@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_of_parities_the_plan_of_the_default_halves_the_error_of_selection(spec, delta):
    """Czech, ε = 1, four seeds: one noisy count for each cell has a quarter of it. The expected error is within 2."""
    B = load("czech")
    Q = parse_workload(spec, B.domain)
    settings = default(Q, n=B.total, epsilon=1.0, delta=delta)
    assert (settings.plan, settings.delta) == ("cells", 0.0)
    planned, selecting = (
        measured_errors(each, B, Q, 4).mean() for each in (settings, selected(Q, n=B.total, epsilon=1.0, delta=delta))
    )
    assert planned < selecting / 2
    assert planned / 2 < 2 * expected_tv(settings, Subsets.of(Q), B.total) < 2 * planned


def measured_errors(settings, B, Q, seeds):
    """The mean error of parities at each seed."""
    truth, found = Q.answers(B), []
    for seed in range(seeds):
        *_, last = settings.rounds(B, Q, noise=Seeded(seed))
        found.append(errors(Q, Q.answers(last.model), truth, B.total).mean_error)
    return np.array(found)


@pytest.mark.parametrize("T", [None, 200])
def test_of_many_independent_bits_one_way_parities_come_first(T):
    """200 bits, 20,000 parities of two. Uniform errs by 1/3; one Laplace draw in 200 exceeds 0.05 by chance 0.001."""
    rng = np.random.default_rng(0)
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(200)))
    B = Records(domain, tuple((rng.random(50_000) < 1 / 3).astype(np.uint8) for _ in domain.names))
    Q = parse_workload("parities:2", domain)
    settings = default(Q, n=B.total, epsilon=1.0, T=T)
    assert "one-way" in (settings.plan, settings.first)
    *_, last = settings.rounds(B, Q, noise=Seeded(0))
    assert last.index >= 200 or settings.plan == "one-way"
    assert errors(Q, Q.answers(last.model), Q.answers(B), B.total).max_error < 0.06


def test_the_expected_errors_of_parities_are_those_of_moments_of_independent_cumulants():
    """The oracle: cumulants of three bits drawn by the prior, half of the variance of single bits known; within 4%."""
    Q = parse_workload("parities:3", Domain(tuple(Attribute(f"a{i}", Range(0, 1)) for i in range(3))))
    subsets, n, rng = Subsets.of(Q), 10_000.0, np.random.default_rng(1)
    unit = n**2 / subsets.cells
    v = 1 / typical_strength(subsets.order, subsets.rank, n)
    precisions = np.where(subsets.order == 1, 1 / (v * unit), 0.0)  # as large as the prior's: half is known
    truth = {A: rng.normal(scale=np.sqrt(v[i]), size=10**5) for i, A in enumerate(subsets.sets)}
    noisy = {A: (truth[A] + rng.normal(scale=np.sqrt(v[i]), size=10**5)) / 2 for i, A in enumerate(subsets.sets)}
    found = {A: noisy[A] if len(A) == 1 else 0.0 for A in truth}

    def moments(k):
        pairs = [k[0, 1] + k[(0,)] * k[(1,)], k[0, 2] + k[(0,)] * k[(2,)], k[1, 2] + k[(1,)] * k[(2,)]]
        mixed = k[0, 1] * k[(2,)] + k[0, 2] * k[(1,)] + k[1, 2] * k[(0,)]
        return [k[(0,)], k[(1,)], k[(2,)], *pairs, k[0, 1, 2] + mixed + k[(0,)] * k[(1,)] * k[(2,)]]

    squares = [((x - y) ** 2).mean() for x, y in zip(moments(truth), moments(found), strict=True)]
    by_formula = expected_errors(subsets, v * unit, n, lambda variances: 1 / (1 / variances + precisions))
    assert by_formula / unit == pytest.approx(squares, rel=0.04)


@pytest.mark.parametrize(("spec", "epsilon"), [("marginals:3", 0.2), ("marginals:4", 0.15)])
def test_rounds_that_are_expected_to_err_a_little_less_than_cells_err_more(spec, epsilon):
    """By 1.3 to 1.5 times in eight runs; 1.1 leaves room for other seeds."""
    B = load("rochdale")
    Q = parse_workload(spec, B.domain)
    settings, rounds = (default(Q, n=B.total, epsilon=epsilon, plan=plan) for plan in (None, "select"))
    planned, selecting = (expected_tv(each, Subsets.of(Q), B.total) for each in (settings, rounds))
    assert settings.plan == "cells"
    assert selecting < planned < ROUNDS_EXCESS * selecting
    assert measured_tv(settings, B, Q, 8).mean() < 0.9 * measured_tv(rounds, B, Q, 8).mean()


@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_where_a_run_is_expected_to_gain_next_to_nothing_it_measures_nothing(delta):
    """200 records at ε = 0.01: two standard draws of noise are as large as half of the table. At 0.03 it measures."""
    B = load("class_survey")
    Q = parse_workload("marginals:2", B.domain)
    settings = default(Q, n=B.total, epsilon=0.01, delta=delta)
    (start,) = settings.rounds(B, Q, noise=Seeded(0))
    assert (settings.plan, settings.planned_rounds(B.total, Q), start.ledger.spent) == ("nothing", 0, 0)
    assert reason(settings, Q, B.total) == (
        "**Nothing is measured, and nothing spent**: with 200 records at this ε no measurement is expected to lower "
        "the error by 0.5%. The model stays as it starts: choose a larger ε."
    )
    subsets = Subsets.of(Q)
    larger = default(Q, n=B.total, epsilon=0.03, delta=delta)
    assert larger.plan == "cells"
    assert expected_tv(larger, subsets, B.total) <= (1 - WORTH) * idle_tv(larger, subsets, B.total)


@pytest.mark.parametrize("name", ["czech", "rochdale", "class_survey"])
@pytest.mark.parametrize("epsilon", [0.01, 0.03])
def test_at_a_tiny_budget_the_default_is_no_worse_than_reading_no_data(name, epsilon):
    """In the mean over 12 seeds, beyond three standard errors of it."""
    B = load(name)
    Q = parse_workload("marginals:2", B.domain)
    uniform = Q.answers(next(iter(default(Q, n=B.total, epsilon=1.0).rounds(B, Q, noise=Seeded(0)))).model)
    without_data = errors(Q, uniform, Q.answers(B), B.total).mean_tv
    for delta in (0.0, 1e-9):
        tv = measured_tv(default(Q, n=B.total, epsilon=epsilon, delta=delta), B, Q, 12)
        assert tv.mean() <= without_data + 3 * tv.std(ddof=1) / np.sqrt(12)


@pytest.mark.parametrize(
    ("name", "epsilon", "sentence"),
    [
        ("czech", 1.0, "Measured: **one noisy count for each of 64 cells**. With 1,841 records at this ε "),
        ("rochdale", 0.03, "Measured: **one-way marginals alone**. With 665 records at this ε "),
    ],
)
def test_the_reason_names_the_plan_and_gives_both_expected_errors(name, epsilon, sentence):
    B = load(name)
    Q = parse_workload("marginals:2", B.domain)
    settings = default(Q, n=B.total, epsilon=epsilon)
    subsets = Subsets.of(Q)
    planned, selecting = (expected_tv(each, subsets, B.total) for each in (settings, replace(settings, plan="select")))
    text = reason(settings, Q, B.total)
    assert text.startswith(sentence)
    if settings.plan == "cells":
        selecting *= ROUNDS_EXCESS
    beside = f"; of selected marginals, {selecting:.2g}" if np.isfinite(selecting) else ""  # one cannot be expected
    assert text.endswith(f"the expected total variation is **{planned:.2g}**{beside}.")


def test_a_workload_with_too_many_cells_to_weigh_plans_selects():
    """A hundred million cells of 56 triples and their subsets."""
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, 120)) for i in range(8)))
    assert default(parse_workload("marginals:3", domain), n=1000, epsilon=1.0).plan == "select"


def test_the_default_takes_no_plan_that_it_would_refuse():
    """Of 44,850 pairs weighted rows are too few to fit them, at any ε."""
    domain = Domain(tuple(Attribute(f"a{i}", Range(0, 4)) for i in range(300)))
    Q = parse_workload("marginals:2", domain)
    for epsilon in (1.0, 30.0, 1000.0):
        default(Q, n=50_000, epsilon=epsilon, delta=1e-9).check(Q)


@pytest.mark.parametrize(
    ("on_rows", "delta", "taken"), [(0.85, 1e-6, "select"), (0.79, 1e-6, "residuals"), (0.85, 0.0, "residuals")]
)
def test_under_a_delta_a_plan_on_rows_is_taken_only_where_it_gains_a_fifth_on_one_way(
    on_rows, delta, taken, monkeypatch
):
    """Else the best of the others is."""
    tvs = {"one-way": 1.0, "residuals": on_rows, "select": 0.95, "cells": 0.97}
    monkeypatch.setattr(expected, "expected_tv", lambda settings, *_: tvs[settings.plan])
    monkeypatch.setattr(expected, "_on_rows", lambda settings, Q: settings.plan == "residuals")
    offered = [MWEM(epsilon=1.0, delta=delta, plan=plan) for plan in tvs]
    subsets = Subsets.of(parse_workload("marginals:2", domain_of((2, 3))))
    assert expected._least(offered, subsets, 100).plan == taken
