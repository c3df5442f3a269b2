"""The expected error of plans beside the measured one, and of ranges by a hierarchy or by rounds."""

import math
from dataclasses import replace

import numpy as np
import pytest
from measured_errors import measured_tv, sample
from oracles import domain_of, random_records

from mwem_core import Attribute, Domain, Halvings, Planned, parse_workload
from mwem_core.automatic import expected_error, expected_rounds, mwem_by_rule
from mwem_core.automatic.expected_error import best_range_plan, expected_range_error, expected_tv
from mwem_core.automatic.expected_rounds import held_by_largest, shown_by_parts
from mwem_core.automatic.hierarchy import best_hierarchy
from mwem_core.automatic.plans import make_plan
from mwem_core.automatic.typical_tables import expected_errors, prior_variances
from mwem_core.base import constants
from mwem_core.mwem import MWEM
from mwem_core.prior import typical_strength
from mwem_core.privacy import rho_of
from mwem_core.values import Range
from mwem_core.workload import Subsets

Q = parse_workload("ranges:a:6", domain_of((40,)))


@pytest.mark.parametrize("name", ["czech", "rochdale"])
@pytest.mark.parametrize("delta", [0.0, 1e-9])
def test_the_expected_error_is_within_a_factor_of_2_of_the_measured(name, delta):
    """Four seeds. Where noise decides, at ε >= .3; what one-way marginals leave out differs from table to table."""
    B = sample(name)
    Q = parse_workload("marginals:2", B.domain)
    subsets = Subsets.of(Q)
    for epsilon in (0.3, 3.0):
        selecting = mwem_by_rule(Q, n=B.total, epsilon=epsilon, delta=delta)
        for plan in ("select", "residuals", "marginals", "cells"):
            settings = selecting if plan == "select" else Planned(epsilon=epsilon, delta=delta, plan=plan)
            measured = measured_tv(settings, B, Q, 4).mean()
            assert measured / 2 < expected_tv(settings, subsets, B.total) < 2 * measured, (epsilon, plan)


@pytest.mark.parametrize(("sizes", "epsilon"), [([2] * 6, 4.0), ([4] * 9, 8.0), ([6] * 6, 10.0)])
def test_the_expected_error_of_cells_that_are_the_rows_is_within_a_factor_of_2_of_the_measured(sizes, epsilon):
    """Four seeds, 64 to 262,144 cells. The noise of one table in all cells decides."""
    B = random_records(domain_of(sizes), 3000, np.random.default_rng(0))
    Q = parse_workload("marginals:2", B.domain)
    settings = Planned(epsilon=epsilon, plan="cells")
    measured = measured_tv(settings, B, Q, 4).mean()
    assert measured / 2 < expected_tv(settings, Subsets.of(Q), B.total) < 2 * measured


def test_the_expected_total_variation_is_that_of_simulated_residuals():
    """Residuals drawn with the expected variances, 400 times: their tables' mean total variation, within 5%."""
    B, rng = sample("czech"), np.random.default_rng(0)
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
    B = sample("rochdale")
    Q = parse_workload("marginals:2", B.domain)
    subsets, nodes = Subsets.of(Q), np.linspace(-4, 4, 41)
    weights = np.exp(-0.5 * nodes**2)
    for epsilon in (0.3, 3.0):
        selecting = mwem_by_rule(Q, n=B.total, epsilon=epsilon)
        for plan in ("select", "one-way", "residuals", "cells"):
            settings = selecting if plan == "select" else Planned(epsilon=epsilon, plan=plan)
            by_three = expected_tv(settings, subsets, B.total)
            with monkeypatch.context() as patch:
                patch.setattr(
                    expected_error, "INFORMATIONS", constants.PAIR_INFORMATION * np.exp(constants.SPREAD * nodes)
                )
                for module in (expected_error, expected_rounds):
                    patch.setattr(module, "WEIGHTS", weights / weights.sum())
                assert by_three == pytest.approx(expected_tv(settings, subsets, B.total), rel=0.02)


def test_the_largest_of_log_normal_squares_hold_what_drawn_ones_do():
    """200,000 squares; the sum of the largest roots over that of all, within 1%."""
    roots = np.sort(np.exp(constants.UNCERTAINTY / 2 * np.random.default_rng(0).normal(size=200_000)))[::-1]
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
    squares = np.exp(constants.UNCERTAINTY * np.random.default_rng(0).normal(size=(4000, 28)))
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
        settings = Planned(epsilon=epsilon, delta=delta, plan="residuals")
        precisions = make_plan("residuals", subsets, settings.guarantee.budget).precisions
        found.append(expected_tv(settings, subsets, 5000) / subsets.mean_tv(1 / precisions, 5000))
    assert found == sorted(found)
    assert found[0] < 0.7
    assert found[-1] == pytest.approx(1, rel=0.05)


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


def test_rounds_that_measure_every_range_leave_the_noise_of_a_measurement_and_fewer_say_nothing():
    settings = MWEM(epsilon=0.5, T=6, split=0.25)
    assert expected_range_error(settings, Q, 1000) == pytest.approx(math.sqrt(2) * 6 / (0.5 * 0.75))
    of_rho = rho_of(0.5, 1e-6) * 0.75 / 6
    assert expected_range_error(replace(settings, delta=1e-6), Q, 1000) == pytest.approx(1 / math.sqrt(2 * of_rho))
    assert expected_range_error(replace(settings, T=5), Q, 1000) == math.inf


def test_a_hierarchy_is_expected_to_err_as_its_levels_do():
    settings = Halvings(epsilon=0.5)
    plan = best_hierarchy(Q, settings.guarantee.budget, 1000)
    assert expected_range_error(settings, Q, 1000) == pytest.approx(math.sqrt(plan.squared_error(1000)))


def test_the_best_is_the_least_expected_error_of_all_that_are_offered_and_of_their_hierarchies():
    few = parse_workload("ranges:a:3..4", domain_of((40,)))
    for ranges, T in ((Q, 6), (few, 1)):
        offered = [MWEM(epsilon=0.5, T=T, split=split) for split in (0.5, 0.01)]
        every = [*offered, Halvings(epsilon=0.5)]
        best = best_range_plan(offered, ranges, 1000)
        assert best in every
        assert expected_range_error(best, ranges, 1000) == min(
            expected_range_error(settings, ranges, 1000) for settings in every
        )
